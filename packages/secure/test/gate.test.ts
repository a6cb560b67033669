import { type Context, FrameworkError, type SecurePrincipal } from '@sallyport/core';
import { stateOf } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import {
  Authenticated,
  AuthenticatedAnyOf,
  firstPrincipal,
  InternalOnly,
  Optional,
  type Posture,
  Public,
  SecureApp,
  type SecureOptions,
  type SecurePrincipalResolver,
} from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { authorize } from '../src/internal/gate.js';
import { requestContext } from './support/context.js';
import { createLambdaContext } from './support/lambda.js';
import { DIRECT, graphqlEvent, OPERATIONS, readGraphql, send } from './support/operations.js';

const ada: SecurePrincipal = { identity: 'ada', scopes: ['read', 'write'], kind: 'internal' };

/** The outcome of a call of the gate: `pass`, or a code. */
async function outcome(record: unknown, resolver?: SecurePrincipalResolver, ctx = requestContext()): Promise<string> {
  try {
    await authorize(record as never, ctx, resolver);
    return 'pass';
  } catch (error) {
    return (error as FrameworkError).code;
  }
}

/** A foreign thenable. */
function thenable(run: (resolve: (value: unknown) => void) => void): PromiseLike<unknown> {
  return Object.defineProperty({}, 'then', { value: run }) as PromiseLike<unknown>;
}

describe('authorize, given a broken record', () => {
  it.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['without a posture', {}],
    ['with a posture of null', { posture: null }],
    ['with a kind for a posture', { posture: 'public' }],
    ['with a literal', { posture: { kind: 'public', scopes: [] } }],
    ['with a frozen literal', { posture: Object.freeze({ kind: 'public', scopes: Object.freeze([]) }) }],
    ['with a kind of Object', { posture: { kind: 'toString', scopes: [] } }],
    ['without scopes', { posture: { kind: 'authenticated', scopes: null } }],
    ['with an empty any-of list', { posture: { kind: 'authenticated_any_of', scopes: [] } }],
    ['with an heir of a posture', { posture: Object.create(Authenticated()) }],
    ['with a clone', { posture: structuredClone(Public()) }],
    ['with a proxy', { posture: new Proxy(Public(), {}) }],
  ])('%s: internal error, and the resolver is not called', async (_, record) => {
    let asked = 0;
    const resolver = () => {
      asked += 1;
      return ada;
    };
    expect(await outcome(record, resolver)).toBe('app.internal');
    expect(asked).toBe(0);
  });
});

