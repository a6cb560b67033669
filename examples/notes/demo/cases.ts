/** One event file, its row of the detection table, and the expected response. */
export interface Case {
  readonly file: string;
  readonly kind: string;
  readonly adapter: string;
  /** The expected members of the response, at any depth. */
  readonly expect: unknown;
}

const failed = (...ids: string[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });
const NOTE = '{"id":"note-1","title":"Milk","text":"one litre","authorId":"ada"}';
const KINESIS_ID = 'shardId-000000000006:4959033827149025660855969253836157109543116142501396480';

/** In the order in which they are sent: later responses build on earlier ones. */
export const cases: readonly Case[] = [
  { file: 'gateway-v2-get', kind: 'gateway-v2', adapter: 'serveGatewayV2', expect: { statusCode: 200, body: NOTE } },
  {
    file: 'gateway-v2-post',
    kind: 'gateway-v2',
    adapter: 'serveGatewayV2',
    expect: { statusCode: 201, headers: { location: '/notes/note-2' } },
  },
  {
    file: 'gateway-v2-binary',
    kind: 'gateway-v2',
    adapter: 'serveGatewayV2',
    expect: { statusCode: 201, body: '{"bytes":12}' },
  },
  {
    file: 'function-url-get',
    kind: 'function-url',
    adapter: 'serveLambdaFunctionURL',
    expect: { statusCode: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  },
  {
    file: 'function-url-anonymous',
    kind: 'function-url',
    adapter: 'serveLambdaFunctionURL',
    expect: { statusCode: 401 },
  },
  { file: 'function-url-404', kind: 'function-url', adapter: 'serveLambdaFunctionURL', expect: { statusCode: 404 } },
  {
    file: 'gateway-v1-get',
    kind: 'gateway-v1',
    adapter: 'serveGatewayProxy',
    expect: { statusCode: 200, body: `{"notes":[${NOTE}]}` },
  },
  { file: 'gateway-v1-bad-json', kind: 'gateway-v1', adapter: 'serveGatewayProxy', expect: { statusCode: 400 } },
  {
    file: 'load-balancer-single',
    kind: 'load-balancer',
    adapter: 'serveLoadBalancer',
    expect: { statusCode: 200, statusDescription: '200 OK', body: NOTE },
  },
  {
    file: 'load-balancer-multi',
    kind: 'load-balancer',
    adapter: 'serveLoadBalancer',
    expect: {
      statusCode: 200,
      multiValueHeaders: {
        'set-cookie': [
          'greeted=yes; Max-Age=86400; Path=/; Secure; HttpOnly; SameSite=Lax',
          'theme=dark; Path=/; Secure; SameSite=Lax',
        ],
      },
    },
  },
  {
    file: 'gateway-v2-mcp',
    kind: 'gateway-v2',
    adapter: 'serveGatewayV2',
    expect: { statusCode: 200, headers: { 'content-type': 'application/json' } },
  },
  { file: 'websocket-connect', kind: 'websocket', adapter: 'serveWebSocket', expect: { statusCode: 204 } },
  {
    file: 'websocket-message',
    kind: 'websocket',
    adapter: 'serveWebSocket',
    expect: {
      statusCode: 200,
      body: '{"watching":"note-1","by":"ada"}',
    },
  },
  { file: 'websocket-default', kind: 'websocket', adapter: 'serveWebSocket', expect: { statusCode: 400 } },
  { file: 'websocket-disconnect', kind: 'websocket', adapter: 'serveWebSocket', expect: { statusCode: 204 } },
  { file: 'appsync-query', kind: 'appsync', adapter: 'serveAppSync', expect: { id: 'note-1', title: 'Milk' } },
  { file: 'appsync-mutation', kind: 'appsync', adapter: 'serveAppSync', expect: { id: 'note-3', title: 'Bread' } },
  { file: 'appsync-batch', kind: 'appsync', adapter: 'serveAppSync', expect: ['Ada Lovelace', 'Alan Turing', null] },
  {
    file: 'queue-standard',
    kind: 'queue',
    adapter: 'serveQueueEvent',
    expect: failed('2e1424d4-f796-459a-8184-9c92662be6da'),
  },
  {
    file: 'queue-fifo',
    kind: 'queue',
    adapter: 'serveQueueEvent',
    expect: failed('a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002'),
  },
  { file: 'queue-orders', kind: 'queue', adapter: 'serveQueueEvent', expect: failed() },
  { file: 'table-stream', kind: 'table-stream', adapter: 'serveTableStream', expect: failed() },
  { file: 'stream', kind: 'stream', adapter: 'serveStreamEvent', expect: failed(`${KINESIS_ID}1`) },
  {
    file: 'stream-unregistered',
    kind: 'stream',
    adapter: 'serveStreamEvent',
    expect: failed(`${KINESIS_ID}0`, `${KINESIS_ID}1`),
  },
  { file: 'topic', kind: 'topic', adapter: 'serveTopicEvent', expect: [{ read: true }] },
  { file: 'event-bus', kind: 'event-bus', adapter: 'serveEventBus', expect: { paid: 'inv-7' } },
  {
    file: 'event-bus-scheduled',
    kind: 'event-bus',
    adapter: 'serveEventBus',
    expect: { kind: 'scheduled', result: { processed: 3, failed: 0, status: 'ok' } },
  },
];
