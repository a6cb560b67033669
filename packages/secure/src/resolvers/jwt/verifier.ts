import type { MaybePromise } from '@sallyport/core';
import { sha256 } from '@sallyport/core/internal';
import { checkClaims } from './internal/claims.js';
import { type CompactToken, claimsOf, decodeToken, withHeader } from './internal/compact.js';
import type { KeySet } from './internal/key-set.js';
import { createKeySource } from './internal/keys.js';
import { type Issuer, VerifiedTokens } from './internal/verified-tokens.js';
import { JwtError, type JwtVerifier, type VerifiedJwt } from './jwt-error.js';
import {
  differentIssuers,
  type JwtClaims,
  type JwtSettings,
  type JwtVerifierOptions,
  parseSettings,
} from './options.js';

/** Maximum length of a token in bytes; longer tokens are rejected unread. */
const MAX_TOKEN_BYTES = 16_384;

/**
 * Verifies tokens of one issuer or several issuers. Each issuer has its own keys and rules.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function createJwtVerifier(options: JwtVerifierOptions | readonly JwtVerifierOptions[]): JwtVerifier {
  return new IssuerVerifier(parseSettings(options));
}

/** A request with a token whose signature has to be verified. */
interface Check {
  readonly token: CompactToken;
  readonly digest: string;
  readonly issuer: Issuer;
  readonly now: Date;
  readonly audience: readonly string[] | undefined;
}

export class IssuerVerifier implements JwtVerifier {
  readonly #issuers = new Map<unknown, Issuer>();
  readonly #verified = new VerifiedTokens();

  constructor(all: readonly JwtSettings[]) {
    for (const settings of differentIssuers(all)) {
      this.#issuers.set(settings.issuer, { settings, keys: createKeySource(settings) });
    }
  }

  async verify(token: string, now: Date, audience?: readonly string[]): Promise<VerifiedJwt> {
    return this.check(token, now, audience);
  }

  /**
   * Like `verify`, but synchronous unless keys must be fetched.
   *
   * @throws JwtError synchronously, or as a rejection
   */
  check(text: string, now: Date, audience?: readonly string[]): MaybePromise<VerifiedJwt> {
    if (text.length > MAX_TOKEN_BYTES) throw new JwtError('invalid', 'too long');
    const digest = sha256(text);
    const known = this.#verified.find(digest, now);
    // Decoded again, so that no two requests share an object.
    if (known) return accept(claimsOf(text), known.settings, audience);
    const decoded = decodeToken(text);
    // The claim determines only the issuer whose keys must have signed the token.
    const issuer = this.#issuers.get(decoded.claims.iss);
    if (!issuer) throw new JwtError('invalid', 'iss');
    const { keys, settings } = issuer;
    const check = { token: withHeader(decoded, settings.algorithms), digest, issuer, now, audience };
    const set = keys.current(now);
    const mustLoad = set === undefined || (keys.mayHaveNewKeys(now) && !set.has(check.token.header));
    return mustLoad ? keys.load(now).then((loaded) => this.#verify(check, loaded)) : this.#verify(check, set);
  }

  #verify({ token, digest, issuer, now, audience }: Check, set: KeySet): VerifiedJwt {
    set.verify(token);
    checkClaims(token.header, token.claims, issuer.settings, now);
    this.#verified.add(digest, { issuer, keys: set }, token.claims, now);
    return accept(token.claims, issuer.settings, audience);
  }
}

/** @throws JwtError for wrong claims of a signed token; the audience is checked last */
function accept(claims: JwtClaims, settings: JwtSettings, audience = settings.audience): VerifiedJwt {
  if (settings.tokenUse !== undefined && claims.token_use !== settings.tokenUse) {
    throw new JwtError('invalid', 'token_use');
  }
  if (!namesOne(claims[settings.audienceClaim], audience)) throw new JwtError('audience', settings.audienceClaim);
  return { issuer: settings.issuer, claims };
}

/** Exact strings; a list of audiences must contain at least one. */
function namesOne(claim: unknown, wanted: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return named.some((name) => typeof name === 'string' && wanted.includes(name));
}
