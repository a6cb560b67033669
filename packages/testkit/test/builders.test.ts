import { gunzipSync } from 'node:zlib';
import { explain } from '@sallyport/dispatch';
import * as build from '../src/events.js';

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const TABLE = 'arn:aws:dynamodb:eu-west-1:123456789012:table/notes/stream/2026-01-01T00:00:00.000';
const STREAM = 'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:news';

/** Each builder with defaults, twice over where a variant differs in shape. */
const BUILDERS: [name: string, make: () => unknown, kind: string, alsoFits: string[]][] = [
  ['gateway v2', () => build.buildAPIGatewayV2Request('GET', '/'), 'gateway-v2', []],
  ['function URL', () => build.buildLambdaFunctionURLRequest('GET', '/'), 'function-url', []],
  [
    'function URL as AWS sends it',
    () => build.buildLambdaFunctionURLRequest('GET', '/', { routeKey: '$default' }),
    'function-url',
    [],
  ],
  ['gateway v1', () => build.buildAPIGatewayProxyRequest('GET', '/'), 'gateway-v1', []],
  // AWS itself sends `httpMethod` at top level, which is the only condition of the last row.
  ['load balancer', () => build.buildLoadBalancerRequest('GET', '/'), 'load-balancer', ['gateway-v1']],
  [
    'load balancer, multi-value',
    () => build.buildLoadBalancerRequest('GET', '/', { multiValue: true }),
    'load-balancer',
    ['gateway-v1'],
  ],
  ['websocket', () => build.buildWebSocketEvent(), 'websocket', []],
  [
    'websocket $connect',
    () => build.buildWebSocketEvent({ routeKey: '$connect', headers: { host: 'h' } }),
    'websocket',
    [],
  ],
  ['appsync', () => build.buildAppSyncEvent(), 'appsync', []],
  ['appsync batch', () => build.buildAppSyncBatch([build.buildAppSyncEvent()]), 'appsync', []],
  ['queue', () => build.buildQueueEvent(QUEUE, [{}]), 'queue', []],
  ['table stream', () => build.buildTableStreamEvent(TABLE, [{}]), 'table-stream', []],
  ['stream', () => build.buildKinesisEvent(STREAM, [{}]), 'stream', []],
  [
    'log subscription',
    () => build.buildKinesisEvent(STREAM, [build.kinesisCloudWatchLogsSubscriptionRecord()]),
    'stream',
    [],
  ],
  ['topic', () => build.buildTopicEvent(TOPIC, [{}]), 'topic', []],
  ['event bus', () => build.buildEventBusEvent(), 'event-bus', []],
  ['rule', () => build.buildScheduledEvent(), 'event-bus', []],
  ['schedule', () => build.buildScheduledEvent({ schedule: 'nightly' }), 'event-bus', []],
];

describe('every builder', () => {
  it.each(BUILDERS)('%s is detected as its kind and fits no other row', (_name, make, kind, alsoFits) => {
    const { rows, ...explanation } = explain(make());
    expect(explanation.kind).toBe(kind);
    expect(rows.filter(({ outcome }) => outcome === 'shadowed').map((row) => row.kind)).toEqual(alsoFits);
  });

  it.each(BUILDERS)('%s returns the same plain JSON at each call', (_name, make) => {
    const first = make();
    expect(JSON.parse(JSON.stringify(first))).toEqual(first);
    expect(make()).toEqual(first);
    expect(make()).not.toBe(first);
  });
});

