import type { MaybePromise } from '@sallyport/core';
import { decodeJwt, errors, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { createKeySource, KeysUnavailable } from './internal/keys.js';
import { type Issuer, VerifiedTokens } from './internal/verified-tokens.js';
import { JwtError, type JwtVerifier, type VerifiedJwt } from './jwt-error.js';
import {
  differentIssuers,
  type JwtClaims,
  type JwtSettings,
  type JwtVerifierOptions,
  parseSettings,
} from './options.js';

/** Greatest length of a token in bytes; a longer one is rejected unread. */
const MAX_TOKEN_BYTES = 16_384;

/**
 * Verifies tokens of one issuer or of several, each with its own keys and rules.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function createJwtVerifier(options: JwtVerifierOptions | readonly JwtVerifierOptions[]): JwtVerifier {
  return new IssuerVerifier(parseSettings(options));
}

const COMPACT = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

/**
 * Three parts of base64url without padding (RFC 7515 section 2). The signature is not signed itself, so it alone could be
 * spelled in several ways: the bits that its last character does not need must be zero (RFC 4648 section 3.5).
 */
function isCanonical(token: string): boolean {
  const signature = COMPACT.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

export class IssuerVerifier implements JwtVerifier {
  readonly #issuers = new Map<string, Issuer>();
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
   * What `verify` gives, and at once for a token that was verified before.
   *
   * @throws JwtError at once, or as a rejection
   */
  check(token: string, now: Date, audience?: readonly string[]): MaybePromise<VerifiedJwt> {
    const issuer = this.#verified.find(token, now);
    // Decoded again, so that no two requests share an object.
    return issuer ? accept(decodeJwt(token), issuer.settings, audience) : this.#verify(token, now, audience);
  }

  async #verify(token: string, now: Date, audience: readonly string[] | undefined): Promise<VerifiedJwt> {
    const issuer = this.#issuerOf(token);
    const { settings, keys } = issuer;
    const set = keys.current(now);
    const claims = await verifySignature(token, keys.finder(now), joseOptions(settings, now));
    // Otherwise other keys came meanwhile, and it is not known which ones verified it.
    if (set !== undefined && set === keys.current(now)) this.#verified.add(token, issuer, set, claims, now);
    return accept(claims, settings, audience);
  }

  /** By the `iss` that the token claims: it decides only which issuer's keys must have signed it. */
  #issuerOf(token: string): Issuer {
    if (token.length > MAX_TOKEN_BYTES) throw new JwtError('invalid', 'too long');
    if (!isCanonical(token)) throw new JwtError('invalid', 'malformed');
    let issuer: unknown;
    try {
      issuer = decodeJwt(token).iss;
    } catch {
      throw new JwtError('invalid', 'malformed');
    }
    const found = this.#issuers.get(issuer as string);
    if (!found) throw new JwtError('invalid', 'iss');
    return found;
  }
}

/** @throws JwtError for claims that a signature does not make right; for the audience last */
function accept(claims: JwtClaims, settings: JwtSettings, audience = settings.audience): VerifiedJwt {
  if (settings.tokenUse !== undefined && claims.token_use !== settings.tokenUse) {
    throw new JwtError('invalid', 'token_use');
  }
  if (!namesOne(claims[settings.audienceClaim], audience)) throw new JwtError('audience', settings.audienceClaim);
  return { issuer: settings.issuer, claims };
}

/** Without the audience, so that the audience says nothing about a token that is wrong in other ways. */
function joseOptions(settings: JwtSettings, now: Date): JWTVerifyOptions {
  const { issuer, algorithms, clockToleranceSeconds, typ, maxTokenAgeSeconds, requiredClaims } = settings;
  return {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
    requiredClaims: ['exp', ...(requiredClaims ?? [])],
    ...(typ !== undefined && { typ }),
    ...(maxTokenAgeSeconds !== undefined && { maxTokenAge: maxTokenAgeSeconds }),
  };
}

async function verifySignature(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JwtClaims> {
  try {
    const { payload } = await verifyWithAnyKey(token, keys, options);
    return payload;
  } catch (error) {
    throw toJwtError(error);
  }
}

/** A token without `kid` may fit several keys of a set; one that verifies it suffices. */
async function verifyWithAnyKey(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The library's errors carry the claims; only their codes continue. */
function toJwtError(error: unknown): JwtError {
  if (error instanceof KeysUnavailable) return new JwtError('unavailable', describe(error.cause));
  if (error instanceof errors.JWTExpired) return new JwtError('expired', error.code);
  if (error instanceof errors.JWTClaimValidationFailed) return new JwtError('invalid', `${error.code} ${error.claim}`);
  if (error instanceof errors.JOSEError) return new JwtError('invalid', error.code);
  // A key in the set that no algorithm can use: a fault of the issuer, not of the token.
  return new JwtError('unavailable', describe(error));
}

function describe(error: unknown): string {
  if (error instanceof errors.JOSEError) return `${error.code} ${error.message}`;
  return error instanceof Error ? `${error.name} ${error.message}` : 'unknown';
}

/** Exact texts; a list of audiences needs one of them. */
function namesOne(claim: unknown, wanted: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return named.some((name) => typeof name === 'string' && wanted.includes(name));
}
