import { type Context, FrameworkError, type Handler, type Logger, silentLogger } from '@sallyport/core';
import { createErrorNotifier, createLogger, recordLog } from '@sallyport/core/observability';
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncBatch,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
  createTestEnv,
} from '@sallyport/testkit';

const SECRET = 'hunter2-secret';
const ARNS = {
  queue: 'arn:aws:sqs:eu-west-1:123456789012:orders',
  table: 'arn:aws:dynamodb:eu-west-1:123456789012:table/notes/stream/2026-01-01T00:00:00.000',
  stream: 'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks',
  topic: 'arn:aws:sns:eu-west-1:123456789012:alerts',
};

type Line = Readonly<Record<string, unknown>>;
type Serve = (app: SecureApp) => Promise<unknown>;

/** Runs an event and ignores its rejection, as topics and buses do. */
const event =
  (given: unknown): Serve =>
  (app) =>
    app.handleLambda(given, { awsRequestId: 'r-1', functionName: 'f', functionVersion: '1' }).catch(() => undefined);

/** Every way into a container, with the place in its log line. */
const SURFACES: readonly (readonly [name: string, serve: Serve, place: Line])[] = [
  ['HTTP API', event(buildAPIGatewayV2Request('GET', '/x')), { trigger: 'gateway-v2', route: '/x' }],
  ['function URL', event(buildLambdaFunctionURLRequest('GET', '/x')), { trigger: 'function-url', route: '/x' }],
  ['REST API', event(buildAPIGatewayProxyRequest('GET', '/x')), { trigger: 'gateway-v1', route: '/x' }],
  ['load balancer', event(buildLoadBalancerRequest('GET', '/x')), { trigger: 'load-balancer', route: '/x' }],
  ['serve', (app) => app.serve({ method: 'GET', path: '/x' }), { trigger: 'direct', route: '/x' }],
  [
    'streaming',
    (app) => createTestEnv().invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/x')),
    { trigger: 'function-url', route: '/x' },
  ],
  ['GraphQL', event(buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'x' })), { route: 'Query.x' }],
  [
    'GraphQL batch',
    event(buildAppSyncBatch([buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'x' })])),
    { trigger: 'appsync', route: 'Query.x' },
  ],
  ['WebSocket', event(buildWebSocketEvent({ routeKey: '$default' })), { trigger: 'websocket', route: '$default' }],
  ['queue', event(buildQueueEvent(ARNS.queue, [{ body: 'x' }])), { trigger: 'queue', source: 'orders' }],
  ['table stream', event(buildTableStreamEvent(ARNS.table, [{}])), { trigger: 'table-stream', source: 'notes' }],
  ['data stream', event(buildKinesisEvent(ARNS.stream, [{ data: 'x' }])), { trigger: 'stream', source: 'clicks' }],
  ['topic', event(buildTopicEvent(ARNS.topic, [{ message: 'x' }])), { trigger: 'topic', source: 'alerts' }],
  ['event bus', event(buildEventBusEvent({ source: 'billing' })), { trigger: 'event-bus', source: 'source=billing' }],
];

/** A container whose every operation does the same. */
function appWith(handler: () => unknown, options: SecureOptions = {}): SecureApp {
  const run = handler as Handler;
  return new SecureApp({ environment: {}, ...options })
    .get('/x', run, Public())
    .appSyncField('Query', 'x', run, Public())
    .webSocket('$default', run, Public())
    .queue('orders', handler)
    .tableStream('notes', handler)
    .kinesis('clicks', handler)
    .topic('alerts', handler)
    .eventBus({ source: 'billing' }, handler);
}

function recording(extra: object = {}) {
  const lines: Line[] = [];
  const log = createLogger({ environment: {}, write: (line) => lines.push(JSON.parse(line) as Line), ...extra });
  return { lines, log, errors: () => lines.filter(({ level }) => level === 'ERROR') };
}

