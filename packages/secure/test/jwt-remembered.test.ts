import { createJwtVerifier, type JwtVerifierOptions } from '@sallyport/secure/jwt';
import {
  AUDIENCE,
  createKey,
  GOOD,
  ISSUER,
  type KeyServer,
  NOW,
  type SigningKey,
  serveKeys,
  sign,
} from './support/tokens.js';

let key: SigningKey;
let next: SigningKey;
let token: string;
let server: KeyServer;
let published: SigningKey[];
const signatures = import.meta.jest.spyOn(process.getBuiltinModule('node:crypto'), 'verify');

beforeAll(async () => {
  [key, next] = await Promise.all([createKey('k1', 'ES256'), createKey('k2', 'ES256')]);
  token = await sign(key);
});
beforeEach(async () => {
  published = [key];
  server = await serveKeys(() => published.map(({ jwk }) => jwk));
  signatures.mockClear();
});
afterEach(() => server.close());
afterAll(() => signatures.mockRestore());

const at = (seconds: number) => new Date((NOW + seconds) * 1000);

/** A verifier with the keys in its options, and how often it has verified a signature. */
function createVerifier(options: Partial<JwtVerifierOptions> = {}) {
  const keys = options.jwksUri === undefined ? { jwks: { keys: [key.jwk] } } : { fetch: server.fetch };
  const verifier = createJwtVerifier({ issuer: ISSUER, audience: [AUDIENCE], ...keys, ...options });
  return {
    verify: (text: string, seconds = 0, audience?: readonly string[]) => verifier.verify(text, at(seconds), audience),
    outcome: (text: string, seconds = 0, audience?: readonly string[]) =>
      verifier.verify(text, at(seconds), audience).then(
        ({ claims }) => claims.sub,
        ({ reason, detail }) => `${reason}: ${detail}`,
      ),
  };
}

describe('a token that was verified', () => {
  it('costs one signature, any number of times it comes', async () => {
    const { outcome } = createVerifier();
    const outcomes = [await outcome(token), await outcome(token, 1), await outcome(token, 299)];
    expect(outcomes).toEqual(['ada', 'ada', 'ada']);
    expect(signatures).toHaveBeenCalledTimes(1);
  });

  it('returns separate claims to each request', async () => {
    const { verify } = createVerifier();
    const [first, second] = [await verify(token), await verify(token)];
    (first.claims as { sub: string }).sub = 'eve';
    expect(second).toEqual({ issuer: 'https://id.example', claims: GOOD });
    expect((await verify(token)).claims).toEqual(GOOD);
  });

  it.each([
    ['at its end', 300, 'ada', 2],
    ['in the tolerance after its end', 304, 'ada', 2],
    ['after it', 305, 'expired: ERR_JWT_EXPIRED', 2],
    ['after the clock was set back', -1, 'ada', 2],
  ])('is verified again %s', async (_, seconds, expected, times) => {
    const { outcome } = createVerifier();
    await outcome(token);
    expect(await outcome(token, seconds)).toBe(expected);
    expect(signatures).toHaveBeenCalledTimes(times);
  });

  it('is rejected before its nbf when the clock was set back', async () => {
    const { outcome } = createVerifier();
    const later = await sign(key, { ...GOOD, nbf: NOW + 60 });
    expect([await outcome(later, 60), await outcome(later, 0)]).toEqual([
      'ada',
      'invalid: ERR_JWT_CLAIM_VALIDATION_FAILED nbf',
    ]);
  });

  it('is rejected beyond the greatest age', async () => {
    const { outcome } = createVerifier({ maxTokenAgeSeconds: 60 });
    expect([await outcome(token), await outcome(token, 59), await outcome(token, 66)]).toEqual([
      'ada',
      'ada',
      'expired: ERR_JWT_EXPIRED',
    ]);
    expect(signatures).toHaveBeenCalledTimes(2);
  });

  it('is rejected for the audience of another request', async () => {
    const { outcome } = createVerifier();
    expect(await outcome(token)).toBe('ada');
    expect(await outcome(token, 0, ['https://other.example'])).toBe('audience: aud');
    expect(signatures).toHaveBeenCalledTimes(1);
  });

  it('is not known in any other spelling', async () => {
    const { outcome } = createVerifier();
    await outcome(token);
    const [head, claims, signature = ''] = token.split('.');
    const eve = Buffer.from(JSON.stringify({ ...GOOD, sub: 'eve' })).toString('base64url');
    const spellings = [`${head}.${eve}.${signature}`, `${head}.${claims}.${signature.slice(0, -4)}AAAA`, ` ${token}`];
    const outcomes = await Promise.all(spellings.map((text) => outcome(text)));
    expect(outcomes.map((text) => `${text}`.split(':')[0])).toEqual(['invalid', 'invalid', 'invalid']);
  });

  it('is not known to a verifier with other options', async () => {
    await createVerifier().outcome(token);
    expect(await createVerifier({ requiredClaims: ['tenant'] }).outcome(token)).toBe(
      'invalid: ERR_JWT_CLAIM_VALIDATION_FAILED tenant',
    );
  });

  it('is forgotten after a thousand others at most, and not before five hundred', async () => {
    const { outcome } = createVerifier();
    const others = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => sign(key, { ...GOOD, sub: `u${index}` })),
    );
    await outcome(token);
    for (const other of others.slice(0, 500)) await outcome(other);
    await outcome(token);
    expect(signatures).toHaveBeenCalledTimes(501);
    for (const other of others.slice(500)) await outcome(other);
    await outcome(token);
    expect(signatures).toHaveBeenCalledTimes(1_002);
  });
});

describe('a token verified by keys that were fetched', () => {
  it('is kept from the first request, which fetches the keys', async () => {
    const { outcome } = createVerifier({ jwksUri: server.jwksUri });
    for (let seconds = 0; seconds < 5; seconds += 1) expect(await outcome(token, seconds)).toBe('ada');
    expect(signatures).toHaveBeenCalledTimes(1);
    expect(server.requests).toHaveLength(1);
  });

  it('is rejected when its key is withdrawn, as soon as the keys are fetched again', async () => {
    const long = await sign(key, { ...GOOD, exp: NOW + 7200 });
    const { outcome } = createVerifier({ jwksUri: server.jwksUri });
    expect([await outcome(long), await outcome(long, 1), await outcome(long, 2)]).toEqual(['ada', 'ada', 'ada']);
    published = [next];
    expect(await outcome(long, 599)).toBe('ada');
    expect(await outcome(long, 600)).toBe('invalid: ERR_JWKS_NO_MATCHING_KEY');
  });

  it('is verified again after a token of a new key has made the keys be fetched', async () => {
    const { outcome } = createVerifier({ jwksUri: server.jwksUri });
    await outcome(token);
    await outcome(token, 1);
    published = [next];
    const of = await sign(next, { ...GOOD, sub: 'bob' });
    expect(await outcome(of, 31)).toBe('bob');
    expect(await outcome(token, 32)).toBe('invalid: ERR_JWKS_NO_MATCHING_KEY');
  });
});
