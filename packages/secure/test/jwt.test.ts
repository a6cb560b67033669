import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import type { LogRecord } from '@sallyport/core';
import { bearerOf, stateOf } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { Authenticated, Optional, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  cognitoPrincipalResolver,
  createJwtVerifier,
  type JwtPrincipalOptions,
  jwtPrincipalResolver,
} from '@sallyport/secure/jwt';
import { createTestEnv } from '@sallyport/testkit';
import { CognitoJwtVerifier } from 'aws-jwt-verify';
import { createJoseVerifier } from './support/jose-verdict.js';
import { DIRECT, DOORS, send } from './support/operations.js';
import {
  AUDIENCE,
  type Claims,
  createKey,
  GOOD,
  ISSUER,
  type KeyServer,
  NOW,
  rawToken,
  type SigningKey,
  serveKeys,
  sign,
} from './support/tokens.js';

let key: SigningKey;
let other: SigningKey;
let server: KeyServer;
let base: JwtPrincipalOptions;

beforeAll(async () => {
  [key, other] = await Promise.all([createKey('k1'), createKey('k2')]);
  server = await serveKeys(() => [key.jwk]);
  base = { issuer: ISSUER, jwksUri: server.jwksUri, fetch: server.fetch, audience: [AUDIENCE] };
});
afterAll(() => server.close());

const clock = new ManualClock(NOW * 1000);

function build(options: JwtPrincipalOptions | readonly JwtPrincipalOptions[], more: SecureOptions = {}) {
  const show = (ctx: { securePrincipal(): unknown }) => json(200, ctx.securePrincipal());
  return new SecureApp({ clock, ...more, principalResolver: jwtPrincipalResolver(options) })
    .get('/op', show, Authenticated())
    .get('/maybe', show, Optional());
}

async function call(
  authorization: string | undefined,
  options: Partial<JwtPrincipalOptions> = {},
  more: SecureOptions = {},
) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const {
    status,
    code,
    headers: sent,
    body,
    raw,
  } = await send(build({ ...base, ...options }, more), DIRECT, { headers });
  return { status, code, challenge: sent['www-authenticate'], body, raw };
}

const UNAUTHORIZED = { status: 401, code: 'app.unauthorized', challenge: 'Bearer' };
const FORBIDDEN = { status: 403, code: 'app.forbidden', challenge: undefined };

