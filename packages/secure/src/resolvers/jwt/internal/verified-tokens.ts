import type { JwtClaims, JwtSettings } from '../options.js';
import type { KeySource } from './keys.js';

/** The settings and keys for tokens of one issuer. */
export interface Issuer {
  readonly settings: JwtSettings;
  readonly keys: KeySource;
}

/** A token whose signature was verified. */
interface Verified {
  readonly issuer: Issuer;
  /** The key set that verified it. */
  readonly keys: object;
  /** Milliseconds since the epoch between which the token is valid. */
  readonly from: number;
  readonly until: number;
}

/** Tokens of one generation; each uses about 300 bytes. */
const GENERATION = 500;

/**
 * The verified tokens, so that later requests with the same token need no signature check. A signature depends only on
 * the token and the keys: a token is stored for one key set, and for the times at which it is valid without any tolerance.
 * Only its SHA-256 is stored, not the token or its claims. When a generation is full, the previous generation is
 * discarded.
 */
export class VerifiedTokens {
  #young = new Map<string, Verified>();
  #old: ReadonlyMap<string, Verified> = new Map();

  /** The issuer whose keys have verified the token with this digest and would verify it now; `undefined` if the token must be verified. */
  find(digest: string, now: Date): Issuer | undefined {
    const known = this.#young.get(digest) ?? this.#old.get(digest);
    if (known === undefined || known.issuer.keys.current(now) !== known.keys) return undefined;
    const time = now.getTime();
    return known.from <= time && time < known.until ? known.issuer : undefined;
  }

  /** Stores a token that a key set verified at a time. */
  add(digest: string, { issuer, keys }: Pick<Verified, 'issuer' | 'keys'>, claims: JwtClaims, now: Date): void {
    if (this.#young.size === GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const until = endOf(claims, issuer.settings);
    this.#young.set(digest, { issuer, keys, from: now.getTime(), until });
  }
}

/** The verification has made sure that the claims it needs are numbers. */
function endOf({ exp, iat }: JwtClaims, { maxTokenAgeSeconds }: JwtSettings): number {
  const seconds = maxTokenAgeSeconds === undefined ? exp : Math.min(Number(exp), Number(iat) + maxTokenAgeSeconds);
  return Number(seconds) * 1_000;
}
