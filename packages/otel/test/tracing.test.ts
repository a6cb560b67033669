import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { currentSpan, type TracingOptions, tracing } from '../src/index.js';
import { collectSpans, spanMatchers } from '../src/testing.js';

declare global {
  namespace jest {
    interface Matchers<R> {
      toHaveSpan(name: string, attributes?: object): R;
    }
  }
}
expect.extend(spanMatchers);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const ROOT = '1-5759e988-bd862e3fe1be46a994272793';
const XRAY = '5759e988bd862e3fe1be46a994272793';

const get = (path: string, headers: Record<string, string> = {}) =>
  buildAPIGatewayV2Request('GET', path, { headers: { host: 'api.example', ...headers }, query: { token: 'secret' } });

const messages = (...records: Parameters<typeof buildQueueEvent>[1]) =>
  buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', records);

const lines: Record<string, unknown>[] = [];
const log = {
  ...{ debug() {}, info() {}, warn() {}, isEnabled: () => true },
  error() {},
  with: () => log,
};

function appOf(options: TracingOptions = {}) {
  const spans = collectSpans();
  const app = createApp({
    observability: { span: tracing({ exporter: spans, ratio: 1, ...options }), log: (line) => lines.push(line) },
    log,
  });
  return { app, spans };
}

beforeEach(() => lines.splice(0));

describe('a request', () => {
  it('has a server span with the names of the conventions, and without query, path values and address', async () => {
    const { app, spans } = appOf();
    app.get('/notes/{id}', () => json(200, {}));
    await app.handleLambda(get('/notes/4711'), {
      awsRequestId: 'r-1',
      invokedFunctionArn: 'arn:aws:lambda:eu-west-1:1:function:f',
    });
    expect(spans.spans).toHaveLength(1);
    expect(spans.spans[0]).toMatchObject({
      name: 'GET /notes/{id}',
      kind: 2,
      status: { code: 0 },
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/notes/{id}',
        'http.response.status_code': 200,
        'url.scheme': 'https',
        'server.address': 'api.example',
        'faas.trigger': 'http',
        'faas.coldstart': true,
        'sallyport.invocation.id': 'r-1',
        'cloud.resource_id': 'arn:aws:lambda:eu-west-1:1:function:f',
      },
      events: [{ name: 'init' }],
    });
    expect(JSON.stringify(spans.spans)).not.toMatch(/4711|secret|192\.0\.2\.1/);
  });

  it('has children of ctx.span, nested as they ran, with attributes and failures', async () => {
    const { app, spans } = appOf();
    app.get('/', async (ctx) => {
      await ctx.span('outer', async (span) => {
        await Promise.all([ctx.span('left', () => Promise.resolve()), ctx.span('right', () => 1)]);
        span.set({ 'order.lines': 3 });
      });
      await ctx.span('failing', () => Promise.reject(new Error('secret text'))).catch(() => {});
      expect(() =>
        ctx.span('throwing', () => {
          throw new TypeError('secret text');
        }),
      ).toThrow(TypeError);
      return json(200, {});
    });
    await app.handleLambda(get('/'), {});
    expect(spans.tree()).toEqual([
      {
        name: 'GET /',
        children: [
          {
            name: 'outer',
            children: [
              { name: 'left', children: [] },
              { name: 'right', children: [] },
            ],
          },
          { name: 'failing', children: [] },
          { name: 'throwing', children: [] },
        ],
      },
    ]);
    expect(spans).toHaveSpan('outer', { 'order.lines': 3 });
    expect(spans).toHaveSpan('failing', { 'error.type': 'app.internal' });
    expect(JSON.stringify(spans.spans)).not.toContain('secret');
  });

  it('fails with the code of an answer above 499, and not for an error of the client', async () => {
    const { app, spans } = appOf();
    app.get('/broken', () => {
      throw new Error('secret text');
    });
    await app.handleLambda(get('/broken'), {});
    await app.handleLambda(get('/missing'), {});
    expect(spans.spans.map(({ name, status }) => [name, status])).toEqual([
      ['GET /broken', { code: 2, message: 'app.internal' }],
      ['GET', { code: 0 }],
    ]);
  });

  it('passes the result of ctx.span on without a tracer', async () => {
    const app = createApp({ log });
    app.get('/', async (ctx) => {
      const sum = await ctx.span('add', async (span) => {
        span.set({ a: 1 });
        return 3;
      });
      return json(200, { sum });
    });
    expect(await app.handleLambda(get('/'), {})).toMatchObject({ body: '{"sum":3}' });
    expect(currentSpan()).toBeUndefined();
  });
});

interface Parents {
  readonly traceparent?: string;
  readonly xRayTraceId?: string;
  readonly joinsPlatform?: boolean;
  readonly trusted?: boolean;
}

const REMOTE = `00-${TRACE}-${PARENT}-01`;
const PLATFORM = `Root=${ROOT};Parent=53995c3f42cd8ad8;Sampled=1`;

it.each<
  readonly [
    string,
    Parents,
    { trace: string | undefined; parent: string | undefined; links: string[]; remote: string | undefined },
  ]