function fail(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

describe.each(SURFACES)('a failure at %s', (_name, serve, place) => {
  it('is one error line with name, message, stack, cause and place, sanitized', async () => {
    const { log, errors } = recording();
    await serve(appWith(fail(new TypeError('db is down', { cause: new Error(`password=${SECRET}`) })), { log }));
    expect(errors()).toEqual([
      expect.objectContaining({
        ...place,
        request_id: expect.stringMatching(/./),
        error: {
          name: 'TypeError',
          message: 'db is down',
          stack: expect.arrayContaining([expect.stringMatching(/failures\.test\.ts/)]),
          cause: { name: 'Error', message: 'password=[REDACTED]', stack: expect.any(Array) },
        },
      }),
    ]);
  });

  it('is one line when a promise rejects with nothing', async () => {
    const { log, errors } = recording();
    await serve(appWith(() => Promise.reject(undefined), { log }));
    expect(errors()).toMatchObject([{ error: { name: 'NonError', value: 'undefined' } }]);
  });

  it('notifies once, with the log alone and with records in it', async () => {
    for (const recorded of [false, true]) {
      const sent: string[] = [];
      const notifier = createErrorNotifier({
        publish: ({ message }) => void sent.push(message),
        topicArn: ARNS.topic,
        environment: {},
      });
      const { log } = recording({ sinks: [notifier] });
      const observability = recorded ? { log: recordLog(log) } : {};
      await serve(appWith(fail(new RangeError('no')), { log, observability }));
      expect(sent.map((message) => (JSON.parse(message) as { error: object }).error)).toEqual([
        { name: 'RangeError', code: '', message: 'no' },
      ]);
    }
  });

  it.each([
    ['a revoked proxy', () => revoked()],
    ['getters that throw', () => new Proxy({}, { get: fail(new Error('get')), has: fail(new Error('has')) })],
    ['an error whose message throws', () => Object.defineProperty(new Error(), 'message', { get: fail(new Error()) })],
    ['null', () => null],
    ['a symbol', () => Symbol('x')],
  ])('never escapes: %s', async (_, make) => {
    const { log, errors } = recording();
    const app = appWith(fail(make()), { log });
    await expect(serve(app)).resolves.not.toBe(SECRET);
    expect(errors()).toHaveLength(1);
  });

  it.each<[string, (error: () => void) => Partial<Logger>]>([
    ['throws', (error) => ({ error })],
    ['rejects', (error) => ({ error: async () => error() })],
    ['cannot be bound', (error) => ({ with: error as never })],
  ])('changes nothing when the logger %s', async (_, broken) => {
    const expected = await serve(appWith(fail(new Error('x')), { log: false }));
    let calls = 0;
    const log: Logger = {
      ...silentLogger,
      isEnabled: () => true,
      with: () => log,
      ...broken(() => {
        calls += 1;
        throw new Error('log');
      }),
    };
    const answer = await serve(appWith(fail(new Error('x')), { log }));
    expect(withoutIds(answer)).toEqual(withoutIds(expected));
    expect(calls).toBe(1);
  });

  it.each([
    ['throws', fail(new Error('sink'))],
    ['rejects', () => Promise.reject(new Error('sink'))],
  ])('is one line when a sink %s', async (_, take) => {
    const { log, errors } = recording({ sinks: [{ take }] });
    await serve(appWith(fail(new Error('x')), { log }));
    expect(errors()).toHaveLength(1);
  });

  it('waits for a notification that never ends only until its time limit', async () => {
    const publish = () => new Promise(() => {});
    const notifier = createErrorNotifier({ publish, topicArn: ARNS.topic, timeoutMs: 5, environment: {} });
    const { log, errors } = recording({ sinks: [notifier] });
    await serve(appWith(fail(new Error('x')), { log }));
    expect(errors()).toHaveLength(1);
  });

  it('is in the log, even if it is masked', async () => {
    const { log, errors } = recording();
    await serve(appWith(fail(new Error('why')), { log, maskErrors: true }));
    expect(errors()).toMatchObject([{ error: { message: 'why' } }]);
  });
});

describe('an error line', () => {
  const GET = buildAPIGatewayV2Request('GET', '/x');

  it.each([
    ['an unknown path', '/nowhere', () => json(200, 1), 404],
    ['a validation error', '/x', fail(new FrameworkError('app.validation_failed')), 422],
    ['a refusal of its own', '/x', fail(new FrameworkError('app.conflict')), 409],
    ['an own status below 500', '/x', fail(new FrameworkError('orders.gone', 'gone', { statusCode: 410 })), 410],
  ])('is not written for %s', async (_, path, handler, status) => {
    const { log, errors } = recording();
    const answer = await appWith(handler, { log }).handleLambda(buildAPIGatewayV2Request('GET', path));
    expect([(answer as { statusCode: number }).statusCode, errors()]).toEqual([status, []]);
  });

  it.each([
    ['a code of 5xx', new FrameworkError('app.overloaded'), 503, 'app.overloaded'],
    ['a code of the application', new FrameworkError('orders.broken'), 500, 'orders.broken'],
  ])('is written for %s', async (_, thrown, status, code) => {
    const { log, errors } = recording();
    const answer = await appWith(fail(thrown), { log }).handleLambda(GET);
    expect((answer as { statusCode: number }).statusCode).toBe(status);
    expect(errors()).toMatchObject([{ error: { code } }]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'nothing',
      () => undefined,
      /a handler or middleware returned nothing instead of a response; for example, return json\(200, value\)/,
    ],
    ['null', () => null, /a handler or middleware returned null instead of a response/],
    ['a text', () => 'x', /a handler or middleware returned a string instead of a response/],
    ['a list', () => [], /a handler or middleware returned a list instead of a response/],
    ['a body that is an object', () => ({ body: {} }), /the body of a response is an object; it must be text or bytes/],
    ['a status of no number', () => ({ status: 42 }), /the status of a response is 42/],
    [
      'CR in a header',
      () => ({ status: 200, headers: { a: ['b\rc'] } }),
      /a header value contains CR, LF, NUL or a character above U\+00FF/,
    ],
    [
      'a header name that is none',
      () => ({ status: 200, headers: { 'a b': ['c'] } }),
      /"a b" is not a valid header name/,
    ],
  ])('describes the mistake of a handler: %s', async (_, handler, cause) => {
    const { log, errors } = recording();
    const answer = await appWith(handler, { log }).handleLambda(GET);
    expect(answer).toMatchObject({ statusCode: 500 });
    expect(errors()).toMatchObject([
      { error: { code: 'app.internal', cause: { name: 'TypeError', message: expect.stringMatching(cause) } } },
    ]);
    expect(JSON.stringify(answer)).not.toMatch(cause);
  });

  it.each<[string, (app: SecureApp) => void, RegExp]>([
    [
      'next() twice',
      (app) =>
        void app.use(async (ctx, next) => {
          await next(ctx);
          return next(ctx);
        }),
      /a middleware called next\(\) more than once/,
    ],
    [
      'a context of its own making',
      (app) => void app.use((ctx, next) => next({ ...ctx } as Context)),
      /a value that is not a context of the framework; pass on the ctx that you received/,
    ],
    ['a middleware that throws', (app) => void app.use(fail(new Error('middleware'))), /middleware/],
  ])('describes the mistake of a middleware: %s', async (_, prepare, cause) => {
    const { log, errors } = recording();
    const app = new SecureApp({ log, environment: {} });
    prepare(app);
    app.get('/x', () => json(200, 1), Public());
    expect(await app.handleLambda(GET)).toMatchObject({ statusCode: 500 });
    expect(errors()).toHaveLength(1);
    expect(JSON.stringify(errors()[0]?.error)).toMatch(cause);
  });

  it.each<[string, SecureOptions]>([
    ['a resolver that throws', { principalResolver: fail(new Error('broken')) }],
    ['a resolver that rejects', { principalResolver: () => Promise.reject(new Error('broken')) }],
    ['a policy that throws', { policyHook: fail(new Error('broken')) }],
  ])('is written for %s', async (_, options) => {
    const { log, errors } = recording();
    const app = new SecureApp({ log, environment: {}, ...options }).get('/x', () => json(200, 1), Authenticated());
    expect(await app.handleLambda(GET)).toMatchObject({ statusCode: 500 });
    expect(errors()).toHaveLength(1);
    expect(JSON.stringify(errors()[0])).toContain('broken');
  });

  it.each<[string, NonNullable<SecureOptions['observability']>]>([
    ['observability.log', { log: fail(new Error('hook')) }],
    ['observability.log', { log: () => Promise.reject(new Error('hook')) }],
    ['observability.metric', { metric: fail(new Error('hook')) }],
    ['observability.span', { span: { start: fail(new Error('hook')) } }],
  ])('is written once for the hook %s, whose failure changes nothing', async (name, observability) => {
    const { log, errors } = recording();
    const app = appWith(() => json(200, 1), { log, observability });
    for (let call = 0; call < 3; call += 1) expect(await app.handleLambda(GET)).toMatchObject({ statusCode: 200 });
    expect(errors()).toMatchObject([{ message: `framework: hook ${name} failed`, error: { message: 'hook' } }]);
  });

  it('is written once for a stream that fails after its first byte', async () => {
    const { log, errors } = recording();
    async function* broken() {
      yield 'a';
      throw new Error('cut');
    }
    const app = appWith(() => ({ status: 200, bodyStream: broken() }), { log });
    const answer = await createTestEnv().invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/x'));
    expect([answer.status, answer.body, answer.streamErrorCode]).toEqual([200, 'a', 'app.internal']);
    expect(errors()).toMatchObject([{ message: 'framework: response stream failed', error: { message: 'cut' } }]);
  });

  it('is written for a stream that a door collects, and for a stream that it cannot send', async () => {
    const { log, errors } = recording();
    const app = appWith(() => ({ status: 200, bodyStream: [7] }), { log });
    await app.handleLambda(GET);
    await app.handleLambda(buildWebSocketEvent({ routeKey: '$default' }));
    await app.handleLambda(buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'x' }));
    expect(errors().map(({ error }) => JSON.stringify(error))).toEqual([
      expect.stringContaining('a stream chunk is not text or bytes'),
      expect.stringContaining('this front door cannot send a stream'),
      expect.stringContaining('unsupported appsync response'),
    ]);
  });

  it('goes to standard output of a container without log, and nowhere with log: false', async () => {
    const written: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (chunk) => written.push(String(chunk)) > 0;
    try {
      await appWith(fail(new Error('visible'))).handleLambda(GET);
      await appWith(fail(new Error('silent')), { log: false }).handleLambda(GET);
    } finally {
      process.stdout.write = write;
    }
    expect(written.map((line) => JSON.parse(line) as Line)).toMatchObject([
      { level: 'ERROR', message: 'framework: request failed', route: '/x', error: { message: 'visible' } },
    ]);
  });
});

describe('next()', () => {
  it('rejects the context of another invocation at the same step', async () => {
    const { log, errors } = recording();
    let first: Context | undefined;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = new SecureApp({ log, environment: {} });
    app.use(async (ctx, next) => {
      if (ctx.query('as') === 'victim') {
        first = ctx;
        await held;
        return next(ctx);
      }
      return next(first as Context);
    });
    const seen: string[] = [];
    app.get(
      '/x',
      (ctx) => {
        seen.push(ctx.query('as') ?? '');
        return json(200, 1);
      },
      Public(),
    );
    const victim = app.serve({ method: 'GET', path: '/x?as=victim' });
    const thief = await app.serve({ method: 'GET', path: '/x?as=thief' });
    release();
    expect([thief.status, (await victim).status, seen]).toEqual([500, 200, ['victim']]);
    expect(errors()).toMatchObject([
      { error: { cause: { message: 'framework: next() was given the context of another invocation' } } },
    ]);
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Generated ids differ from run to run. */
function withoutIds(answer: unknown): string {
  return (JSON.stringify(answer) ?? '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id');
}
