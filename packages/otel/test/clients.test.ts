import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { Context } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createLocalClient } from '@sallyport/dynamodb-local';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { traceClient } from '../src/aws.js';
import { tracedFetch, traceHeaders, tracing, withTrace } from '../src/index.js';
import { collectSpans } from '../src/testing.js';

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const received: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  received.push({ url: request.url ?? '', headers: request.headers });
  if (request.url === '/reset') request.socket.destroy();
  else response.writeHead(request.url === '/missing' ? 404 : 200).end('{}');
});
let origin: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => received.splice(0));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Runs work in a handler, and returns the spans. */
async function inHandler(work: (ctx: Context) => Promise<unknown>, options = {}, headers = {}) {
  const spans = collectSpans();
  const app = createApp({ log: false, observability: { span: tracing({ exporter: spans, ratio: 1, ...options }) } });
  app.get('/', async (ctx) => {
    await work(ctx);
    return json(200, {});
  });
  const answer = await app.handleLambda(buildAPIGatewayV2Request('GET', '/', { headers }), {});
  expect(answer).toMatchObject({ statusCode: 200 });
  return spans.spans;
}

describe('tracedFetch', () => {
  it('has a client span, and its id in the headers', async () => {
    const spans = await inHandler((ctx) =>
      tracedFetch(ctx, `${origin}/prices?key=secret`, { headers: { accept: 'text/plain' } }),
    );
    const [call, root] = spans;
    expect(call).toMatchObject({
      name: 'GET',
      kind: 3,
      parentSpanId: root?.spanId,
      attributes: { 'http.request.method': 'GET', 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
    });
    expect(JSON.stringify(spans)).not.toContain('secret');
    expect(received[0]?.headers).toMatchObject({
      accept: 'text/plain',
      traceparent: `00-${call?.traceId}-${call?.spanId}-01`,
      'x-amzn-trace-id': `Root=1-${call?.traceId.slice(0, 8)}-${call?.traceId.slice(8)};Parent=${call?.spanId};Sampled=1`,
    });
  });

  it.each([
    ['an answer with an error', '/missing', '404'],
    ['a connection that is reset', '/reset', 'TypeError'],
  ])('fails for %s', async (_title, path, type) => {
    const [call] = await inHandler((ctx) => tracedFetch(ctx, origin + path).catch(() => {}));
    expect(call).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': type } });
  });

  it('passes on the first trace of a stranger, and the baggage of a trusted caller', async () => {
    const call = (ctx: Context) => tracedFetch(ctx, origin);
    const headers = { traceparent: SENDER, tracestate: 'vendor=1', baggage: 'user=ada' };
    await inHandler(call, {}, headers);
    await inHandler(call, { trustParent: () => true }, headers);
    const [stranger, trusted] = received.map((request) => request.headers);
    expect(stranger?.traceparent).not.toContain('0af7651916cd43dd8448eb211c80319c');
    expect(stranger).toMatchObject({ tracestate: 'sallyport=0af7651916cd43dd8448eb211c80319c' });
    expect(stranger?.baggage).toBeUndefined();
    expect(trusted?.traceparent).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(trusted).toMatchObject({ tracestate: 'vendor=1', baggage: 'user=ada' });
  });

  it('ends with the signal of the invocation, and calls fetch alone without a tracer', async () => {
    const signal = AbortSignal.abort(new Error('over'));
    await expect(tracedFetch({ signal }, origin)).rejects.toThrow('over');
    expect(traceHeaders()).toEqual({});
  });
});

describe('traceClient', () => {
  it('has a span for each call of DynamoDB, with table and request id, and the id of the span in the header', async () => {
    const client = traceClient(await createLocalClient());
    const headers: IncomingHttpHeaders[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        headers.push((args.request as { headers: IncomingHttpHeaders }).headers);
        return next(args);
      },
      { step: 'finalizeRequest' },
    );
    const [list, get] = await inHandler(async () => {
      await client.send(new ListTablesCommand({}));
      await client.send(new GetItemCommand({ TableName: 'missing', Key: { pk: { S: 'secret' } } })).catch(() => {});
    });
    expect(list).toMatchObject({
      name: 'DynamoDB.ListTables',
      kind: 3,
      status: { code: 0 },
      attributes: {
        'rpc.system.name': 'aws-api',
        'rpc.method': 'DynamoDB/ListTables',
        'http.response.status_code': 200,
        'aws.request_id': expect.any(String),
      },
    });
    expect(get).toMatchObject({
      name: 'DynamoDB.GetItem',
      status: { code: 2, message: 'ResourceNotFoundException' },
      attributes: { 'aws.dynamodb.table_names': ['missing'], 'http.response.status_code': 400 },
    });
    expect(headers[0]).toMatchObject({ 'x-amzn-trace-id': expect.stringContaining(`Parent=${list?.spanId}`) });
    client.destroy();
  });

  it('is added once, and has no span outside an invocation', async () => {
    const client = new DynamoDBClient({ region: 'eu-west-1' });
    expect(traceClient(traceClient(client))).toBe(client);
    expect(client.middlewareStack.identify().filter((name) => name.startsWith('sallyport'))).toHaveLength(2);
    client.destroy();
  });
});