describe('a good token', () => {
  it('becomes a principal', async () => {
    expect(await call(`Bearer ${await sign(key)}`)).toMatchObject({
      status: 200,
      body: { identity: 'ada', scopes: ['read', 'write'], kind: 'external', tenantId: '', claims: { ...GOOD } },
    });
  });

  it('is passed to mounted handlers, and hidden from other handlers', async () => {
    const token = await sign(key);
    const seen: unknown[] = [];
    const app = build(base).get(
      '/mounted',
      (ctx) => {
        const { principal } = stateOf(ctx);
        seen.push(principal && bearerOf(principal), JSON.stringify(ctx.securePrincipal()).includes(token));
        return json(200, null);
      },
      Authenticated(),
    );
    await send(app, DIRECT, { path: '/mounted', headers: { authorization: `Bearer ${token}` } });
    expect(seen).toEqual([token, false]);
  });

  it('is read at every door', async () => {
    const token = await sign(key);
    for (const door of DOORS) {
      expect((await send(build(base), door, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
    }
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('may be signed by %s', async (alg) => {
    const own = await createKey('own', alg);
    const { jwksUri: _, ...rest } = base;
    const resolver = jwtPrincipalResolver({ ...rest, jwks: { keys: [own.jwk] } });
    const app = new SecureApp({ clock, principalResolver: resolver }).get('/op', () => json(200, 1), Authenticated());
    const authorization = `Bearer ${await sign(own)}`;
    expect((await send(app, DIRECT, { headers: { authorization } })).status).toBe(200);
  });

  it.each<[string, Partial<JwtPrincipalOptions>, Claims, object]>([
    ['scp as a text', {}, { ...GOOD, scope: undefined, scp: 'a b' }, { scopes: ['a', 'b'] }],
    ['scp as a list', {}, { ...GOOD, scope: undefined, scp: ['a', 'b c'] }, { scopes: ['a', 'b c'] }],
    ['no scopes', {}, { ...GOOD, scope: undefined }, { scopes: [] }],
    ['groups, no scopes of theirs', {}, { ...GOOD, scope: undefined, 'cognito:groups': ['admin'] }, { scopes: [] }],
    [
      'groups by a function',
      { scopes: (claims) => claims['cognito:groups'] as string[] },
      { ...GOOD, 'cognito:groups': ['admin'] },
      { scopes: ['admin'] },
    ],
    [
      'an identity by a function',
      { identity: (claims) => `c:${claims.cid}` },
      { ...GOOD, sub: undefined, cid: 'x' },
      { identity: 'c:x' },
    ],
    [
      'a tenant by a function',
      { tenantId: (claims) => claims.org as string },
      { ...GOOD, org: 't1' },
      { tenantId: 't1' },
    ],
    ['no tenant by a function', { tenantId: (claims) => claims.org as string }, GOOD, { tenantId: '' }],
    ['a kind by a function', { kind: () => 'internal' }, GOOD, { kind: 'internal' }],
    ['one audience of a list', {}, { ...GOOD, aud: ['x', AUDIENCE] }, { identity: 'ada' }],
    ['one of several wanted', { audience: ['y', AUDIENCE] }, GOOD, { identity: 'ada' }],
  ])('%s', async (_, options, claims, principal) => {
    expect((await call(`Bearer ${await sign(key, claims)}`, options)).body).toMatchObject(principal);
  });
});

describe('what the header holds', () => {
  it.each<[string, (token: string) => string | undefined, object]>([
    ['nothing', () => undefined, UNAUTHORIZED],
    ['another scheme', () => 'Basic YTpi', UNAUTHORIZED],
    ['a lower-case scheme', (token) => `bearer ${token}`, { status: 200 }],
    ['more blanks', (token) => `  Bearer   ${token}  `, { status: 200 }],
    ['a token without a scheme', (token) => token, UNAUTHORIZED],
    ['a scheme alone', () => 'Bearer', UNAUTHORIZED],
    ['a scheme and blanks', () => 'Bearer   ', UNAUTHORIZED],
    ['two tokens', (token) => `Bearer ${token} ${token}`, UNAUTHORIZED],
    ['two values joined', (token) => `Bearer ${token},Bearer ${token}`, UNAUTHORIZED],
    ['another scheme joined with a token', (token) => `Basic YTpi, Bearer ${token}`, UNAUTHORIZED],
    ['no token at all', () => 'Bearer not-a-token', UNAUTHORIZED],
    ['a token with padding', (token) => `Bearer ${token}=`, UNAUTHORIZED],
    ['a token with more padding', (token) => `Bearer ${token}==`, UNAUTHORIZED],
    ['a token with an empty signature', (token) => `Bearer ${token.replace(/[^.]+$/, '')}`, UNAUTHORIZED],
    ['characters of no token', (token) => `Bearer ${token}é`, UNAUTHORIZED],
    ['a token of more than 16 KiB', () => `Bearer ${'a'.repeat(16_385)}`, UNAUTHORIZED],
    ['a token of a megabyte', () => `Bearer ${'a.'.repeat(500_000)}`, UNAUTHORIZED],
  ])('%s', async (_, authorization, answer) => {
    expect(await call(authorization(await sign(key)))).toMatchObject(answer);
  });

  it('two values identify no caller', async () => {
    const token = await sign(key);
    const { status } = await build(base).serve({
      method: 'GET',
      path: '/op',
      headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
    });
    expect(status).toBe(401);
  });

  it('a token of another scheme is left to the next resolver, an invalid bearer token is not', async () => {
    const maybe = async (authorization: string) =>
      (await send(build(base), DIRECT, { path: '/maybe', headers: { authorization } })).status;
    expect([await maybe('Basic YTpi'), await maybe('Bearer x'), await maybe('Basic YTpi, Bearer x')]).toEqual([
      200, 401, 401,
    ]);
  });

  it('another header may hold a bare token', async () => {
    const token = await sign(key);
    const app = build({ ...base, header: 'X-Id-Token' });
    const status = async (headers: Record<string, string>) => (await send(app, DIRECT, { headers })).status;
    expect(
      await Promise.all(
        [{ 'x-id-token': token }, { 'x-id-token': `Bearer ${token}` }, { authorization: `Bearer ${token}` }].map(
          (headers) => status(headers as never),
        ),
      ),
    ).toEqual([200, 200, 401]);
    // Without the header the caller is anonymous, not a caller with an invalid token.
    expect((await send(app, DIRECT, { path: '/maybe', headers: {} })).status).toBe(200);
  });
});

describe('a token is rejected', () => {
  const at = (claims: Claims): Claims => ({ ...GOOD, ...claims });

  it.each<[string, () => Promise<string> | string, Partial<JwtPrincipalOptions>, object]>([
    ['signed by another key under a known id', () => sign({ ...other, kid: 'k1' }), {}, UNAUTHORIZED],
    ['signed by a key that the issuer has not', () => sign(other), {}, UNAUTHORIZED],
    ['of another issuer', () => sign(key, at({ iss: 'https://evil.example' })), {}, UNAUTHORIZED],
    ['of an issuer with a slash more', () => sign(key, at({ iss: `${ISSUER}/` })), {}, UNAUTHORIZED],
    ['without an issuer', () => sign(key, at({ iss: undefined })), {}, UNAUTHORIZED],
    ['of an issuer in a list', () => sign(key, at({ iss: [ISSUER] as never })), {}, UNAUTHORIZED],
    ['without exp', () => sign(key, at({ exp: undefined })), {}, UNAUTHORIZED],
    ['with exp as a text', () => sign(key, at({ exp: String(NOW + 300) as never })), {}, UNAUTHORIZED],
    ['expired', () => sign(key, at({ exp: NOW - 60 })), {}, UNAUTHORIZED],
    ['at the edge of the tolerance', () => sign(key, at({ exp: NOW - 5 })), {}, UNAUTHORIZED],
    ['a second inside the tolerance', () => sign(key, at({ exp: NOW - 4 })), {}, { status: 200 }],
    ['without tolerance, at its second', () => sign(key, at({ exp: NOW })), { clockToleranceSeconds: 0 }, UNAUTHORIZED],
    [
      'without tolerance, a second before',
      () => sign(key, at({ exp: NOW + 1 })),
      { clockToleranceSeconds: 0 },
      { status: 200 },
    ],
    ['not yet valid', () => sign(key, at({ nbf: NOW + 6 })), {}, UNAUTHORIZED],
    ['about to be valid', () => sign(key, at({ nbf: NOW + 5 })), {}, { status: 200 }],
    ['with nbf as a text', () => sign(key, at({ nbf: 'soon' as never })), {}, UNAUTHORIZED],
    ['without sub', () => sign(key, at({ sub: undefined })), {}, UNAUTHORIZED],
    ['with a blank sub', () => sign(key, at({ sub: ' ' })), {}, UNAUTHORIZED],
    ['with a number for sub', () => sign(key, at({ sub: 7 as never })), {}, UNAUTHORIZED],
    ['with a blank identity by a function', () => sign(key), { identity: () => '' }, UNAUTHORIZED],
    ['of a kind that nobody knows', () => sign(key), { kind: () => 'root' as never }, { status: 401 }],
    ['too old', () => sign(key, at({ iat: NOW - 120 })), { maxTokenAgeSeconds: 60 }, UNAUTHORIZED],
    ['of no age', () => sign(key, at({ iat: undefined })), { maxTokenAgeSeconds: 60 }, UNAUTHORIZED],
    [
      'as old as the tolerance permits',
      () => sign(key, at({ iat: NOW - 65 })),
      { maxTokenAgeSeconds: 60 },
      { status: 200 },
    ],
    ['a second older', () => sign(key, at({ iat: NOW - 66 })), { maxTokenAgeSeconds: 60 }, UNAUTHORIZED],
    [
      'of the future, in the tolerance',
      () => sign(key, at({ iat: NOW + 5 })),
      { maxTokenAgeSeconds: 60 },
      { status: 200 },
    ],
    ['of the future', () => sign(key, at({ iat: NOW + 6 })), { maxTokenAgeSeconds: 60 }, UNAUTHORIZED],
    ['young enough', () => sign(key, at({ iat: NOW - 30 })), { maxTokenAgeSeconds: 60 }, { status: 200 }],
    ['without a claim that is wanted', () => sign(key), { requiredClaims: ['org'] }, UNAUTHORIZED],
    ['of no type', () => sign(key), { typ: 'at+jwt' }, UNAUTHORIZED],
    ['of another type', () => sign(key, GOOD, { typ: 'JWT' }), { typ: 'at+jwt' }, UNAUTHORIZED],
    ['of the type that is wanted', () => sign(key, GOOD, { typ: 'at+jwt' }), { typ: 'at+jwt' }, { status: 200 }],
    ['of another use', () => sign(key, at({ token_use: 'id' })), { tokenUse: 'access' }, UNAUTHORIZED],
    ['without a use', () => sign(key), { tokenUse: 'access' }, UNAUTHORIZED],
    [
      'with an unknown crit',
      () => rawToken({ alg: 'RS256', kid: 'k1', crit: ['odd'], odd: 1 }, GOOD, 'AAAA'),
      {},
      UNAUTHORIZED,
    ],
    ['for another audience', () => sign(key, at({ aud: 'https://other.example' })), {}, FORBIDDEN],
    ['for no audience', () => sign(key, at({ aud: undefined })), {}, FORBIDDEN],
    ['for a prefix of the audience', () => sign(key, at({ aud: 'https://api' })), {}, FORBIDDEN],
    ['for more than the audience', () => sign(key, at({ aud: `${AUDIENCE}.evil` })), {}, FORBIDDEN],
    ['for an audience in a list in a list', () => sign(key, at({ aud: [[AUDIENCE]] as never })), {}, FORBIDDEN],
    ['for another audience and expired', () => sign(key, at({ aud: 'x', exp: NOW - 60 })), {}, UNAUTHORIZED],
    [
      'for another audience and of another use',
      () => sign(key, at({ aud: 'x' })),
      { tokenUse: 'access' },
      UNAUTHORIZED,
    ],
    [
      'with client_id, which must be an access token',
      () => sign(key, at({ client_id: 'c1' })),
      { audienceClaim: 'client_id', audience: ['c1'] },
      UNAUTHORIZED,
    ],
    [
      'of another client',
      () => sign(key, at({ client_id: 'c2', token_use: 'access' })),
      { audienceClaim: 'client_id', audience: ['c1'] },
      FORBIDDEN,
    ],
    [
      'not, with its client',
      () => sign(key, at({ client_id: 'c1', token_use: 'access' })),
      { audienceClaim: 'client_id', audience: ['c1'] },
      { status: 200 },
    ],
  ])('%s', async (_, token, options, answer) => {
    expect(await call(`Bearer ${await token()}`, options)).toMatchObject(answer);
  });

  it('is reported if the option is set', async () => {
    const challenges = [
      (await call('Bearer x', { describeErrors: true })).challenge,
      (await call('Bearer x', { describeErrors: true }, { challenge: 'Bearer realm="a"' })).challenge,
      (await call('Bearer x', {}, { challenge: 'Bearer realm="a"' })).challenge,
      (await call(undefined, { describeErrors: true }, { challenge: 'Bearer realm="a"' })).challenge,
      (await call(undefined, { describeErrors: true })).challenge,
      (await call('Bearer x', { describeErrors: true }, { challenge: false })).challenge,
    ];
    expect(challenges).toEqual([
      'Bearer error="invalid_token"',
      'Bearer realm="a", error="invalid_token"',
      'Bearer realm="a"',
      'Bearer realm="a"',
      'Bearer',
      undefined,
    ]);
  });

  it('and neither token nor claims are in an answer or a log', async () => {
    const env = createTestEnv({ now: NOW * 1000 });
    const records: LogRecord[] = [];
    const claims = { ...GOOD, exp: NOW - 600, secret: 'hush-hush' };
    const token = await sign(key, claims);
    const { raw } = await call(
      `Bearer ${token}`,
      {},
      { ...env.options(), observability: { log: (record) => records.push(record) } },
    );
    const written = JSON.stringify([raw, records, env.records.logs]);
    expect(written).toContain('ERR_JWT_EXPIRED');
    for (const part of [token, token.split('.')[1] as string, 'hush-hush', '"sub"'])
      expect(written).not.toContain(part);
  });
});

it('accepts one base64 spelling of a signature, of all that decode to the same bytes', async () => {
  const token = await sign(key);
  const bytes = Buffer.from(token.split('.')[2] as string, 'base64url').toString('hex');
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => token.slice(0, -1) + last)
    .filter((text) => Buffer.from(text.split('.')[2] as string, 'base64url').toString('hex') === bytes);
  // 256 bytes leave four bits of the last character unused.
  expect(spellings).toHaveLength(16);
  const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys: [key.jwk] }, audience: [AUDIENCE] });
  const taken: string[] = [];
  for (const text of [...spellings, `${token}=`]) {
    const claims = await verifier.verify(text, clock.now()).catch(() => undefined);
    if (claims) taken.push(text);
  }
  expect(taken).toEqual([token]);
});

it.each(['d', 'key_ops', 'use', 'alg', 'crv'])('a polluted prototype with "%s" changes no key', async (name) => {
  const { alg, use, ...jwk } = key.jwk;
  const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys: [jwk] }, audience: [AUDIENCE] });
  const token = await sign(key);
  Object.defineProperty(Object.prototype, name, { value: 'AQAB', configurable: true });
  try {
    expect((await verifier.verify(token, clock.now())).claims).toEqual(GOOD);
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
});

