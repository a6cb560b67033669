import { inspect } from 'node:util';
import { type Context, FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { Authenticated, AuthenticatedAnyOf, InternalOnly, Optional, Public, SecureApp } from '@sallyport/secure';
import { ManualClock } from '@sallyport/testkit';
import fc from 'fast-check';
import { registerMcpFacade } from '../src/facade.js';
import { createMcpServer, mountMcp } from '../src/index.js';
import { readCredentials } from '../src/oauth/internal/credentials.js';
import {
  BearerError,
  type BearerOptions,
  BearerUnavailable,
  bearerClaims,
  bearerToken,
  createBearerGuard,
  hashBearerToken,
  requireBearerTokenMiddleware,
  staticBearerValidator,
} from '../src/oauth.js';
import { DOOR_NAMES, type DoorName, type Line, rawLog, type Sent, send } from './support/events.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const RESOURCE = 'https://mcp.example.com/mcp';

const claims = (parts: object = {}) => ({
  subject: 'ada',
  audience: [RESOURCE],
  scopes: ['notes:read'],
  claims: {},
  ...parts,
});
const validators: Readonly<Record<string, BearerOptions['validator']>> = {
  good: () => claims(),
  later: async () => claims(),
  invalid: () => {
    throw new BearerError('invalid', 'signature');
  },
  expired: () => {
    throw new BearerError('expired');
  },
  audience: () => {
    throw new BearerError('audience');
  },
  scope: () => {
    throw new BearerError('scope');
  },
  unavailable: () => {
    throw new BearerUnavailable('connect ECONNREFUSED');
  },
  crash: (token) => {
    throw new TypeError(`GET /introspect?token=${token} failed`);
  },
  rejects: () => Promise.reject('gone'),
  nothing: () => undefined as never,
  nobody: () => claims({ subject: ' ' }),
  past: () => claims({ expiresAt: NOW }),
  'past and foreign': () => claims({ expiresAt: NOW, audience: ['https://other.example'] }),
  never: () => claims({ expiresAt: new Date(Number.NaN) }),
  'text for a date': () => claims({ expiresAt: '2030-01-01' }),
  future: () => claims({ expiresAt: new Date(NOW.getTime() + 1) }),
  foreign: () => claims({ audience: ['https://other.example'] }),
  'nobody in particular': () => claims({ audience: [] }),
};

type Serve = (ctx: Context) => unknown;

/** One route, guarded by the middleware in the open container, or by the gate of the closed one. */
const FACES = {
  middleware(options: BearerOptions, serve: Serve, lines: Line[] = []) {
    const app = createApp({ clock: new ManualClock(NOW), log: rawLog(lines) });
    app.use(requireBearerTokenMiddleware(options));
    for (const method of ['GET', 'POST']) app.handle(method, '/{tenant}/mcp', serve as never);
    return app;
  },
  guard(options: BearerOptions, serve: Serve, lines: Line[] = []) {
    const { principalResolver, challenge } = createBearerGuard(options);
    const app = new SecureApp({ clock: new ManualClock(NOW), log: rawLog(lines), principalResolver, challenge });
    for (const method of ['GET', 'POST']) app.handle(method, '/{tenant}/mcp', serve as never, Authenticated());
    return app;
  },
} as const;
const FACE_NAMES = Object.keys(FACES) as readonly (keyof typeof FACES)[];

const call = (
  app: Parameters<typeof send>[0],
  authorization?: string | readonly string[],
  path = '/acme/mcp',
  sent: Sent = {},
) =>
  send(app, 'gateway v1', 'GET', path, {
    ...sent,
    headers: { ...sent.headers, ...(authorization && { authorization }) },
  });

const BEARER = `Bearer resource_metadata="${METADATA}"`;

describe.each(FACE_NAMES)('a route after the %s', (face) => {
  const create = (
    validator: string,
    options: Partial<BearerOptions> = {},
    lines: Line[] = [],
    serve: Serve = () => json(200, {}),
  ) =>
    FACES[face]({ validator: validators[validator] as never, resourceMetadataURL: METADATA, ...options }, serve, lines);

  it.each<[string, string, Partial<BearerOptions>, number]>([
    ['a good token', 'good', {}, 200],
    ['a validator that takes its time', 'later', {}, 200],
    ['a token of the required audience', 'good', { requiredAudience: RESOURCE }, 200],
    ['a token with the required scope', 'good', { requiredScopes: ['notes:read'] }, 200],
    ['a token that expires in a millisecond', 'future', {}, 200],
    ['an invalid token', 'invalid', {}, 401],
    ['an expired token', 'expired', {}, 401],
    ['a token that expires now', 'past', {}, 401],
    ['a token whose end is no time', 'never', {}, 401],
    ['a token whose end is a text', 'text for a date', {}, 401],
    ['an expired token of another audience', 'past and foreign', { requiredAudience: RESOURCE }, 401],
    ['a validator that fails', 'crash', {}, 401],
    ['a validator that rejects with text', 'rejects', {}, 401],
    ['a validator that returns nothing', 'nothing', {}, 401],
    ['a token without a subject', 'nobody', {}, 401],
    ['a token of another audience, by the validator', 'audience', {}, 403],
    ['a token of another audience', 'foreign', { requiredAudience: RESOURCE }, 403],
    ['a token of no audience', 'nobody in particular', { requiredAudience: RESOURCE }, 403],
    ['a token without a scope, by the validator', 'scope', {}, 403],
    ['a token without a scope', 'good', { requiredScopes: ['notes:read', 'notes:write'] }, 403],
    ['keys that cannot be fetched', 'unavailable', {}, 503],
  ])('%s', async (_, validator, options, status) => {
    for (const door of DOOR_NAMES) {
      const answer = await send(create(validator, options), door, 'GET', '/acme/mcp', {
        headers: { authorization: 'Bearer abc' },
      });
      expect([door, answer.status]).toEqual([door, status]);
      expect(answer.headers['www-authenticate']).toEqual(status === 401 ? [BEARER] : undefined);
      if (status === 401 || status === 403) expect(answer.headers['cache-control']).toEqual(['no-store']);
      const code = { 401: 'app.unauthorized', 403: 'app.forbidden', 503: 'app.overloaded' }[status];
      const message = { 401: 'unauthorized', 403: 'forbidden', 503: 'overloaded' }[status];
      if (code) expect(JSON.parse(answer.text)).toMatchObject({ error: { code, message } });
    }
  });

  it.each([
    undefined,
    'Basic YTpi',
    'Bearer',
    'Bearer ',
    'bearer',
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Basic YTpi, Bearer b',
    'Bearer "a"',
    'Bearer =',
    'Bearer ä',
    'Bearer {}',
    `Bearer ${'a'.repeat(16_385)}`,
    `Bearer ${'a'.repeat(65_536)}`,
    `Bearer a${' '.repeat(1000)}b`,
    ['Bearer a', 'Bearer b'],
    ['Bearer a', 'Bearer a'],
    ['Basic YTpi', 'Bearer a'],
  ])('is closed for the header %j', async (authorization) => {
    const answer = await call(create('good'), authorization);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, [BEARER]]);
  });

  it.each(['Bearer abc', 'bearer abc', 'BEARER  abc', 'Bearer a.b-c_d~e+f/g==', `Bearer ${'a'.repeat(16_384)}`])(
    'is open for the header %j',
    async (authorization) => {
      expect((await call(create('good'), authorization)).status).toBe(200);
    },
  );

  it('never reads a token of the query or the body', async () => {
    const body = 'access_token=abc';
    const sent = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
    expect((await send(create('good'), 'gateway v2', 'POST', '/acme/mcp?access_token=abc', sent)).status).toBe(401);
  });

  it.each<[string, Serve, number]>([
    [
      '404',
      () => {
        throw new FrameworkError('app.not_found');
      },
      404,
    ],
    [
      '409',
      () => {
        throw new FrameworkError('app.conflict');
      },
      409,
    ],
    [
      '401 of its own',
      () => {
        throw new FrameworkError('app.unauthorized', 'no session');
      },
      401,
    ],
    [
      'crash',
      () => {
        throw new Error('no database');
      },
      500,
    ],
    [
      'BearerError',
      () => {
        throw new BearerError('expired');
      },
      500,
    ],
    [
      'BearerUnavailable',
      () => {
        throw new BearerUnavailable();
      },
      500,
    ],
  ])('leaves a %s of the handler unchanged', async (_, serve, status) => {
    const answer = await call(create('good', {}, [], serve), 'Bearer abc');
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([status, undefined]);
  });

  it('passes to handlers the claims and the token', async () => {
    const seen: unknown[] = [];
    const app = create('good', {}, [], (ctx) => {
      seen.push(bearerClaims(ctx), bearerToken(ctx), ctx.authIdentity);
      return json(200, {});
    });
    await call(app, 'Bearer abc');
    expect(seen).toEqual([{ subject: 'ada', audience: [RESOURCE], scopes: ['notes:read'], claims: {} }, 'abc', 'ada']);
  });

  it('writes the reason only to the log, and shows the token nowhere', async () => {
    const secret = 'sEcReT.tOkEn-1234567890';
    for (const validator of Object.keys(validators)) {
      const lines: Line[] = [];
      const errors: unknown[] = [];
      const app = create(validator, { requiredAudience: RESOURCE }, lines, (ctx) => {
        errors.push(JSON.stringify(ctx), JSON.stringify(ctx.securePrincipal()));
        ctx.log.info('handled', { claims: bearerClaims(ctx), ctx });
        throw new Error('handler failed');
      });
      const answer = await call(app, `Bearer ${secret}`);
      expect(lines.length).toBeGreaterThan(0);
      expect(
        [answer.text, JSON.stringify(answer.headers), JSON.stringify(lines), JSON.stringify(errors)].join(),
      ).not.toContain(secret);
    }
  });

  it.each<[string, string]>([
    ['invalid', 'invalid: signature'],
    ['expired', 'expired: expired'],
    ['audience', 'audience: audience'],
    ['nobody', 'invalid: no subject'],
    ['nothing', 'invalid: no subject'],
    ['unavailable', 'connect ECONNREFUSED'],
    ['crash', 'TypeError: GET /introspect?token=[token] failed'],
  ])('logs why: %s', async (validator, reason) => {
    const lines: Line[] = [];
    await call(create(validator, {}, lines), 'Bearer abc');
    expect(lines).toContainEqual(expect.objectContaining({ reason }));
  });

  it.each<[string, (token: string) => never]>([
    [
      'a BearerError',
      (token) => {
        throw new BearerError('invalid', `no session for ${token}`);
      },
    ],
    [
      'a BearerUnavailable',
      (token) => {
        throw new BearerUnavailable(`GET /introspect?token=${encodeURIComponent(token)} failed`);
      },
    ],
    [
      'any other error',
      (token) => {
        throw new TypeError(`GET /introspect?token=${encodeURIComponent(token)} failed`);
      },
    ],
  ])('does not log a token from the message of %s', async (_, validator) => {
    const lines: Line[] = [];
    await call(create('good', { validator }, lines), 'Bearer sEcReT+/1==');
    expect(JSON.stringify(lines)).toContain('[token]');
    expect(JSON.stringify(lines)).not.toContain('sEcReT');
  });

  it.each<[string, BearerOptions['requiredAudience'], readonly string[], number]>([
    ['a text', RESOURCE, [RESOURCE], 200],
    ['one of several', RESOURCE, ['https://other.example', RESOURCE], 200],
    ['a prefix', RESOURCE, ['https://mcp.example.com'], 403],
    ['a longer text', RESOURCE, [`${RESOURCE}/`], 403],
    ['another case', RESOURCE, [RESOURCE.toUpperCase()], 403],
    ['a bare origin with a slash', 'https://mcp.example.com', ['https://mcp.example.com/'], 200],
    ['a bare origin without one', 'https://mcp.example.com/', ['https://mcp.example.com'], 200],
    [
      'the audience of the route',
      ({ params }) => `https://mcp.example.com/${params.tenant}/mcp`,
      ['https://mcp.example.com/acme/mcp'],
      200,
    ],
    [
      'the audience of another route',
      ({ params }) => `https://mcp.example.com/${params.tenant}/mcp`,
      ['https://mcp.example.com/umbra/mcp'],
      403,
    ],
    ['a function that says nothing', () => undefined, [RESOURCE], 403],
    ['a function that returns a blank', () => ' ', [' ', ''], 403],
    ['a function that returns a tab', () => '\t', ['\t'], 403],
  ])('requires an audience: %s', async (_, requiredAudience, audience, status) => {
    const app = create('good', { requiredAudience: requiredAudience as never, validator: () => claims({ audience }) });
    expect((await call(app, 'Bearer abc')).status).toBe(status);
  });
});

