import {
  type Context,
  FrameworkError,
  type LogRecord,
  type MetricRecord,
  type Next,
  type PolicyDecision,
} from '@sallyport/core';
import { createErrorNotifier, createLogger, defineMetrics } from '@sallyport/core/observability';
import {
  HTTP_ERROR_FORMAT_FLAT_LEGACY,
  HTTP_ERROR_FORMAT_PROBLEM,
  json,
  type OpenPipelineOptions,
  text,
} from '../src/index.js';
import { functionUrl, type Got, gatewayV2, LAMBDA, routerWith, type Sent, send } from './support/doors.js';

type Register = Parameters<typeof routerWith>[0];
const once = (register: Register, sent: Sent, options?: OpenPipelineOptions): Promise<Got> =>
  send(routerWith(register, options), gatewayV2, sent);
const bodyOf = (got: Got): unknown => JSON.parse(got.body.toString());

describe('tiers', () => {
  it.each([
    ['p0', [], ''],
    ['p1', ['request_id', 'recovery', 'logging', 'handler'], 'req-1'],
    ['p2', ['request_id', 'recovery', 'logging', 'handler'], 'req-1'],
  ] as const)('%s passes these stages', async (tier, trace, id) => {
    const got = await once(
      (http) => http.get('/', (ctx) => json(200, [ctx.middlewareTrace, ctx.requestId])),
      {},
      { tier },
    );
    expect(bodyOf(got)).toEqual([trace, id]);
    expect(got.headers['x-request-id']).toBe(id === '' ? undefined : id);
  });

  it('mark CORS and auth where they were passed', async () => {
    const options: OpenPipelineOptions = { cors: {}, authHook: () => 'ada' };
    const got = await once(
      (http) => http.get('/', (ctx) => json(200, [ctx.middlewareTrace, ctx.authIdentity]), { authRequired: true }),
      { headers: { origin: 'https://a.b' } },
      options,
    );
    expect(bodyOf(got)).toEqual([['request_id', 'recovery', 'logging', 'cors', 'auth', 'handler'], 'ada']);
  });
});

describe('request id', () => {
  it.each([
    ['sent-1', 'sent-1'],
    [`${'x'.repeat(128)}`, 'x'.repeat(128)],
    ['x'.repeat(129), 'req-1'],
    ['a b', 'req-1'],
    ['grüße', 'req-1'],
    ['', 'req-1'],
  ])('of %j is %j', async (sent, id) => {
    const got = await once((http) => http.get('/', () => text(200, '')), { headers: { 'X-Request-Id': sent } });
    expect(got.headers['x-request-id']).toBe(id);
  });

  it('is new without an invocation', async () => {
    const router = routerWith((http) => http.get('/', () => text(200, '')), { ids: { newId: () => 'new-1' } });
    const answer = await router.serveRequest({ method: 'get', path: '/' });
    expect(answer.headers['x-request-id']).toEqual(['new-1']);
  });
});

