import { createJwtVerifier, type JwtKeySet } from '@sallyport/secure/jwt';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { withHeader } from '../src/resolvers/jwt/internal/compact.js';
import { KeySet } from '../src/resolvers/jwt/internal/key-set.js';
import { GROUPS } from './support/vectors.js';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const VECTORS = GROUPS.flatMap(({ source, key, vectors }) =>
  vectors.map((vector) => [source, vector.name, vector, key] as const),
);

/** The check of header and signature. Most published payloads are not JSON, so the whole verifier would reject them before it. */
function isSigned(token: string, key: object): boolean {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  if (payload === '' || signature === '' || more.length > 0) return false;
  const encoded = { header, payload, signature: Buffer.from(signature, 'base64url'), claims: {} };
  try {
    new KeySet({ keys: [key] }).verify(withHeader(encoded, ALGORITHMS));
    return true;
  } catch {
    return false;
  }
}

describe.each(VECTORS)('%s, %s', (_source, _name, { token, valid }, key) => {
  it('has the published verdict, and the verdict of jose', async () => {
    const keys = createLocalJWKSet({ keys: [key] } as JSONWebKeySet);
    const theirs = await compactVerify(token, keys, { algorithms: ALGORITHMS }).then(
      () => true,
      () => false,
    );
    expect([isSigned(token, key), theirs]).toEqual([valid, valid]);
  });

  if (!valid) {
    it('is rejected by the verifier', async () => {
      const verifier = createJwtVerifier({ issuer: 'joe', audience: ['x'], jwks: { keys: [key] } as JwtKeySet });
      await expect(verifier.verify(token, new Date(0))).rejects.toMatchObject({ reason: 'invalid' });
    });
  }
});

it.each(GROUPS.filter(({ source }) => ['RFC 7515 A.2', 'RFC 7515 A.3'].includes(source)))(
  'the token of $source is accepted until it expires',
  async ({ key, vectors }) => {
    const verifier = createJwtVerifier({
      issuer: 'joe',
      audience: ['true'],
      jwks: { keys: [key] },
      clockToleranceSeconds: 0,
    });
    const outcome = (seconds: number) =>
      verifier.verify(vectors[0]?.token ?? '', new Date(seconds * 1000)).catch(({ reason }) => reason);
    // It names no audience, which is checked last.
    expect([await outcome(1_300_819_379), await outcome(1_300_819_380)]).toEqual(['audience', 'expired']);
  },
);
