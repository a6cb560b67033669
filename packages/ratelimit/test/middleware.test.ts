import { type Context, FrameworkError, type Middleware, type Response } from '@sallyport/core';
import { text } from '@sallyport/http';
import {
  fixedWindow,
  multiWindow,
  type RateLimiter,
  type RateLimitMiddlewareOptions,
  type RateLimitPolicyOptions,
  rateLimitMiddleware,
  rateLimitPolicy,
} from '@sallyport/ratelimit';
import { createFakeRateLimiter, type FakeRateLimiter } from '@sallyport/ratelimit/testing';
import { createContext, fromIp, type TestRequest } from './support/context.js';
import { WallClock } from './support/dynamo.js';
import { createRecorder } from './support/recorder.js';

const clock = new WallClock();
const once = () => createFakeRateLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 60_000 }), clock });

async function run(middleware: Middleware, ctx: Context, answer: object = { status: 200 }): Promise<Response> {
  return (await middleware(ctx, async () => answer as Response)) as Response;
}

/** The key that a request is counted under. */
async function keyOf(request: TestRequest, options: Partial<RateLimitMiddlewareOptions> = {}) {
  const limiter = once();
  await run(rateLimitMiddleware({ limiter, ...options }), createContext({ clock, ...request }));
  return limiter.calls[0]?.key;
}

const API_KEY = 'api_key:hmac-sha256:3aac7b8736ac3f36e2a5953843e1c8887a8941d39efbb1f38ab56e91b2b25cab';
const BEARER = 'bearer:hmac-sha256:9c2a84ede1c96d53239c9f229dd9f51a5df21f77fffce9dfd8931374f3f146ca';
const KNOWN = { authIdentity: 'user-1', tenantId: 'acme' };

