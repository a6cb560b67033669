import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { FullClock } from '@sallyport/core';
import {
  createLocalClient,
  createTable,
  dynamodbEndpoint,
  type Fault,
  type FaultProxy,
  type FaultRule,
  retryAtOnce,
  STORE_FAULTS,
  startFaultProxy,
  TableClock,
} from '@sallyport/dynamodb-local';
import { Public, SecureApp } from '@sallyport/secure';
import { ManualClock } from '@sallyport/testkit';
import { dynamoMcpStore, type McpStore, memoryMcpStore } from '../src/index.js';
import {
  createAuthorizationCodeStore,
  createAuthorizeResponse,
  createOpaqueToken,
  createPkceVerifier,
  createRefreshTokenStore,
  createTokenHandler,
  isPkceVerifier,
  pkceChallenge,
  type TokenHandlerOptions,
  verifyPkce,
} from '../src/oauth.js';
import { MCP_TABLE_SCHEMA } from '../src/schema.js';
import { DOOR_NAMES, type Line, rawLog, send } from './support/events.js';

const START = new Date('2026-11-22T10:00:00Z');
const REDIRECT = 'http://localhost:7777/callback';
const RESOURCE = 'https://mcp.example.com/mcp';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const GRANT = {
  clientId: 'c1',
  subject: 'ada',
  resource: RESOURCE,
  scopes: ['notes:read', 'notes:write'],
  redirectUri: REDIRECT,
  codeChallenge: CHALLENGE,
};

describe('PKCE', () => {
  it('is the example of RFC 7636, appendix B', () => {
    expect(pkceChallenge(VERIFIER)).toBe(CHALLENGE);
    expect(verifyPkce(VERIFIER, CHALLENGE)).toBe(true);
  });

  it('makes verifiers of 43 characters, each different', () => {
    const verifiers = Array.from({ length: 100 }, createPkceVerifier);
    expect(verifiers.every((verifier) => /^[\w-]{43}$/.test(verifier))).toBe(true);
    expect(new Set(verifiers).size).toBe(100);
  });

  it.each([42, 129])('rejects a verifier of %i characters', (length) => {
    const verifier = 'a'.repeat(length);
    expect(isPkceVerifier(verifier)).toBe(false);
    expect(() => pkceChallenge(verifier)).toThrow(expect.failure('app.invalid_configuration', 'option "verifier"'));
  });

  it.each([43, 128])('accepts a verifier of %i characters', (length) => {
    const verifier = 'a.~_-0Z'.repeat(20).slice(0, length);
    expect(verifyPkce(verifier, pkceChallenge(verifier))).toBe(true);
  });

  it.each<[unknown, unknown]>([
    ['a'.repeat(43), CHALLENGE],
    [`${VERIFIER} `, CHALLENGE],
    [`${VERIFIER.slice(0, -1)}é`, CHALLENGE],
    [VERIFIER, ''],
    [VERIFIER, VERIFIER],
    [VERIFIER, `${CHALLENGE}=`],
    [VERIFIER, CHALLENGE.slice(1)],
    [VERIFIER, undefined],
    [undefined, CHALLENGE],
    [[VERIFIER], CHALLENGE],
    [VERIFIER, { toString: () => CHALLENGE }],
    [null, null],
  ])('does not verify %j with %j', (verifier, challenge) => {
    expect(verifyPkce(verifier, challenge)).toBe(false);
  });
});

let client: DynamoDBClient;
let proxy: FaultProxy;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, MCP_TABLE_SCHEMA);
  proxy = await startFaultProxy(await dynamodbEndpoint());
});

afterAll(async () => {
  client.destroy();
  await proxy.stop();
});

/** Its time, and the system's timers: deadlines of calls are real. */
const timeOf = (clock: ManualClock) => ({ now: () => clock.now() });