describe('a builder rejects', () => {
  const wrong = <T>(value: unknown) => value as T;
  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => build.buildAppSyncEvent(wrong({ field: 'x' })), 'unknown option "field"'],
    [
      'an HTTP option of another type',
      () => build.buildAPIGatewayV2Request('GET', '/', wrong({ headers: { a: 1 } })),
      'option "headers"',
    ],
    ['a method that is no text', () => build.buildAPIGatewayV2Request(wrong(7), '/'), 'option "method"'],
    ['a path that is no text', () => build.buildLoadBalancerRequest('GET', wrong(undefined)), 'option "path"'],
    [
      'an address for a load balancer, which states none',
      () => build.buildLoadBalancerRequest('GET', '/', wrong({ sourceIp: '203.0.113.7' })),
      'unknown option "sourceIp"',
    ],
    ['options that are a list', () => build.buildEventBusEvent(wrong([])), 'options'],
    ['an invalid date', () => build.buildEventBusEvent({ time: new Date('x') }), 'option "time"'],
    ['no records', () => build.buildQueueEvent(QUEUE, []), 'option "records"'],
    ['a record that is no object', () => build.buildTopicEvent(TOPIC, wrong(['hello'])), 'option "records[0]"'],
    [
      'a record with an unknown option',
      () => build.buildQueueEvent(QUEUE, [{}, wrong({ id: 'x' })]),
      'unknown option "records[1].id"',
    ],
    [
      'a receive count of 0',
      () => build.buildQueueEvent(QUEUE, [{ receiveCount: 0 }]),
      'option "records[0].receiveCount"',
    ],
    ['a blank ARN', () => build.buildKinesisEvent(' ', [{}]), 'option "arn"'],
    [
      'data given twice',
      () => build.buildKinesisEvent(STREAM, [{ data: 'a', json: {} }]),
      'data, json and kinesis.data',
    ],
    [
      'body and json together',
      () => build.buildAPIGatewayV2Request('POST', '/', { body: 'a', json: {} }),
      'options "json" and "body"',
    ],
    [
      'bytes that shall not be base64',
      () => build.buildAPIGatewayV2Request('POST', '/', { body: Uint8Array.of(1), isBase64: false }),
      'option "isBase64"',
    ],
    [
      'a value that no table holds',
      () => build.buildTableStreamEvent(TABLE, [{ keys: { at: new Date(0) } }]),
      'option "item"',
    ],
    [
      'another event name',
      () => build.buildTableStreamEvent(TABLE, [wrong({ eventName: 'UPDATE' })]),
      'option "records[0].eventName"',
    ],
    [
      'a rule and a schedule',
      () => build.buildScheduledEvent({ rule: 'a', schedule: 'b' }),
      'options "rule" and "schedule"',
    ],
    ['a batch of something else', () => build.buildAppSyncBatch(wrong([{}])), 'option "events"'],
    [
      'a log event without an id',
      () => build.cloudWatchLogsSubscriptionData({ logEvents: wrong([{ timestamp: 1, message: 'm' }]) }),
      'option "logEvents[0].id"',
    ],
    ...[Number.NaN, Number.POSITIVE_INFINITY].map((value): [string, () => unknown, string] => [
      `an attribute that is ${value}`,
      () => build.buildTableStreamEvent(TABLE, [{ newImage: { n: value } }]),
      'option "item"',
    ]),
  ])('%s', (_name, make, name) => {
    expect(make).toThrow(expect.failure('app.invalid_configuration', name));
  });
});