describe('who is counted', () => {
  it.each<[string, TestRequest, string, string]>([
    [
      'an API key',
      { headers: { 'X-Api-Key': 'test-key', authorization: 'Bearer test-token' }, tenantId: 'acme' },
      'api_key',
      API_KEY,
    ],
    ['an API key with blanks round it', { headers: { 'x-api-key': '\t test-key ' } }, 'api_key', API_KEY],
    ['the first API key', { headers: { 'x-api-key': ['test-key', 'other'] } }, 'api_key', API_KEY],
    ['a bearer token', { headers: { authorization: 'Bearer test-token' }, tenantId: 'acme' }, 'bearer', BEARER],
    ['a bearer token in lower case', { headers: { authorization: 'bearer test-token' } }, 'bearer', BEARER],
    ['a bearer token with padding', { headers: { authorization: 'Bearer test-token==' } }, 'bearer', BEARER],
    [
      'a tenant behind a bearer of padding alone',
      { headers: { authorization: 'Bearer ==' }, tenantId: 'acme' },
      'tenant',
      'acme',
    ],
    ['a bearer token behind blanks', { headers: { authorization: ' BEARER   test-token\t' } }, 'bearer', BEARER],
    ['an identity', KNOWN, 'auth', 'user-1'],
    ['an identity beside an API key', { headers: { 'x-api-key': 'invented' }, ...KNOWN }, 'auth', 'user-1'],
    [
      'an identity beside a bearer token',
      { headers: { authorization: 'Bearer invented' }, ...KNOWN },
      'auth',
      'user-1',
    ],
    ['an identity beside basic credentials', { headers: { authorization: 'Basic eA==' }, ...KNOWN }, 'auth', 'user-1'],
    [
      'a tenant behind a bearer without token',
      { headers: { authorization: 'Bearer ' }, tenantId: 'acme' },
      'tenant',
      'acme',
    ],
    [
      'a tenant behind a longer scheme',
      { headers: { authorization: 'Bearerx y' }, tenantId: 'acme' },
      'tenant',
      'acme',
    ],
    ['a tenant behind a blank API key', { headers: { 'x-api-key': ' ' }, tenantId: 'acme' }, 'tenant', 'acme'],
    ['a tenant', { tenantId: 'acme' }, 'tenant', 'acme'],
    ['a tenant that is called anonymous', { tenantId: 'anonymous' }, 'tenant', 'anonymous'],
    ['nobody', {}, 'anonymous', 'anonymous'],
  ])('%s', async (_, request, kind, identifier) => {
    expect(await keyOf(request)).toMatchObject({ kind, identifier });
  });

  it('an identity without the tenant that the caller claims', async () => {
    expect((await keyOf(KNOWN))?.caller).toBe('["","user-1",""]');
  });

  it('an own identifier first, unchanged, unless it is blank', async () => {
    const headers = { 'x-api-key': 'test-key' };
    expect(await keyOf({ headers }, { extractIdentifier: () => ' Mine ' })).toMatchObject({
      kind: 'custom',
      identifier: ' Mine ',
    });
    expect(await keyOf({ headers }, { extractIdentifier: async () => ' ' })).toMatchObject({ kind: 'api_key' });
  });

  it('a custom key changes the fingerprint, and a function is called once', async () => {
    const asked = createRecorder();
    const fingerprintKey = async () => {
      asked();
      return '0123456789abcdef';
    };
    const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 9, windowMs: 60_000 }), clock });
    const middleware = rateLimitMiddleware({ limiter, fingerprintKey });
    const headers = { 'x-api-key': 'test-key' };
    await Promise.all([run(middleware, createContext({ headers })), run(middleware, createContext({ headers }))]);
    await run(rateLimitMiddleware({ limiter, fingerprintKey: '0123456789abcdef' }), createContext({ headers }));
    const identifiers = limiter.calls.map(({ key }) => key.identifier);
    expect(new Set(identifiers).size).toBe(1);
    expect(identifiers[0]).not.toBe(API_KEY);
    expect(asked.calls.length).toBe(1);
  });

  it('a failing key function is called again, and no request is allowed meanwhile', async () => {
    const keys = [
      Promise.reject(new Error('secrets are down')),
      Promise.resolve('short'),
      Promise.resolve('0123456789abcdef'),
    ];
    for (const key of keys) key.catch(() => {});
    const middleware = rateLimitMiddleware({ limiter: once(), fingerprintKey: () => keys.shift() ?? Promise.reject() });
    const ctx = () => createContext({ headers: { 'x-api-key': 'k' } });
    await expect(run(middleware, ctx())).rejects.toMatchObject({ code: 'app.internal', message: 'internal error' });
    await expect(run(middleware, ctx())).rejects.toMatchObject({
      code: 'app.internal',
      cause: { code: 'ratelimit.invalid_config' },
    });
    expect((await run(middleware, ctx())).status).toBe(200);
  });
});

