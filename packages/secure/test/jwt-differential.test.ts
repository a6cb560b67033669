import { createJwtVerifier, JwtError, type JwtKeySet, type JwtVerifierOptions } from '@sallyport/secure/jwt';
import type { JWTVerifyOptions } from 'jose';
import { seededRandom } from '../../testkit/src/internal/random.js';
import { createJoseVerifier, type Verdict } from './support/jose-verdict.js';
import {
  createDice,
  createSigners,
  type Dice,
  encode,
  goodClaims,
  mutateClaims,
  mutateHeader,
  mutateJson,
  mutateKey,
  mutateSignature,
  mutateSpelling,
  type Signer,
  type SignatureForm,
  signBytes,
} from './support/mutations.js';
import { AUDIENCE, ISSUER, NOW } from './support/tokens.js';

const TOKENS = Number(process.env.JWT_TOKENS ?? 100_000);
const now = new Date(NOW * 1000);
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** Rules of a verifier, for ours and for that of `jose`. */
const RULES: readonly Partial<JwtVerifierOptions>[] = [
  {},
  { typ: 'at+jwt', clockToleranceSeconds: 0 },
  { maxTokenAgeSeconds: 60, requiredClaims: ['org', 'nbf'] },
  { algorithms: ['RS256', 'ES256', 'Ed25519'] },
];

function joseOptions(rules: Partial<JwtVerifierOptions>): JWTVerifyOptions {
  return {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: [...(rules.algorithms ?? ALGORITHMS)],
    clockTolerance: rules.clockToleranceSeconds ?? 5,
    currentDate: now,
    requiredClaims: ['exp', ...(rules.requiredClaims ?? [])],
    ...(rules.typ !== undefined && { typ: rules.typ }),
    ...(rules.maxTokenAgeSeconds !== undefined && { maxTokenAge: rules.maxTokenAgeSeconds }),
  };
}

/** Both verifiers of a key set with the same rules. */
interface Pair {
  readonly jwks: { readonly keys: readonly unknown[] };
  readonly ours: (token: string) => Promise<Verdict>;
  readonly theirs: (token: string) => Promise<Verdict>;
}

function createPair(keys: readonly unknown[], rules: Partial<JwtVerifierOptions>): Pair {
  const jwks = { keys };
  const verifier = createJwtVerifier({
    issuer: ISSUER,
    audience: [AUDIENCE],
    jwks: jwks as JwtKeySet,
    algorithms: ALGORITHMS,
    ...rules,
  });
  const ours = (token: string) =>
    verifier.verify(token, now).then(
      ({ claims }) => ({ claims }),
      (error: unknown) => {
        if (!(error instanceof JwtError)) throw error;
        return { refused: error.reason === 'unavailable' ? 'unavailable' : error.detail };
      },
    );
  return { jwks, ours, theirs: createJoseVerifier(jwks, joseOptions(rules)) };
}

const FORMS: readonly SignatureForm[] = ['der', 'salt', 'padding', 'hash'];

/** A token in which at most three things differ from a good one. */
function createToken(signer: Signer, other: Signer, id: number, dice: Dice): string {
  const mutations = new Set(Array.from({ length: dice.one([0, 1, 1, 1, 2, 3]) }, () => dice.below(9)));
  let header: Record<string, unknown> = { alg: signer.alg, kid: signer.kid };
  let claims = goodClaims(id);
  if (mutations.has(0)) header = mutateHeader(header, dice);
  if (mutations.has(1)) claims = mutateClaims(claims, dice);
  const parts = [JSON.stringify(header), JSON.stringify(claims)].map((text, index) =>
    encode(mutations.has(2 + index) ? mutateJson(text, dice) : text),
  );
  if (mutations.has(4)) {
    const part = dice.below(2);
    parts[part] = mutateSpelling(parts[part] ?? '', dice);
  }
  const form = mutations.has(5) ? dice.one(FORMS) : 'right';
  const signed = parts.join('.');
  const signature = signBytes(mutations.has(6) && dice.chance(0.3) ? other : signer, signed, form, dice);
  const bytes = mutations.has(6) ? mutateSignature(signature, dice) : signature;
  const token = [...parts, mutations.has(7) ? mutateSpelling(encode(bytes), dice) : encode(bytes)];
  if (mutations.has(8)) {
    const part = dice.below(3);
    token[part] = mutateSpelling(token[part] ?? '', dice);
  }
  return token.join('.');
}

