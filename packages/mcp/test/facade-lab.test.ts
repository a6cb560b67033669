import {
  AGENTS,
  type AuthorizationServer,
  DOOR_NAMES,
  type DoorName,
  type OpenDoor,
  openDoor,
  startAuthorizationServer,
} from '@sallyport/oauth-lab';
import { Authenticated, SecureApp } from '@sallyport/secure';
import {
  type FacadeConfig,
  mcpResourceMetadataURL,
  mcpResourceURL,
  registerMcpFacade,
  type URLMode,
} from '../src/facade.js';
import { createMcpServer, memoryMcpStore } from '../src/index.js';
import {
  createAuthorizationCodeStore,
  createAuthorizeResponse,
  createBearerGuard,
  createPkceVerifier,
  createTokenHandler,
  jwtBearerValidator,
  pkceChallenge,
} from '../src/oauth.js';

const SCOPES = ['notes:read', 'notes:write'];
const PATHS = ['/acme/mcp', '/globex/partners/p1/mcp'] as const;

/** One function that serves a tree of endpoints through a door, with an authorization server next to it. */
async function openLab(name: DoorName, { renamesChallenge = false, urlMode = 'public_base_url' as URLMode } = {}) {
  const door = await openDoor(name, { renamesChallenge });
  const server = await startAuthorizationServer({ resources: PATHS.map((path) => door.origin + path), scopes: SCOPES });
  door.handler = createFunction(door.origin, server, urlMode);
  return { door, server, close: () => Promise.all([door.close(), server.close()]) };
}

function createFunction(
  origin: string,
  server: AuthorizationServer,
  urlMode: URLMode,
): NonNullable<OpenDoor['handler']> {
  const { issuer, keysUrl } = server;
  const hasBase = urlMode === 'public_base_url';
  const validator = jwtBearerValidator({
    issuer,
    // Keys must be fetched by https; these are served on loopback.
    jwksUri: 'https://keys.example/jwks',
    fetch: (_url, init) => fetch(keysUrl, init),
    audience: mcpResourceURL(origin),
    typ: 'at+jwt',
  });
  const { principalResolver, challenge } = createBearerGuard({
    validator,
    ...(hasBase && { resourceMetadataURLFunc: mcpResourceMetadataURL(origin) }),
  });
  const app = new SecureApp({ principalResolver, challenge, log: false });
  const mcp = createMcpServer({ name: 'tree', version: '1.0.0', store: memoryMcpStore() });
  mcp.tool('who', {}, (_, { http, principal }) => `${principal?.identity} at ${JSON.stringify(http.params)}`);
  registerMcpFacade(app, {
    issuerUrl: issuer,
    jwksUri: keysUrl,
    urlMode,
    ...(hasBase ? { publicBaseUrl: origin } : { allowedHostnames: [origin.replace('http://', '')] }),
    scopes: { namespace: SCOPES, partner_namespace: SCOPES, agent: SCOPES, partner_agent: SCOPES },
    mcpHandler: mcp.handler,
    posture: () => Authenticated('notes:read'),
    ...createHooks(server),
  });
  return app.handleLambda as NonNullable<OpenDoor['handler']>;
}

/** Authorization and token endpoints at the facade itself, for clients that look for them next to the server. */
function createHooks({ issuer, sign }: AuthorizationServer): Pick<FacadeConfig, 'authorizeHandler' | 'tokenHandler'> {
  const codes = createAuthorizationCodeStore({ store: memoryMcpStore() });
  return {
    authorizeHandler: () => async (ctx) => {
      const of = (name: string) => ctx.query(name) ?? '';
      const [clientId, redirectUri, resource] = [of('client_id'), of('redirect_uri'), of('resource')];
      const grant = {
        clientId,
        subject: 'ada',
        scopes: SCOPES,
        redirectUri,
        codeChallenge: of('code_challenge'),
        resource,
      };
      return createAuthorizeResponse({ redirectUri, issuer, state: of('state'), code: await codes.put(grant) });
    },
    tokenHandler: () =>
      createTokenHandler({
        codes,
        issueAccessToken: async ({ subject, scopes, resource = '' }) => ({
          accessToken: await sign({ sub: subject, scope: scopes.join(' ') }, resource),
          expiresIn: 300,
        }),
      }),
  };
}

type Lab = Awaited<ReturnType<typeof openLab>>;

