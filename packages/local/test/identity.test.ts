import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { LocalIdentity } from '../src/internal/identity/local-identity.js';
import { createTestHost, type TestHost } from './support/host.js';

let host: TestHost;
let identity: LocalIdentity;

beforeAll(async () => {
  host = createTestHost(() => null);
  identity = new LocalIdentity(host);
  await identity.start();
});

afterAll(async () => {
  await identity.stop();
  host.remove();
});

/** A secure service that is configured with the issuer by `env` in `sallyport.json`. */
function createService() {
  const env = createTestEnv({ now: new Date() });
  const [issuer, jwksUri, audience] = ['$issuer', '$jwks', '$audience'].map((name) => identity.substitute(name));
  const principalResolver = jwtPrincipalResolver({
    issuer: issuer as string,
    jwksUri: jwksUri as string,
    audience: [audience as string],
  });
  const app = new SecureApp({ ...env.options(), principalResolver });
  app.get('/me', (ctx) => json(200, { identity: ctx.authIdentity }), Authenticated('notes:read'));
  return async (token: string | undefined) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { statusCode, body } = await env.invoke(app, buildAPIGatewayV2Request('GET', '/me', { headers }));
    return statusCode === 200 ? body : statusCode;
  };
}

it('a closed service accepts the tokens of the local issuer, and only with their scopes', async () => {
  const call = createService();
  expect(await call(undefined)).toBe(401);
  expect(await call(await identity.token({ sub: 'ada' }))).toBe(403);
  expect(await call(await identity.token({ sub: 'ada', scopes: ['notes:read'] }))).toBe('{"identity":"ada"}');
  const [head, claims, signature] = (await identity.token({ sub: 'ada', scopes: ['notes:read'] })).split('.');
  const forged = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims as string, 'base64url').toString()), sub: 'eve' }),
  );
  expect(await call(`${head}.${forged.toString('base64url')}.${signature}`)).toBe(401);
});

it('names further audiences, with the address of the HTTP API', async () => {
  const config = { audiences: ['$api/mcp', 'notes'] };
  const other = createTestHost(() => null, { config, ports: { 'gateway-v2': 4711 } as TestHost['ports'] });
  const issuer = new LocalIdentity(other);
  await issuer.start();
  const [, claims = ''] = (await issuer.token({ sub: 'ada' })).split('.');
  await issuer.stop();
  other.remove();
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    aud: ['local', 'http://127.0.0.1:4711/mcp', 'notes'],
  });
});

it('states tenant and kind in claims', async () => {
  const [, claims = ''] = (await identity.token({ sub: 'ada', tenant: 'acme', kind: 'service' })).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    sub: 'ada',
    tenant_id: 'acme',
    kind: 'service',
    aud: 'local',
  });
});

it('publishes the public key alone, on loopback', async () => {
  const address = identity.substitute('$jwks');
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\.well-known\/jwks\.json$/);
  const { keys } = (await (await fetch(address)).json()) as { keys: object[] };
  expect(keys).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: expect.any(String),
      alg: 'ES256',
      use: 'sig',
    },
  ]);
  expect((await fetch(new URL('/', address))).status).toBe(404);
});

it('key and secret outlive the run, in a file for its owner only', async () => {
  const file = join(host.config.stateFolder, 'identity.json');
  const before = readFileSync(file, 'utf8');
  const second = new LocalIdentity(host);
  await second.start();
  expect([readFileSync(file, 'utf8'), second.substitute('a $secret b')]).toEqual([
    before,
    identity.substitute('a $secret b'),
  ]);
  expect(identity.substitute('$secretly $issuers')).toBe('$secretly $issuers');
  await second.stop();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a token without a subject is rejected', async () => {
  await expect(identity.token({ sub: ' ' })).rejects.toMatchObject({ code: 'local.usage' });
});