describe('which requests are counted', () => {
  it.each<[string, TestRequest, string, string]>([
    ['the pattern of the route, not the path', { path: '/users/2' }, '/users/{id}', 'GET'],
    [
      'a GraphQL field',
      { trigger: 'appsync', method: 'POST', route: { surface: 'appsync', method: 'POST', pattern: 'Mutation.save' } },
      'Mutation.save',
      'POST',
    ],
    ['no route', { route: null, path: '/wp-admin' }, '(unmatched)', 'GET'],
    ['no route and an invented method', { route: null, method: 'FRESH1' }, '(unmatched)', 'OTHER'],
    ['a method of its own on a route', { method: 'PURGE' }, '/users/{id}', 'PURGE'],
    ['a connection', socket('CONNECT', '$connect'), '$connect', 'CONNECT'],
    ['a message', socket('MESSAGE', '$default'), '$default', 'MESSAGE'],
    ['a message of a route', socket('MESSAGE', 'send'), 'send', 'MESSAGE'],
    ['a message without route', { ...socket('MESSAGE', 'send'), route: null }, '(unmatched)', 'MESSAGE'],
    ['a connection without route', { ...socket('CONNECT', '$connect'), route: null }, '(unmatched)', 'CONNECT'],
    ['a connection by its route alone', socket('', '$connect'), '$connect', 'CONNECT'],
    ['a connection by its event alone', socket('CONNECT', 'send'), 'send', 'CONNECT'],
    [
      'a message by the surface of its route',
      { ...socket('MESSAGE', 'send'), trigger: 'gateway-v2' },
      'send',
      'MESSAGE',
    ],
    ['a route with a blank pattern', { route: { surface: 'http', method: 'GET', pattern: ' ' } }, '(unmatched)', 'GET'],
  ])('%s', async (_, request, resource, operation) => {
    expect(await keyOf(request)).toMatchObject({ resource, operation });
  });

  it.each<[string, TestRequest]>([
    ['with its route', socket('DISCONNECT', '$disconnect')],
    ['by its event alone', socket('DISCONNECT', 'send')],
    ['by its route alone', socket('', '$disconnect')],
    ['without route', { ...socket('DISCONNECT', '$disconnect'), route: null }],
    ['without route and event', { ...socket('', '$disconnect'), route: null }],
  ])('never a disconnect: %s', async (_, request) => {
    expect(await keyOf(request)).toBeUndefined();
  });

  it('one bucket for all ids of a route', async () => {
    const middleware = rateLimitMiddleware({ limiter: once() });
    await run(middleware, createContext({ path: '/users/1' }));
    await expect(run(middleware, createContext({ path: '/users/2' }))).rejects.toMatchObject({
      code: 'app.rate_limited',
    });
  });

  it('own strings replace resource and operation, blank ones do not', async () => {
    const own = { extractResource: () => 'notes', extractOperation: async () => 'write' };
    expect(await keyOf({}, own)).toMatchObject({ resource: 'notes', operation: 'write' });
    const blank = { extractResource: () => '', extractOperation: () => ' ' };
    expect(await keyOf({}, blank)).toMatchObject({ resource: '/users/{id}', operation: 'GET' });
  });

  it('with a cost, and not at all when skipped', async () => {
    const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 9, windowMs: 60_000 }), clock });
    await run(rateLimitMiddleware({ limiter, cost: 2 }), createContext());
    await run(rateLimitMiddleware({ limiter, cost: async () => 3 }), createContext());
    await run(rateLimitMiddleware({ limiter, skip: async () => true }), createContext());
    for (const skip of [() => false, () => 'yes' as never, () => undefined as never]) {
      await run(rateLimitMiddleware({ limiter, skip }), createContext());
    }
    expect(limiter.calls.map(({ cost }) => cost)).toEqual([2, 3, 1, 1, 1]);
  });
});