it.each([
  ['an RSA key of 1024 bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 }), {}, 'requires an RSA key'],
  ['a private key', () => generateKeyPairSync('rsa', { modulusLength: 2048 }), { d: 'AQAB' }, 'not a public key'],
])('%s in the set is an error of the issuer', async (_, createPair, members, detail) => {
  const { privateKey, publicKey } = createPair();
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', ...members };
  const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys: [jwk] }, audience: [AUDIENCE] });
  const signed = rawToken({ alg: 'RS256', kid: 'k1' }, GOOD).slice(0, -1);
  const token = `${signed}.${signBytes('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  await expect(verifier.verify(token, clock.now())).rejects.toMatchObject({
    reason: 'unavailable',
    detail: expect.stringContaining(detail),
  });
});

it('of several fitting keys, a weak key ends the search, and a key that cannot be imported does not', async () => {
  const weak = {
    ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
    kid: 'k1',
  };
  const broken = { kty: 'RSA', kid: 'k1' };
  const token = await sign(key);
  const outcomes: unknown[] = [];
  for (const keys of [
    [weak, key.jwk],
    [key.jwk, weak],
    [broken, key.jwk],
    [broken, broken],
  ]) {
    const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys }, audience: [AUDIENCE] });
    const outcome = await verifier.verify(token, clock.now()).then(
      ({ claims }) => claims.sub,
      ({ reason }) => reason,
    );
    const theirs = await createJoseVerifier({ keys }, { currentDate: clock.now() })(token);
    outcomes.push([outcome, 'claims' in theirs]);
  }
  expect(outcomes).toEqual([
    ['unavailable', false],
    ['ada', true],
    ['ada', true],
    ['invalid', false],
  ]);
});

it('a key that cannot be imported is tried once', async () => {
  const imports = import.meta.jest.spyOn(process.getBuiltinModule('node:crypto'), 'createPublicKey');
  const jwk = { kty: 'RSA', kid: 'k1' };
  const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys: [jwk, key.jwk] }, audience: [AUDIENCE] });
  for (const sub of ['ada', 'bob', 'eve']) await verifier.verify(await sign(key, { ...GOOD, sub }), clock.now());
  expect(imports.mock.calls.filter(([options]) => 'format' in (options as object))).toHaveLength(2);
  imports.mockRestore();
});

it('a key of another curve does not verify, although its owner signed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const head = rawToken({ alg: 'ES256', kid: 'k1' }, GOOD).slice(0, -1);
  const signature = signBytes('sha256', Buffer.from(head), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };
  const verifier = createJwtVerifier({
    ...{ issuer: ISSUER, jwks: { keys: [jwk] }, audience: [AUDIENCE], algorithms: ['ES256'] },
  });
  const token = `${head}.${signature.toString('base64url')}`;
  await expect(verifier.verify(token, clock.now())).rejects.toMatchObject({ reason: 'invalid' });
});

it('a clock without a valid time accepts no token', async () => {
  const verifier = createJwtVerifier({ issuer: ISSUER, jwks: { keys: [key.jwk] }, audience: [AUDIENCE] });
  await expect(verifier.verify(await sign(key), new Date(Number.NaN))).rejects.toMatchObject({ reason: 'unavailable' });
});

describe('several issuers', () => {
  const second = 'https://second.example';
  let servers: KeyServer;
  let both: JwtPrincipalOptions[];

  beforeAll(async () => {
    servers = await serveKeys(() => [other.jwk]);
    const identity = ({ iss, sub }: Claims) => `${iss}#${sub}`;
    both = [
      { ...base, identity },
      {
        issuer: second,
        jwksUri: servers.jwksUri,
        fetch: servers.fetch,
        audience: ['second'],
        kind: () => 'internal',
        identity,
      },
    ];
  });
  afterAll(() => servers.close());

  it('have one verifier, which selects the rules by the issuer', async () => {
    const verifier = createJwtVerifier([
      { issuer: ISSUER, audience: [AUDIENCE], jwks: { keys: [key.jwk] } },
      { issuer: second, audience: ['second'], jwks: { keys: [other.jwk] } },
    ]);
    const claims = { ...GOOD, iss: second, aud: 'second' };
    expect((await verifier.verify(await sign(key), clock.now())).issuer).toBe(ISSUER);
    expect((await verifier.verify(await sign(other, claims), clock.now())).issuer).toBe(second);
    await expect(verifier.verify(await sign(key, claims), clock.now())).rejects.toMatchObject({ reason: 'invalid' });
  });

  it('each have their own keys and rules', async () => {
    const app = build(both);
    const status = async (token: string) => await send(app, DIRECT, { headers: { authorization: `Bearer ${token}` } });
    expect((await status(await sign(key))).body).toMatchObject({
      kind: 'external',
      identity: 'https://id.example#ada',
    });
    expect((await status(await sign(other, { ...GOOD, iss: second, aud: 'second' }))).body).toMatchObject({
      kind: 'internal',
      identity: 'https://second.example#ada',
    });
    // The first issuer's key cannot speak for the second one, nor its audience.
    expect((await status(await sign(key, { ...GOOD, iss: second, aud: 'second' }))).status).toBe(401);
    expect((await status(await sign({ ...key, kid: 'k2' }, { ...GOOD, iss: second, aud: 'second' }))).status).toBe(401);
    expect((await status(await sign(other, { ...GOOD, iss: second }))).status).toBe(403);
    expect((await status(await sign(other, { ...GOOD, iss: 'https://third.example' }))).status).toBe(401);
  });

  it('describe how to create identities, because subjects are unique only within their issuer', () => {
    const [first, { identity: _, ...rest }] = both as [JwtPrincipalOptions, JwtPrincipalOptions];
    expect(() => jwtPrincipalResolver([first, rest])).toThrow(
      expect.failure('app.invalid_configuration', 'option "identity"'),
    );
    expect(() => jwtPrincipalResolver([rest])).not.toThrow();
  });

  it('must not name one issuer twice', () => {
    expect(() => jwtPrincipalResolver([base, base])).toThrow(
      expect.failure('app.invalid_configuration', 'option "issuer"'),
    );
    expect(() => jwtPrincipalResolver([])).toThrow(expect.failure('app.invalid_configuration', 'option "options"'));
    expect(() =>
      jwtPrincipalResolver([both[0] as never, { ...(both[1] as JwtPrincipalOptions), header: 'x' }]),
    ).toThrow(expect.failure('app.invalid_configuration', 'option "header"'));
  });
});

