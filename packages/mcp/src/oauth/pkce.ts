import { sha256Url } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { nodeCrypto, randomText } from '../internal/crypto.js';

/** Characters and length of a verifier (RFC 7636 section 4.1). */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
/** SHA-256 as base64url without padding. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER_BYTES = 32;

/** Creates a verifier of 43 characters, for a client (RFC 7636 section 4.1). */
export function createPkceVerifier(): string {
  return randomText(VERIFIER_BYTES);
}

/**
 * The challenge of a verifier, method `S256` (RFC 7636 section 4.2). The method `plain` is not supported, because it protects nothing.
 *
 * @throws FrameworkError `app.invalid_configuration` for a value that is not a verifier
 * @example pkceChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk') // 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
 */
export function pkceChallenge(verifier: string): string {
  if (!isPkceVerifier(verifier)) throw invalidOption('verifier', '43 to 128 characters of A-Z a-z 0-9 . _ ~ -');
  return sha256Url(verifier);
}

/** True if a value has the form of a verifier. */
export function isPkceVerifier(value: unknown): value is string {
  return typeof value === 'string' && VERIFIER.test(value);
}

/** True if a value has the form of a challenge of method `S256`. */
export function isPkceChallenge(value: unknown): value is string {
  return typeof value === 'string' && CHALLENGE.test(value);
}

/** True if a verifier matches a challenge. Returns false for malformed values, never throws, and runs in constant time. */
export function verifyPkce(verifier: unknown, challenge: unknown): boolean {
  if (!isPkceVerifier(verifier) || !isPkceChallenge(challenge)) return false;
  return nodeCrypto().timingSafeEqual(Buffer.from(sha256Url(verifier)), Buffer.from(challenge));
}