describe('authorize', () => {
  it('puts principal and identity on the context, and its mark on the trace', async () => {
    const ctx = requestContext();
    expect(await outcome({ posture: Authenticated('read') }, () => ada, ctx)).toBe('pass');
    expect(stateOf(ctx).principal).toEqual({ ...ada, claims: {}, tenantId: '' });
    expect([ctx.authIdentity, ctx.middlewareTrace]).toEqual(['ada', ['auth']]);
  });

  it('returns without a promise if the resolver does', () => {
    expect(authorize({ posture: Authenticated('read') }, requestContext(), () => ada)).toBeUndefined();
  });

  it('adds no entry to the trace for a public operation', async () => {
    const ctx = requestContext();
    expect(await outcome({ posture: Public() }, () => ada, ctx)).toBe('pass');
    expect([stateOf(ctx).principal, ctx.middlewareTrace]).toEqual([null, []]);
  });

  it.each<[string, Posture, SecurePrincipalResolver]>([
    ['401', Authenticated(), () => null],
    ['403 for scopes', Authenticated('admin'), () => ada],
    ['403 for kind', InternalOnly(), () => ({ identity: 'eve' })],
    ['403 for tenant', Authenticated(), () => ({ ...ada, tenantId: 'other' })],
    [
      'a resolver that throws',
      Optional(),
      () => {
        throw new FrameworkError('app.conflict');
      },
    ],
  ])('leaves no principal: %s', async (_, posture, resolver) => {
    const ctx = requestContext({ tenantId: 't1' });
    expect(await outcome({ posture }, resolver, ctx)).not.toBe('pass');
    expect([stateOf(ctx).principal, ctx.authIdentity, ctx.middlewareTrace]).toEqual([null, '', ['auth']]);
  });

  it('shows the resolver no principal', async () => {
    const seen: unknown[] = [];
    await outcome({ posture: Authenticated() }, (ctx) => {
      seen.push(ctx.securePrincipal(), ctx.authIdentity);
      return ada;
    });
    expect(seen).toEqual([null, '']);
  });

  it('keeps what a resolver threw for the log alone', async () => {
    const secret = new Error('secret');
    const thrown: unknown[] = [];
    for (const resolver of [
      () => {
        throw secret;
      },
      () => Promise.reject(secret),
    ]) {
      try {
        await authorize({ posture: Optional() }, requestContext(), resolver);
      } catch (error) {
        thrown.push(error);
      }
    }
    for (const error of thrown)
      expect(error).toMatchObject({ code: 'app.internal', message: 'internal error', cause: secret });
    expect(thrown).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'secret'],
    ['an object with a code', { code: 'app.conflict', message: 'forged' }],
  ])('makes an internal error of a thrown %s', async (_, value) => {
    expect(
      await outcome({ posture: Optional() }, () => {
        throw value;
      }),
    ).toBe('app.internal');
    expect(await outcome({ posture: Optional() }, () => Promise.reject(value))).toBe('app.internal');
  });

  it('makes an internal error of a principal whose getter throws', async () => {
    const principal = Object.defineProperty({ ...ada }, 'scopes', {
      get: () => {
        throw new Error('secret');
      },
    });
    expect(await outcome({ posture: Optional() }, () => principal)).toBe('app.internal');
    expect(await outcome({ posture: Optional() }, async () => principal)).toBe('app.internal');
  });

  it.each<[string, PromiseLike<unknown>, string]>([
    ['that settles', thenable((resolve) => resolve(ada)), 'pass'],
    [
      'that settles twice',
      thenable((resolve) => {
        resolve(null);
        resolve(ada);
      }),
      'app.unauthorized',
    ],
    [
      'that throws',
      thenable(() => {
        throw new Error('secret');
      }),
      'app.internal',
    ],
  ])('waits for a thenable %s', async (_, answer, code) => {
    expect(await outcome({ posture: Authenticated('read') }, () => answer as never)).toBe(code);
  });
});

