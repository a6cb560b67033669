import { createHmac, createPublicKey, type webcrypto } from 'node:crypto';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { ManualClock } from '@sallyport/testkit';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { bearerClaims, createBearerGuard, type JwtBearerOptions, jwtBearerValidator } from '../src/oauth.js';
import { type Line, rawLog, send } from './support/events.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const NOW_S = NOW.getTime() / 1000;
const ISSUER = 'https://id.example.com';
const RESOURCE = 'https://mcp.example.com/acme/mcp';

interface Signer {
  readonly key: webcrypto.CryptoKey;
  readonly jwk: JWK;
  readonly pem: string;
}

async function createSigner(kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    key: privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' },
    pem: await exportSPKI(publicKey),
  };
}

let ours: Signer;
let theirs: Signer;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([createSigner('ours'), createSigner('theirs')]);
});

const PAYLOAD = { iss: ISSUER, sub: 'ada', aud: RESOURCE, exp: NOW_S + 60, scope: 'notes:read notes:write' };

function sign(payload: JWTPayload = PAYLOAD, header: object = {}, signer: Signer = ours): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'ours', ...header } as never).sign(signer.key);
}

const without = (name: string) => Object.fromEntries(Object.entries(PAYLOAD).filter(([key]) => key !== name));

function create(options: Partial<JwtBearerOptions> = {}, lines: Line[] = [], guard: object = {}) {
  const validator = jwtBearerValidator({
    issuer: ISSUER,
    jwks: { keys: [ours.jwk] },
    audience: [RESOURCE],
    ...options,
  } as JwtBearerOptions);
  return serve(validator, lines, guard);
}

function serve(validator: ReturnType<typeof jwtBearerValidator>, lines: Line[] = [], guard: object = {}) {
  const { principalResolver, challenge } = createBearerGuard({ validator, ...guard });
  const app = new SecureApp({ clock: new ManualClock(NOW), log: rawLog(lines), principalResolver, challenge });
  app.get('/{tenant}/mcp', (ctx) => json(200, bearerClaims(ctx)), Authenticated());
  return app;
}

const call = (app: SecureApp, token: string, path = '/acme/mcp') =>
  send(app, 'gateway v2', 'GET', path, { headers: { authorization: `Bearer ${token}` } });

