import { sha256 } from '@sallyport/core/pipeline';
import type { JwtClaims, JwtSettings } from '../options.js';
import type { KeySource } from './keys.js';

/** How tokens of one issuer are verified. */
export interface Issuer {
  readonly settings: JwtSettings;
  readonly keys: KeySource;
}

/** A token whose signature was verified. */
interface Verified {
  readonly issuer: Issuer;
  /** The key set that verified it. */
  readonly keys: object;
  /** Milliseconds since the epoch from which on, and until which, nothing in the token can have become wrong. */
  readonly from: number;
  readonly until: number;
}

/** Tokens of one generation; each takes about 300 bytes. */
const GENERATION = 500;

/**
 * The tokens that were verified, so that the next request with one of them costs no signature. A signature depends on nothing
 * but the token and the keys: a token is known for one key set, and for the times at which it is valid without any tolerance.
 * It is known by its SHA-256: neither the token nor what it says is kept. When a generation is full, the one before it is
 * forgotten.
 */
export class VerifiedTokens {
  #young = new Map<string, Verified>();
  #old: ReadonlyMap<string, Verified> = new Map();

  /** The issuer whose keys have verified a token and would verify it now; `undefined`: the token is to be verified. */
  find(token: string, now: Date): Issuer | undefined {
    if (this.#young.size === 0) return undefined;
    const digest = sha256(token);
    const known = this.#young.get(digest) ?? this.#old.get(digest);
    if (known === undefined || known.issuer.keys.current(now) !== known.keys) return undefined;
    const time = now.getTime();
    return known.from <= time && time < known.until ? known.issuer : undefined;
  }

  /** Remembers a token that a key set verified at a time. */
  add(token: string, issuer: Issuer, keys: object, claims: JwtClaims, now: Date): void {
    if (this.#young.size === GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const until = endOf(claims, issuer.settings);
    this.#young.set(sha256(token), { issuer, keys, from: now.getTime(), until });
  }
}

/** The verification has made sure that the claims it needs are numbers. */
function endOf({ exp, iat }: JwtClaims, { maxTokenAgeSeconds }: JwtSettings): number {
  const seconds = maxTokenAgeSeconds === undefined ? exp : Math.min(Number(exp), Number(iat) + maxTokenAgeSeconds);
  return Number(seconds) * 1_000;
}
