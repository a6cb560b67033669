import type { Writable } from 'node:stream';
import { FrameworkError } from '@sallyport/core';
import {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  html,
  htmlStream,
  json,
  sseEventStream,
  text,
} from '@sallyport/http';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  createTestEnv,
  type ExportedHandler,
  type StreamedAnswer,
} from '../src/index.js';

describe('an environment', () => {
  it('starts at time 0, counts its ids and has no variables', async () => {
    const env = createTestEnv();
    expect([env.clock.now().toISOString(), env.ids.newId(), env.ids.newId(), env.environment]).toEqual([
      '1970-01-01T00:00:00.000Z',
      'test-id-1',
      'test-id-2',
      {},
    ]);
    env.ids.queue('first');
    expect([env.ids.newId(), env.ids.newId()]).toEqual(['first', 'test-id-3']);
    env.ids.reset();
    expect(env.ids.newId()).toBe('test-id-1');
  });

  it('accepts a time, a prefix, variables and defaults of the Lambda context', () => {
    const env = createTestEnv({
      now: new Date('2026-11-21T00:00:00Z'),
      idPrefix: 'id',
      environment: { STAGE: 'test' },
      lambda: { tenantId: 't1' },
    });
    expect(env.clock.now().toISOString()).toBe('2026-11-21T00:00:00.000Z');
    expect([env.ids.newId(), env.environment.STAGE, env.lambdaContext().tenantId]).toEqual(['id-1', 'test', 't1']);
    expect(env.lambdaContext({ tenantId: 't2' }).tenantId).toBe('t2');
  });

  it.each<[object, string]>([
    [{ clock: 1 }, 'unknown option "clock"'],
    [{ now: 'today' }, 'option "now"'],
    [{ now: new Date('x') }, 'option "now"'],
    [{ environment: { A: 1 } }, 'option "environment"'],
    [{ lambda: { requestId: ' ' } }, 'option "lambda.requestId"'],
    [{ idPrefix: '' }, 'option "idPrefix"'],
  ])('rejects %j', (options, message) => {
    expect(() => createTestEnv(options)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('returns a Lambda context whose time falls with the clock', async () => {
    const env = createTestEnv();
    const context = env.lambdaContext({
      requestId: 'r',
      remainingMs: 5000,
      traceId: 'Root=1-5759e988-bd862e3fe1be46a994272793',
    });
    expect(context).toMatchObject({
      awsRequestId: 'r',
      functionName: 'test-function',
      xRayTraceId: 'Root=1-5759e988-bd862e3fe1be46a994272793',
    });
    await env.clock.advance(2000);
    expect(context.getRemainingTimeInMillis()).toBe(3000);
    await env.clock.advance(9000);
    expect(context.getRemainingTimeInMillis()).toBe(0);
    expect(env.lambdaContext().getRemainingTimeInMillis()).toBe(30_000);
    expect(() => env.lambdaContext({ requestID: 'r' } as object)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "requestID"'),
    );
  });

  it('shares nothing with another', async () => {
    const [one, other] = [createTestEnv(), createTestEnv()];
    one.environment.A = '1';
    one.ids.newId();
    one.clock.tick(1000);
    one.options().log.info('hello');
    expect([other.environment, other.ids.newId(), other.clock.now().getTime(), other.records.logs]).toEqual([
      {},
      'test-id-1',
      0,
      [],
    ]);
  });

  it('touches neither the environment of the process nor its clock', async () => {
    const before = JSON.stringify(process.env);
    const now = Date.now;
    Date.now = () => {
      throw new Error('the system clock was asked');
    };
    try {
      const env = createTestEnv();
      const app = env.app();
      app.get('/now', (ctx) => json(200, { at: ctx.now(), id: ctx.newId() }));
      const answer = await env.invoke(app, buildAPIGatewayV2Request('GET', '/now'));
      expect(answer.body).toBe('{"at":"1970-01-01T00:00:00.000Z","id":"test-id-1"}');
    } finally {
      Date.now = now;
    }
    expect(JSON.stringify(process.env)).toBe(before);
  });

  it('keeps logs, metrics and spans until they are cleared', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/a/{id}', (ctx) => {
      ctx.log.info('seen', { password: 'x', n: 1 });
      return text(200, 'ok');
    });
    await env.invoke(app, buildAPIGatewayV2Request('GET', '/a/1'));
    const { records } = env;
    expect(records.logs).toMatchObject([
      { level: 'INFO', message: 'seen', request_id: 'lambda-1', password: '[REDACTED]', n: 1 },
      { level: 'info', event: 'request.completed', route: '/a/{id}', status: 200 },
    ]);
    expect(records.metrics).toMatchObject([{ name: 'framework.request', tags: { route: '/a/{id}', status: '200' } }]);
    expect(records.spans).toMatchObject([
      { kind: 'framework.request', name: 'http GET /a/{id}', ended: true, parent: '', error: undefined },
    ]);
    records.clear();
    expect([records.logs, records.metrics, records.spans]).toEqual([[], [], []]);
  });
});