describe('the answers', () => {
  it("an allowed request has the handler's answer with headers, and the decision on its context", async () => {
    const ctx = createContext({ clock });
    const response = await run(rateLimitMiddleware({ limiter: once() }), ctx, { status: 201, body: 'ok' });
    expect(response.status).toBe(201);
    expect({ ...response.headers }).toEqual({
      'ratelimit-policy': ['"default";q=1;w=60'],
      ratelimit: ['"default";r=0;t=60'],
      'x-ratelimit-limit': ['1'],
      'x-ratelimit-remaining': ['0'],
      'x-ratelimit-reset': ['1699999260'],
    });
    expect(ctx.get('rate_limit_decision')).toMatchObject({ allowed: true, source: 'store', currentCount: 1 });
  });

  it('one answer for all requests does not keep the headers of the first', async () => {
    const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 9, windowMs: 60_000 }), clock });
    const constant = text(200, 'same');
    const rests = [];
    for (const _ of [1, 2]) {
      const response = await run(rateLimitMiddleware({ limiter }), createContext({ clock }), constant);
      rests.push(response.headers['x-ratelimit-remaining'], new TextDecoder().decode(response.body));
    }
    expect(rests).toEqual([['8'], 'same', ['7'], 'same']);
    expect(Object.keys(constant.headers)).toEqual(['content-type']);
  });

  it('headers of the handler remain', async () => {
    const answer = { headers: { 'RateLimit-Policy': 'mine', 'X-RateLimit-Limit': '7' } };
    const { headers } = await run(rateLimitMiddleware({ limiter: once() }), createContext({ clock }), answer);
    expect([headers['ratelimit-policy'], headers['x-ratelimit-limit'], headers.ratelimit]).toEqual([
      ['mine'],
      ['7'],
      ['"default";r=0;t=60'],
    ]);
  });

  it('a denied request is a thrown error with headers, and the handler does not run', async () => {
    const middleware = rateLimitMiddleware({ limiter: once() });
    await run(middleware, createContext({ clock }));
    const handler = createRecorder();
    const denied = Promise.resolve(middleware(createContext({ clock }), async () => handler() as never));
    const error = await denied.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FrameworkError);
    expect(error).toMatchObject({ code: 'app.rate_limited', message: 'rate limited', status: 429 });
    expect((error as FrameworkError).headers).toEqual({
      'ratelimit-policy': '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1699999260',
      'retry-after': '60',
    });
    expect(handler.calls).toEqual([]);
  });

  it('a window among several is named', async () => {
    const strategy = multiWindow([
      { limit: 1, windowMs: 60_000 },
      { limit: 9, windowMs: 3_600_000 },
    ]);
    const { headers } = await run(
      rateLimitMiddleware({ limiter: createFakeRateLimiter({ strategy, clock }) }),
      createContext({ clock }),
    );
    expect(headers['x-ratelimit-window']).toEqual(['1m']);
  });

  it('no partition key and no identifier is sent', async () => {
    const middleware = rateLimitMiddleware({ limiter: once() });
    const headers = { 'x-api-key': 'test-key' };
    const response = await run(middleware, createContext({ clock, headers }));
    const error = await run(middleware, createContext({ clock, headers })).catch((thrown: unknown) => thrown);
    const sent = JSON.stringify([
      response.headers,
      (error as FrameworkError).headers,
      (error as FrameworkError).details,
    ]);
    expect(sent).not.toMatch(/RL#|hmac|3aac|test-key|users/);
  });

  it('a store that fails is 503 when it denies and the bare answer when it allows', async () => {
    const denying = once();
    denying.goDown();
    await expect(run(rateLimitMiddleware({ limiter: denying }), createContext())).rejects.toMatchObject({
      code: 'app.overloaded',
      status: 503,
      headers: { 'retry-after': '1', 'x-rate-limit-fail-closed': 'true' },
    });
    const strategy = fixedWindow({ limit: 1, windowMs: 60_000 });
    const allowing = createFakeRateLimiter({ strategy, clock, onStoreError: 'allow' });
    allowing.goDown();
    const ctx = createContext();
    expect({ ...(await run(rateLimitMiddleware({ limiter: allowing }), ctx)).headers }).toEqual({});
    expect(ctx.get('rate_limit_decision')).toMatchObject({ degraded: true, source: 'none', remaining: 0 });
  });

  it('hooks see decisions, denials apart, and cannot change an answer by throwing', async () => {
    const seen: string[] = [];
    const options = {
      limiter: once(),
      onDecision: (_: Context, { allowed }: { allowed: boolean }) => {
        seen.push(`decision ${allowed}`);
        throw new Error('hook');
      },
      onRateLimit: () => {
        seen.push('denied');
        throw new Error('hook');
      },
    };
    const middleware = rateLimitMiddleware(options);
    expect((await run(middleware, createContext())).status).toBe(200);
    await expect(run(middleware, createContext())).rejects.toMatchObject({ code: 'app.rate_limited' });
    expect(seen).toEqual(['decision true', 'decision false', 'denied']);
  });

  it.each<[string, Partial<RateLimitMiddlewareOptions>]>([
    ['an identifier that throws', { extractIdentifier: fail }],
    ['an identifier that is no text', { extractIdentifier: () => undefined as never }],
    ['a resource that throws', { extractResource: fail }],
    ['an operation that is not a string', { extractOperation: () => 5 as never }],
    ['a cost that throws', { cost: fail }],
    ['a cost that is no whole number', { cost: () => 0.5 }],
    ['a skip that throws', { skip: fail }],
  ])('%s is 500 and never admitted', async (_, options) => {
    const handler = createRecorder();
    const middleware = rateLimitMiddleware({ limiter: once(), ...options });
    const answer = Promise.resolve(middleware(createContext(), async () => handler() as never));
    await expect(answer).rejects.toMatchObject({ code: 'app.internal', message: 'internal error', status: 500 });
    expect(handler.calls).toEqual([]);
  });

  it('an expired invocation stops the wait for the store with its reason', async () => {
    const limiter = once();
    const release = limiter.hold();
    const ctx = createContext();
    const pending = run(rateLimitMiddleware({ limiter }), ctx);
    (ctx as never as { state: { abort(reason: unknown): void } }).state.abort(new FrameworkError('app.timeout'));
    release();
    await expect(pending).rejects.toMatchObject({ code: 'app.timeout' });
  });
});