describe('the gate’s table', () => {
  const A = Authenticated('read', 'write');
  const B = AuthenticatedAnyOf('read', 'admin');
  const columns = [Public(), Optional(), A, B, InternalOnly()];
  const rows: readonly (readonly [string, SecurePrincipalResolver | undefined, readonly number[], number])[] = [
    ['no resolver', undefined, [200, 200, 401, 401, 401], 0],
    ['a resolver that gives undefined', () => undefined, [200, 200, 401, 401, 401], 1],
    ['a resolver that gives null', () => null, [200, 200, 401, 401, 401], 1],
    ['a resolver that promises null', async () => null, [200, 200, 401, 401, 401], 1],
    ['a blank identity', () => ({ identity: ' ' }), [200, 200, 401, 401, 401], 1],
    ['no object', () => 'ada' as never, [200, 200, 401, 401, 401], 1],
    ['kind mystery', () => ({ ...ada, kind: 'mystery' as never }), [200, 401, 401, 401, 401], 1],
    ['kind mystery, blank identity', () => ({ identity: '', kind: 'mystery' as never }), [200, 401, 401, 401, 401], 1],
    ['external, read', () => ({ identity: 'a', scopes: ['read'] }), [200, 200, 403, 200, 403], 1],
    ['external, admin', () => ({ identity: 'a', scopes: ['admin'] }), [200, 200, 403, 200, 403], 1],
    ['external, READ', () => ({ identity: 'a', scopes: ['READ', 'Write'] }), [200, 200, 403, 403, 403], 1],
    [
      'external, " read ", write, read',
      () => ({ identity: 'a', scopes: [' read ', 'write', 'read'] }),
      [200, 200, 200, 200, 403],
      1,
    ],
    [
      'external, scopes as one text',
      () => ({ identity: 'a', scopes: 'read write' as never }),
      [200, 200, 403, 403, 403],
      1,
    ],
    ['internal, no scopes', () => ({ identity: 'a', kind: 'internal' }), [200, 200, 403, 403, 200], 1],
    ['a promised principal', async () => ada, [200, 200, 200, 200, 200], 1],
    [
      'a resolver that throws app.conflict',
      () => {
        throw new FrameworkError('app.conflict');
      },
      [200, 409, 409, 409, 409],
      1,
    ],
    [
      'a resolver that rejects with app.conflict',
      async () => {
        throw new FrameworkError('app.conflict');
      },
      [200, 409, 409, 409, 409],
      1,
    ],
    [
      'a resolver that throws Error(secret)',
      () => {
        throw new Error('secret');
      },
      [200, 500, 500, 500, 500],
      1,
    ],
  ];
  const cells = OPERATIONS.flatMap((operation) =>
    rows.map(([name, resolver, statuses, asks]) => ({
      way: operation.name,
      name,
      operation,
      resolver,
      statuses,
      asks,
    })),
  );
  const CODES: Readonly<Record<number, readonly string[]>> = {
    200: ['', ''],
    401: ['app.unauthorized', 'unauthorized'],
    403: ['app.forbidden', 'forbidden'],
    409: ['app.conflict', 'conflict'],
    500: ['app.internal', 'internal error'],
  };

  it.each(cells)('$way: $name', async ({ operation, resolver, statuses, asks }) => {
    for (const [index, posture] of columns.entries()) {
      const counts = { resolver: 0, middleware: 0, handler: 0 };
      const principalResolver =
        resolver &&
        ((ctx: Context) => {
          counts.resolver += 1;
          return resolver(ctx);
        });
      const app = new SecureApp(principalResolver ? { principalResolver } : {});
      app.use((ctx, next) => {
        counts.middleware += 1;
        return next(ctx);
      });
      operation.register(
        app,
        () => {
          counts.handler += 1;
          return json(200, 'in');
        },
        posture,
      );
      const { status, code, message, body, raw } = await operation.call(app);
      const wanted = statuses[index] as number;
      expect([posture.kind, status, code, message]).toEqual([posture.kind, wanted, ...(CODES[wanted] as string[])]);
      const passed = wanted === 200 ? 1 : 0;
      expect(counts).toEqual({ resolver: index === 0 ? 0 : asks, middleware: passed, handler: passed });
      if (passed) expect(body).toBe('in');
      expect(raw).not.toMatch(/secret|"read"|"write"|"admin"/);
    }
  });
});