describe('limits', () => {
  const limits = { maxRequestBytes: 4, maxResponseBytes: 4 };

  it.each<[string, Sent, number]>([
    ['text within', { body: 'abcd' }, 200],
    ['text over', { body: 'abcde' }, 413],
    ['text over in bytes', { body: 'üüü' }, 413],
    ['base64 within', { body: 'YWJjZA==', isBase64Encoded: true }, 200],
    ['base64 over', { body: 'YWJjZGU=', isBase64Encoded: true }, 413],
    ['base64 over that is none', { body: '%%%%%%%%', isBase64Encoded: true }, 413],
  ])('reject a request of %s before it is read', async (_name, sent, status) => {
    let ran = 0;
    const got = await once(
      (http) =>
        http.post('/', () => {
          ran += 1;
          return text(200, 'ok');
        }),
      { method: 'POST', ...sent },
      { limits },
    );
    expect([got.status, ran]).toEqual([status, status === 200 ? 1 : 0]);
    if (status === 413)
      expect(bodyOf(got)).toMatchObject({ error: { code: 'app.too_large', message: 'request too large' } });
  });

  it('reject an answer over the limit, even a streamed answer', async () => {
    const register: Register = (http) =>
      http
        .get('/text', () => text(200, 'abcde'))
        .get('/stream', () => ({ bodyStream: [Buffer.from('abc'), Buffer.from('de')] }));
    expect(bodyOf(await once(register, { path: '/text' }, { limits }))).toMatchObject({
      error: { code: 'app.too_large', message: 'response too large' },
    });
    expect((await once(register, { path: '/stream' }, { limits })).status).toBe(500);
  });

  it('do not exist at P0', async () => {
    const got = await once(
      (http) => http.post('/', (ctx) => text(200, ctx.bodyText())),
      { method: 'POST', body: 'abcdef' },
      { limits, tier: 'p0' },
    );
    expect(got.status).toBe(200);
  });
});

describe('policy hook', () => {
  it('answers in place of the route, keeps its headers and forces the content type', async () => {
    let ran = 0;
    const got = await once(
      (http) =>
        http.get('/', () => {
          ran += 1;
          return text(200, '');
        }),
      {},
      {
        policyHook: async () => ({
          code: 'app.rate_limited',
          headers: { 'Retry-After': '3', 'content-type': 'text/html' },
        }),
      },
    );
    expect([got.status, ran, got.headers['retry-after'], got.headers['content-type']]).toEqual([
      429,
      0,
      '3',
      'application/json; charset=utf-8',
    ]);
    expect(bodyOf(got)).toEqual({ error: { code: 'app.rate_limited', message: 'rate limited', request_id: 'req-1' } });
  });

  it.each([null, undefined, {}, { code: ' ' }, { code: 5 }])('lets the route run for %j', async (decision) => {
    const options = { policyHook: () => decision as PolicyDecision };
    expect((await once((http) => http.get('/', () => text(200, '')), {}, options)).status).toBe(200);
  });

  it('with invalid headers still gets an answer', async () => {
    const got = await once(
      (http) => http.get('/', () => text(200, '')),
      {},
      { policyHook: () => ({ code: 'app.forbidden', headers: { 'x y': 'a\r\nb' } }) },
    );
    expect([got.status, bodyOf(got)]).toEqual([
      500,
      { error: { code: 'app.internal', message: 'internal error', request_id: 'req-1' } },
    ]);
  });

  it('is not called below P2', async () => {
    const options = { tier: 'p1', policyHook: () => ({ code: 'app.forbidden' }) } as const;
    expect((await once((http) => http.get('/', () => text(200, '')), {}, options)).status).toBe(200);
  });
});

describe('authRequired', () => {
  const register: Register = (http) => http.get('/', (ctx) => text(200, ctx.authIdentity), { authRequired: true });

  it.each<[string, OpenPipelineOptions, number]>([
    ['no hook', {}, 401],
    ['a hook that names nobody', { authHook: () => ' ' }, 401],
    ['a hook that names somebody', { authHook: async () => ' ada ' }, 200],
    [
      'a hook that throws',
      {
        authHook: () => {
          throw new FrameworkError('app.overloaded');
        },
      },
      503,
    ],
    ['a hook that names nobody, at P0', { authHook: () => '', tier: 'p0' }, 401],
  ])('with %s', async (_name, options, status) => {
    expect((await once(register, {}, options)).status).toBe(status);
  });

  it('applies to HEAD with autoHead', async () => {
    const router = routerWith(register, { autoHead: true });
    expect((await send(router, gatewayV2, { method: 'HEAD' })).status).toBe(401);
  });
});