describe('invoking', () => {
  it('returns an answer of the type of the builder', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/', () => text(200, 'hi'));
    app.queue('orders', async () => {});
    const v2 = await env.invoke(app, buildAPIGatewayV2Request('GET', '/'));
    const url = await env.invoke(app, buildLambdaFunctionURLRequest('GET', '/'));
    const v1 = await env.invoke(app, buildAPIGatewayProxyRequest('GET', '/'));
    const alb = await env.invoke(app, buildLoadBalancerRequest('GET', '/'));
    const report = await env.invoke(app, buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{}]));
    const typed: [string, readonly string[] | undefined, Readonly<Record<string, string>>, string, number] = [
      v2.body,
      url.cookies,
      v1.headers,
      alb.statusDescription,
      report.batchItemFailures.length,
    ];
    expect(typed).toEqual([
      'hi',
      undefined,
      { 'content-type': 'text/plain; charset=utf-8', 'x-request-id': 'lambda-1' },
      '200 OK',
      0,
    ]);
  });

  it.each([
    [
      'HTTP API',
      buildAPIGatewayV2Request('GET', '/'),
      { headers: { 'content-type': 'text/plain; charset=utf-8', 'x-request-id': 'lambda-1' } },
    ],
    [
      'load balancer',
      buildLoadBalancerRequest('GET', '/'),
      { headers: { 'content-type': 'text/plain; charset=utf-8', 'x-request-id': 'lambda-1' } },
    ],
  ])('returns headers of an %s that compare as plain objects', async (_door, event, { headers }) => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/', () => text(200, 'x'));
    const answer = (await env.invoke(app, event)) as { headers: object };
    expect(answer.headers).toStrictEqual(headers);
  });

  it('passes the given Lambda context', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/', (ctx) => text(200, `${ctx.requestId} ${ctx.remainingMs}`));
    const answer = await env.invoke(
      app,
      buildAPIGatewayV2Request('GET', '/'),
      env.lambdaContext({ requestId: 'r', remainingMs: 7 }),
    );
    expect(answer.body).toBe('r 7');
  });

  it('serves a request without a front door', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/', () => html(200, '<p>'));
    const response = await env.serve(app, { method: 'GET', path: '/' });
    expect([response.status, response.headers['content-type'], Buffer.from(response.body).toString()]).toEqual([
      200,
      ['text/html; charset=utf-8'],
      '<p>',
    ]);
  });

  it('drains a streamed answer chunk by chunk', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/s', () => htmlStream(200, ['<p>', 'hi', '</p>']));
    const answer = await env.invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/s'));
    expect(answer).toMatchObject({ status: 200, body: '<p>hi</p>', cookies: [], streamErrorCode: '' });
    expect(answer.headers['content-type']).toEqual(['text/html; charset=utf-8']);
    expect(answer.chunks.map((chunk) => Buffer.from(chunk).toString())).toEqual(['<p>', 'hi', '</p>']);
    expect(env.records.logs).toMatchObject([{ event: 'request.completed', streamed: true, response_bytes: 9 }]);
  });

  it('reports the code of an interrupted stream, and drains an answer that is not a stream', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/s', () => sseEventStream([{ data: 'one' }, { id: 'bad\nid', data: 'two' }]));
    app.get('/t', () => text(200, 'whole'));
    const broken = await env.invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/s'));
    expect([broken.body, broken.streamErrorCode]).toEqual(['data: one\n\n', 'app.internal']);
    const whole = await env.invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/t'));
    expect([whole.body, whole.chunks.length, whole.streamErrorCode]).toEqual(['whole', 1, '']);
  });

  it('ends the draining of a stream that hangs at the deadline', async () => {
    const env = createTestEnv();
    const app = env.app();
    app.get('/s', () => ({
      bodyStream: (async function* () {
        yield Buffer.from('one');
        await new Promise(() => {});
      })(),
    }));
    const context = env.lambdaContext({ remainingMs: 1000 });
    const draining = env.invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/s'), context);
    await env.clock.advance(1000);
    expect(await draining).toMatchObject({ status: 200, body: 'one', streamErrorCode: 'app.timeout' });
  });

  it.each([
    ['hangs', true, 1],
    ['ends', false, 0],
  ])('stops the source of a stream that %s: %s', async (_name, hangs, stops) => {
    const env = createTestEnv();
    const app = env.app();
    let stopped = 0;
    const source = {
      next: () => (hangs ? new Promise<never>(() => {}) : Promise.resolve({ done: true as const, value: undefined })),
      return: async () => {
        stopped += 1;
        return { done: true as const, value: undefined };
      },
    };
    app.get('/s', () => ({ bodyStream: { [Symbol.asyncIterator]: () => source } }));
    const context = env.lambdaContext({ remainingMs: 1000 });
    const draining = env.invokeStreaming(app, buildLambdaFunctionURLRequest('GET', '/s'), context);
    await env.clock.advance(1000);
    await draining;
    expect(stopped).toBe(stops);
  });
});