describe('order', () => {
  it.each(['p0', 'p1', 'p2'] as const)('holds at tier %s', async (tier) => {
    const steps: string[] = [];
    const app = new SecureApp({
      tier,
      policyHook: (ctx) => {
        steps.push(`policy ${ctx.securePrincipal()?.identity ?? 'nobody'} ${ctx.route?.pattern}`);
        return null;
      },
      principalResolver: (ctx) => {
        steps.push(`resolver ${ctx.param('id')}`);
        return !ctx.header('x-user') ? null : { identity: ctx.header('x-user') ?? '', tenantId: 't1' };
      },
    });
    app.use((ctx, next) => {
      steps.push(`middleware ${ctx.tenantId}`);
      return next(ctx);
    });
    app.get(
      '/a/{id}',
      (ctx) => {
        steps.push('handler');
        return json(200, ctx.middlewareTrace);
      },
      Authenticated(),
    );
    const policy = tier === 'p2' ? ['policy nobody /a/{id}'] : [];
    expect((await send(app, DIRECT, { path: '/a/7' })).status).toBe(401);
    expect(steps.splice(0)).toEqual([...policy, 'resolver 7']);
    const passed = await send(app, DIRECT, { path: '/a/7', headers: { 'x-user': 'ada' } });
    expect(steps).toEqual([...policy, 'resolver 7', 'middleware t1', 'handler']);
    expect(passed.body).toEqual(tier === 'p0' ? ['auth'] : ['request_id', 'recovery', 'logging', 'auth', 'handler']);
  });

  it('answers 404, 405 and preflights without calling the resolver', async () => {
    let asked = 0;
    const app = new SecureApp({
      cors: { allowedOrigins: ['https://app.example'] },
      principalResolver: () => {
        asked += 1;
        return ada;
      },
    });
    app.get('/closed', () => json(200, 1), Authenticated());
    app.get('/open', () => json(200, 1), Public());
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    const preflights = await Promise.all(
      ['/closed', '/open', '/nowhere'].map((path) => send(app, DIRECT, { method: 'OPTIONS', path, headers })),
    );
    const { 'x-request-id': _, ...fixed } = preflights[0]?.headers ?? {};
    for (const preflight of preflights) expect(preflight).toMatchObject({ status: 204, body: null, headers: fixed });
    expect((await send(app, DIRECT, { path: '/nowhere' })).status).toBe(404);
    expect((await send(app, DIRECT, { method: 'POST', path: '/closed' })).status).toBe(405);
    expect(asked).toBe(0);
  });

  it('sends the answer of a policy first', async () => {
    const app = new SecureApp({ policyHook: () => ({ code: 'app.rate_limited' }), principalResolver: () => null });
    app.get('/op', () => json(200, 1), Authenticated());
    expect((await send(app, DIRECT, {})).code).toBe('app.rate_limited');
  });

  it('rejects every caller of a registration without a posture that came in past the checks', async () => {
    const app = new SecureApp({ principalResolver: () => ada });
    const [access] = Object.getOwnPropertySymbols(Object.getPrototypeOf(SecureApp.prototype));
    const { http } = (app as never as Record<symbol, { http: { register: (...args: unknown[]) => unknown } }>)[
      access as symbol
    ] as { http: { register: (...args: unknown[]) => unknown } };
    http.register('GET', '/smuggled', () => json(200, 'in'));
    http.register('GET', '/forged', () => json(200, 'in'), { posture: { kind: 'public', scopes: [] } });
    expect((await send(app, DIRECT, { path: '/smuggled' })).status).toBe(500);
    expect((await send(app, DIRECT, { path: '/forged' })).status).toBe(500);
  });
});