const STORES: Readonly<Record<string, (clock: ManualClock) => McpStore>> = {
  memory: (clock) => memoryMcpStore({ clock }),
  DynamoDB: (clock) => dynamoMcpStore({ client, tableName, clock: timeOf(clock) }),
};

type Issue = TokenHandlerOptions['issueAccessToken'];

/** An authorization server over one store, whose time the test sets. */
function createServer(createStore: (clock: ManualClock) => McpStore, options: Partial<TokenHandlerOptions> = {}) {
  const clock = new ManualClock(START);
  return { ...serverOf(createStore(clock), clock, options), clock };
}

/** An authorization server's token endpoint over one store. */
function serverOf(store: McpStore, clock: FullClock, options: Partial<TokenHandlerOptions> = {}) {
  const lines: Line[] = [];
  const refreshTokens = createRefreshTokenStore({ store, clock });
  const codes = createAuthorizationCodeStore({ store, clock, refreshTokens });
  const app = new SecureApp({ clock, log: rawLog(lines) });
  let issued = 0;
  const issueAccessToken: Issue = ({ subject, resource, scopes }) => {
    issued += 1;
    return { accessToken: `at-${issued}:${subject}:${resource}:${scopes.join('+')}`, expiresIn: 300 };
  };
  app.post('/token', createTokenHandler({ codes, refreshTokens, issueAccessToken, ...options }), Public());
  const request = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    send(app, 'gateway v2', 'POST', '/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
  const token = async (form: Record<string, string> | string, headers?: Record<string, string>) => {
    const { status, text } = await request(form, headers);
    return { status, ...JSON.parse(text) };
  };
  const redeem = (code: string, parts: object = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: 'c1',
      code_verifier: VERIFIER,
      ...parts,
    });
  const refresh = (refresh_token: string, parts: object = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, client_id: 'c1', ...parts });
  return {
    lines,
    codes,
    refreshTokens,
    app,
    request,
    token,
    redeem,
    refresh,
    put: () => codes.put(GRANT),
    issued: () => issued,
  };
}

const INVALID = {
  status: 400,
  error: 'invalid_grant',
  error_description: 'the code or token is not valid for this client',
};