describe('the challenge', () => {
  const challengeOf = async (
    options: Partial<BearerOptions>,
    path = '/acme/mcp',
    headers: Record<string, string> = {},
  ) => {
    const lines: Line[] = [];
    const values = [];
    for (const face of FACE_NAMES) {
      const app = FACES[face]({ validator: validators.good as never, ...options }, () => json(200, {}), lines);
      values.push((await call(app, undefined, path, { headers })).headers['www-authenticate']?.[0]);
    }
    expect(values[0]).toBe(values[1]);
    return { value: values[0], warnings: lines.filter(({ event }) => event === 'mcp.challenge_failed').length };
  };
  const TEMPLATE = 'https://mcp.example.com/.well-known/oauth-protected-resource/{tenant}/mcp';

  it('is bare when nothing is configured', async () => {
    expect((await challengeOf({})).value).toBe('Bearer');
  });

  it('names a fixed URL', async () => {
    expect((await challengeOf({ resourceMetadataURL: METADATA })).value).toBe(BEARER);
  });

  it('fills in a template', async () => {
    expect((await challengeOf({ resourceMetadataURLTemplate: TEMPLATE })).value).toBe(
      'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/acme/mcp"',
    );
  });

  it('accepts a template without placeholders, and a repeated placeholder', async () => {
    expect((await challengeOf({ resourceMetadataURLTemplate: METADATA })).value).toBe(BEARER);
    const twice = 'http://localhost:8080/{tenant}/{tenant}';
    expect((await challengeOf({ resourceMetadataURLTemplate: twice })).value).toBe(
      'Bearer resource_metadata="http://localhost:8080/acme/acme"',
    );
  });

  it.each([
    '..',
    '.',
    '%2e%2e',
    '%2e',
    'A',
    'Acme',
    'a%2Fb',
    'a%20b',
    '%22',
    '%0d%0a',
    'ä',
    '%00',
    'a'.repeat(129),
    'a%7Cb',
    'a%7Bb',
    '__proto__%20',
  ])('is bare for the value %j', async (value) => {
    expect((await challengeOf({ resourceMetadataURLTemplate: TEMPLATE }, `/${value}/mcp`)).value).toBe('Bearer');
  });

  it.each(['a', 'a-b_c~d.e', '0', '...', '%61', 'a'.repeat(128)])('accepts the value %j', async (value) => {
    const decoded = value === '%61' ? 'a' : value;
    expect((await challengeOf({ resourceMetadataURLTemplate: TEMPLATE }, `/${value}/mcp`)).value).toBe(
      `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/${decoded}/mcp"`,
    );
  });

  it.each(['{agent_id}', '{constructor}', '{Tenant}'])('is bare when the route has no %s', async (placeholder) => {
    const resourceMetadataURLTemplate = `https://mcp.example.com/${placeholder}`;
    expect((await challengeOf({ resourceMetadataURLTemplate })).value).toBe('Bearer');
  });

  it('calls a function with only the matched route', async () => {
    const routes: unknown[] = [];
    const resourceMetadataURLFunc: BearerOptions['resourceMetadataURLFunc'] = (...args) => {
      routes.push(args);
      return `https://mcp.example.com/m/${args[0].params.tenant}`;
    };
    expect((await challengeOf({ resourceMetadataURLFunc, resourceMetadataURLTemplate: TEMPLATE })).value).toBe(
      'Bearer resource_metadata="https://mcp.example.com/m/acme"',
    );
    const route = { pattern: '/{tenant}/mcp', params: { tenant: 'acme' } };
    expect(routes).toEqual([[route], [route]]);
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['empty text', () => ''],
    ['a relative URL', () => '/metadata'],
    ['http', () => 'http://mcp.example.com/m'],
    ['user information', () => 'https://a@mcp.example.com/m'],
    ['a quote', () => 'https://mcp.example.com/"'],
    ['a second header', () => 'https://mcp.example.com/\r\nset-cookie: a=b'],
    ['a promise', () => Promise.resolve(METADATA)],
    [
      'an exception',
      () => {
        throw new Error('no');
      },
    ],
  ])('is bare if the function returns %s, regardless of other options', async (_, resourceMetadataURLFunc) => {
    const options = {
      resourceMetadataURLFunc: resourceMetadataURLFunc as never,
      resourceMetadataURLTemplate: TEMPLATE,
      resourceMetadataURL: METADATA,
    };
    expect(await challengeOf(options)).toEqual({ value: 'Bearer', warnings: 2 });
  });

  it('depends neither on headers nor on the environment', async () => {
    process.env.MCP_ENDPOINT = 'https://evil.example/mcp';
    const forged = {
      host: 'evil.example',
      forwarded: 'host=evil.example;proto=http',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/evil/mcp',
    };
    try {
      expect((await challengeOf({}, '/acme/mcp', forged)).value).toBe('Bearer');
      expect((await challengeOf({ resourceMetadataURL: METADATA }, '/acme/mcp', forged)).value).toBe(BEARER);
      expect((await challengeOf({ resourceMetadataURLTemplate: TEMPLATE }, '/acme/mcp', forged)).value).toBe(
        'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/acme/mcp"',
      );
    } finally {
      delete process.env.MCP_ENDPOINT;
    }
  });
});