describe('HTTP builders', () => {
  it('distinguish a function URL from gateway v2 by domain or by route key', () => {
    const v2 = build.buildAPIGatewayV2Request('GET', '/');
    const url = build.buildLambdaFunctionURLRequest('GET', '/');
    const asSent = build.buildLambdaFunctionURLRequest('GET', '/', { routeKey: '$default' });
    expect([v2.routeKey, v2.requestContext.domainName]).toEqual([
      '$default',
      'api1.execute-api.us-east-1.amazonaws.com',
    ]);
    expect(Object.hasOwn(url, 'routeKey')).toBe(false);
    expect([asSent.routeKey, asSent.requestContext.domainName]).toEqual([
      '$default',
      'url1.lambda-url.us-east-1.on.aws',
    ]);
  });

  it('create a load balancer event with exactly one header map and one query map', () => {
    const options = { headers: { 'X-A': ['1', '2'] }, query: { q: ['a b', 'é'] } };
    const single = build.buildLoadBalancerRequest('GET', '/a%20b', options);
    const multi = build.buildLoadBalancerRequest('GET', '/a%20b', { ...options, multiValue: true });
    expect(single).toMatchObject({ path: '/a%20b', headers: { 'x-a': '2' }, queryStringParameters: { q: '%C3%A9' } });
    expect(multi).toMatchObject({
      multiValueHeaders: { 'x-a': ['1', '2'] },
      multiValueQueryStringParameters: { q: ['a%20b', '%C3%A9'] },
    });
    const maps = (event: object) => Object.keys(event).filter((key) => /headers|parameters/i.test(key));
    expect(maps(single)).toEqual(['headers', 'queryStringParameters']);
    expect(maps(multi)).toEqual(['multiValueHeaders', 'multiValueQueryStringParameters']);
  });

  it('join repeated headers and put cookies apart in payload 2.0', () => {
    const event = build.buildAPIGatewayV2Request('GET', '/n?a=1&a=%20', {
      headers: { 'X-A': ['1', '2'] },
      cookies: ['a=1', 'b=2'],
      query: { b: 'x&y' },
    });
    expect(event).toMatchObject({
      rawPath: '/n',
      rawQueryString: 'a=1&a=%20&b=x%26y',
      queryStringParameters: { a: '1, ', b: 'x&y' },
      headers: { 'x-a': '1,2' },
      cookies: ['a=1', 'b=2'],
    });
  });

  it('decode the path and prefix the stage as an HTTP API does, and leave both to the other doors', () => {
    expect(build.buildAPIGatewayV2Request('GET', '/a%20b/%252e', { stage: 'dev' }).rawPath).toBe('/dev/a b/%2e');
    expect(build.buildAPIGatewayV2Request('GET', '/100%').rawPath).toBe('/100%');
    expect(build.buildLambdaFunctionURLRequest('GET', '/a%20b').rawPath).toBe('/a%20b');
    expect(build.buildAPIGatewayProxyRequest('GET', '/a%20b', { stage: 'dev' })).toMatchObject({
      path: '/a%20b',
      resource: '/a%20b',
      requestContext: { path: '/dev/a%20b', stage: 'dev' },
    });
  });

  it('carry both maps of headers and query in payload 1.0', () => {
    const event = build.buildAPIGatewayProxyRequest('GET', '/n?a=1&a=2', {
      headers: { 'X-A': ['1', '2'] },
      cookies: ['a=1', 'b=2'],
    });
    expect(event).toMatchObject({
      headers: { 'X-A': '2', cookie: 'a=1; b=2' },
      multiValueHeaders: { 'X-A': ['1', '2'], cookie: ['a=1; b=2'] },
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
    });
  });

  it.each([
    ['bytes become base64', { body: Uint8Array.of(0, 255) }, 'AP8=', true],
    ['base64 text stays', { body: 'AP8=', isBase64: true }, 'AP8=', true],
    ['text stays', { body: 'AP8=' }, 'AP8=', false],
    ['json is encoded', { json: { a: [1] } }, '{"a":[1]}', false],
    ['json null is a body', { json: null }, 'null', false],
  ])('body: %s', (_name, options, body, isBase64Encoded) => {
    expect(build.buildAPIGatewayV2Request('POST', '/', options)).toMatchObject({ body, isBase64Encoded });
  });

  it('set a content type for json only if absent, in any case', () => {
    const headers = (given: Record<string, string>) =>
      build.buildAPIGatewayV2Request('POST', '/', { json: 1, headers: given }).headers;
    expect(headers({})).toEqual({ 'content-type': 'application/json' });
    expect(headers({ 'Content-Type': 'application/merge-patch+json' })).toEqual({
      'content-type': 'application/merge-patch+json',
    });
  });

  it('name a source address, another where it is given', () => {
    const addresses = (options: { sourceIp?: string }) => [
      build.buildAPIGatewayV2Request('GET', '/', options).requestContext.http.sourceIp,
      build.buildLambdaFunctionURLRequest('GET', '/', options).requestContext.http.sourceIp,
      build.buildAPIGatewayProxyRequest('GET', '/', options).requestContext.identity.sourceIp,
      build.buildWebSocketEvent(options).requestContext.identity.sourceIp,
    ];
    expect(addresses({})).toEqual(['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.1']);
    expect(addresses({ sourceIp: '2001:DB8::1' })).toEqual([
      '2001:DB8::1',
      '2001:DB8::1',
      '2001:DB8::1',
      '2001:DB8::1',
    ]);
  });

  it('put cookies where each door has them, those of headers first', () => {
    const options = { headers: { Cookie: ['a=1; b=2', 'c=3'], 'X-A': ['1', '2'] }, cookies: ['d=4'] };
    const all = 'a=1; b=2; c=3; d=4';
    const list = ['a=1', 'b=2', 'c=3', 'd=4'];
    const v2 = build.buildAPIGatewayV2Request('GET', '/', options);
    expect([v2.headers, v2.cookies]).toEqual([{ 'x-a': '1,2' }, list]);
    const url = build.buildLambdaFunctionURLRequest('GET', '/', options);
    expect([url.headers, url.cookies]).toEqual([{ 'x-a': '1,2', cookie: all }, list]);
    const v1 = build.buildAPIGatewayProxyRequest('GET', '/', options);
    expect(v1.headers).toEqual({ 'X-A': '2', Cookie: all });
    expect(v1.multiValueHeaders).toEqual({ 'X-A': ['1', '2'], Cookie: [all] });
    expect(build.buildLoadBalancerRequest('GET', '/', options).headers).toEqual({ 'x-a': '2', cookie: all });
    expect(build.buildLoadBalancerRequest('GET', '/', { ...options, multiValue: true }).multiValueHeaders).toEqual({
      'x-a': ['1', '2'],
      cookie: [all],
    });
  });

  it('leave out the cookie list where there are no cookies', () => {
    expect(Object.hasOwn(build.buildAPIGatewayV2Request('GET', '/', { headers: { cookie: ' ; ' } }), 'cookies')).toBe(
      false,
    );
  });

  it('decode the inner path of a function URL and not the raw one', () => {
    const { rawPath, requestContext } = build.buildLambdaFunctionURLRequest('GET', '/caf%C3%A9%20%252e?x=%20');
    expect([rawPath, requestContext.http.path]).toEqual(['/caf%C3%A9%20%252e', '/café %2e']);
    expect(build.buildLambdaFunctionURLRequest('GET', '/100%').requestContext.http.path).toBe('/100%');
    expect(build.buildAPIGatewayV2Request('GET', '/a%20b', { stage: 'dev' }).requestContext.http.path).toBe('/dev/a b');
  });

  it('keep a header named __proto__ as data', () => {
    const headers = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const event = build.buildLoadBalancerRequest('GET', '/', { headers });
    expect(Object.entries(event.headers ?? {})).toEqual([['__proto__', 'x']]);
  });
});