describe.each(Object.entries(STORES))('tokens in the %s store', (_, createStore) => {
  it('are issued for a code, once', async () => {
    const server = createServer(createStore);
    const code = await server.put();
    expect(await server.redeem(code, { resource: RESOURCE })).toEqual({
      status: 200,
      access_token: `at-1:ada:${RESOURCE}:notes:read+notes:write`,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'notes:read notes:write',
    });
    expect(await server.redeem(code)).toEqual(INVALID);
  });

  it('of a code that is used again are revoked', async () => {
    const server = createServer(createStore);
    const code = await server.put();
    const { refresh_token } = await server.redeem(code);
    // Long after the code itself has expired.
    await server.clock.advance(500_000);
    await server.redeem(code);
    expect(await server.refresh(refresh_token)).toEqual(INVALID);
  });

  it('of a code that is used twice at the same time: at most one answer, and it is revoked', async () => {
    const server = createServer(createStore);
    const code = await server.put();
    const answers = await Promise.all(Array.from({ length: 4 }, () => server.redeem(code)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const { refresh_token } of good) expect(await server.refresh(refresh_token)).toEqual(INVALID);
  });

  it('are not issued after 60 seconds', async () => {
    const server = createServer(createStore);
    const code = await server.put();
    await server.clock.advance(60_000);
    expect(await server.redeem(code)).toEqual(INVALID);
  });

  it.each<[string, object]>([
    ['another client', { client_id: 'c2' }],
    ['another redirect URI', { redirect_uri: `${REDIRECT}/` }],
    ['another verifier', { code_verifier: 'a'.repeat(43) }],
    ['the challenge as the verifier', { code_verifier: CHALLENGE }],
    ['a verifier of 42 characters', { code_verifier: VERIFIER.slice(1) }],
    ['another code', { code: createOpaqueToken() }],
  ])('do not come for %s, and the code is used up', async (what, parts) => {
    const server = createServer(createStore);
    const code = await server.put();
    expect(await server.redeem(code, parts)).toEqual(INVALID);
    expect((await server.redeem(code)).status).toBe(what === 'another code' ? 200 : 400);
    expect(server.issued()).toBe(what === 'another code' ? 1 : 0);
  });

  it('are not issued for another resource', async () => {
    const server = createServer(createStore);
    expect(await server.redeem(await server.put(), { resource: 'https://other.example/mcp' })).toMatchObject({
      status: 400,
      error: 'invalid_target',
    });
    const { refresh_token } = await server.redeem(await server.put());
    expect(await server.refresh(refresh_token, { resource: 'https://other.example/mcp' })).toMatchObject({
      error: 'invalid_target',
    });
    // A mistake costs no sign-in.
    expect((await server.refresh(refresh_token, { resource: RESOURCE })).status).toBe(200);
  });

  it('are refreshed in a chain, each once', async () => {
    const server = createServer(createStore);
    let { refresh_token } = await server.redeem(await server.put());
    for (let turn = 2; turn <= 4; turn += 1) {
      const next = await server.refresh(refresh_token);
      expect(next).toMatchObject({ status: 200, access_token: `at-${turn}:ada:${RESOURCE}:notes:read+notes:write` });
      expect(next.refresh_token).not.toBe(refresh_token);
      refresh_token = next.refresh_token;
    }
  });

  it.each<[number, string, number]>([
    [9, 'nothing is revoked', 200],
    [11, 'the whole family is', 400],
  ])('used again after %i s: %s', async (seconds, _text, later) => {
    const server = createServer(createStore);
    const first = await server.redeem(await server.put());
    const second = await server.refresh(first.refresh_token);
    await server.clock.advance(seconds * 1000);
    expect(await server.refresh(first.refresh_token)).toEqual(INVALID);
    expect((await server.refresh(second.refresh_token)).status).toBe(later);
    const revoked = server.lines.filter(({ event }) => event === 'mcp.refresh_family_revoked');
    expect(revoked.map(({ reason }) => reason)).toEqual(later === 200 ? [] : ['reused']);
  });

  it('used twice at the same time are rotated once', async () => {
    const server = createServer(createStore);
    const first = await server.redeem(await server.put());
    const answers = await Promise.all(Array.from({ length: 4 }, () => server.refresh(first.refresh_token)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBe(1);
    expect((await server.refresh(good[0]?.refresh_token)).status).toBe(200);
  });

  it('of another client revoke the family', async () => {
    const server = createServer(createStore);
    const { refresh_token } = await server.redeem(await server.put());
    expect(await server.refresh(refresh_token, { client_id: 'c2' })).toEqual(INVALID);
    expect(await server.refresh(refresh_token)).toEqual(INVALID);
    expect(server.lines).toContainEqual(
      expect.objectContaining({ event: 'mcp.refresh_family_revoked', reason: 'foreign' }),
    );
  });

  it('may have fewer scopes, never more', async () => {
    const server = createServer(createStore);
    const first = await server.redeem(await server.put());
    for (const scope of ['notes:admin', 'notes:read notes:admin', ' ']) {
      expect(await server.refresh(first.refresh_token, { scope })).toMatchObject({
        status: 400,
        error: 'invalid_scope',
      });
    }
    const second = await server.refresh(first.refresh_token, { scope: 'notes:read' });
    expect(second).toMatchObject({ access_token: `at-2:ada:${RESOURCE}:notes:read`, scope: 'notes:read' });
    // The grant keeps all scopes of the user.
    expect(await server.refresh(second.refresh_token)).toMatchObject({ scope: 'notes:read notes:write' });
  });

  it('live 30 days when they are not used', async () => {
    const server = createServer(createStore);
    const first = await server.redeem(await server.put());
    await server.clock.advance(30 * 86_400_000 - 1000);
    const second = await server.refresh(first.refresh_token);
    expect(second.status).toBe(200);
    await server.clock.advance(30 * 86_400_000);
    expect(await server.refresh(second.refresh_token)).toEqual(INVALID);
  });

  it('end with their family after 90 days, regardless of their use', async () => {
    const server = createServer(createStore);
    let { refresh_token } = await server.redeem(await server.put());
    for (let day = 29; day < 90; day += 29) {
      await server.clock.advance(29 * 86_400_000);
      refresh_token = (await server.refresh(refresh_token)).refresh_token;
      expect(refresh_token).toBeDefined();
    }
    await server.clock.advance(3 * 86_400_000);
    expect(await server.refresh(refresh_token)).toEqual(INVALID);
  });

  it('are not lost when an access token cannot be made', async () => {
    let isBroken = false;
    const issueAccessToken: Issue = () => {
      if (isBroken) throw new Error('no key');
      return { accessToken: 'at', expiresIn: 60 };
    };
    const server = createServer(createStore, { issueAccessToken });
    const { refresh_token } = await server.redeem(await server.put());
    isBroken = true;
    expect((await server.refresh(refresh_token)).status).toBe(500);
    isBroken = false;
    await server.clock.advance(60_000);
    expect((await server.refresh(refresh_token)).status).toBe(200);
  });

  it('revoked by hand are rejected', async () => {
    const server = createServer(createStore);
    const grant = { clientId: 'c1', subject: 'ada', scopes: [] };
    const token = (await server.refreshTokens.issue(grant, 'family-1')) ?? '';
    await server.refreshTokens.revokeFamily('family-1');
    expect(await server.refreshTokens.peek(token, 'c1')).toBeUndefined();
    expect(await server.refreshTokens.rotate(token, 'c1')).toEqual({ refused: 'revoked' });
    expect(await server.refreshTokens.issue(grant, 'family-1')).toBeUndefined();
  });
});

it('a revoked family gets no other answer than an unknown token, and no token is made for it', async () => {
  let asked = 0;
  const issueAccessToken = () => {
    asked += 1;
    return { accessToken: 'a', expiresIn: 60 };
  };
  const server = createServer(STORES.memory as never, { issueAccessToken });
  const token = (await server.refreshTokens.issue({ clientId: 'c1', subject: 'ada', scopes: [] }, 'family-1')) ?? '';
  await server.refreshTokens.revokeFamily('family-1');
  for (const more of [{}, { resource: 'https://other.example' }, { scope: 'admin' }]) {
    const form = { grant_type: 'refresh_token', refresh_token: token, client_id: 'c1', ...more };
    const answer = await server.request(form);
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, 'invalid_grant']);
  }
  expect(asked).toBe(0);
});

it('a dump of the table holds no code and no token', async () => {
  const server = createServer(STORES.DynamoDB as never);
  const code = await server.put();
  const first = await server.redeem(code);
  const second = await server.refresh(first.refresh_token);
  const waiting = await server.put();
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
  const dump = JSON.stringify(
    Items.map(({ pk, sk, d, ...rest }) => [pk, sk, rest, Buffer.from(d?.B ?? []).toString('utf8')]),
  );
  expect(Items.length).toBeGreaterThanOrEqual(5);
  expect(dump).toContain('"subject\\":\\"ada');
  for (const secret of [code, waiting, first.refresh_token, second.refresh_token, first.access_token, VERIFIER]) {
    expect(dump).not.toContain(secret);
  }
});

it('10,000 expired codes do not displace valid ones from memory', async () => {
  const clock = new ManualClock(START);
  const store = memoryMcpStore({ clock, maxRows: 10_000 });
  const codes = createAuthorizationCodeStore({ store, clock });
  const live = await createAuthorizationCodeStore({ store, clock, ttlSeconds: 600 }).put(GRANT);
  for (let count = 1; count < 10_000; count += 1) await codes.put(GRANT);
  await clock.advance(61_000);
  for (let count = 0; count < 9_000; count += 1) await codes.put(GRANT);
  expect(await codes.consume(live)).toMatchObject({ subject: 'ada' });
});

describe('the token endpoint', () => {
  const create = (options: Partial<TokenHandlerOptions> = {}) => createServer(STORES.memory as never, options);

  it.each<[string, string, object, string]>([
    ['no grant type', 'client_id=c1', {}, 'invalid_request'],
    ['another grant type', 'grant_type=password&client_id=c1', {}, 'unsupported_grant_type'],
    ['no client', 'grant_type=refresh_token&refresh_token=x', {}, 'invalid_request'],
    ['no code', 'grant_type=authorization_code&client_id=c1', {}, 'invalid_request'],
    [
      'no verifier',
      `grant_type=authorization_code&client_id=c1&code=x&redirect_uri=${REDIRECT}`,
      {},
      'invalid_request',
    ],
    [
      'an empty verifier',
      `grant_type=authorization_code&client_id=c1&code=x&redirect_uri=${REDIRECT}&code_verifier=`,
      {},
      'invalid_request',
    ],
    [
      'a repeated parameter',
      'grant_type=refresh_token&client_id=c1&client_id=c2&refresh_token=x',
      {},
      'invalid_request',
    ],
    ['JSON', '{"grant_type":"refresh_token"}', { 'content-type': 'application/json' }, 'invalid_request'],
    ['no media type', 'grant_type=refresh_token', { 'content-type': '' }, 'invalid_request'],
    ['a body of 64 KiB', `grant_type=${'a'.repeat(65_536)}`, {}, 'invalid_request'],
    ['a token that is none', 'grant_type=refresh_token&client_id=c1&refresh_token=x', {}, 'invalid_grant'],
    [
      'a token of 64 KiB',
      `grant_type=refresh_token&client_id=c1&refresh_token=${'a'.repeat(65_000)}`,
      {},
      'invalid_grant',
    ],
  ])('rejects %s', async (_, body, headers, error) => {
    const answer = await create().request(body, headers as Record<string, string>);
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, error]);
    expect([answer.headers['cache-control'], answer.headers.pragma]).toEqual([['no-store'], ['no-cache']]);
    expect(answer.headers['content-type']).toEqual(['application/json; charset=utf-8']);
  });

  it.each(DOOR_NAMES)('answers through %s', async (door) => {
    const server = create();
    const form = {
      grant_type: 'authorization_code',
      code: await server.put(),
      redirect_uri: REDIRECT,
      client_id: 'c1',
      code_verifier: VERIFIER,
    };
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const answer = await send(server.app, door, 'POST', '/token', {
      headers,
      body: new URLSearchParams(form).toString(),
    });
    expect([answer.status, answer.headers['cache-control'], answer.headers.pragma]).toEqual([
      200,
      ['no-store'],
      ['no-cache'],
    ]);
  });

  it('without refresh tokens issues and accepts no refresh token', async () => {
    const server = create({ refreshTokens: undefined as never });
    expect(Object.keys(await server.redeem(await server.put()))).not.toContain('refresh_token');
    expect(await server.refresh('x')).toMatchObject({ error: 'unsupported_grant_type' });
  });

  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  it('accepts a secret only if the application has clients with secrets', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await create().token({ ...form, client_id: 'c1', client_secret: 's' })).toMatchObject({
      status: 401,
      error: 'invalid_client',
    });
    expect(await create().token(form, basic('c1', 's'))).toMatchObject({ status: 401, error: 'invalid_client' });
    const seen: unknown[] = [];
    const server = create({
      authenticateClient(credentials) {
        seen.push(credentials);
        return credentials.clientSecret === 's:ä ';
      },
    });
    expect(await server.token(form, basic('c1', 's:ä '))).toMatchObject({ error: 'invalid_grant' });
    expect(await server.token({ ...form, client_id: 'c1', client_secret: 's:ä ' })).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await server.token({ ...form, client_id: 'c1' })).toMatchObject({ error: 'invalid_client' });
    expect(seen).toEqual([
      { clientId: 'c1', clientSecret: 's:ä ' },
      { clientId: 'c1', clientSecret: 's:ä ' },
      { clientId: 'c1', clientSecret: undefined },
    ]);
    for (const headers of [
      basic('c2', 's:ä '),
      { authorization: 'Bearer x' },
      { authorization: 'Basic %' },
      { authorization: 'Basic YQ==' },
    ]) {
      expect(await server.token({ ...form, client_id: 'c1' }, headers)).toMatchObject({
        status: 401,
        error: 'invalid_client',
      });
    }
    expect(await server.token({ ...form, client_secret: 's' }, basic('c1', 's:ä '))).toMatchObject({
      error: 'invalid_client',
    });
  });

  it('names the scheme of clients with a secret only when it rejects such a client', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const refused = await create().request(form, basic('c1', 's'));
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, ['Basic realm="token"']]);
    expect(refused.headers['cache-control']).toEqual(['no-store']);
    const wrong = await create().request({ ...form, client_id: 'c1' });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([400, undefined]);
  });

  it.each<[object, string]>([
    [{}, 'option "codes"'],
    [{ codes: { consume() {} } }, 'option "issueAccessToken"'],
    [{ codes: { consume() {} }, issueAccessToken() {}, ttl: 1 }, 'unknown option "ttl"'],
  ])('is rejected with %j', (options, text) => {
    expect(() => createTokenHandler(options as never)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});

it.each<[() => unknown, string]>([
  [() => createRefreshTokenStore({} as never), 'option "store"'],
  [() => createRefreshTokenStore({ store: memoryMcpStore(), ttlSeconds: 59 }), 'option "ttlSeconds"'],
  [() => createAuthorizationCodeStore({ store: memoryMcpStore(), ttlSeconds: 601 }), 'option "ttlSeconds"'],
])('a store is rejected: %s', (create, text) => {
  expect(create).toThrow(expect.failure('app.invalid_configuration', text));
});

it('a code is not kept without a challenge of method S256', async () => {
  const codes = createAuthorizationCodeStore({ store: memoryMcpStore() });
  for (const codeChallenge of ['', VERIFIER.slice(1), undefined]) {
    await expect(codes.put({ ...GRANT, codeChallenge: codeChallenge as string })).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'S256'),
    );
  }
});

