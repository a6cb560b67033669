// An identity provider that fails: each case has the code `mcp.identity_provider`, a reason, a time limit and one log line.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type McpStore, memoryMcpStore } from '../src/index.js';
import { counting } from './support/counting.js';
import { openCognitoLab, openOidcLab, type SignInLab } from './support/sign-in.js';
import { ByHand, callTool } from './support/sign-in-client.js';

const opened: { close(): Promise<unknown> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

async function opening<T extends { close(): Promise<unknown> }>(lab: Promise<T>): Promise<T> {
  opened.push(await lab);
  return lab;
}

/** The lines of failures; the client is redirected, or receives an OAuth error. */
const failures = ({ lines }: SignInLab) =>
  lines.filter(({ level }) => level === 'ERROR').map(({ code, event, reason }) => [code, event, reason]);
const failed = (reason: string) => ['mcp.identity_provider', 'mcp.identity_provider_failed', reason];

const FAULTS = [
  { fault: 'slow', reason: 'timeout', error: 'temporarily_unavailable' },
  { fault: 'down', reason: 'unreachable', error: 'temporarily_unavailable' },
  { fault: 'html', reason: 'not_json', error: 'server_error' },
] as const;

describe.each(FAULTS)('a token endpoint that is $fault', ({ fault, reason, error }) => {
  it('sends the user back to the client with an error, and the next sign-in works', async () => {
    const lab = await opening(openCognitoLab({ timeoutMs: 200 }));
    const client = new ByHand(lab);
    await client.register();
    lab.cognito.faults.token = fault;
    expect(Object.fromEntries(await client.signIn())).toMatchObject({ error, state: 'the state of the client' });
    expect(failures(lab)).toEqual([failed(reason)]);
    lab.cognito.faults.token = undefined;
    expect((await client.signIn()).get('code')).toEqual(expect.any(String));
  });

  it('answers a refresh with 503, and the refresh token remains valid', async () => {
    const lab = await opening(openCognitoLab({ timeoutMs: 200 }));
    const client = new ByHand(lab);
    const { refresh_token } = await client.tokens();
    lab.cognito.faults.token = fault;
    expect(await client.refresh(refresh_token)).toMatchObject({ status: 503, body: { error } });
    expect(failures(lab)).toEqual([failed(reason)]);
    lab.cognito.faults.token = undefined;
    expect(await client.refresh(refresh_token)).toMatchObject({ status: 200 });
  });
});

describe('signing keys', () => {
  it.each(['slow', 'down', 'html'] as const)('that are %s are a failure of the provider', async (fault) => {
    const lab = await opening(openCognitoLab({ timeoutMs: 200 }));
    const client = new ByHand(lab);
    await client.register();
    lab.cognito.faults.keys = fault;
    expect((await client.signIn()).get('error')).toBe('temporarily_unavailable');
    expect(failures(lab)).toEqual([failed('keys')]);
    lab.cognito.faults.keys = undefined;
    lab.wait(31_000);
    expect((await client.signIn()).get('code')).toEqual(expect.any(String));
  });

  it('that rotate are loaded again, and old tokens are rejected', async () => {
    const lab = await opening(openCognitoLab());
    const client = new ByHand(lab);
    const { access_token, refresh_token } = await client.tokens();
    await lab.cognito.rotateKeys();
    lab.wait(31_000);
    const { body } = await client.refresh(refresh_token);
    expect(await callTool(lab, body.access_token)).toMatchObject({ status: 200 });
    expect((await client.signIn()).get('code')).toEqual(expect.any(String));
    lab.wait(600_000);
    expect(await callTool(lab, access_token)).toMatchObject({ status: 401 });
    expect(failures(lab)).toEqual([]);
  });
});

describe('another issuer', () => {
  it('in the access token', async () => {
    const lab = await opening(openCognitoLab());
    lab.cognito.overrideClaims = { iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Other' };
    const client = new ByHand(lab);
    await client.register();
    expect((await client.signIn()).get('error')).toBe('server_error');
    expect(failures(lab)).toEqual([failed('token')]);
  });

  it.each([
    ['in the answer of the provider', 'https://other.example'],
    ['missing from the answer of a provider that always sends it', undefined],
  ])('%s', async (_, iss) => {
    const lab = await opening(openOidcLab());
    const client = new ByHand(lab);
    await client.register();
    const isCallback = ({ pathname }: URL) => pathname === '/oauth/callback';
    const callback = await client.browser.open(client.authorizationUrl(), isCallback);
    callback.searchParams.delete('iss');
    if (iss !== undefined) callback.searchParams.set('iss', iss);
    const response = await client.browser.send(callback);
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('server_error');
    expect(failures(lab)).toEqual([failed('issuer')]);
    expect(lab.provider.requests.filter((line) => line === 'POST /token')).toEqual([]);
  });
});

/** A provider whose metadata is wrong, at a port of this machine. */
class OddProvider {
  readonly #server: Server;
  requests = 0;
  answer: (response: ServerResponse, issuer: string) => void = (response) => response.destroy();

  static async start(): Promise<OddProvider> {
    const odd = new OddProvider();
    await once(odd.#server.listen(0, '127.0.0.1'), 'listening');
    return odd;
  }

  private constructor() {
    this.#server = createServer((_, response) => {
      this.requests += 1;
      this.answer(response, this.issuer);
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

const json = (body: unknown) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
});

describe('metadata', () => {
  it.each<[string, string, (response: ServerResponse, issuer: string) => void]>([
    ['is slow', 'timeout', () => {}],
    [
      'stops in the middle',
      'timeout',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ],
    ['is down', 'unreachable', (response) => void response.destroy()],
    [
      'is an HTML page',
      'not_json',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'),
    ],
    [
      'is HTML that is called JSON',
      'not_json',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<p>Hi'),
    ],
    ['is a list', 'not_json', json([])],
    ['is too large', 'too_large', json({ padding: 'x'.repeat(300_000) })],
    ['is an error', 'status', (response) => void response.writeHead(500).end()],
    [
      'is a redirect',
      'status',
      (response) => void response.writeHead(302, { location: 'https://other.example' }).end(),
    ],
    [
      'is not found',
      'metadata',
      (response) => void response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
    ],
    [
      'names another issuer',
      'issuer',
      (response, issuer) => json({ ...metadata(issuer), issuer: `${issuer}/` })(response),
    ],
    ['has no keys', 'metadata', (response, issuer) => json({ ...metadata(issuer), jwks_uri: undefined })(response)],
    [
      'has an endpoint without TLS',
      'metadata',
      (response, issuer) => json({ ...metadata(issuer), token_endpoint: 'http://id.example/token' })(response),
    ],
  ])('that %s fails with the reason %s; a token is answered with 503', async (_, reason, answer) => {
    const odd = await opening(OddProvider.start());
    odd.answer = answer;
    const lab = await opening(openOidcLab({ timeoutMs: 200, issuer: odd.issuer }));
    const client = new ByHand(lab);
    await client.register();
    const error = (await client.signIn()).get('error') ?? '';
    expect(['temporarily_unavailable', 'server_error']).toContain(error);
    expect(failures(lab)).toEqual([failed(reason)]);
    expect(await callTool(lab, 'a.b.c')).toMatchObject({ status: 503 });
    // Both requests share one load.
    expect(odd.requests).toBe(1);
    odd.answer = (response, issuer) => json(metadata(issuer))(response);
    lab.wait(6_000);
    const isEnd = ({ pathname }: URL) => pathname === '/authorize';
    expect((await client.browser.open(client.authorizationUrl(), isEnd)).origin).toBe(odd.issuer);
  });
});

describe('a provider that rejects', () => {
  it('the app client: the client receives no details', async () => {
    const lab = await opening(openCognitoLab({ clientSecret: 'another secret' }));
    const client = new ByHand(lab);
    await client.register();
    const answer = await client.signIn();
    expect([answer.get('error'), answer.get('error_description')]).toEqual([
      'server_error',
      'the identity provider failed',
    ]);
    expect(lab.lines).toMatchObject([{ reason: 'refused', oauth_error: 'invalid_client' }]);
  });

  it('a scope: the client receives invalid_scope', async () => {
    const lab = await opening(openCognitoLab({ providerScopes: ['aws.cognito.signin.user.admin'] }));
    const client = new ByHand(lab);
    await client.register();
    expect((await client.signIn()).get('error')).toBe('invalid_scope');
    expect(failures(lab)).toEqual([failed('refused')]);
  });

  it('a refresh token: the client signs in again', async () => {
    const lab = await opening(openCognitoLab({}, { rotatesRefreshTokens: true }));
    const client = new ByHand(lab);
    const { refresh_token } = await client.tokens();
    // The pool no longer accepts the refresh token, for example because an administrator has signed the user out.
    const second = await client.refresh(refresh_token);
    lab.cognito.revokeRefreshTokens();
    expect(await client.refresh(second.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(failures(lab)).toEqual([]);
  });
});

it('two concurrent refreshes use the refresh token of the provider once', async () => {
  const memory = memoryMcpStore();
  // Writes are slow, so that both requests read the sign-in before one of them has claimed it.
  const put: McpStore['put'] = async (row, when) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return memory.put(row, when);
  };
  const lab = await opening(openCognitoLab({ store: { ...counting(memory), put } }, { rotatesRefreshTokens: true }));
  const client = new ByHand(lab);
  const { refresh_token } = await client.tokens();
  const answers = await Promise.all([client.refresh(refresh_token), client.refresh(refresh_token)]);
  const right = answers.filter(({ status }) => status === 200);
  const wrong = answers.filter(({ status }) => status !== 200);
  expect(right).toHaveLength(1);
  for (const { body } of wrong) expect(['temporarily_unavailable', 'invalid_grant']).toContain(body.error);
  expect(lab.cognito.tokenForms.filter((form) => form.get('grant_type') === 'refresh_token')).toHaveLength(1);
  expect(await client.refresh(right[0]?.body.refresh_token)).toMatchObject({ status: 200 });
});