describe('a resolver without an answer', () => {
  const never: SecurePrincipalResolver = () => new Promise(() => {});

  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'ends the request before the deadline: %s',
    async (_, operation) => {
      const clock = new ManualClock();
      let signal: AbortSignal | undefined;
      const app = new SecureApp({
        clock,
        principalResolver: (ctx) => {
          signal = ctx.signal;
          return never(ctx);
        },
      });
      operation.register(app, () => json(200, 'in'), Optional());
      const lambda = createLambdaContext(clock, { remainingMs: 3_000 });
      const answer = operation.call(app, lambda);
      await clock.advance(2_899);
      expect(signal?.aborted).toBe(false);
      await clock.advance(1);
      expect(await answer).toMatchObject({ status: 408, code: 'app.timeout', message: 'request timeout' });
      expect([signal?.aborted, lambda.getRemainingTimeInMillis?.()]).toEqual([true, 100]);
    },
  );

  it('leaves no timer after an answer', async () => {
    const clock = new ManualClock();
    let timers = 0;
    const counted = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      after: (ms: number, run: () => void) => {
        timers += 1;
        const cancel = clock.after(ms, run);
        return () => {
          timers -= 1;
          cancel();
        };
      },
    };
    const app = new SecureApp({ clock: counted, principalResolver: async () => ada });
    app.get('/op', () => json(200, 'in'), Authenticated());
    expect((await send(app, DIRECT, {}, createLambdaContext(clock, {}))).status).toBe(200);
    expect(timers).toBe(0);
  });

  it('waits for any resolver where no deadline is known', async () => {
    const clock = new ManualClock();
    const ctx = requestContext(undefined, clock);
    let release: (principal: SecurePrincipal) => void = () => {};
    const pending = authorize({ posture: Authenticated() }, ctx, () => new Promise((resolve) => (release = resolve)));
    await clock.advance(3_600_000);
    release(ada);
    await pending;
    expect(stateOf(ctx).authIdentity).toBe('ada');
  });

  it('rejects an answer of a resolver that comes after the time limit', async () => {
    const clock = new ManualClock();
    const ctx = requestContext({ remainingMs: 1_000 }, clock);
    let release: (principal: SecurePrincipal) => void = () => {};
    const pending = authorize({ posture: Authenticated() }, ctx, () => new Promise((resolve) => (release = resolve)));
    const refused = expect(pending).rejects.toMatchObject({ code: 'app.timeout' });
    await clock.advance(900);
    await refused;
    release(ada);
    await clock.advance(1);
    expect([stateOf(ctx).principal, stateOf(ctx).authIdentity]).toEqual([null, '']);
  });
});

