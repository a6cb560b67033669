import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { exportJWK } from 'jose';
// @ts-expect-error the package has no types
import Provider from 'oidc-provider';
import { DIRECT, send } from './support/operations.js';
import { AUDIENCE, createKey } from './support/tokens.js';

/** A third-party authorization server, on loopback. */
let server: Server;
let issuer: string;

beforeAll(async () => {
  const key = await createKey('op-1');
  const jwk = { ...(await exportJWK(key.privateKey)), kid: 'op-1', use: 'sig', alg: 'RS256' };
  let listener: RequestListener = (_, response) => response.end();
  server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // It warns that all data is in memory, which is intended here.
  const warnings = import.meta.jest.spyOn(console, 'warn').mockImplementation(() => {});
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    cookies: { keys: ['test'] },
    clients: ['reader', 'writer'].map((client_id) => ({
      client_id,
      client_secret: `${client_id}-secret`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: ['read', 'write'],
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'read write',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  warnings.mockRestore();
  listener = provider.callback();
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

async function tokenFor(client: string, scope: string, resource: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource }),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error('no token');
  return access_token;
}

it('tokens of a real authorization server pass, with their scopes and for their audience alone', async () => {
  const app = new SecureApp({
    principalResolver: jwtPrincipalResolver({
      issuer,
      jwksUri: 'https://op.example/jwks',
      // Key sets require https; here `fetch` is a proxy to loopback.
      fetch: (url, init) => fetch(url.replace('https://op.example', issuer), init),
      audience: [AUDIENCE],
      typ: 'at+jwt',
      identity: (claims) => String(claims.client_id),
    }),
  }).get('/op', (ctx) => json(200, ctx.authIdentity), Authenticated('write'));
  const call = async (token: string) => send(app, DIRECT, { headers: { authorization: `Bearer ${token}` } });
  expect(await call(await tokenFor('writer', 'read write', AUDIENCE))).toMatchObject({ status: 200, body: 'writer' });
  expect((await call(await tokenFor('reader', 'read', AUDIENCE))).status).toBe(403);
  expect((await call(await tokenFor('writer', 'write', 'https://other.example'))).status).toBe(403);
  const token = await tokenFor('writer', 'write', AUDIENCE);
  expect((await call(`${token.slice(0, -4)}AAAA`)).status).toBe(401);
});