describe('a token of a JWT', () => {
  it('becomes claims', async () => {
    const answer = await call(create(), await sign({ ...PAYLOAD, client_id: 'c1', team: 'red' }));
    expect(JSON.parse(answer.text)).toEqual({
      subject: 'ada',
      audience: [RESOURCE],
      scopes: ['notes:read', 'notes:write'],
      // The tolerance is part of it: five seconds.
      expiresAt: '2026-11-22T10:01:05.000Z',
      issuer: ISSUER,
      clientId: 'c1',
      claims: { ...PAYLOAD, client_id: 'c1', team: 'red' },
    });
  });

  it.each<[string, object, object, number]>([
    ['its audience in a list', { aud: ['https://a.example', RESOURCE] }, {}, 200],
    ['expired four seconds ago', { exp: NOW_S - 4 }, {}, 200],
    ['expired five seconds ago', { exp: NOW_S - 5 }, {}, 401],
    ['expired, and another audience', { exp: NOW_S - 60, aud: 'https://a.example' }, {}, 401],
    ['not yet valid', { nbf: NOW_S + 60 }, {}, 401],
    ['another issuer', { iss: 'https://evil.example' }, {}, 401],
    ['the issuer with a slash', { iss: `${ISSUER}/` }, {}, 401],
    ['another audience', { aud: 'https://a.example' }, {}, 403],
    ['a prefix of the audience', { aud: 'https://mcp.example.com' }, {}, 403],
    ['a longer audience', { aud: `${RESOURCE}/` }, {}, 403],
    ['an empty list of audiences', { aud: [] }, {}, 403],
    ['a number as its audience', { aud: 7 }, {}, 403],
    ['a blank subject', { sub: ' ' }, {}, 401],
    ['a foreign key id', {}, { kid: 'theirs' }, 401],
    ['another type', {}, { typ: 'id+jwt' }, 401],
    ['an unknown critical header', {}, { crit: ['x'], x: 1 }, 401],
  ])('with %s', async (_, payload, header, status) => {
    const isTyped = 'typ' in header;
    const app = create(isTyped ? { typ: 'at+jwt' } : {});
    const answer = await call(
      app,
      await sign({ ...PAYLOAD, ...payload } as JWTPayload, header).catch(() => unsafe(header)),
    );
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      status,
      status === 401 ? ['Bearer'] : undefined,
    ]);
  });

  it.each<[string, number]>([
    ['aud', 403],
    ['exp', 401],
    ['sub', 401],
    ['iss', 401],
    ['scope', 200],
  ])('without %s', async (name, status) => {
    expect((await call(create(), await sign(without(name)))).status).toBe(status);
  });

  it('signed with another key, regardless of its header', async () => {
    const header = { jku: 'https://evil.example/jwks.json', jwk: theirs.jwk, x5u: 'https://evil.example/x5' };
    expect((await call(create(), await sign(PAYLOAD, header, theirs))).status).toBe(401);
  });

  it('without a signature, and with the public key as a secret', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const text of [
      `${part({ alg: 'none' })}.${part(PAYLOAD)}.`,
      `${part({ alg: 'none' })}.${part(PAYLOAD)}.e30`,
    ]) {
      expect((await call(create(), text)).status).toBe(401);
    }
    const head = `${part({ alg: 'HS256', kid: 'ours' })}.${part(PAYLOAD)}`;
    const secrets = [ours.pem, createPublicKey(ours.pem).export({ type: 'spki', format: 'der' })];
    for (const secret of secrets) {
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      expect((await call(create(), `${head}.${signature}`)).status).toBe(401);
    }
  });

  it.each<[object, readonly string[]]>([
    [{ scope: 'a  b a' }, ['a', 'b']],
    [{ scope: undefined, scp: 'a b' }, ['a', 'b']],
    [{ scope: undefined, scp: ['a', 7, 'b'] }, ['a', 'b']],
    [{ scope: undefined }, []],
    [{ scope: undefined, permissions: ['a'] }, []],
  ])('of %j has the scopes %j', async (payload, scopes) => {
    const { text } = await call(create(), await sign({ ...PAYLOAD, ...payload }));
    expect(JSON.parse(text)).toMatchObject({ scopes });
  });

  it('has the scopes and the subject that functions make of it', async () => {
    const options = { scopes: () => ['x'], identity: ({ sub }: { sub?: unknown }) => `id#${sub}` };
    expect(JSON.parse((await call(create(options), await sign())).text)).toMatchObject({
      subject: 'id#ada',
      scopes: ['x'],
    });
  });
});

