import type { Members } from '@sallyport/core/internal';
import { JwtError } from '../jwt-error.js';
import type { JwtSettings } from '../options.js';

/**
 * Checks the type and the times of a token whose issuer is known. The audience is not checked here, so that an error of the audience
 * is reported only for a token without other errors.
 *
 * @throws JwtError `expired` or `invalid`; `unavailable` for a time that is not valid
 */
export function checkClaims(header: Members, claims: Members, settings: JwtSettings, now: Date): void {
  const { typ, maxTokenAgeSeconds, requiredClaims = [], clockToleranceSeconds } = settings;
  if (typ !== undefined && (typeof header.typ !== 'string' || mediaType(header.typ) !== mediaType(typ))) {
    throw wrongClaim('typ');
  }
  for (const name of [...(maxTokenAgeSeconds === undefined ? [] : ['iat']), ...requiredClaims.toReversed(), 'exp']) {
    if (!Object.hasOwn(claims, name)) throw wrongClaim(name);
  }
  const seconds = Math.floor(now.getTime() / 1000);
  if (!Number.isFinite(seconds)) throw new JwtError('unavailable', 'the time of the clock is not valid');
  const issuedAt = numericDate(claims, 'iat');
  if ((numericDate(claims, 'nbf') ?? seconds) > seconds + clockToleranceSeconds) throw wrongClaim('nbf');
  if ((numericDate(claims, 'exp') ?? 0) <= seconds - clockToleranceSeconds) throw new JwtError('expired', EXPIRED);
  if (maxTokenAgeSeconds === undefined) return;
  const age = seconds - (issuedAt ?? 0);
  if (age - clockToleranceSeconds > maxTokenAgeSeconds) throw new JwtError('expired', EXPIRED);
  if (age < -clockToleranceSeconds) throw wrongClaim('iat');
}

const EXPIRED = 'ERR_JWT_EXPIRED';

function wrongClaim(name: string): JwtError {
  return new JwtError('invalid', `ERR_JWT_CLAIM_VALIDATION_FAILED ${name}`);
}

/** A claim with a time in seconds since the epoch (RFC 7519 section 2). */
function numericDate(claims: Members, name: string): number | undefined {
  const value = claims[name];
  if (value !== undefined && typeof value !== 'number') throw wrongClaim(name);
  return value;
}

/** A `typ` without a slash is a media type of `application/` (RFC 7515 section 4.1.9). */
function mediaType(typ: string): string {
  const lower = typ.toLowerCase();
  return typ.includes('/') ? lower : `application/${lower}`;
}
