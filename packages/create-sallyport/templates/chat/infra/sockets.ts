import {
  WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV,
  WEBSOCKET_CONNECTIONS_TABLE_SCHEMA,
} from '@sallyport/connections/schema';
import { CfnOutput, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as ServiceFunction } from 'aws-cdk-lib/aws-lambda';

const key = ({ name }: { readonly name: string }) => ({ name, type: AttributeType.STRING });

/** The WebSocket API in front of the function, and the table of its connections. */
export function addSockets(stack: Stack, service: ServiceFunction): void {
  const { partitionKey, sortKey, ttlAttribute, indexes } = WEBSOCKET_CONNECTIONS_TABLE_SCHEMA;
  const table = new Table(stack, 'Connections', {
    partitionKey: key(partitionKey),
    sortKey: key(sortKey),
    timeToLiveAttribute: ttlAttribute,
    billingMode: BillingMode.PAY_PER_REQUEST,
    // Clients reconnect, so no data is lost with it.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  for (const index of indexes) {
    table.addGlobalSecondaryIndex({
      indexName: index.name,
      partitionKey: key(index.partitionKey),
      sortKey: key(index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
  table.grant(
    service,
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:Query',
  );
  service.addEnvironment(WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV, table.tableName);
  const route = (id: string) => ({ integration: new WebSocketLambdaIntegration(id, service) });
  const api = new WebSocketApi(stack, 'Sockets', {
    connectRouteOptions: route('OnConnect'),
    disconnectRouteOptions: route('OnDisconnect'),
    defaultRouteOptions: route('OnMessage'),
  });
  const stage = new WebSocketStage(stack, 'SocketsStage', { webSocketApi: api, stageName: 'live', autoDeploy: true });
  stage.grantManagementApiAccess(service);
  new CfnOutput(stack, 'SocketsUrl', { value: stage.url });
}