describe('the policy hook', () => {
  const byHeader = (ctx: Context) => ctx.header('x-caller') ?? '';

  async function policy(limiter: FakeRateLimiter, request: TestRequest, options: Partial<RateLimitPolicyOptions> = {}) {
    const ctx = createContext({ clock, provenance: fromIp('192.0.2.1'), ...request });
    return rateLimitPolicy({ limiter, extractIdentifier: byHeader, ...options })(ctx);
  }

  it('allows without an answer, and denies with code and headers', async () => {
    const limiter = once();
    expect(await policy(limiter, { headers: { 'x-caller': 'a' } })).toBeNull();
    expect(await policy(limiter, { headers: { 'x-caller': 'a' } })).toEqual({
      code: 'app.rate_limited',
      headers: {
        'ratelimit-policy': '"default";q=1;w=60',
        ratelimit: '"default";r=0;t=60',
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1699999260',
        'retry-after': '60',
      },
    });
  });

  it('lets a disconnect and a skipped request pass, and counts neither', async () => {
    const limiter = once();
    for (const _ of [1, 2]) {
      expect(await policy(limiter, socket('DISCONNECT', '$disconnect'))).toBeNull();
      expect(await policy(limiter, {}, { skip: () => true })).toBeNull();
    }
    expect(limiter.calls).toEqual([]);
  });

  it('is not escaped by a fresh API key', async () => {
    const limiter = once();
    await policy(limiter, { headers: { 'x-api-key': 'one' } });
    expect(await policy(limiter, { headers: { 'x-api-key': 'two' } })).toMatchObject({ code: 'app.rate_limited' });
    expect(limiter.calls[0]?.key).toMatchObject({ kind: 'anonymous', identifier: 'anonymous' });
  });

  it('answers a store that fails like the middleware', async () => {
    const limiter = once();
    limiter.goDown();
    expect(await policy(limiter, {})).toEqual({
      code: 'app.overloaded',
      headers: { 'retry-after': '1', 'x-rate-limit-fail-closed': 'true' },
    });
  });
});

describe('options', () => {
  const limiter = once();

  it.each<[string, object]>([
    ['no limiter', { limiter: undefined }],
    ['a limiter that is none', { limiter: {} }],
    ['an unknown option', { extractIdentity: () => '' }],
    ['an extractor that is no function', { extractIdentifier: 'x' }],
    ['a hook that is no function', { onDecision: 1 }],
    ['a cost of 0', { cost: 0 }],
    ['a short fingerprint key', { fingerprintKey: 'short' }],
    ['unknown headers', { headers: { draft: true } }],
    ['headers that are no booleans', { headers: { ietf: 'yes' } }],
  ])('of the middleware reject %s', (_, change) => {
    expect(() => rateLimitMiddleware({ limiter, ...change } as { limiter: RateLimiter })).toThrow(
      expect.objectContaining({ code: 'ratelimit.invalid_config' }),
    );
  });

  it.each<[string, object]>([
    ['no identifier', { extractIdentifier: undefined }],
    ['a fingerprint key', { fingerprintKey: '0123456789abcdef' }],
  ])('of the policy reject %s', (_, change) => {
    expect(() => rateLimitPolicy({ limiter, extractIdentifier: () => 'x', ...change } as never)).toThrow(
      expect.objectContaining({ code: 'ratelimit.invalid_config' }),
    );
  });
});

function socket(eventType: string, routeKey: string): TestRequest {
  const route = { surface: 'websocket', method: '', pattern: routeKey } as const;
  return { trigger: 'websocket', method: 'GET', route, webSocket: { eventType, routeKey } };
}

function fail(): never {
  throw new Error('extractor');
}