describe('withTrace', () => {
  const URL = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders';
  const text = (value: string) => ({ DataType: 'String', StringValue: value });
  const full = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, text('1')]));
  const CASES: readonly (readonly [string, object, (traceparent: string, xray: string) => object])[] = [
    [
      'a message of SQS',
      { QueueUrl: URL, MessageBody: '{}' },
      (traceparent, xray) => ({
        QueueUrl: URL,
        MessageBody: '{}',
        MessageAttributes: { traceparent: text(traceparent) },
        MessageSystemAttributes: { AWSTraceHeader: text(xray) },
      }),
    ],
    [
      'a batch of SQS',
      { QueueUrl: URL, Entries: [{ Id: '1', MessageBody: '{}' }] },
      (traceparent, xray) => ({
        QueueUrl: URL,
        Entries: [
          {
            Id: '1',
            MessageBody: '{}',
            MessageAttributes: { traceparent: text(traceparent) },
            MessageSystemAttributes: { AWSTraceHeader: text(xray) },
          },
        ],
      }),
    ],
    [
      'a message of SNS',
      { TopicArn: 't', Message: 'm' },
      (traceparent) => ({ TopicArn: 't', Message: 'm', MessageAttributes: { traceparent: text(traceparent) } }),
    ],
    [
      'a batch of SNS',
      { TopicArn: 't', PublishBatchRequestEntries: [{ Id: '1', Message: 'm' }] },
      (traceparent) => ({
        TopicArn: 't',
        PublishBatchRequestEntries: [{ Id: '1', Message: 'm', MessageAttributes: { traceparent: text(traceparent) } }],
      }),
    ],
    [
      'an event of EventBridge',
      { Entries: [{ Source: 's', Detail: '{"a":1}' }] },
      (traceparent, xray) => ({
        Entries: [{ TraceHeader: xray, Source: 's', Detail: JSON.stringify({ traceparent, a: 1 }) }],
      }),
    ],
    [
      'a detail that is not an object',
      { Entries: [{ Source: 's', Detail: '[1]' }] },
      (_, xray) => ({ Entries: [{ TraceHeader: xray, Source: 's', Detail: '[1]' }] }),
    ],
    [
      'a message with ten attributes',
      { MessageBody: '{}', MessageAttributes: full },
      (_, xray) => ({
        MessageBody: '{}',
        MessageAttributes: full,
        MessageSystemAttributes: { AWSTraceHeader: text(xray) },
      }),
    ],
    [
      'a message with a trace of its own',
      { Message: 'm', MessageAttributes: { traceparent: text('own') } },
      () => ({ Message: 'm', MessageAttributes: { traceparent: text('own') } }),
    ],
    ['another input', { Bucket: 'b' }, () => ({ Bucket: 'b' })],
  ];

  it.each(CASES)('adds the trace to %s', async (_title, input, expected) => {
    let carried: object = {};
    let headers: Record<string, string> = {};
    await inHandler(async () => {
      carried = withTrace(input);
      headers = traceHeaders();
    });
    expect(carried).toEqual(expected(headers.traceparent ?? '', headers['x-amzn-trace-id'] ?? ''));
    expect(withTrace(input)).toBe(input);
  });
});