describe('the authorization response', () => {
  const location = (options: object) =>
    (
      createAuthorizeResponse({ redirectUri: REDIRECT, issuer: 'https://id.example.com/', ...options })
        .headers as Record<string, string>
    ).location;

  it('carries code, state and iss', () => {
    expect(location({ code: 'abc', state: 'x y&z=1' })).toBe(
      `${REDIRECT}?code=abc&state=x+y%26z%3D1&iss=https%3A%2F%2Fid.example.com`,
    );
    expect(location({ code: 'abc' })).toBe(`${REDIRECT}?code=abc&iss=https%3A%2F%2Fid.example.com`);
    expect(location({ code: 'abc', redirectUri: 'https://c.example/cb?a=1' })).toBe(
      'https://c.example/cb?a=1&code=abc&iss=https%3A%2F%2Fid.example.com',
    );
    expect(location({ code: 'abc', redirectUri: 'com.example.app:/cb' })).toBe(
      'com.example.app:/cb?code=abc&iss=https%3A%2F%2Fid.example.com',
    );
  });

  it('carries an error', () => {
    expect(location({ error: 'access_denied', errorDescription: 'no', state: 's' })).toBe(
      `${REDIRECT}?error=access_denied&error_description=no&state=s&iss=https%3A%2F%2Fid.example.com`,
    );
  });

  it('is never kept, and sends no referrer', () => {
    expect(
      createAuthorizeResponse({ redirectUri: REDIRECT, issuer: 'https://id.example.com', code: 'a' }),
    ).toMatchObject({
      status: 302,
      headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    });
  });

  it.each<[object, string]>([
    [{}, 'option "code"'],
    [{ code: 'a', error: 'access_denied' }, 'option "code"'],
    [{ code: 'a', redirectUri: 'javascript:alert(1)' }, 'option "redirectUri"'],
    [{ code: 'a', redirectUri: 'https://c.example/#a' }, 'option "redirectUri"'],
    [{ code: 'a', issuer: 'id' }, 'option "issuer"'],
  ])('is rejected with %j', (options, text) => {
    expect(() => location(options)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});

const sound = () => createServer(STORES.DynamoDB as never);

/** One call, with all its attempts, under a fault. */
const LIMITS = { storeTimeoutMs: 300 };
/** Duration of a rejected request, so that few of them fill the time in which the store is called again. */
const REJECTED_MS = 500;
const ends: (() => void)[] = [];

/** The same table with the fault in between, and a server whose waits and deadlines need no real time. */
async function brittle(fault: Fault, rule: FaultRule, limits: { storeTimeoutMs?: number } = LIMITS) {
  const clock = new TableClock(START.getTime());
  const behindProxy = await createLocalClient({ endpoint: proxy.endpoint, retryStrategy: retryAtOnce(2) });
  clock.watch(behindProxy, proxy);
  const when = () => {
    clock.tick(REJECTED_MS);
    return true;
  };
  proxy.inject(fault, { when, ...rule });
  ends.push(() => {
    proxy.clear();
    clock.stop();
    behindProxy.destroy();
  });
  return serverOf(dynamoMcpStore({ client: behindProxy, tableName, clock, ...limits }), clock);
}

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

describe.each(STORE_FAULTS)('when the table has $name', ({ fault, applied }) => {
  it.each(['GetItem', 'PutItem'] as const)('a code at %s: 503, and never two tokens', async (operation) => {
    const server = sound();
    const code = await server.put();
    const failing = await brittle(fault, { operation });
    expect([(await failing.redeem(code)).status, failing.issued()]).toEqual([503, 0]);
    expect((await server.redeem(code)).status).toBe(operation === 'PutItem' && applied ? 400 : 200);
  });

  it.each(['GetItem', 'PutItem'] as const)(
    'a refresh at %s: 503, and the client refreshes later',
    async (operation) => {
      const server = sound();
      const { refresh_token } = await server.redeem(await server.put());
      const failing = await brittle(fault, { operation });
      expect((await failing.refresh(refresh_token)).status).toBe(503);
      proxy.clear();
      const answer = await server.refresh(refresh_token);
      expect(answer.status).toBe(200);
      expect((await server.refresh(answer.refresh_token)).status).toBe(200);
    },
  );
});

it.each(['GetItem', 'PutItem'] as const)(
  'a table that never answers %s, with the default time limit: 503 and the name of the failure in the log',
  async (operation) => {
    const code = await sound().put();
    const failing = await brittle({ kind: 'silence' }, { operation }, {});
    expect((await failing.redeem(code)).status).toBe(503);
    expect(failing.lines).toMatchObject([{ error: { code: 'mcp.store' } }]);
  },
);

describe.each(STORE_FAULTS.filter(({ transient }) => transient))(
  'when the table has $name for a short time',
  ({ fault }) => {
    it.each([0, 1, 2])('at write %i, a code and its tokens work', async (after) => {
      const server = await brittle(fault, { operation: 'PutItem', after, times: 4 });
      const { status, refresh_token } = await server.redeem(await server.put());
      const refreshed = await server.refresh(refresh_token);
      expect([status, refreshed.status, server.issued()]).toEqual([200, 200, 2]);
      expect((await server.refresh(refreshed.refresh_token)).status).toBe(200);
    });
  },
);