describe('challenge', () => {
  const bearer = jwtPrincipalResolver({ issuer: 'https://id.example', jwks: { keys: [] }, audience: ['api'] });
  const closed = (options: SecureOptions) =>
    new SecureApp(options)
      .get('/op/{id}', () => json(200, 1), Authenticated('admin'))
      .appSyncField('Query', 'op', () => json(200, 1), Authenticated())
      .webSocket('op', () => json(200, 1), Authenticated());
  const header = async (options: SecureOptions) =>
    (await send(closed(options), DIRECT, { path: '/op/7' })).headers['www-authenticate'];
  const own = (value: string) => () => {
    throw new FrameworkError('app.unauthorized', undefined, {
      headers: { 'WWW-Authenticate': value, 'x-own': 'kept' },
    });
  };

  it.each<[string, SecureOptions, string | undefined]>([
    ['none', {}, undefined],
    ['a text', { challenge: 'Bearer realm="api"' }, 'Bearer realm="api"'],
    [
      'by route',
      { challenge: (ctx) => `Bearer realm="${ctx.route?.pattern}:${ctx.param('id')}"` },
      'Bearer realm="/op/{id}:7"',
    ],
    ['a function that gives none', { challenge: () => undefined }, undefined],
    [
      'a function that fails',
      {
        challenge: () => {
          throw new Error('secret');
        },
      },
      undefined,
    ],
    ['a function that gives a line end', { challenge: () => 'Bearer\r\nset-cookie: a=b' }, undefined],
    ['a function that gives a number', { challenge: () => 5 as never }, undefined],
    ['the resolver’s own without one', { principalResolver: own('Bearer') }, 'Bearer'],
    [
      'over the resolver’s own',
      { challenge: 'Bearer realm="a"', principalResolver: own('Bearer') },
      'Bearer realm="a"',
    ],
    [
      'with what only the resolver’s own says',
      { challenge: 'Bearer realm="a"', principalResolver: own('bearer realm="b", error="invalid_token"') },
      'Bearer realm="a", error="invalid_token"',
    ],
    [
      'bare, with what the resolver’s own says',
      { challenge: 'Bearer', principalResolver: own('Bearer error="invalid_token"') },
      'Bearer error="invalid_token"',
    ],
    [
      'of another scheme',
      { challenge: 'DPoP algs="ES256"', principalResolver: own('Bearer error="x"') },
      'DPoP algs="ES256"',
    ],
    ['by promise', { challenge: 'Bearer', principalResolver: async () => null }, 'Bearer'],
    ['none, by promise', { challenge: false, principalResolver: async () => null }, undefined],
    ['none, not even the resolver’s own', { challenge: false, principalResolver: own('Bearer') }, undefined],
    ['by a resolver of bearer tokens', { principalResolver: bearer }, 'Bearer'],
    ['by one among others', { principalResolver: firstPrincipal(() => null, bearer) }, 'Bearer'],
    ['by one in a list in a list', { principalResolver: firstPrincipal(firstPrincipal(bearer)) }, 'Bearer'],
    ['none, by a list without one', { principalResolver: firstPrincipal(() => null) }, undefined],
    ['none, by a resolver around one', { principalResolver: (ctx) => bearer(ctx) }, undefined],
    ['left out beside a resolver of bearer tokens', { challenge: false, principalResolver: bearer }, undefined],
    [
      'over that of a resolver of bearer tokens',
      { challenge: 'Bearer realm="a"', principalResolver: bearer },
      'Bearer realm="a"',
    ],
    ['a function that gives none beside one', { challenge: () => undefined, principalResolver: bearer }, undefined],
    [
      'a function that fails beside one',
      {
        challenge: () => {
          throw new Error('secret');
        },
        principalResolver: bearer,
      },
      'Bearer',
    ],
    [
      'of another scheme by another resolver in the list',
      { principalResolver: firstPrincipal(bearer, own('DPoP algs="ES256"')) },
      'DPoP algs="ES256"',
    ],
  ])('%s', async (_, options, value) => {
    expect(await header(options)).toBe(value);
  });

  it('is not sent with 403 or any other error', async () => {
    const at = async (principalResolver: SecurePrincipalResolver) =>
      send(closed({ challenge: 'Bearer', principalResolver }), DIRECT, { path: '/op/7' });
    const forbidden = await at(() => ada);
    expect([forbidden.status, forbidden.headers['www-authenticate']]).toEqual([403, undefined]);
    const conflict = await at(() => {
      throw new FrameworkError('app.conflict');
    });
    expect([conflict.status, conflict.headers['www-authenticate']]).toEqual([409, undefined]);
  });

  it('keeps the other headers of the resolver’s rejection', async () => {
    const { headers } = await send(closed({ challenge: 'Bearer', principalResolver: own('Basic') }), DIRECT, {
      path: '/op/7',
    });
    expect([headers['x-own'], headers['www-authenticate']]).toEqual(['kept', 'Bearer']);
  });

  it('is sent over HTTP only', async () => {
    const app = closed({
      challenge: () => {
        throw new Error('asked');
      },
    });
    expect(readGraphql(await app.handleLambda(graphqlEvent())).status).toBe(401);
    const socket = OPERATIONS.find(({ name }) => name === 'WebSocket');
    expect((await socket?.call(app))?.headers).not.toHaveProperty('www-authenticate');
  });
});

test.each<[string, Posture, string | undefined]>([
  ['that needs scopes names them', Authenticated('admin'), 'Bearer scope="admin"'],
  ['that no scope would admit has none', InternalOnly(), undefined],
])('the 403 of an operation %s, with a resolver that has a challenge', async (_title, posture, challenge) => {
  const principalResolver: SecurePrincipalResolver = (ctx) => {
    stateOf(ctx).scopeChallenge = () => 'Bearer scope="admin"';
    return { identity: 'eve', scopes: [] };
  };
  const app = new SecureApp({ log: false, principalResolver }).get('/op', () => json(200, 1), posture);
  const { status, headers } = await send(app, DIRECT, {});
  expect([status, headers['www-authenticate']]).toEqual([403, challenge]);
});
