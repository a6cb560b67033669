import { type AuthorizationServer, signIn, startAuthorizationServer } from '@sallyport/oauth-lab';

const RESOURCE = 'http://127.0.0.1:9/mcp';
const REDIRECT = 'http://127.0.0.1:9/callback';
let server: AuthorizationServer;

beforeAll(async () => {
  server = await startAuthorizationServer({ resources: [RESOURCE], scopes: ['read', 'write'] });
});
afterAll(() => server.close());

async function register(redirectUri = REDIRECT): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function authorizationUrl(resource = RESOURCE, challenge = 'a'.repeat(43)): Promise<URL> {
  const { client_id } = await register();
  const url = new URL(`${server.issuer}/authorize`);
  const parameters = { client_id, redirect_uri: REDIRECT, resource, code_challenge: challenge };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  const fixed = { response_type: 'code', scope: 'read', state: 's', code_challenge_method: 'S256' };
  for (const [name, value] of Object.entries(fixed)) url.searchParams.set(name, value);
  return url;
}

it('redirects a user with the right password with a code and its issuer', async () => {
  const back = await signIn(await authorizationUrl(), { account: 'ada', password: server.password });
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(Object.fromEntries(back.searchParams)).toEqual({
    code: expect.stringMatching(/^[\w-]{20,}$/) as unknown,
    iss: server.issuer,
    state: 's',
  });
});

it.each([
  ['a wrong password', { account: 'ada', password: 'guessed' }],
  ['no password', { account: 'ada', password: '' }],
])('keeps out who has %s', async (_, person) => {
  await expect(signIn(await authorizationUrl(), person)).rejects.toThrow('sign-in failed with 403');
});

it('rejects a user without an account', async () => {
  const person = { account: '', password: server.password };
  await expect(signIn(await authorizationUrl(), person)).rejects.toThrow('sign-in failed with 403');
});

it('issues no token for another resource, nor without PKCE', async () => {
  const person = { account: 'ada', password: server.password };
  const other = await signIn(await authorizationUrl('https://other.example/mcp'), person);
  expect(other.searchParams.get('error')).toBe('invalid_target');
  const url = await authorizationUrl();
  url.searchParams.delete('code_challenge');
  url.searchParams.delete('code_challenge_method');
  expect((await signIn(url, person)).searchParams.get('error')).toBe('invalid_request');
});

it.each([
  'https://evil.example/callback',
  'http://evil.example/callback',
  'http://127.0.0.1.evil.example/',
  'com.example.app:/callback',
])('registers no client that is sent back to %s', async (uri) => {
  expect(await register(uri)).toEqual({
    error: 'invalid_redirect_uri',
    error_description: expect.any(String) as unknown,
  });
});

it('rejects a sign-in that was not begun', async () => {
  expect((await fetch(`${server.issuer}/sign-in/abc`)).status).toBe(400);
  expect((await fetch(`${server.issuer}/sign-in/abc`, { method: 'POST', body: 'x'.repeat(5_000) })).status).toBe(400);
});

it('does not start in a Lambda function', async () => {
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'notes';
  try {
    await expect(startAuthorizationServer({ resources: [], scopes: [] })).rejects.toThrow(
      'for tests on one machine only',
    );
  } finally {
    delete process.env.AWS_LAMBDA_FUNCTION_NAME;
  }
});
