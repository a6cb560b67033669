import { createJwtVerifier, JwtError, type JwtKeySet, type JwtVerifierOptions } from '@sallyport/secure/jwt';
import type { JWTVerifyOptions } from 'jose';
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
  type SignatureForm,
  type Signer,
  signBytes,
} from './support/mutations.js';
import { AUDIENCE, ISSUER, NOW } from './support/tokens.js';

/** All of them need a minute on a quiet machine. */
const TOKENS = process.env.CI ? 100_000 : 10_000;
const now = new Date(NOW * 1000);
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Rules for both verifiers. */
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

/** The key of each signer alone, with other keys that fit, with broken keys first or last, and no key. */
function createKeySets(signers: readonly Signer[], others: readonly Signer[], dice: Dice): readonly unknown[][] {
  const keys = [...new Map(signers.map(({ kid, jwk }) => [kid, jwk])).values()];
  const strangers = [...new Map(others.map(({ kid, jwk }) => [kid, jwk])).values()];
  const broken = () => keys.map((jwk) => (dice.chance(0.7) ? mutateKey(jwk, dice) : jwk));
  const renamed = strangers.map((jwk, index) => ({ ...jwk, kid: keys[index]?.kid }));
  const sets: unknown[][] = [
    keys,
    keys,
    [...keys, ...strangers],
    [...renamed, ...keys],
    [...keys, ...renamed],
    renamed,
    [],
  ];
  for (let count = 0; count < 60; count += 1) sets.push(broken());
  for (let count = 0; count < 20; count += 1) sets.push([...broken(), ...keys], [...keys, ...broken()]);
  return sets;
}

/**
 * True for the cases of the README that `jose` accepts: a signature in another spelling than the canonical one, and a key with a member
 * of private keys that `jose` ignores.
 */
function isListed(token: string, { keys }: Pair['jwks']): boolean {
  const [, signature = ''] = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token) ?? [];
  if (signature === '' || Buffer.from(signature, 'base64url').toString('base64url') !== signature) return true;
  return keys.some((key) => 'priv' in (key as object) || 'oth' in (key as object));
}

const accepted = (verdict: Verdict) => 'claims' in verdict;

/** Counts the verdicts, and collects the tokens on which the verifiers differ. */
class Comparison {
  readonly acceptedMore: unknown[] = [];
  readonly rejectedMore: unknown[] = [];
  readonly counts = { accepted: 0, rejected: 0, listed: 0 };

  async of({ ours, theirs, jwks }: Pair, token: string): Promise<void> {
    const verdicts = await Promise.all([ours(token), theirs(token)]);
    const [mine, reference] = verdicts;
    const isSame = JSON.stringify(mine) === JSON.stringify(reference);
    if (accepted(mine)) {
      if (!isSame) this.acceptedMore.push({ token, jwks, verdicts });
      this.counts.accepted += 1;
    } else if (!accepted(reference)) {
      this.counts.rejected += 1;
    } else if (isListed(token, jwks)) {
      this.counts.listed += 1;
    } else {
      this.rejectedMore.push({ token, jwks, verdicts });
    }
  }
}

it(`${TOKENS.toLocaleString('en')} mutated tokens: every accepted token is accepted by jose too`, async () => {
  const dice = createDice(20_261_124);
  const [signers, others] = [createSigners('a'), createSigners('b')];
  const cheap = signers.filter(({ alg }) => /^(ES256|Ed)/.test(alg));
  const pairs = createKeySets(signers, others, dice).map((keys, index) =>
    createPair(keys, RULES[index % RULES.length] ?? {}),
  );
  const comparison = new Comparison();
  for (let batch = 0; batch < TOKENS; batch += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => batch + index);
    await Promise.all(
      ids.map((id) => {
        const signer = dice.one(dice.chance(0.9) ? cheap : signers);
        const pair = dice.chance(0.5) ? (pairs[0] as Pair) : dice.one(pairs);
        return comparison.of(pair, createToken(signer, dice.one(others), id, dice));
      }),
    );
  }
  expect(comparison.acceptedMore).toEqual([]);
  expect(comparison.rejectedMore).toEqual([]);
  expect(comparison.counts.accepted).toBeGreaterThan(TOKENS / 10);
  expect(comparison.counts.rejected).toBeGreaterThan(TOKENS / 10);
  expect(comparison.counts.listed).toBeGreaterThan(TOKENS / 200);
});

/** The good token of a signer, with a signature of this form. */
function createSigned(signer: Signer, form: SignatureForm, dice: Dice): string {
  const parts = [{ alg: signer.alg, kid: signer.kid }, goodClaims(0)];
  const signed = parts.map((part) => encode(JSON.stringify(part))).join('.');
  return `${signed}.${encode(signBytes(signer, signed, form, dice))}`;
}

it('signatures in DER, with another salt, padding or hash: every accepted one is accepted by jose too', async () => {
  const dice = createDice(7_515);
  const signers = createSigners('a');
  const pair = createPair(
    signers.map(({ jwk, alg }) => ({ ...jwk, alg })),
    {},
  );
  const comparison = new Comparison();
  for (const signer of signers) {
    for (const form of FORMS) {
      for (let count = 0; count < 15; count += 1) await comparison.of(pair, createSigned(signer, form, dice));
    }
  }
  expect(comparison.acceptedMore).toEqual([]);
  expect(comparison.rejectedMore).toEqual([]);
  expect(comparison.counts.accepted).toBeGreaterThan(200);
  expect(comparison.counts.rejected).toBeGreaterThan(200);
});

it('2,000 mutated keys: none verifies a token that jose rejects', async () => {
  const dice = createDice(2_026);
  const signers = createSigners('a');
  const tokens = signers.map((signer) => createSigned(signer, 'right', dice));
  const comparison = new Comparison();
  for (let count = 0; count < 2_000; count += 1) {
    const index = dice.below(signers.length);
    const { jwk } = signers[index] as Signer;
    const once = mutateKey(jwk, dice);
    await comparison.of(createPair([dice.chance(0.3) ? mutateKey(once, dice) : once], {}), tokens[index] ?? '');
  }
  expect(comparison.acceptedMore).toEqual([]);
  expect(comparison.rejectedMore).toEqual([]);
  expect(comparison.counts.accepted).toBeGreaterThan(200);
  expect(comparison.counts.rejected).toBeGreaterThan(200);
});
