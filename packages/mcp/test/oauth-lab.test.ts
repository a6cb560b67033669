import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AGENTS, ClientMemory, DOOR_NAMES, type DoorName, openDoor, signIn } from '@sallyport/oauth-lab';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { LabServer } from '../judge/authorization-server.js';
import { createMcpServer, mountMcp } from '../src/index.js';
import {
  type BearerOptions,
  bearerClaims,
  createBearerGuard,
  jwtBearerValidator,
  mcpDiscovery,
  protectedResourceMetadataURL,
} from '../src/oauth.js';

const SCOPES = ['notes:read', 'notes:write'];
const PERSON = { account: 'ada', password: '' };
const CLIENT_URL = 'https://client.example/metadata.json';

interface LabOptions {
  readonly door?: DoorName;
  readonly renamesChallenge?: boolean;
  /** True if the document at the path-inserted place is missing. */
  readonly onlyRootDocument?: boolean;
  readonly guard?: Partial<BearerOptions>;
  /** For whom tokens are; the resource itself by default. */
  readonly audience?: string;
  readonly hasRefreshTokens?: boolean;
}

/** A resource and an authorization server, each a function with a door, and their common clock. */
async function openLab({ door: name = 'gateway v2', renamesChallenge = false, ...options }: LabOptions = {}) {
  const [door, serverDoor] = [await openDoor(name, { renamesChallenge }), await openDoor('gateway v2')];
  let laterMs = 0;
  const clock = { now: () => new Date(Date.now() + laterMs) };
  const server = await LabServer.create({
    issuer: serverDoor.origin,
    scopes: SCOPES,
    defaultScopes: ['notes:read'],
    clients: { [CLIENT_URL]: { redirect_uris: [new ClientMemory().redirectUrl] } },
    clock,
    hasRefreshTokens: options.hasRefreshTokens ?? true,
  });
  serverDoor.handler = server.app.handleLambda as typeof serverDoor.handler;
  door.handler = createFunction(door.origin, serverDoor.origin, server, clock, options);
  return {
    door,
    serverDoor,
    server,
    clock,
    wait(ms: number) {
      laterMs += ms;
    },
    close: () => Promise.all([door.close(), serverDoor.close()]),
  };
}

function createFunction(
  origin: string,
  issuer: string,
  server: LabServer,
  clock: { now(): Date },
  options: LabOptions,
) {
  const resource = `${origin}/mcp`;
  const validator = jwtBearerValidator({
    issuer,
    jwks: server.jwks as never,
    audience: [options.audience ?? resource],
    typ: 'at+jwt',
    clockToleranceSeconds: 0,
  });
  const resourceMetadataURL = protectedResourceMetadataURL(resource);
  const { principalResolver, challenge } = createBearerGuard({ validator, resourceMetadataURL, ...options.guard });
  const app = new SecureApp({ principalResolver, challenge, log: false, clock });
  const mcp = createMcpServer({ name: 'notes', version: '1.0.0' });
  mcp.tool('who', {}, (_, { http }) => `${bearerClaims(http)?.subject} ${bearerClaims(http)?.scopes.join(' ')}`);
  mcp.tool('write', { scopes: ['notes:write'] }, () => 'written');
  const discovery = mcpDiscovery({ publicBaseUrl: origin, authorizationServers: [issuer] });
  mountMcp(app, mcp, { posture: Authenticated(), discovery });
  return async (event: object, context: object) => {
    const isHidden = options.onlyRootDocument && JSON.stringify(event).includes('oauth-protected-resource/mcp');
    return isHidden ? { statusCode: 404 } : app.handleLambda(event, context as never);
  };
}

type Lab = Awaited<ReturnType<typeof openLab>>;

/** Method, place and status of what a client asked. */
function toSteps(lines: readonly string[], { door, serverDoor }: Lab): readonly string[] {
  return lines.map((line) => line.replace(door.origin, 'door').replace(serverDoor.origin, 'server'));
}

const FIRST_SIGN_IN = [
  'POST door/mcp 401',
  'GET door/.well-known/oauth-protected-resource/mcp 200',
  'GET server/.well-known/oauth-authorization-server 200',
  'POST server/register 201',
  'GET server/authorize 302',
  'POST server/token 200',
  'POST door/mcp 200',
];

const CASES = DOOR_NAMES.flatMap((door) => [
  { title: door, door, renamesChallenge: false },
  { title: `${door}, with the challenge renamed`, door, renamesChallenge: true },
]);