describe('invokeStreaming of what a function exports', () => {
  const env = createTestEnv();
  const app = env.app();
  const cookies = ['a=1', 'b=2'];
  app.get('/s', () => ({ ...htmlStream(200, ['<p>', 'hi']), cookies }));
  app.get('/broken', () => sseEventStream([{ data: 'one' }, { id: 'bad\nid', data: 'two' }]));
  app.get('/empty', () => ({ status: 204 }));
  app.get('/fails', () => {
    throw new FrameworkError('app.conflict');
  });
  const fromUrl = createLambdaFunctionURLStreamingHandler(app);
  const fromRest = createGatewayRestStreamingHandler(app);
  const url = (path: string) => buildLambdaFunctionURLRequest('GET', path);
  const rest = (path: string) => buildAPIGatewayProxyRequest('GET', path);
  const textOf = ({ chunks }: StreamedAnswer) => chunks.map((chunk) => Buffer.from(chunk).toString());

  it.each<[string, ExportedHandler, (path: string) => object]>([
    ['a function URL', fromUrl, url],
    ['a REST API', fromRest, rest],
  ])('returns the answer that the client of %s receives', async (_, handler, eventOf) => {
    const answer = await env.invokeStreaming(handler, eventOf('/s'));
    expect(answer).toMatchObject({ status: 200, body: '<p>hi', cookies: ['a=1', 'b=2'], streamErrorCode: '' });
    expect(answer.headers['content-type']).toEqual(['text/html; charset=utf-8']);
    expect(textOf(answer)).toEqual(['<p>', 'hi']);
    const broken = await env.invokeStreaming(handler, eventOf('/broken'));
    expect([broken.body, broken.streamErrorCode]).toEqual(['data: one\n\n', 'app.internal']);
    expect(await env.invokeStreaming(handler, eventOf('/empty'))).toMatchObject({ status: 204, body: '', chunks: [] });
    expect(await env.invokeStreaming(handler, eventOf('/fails'))).toMatchObject({ status: 409, streamErrorCode: '' });
  });

  it.each<[string, ExportedHandler, object, string]>([
    [
      'an export that answers in one piece',
      app.handleLambda,
      url('/s'),
      'the handler does not stream: export the result of create',
    ],
    ['an event of another front door', fromUrl, rest('/s'), 'build an event of the front door that it serves'],
  ])('fails for %s', async (_, handler, event, text) => {
    await expect(env.invokeStreaming(handler, event)).rejects.toThrow(text);
  });

  it('reads a handler of the runtime, and a handler that AWS marks', async () => {
    const scope = globalThis as { awslambda?: unknown };
    const mark = Symbol.for('aws.lambda.runtime.handler.streaming');
    type Prelude = { _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void };
    const from = (stream: Writable & Prelude, metadata: object) => {
      stream._onBeforeFirstWrite = (write) => {
        write(JSON.stringify(metadata));
        write(new Uint8Array(8));
      };
      return stream;
    };
    scope.awslambda = {
      streamifyResponse: (handler: object) => Object.assign(handler, { [mark]: 'response' }),
      HttpResponseStream: { from },
    };
    try {
      const made = createLambdaFunctionURLStreamingHandler(app);
      expect(textOf(await env.invokeStreaming(made, url('/s')))).toEqual(['<p>', 'hi']);
      const marked = Object.assign(
        async (_event: unknown, stream: unknown) => void from(stream as Writable, { statusCode: 201 }).end('own'),
        { [mark]: 'response' },
      );
      expect(await env.invokeStreaming(marked, {})).toMatchObject({ status: 201, body: 'own', headers: {} });
    } finally {
      delete scope.awslambda;
    }
  });

  it('ends at the deadline, which comes 100 ms early', async () => {
    const hanging = env.app();
    hanging.get('/s', () => ({
      bodyStream: (async function* () {
        yield Buffer.from('one');
        await new Promise(() => {});
      })(),
    }));
    const handler = createLambdaFunctionURLStreamingHandler(hanging);
    const reading = env.invokeStreaming(handler, url('/s'), env.lambdaContext({ remainingMs: 1000 }));
    await env.clock.advance(900);
    expect(await reading).toMatchObject({ status: 200, body: 'one', streamErrorCode: 'app.timeout' });
  });
});
