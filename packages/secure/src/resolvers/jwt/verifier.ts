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

const COMPACT = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

/**
 * Three parts of base64url without padding (RFC 7515 section 2). The signature itself is not signed, so it could be
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
   * Like `verify`, but synchronous for a token that was verified before.
   *
   * @throws JwtError synchronously, or as a rejection
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
    // Otherwise the keys changed meanwhile, and it is unknown which set verified the token.
    if (set !== undefined && set === keys.current(now)) this.#verified.add(token, issuer, set, claims, now);
    return accept(claims, settings, audience);
  }

  /** Selected by the claim `iss`, which determines only the issuer whose keys must have signed the token. */
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

/** @throws JwtError for wrong claims of a signed token; the audience is checked last */
function accept(claims: JwtClaims, settings: JwtSettings, audience = settings.audience): VerifiedJwt {
  if (settings.tokenUse !== undefined && claims.token_use !== settings.tokenUse) {
    throw new JwtError('invalid', 'token_use');
  }
  if (!namesOne(claims[settings.audienceClaim], audience)) throw new JwtError('audience', settings.audienceClaim);
  return { issuer: settings.issuer, claims };
}

/** Without the audience, so that an error of the audience is reported only for a token without other errors. */
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

/** A token without `kid` may match several keys of a set; one valid signature is enough. */
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

/** The errors of the library contain the claims, so only their codes are used. */
function toJwtError(error: unknown): JwtError {
  if (error instanceof KeysUnavailable) return new JwtError('unavailable', describe(error.cause));
  if (error instanceof errors.JWTExpired) return new JwtError('expired', error.code);
  if (error instanceof errors.JWTClaimValidationFailed) return new JwtError('invalid', `${error.code} ${error.claim}`);
  if (error instanceof errors.JOSEError) return new JwtError('invalid', error.code);
  // No algorithm can use the key in the set: an error of the issuer, not of the token.
  return new JwtError('unavailable', describe(error));
}

function describe(error: unknown): string {
  if (error instanceof errors.JOSEError) return `${error.code} ${error.message}`;
  return error instanceof Error ? `${error.name} ${error.message}` : 'unknown';
}

/** Exact strings; a list of audiences must contain at least one. */
function namesOne(claim: unknown, wanted: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return named.some((name) => typeof name === 'string' && wanted.includes(name));
}