>([
  ['a stranger', { traceparent: REMOTE }, { trace: undefined, parent: undefined, links: [TRACE], remote: TRACE }],
  [
    'a trusted caller',
    { traceparent: REMOTE, trusted: true },
    { trace: TRACE, parent: PARENT, links: [], remote: undefined },
  ],
  [
    'the platform',
    { xRayTraceId: PLATFORM },
    { trace: XRAY, parent: '53995c3f42cd8ad8', links: [], remote: undefined },
  ],
  [
    'the platform and a stranger',
    { traceparent: REMOTE, xRayTraceId: PLATFORM },
    { trace: XRAY, parent: '53995c3f42cd8ad8', links: [TRACE], remote: TRACE },
  ],
  [
    'the platform and a trusted caller',
    { traceparent: REMOTE, xRayTraceId: PLATFORM, trusted: true },
    { trace: TRACE, parent: PARENT, links: [], remote: undefined },
  ],
  [
    'the platform and a trusted caller, for X-Ray',
    { traceparent: REMOTE, xRayTraceId: PLATFORM, trusted: true, joinsPlatform: true },
    { trace: XRAY, parent: '53995c3f42cd8ad8', links: [TRACE], remote: TRACE },
  ],
  [
    'the platform without active tracing',
    { xRayTraceId: `Root=${ROOT};Parent=53995c3f42cd8ad8;Sampled=0` },
    { trace: XRAY, parent: undefined, links: [], remote: undefined },
  ],
])('the parent of a request of %s', async (_title, given, expected) => {
  const spans = collectSpans({ joinsPlatform: given.joinsPlatform ?? false });
  const span = tracing({ exporter: spans, ratio: 1, trustParent: () => given.trusted === true });
  const app = createApp({ observability: { span, log: (line) => lines.push(line) }, log });
  app.get('/', () => json(200, {}));
  await app.handleLambda(
    get('/', given.traceparent ? { traceparent: given.traceparent } : {}),
    given.xRayTraceId ? { xRayTraceId: given.xRayTraceId } : {},
  );
  const [root] = spans.spans;
  expect(root?.traceId).toBe(expected.trace ?? root?.traceId);
  expect(root?.parentSpanId).toBe(expected.parent);
  expect(root?.links.map(({ traceId }) => traceId)).toEqual(expected.links);
  expect(lines[0]).toMatchObject({ event: 'request.completed', trace_id: root?.traceId });
  expect(lines[0]?.remote_trace_id).toBe(expected.remote);
});

describe('a batch', () => {
  it('is the parent of its records, and a producer is a link, for one message as for two', async () => {
    for (const count of [1, 2]) {
      const { app, spans } = appOf();
      app.queue('orders', async (ctx) => ctx.span('work', () => {}));
      const record = { body: '{}', messageAttributes: { traceparent: { stringValue: REMOTE, dataType: 'String' } } };
      await app.handleLambda(messages(...Array.from({ length: count }, () => record)), {});
      expect(spans.tree()).toEqual([
        {
          name: 'orders process',
          children: Array.from({ length: count }, () => ({
            name: 'orders process',
            children: [{ name: 'work', children: [] }],
          })),
        },
      ]);
      const [batch, ...records] = spans.spans.filter(({ name }) => name !== 'work').reverse();
      expect(batch).toMatchObject({
        kind: 5,
        links: [],
        attributes: { 'messaging.batch.message_count': count, 'messaging.system': 'aws_sqs' },
      });
      expect(records.map(({ links }) => links)).toEqual(
        Array.from({ length: count }, () => [expect.objectContaining({ traceId: TRACE, spanId: PARENT })]),
      );
      expect(lines.filter(({ event }) => event === 'event.completed').at(-1)).toMatchObject({
        trace_id: batch?.traceId,
        remote_trace_id: TRACE,
      });
    }
  });

  it('marks a reported record as failed', async () => {
    const { app, spans } = appOf();
    app.queue('orders', async (_ctx, { messageId }) => {
      if (messageId === 'm-1') throw new Error('secret');
    });
    await app.handleLambda(messages({ body: '{}', messageId: 'm-0' }, { body: '{}', messageId: 'm-1' }), {});
    expect(spans.spans.map(({ name, status }) => [name, status.code])).toEqual([
      ['orders process', 0],
      ['orders process', 2],
      ['orders process', 2],
    ]);
  });
});

describe('the end of a trace', () => {
  it('ends work that never settles, as failed, and counts a span that ends later', async () => {
    const { app, spans } = appOf();
    let finish = () => {};
    app.get('/', (ctx) => {
      void ctx.span(
        'forgotten',
        () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }),
      );
      return json(200, {});
    });
    await app.handleLambda(get('/'), {});
    expect(spans.spans.map(({ name, status }) => [name, status.message])).toEqual([
      ['forgotten', 'app.timeout'],
      ['GET /', undefined],
    ]);
    finish();
    await Promise.resolve();
    expect(spans.spans).toHaveLength(2);
  });

  it('ends the root as failed just before the function times out', async () => {
    const { jest } = import.meta;
    jest.useFakeTimers();
    const { app, spans } = appOf();
    app.get('/', () => new Promise<never>(() => {}));
    void app.handleLambda(get('/'), { getRemainingTimeInMillis: () => 3000 });
    jest.advanceTimersByTime(2949);
    expect(spans.spans).toHaveLength(0);
    jest.advanceTimersByTime(1);
    expect(spans.spans.map(({ name, status }) => [name, status])).toEqual([
      ['GET /', { code: 2, message: 'app.timeout' }],
    ]);
    jest.useRealTimers();
  });
});