describe('keys', () => {
  it('are fetched once per issuer and process for all callers', async () => {
    const own = await serveKeys(() => [key.jwk]);
    const options = { ...base, jwksUri: own.jwksUri, fetch: own.fetch };
    const token = await sign(key);
    const apps = [build(options), build(options)];
    const statuses = await Promise.all(
      [...apps, ...apps].map((app) => send(app, DIRECT, { headers: { authorization: `Bearer ${token}` } })),
    );
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // An unknown id within the cool-down causes no fetch.
    expect(
      (await send(build(options), DIRECT, { headers: { authorization: `Bearer ${await sign(other)}` } })).status,
    ).toBe(401);
    expect(own.requests).toEqual(['/.well-known/jwks.json']);
    await own.close();
  });

  it.each<[string, (own: KeyServer) => void]>([
    ['no server', (own) => void own.close()],
    [
      'an error answer',
      (own) => {
        own.answer = (_, response) => response.writeHead(500).end();
      },
    ],
    [
      'a redirect',
      (own) => {
        own.answer = (_, response) => response.writeHead(302, { location: '/other' }).end();
      },
    ],
    [
      'no JSON',
      (own) => {
        own.answer = (_, response) => response.end('<html>');
      },
    ],
    [
      'no key set',
      (own) => {
        own.answer = (_, response) => response.end('{"keys":"none"}');
      },
    ],
    [
      'a connection that ends',
      (own) => {
        own.answer = (request) => request.socket.destroy();
      },
    ],
  ])('that cannot be fetched are 503, and the log has the reason: %s', async (_, spoil) => {
    const own = await serveKeys(() => [key.jwk]);
    spoil(own);
    const env = createTestEnv({ now: NOW * 1000 });
    const token = await sign(key);
    const answer = await call(`Bearer ${token}`, { jwksUri: own.jwksUri, fetch: own.fetch }, env.options());
    expect(answer).toMatchObject({ status: 503, code: 'app.overloaded', challenge: undefined });
    const lines = JSON.stringify(env.records.logs);
    expect(lines).toContain('secure.jwt_keys_unavailable');
    expect(lines).not.toContain(token);
    expect(own.requests.filter((path) => path === '/other')).toEqual([]);
    await own.close().catch(() => {});
  });

  it('come by TLS where no other way is given', async () => {
    const { fetch: _, ...rest } = base;
    const resolver = { ...rest, jwksUri: `https://127.0.0.1:${server.port}/jwks` };
    const before = server.requests.length;
    const app = build(resolver);
    // The server speaks HTTP without TLS: its keys are not taken.
    expect((await send(app, DIRECT, { headers: { authorization: `Bearer ${await sign(key)}` } })).status).toBe(503);
    expect(server.requests).toHaveLength(before);
  });

  it('without an id are tried one after the other', async () => {
    const keyless = [other, key].map(({ jwk: { kid: _, ...jwk } }) => jwk);
    const { jwksUri: _, fetch: __, ...rest } = base;
    const { kid: ___, ...nameless } = key;
    const verify = createJwtVerifier({ ...rest, jwks: { keys: keyless } });
    const now = new Date(NOW * 1000);
    const token = await sign({ ...nameless, kid: undefined as never });
    expect((await verify.verify(token, now)).claims.sub).toBe('ada');
    const foreign = await createKey('k3');
    await expect(verify.verify(await sign({ ...foreign, kid: undefined as never }), now)).rejects.toMatchObject({
      reason: 'invalid',
    });
  });

  it('with an id that looks like a file path are unknown keys', async () => {
    for (const kid of ['../../../../etc/passwd', 'https://evil.example/jwks.json', "k1' or '1'='1", '__proto__']) {
      expect(await call(`Bearer ${await sign({ ...key, kid })}`)).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe('a configuration', () => {
  const valid = { issuer: ISSUER, jwksUri: 'https://keys.example/jwks', audience: ['a'] };
  it.each<[string, object | null, string]>([
    ['of nothing', null, 'options must be an object'],
    ['with an unknown option', { ...valid, audiance: ['a'] }, 'audiance'],
    ['without an issuer', { ...valid, issuer: ' ' }, 'issuer'],
    ['with http', { ...valid, jwksUri: 'http://keys.example/jwks' }, 'jwksUri'],
    ['with http of a name', { ...valid, jwksUri: 'http://localhost:4700/jwks' }, 'jwksUri'],
    ['with http of another machine', { ...valid, jwksUri: 'http://127.0.0.1.example/jwks' }, 'jwksUri'],
    ['with loopback http and a user name', { ...valid, jwksUri: 'http://ada:x@127.0.0.1/jwks' }, 'jwksUri'],
    ['with a user name', { ...valid, jwksUri: 'https://user:secret@keys.example/' }, 'jwksUri'],
    ['with no URL', { ...valid, jwksUri: 'keys' }, 'jwksUri'],
    ['with two sources of keys', { ...valid, jwks: { keys: [] } }, 'jwksUri'],
    ['without keys', { ...valid, jwksUri: undefined }, 'jwksUri'],
    ['with no key set', { ...valid, jwksUri: undefined, jwks: { keys: 5 } }, 'jwks'],
    ['without an audience', { ...valid, audience: [] }, 'audience'],
    ['with a text for an audience', { ...valid, audience: 'a' }, 'audience'],
    ['without algorithms', { ...valid, algorithms: [] }, 'algorithms'],
    ['with none', { ...valid, algorithms: ['none'] }, 'algorithms'],
    ['with HS256', { ...valid, algorithms: ['RS256', 'HS256'] }, 'algorithms'],
    ['with hs512', { ...valid, algorithms: ['hs512'] }, 'algorithms'],
    ['with tolerance over 300', { ...valid, clockToleranceSeconds: 301 }, 'clockToleranceSeconds'],
    ['with negative tolerance', { ...valid, clockToleranceSeconds: -1 }, 'clockToleranceSeconds'],
    ['with another audience claim', { ...valid, audienceClaim: 'azp' }, 'audienceClaim'],
    ['with another use', { ...valid, tokenUse: 'refresh' }, 'tokenUse'],
    ['with client_id of ID tokens', { ...valid, audienceClaim: 'client_id', tokenUse: 'id' }, 'tokenUse'],
    ['with a blank type', { ...valid, typ: '' }, 'typ'],
    ['with no age', { ...valid, maxTokenAgeSeconds: 0 }, 'maxTokenAgeSeconds'],
    ['with a text for claims', { ...valid, requiredClaims: 'org' }, 'requiredClaims'],
    ['with an identity that is no function', { ...valid, identity: 'sub' }, 'identity'],
    ['with a bad header', { ...valid, header: 'x y' }, 'header'],
    ['with a bad describeErrors', { ...valid, describeErrors: 1 }, 'describeErrors'],
    ['with a bad fetch', { ...valid, fetch: {} }, 'fetch'],
  ])('%s is rejected by name', (_, options, name) => {
    const make = () => jwtPrincipalResolver(options as JwtPrincipalOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
    expect(make).toThrow(new RegExp(name.includes(' ') ? `^framework: ${name}` : `^framework: .*"${name}"`));
    expect(make).not.toThrow(/secret/);
  });
});

describe('Cognito', () => {
  const pool = { region: 'eu-central-1', userPoolId: 'eu-central-1_Ab12', clientIds: ['client-1'] };
  const iss = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab12';
  const access = {
    iss,
    client_id: 'client-1',
    token_use: 'access',
    sub: 'u1',
    exp: NOW + 300,
    iat: NOW,
    scope: 'a b',
    'cognito:groups': ['admin'],
  };
  const id = { iss, aud: 'client-1', token_use: 'id', sub: 'u1', exp: NOW + 300, iat: NOW };
  const status = async (tokenUse: 'access' | 'id', claims: Claims) => {
    const principalResolver = cognitoPrincipalResolver({ ...pool, tokenUse, jwks: { keys: [key.jwk] } });
    const app = new SecureApp({ clock, principalResolver }).get(
      '/op',
      (ctx) => json(200, ctx.securePrincipal()?.scopes),
      Authenticated(),
    );
    return send(app, DIRECT, { headers: { authorization: `Bearer ${await sign(key, claims)}` } });
  };

  it('accepts only the kind of token that the option names', async () => {
    expect(await status('access', access)).toMatchObject({ status: 200, body: ['a', 'b'] });
    expect(await status('id', id)).toMatchObject({ status: 200, body: [] });
    expect((await status('access', id)).status).toBe(401);
    expect((await status('id', access)).status).toBe(401);
    expect((await status('access', { ...access, client_id: 'client-2' })).status).toBe(403);
    expect((await status('access', { ...access, iss: `${iss}x` })).status).toBe(401);
  });

  it('agrees with the library of AWS', async () => {
    for (const tokenUse of ['access', 'id'] as const) {
      const verifier = CognitoJwtVerifier.create({ userPoolId: pool.userPoolId, clientId: 'client-1', tokenUse });
      verifier.cacheJwks({ keys: [key.jwk] } as never);
      for (const claims of [access, id, { ...access, client_id: 'client-2' }, { ...id, aud: 'client-2' }]) {
        const live = { ...claims, exp: Math.floor(Date.now() / 1000) + 300 };
        const token = await sign(key, live);
        const theirs = await verifier.verify(token).then(
          () => true,
          () => false,
        );
        const ours = (await status(tokenUse, claims)).status === 200;
        expect([tokenUse, claims, ours]).toEqual([tokenUse, claims, theirs]);
      }
    }
  });

  it.each([
    ['jwtPrincipalResolver', jwtPrincipalResolver],
    ['createJwtVerifier', createJwtVerifier],
    ['cognitoPrincipalResolver', cognitoPrincipalResolver],
  ])('%s rejects options that are left out', (_, make) => {
    for (const options of [undefined, null])
      expect(() => make(options as never)).toThrow(expect.failure('app.invalid_configuration', 'options'));
  });

  it.each<[string, object]>([
    ['region', { ...pool, region: 'evil.example/', tokenUse: 'id' }],
    ['userPoolId', { ...pool, userPoolId: '../x', tokenUse: 'id' }],
    ['clientIds', { ...pool, clientIds: 'c', tokenUse: 'id' }],
    ['clientIds', { ...pool, clientIds: [], tokenUse: 'id' }],
    ['tokenUse', pool],
    ['issuer', { ...pool, tokenUse: 'id', issuer: 'https://x' }],
  ])('rejects a bad %s', (name, options) => {
    expect(() => cognitoPrincipalResolver(options as never)).toThrow(new RegExp(`"${name}"`));
  });
});