describe('autoHead', () => {
  it('is off by default', async () => {
    expect((await once((http) => http.get('/', () => text(200, 'x')), { method: 'HEAD' })).status).toBe(405);
  });

  it('runs GET without the body and is among the allowed methods', async () => {
    const router = routerWith((http) => http.get('/', () => text(200, 'x')), { autoHead: true });
    const got = await send(router, gatewayV2, { method: 'HEAD' });
    expect([got.status, got.body.length, got.headers['content-type']]).toEqual([200, 0, 'text/plain; charset=utf-8']);
    expect((await send(router, gatewayV2, { method: 'PUT' })).headers.allow).toBe('GET, HEAD');
  });
});

describe('CORS', () => {
  const origin = 'https://app.example';
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } };
  const register: Register = (http) => http.put('/known', () => text(200, '')).get('/known', () => text(200, ''));

  it('is absent without the option', async () => {
    const got = await once(register, { path: '/known', headers: { origin } });
    expect(Object.keys(got.headers)).toEqual(['content-type', 'x-request-id']);
  });

  it('echoes the origin without credentials by default', async () => {
    const { headers } = await once(register, { path: '/known', headers: { origin } }, { cors: {} });
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('does not echo an origin that is not a valid header value', async () => {
    const { headers } = await once(register, { path: '/known', headers: { origin: 'https://€' } }, { cors: {} });
    expect([headers['access-control-allow-origin'], headers.vary]).toEqual([undefined, 'origin']);
  });

  it('varies on rejected origins and errors too', async () => {
    const options = { cors: { allowedOrigins: ['https://other.example'] } };
    for (const path of ['/known', '/unknown']) {
      const { headers } = await once(register, { path, headers: { origin } }, options);
      expect([headers.vary, headers['access-control-allow-origin']]).toEqual(['origin', undefined]);
    }
    expect((await once(register, { path: '/known' }, options)).headers.vary).toBe('origin');
  });

  it('answers preflights alike for known and unknown paths, and the method echoed', async () => {
    const options: OpenPipelineOptions = {
      cors: { allowedOrigins: [origin], allowCredentials: true, maxAgeSeconds: 60 },
    };
    const headers = { ...preflight.headers, 'access-control-request-headers': 'x-a,content-type' };
    const known = await once(register, { ...preflight, headers, path: '/known' }, options);
    const unknown = await once(register, { ...preflight, headers, path: '/unknown' }, options);
    expect(known.raw).toEqual(unknown.raw);
    expect(known.raw).toEqual({
      statusCode: 204,
      headers: {
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'x-a, content-type',
        'access-control-allow-methods': 'PUT',
        'access-control-allow-origin': origin,
        'access-control-max-age': '60',
        vary: 'access-control-request-headers, origin',
        'x-request-id': 'req-1',
      },
      body: '',
      isBase64Encoded: false,
    });
  });

  it('answers a rejected origin with 204 and without allow headers', async () => {
    const { status, headers } = await once(
      register,
      { ...preflight, path: '/known' },
      { cors: { allowedOrigins: [] } },
    );
    expect([status, Object.keys(headers).sort()]).toEqual([204, ['vary', 'x-request-id']]);
  });

  it('treats OPTIONS without the request method as a request', async () => {
    expect(
      (await once(register, { method: 'OPTIONS', path: '/known', headers: { origin } }, { cors: {} })).status,
    ).toBe(405);
  });

  it('does not echo a method that is not a token', async () => {
    const headers = { origin, 'access-control-request-method': 'P UT' };
    const got = await once(register, { method: 'OPTIONS', path: '/known', headers }, { cors: {} });
    expect(got.headers['access-control-allow-methods']).toBeUndefined();
  });
});