/** The requests of a client, in order, until its first answer: without the pages for the user, and without ports. */
function toSteps(lines: readonly string[], { door, server }: Lab): readonly string[] {
  return lines
    .filter((line) => !/\/(sign-in|authorize)\//.test(line))
    .map((line) => line.replace(door.origin, 'door').replace(server.issuer, 'server'));
}

/** Opens a session; its status and challenge. */
async function initialize({ door }: Lab, path: string, token: string, headers: object = {}) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const accept = 'application/json, text/event-stream';
  const response = await fetch(door.origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  return [response.status, response.headers.get('www-authenticate')];
}

/** Each door with the challenge in its original header, and in a renamed header. */
const CASES = DOOR_NAMES.flatMap((name) => [
  [name, false],
  [`${name}, with the challenge renamed`, true],
]) as readonly [string, boolean][];

describe.each(CASES)('through %s', (name, renamesChallenge) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(name.split(',')[0] as DoorName, { renamesChallenge });
  });
  afterAll(() => lab.close());

  it.each(AGENTS)('%s signs in, knowing only the URL of an endpoint', async (_, signIn) => {
    const { door, server } = lab;
    const lines: string[] = [];
    const agent = await signIn({
      url: new URL(`${door.origin}/globex/partners/p1/mcp`),
      person: { account: 'ada', password: server.password },
      onRequest: (line) => lines.push(line),
    });
    expect(await agent.callTool('who')).toMatchObject({
      content: [{ text: 'ada at {"client_namespace":"globex","partner_id":"p1"}' }],
    });
    await agent.close();
    expect(toSteps(lines, lab).slice(0, 7)).toEqual([
      'POST door/globex/partners/p1/mcp 401',
      'GET door/.well-known/oauth-protected-resource/globex/partners/p1/mcp 200',
      'GET server/.well-known/oauth-authorization-server 200',
      'POST server/register 201',
      'GET server/authorize 303',
      'POST server/token 200',
      'POST door/globex/partners/p1/mcp 200',
    ]);
  });
});

describe('with the host of the request in documents', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab('gateway v2', { urlMode: 'request_host' });
  });
  afterAll(() => lab.close());

  it.each(AGENTS)('%s signs in, without a URL in the challenge', async (_, signIn) => {
    const response = await fetch(`${lab.door.origin}/acme/mcp`, { method: 'POST' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const person = { account: 'ada', password: lab.server.password };
    const agent = await signIn({ url: new URL(`${lab.door.origin}/acme/mcp`), person });
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(['who']);
    await agent.close();
  });
});

describe('two namespaces of one function', () => {
  let lab: Lab;
  const tokens: string[] = [];

  beforeAll(async () => {
    lab = await openLab('gateway v2');
    const [, signIn] = AGENTS[0] as (typeof AGENTS)[number];
    for (const path of PATHS) {
      const person = { account: 'ada', password: lab.server.password };
      const agent = await signIn({ url: new URL(lab.door.origin + path), person });
      tokens.push(agent.memory.tokens()?.access_token ?? '');
      await agent.close();
    }
  });
  afterAll(() => lab.close());

  const list = (path: string, token: string, headers?: object) => initialize(lab, path, token, headers);

  it('have tokens that are not exchangeable', async () => {
    const [acme = '', globex = ''] = tokens;
    expect(await list('/acme/mcp', acme)).toEqual([200, null]);
    expect(await list('/globex/partners/p1/mcp', globex)).toEqual([200, null]);
    expect(await list('/acme/mcp', globex)).toEqual([403, null]);
    expect(await list('/globex/partners/p1/mcp', acme)).toEqual([403, null]);
    expect(await list('/initech/mcp', acme)).toEqual([403, null]);
  });

  it('send an expired or foreign token to the document of the requested endpoint', async () => {
    const claims = { sub: 'ada', scope: 'notes:read' };
    const expired = await lab.server.sign(claims, `${lab.door.origin}/acme/mcp`, '-1m');
    const challenge = `Bearer resource_metadata="${lab.door.origin}/.well-known/oauth-protected-resource/acme/mcp"`;
    expect(await list('/acme/mcp', expired)).toEqual([401, challenge]);
    expect(await list('/acme/mcp', 'x.y.z')).toEqual([401, challenge]);
    const forged = {
      forwarded: 'host=evil.example',
      'x-forwarded-host': 'evil.example',
      'x-original-url': '/evil/mcp',
    };
    expect(await list('/acme/mcp', 'x.y.z', forged)).toEqual([401, challenge]);
    expect(await list('/%61cme/mcp', 'x.y.z')).toEqual([401, challenge]);
    expect(await list('/%2e%2e%2f/mcp', 'x.y.z')).toEqual([404, null]);
  });

  it('issue tokens at their own endpoints, by the hooks of the facade', async () => {
    const { origin } = lab.door;
    const found = await fetch(`${origin}/.well-known/oauth-authorization-server/acme/mcp`);
    const endpoints = (await found.json()) as { authorization_endpoint: string; token_endpoint: string };
    const [verifier, redirect] = [createPkceVerifier(), 'http://127.0.0.1:9/callback'];
    const asked = { client_id: 'c', redirect_uri: redirect, state: 's', resource: `${origin}/acme/mcp` };
    const query = new URLSearchParams({ ...asked, code_challenge: pkceChallenge(verifier) });
    const sent = await fetch(`${endpoints.authorization_endpoint}?${query}`, { redirect: 'manual' });
    const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: 'c',
      redirect_uri: redirect,
    };
    const body = new URLSearchParams({ ...form, resource: `${origin}/acme/mcp` });
    const { access_token } = (await (await fetch(endpoints.token_endpoint, { method: 'POST', body })).json()) as {
      access_token: string;
    };
    expect(await list('/acme/mcp', access_token)).toEqual([200, null]);
    expect(await list('/globex/partners/p1/mcp', access_token)).toEqual([403, null]);
  });
});