describe('the audience', () => {
  it.each([
    ['https://mcp.example.com', 'https://mcp.example.com/'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
  ])('%s is meant by %s', async (configured, aud) => {
    expect((await call(create({ audience: [configured] }), await sign({ ...PAYLOAD, aud }))).status).toBe(200);
  });

  it('is of the matched route', async () => {
    const app = create({ audience: ({ params }) => `https://mcp.example.com/${params.tenant}/mcp` });
    const token = await sign();
    expect((await call(app, token)).status).toBe(200);
    expect((await call(app, token, '/umbra/mcp')).status).toBe(403);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty string', ''],
    ['a blank string', ' '],
    ['a list without members', []],
    ['a list with a blank string', ['', '\t']],
    ['a number', 7],
    ['a list of numbers', [7]],
  ])('for which a function returns %s rejects every token', async (_, returned) => {
    const app = create({ audience: (() => returned) as never });
    for (const aud of [RESOURCE, '', ' ', '\t', [''], [], '7', 7, [7], '/', undefined]) {
      expect((await call(app, await sign({ ...PAYLOAD, aud: aud as never }))).status).not.toBe(200);
    }
  });

  it('of a list keeps the names next to a blank string', async () => {
    const app = create({ audience: () => ['', RESOURCE] });
    expect((await call(app, await sign())).status).toBe(200);
    expect((await call(app, await sign({ ...PAYLOAD, aud: '' }))).status).toBe(403);
  });

  it('of Cognito is the client, of access tokens alone', async () => {
    const app = create({ audienceClaim: 'client_id', audience: ['web'] });
    expect((await call(app, await sign({ ...PAYLOAD, client_id: 'web', token_use: 'access' }))).status).toBe(200);
    expect((await call(app, await sign({ ...PAYLOAD, client_id: 'web', token_use: 'id' }))).status).toBe(401);
    expect((await call(app, await sign({ ...PAYLOAD, client_id: 'app', token_use: 'access' }))).status).toBe(403);
  });
});

describe('several issuers', () => {
  const one = () => ({
    issuer: ISSUER,
    jwks: { keys: [ours.jwk] },
    audience: [RESOURCE],
    identity: ({ iss, sub }: { iss?: unknown; sub?: unknown }) => `${iss}#${sub}`,
  });
  const two = () => ({ ...one(), issuer: 'https://two.example', jwks: { keys: [theirs.jwk] } });

  it('each with separate keys and subjects', async () => {
    const app = serve(jwtBearerValidator([one(), two()]));
    const token = await sign({ ...PAYLOAD, iss: 'https://two.example' }, { kid: 'theirs' }, theirs);
    expect(JSON.parse((await call(app, token)).text)).toMatchObject({ subject: 'https://two.example#ada' });
    expect((await call(app, await sign({ ...PAYLOAD, iss: 'https://two.example' }))).status).toBe(401);
  });

  it('need subjects that differ, and one function for the audience', () => {
    const { identity: _, ...anonymous } = one();
    expect(() => jwtBearerValidator([anonymous, two()])).toThrow(
      expect.failure('app.invalid_configuration', 'option "identity"'),
    );
    expect(() => jwtBearerValidator([{ ...one(), audience: () => 'a' }, two()])).toThrow(
      expect.failure('app.invalid_configuration', 'option "audience"'),
    );
    expect(() => jwtBearerValidator([one(), one()])).toThrow(
      expect.failure('app.invalid_configuration', 'option "issuer"'),
    );
    expect(() => jwtBearerValidator([])).toThrow(expect.failure('app.invalid_configuration', 'option "options"'));
  });
});

it('keys that cannot be fetched are 503, and the next request after recovery passes', async () => {
  let isUp = false;
  let fetched = 0;
  const clock = new ManualClock(NOW);
  const lines: Line[] = [];
  const fetch = async () => {
    fetched += 1;
    if (!isUp) throw new TypeError('fetch failed');
    return new Response(JSON.stringify({ keys: [ours.jwk] }));
  };
  const jwksUri = 'https://id.example.com/jwks.json';
  const validator = jwtBearerValidator({ issuer: ISSUER, jwksUri, audience: [RESOURCE], fetch });
  const { principalResolver, challenge } = createBearerGuard({ validator });
  const app = new SecureApp({ clock, log: rawLog(lines), principalResolver, challenge });
  app.get('/{tenant}/mcp', () => json(200, {}), Authenticated());
  const token = await sign({ ...PAYLOAD, exp: NOW_S + 600 });
  const answer = await call(app, token);
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([503, undefined]);
  expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'app.overloaded' } });
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'mcp.bearer_unavailable', reason: 'TypeError fetch failed' }),
  );
  isUp = true;
  await clock.advance(31_000);
  expect((await call(app, token)).status).toBe(200);
  expect(fetched).toBe(2);
  expect(JSON.stringify(lines)).not.toContain(token);
});

it.each<[object, string]>([
  [{ issuer: undefined }, 'option "issuer"'],
  [{ audience: undefined }, 'option "audience"'],
  [{ audience: [] }, 'option "audience"'],
  [{ algorithms: ['none'] }, 'option "algorithms"'],
  [{ algorithms: ['HS256'] }, 'option "algorithms"'],
  [{ algorithms: [] }, 'option "algorithms"'],
  [{ jwks: {} }, 'option "jwks"'],
  [{ jwks: undefined }, 'option "jwksUri"'],
  [{ jwks: undefined, jwksUri: 'http://id.example.com/jwks.json' }, 'option "jwksUri"'],
  [{ secret: 'x' }, 'unknown option "secret"'],
])('is rejected with %j', (options, text) => {
  expect(() => create(options)).toThrow(expect.failure('app.invalid_configuration', text));
});

/** A header that the library rejects to sign. */
function unsafe(header: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256', kid: 'ours', ...header })}.${part(PAYLOAD)}.${'A'.repeat(86)}`;
}