describe.each(CASES)('through $title', (options) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(options);
  });
  afterAll(() => lab.close());

  it.each(AGENTS)('%s signs in, knowing only a URL', async (_, connect) => {
    const lines: string[] = [];
    const url = new URL(`${lab.door.origin}/mcp`);
    const agent = await connect({ url, person: PERSON, onRequest: (line) => lines.push(line) });
    expect(await agent.callTool('who')).toMatchObject({ content: [{ text: 'ada notes:read' }] });
    await agent.close();
    expect(toSteps(lines, lab).slice(0, 7)).toEqual(FIRST_SIGN_IN);
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a sign-in', () => {
  let lab: Lab;
  afterEach(() => lab.close());

  it.each(AGENTS)('of %s finds the document at the root when the other document is missing', async (_, connect) => {
    lab = await openLab({ onlyRootDocument: true, renamesChallenge: true });
    const lines: string[] = [];
    const url = new URL(`${lab.door.origin}/mcp`);
    const agent = await connect({ url, person: PERSON, onRequest: (line) => lines.push(line) });
    await agent.close();
    expect(toSteps(lines, lab).slice(0, 4)).toEqual([
      'POST door/mcp 401',
      'GET door/.well-known/oauth-protected-resource/mcp 404',
      'GET door/.well-known/oauth-protected-resource 200',
      'GET server/.well-known/oauth-authorization-server 200',
    ]);
  });

  it.each(AGENTS)('of %s requests a token for this resource', async (_, connect) => {
    lab = await openLab();
    const url = new URL(`${lab.door.origin}/mcp`);
    const agent = await connect({ url, person: PERSON });
    const [, payload = ''] = (agent.memory.tokens()?.access_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ aud: url.href, sub: 'ada' });
    await agent.close();
  });

  it.each(AGENTS)('of %s is not repeated when its token expires: one refresh', async (name, connect) => {
    lab = await openLab();
    const lines: string[] = [];
    const url = new URL(`${lab.door.origin}/mcp`);
    const agent = await connect({ url, person: PERSON, onRequest: (line) => lines.push(line) });
    const first = agent.memory.tokens()?.refresh_token ?? '';
    // Clients with sessions look for a stream once, next to everything else.
    while (name !== 'SDK 2.x, auto' && !lines.some((line) => line.startsWith(`GET ${url}`))) await turn();
    lab.wait(301_000);
    lines.length = 0;
    expect(await agent.callTool('who')).toMatchObject({ content: [{ text: 'ada notes:read' }] });
    const steps = toSteps(lines, lab);
    expect(steps.filter((step) => !step.startsWith('GET'))).toEqual([
      'POST door/mcp 401',
      'POST server/token 200',
      'POST door/mcp 200',
    ]);
    const second = agent.memory.tokens()?.refresh_token ?? '';
    expect(second).not.toBe(first);
    await agent.close();
    // The thief uses the first token after more than ten seconds: the family is revoked.
    lab.wait(11_000);
    const { client_id } = agent.memory.clientInformation() ?? { client_id: '' };
    const refresh = async (refresh_token: string) => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id });
      const response = await fetch(`${lab.serverDoor.origin}/token`, { method: 'POST', body });
      return [response.status, ((await response.json()) as { error?: string }).error];
    };
    expect(await refresh(first)).toEqual([400, 'invalid_grant']);
    expect(await refresh(second)).toEqual([400, 'invalid_grant']);
  });

  it.each(AGENTS)('of %s is not repeated when its token is for another resource', async (_, connect) => {
    lab = await openLab({ audience: 'https://other.example/mcp' });
    const url = new URL(`${lab.door.origin}/mcp`);
    await expect(connect({ url, person: PERSON })).rejects.toThrow();
    expect(lab.door.requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /mcp 401', 'POST /mcp 403']);
    expect(lab.serverDoor.requests.filter((line) => line.includes('/authorize'))).toHaveLength(1);
  });
});

describe('a tool that requires one more scope', () => {
  let lab: Lab;
  afterEach(() => lab.close());

  const call = async (options: LabOptions) => {
    lab = await openLab(options);
    const memory = new ClientMemory();
    const open = () => new StreamableHTTPClientTransport(new URL(`${lab.door.origin}/mcp`), { authProvider: memory });
    let transport = open();
    const signInWith = async (run: () => Promise<unknown>) => {
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) return;
      if (!(error instanceof UnauthorizedError)) throw error;
      const url = memory.takeAuthorizationUrl();
      const { searchParams } = await signIn(url, PERSON);
      await transport.finishAuth(searchParams.get('code') ?? '');
    };
    const client = new Client({ name: 'a', version: '1' });
    await signInWith(() => client.connect(transport));
    transport = open();
    await client.connect(transport);
    await signInWith(() => client.callTool({ name: 'write' }));
    const result = await client.callTool({ name: 'write' });
    await client.close();
    return result;
  };

  it('is called after a second sign-in, with scopeChallenge', async () => {
    // A client with a refresh token uses it first, which cannot add a scope.
    const result = await call({
      hasRefreshTokens: false,
      guard: { scopeChallenge: true, requiredScopes: ['notes:read'] },
    });
    expect(result).toMatchObject({ content: [{ text: 'written' }] });
    expect(lab.serverDoor.requests.filter((line) => line.includes('/authorize'))).toHaveLength(2);
  });

  it('is 403 without it, and the user sees no second consent page', async () => {
    await expect(call({})).rejects.toThrow();
    expect(lab.serverDoor.requests.filter((line) => line.includes('/authorize'))).toHaveLength(1);
    expect(lab.door.requests.at(-1)).toBe('POST /mcp 403');
  });
});

it('a client with a URL as its id does not register', async () => {
  const lab = await openLab();
  const memory = Object.assign(new ClientMemory(), { clientMetadataUrl: CLIENT_URL });
  const url = new URL(`${lab.door.origin}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { authProvider: memory });
  await expect(new Client({ name: 'a', version: '1' }).connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const { searchParams } = await signIn(memory.takeAuthorizationUrl(), PERSON);
  await transport.finishAuth(searchParams.get('code') ?? '');
  const client = new Client({ name: 'a', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: memory }));
  expect(await client.callTool({ name: 'who' })).toMatchObject({ content: [{ text: 'ada notes:read' }] });
  await client.close();
  await lab.close();
  expect(lab.serverDoor.requests).toEqual([
    'GET /.well-known/oauth-authorization-server 200',
    'GET /authorize 302',
    'POST /token 200',
  ]);
});
