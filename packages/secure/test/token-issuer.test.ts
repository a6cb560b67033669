import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { createTokenIssuer, type TokenIssuer, type TokenOptions } from '@sallyport/testkit/tokens';

/** A service that fetches keys only from the issuer in this process. */
function createService() {
  const env = createTestEnv({ now: new Date('2026-11-22T10:00:00Z') });
  const issuer = createTokenIssuer({ audience: 'notes', clock: env.clock });
  const { jwksUri, fetch } = issuer;
  const principalResolver = jwtPrincipalResolver({ issuer: issuer.issuer, audience: ['notes'], jwksUri, fetch });
  const app = new SecureApp({ ...env.options(), principalResolver }).get(
    '/me',
    (ctx) => json(200, { identity: ctx.authIdentity }),
    Authenticated('notes:read'),
  );
  const call = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { statusCode, body } = await env.invoke(app, buildAPIGatewayV2Request('GET', '/me', { headers }));
    return statusCode === 200 ? JSON.parse(body) : statusCode;
  };
  return { env, issuer, call };
}

describe('a token issuer for tests', () => {
  it.each<[string, (issuer: TokenIssuer) => string, unknown]>([
    ['a good token', (issuer) => issuer.issueToken({ subject: 'ada', scopes: ['notes:read'] }), { identity: 'ada' }],
    [
      'a token of several audiences',
      (issuer) => issuer.issueToken({ subject: 'ada', scopes: ['notes:read'], audience: ['x', 'notes'] }),
      { identity: 'ada' },
    ],
    [
      'an expired token',
      (issuer) => issuer.issueToken({ subject: 'ada', scopes: ['notes:read'], expiresInSeconds: -60 }),
      401,
    ],
    ['a token without a scope', (issuer) => issuer.issueToken({ subject: 'ada' }), 403],
    [
      'a token for somebody else',
      (issuer) => issuer.issueToken({ subject: 'ada', scopes: ['notes:read'], audience: 'other' }),
      403,
    ],
    [
      'a token of another issuer',
      (issuer) => issuer.issueToken({ subject: 'ada', claims: { iss: 'https://other.test' } }),
      401,
    ],
    ['a token without a subject', (issuer) => issuer.issueToken({ scopes: ['notes:read'] }), 401],
    [
      'a token that says it is not signed',
      (issuer) => issuer.issueToken({ subject: 'ada', header: { alg: 'none' } }),
      401,
    ],
    ['a token of another key', () => createTokenIssuer({ audience: 'notes' }).issueToken({ subject: 'ada' }), 401],
  ])('signs %s', async (_name, make, expected) => {
    const { issuer, call } = createService();
    expect(await call(make(issuer))).toEqual(expected);
  });

  it('uses the time of its clock', async () => {
    const { env, issuer, call } = createService();
    const token = issuer.issueToken({ subject: 'ada', scopes: ['notes:read'] });
    await env.clock.advance(299_000);
    expect(await call(token)).toEqual({ identity: 'ada' });
    await env.clock.advance(10_000);
    expect(await call(token)).toBe(401);
  });

  it('rotates its key', async () => {
    const { env, issuer, call } = createService();
    const old = issuer.issueToken({ subject: 'ada', scopes: ['notes:read'] });
    expect(await call(old)).toEqual({ identity: 'ada' });
    issuer.rotateKey();
    await env.clock.advance(60_000);
    expect(await call(issuer.issueToken({ subject: 'bob', scopes: ['notes:read'] }))).toEqual({ identity: 'bob' });
    expect(await call(old)).toBe(401);
  });

  it('serves only its keys', async () => {
    const { issuer } = createService();
    expect((await issuer.fetch('https://issuer.test/other')).status).toBe(404);
    expect(await (await issuer.fetch(issuer.jwksUri)).json()).toEqual({
      keys: [expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256' })],
    });
    expect(JSON.stringify(issuer.jwks)).not.toContain('"d"');
  });

  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => createTokenIssuer({ audiance: 'x' } as object), 'unknown option "audiance"'],
    [
      'an unknown option of a token',
      () => createTokenIssuer().issueToken({ sub: 'ada' } as TokenOptions),
      'unknown option "sub"',
    ],
  ])('rejects %s', (_name, run, message) => {
    expect(run).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