describe('socket and GraphQL builders', () => {
  it.each([
    [{ routeKey: '$disconnect' }, { disconnectStatusCode: 1001, disconnectReason: '' }],
    [
      { routeKey: '$disconnect', disconnectStatusCode: 1000, disconnectReason: 'bye' },
      { disconnectStatusCode: 1000, disconnectReason: 'bye' },
    ],
    [{ routeKey: '$connect' }, {}],
    [{}, {}],
  ])('describe the end of the socket %j: %j', (options, expected) => {
    const { requestContext } = build.buildWebSocketEvent(options);
    const told = Object.entries(requestContext).filter(([name]) => name.startsWith('disconnect'));
    expect(Object.fromEntries(told)).toEqual(expected);
  });

  it('create a resolver event without a caller by default', () => {
    expect(build.buildAppSyncEvent().identity).toBeNull();
    expect(build.buildAppSyncEvent({ identity: { sub: 'u' } }).identity).toEqual({ sub: 'u' });
  });
});

describe('record builders', () => {
  it('number ids and sequence numbers from 1', () => {
    expect(build.buildQueueEvent(QUEUE, [{}, {}]).Records.map(({ messageId }) => messageId)).toEqual([
      'msg-1',
      'msg-2',
    ]);
    const table = build.buildTableStreamEvent(TABLE, [{}, {}]).Records;
    expect(table.map(({ eventID, dynamodb }) => [eventID, dynamodb.SequenceNumber])).toEqual([
      ['evt-1', '1'],
      ['evt-2', '2'],
    ]);
    const stream = build.buildKinesisEvent(STREAM, [{}, { sequenceNumber: '40' }]).Records;
    expect(stream.map(({ eventID, kinesis }) => [eventID, kinesis.sequenceNumber, kinesis.partitionKey])).toEqual([
      ['shardId-000000000000:1', '1', 'pk-1'],
      ['shardId-000000000000:40', '40', 'pk-2'],
    ]);
    expect(build.buildTopicEvent(TOPIC, [{}]).Records[0]?.Sns.MessageId).toBe('sns-1');
  });

  it('do not mistake text given as data for base64', () => {
    const records = build.buildKinesisEvent(STREAM, [
      { data: 'AAEC' },
      { kinesis: { data: 'AAEC' } },
      { data: Uint8Array.of(0, 1, 2) },
    ]).Records;
    expect(records.map(({ kinesis }) => kinesis.data)).toEqual(['QUFFQw==', 'AAEC', 'AAEC']);
  });

  it('add FIFO attributes for a queue with a FIFO name', () => {
    const [fifo] = build.buildQueueEvent(`${QUEUE}.fifo`, [{ groupId: 'g' }]).Records;
    const [standard] = build.buildQueueEvent(QUEUE, [{ groupId: 'g' }]).Records;
    expect(fifo?.attributes).toMatchObject({ MessageGroupId: 'g', SequenceNumber: '00000000000000000001' });
    expect(Object.keys(standard?.attributes ?? {})).toEqual([
      'ApproximateReceiveCount',
      'SentTimestamp',
      'SenderId',
      'ApproximateFirstReceiveTimestamp',
      'MessageGroupId',
    ]);
  });

  it('derive region and md5 from their input', () => {
    const [record] = build.buildQueueEvent(QUEUE, [{ body: 'hello' }]).Records;
    expect([record?.awsRegion, record?.md5OfBody]).toEqual(['eu-west-1', '5d41402abc4b2a76b9719d911017c592']);
  });

  it('marshal plain values into attribute values', () => {
    const [record] = build.buildTableStreamEvent(TABLE, [
      { newImage: { s: 'x', n: 1.5, b: Uint8Array.of(1), t: true, z: null, l: [1], m: { a: 'b' }, gone: undefined } },
    ]).Records;
    expect(record?.dynamodb.NewImage).toEqual({
      s: { S: 'x' },
      n: { N: '1.5' },
      b: { B: 'AQ==' },
      t: { BOOL: true },
      z: { NULL: true },
      l: { L: [{ N: '1' }] },
      m: { M: { a: { S: 'b' } } },
    });
  });

  it('gzip a log subscription document with the defaults of one filter and one event', () => {
    expect(JSON.parse(gunzipSync(build.cloudWatchLogsSubscriptionData()).toString())).toEqual({
      messageType: 'DATA_MESSAGE',
      owner: '123456789012',
      logGroup: '/aws/lambda/test',
      logStream: 'stream-1',
      subscriptionFilters: ['filter-1'],
      logEvents: [{ id: 'log-1', timestamp: 0, message: 'test message' }],
    });
  });

  it('name the rule or schedule that fired', () => {
    expect(build.buildScheduledEvent({ rule: 'nightly' })).toMatchObject({
      source: 'aws.events',
      'detail-type': 'Scheduled Event',
      resources: ['arn:aws:events:us-east-1:123456789012:rule/nightly'],
      detail: {},
    });
    expect(build.buildScheduledEvent({ schedule: 'nightly' })).toMatchObject({
      source: 'aws.scheduler',
      resources: ['arn:aws:scheduler:us-east-1:123456789012:schedule/default/nightly'],
      detail: '{}',
    });
  });

  it('copy what they are given', () => {
    const args = { nested: { a: 1 } };
    const event = build.buildAppSyncEvent({ arguments: args });
    args.nested.a = 2;
    expect(event.arguments).toEqual({ nested: { a: 1 } });
  });
});

it('a record of a table stream has the change of the stream', () => {
  const change = {
    Keys: { id: { N: '1.10' } },
    NewImage: { tags: { SS: ['a'] } },
    SequenceNumber: '000000000000000000009',
  };
  const { Records } = build.buildTableStreamEvent(TABLE, [
    { eventName: 'INSERT', dynamodb: change, time: new Date(1000) },
  ]);
  expect(Records[0]?.dynamodb).toEqual({
    ApproximateCreationDateTime: 1,
    Keys: { id: { N: '1.10' } },
    NewImage: { tags: { SS: ['a'] } },
    SequenceNumber: '000000000000000000009',
    SizeBytes: 0,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
});
