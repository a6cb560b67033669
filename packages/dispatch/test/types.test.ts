import type { Surface } from '@sallyport/core';
import { createDispatcher, type DetectionRow, detect, explain } from '@sallyport/dispatch';
import type {
  ALBEvent,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyWebsocketEventV2,
  AppSyncResolverEvent,
  Context,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  Handler,
  KinesisStreamEvent,
  LambdaFunctionURLEvent,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import { EVENTS } from './support/events.js';

interface ProviderEvents {
  queue: SQSEvent;
  'table-stream': DynamoDBStreamEvent;
  stream: KinesisStreamEvent;
  topic: SNSEvent;
  'event-bus': EventBridgeEvent<'InvoicePaid', { id: string }>;
  appsync: AppSyncResolverEvent<{ id: string }> | AppSyncResolverEvent<{ id: string }>[];
  websocket: APIGatewayProxyWebsocketEventV2;
  'gateway-v2': APIGatewayProxyEventV2;
  'function-url': LambdaFunctionURLEvent;
  'load-balancer': ALBEvent;
  'gateway-v1': APIGatewayProxyEvent;
}

const events = EVENTS as unknown as ProviderEvents;
const surface: Surface = { serves: ['queue'], serve: async () => ({ batchItemFailures: [] }) };

describe('the types', () => {
  it('accept events of the types of @types/aws-lambda', () => {
    const kinds: string[] = [
      detect(events.queue),
      detect(events['table-stream']),
      detect(events.stream),
      detect(events.topic),
      detect(events['event-bus']),
      detect(events.appsync),
      detect(events.websocket),
      detect(events['gateway-v2']),
      detect(events['function-url']),
      detect(events['load-balancer']),
      detect(events['gateway-v1']),
    ];

    expect(kinds).toEqual(Object.keys(EVENTS));
    expect(explain(events.queue).kind).toBe('queue');
  });

  it('make handleLambda assignable to the handler type of the provider', async () => {
    const handler: Handler<SQSEvent, unknown> = createDispatcher(surface).handleLambda;
    const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 1000 } as Context;

    await expect(handler(events.queue, context, () => {})).resolves.toEqual({ batchItemFailures: [] });
  });

  it('reject a row with a test that the condition language does not have', () => {
    // @ts-expect-error `matches` is not a test
    const row: DetectionRow = { kind: 's3', anyOf: [[{ path: 'Records', test: 'matches' }]] };

    expect(row.kind).toBe('s3');
  });

  it('reject a surface without serve', () => {
    // @ts-expect-error `serve` is missing
    expect(() => createDispatcher({ serves: ['queue'] })).toThrow(
      expect.failure('dispatch.invalid_surface', 'serves', 'serve()'),
    );
  });
});
