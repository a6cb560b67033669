import type { JsonWebKey, KeyObject } from 'node:crypto';
import { isObject, type Members } from '@sallyport/core/internal';
import { JwtError } from '../jwt-error.js';
import { ALGORITHMS, type Algorithm, hasSignature } from './algorithms.js';
import type { CompactToken } from './compact.js';

/** RFC 7518 sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2048;
/** Members of a private key, with any value. */
const PRIVATE = ['d', 'priv', 'oth'];

/** A key of a set. It is imported with its first token, once. */
interface Entry {
  readonly jwk: Members;
  /** `null` if it is not a public key that Node can import. */
  key?: KeyObject | null;
}

/** The public keys of an issuer at one time (RFC 7517 section 5). */
export class KeySet {
  readonly #entries: readonly Entry[];

  /** @throws JwtError `unavailable` for a value that is not a key set */
  constructor(set: unknown) {
    const keys = isObject(set) ? set.keys : undefined;
    if (!Array.isArray(keys) || !keys.every(isObject)) {
      throw new JwtError('unavailable', 'ERR_JWKS_INVALID the key set must be an object with a list "keys" of objects');
    }
    // Only own members, so that a polluted prototype changes no key.
    this.#entries = keys.map((jwk: Members) => ({ jwk: { __proto__: null, ...jwk } }));
  }

  /** True if the header of a token fits a key. */
  has(header: Members): boolean {
    return this.#entries.some(({ jwk }) => isFor(jwk, header));
  }

  /**
   * Checks the signature. Without `kid` a token fits several keys: one valid signature is enough.
   *
   * @throws JwtError `invalid`; `unavailable` if the issuer's key cannot be used
   */
  verify({ header, signed, signature }: CompactToken): void {
    const entries = this.#entries.filter(({ jwk }) => isFor(jwk, header));
    if (entries.length === 0) throw new JwtError('invalid', 'ERR_JWKS_NO_MATCHING_KEY');
    const algorithm = ALGORITHMS.get(header.alg) as Algorithm;
    for (const entry of entries) {
      const key = importKey(entry);
      if (key === null && entries.length > 1) continue;
      if (key === null) throw new JwtError('unavailable', 'the key is not a public key that this Node can import');
      checkSize(key, header.alg);
      if (hasSignature(algorithm, key, signed, signature)) return;
    }
    throw new JwtError('invalid', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
  }
}

/** True if no member of a key excludes signatures of this algorithm, and it has the `kid` of the header (RFC 7517 section 4). */
function isFor(jwk: Members, { alg, kid }: Members): boolean {
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined || algorithm.kty !== jwk.kty) return false;
  if (algorithm.crv !== undefined && algorithm.crv !== jwk.crv) return false;
  if (kid !== undefined && (typeof kid !== 'string' || kid !== jwk.kid)) return false;
  if ((jwk.alg !== undefined && jwk.alg !== alg) || (jwk.use !== undefined && jwk.use !== 'sig')) return false;
  return (
    (jwk.ext === undefined || typeof jwk.ext === 'boolean') && (jwk.key_ops === undefined || verifies(jwk.key_ops))
  );
}

function verifies(operations: unknown): boolean {
  return (
    Array.isArray(operations) &&
    operations.every((one) => typeof one === 'string') &&
    new Set(operations).size === operations.length &&
    operations.includes('verify')
  );
}

function importKey(entry: Entry): KeyObject | null {
  if (entry.key === undefined) entry.key = toPublicKey(entry.jwk);
  return entry.key;
}

/** Of a private key Node would import the public half. A public key can only verify, so other operations contradict it. */
function toPublicKey(jwk: Members): KeyObject | null {
  if (PRIVATE.some((name) => jwk[name] !== undefined)) return null;
  if (Array.isArray(jwk.key_ops) && jwk.key_ops.length > 1) return null;
  try {
    return process.getBuiltinModule('node:crypto').createPublicKey({ format: 'jwk', key: jwk as JsonWebKey });
  } catch {
    return null;
  }
}

function checkSize(key: KeyObject, alg: unknown): void {
  const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : MIN_RSA_BITS;
  if (bits < MIN_RSA_BITS) throw new JwtError('unavailable', `${alg} requires an RSA key of at least 2048 bits`);
}