describe('options', () => {
  it.each<[string, unknown]>([
    ['unknown option "teir"', { teir: 'p0' }],
    ['option "tier" must be', { tier: 'p3' }],
    ['option "httpErrorFormat" must be', { httpErrorFormat: 'flat' }],
    ['option "autoHead" must be', { autoHead: 1 }],
    ['option "limits.maxRequestBytes" must be', { limits: { maxRequestBytes: -1 } }],
    ['unknown option "limits.maxBytes"', { limits: { maxBytes: 1 } }],
    ['option "cors.allowedOrigins" must be', { cors: { allowedOrigins: ['*'], allowCredentials: true } }],
    ['unknown option "cors.origins"', { cors: { origins: [] } }],
    ['option "policyHook" must be', { policyHook: 'x' }],
    ['option "observability" must be', { observability: 5 }],
    ['option "basePath" must be', { basePath: 'api' }],
    ['option "basePath" must be', { basePath: '/api/' }],
  ])('are rejected at construction: %s', (message, options) => {
    expect(() => routerWith(() => {}, options as OpenPipelineOptions)).toThrow(
      expect.objectContaining({
        code: 'app.invalid_configuration',
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});

describe('registration', () => {
  it.each<[string, string, Register]>([
    ['app.bad_request', 'route handler must be a function: GET /x', (http) => http.get('/x', undefined as never)],
    ['app.bad_request', 'route method is empty: /x', (http) => http.handle(' ', '/x', () => text(200, ''))],
    ['app.bad_request', 'invalid route pattern: GET /x/', (http) => http.get('/x/', () => text(200, ''))],
    [
      'app.bad_request',
      'duplicate route: GET /u/{b}',
      (http) => http.get('/u/{a}', () => text(200, '')).get('/u/:b', () => text(200, '')),
    ],
    ['app.invalid_configuration', 'too many arguments', (http) => http.get('/x', () => text(200, ''), {}, {} as never)],
    [
      'app.invalid_configuration',
      'too many arguments',
      (http) => http.getStrict('/x', () => text(200, ''), {}, {} as never),
    ],
    ['app.invalid_configuration', 'too many arguments', (http) => http.use((ctx, next) => next(ctx), {} as never)],
    [
      'app.invalid_configuration',
      'expected use(middleware), or { use: [middleware] } of a route or group',
      (http) => http.use('/x' as never, ((ctx: Context, next: Next) => next(ctx)) as never),
    ],
    [
      'app.bad_request',
      'duplicate route: GET /a',
      (http) => http.get('/a', () => text(200, '')).get('a', () => text(200, '')),
    ],
    [
      'app.invalid_configuration',
      'unknown option "auth"',
      (http) => http.get('/x', () => text(200, ''), { auth: true } as never),
    ],
  ])('fails closed: %s, %s', (code, name, register) => {
    expect(() => routerWith(register)).toThrow(expect.failure(code, name));
  });

  it('registers nothing when it fails', () => {
    const router = routerWith((http) => http.get('/a', () => text(200, '')));
    expect(() => router.get('/a', () => text(200, ''))).toThrow(expect.failure('app.bad_request', 'duplicate route'));
    expect(router.routes()).toEqual([{ surface: 'http', method: 'GET', path: '/a' }]);
  });

  it('lists routes in order, frozen and fresh', () => {
    const router = routerWith((http) =>
      http
        .handle(' get ', 'users/:id?x=1', () => text(200, ''))
        .post('/f/{p+}', () => text(200, ''), { authRequired: true, streaming: true }),
    );
    expect(router.routes()).toEqual([
      { surface: 'http', method: 'GET', path: '/users/{id}' },
      { surface: 'http', method: 'POST', path: '/f/{p+}', authRequired: true, streaming: true },
    ]);
    expect(router.routes()).not.toBe(router.routes());
    expect(Object.isFrozen(router.routes()[0])).toBe(true);
  });
});

describe('error bodies', () => {
  const failing =
    (error: unknown): Register =>
    (http) =>
      http.get('/', () => {
        throw error;
      });

  it.each<[string, FrameworkError, number, unknown]>([
    [
      'EMPTY_BODY',
      new FrameworkError('EMPTY_BODY', 'legacy'),
      400,
      { code: 'app.bad_request', message: 'request body is empty', request_id: 'req-1' },
    ],
    [
      'INVALID_JSON',
      new FrameworkError('INVALID_JSON', 'legacy'),
      400,
      { code: 'app.bad_request', message: 'invalid json', request_id: 'req-1' },
    ],
    [
      'a code of the service',
      new FrameworkError('notes.full', 'no room'),
      500,
      { code: 'notes.full', message: 'no room', request_id: 'req-1' },
    ],
    [
      'a status',
      new FrameworkError('notes.full', 'no room', { statusCode: 507 }),
      507,
      { code: 'notes.full', message: 'no room', status_code: 507, request_id: 'req-1' },
    ],
    [
      'a status that is none',
      new FrameworkError('app.conflict', undefined, { statusCode: 200 }),
      409,
      { code: 'app.conflict', message: 'conflict', status_code: 409, request_id: 'req-1' },
    ],
    ['a blank code', new FrameworkError(' ', 'm'), 500, { code: 'app.internal', message: 'm', request_id: 'req-1' }],
    [
      'everything',
      new FrameworkError('app.conflict', 'm', {
        details: { a: 1 },
        requestId: 'r',
        traceId: 't',
        timestamp: 'now',
        stackTrace: 's',
        cause: new Error('c'),
      }),
      409,
      {
        code: 'app.conflict',
        message: 'm',
        details: { a: 1 },
        request_id: 'r',
        trace_id: 't',
        timestamp: 'now',
        stack_trace: 's',
      },
    ],
  ])('nested: %s', async (_name, error, status, body) => {
    const got = await once(failing(error), {});
    expect([got.status, bodyOf(got)]).toEqual([status, { error: body }]);
  });

  it('keep the order of members', async () => {
    const error = new FrameworkError('a.b', 'm', {
      statusCode: 418,
      details: 1,
      requestId: 'r',
      traceId: 't',
      timestamp: 'x',
      stackTrace: 's',
    });
    expect((await once(failing(error), {})).body.toString()).toBe(
      '{"error":{"code":"a.b","message":"m","status_code":418,"details":1,"request_id":"r","trace_id":"t","timestamp":"x","stack_trace":"s"}}',
    );
  });

  it.each([
    [new FrameworkError('EMPTY_BODY', 'legacy'), 400, '{"code":"EMPTY_BODY","message":"legacy"}'],
    [
      new FrameworkError('app.conflict', 'm', { details: [1], requestId: 'r' }),
      409,
      '{"code":"app.conflict","message":"m","details":[1]}',
    ],
    [new Error('secret'), 500, '{"code":"app.internal","message":"internal error"}'],
  ])('flat legacy', async (error, status, body) => {
    const got = await once(failing(error), {}, { httpErrorFormat: HTTP_ERROR_FORMAT_FLAT_LEGACY });
    expect([got.status, got.body.toString(), got.headers['content-type']]).toEqual([
      status,
      body,
      'application/json; charset=utf-8',
    ]);
  });

  it.each<[unknown, number, object]>([
    [
      new FrameworkError('app.conflict', 'm', { details: [1] }),
      409,
      { title: 'Conflict', detail: 'm', code: 'app.conflict', details: [1] },
    ],
    [
      new FrameworkError('app.validation_failed'),
      422,
      { title: 'Unprocessable Content', detail: 'validation failed', code: 'app.validation_failed' },
    ],
    [
      new FrameworkError('shop.closed', 'm', { statusCode: 499, traceId: 't', timestamp: 'x', stackTrace: 's' }),
      499,
      { detail: 'm', code: 'shop.closed', trace_id: 't', timestamp: 'x', stack_trace: 's' },
    ],
    [
      new FrameworkError('EMPTY_BODY'),
      400,
      { title: 'Bad Request', detail: 'request body is empty', code: 'app.bad_request' },
    ],
    [new Error('secret'), 500, { title: 'Internal Server Error', detail: 'internal error', code: 'app.internal' }],
  ])('problem details (RFC 9457)', async (error, status, members) => {
    const got = await once(failing(error), {}, { httpErrorFormat: HTTP_ERROR_FORMAT_PROBLEM });
    expect([got.status, got.headers['content-type'], bodyOf(got)]).toEqual([
      status,
      'application/problem+json',
      { type: 'about:blank', status, request_id: 'req-1', ...members },
    ]);
  });

  it.each<[Sent, number, string]>([
    [{ path: '/nowhere' }, 404, 'Not Found'],
    [{ method: 'PUT' }, 405, 'Method Not Allowed'],
  ])('problem details of %j', async (sent, status, title) => {
    const got = await once((http) => http.get('/', () => text(200, '')), sent, { httpErrorFormat: 'problem' });
    expect([got.status, got.headers['content-type'], bodyOf(got)]).toMatchObject([
      status,
      'application/problem+json',
      { status, title },
    ]);
  });

  it('leave out details that are not JSON', async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const got = await once(failing(new FrameworkError('app.conflict', 'm', { details: loop })), {});
    expect([got.status, bodyOf(got)]).toEqual([
      409,
      { error: { code: 'app.conflict', message: 'm', request_id: 'req-1' } },
    ]);
  });
});

describe('observability', () => {
  it('records what happened under the pattern, and agrees with the body on the code', async () => {
    const logs: LogRecord[] = [];
    const metrics: MetricRecord[] = [];
    const router = routerWith(
      (http) =>
        http.get('/u/{id}', () => {
          throw new FrameworkError('INVALID_JSON');
        }),
      { observability: { log: (record) => logs.push(record), metric: (record) => metrics.push(record) } },
    );
    await send(router, gatewayV2, { path: '/u/1' });
    await send(router, functionUrl, { path: '/nowhere/1' });
    expect(logs.map(({ route, status, error_code }) => [route, status, error_code])).toEqual([
      ['/u/{id}', 400, 'app.bad_request'],
      ['(unmatched)', 404, 'app.not_found'],
    ]);
    expect(metrics.map(({ name, tags }) => [name, tags.route, tags.trigger])).toEqual([
      ['framework.request', '/u/{id}', 'gateway-v2'],
      ['framework.request', '(unmatched)', 'function-url'],
    ]);
  });

  it('never changes an answer when a hook throws or rejects', async () => {
    const register: Register = (http) => http.get('/', () => json(200, { a: 1 }));
    const plain = await once(register, {});
    const hooks = {
      log: () => {
        throw new Error('x');
      },
      metric: () => Promise.reject(new Error('y')),
      span: {
        start: () => {
          throw new Error('z');
        },
      },
    };
    expect((await once(register, {}, { observability: hooks })).raw).toEqual(plain.raw);
  });

  it('is silent below P2', async () => {
    const logs: LogRecord[] = [];
    await once(
      (http) => http.get('/', () => text(200, '')),
      {},
      { tier: 'p1', observability: { log: (record) => logs.push(record) } },
    );
    expect(logs).toEqual([]);
  });
});

describe('tenant of the open container', () => {
  it.each<[Sent, string]>([
    [{ headers: { 'X-Tenant-Id': ' t1 ' }, query: 'tenant=t2' }, 't1'],
    [{ query: 'tenant=t2' }, 't2'],
    [{}, ''],
  ])('of %j is %j', async (sent, tenant) => {
    expect((await once((http) => http.get('/', (ctx) => text(200, ctx.tenantId)), sent)).body.toString()).toBe(tenant);
  });
});

describe('serve without a door', () => {
  it('answers a response whose stream is the caller’s to read', async () => {
    const router = routerWith((http) => http.get('/s', () => ({ bodyStream: [Buffer.from('a')] })));
    const answer = await router.serveRequest({ method: 'GET', path: '/s?x=1', headers: { a: 'b' } }, LAMBDA);
    const chunks: string[] = [];
    for await (const chunk of answer.bodyStream ?? []) chunks.push(Buffer.from(chunk).toString());
    expect([answer.status, chunks]).toEqual([200, ['a']]);
  });

  it('rejects a header value with characters that are not one byte', async () => {
    const router = routerWith((http) => http.get('/', () => ({ headers: { 'x-a': '€' } })));
    const { status, headers } = await router.serveRequest({ method: 'GET', path: '/' });
    expect([status, headers['x-a']]).toEqual([500, undefined]);
  });

  it('checks a provenance that a caller hands in', async () => {
    const router = routerWith((http) => http.get('/', (ctx) => json(200, ctx.sourceProvenance())));
    const given = {
      sourceIP: '2001:DB8::1',
      provider: 'apigw-v2',
      source: 'provider_request_context',
      valid: false,
    } as const;
    const good = await router.serveRequest({ method: 'GET', path: '/', sourceProvenance: given });
    expect(JSON.parse(Buffer.from(good.body).toString())).toEqual({
      sourceIP: '2001:db8::1',
      provider: 'apigw-v2',
      source: 'provider_request_context',
      valid: true,
    });
    const bad = await router.serveRequest({ method: 'GET', path: '/', sourceProvenance: { ...given, sourceIP: 'x' } });
    expect(JSON.parse(Buffer.from(bad.body).toString())).toEqual({
      sourceIP: '',
      provider: 'unknown',
      source: 'unknown',
      valid: false,
    });
  });

  it.each<[string, object, string]>([
    ['text', { body: 'aGk=' }, 'aGk='],
    ['text that is no base64', { body: 'hi there', isBase64: false }, 'hi there'],
    ['base64 text', { body: 'aGk=', isBase64: true }, 'hi'],
    ['bytes', { body: Buffer.from('aGk=') }, 'aGk='],
    ['bytes of base64 text', { body: Buffer.from('aGk='), isBase64: true }, 'hi'],
    ['bytes that are said to be base64 by another value', { body: Buffer.from('\u00e9'), isBase64: 'true' }, '\u00e9'],
    ['no body, though it is said to be base64', { isBase64: true }, ''],
  ])('accepts %s', async (_what, parts, body) => {
    const router = routerWith((http) => http.post('/', (ctx) => text(200, ctx.bodyText())));
    const answer = await router.serveRequest({ method: 'POST', path: '/', ...parts });
    expect(Buffer.from(answer.body).toString()).toBe(body);
  });
});

describe('deliveries', () => {
  it('that a log line has started are awaited before the answer', async () => {
    const order: string[] = [];
    const publish = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('published');
    };
    const notifier = createErrorNotifier({
      publish,
      topicArn: 'arn:aws:sns:eu-west-1:123456789012:errors',
      service: 's',
    });
    const log = createLogger({ write: () => {}, sinks: [notifier] });
    const router = routerWith(
      (http) =>
        http.get('/', (ctx) => {
          ctx.log.error('broken', { error: new Error('x') });
          return text(200, '');
        }),
      { log },
    );
    await send(router, gatewayV2, {});
    order.push('answered');
    expect(order).toEqual(['published', 'answered']);
  });
});

describe('ctx.metric', () => {
  it('writes what is declared', async () => {
    const metrics: MetricRecord[] = [];
    await once(
      (http) =>
        http.get('/', (ctx) => {
          ctx.metric('orders', 2, { unit: 'Count' });
          return text(200, '');
        }),
      {},
      { observability: { metric: (record) => metrics.push(record), metrics: defineMetrics({ orders: { tags: [] } }) } },
    );
    expect(metrics.map(({ name, value }) => [name, value])).toEqual([
      ['orders', 2],
      ['framework.request', 1],
    ]);
  });
});