/** Key sets: of one key, of several that fit, with broken keys first or last, and without the key. */
function createKeySets(signers: readonly Signer[], others: readonly Signer[], dice: Dice): readonly unknown[][] {
  const keys = [...new Map(signers.map(({ kid, jwk }) => [kid, jwk])).values()];
  const strangers = [...new Map(others.map(({ kid, jwk }) => [kid, jwk])).values()];
  const broken = () => keys.map((jwk) => (dice.chance(0.7) ? mutateKey(jwk, dice) : jwk));
  const renamed = strangers.map((jwk, index) => ({ ...jwk, kid: keys[index]?.kid }));
  const sets: unknown[][] = [keys, keys, [...keys, ...strangers], [...renamed, ...keys], [...keys, ...renamed], renamed, []];
  for (let count = 0; count < 60; count += 1) sets.push(broken());
  for (let count = 0; count < 20; count += 1) sets.push([...broken(), ...keys], [...keys, ...broken()]);
  return sets;
}

/** A signature that `jose` decodes from another spelling than the canonical one. */
function isOtherSpelling(token: string): boolean {
  const [, signature = ''] = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token) ?? [];
  return signature === '' || Buffer.from(signature, 'base64url').toString('base64url') !== signature;
}

const accepted = (verdict: Verdict) => 'claims' in verdict;

it(`${TOKENS.toLocaleString('en')} mutated tokens: none is accepted that jose rejects`, async () => {
  const dice = createDice(seededRandom(20_261_124));
  const [signers, others] = [createSigners('a'), createSigners('b')];
  const cheap = signers.filter(({ alg }) => /^(ES256|Ed)/.test(alg));
  const pairs = createKeySets(signers, others, dice).map((keys) => createPair(keys, dice.one(RULES)));
  const outcomes = new Map<string, number>();
  const count = (name: string) => outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  const wrong: unknown[] = [];

  const compare = async (pair: Pair, token: string) => {
    const [ours, theirs] = await Promise.all([pair.ours(token), pair.theirs(token)]);
    const both = JSON.stringify([ours, theirs]);
    if (accepted(ours) && accepted(theirs)) {
      count('accepted by both');
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) wrong.push(['other claims', token, pair.jwks, both]);
    } else if (accepted(ours)) {
      wrong.push(['accepted', token, pair.jwks, both]);
    } else if (accepted(theirs)) {
      if (isOtherSpelling(token)) count('other spelling');
      else wrong.push(['rejected', token, pair.jwks, both]);
    } else {
      count('rejected by both');
      count(both);
    }
  };

  const spent = { make: 0, ours: 0, theirs: 0 };
  for (let batch = 0; batch < TOKENS; batch += 500) {
    spent.make -= performance.now();
    const cases = Array.from({ length: Math.min(500, TOKENS - batch) }, (_, index) => {
      const signer = dice.one(dice.chance(0.9) ? cheap : signers);
      const pair = dice.chance(0.6) ? (pairs[dice.below(2)] as Pair) : dice.one(pairs);
      return [pair, createToken(signer, dice.one(others), batch + index, dice)] as const;
    });
    spent.make += performance.now();
    spent.ours -= performance.now();
    for (const [pair, token] of cases) await pair.ours(token);
    spent.ours += performance.now();
    spent.theirs -= performance.now();
    await Promise.all(cases.map(([pair, token]) => pair.theirs(token)));
    spent.theirs += performance.now();
    await Promise.all(cases.map(([pair, token]) => compare(pair, token)));
  }
  console.log(spent);
  if (process.env.JWT_SHOW) console.log(Object.fromEntries([...outcomes].sort(([, a], [, b]) => b - a)), wrong.slice(0, 12));
  expect(wrong).toEqual([]);
  expect(outcomes.get('accepted by both')).toBeGreaterThan(TOKENS / 10);
  expect(outcomes.get('rejected by both')).toBeGreaterThan(TOKENS / 10);
}, 300_000);