describe('a guard is rejected at construction', () => {
  const bad = (options: object) => () =>
    requireBearerTokenMiddleware({ validator: validators.good, ...options } as never);

  it('without a validator', () => {
    expect(() => requireBearerTokenMiddleware({} as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "validator"'),
    );
    expect(() => requireBearerTokenMiddleware(undefined as never)).toThrow(
      expect.failure('app.invalid_configuration', 'options must be an object'),
    );
    expect(() => createBearerGuard({ validator: 'x' } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "validator"'),
    );
  });

  it.each([
    '',
    '{',
    '}',
    '{}',
    '{{a}}',
    '{a',
    'a}',
    'https://x.example/{',
    'https://x.example/}',
    'https://x.example/{}',
    'https://x.example/{{a}}',
    'https://x.example/{a',
    'https://x.example/a}',
    'https://x.example/{a}}',
    'https://x.example/{a{b}}',
    'https://x.example/{1a}',
    'https://x.example/{a-b}',
    'https://x.example/{a b}',
    'https://x.example/{ä}',
    'https://{h}/x',
    'https://x.{h}/x',
    'https://x.example:{p}/x',
    '{s}://x.example/x',
    'https://{h}',
    'https://x.example{a}',
    '/relative',
    '/{a}',
    'http://x.example/{a}',
    'ftp://x.example/{a}',
    'https://u@x.example/{a}',
    'https://{u}@x.example/',
    'https://x.example/{a}?q=1',
    'https://x.example/{a}#f',
    'https://x.example/?{a}',
    'https://x.example/ {a}',
    'https://x.example/"{a}',
    'https://x.example\\{a}',
    'https:///{a}',
  ])('with the template %j', (resourceMetadataURLTemplate) => {
    expect(bad({ resourceMetadataURLTemplate })).toThrow(
      expect.failure('app.invalid_configuration', 'option "resourceMetadataURLTemplate"'),
    );
  });

  it.each([
    '',
    '/m',
    'http://x.example/m',
    'https://x.example/{a}',
    'https://x.example/{',
    'https://x.example/?a',
    'https://x.example/#a',
    'https://u:p@x.example/',
    'x',
  ])('with the URL %j', (resourceMetadataURL) => {
    expect(bad({ resourceMetadataURL })).toThrow(
      expect.failure('app.invalid_configuration', 'option "resourceMetadataURL"'),
    );
    // Even if another source is used.
    expect(bad({ resourceMetadataURL, resourceMetadataURLFunc: () => METADATA })).toThrow(
      expect.failure('app.invalid_configuration', 'option "resourceMetadataURL"'),
    );
  });

  it.each<[object, string]>([
    [{ requiredScopes: ['a b'] }, 'option "requiredScopes"'],
    [{ requiredScopes: ['"'] }, 'option "requiredScopes"'],
    [{ requiredScopes: 'a' }, 'option "requiredScopes"'],
    [{ requiredAudience: '' }, 'option "requiredAudience"'],
    [{ scopeChallenge: 'yes' }, 'option "scopeChallenge"'],
    [{ resourceMetadataUrl: METADATA }, 'unknown option "resourceMetadataUrl"'],
  ])('with %j', (options, text) => {
    expect(bad(options)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});

describe('a guard of a closed container', () => {
  it('accepts anonymous callers where they are allowed, and rejects all callers with an invalid token', async () => {
    const { principalResolver, challenge } = createBearerGuard({
      validator: staticBearerValidator([{ tokenHash: hashBearerToken('abc'), subject: 'ada' }]),
    });
    const app = new SecureApp({ principalResolver, challenge, log: false });
    app.get('/', (ctx) => json(200, { who: ctx.securePrincipal()?.identity ?? null }), Optional());
    expect((await call(app, undefined, '/')).text).toBe('{"who":null}');
    expect((await call(app, 'Bearer abc', '/')).text).toBe('{"who":"ada"}');
    expect((await call(app, 'Bearer wrong', '/')).status).toBe(401);
    expect((await call(app, 'Basic YTpi', '/')).text).toBe('{"who":null}');
  });

  it('requires a bearer token even if the container has no challenge', async () => {
    const { principalResolver } = createBearerGuard({ validator: validators.good as never });
    const app = new SecureApp({ principalResolver, log: false });
    app.get('/', () => json(200, {}), Authenticated());
    expect((await call(app, undefined, '/')).headers['www-authenticate']).toEqual(['Bearer']);
  });

  it('makes the principal of the claims', async () => {
    const { principalResolver } = createBearerGuard({ validator: () => claims({ claims: { team: 'red' } }) });
    const app = new SecureApp({ principalResolver, log: false });
    app.get('/', (ctx) => json(200, ctx.securePrincipal()), Authenticated('notes:read'));
    expect(JSON.parse((await call(app, 'Bearer abc', '/')).text)).toEqual({
      identity: 'ada',
      scopes: ['notes:read'],
      claims: { team: 'red' },
      kind: 'external',
      tenantId: '',
    });
  });

  it('verifies a token once a request, and another guard verifies it again', async () => {
    let verified = 0;
    const validator = () => {
      verified += 1;
      return claims();
    };
    const guard = createBearerGuard({ validator });
    const app = new SecureApp({ principalResolver: guard.principalResolver, log: false });
    app.use(guard.middleware);
    app.get('/', () => json(200, {}), Authenticated());
    await call(app, 'Bearer abc', '/');
    expect(verified).toBe(1);
    await call(app, 'Bearer abc', '/');
    expect(verified).toBe(2);
    app.use(requireBearerTokenMiddleware({ validator, requiredScopes: ['admin'] }));
    expect((await call(app, 'Bearer abc', '/')).status).toBe(403);
    expect(verified).toBe(4);
  });

  it('keeps two simultaneous callers apart', async () => {
    const { principalResolver } = createBearerGuard({
      validator: async (token) => {
        await Promise.resolve();
        return claims({ subject: token });
      },
    });
    const app = new SecureApp({ principalResolver, log: false });
    app.get('/', (ctx) => json(200, { who: ctx.authIdentity, token: bearerToken(ctx) }), Authenticated());
    const answers = await Promise.all(['a', 'b', 'c'].map((token) => call(app, `Bearer ${token}`, '/')));
    expect(answers.map(({ text }) => text)).toEqual([
      '{"who":"a","token":"a"}',
      '{"who":"b","token":"b"}',
      '{"who":"c","token":"c"}',
    ]);
  });
});

describe('with scopeChallenge', () => {
  const create = (options: Partial<BearerOptions> = {}) => {
    const { principalResolver, challenge } = createBearerGuard({
      validator: staticBearerValidator([
        { tokenHash: hashBearerToken('abc'), subject: 'ada', audience: [RESOURCE], scopes: ['notes:read'] },
      ]),
      resourceMetadataURL: METADATA,
      scopeChallenge: true,
      requiredScopes: ['notes:read', 'offline_access'],
      ...options,
    });
    const app = new SecureApp({ principalResolver, challenge, log: false });
    app.get('/', () => json(200, {}), Authenticated());
    const server = createMcpServer({ name: 'notes', version: '1' });
    server.tool('write', { scopes: ['notes:write', 'notes:admin', 'offline_access'] }, () => 'written');
    mountMcp(app, server, { posture: Authenticated() });
    return app;
  };
  const challenge = async (door: DoorName, options: Partial<BearerOptions>, authorization?: string, path = '/') => {
    const headers = { ...(authorization && { authorization }), 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write' } });
    const answer = await send(
      create(options),
      door,
      path === '/' ? 'GET' : 'POST',
      path,
      path === '/' ? { headers } : { headers, body },
    );
    return [answer.status, answer.headers['www-authenticate']?.[0]];
  };

  it.each(DOOR_NAMES)('names what is missing, through %s', async (door) => {
    expect(await challenge(door, {})).toEqual([401, `Bearer scope="notes:read", resource_metadata="${METADATA}"`]);
    expect(await challenge(door, {}, 'Bearer wrong')).toEqual([
      401,
      `Bearer error="invalid_token", scope="notes:read", resource_metadata="${METADATA}"`,
    ]);
    expect(await challenge(door, { requiredScopes: ['notes:write'] }, 'Bearer abc')).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="notes:read notes:write", resource_metadata="${METADATA}"`,
    ]);
  });

  it('names all scopes of a tool in one response', async () => {
    const wanted = `Bearer error="insufficient_scope", scope="notes:read notes:write notes:admin", resource_metadata="${METADATA}"`;
    expect(await challenge('gateway v2', { requiredScopes: ['notes:read'] }, 'Bearer abc', '/mcp')).toEqual([
      403,
      wanted,
    ]);
  });

  it('leaves a wrong audience without a challenge', async () => {
    const options = { requiredScopes: [], requiredAudience: 'https://other.example' };
    expect(await challenge('gateway v2', options, 'Bearer abc')).toEqual([403, undefined]);
  });

  it('names no scopes without the option', async () => {
    const options = { requiredScopes: ['notes:read'], scopeChallenge: false };
    expect(await challenge('gateway v2', options, 'Bearer abc', '/mcp')).toEqual([403, undefined]);
    expect(await challenge('gateway v2', options, 'Bearer wrong')).toEqual([401, BEARER]);
  });
});

describe('the scopes of a challenge', () => {
  const SCOPES = { namespace: 'orders', partner_namespace: 'partners', agent: 'agents', partner_agent: 'both' };
  const tokens = (...held: readonly string[]) =>
    staticBearerValidator([{ tokenHash: hashBearerToken('abc'), subject: 'ada', scopes: held }]);
  const guarded = (held: readonly string[], options: Partial<BearerOptions> = {}) => {
    const { principalResolver, challenge } = createBearerGuard({
      validator: tokens(...held),
      scopeChallenge: true,
      ...options,
    });
    return new SecureApp({ principalResolver, challenge, log: false });
  };
  const notes = () =>
    createMcpServer({ name: 'notes', version: '1' }).tool('write', { scopes: ['orders:write'] }, () => 'written');
  const PLACES = {
    mount(held: readonly string[], options?: Partial<BearerOptions>) {
      const app = guarded(held, options);
      mountMcp(app, notes(), { path: '/acme/mcp', posture: Authenticated('orders') });
      return app;
    },
    facade(held: readonly string[], options?: Partial<BearerOptions>) {
      const app = guarded(held, options);
      registerMcpFacade(app, {
        issuerUrl: 'https://id.example.com',
        jwksUri: 'https://id.example.com/jwks.json',
        urlMode: 'public_base_url',
        publicBaseUrl: 'https://mcp.example.com',
        scopes: { namespace: ['orders'], partner_namespace: ['partners'], agent: ['agents'], partner_agent: ['both'] },
        posture: (kind) => Authenticated(SCOPES[kind]),
        mcpHandler: notes().handler,
      });
      return app;
    },
  } as const;
  const ask = async (app: SecureApp, token?: string, path = '/acme/mcp') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write' } });
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await send(app, 'gateway v2', 'POST', path, { headers, body });
    return [answer.status, answer.headers['www-authenticate']?.[0]];
  };

  describe.each(['mount', 'facade'] as const)('of a %s', (place) => {
    it('of a 401 come from the posture', async () => {
      expect(await ask(PLACES[place]([]))).toEqual([401, 'Bearer scope="orders"']);
      expect(await ask(PLACES[place]([]), 'wrong')).toEqual([401, 'Bearer error="invalid_token", scope="orders"']);
    });

    it('of a 401 also name those with which a client registers', async () => {
      const options = { registrationScopes: ['orders', 'orders:write'] };
      expect(await ask(PLACES[place]([], options))).toEqual([401, 'Bearer scope="orders orders:write"']);
      expect(await ask(PLACES[place](['orders'], options), 'abc')).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="orders orders:write"',
      ]);
    });

    it('of a 403 of the gate come from the token and the posture', async () => {
      expect(await ask(PLACES[place](['orders:write']), 'abc')).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="orders:write orders"',
      ]);
    });

    it('of a 403 of a tool come from the token, the posture and the tool, and a token with them is accepted', async () => {
      const refused = 'Bearer error="insufficient_scope", scope="orders profile orders:write"';
      expect(await ask(PLACES[place](['orders', 'profile']), 'abc')).toEqual([403, refused]);
      expect((await ask(PLACES[place](['orders', 'profile', 'orders:write']), 'abc'))[0]).not.toBe(403);
    });

    it('are not named without the option', async () => {
      const options = { scopeChallenge: false };
      expect(await ask(PLACES[place]([], options))).toEqual([401, 'Bearer']);
      expect(await ask(PLACES[place](['orders:write'], options), 'abc')).toEqual([403, undefined]);
      expect(await ask(PLACES[place](['orders'], options), 'abc')).toEqual([403, undefined]);
    });
  });

  it('come from the matched endpoint of a facade', async () => {
    expect(await ask(PLACES.facade([]), undefined, '/acme/agents/bot/mcp')).toEqual([401, 'Bearer scope="agents"']);
    expect(await ask(PLACES.facade(['orders']), 'abc', '/acme/partners/p1/agents/bot/mcp')).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="orders both"',
    ]);
  });

  it('name one scope of a posture that needs any of them', async () => {
    const app = guarded(['profile']);
    mountMcp(app, notes(), { posture: AuthenticatedAnyOf('notes:read', 'admin') });
    expect(await ask(app, undefined, '/mcp')).toEqual([401, 'Bearer scope="notes:read"']);
    expect(await ask(app, 'abc', '/mcp')).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="profile notes:read"',
    ]);
    const held = guarded(['admin']);
    mountMcp(held, notes(), { posture: AuthenticatedAnyOf('notes:read', 'admin') });
    expect(await ask(held, 'abc', '/mcp')).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="admin orders:write"',
    ]);
  });

  it('are not named where more scopes do not help: to an external caller of an internal operation', async () => {
    const app = guarded(['orders']);
    mountMcp(app, notes(), { posture: InternalOnly() });
    expect(await ask(app, 'abc', '/mcp')).toEqual([403, undefined]);
  });
});

describe('staticBearerValidator', () => {
  it('stores only hashes', () => {
    expect(hashBearerToken('local')).toBe('Jb-OGiOT8RCNNwKbPfVZMjbHVXQuyTRlu6-pspC93PY');
    expect(() => staticBearerValidator([{ tokenHash: 'local', subject: 'ada' }])).toThrow(
      expect.failure('app.invalid_configuration', 'option "tokenHash"'),
    );
  });

  it('has expiry, audience and scopes checked by the guard', async () => {
    const record = { tokenHash: hashBearerToken('abc'), subject: 'ada' };
    const status = async (parts: object, options: Partial<BearerOptions> = {}) => {
      const validator = staticBearerValidator([{ ...record, ...parts }]);
      return (
        await call(
          FACES.guard({ validator, ...options }, () => json(200, {})),
          'Bearer abc',
        )
      ).status;
    };
    expect(await status({})).toBe(200);
    expect(await status({ expiresAt: NOW })).toBe(401);
    expect(await status({ audience: ['a'] }, { requiredAudience: 'b' })).toBe(403);
    expect(await status({ scopes: ['a'] }, { requiredScopes: ['a', 'b'] })).toBe(403);
  });

  it.each<[unknown, string]>([
    ['abc', 'the records of tokens must be a list'],
    [[{ subject: 'ada' }], 'option "tokenHash"'],
    [
      [
        { tokenHash: hashBearerToken('a'), subject: 'a' },
        { tokenHash: hashBearerToken('a'), subject: 'b' },
      ],
      'different in each record',
    ],
    [[{ tokenHash: hashBearerToken('a'), subject: 'a', token: 'a' }], 'unknown option "token"'],
  ])('rejects %j', (records, text) => {
    expect(() => staticBearerValidator(records as never)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});

it('a public route calls no validator', async () => {
  const { principalResolver, challenge } = createBearerGuard({ validator: validators.invalid as never });
  const app = new SecureApp({ principalResolver, challenge, log: false });
  app.get('/', () => json(200, {}), Public());
  expect((await call(app, 'Bearer abc', '/')).status).toBe(200);
});

it.each(Object.keys(validators))('no record, metric or span holds the token: %s', async (name) => {
  const secret = 'sEcReT.tOkEn-1234567890';
  const seen: unknown[] = [];
  const note = (...values: unknown[]) => void seen.push(...values);
  const span = {
    set: note,
    error: (error: unknown) => note(String(error), error),
    end() {},
    run: <T>(run: () => T) => run(),
  };
  const observability = {
    log: note,
    metric: note,
    span: {
      start(...values: unknown[]) {
        note(...values);
        return span;
      },
    },
  };
  const { principalResolver, challenge } = createBearerGuard({
    validator: validators[name] as never,
    requiredAudience: RESOURCE,
  });
  const app = new SecureApp({ tier: 'p2', observability, log: false, principalResolver, challenge });
  app.get('/', () => json(200, {}), Authenticated());
  await call(app, `Bearer ${secret}`, '/');
  expect(seen.length).toBeGreaterThan(2);
  const texts = seen.map((value) => inspect(value, { depth: 9, showHidden: true }));
  expect(texts.join()).not.toContain(secret);
});

it.each<[string, (length: number) => string]>([
  ['blanks within a token', (length) => `Bearer a${' '.repeat(length)}b`],
  ['blanks before a token that is none', (length) => `Bearer ${' '.repeat(length)}"`],
  ['words', (length) => `Bearer ${'a '.repeat(length / 2)}`],
  ['padding', (length) => `Bearer a${'='.repeat(length)}b`],
  ['another scheme with commas', (length) => `Basic ${', '.repeat(length / 2)}`],
])('a header is read in linear time: %s', (_, make) => {
  const read = (times: number, value: string) => {
    const ctx = { headerAll: () => [value] } as unknown as Context;
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) expect(readCredentials(ctx)).not.toHaveProperty('token');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const best = (times: number, value: string) => Math.min(...[1, 2, 3].map(() => read(times, value)));
  const [short, long] = [make(1024), make(65_536)];
  read(64, short);
  // As many characters either way: linear is at most about 1, quadratic 64.
  expect(best(1, long) / best(64, short)).toBeLessThan(8);
});

it('any header value is answered with 401, or the validator receives its token unchanged', async () => {
  const tokens: string[] = [];
  const validator = (token: string) => {
    tokens.push(token);
    return claims();
  };
  const app = FACES.guard({ validator }, () => json(200, {}));
  const text = fc.string({ unit: fc.constantFrom(...'ab =,.~+/-_"B\u00e9\t') });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        text,
        text.map((rest) => `Bearer ${rest}`),
      ),
      async (header) => {
        tokens.length = 0;
        const { status } = await call(app, header);
        expect([200, 401]).toContain(status);
        expect(tokens.length).toBe(status === 200 ? 1 : 0);
        for (const token of tokens) {
          expect(token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
          expect(header).toContain(token);
        }
      },
    ),
    { numRuns: 300 },
  );
});
