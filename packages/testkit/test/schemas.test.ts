import { Buffer } from 'node:buffer';
import { AlbMultiValueHeadersSchema, AlbSchema } from '@aws-lambda-powertools/parser/schemas/alb';
import { APIGatewayProxyEventSchema } from '@aws-lambda-powertools/parser/schemas/api-gateway';
import { APIGatewayProxyWebsocketEventSchema } from '@aws-lambda-powertools/parser/schemas/api-gateway-websocket';
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import { AppSyncBatchResolverSchema, AppSyncResolverSchema } from '@aws-lambda-powertools/parser/schemas/appsync';
import { CloudWatchLogsSchema } from '@aws-lambda-powertools/parser/schemas/cloudwatch';
import { DynamoDBStreamSchema } from '@aws-lambda-powertools/parser/schemas/dynamodb';
import { EventBridgeSchema } from '@aws-lambda-powertools/parser/schemas/eventbridge';
import { KinesisDataStreamSchema } from '@aws-lambda-powertools/parser/schemas/kinesis';
import { LambdaFunctionUrlSchema } from '@aws-lambda-powertools/parser/schemas/lambda';
import { SnsSchema } from '@aws-lambda-powertools/parser/schemas/sns';
import { SqsSchema } from '@aws-lambda-powertools/parser/schemas/sqs';
import type {
  ALBEvent,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyWebsocketEventV2,
  AppSyncResolverEvent,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamEvent,
  LambdaFunctionURLEvent,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import * as build from '../src/events.js';

interface Schema {
  safeParse(event: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const TABLE = 'arn:aws:dynamodb:eu-west-1:123456789012:table/notes/stream/2026-01-01T00:00:00.000';
const STREAM = 'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:news';

const LOADED_HTTP = {
  query: { q: ['a b', 'c'], empty: '' },
  headers: { 'X-Many': ['1', '2'], 'User-Agent': 'curl/8' },
  cookies: ['a=1', 'b=2'],
  json: { note: 'x' },
  sourceIp: '203.0.113.7',
  requestId: 'req-9',
  stage: 'live',
  time: new Date('2026-11-21T10:20:30Z'),
};
const LOADED_APPSYNC = {
  fieldName: 'note',
  parentTypeName: 'Query',
  arguments: { id: '1' },
  identity: { sub: 'u1', issuer: 'https://issuer.example', claims: {} },
  source: { id: 'p' },
  prev: { result: { ok: true } },
  stash: { a: 1 },
  headers: { 'x-a': '1' },
  variables: { v: 1 },
  selectionSetList: ['id'],
  selectionSetGraphQL: '{ id }',
};

/** An event, its schema, and the paths that the schema misses or rejects although AWS sends them so. */
const CASES: [name: string, event: unknown, schema: Schema, refused: string[]][] = [
  ['v2', build.buildAPIGatewayV2Request('GET', '/'), APIGatewayProxyEventV2Schema, []],
  [
    'v2, loaded',
    build.buildAPIGatewayV2Request('POST', '/a%20b?x=1', {
      ...LOADED_HTTP,
      routeKey: 'POST /{proxy+}',
      pathParameters: { proxy: 'a b' },
      authorizer: { jwt: { claims: { sub: 'u' }, scopes: ['read'] } },
    }),
    APIGatewayProxyEventV2Schema,
    [],
  ],
  [
    'url without route key',
    build.buildLambdaFunctionURLRequest('GET', '/', { sourceIp: '2001:db8::1' }),
    LambdaFunctionUrlSchema,
    ['routeKey'],
  ],
  [
    'url as AWS sends it, loaded',
    build.buildLambdaFunctionURLRequest('PUT', '/f?x=1', {
      ...LOADED_HTTP,
      routeKey: '$default',
      authorizer: { iam: { accountId: '123456789012', userArn: 'arn:aws:iam::123456789012:user/u' } },
    }),
    LambdaFunctionUrlSchema,
    [],
  ],
  ['v1', build.buildAPIGatewayProxyRequest('GET', '/'), APIGatewayProxyEventSchema, []],
  [
    'v1, loaded',
    build.buildAPIGatewayProxyRequest('POST', '/notes/1?x=1', {
      ...LOADED_HTTP,
      resource: '/notes/{id}',
      pathParameters: { id: '1' },
      authorizer: { principalId: 'u', integrationLatency: 1 },
    }),
    APIGatewayProxyEventSchema,
    [],
  ],
  ['alb', build.buildLoadBalancerRequest('GET', '/'), AlbSchema, []],
  [
    'alb, loaded',
    build.buildLoadBalancerRequest('POST', '/a?x=1', {
      query: { q: ['a b', 'c'] },
      headers: { 'X-Many': ['1', '2'] },
      cookies: ['a=1'],
      body: Buffer.from([0, 255]),
      multiValue: true,
      targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/t/1',
    }),
    AlbMultiValueHeadersSchema,
    [],
  ],
  // The schema requires two fields that only an authorizer's event has, and headers that only $connect contains.
  [
    'websocket',
    build.buildWebSocketEvent(),
    APIGatewayProxyWebsocketEventSchema,
    ['type', 'methodArn', 'multiValueHeaders', 'queryStringParameters', 'multiValueQueryStringParameters'],
  ],
  [
    'websocket, loaded',
    build.buildWebSocketEvent({
      routeKey: '$connect',
      connectionId: 'c-9',
      headers: { Host: 'h' },
      query: { token: 't' },
      sourceIp: '203.0.113.7',
      body: 'x',
      stage: 'live',
      requestId: 'r',
      domainName: 'ws.example.com',
      authorizer: { principalId: 'u' },
      connectedAt: new Date(1000),
      time: new Date(2000),
    }),
    APIGatewayProxyWebsocketEventSchema,
    ['type', 'methodArn'],
  ],
  // The schema has no null, which is what the callers of an API key are
  // (https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html).
  ['appsync', build.buildAppSyncEvent(), AppSyncResolverSchema, ['identity']],
  ['appsync, loaded', build.buildAppSyncEvent(LOADED_APPSYNC), AppSyncResolverSchema, []],
  ['appsync batch', build.buildAppSyncBatch([build.buildAppSyncEvent(LOADED_APPSYNC)]), AppSyncBatchResolverSchema, []],
  ['queue', build.buildQueueEvent(QUEUE, [{}]), SqsSchema, []],
  [
    'queue, loaded',
    build.buildQueueEvent(`${QUEUE}.fifo`, [
      {
        body: { a: 1 },
        messageId: 'm',
        groupId: 'g',
        receiveCount: 3,
        attributes: { AWSTraceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793' },
        messageAttributes: { kind: 'x', bytes: { dataType: 'Binary', binaryValue: 'AAE=' } },
        time: new Date(5000),
      },
      { body: 'text' },
    ]),
    SqsSchema,
    [],
  ],
  ['table stream', build.buildTableStreamEvent(TABLE, [{}]), DynamoDBStreamSchema, []],
  [
    'table stream, loaded',
    build.buildTableStreamEvent(TABLE, [
      {
        eventID: 'e',
        eventName: 'REMOVE',
        keys: { id: 'a', n: 1 },
        newImage: { big: 12n, list: [1, 'x', null, true], map: { a: Buffer.from('x') } },
        oldImage: { set: new Set(['a', 'b']), numbers: new Set([1, 2]) },
        sequenceNumber: '900',
        streamViewType: 'OLD_IMAGE',
        sizeBytes: 12,
        time: new Date(5000),
      },
    ]),
    DynamoDBStreamSchema,
    [],
  ],
  ['stream', build.buildKinesisEvent(STREAM, [{}]), KinesisDataStreamSchema, []],
  [
    'stream, loaded',
    build.buildKinesisEvent(STREAM, [
      { json: { a: 1 }, partitionKey: 'p', sequenceNumber: '9', eventID: 'e', time: new Date(5000) },
      { data: 'plain text', eventSourceARN: `${STREAM}/consumer/c:1` },
      build.kinesisCloudWatchLogsSubscriptionRecord(),
    ]),
    KinesisDataStreamSchema,
    [],
  ],
  ['topic', build.buildTopicEvent(TOPIC, [{}]), SnsSchema, []],
  [
    'topic, loaded',
    build.buildTopicEvent(TOPIC, [
      { message: { a: 1 }, messageId: 'm', subject: 's', messageAttributes: { kind: 'x' }, time: new Date(5000) },
    ]),
    SnsSchema,
    [],
  ],
  ['event bus', build.buildEventBusEvent(), EventBridgeSchema, []],
  [
    'event bus, loaded',
    build.buildEventBusEvent({
      source: 'billing',
      detailType: 'InvoicePaid',
      detail: { a: 1 },
      id: 'e',
      resources: ['arn:aws:s3:::b'],
      metadata: { correlation_id: 'c' },
      headers: { 'x-correlation-id': 'c' },
      time: new Date('2026-11-21T10:20:30.123Z'),
    }),
    EventBridgeSchema,
    [],
  ],
  ['rule', build.buildScheduledEvent({ rule: 'nightly' }), EventBridgeSchema, []],
  ['schedule', build.buildScheduledEvent({ schedule: 'nightly' }), EventBridgeSchema, []],
  [
    'log subscription',
    { awslogs: { data: Buffer.from(build.cloudWatchLogsSubscriptionData()).toString('base64') } },
    CloudWatchLogsSchema,
    [],
  ],
];

describe('the public schemas of AWS events', () => {
  it.each(CASES)('accept %s but for what AWS itself leaves out', (_name, event, schema, refused) => {
    const { error } = schema.safeParse(structuredClone(event));
    expect((error?.issues ?? []).map(({ path }) => path.join('.'))).toEqual(refused);
  });

  it('types of the community fit each builder', () => {
    const accepted: [
      APIGatewayProxyEventV2,
      LambdaFunctionURLEvent,
      APIGatewayProxyEvent,
      ALBEvent,
      APIGatewayProxyWebsocketEventV2,
      SQSEvent,
      DynamoDBStreamEvent,
      KinesisStreamEvent,
      SNSEvent,
      EventBridgeEvent<string, unknown>,
    ] = [
      build.buildAPIGatewayV2Request('GET', '/'),
      { ...build.buildLambdaFunctionURLRequest('GET', '/'), routeKey: '$default' },
      build.buildAPIGatewayProxyRequest('GET', '/'),
      build.buildLoadBalancerRequest('GET', '/'),
      build.buildWebSocketEvent(),
      build.buildQueueEvent(QUEUE, [{}]),
      build.buildTableStreamEvent(TABLE, [{}]) as DynamoDBStreamEvent,
      build.buildKinesisEvent(STREAM, [{}]),
      build.buildTopicEvent(TOPIC, [{}]),
      build.buildEventBusEvent(),
    ];
    const resolver = build.buildAppSyncEvent() as AppSyncResolverEvent<object>;
    expect([...accepted, resolver]).toHaveLength(11);
  });
});
