import { createHmac } from 'node:crypto';
import { kind as optionKind } from '@sallyport/core/options';
import { invalidConfig, invalidInput } from '../errors.js';

/** Public, not a secret: a short credential could be guessed from its fingerprint. */
const DEFAULT_KEY = 'framework/rate-limit/identifier-fingerprint/v1';
const MIN_KEY_BYTES = 16;
const KINDS: readonly unknown[] = ['api_key', 'bearer'];

const WANTED = `a text or bytes, at least ${MIN_KEY_BYTES} bytes`;

/** What a fingerprint stands for: an API key or a bearer token. Equal texts of different kinds have different fingerprints. */
export type CredentialKind = 'api_key' | 'bearer';

/** A key of fingerprints, or a function that is asked for it once. */
export type FingerprintKey = string | Uint8Array | (() => Promise<string | Uint8Array>);

/** The option `fingerprintKey`. */
export const fingerprintKeyOption = optionKind<FingerprintKey>(
  `${WANTED}, or a function that returns one`,
  (value) => typeof value === 'function' || isKey(value),
);

/**
 * 64 lower-case hex digits that stand for a credential in keys: HMAC-SHA256 (RFC 2104) of kind, a zero byte and the
 * credential without spaces and tabs at its ends.
 *
 * @param key text (UTF-8) or bytes, at least 16 bytes. Default: a public key that every runtime has
 * @throws RateLimitError `ratelimit.invalid_input` for a blank credential, `ratelimit.invalid_config` for a short key
 * @example fingerprintCredential('api_key', 'test-key') // '3aac7b87…'
 */
export function fingerprintCredential(kind: CredentialKind, credential: string, key?: string | Uint8Array): string {
  if (!KINDS.includes(kind)) throw invalidInput('kind must be "api_key" or "bearer"');
  if (typeof credential !== 'string' || stripBlanks(credential) === '') throw invalidInput('credential is blank');
  const hmac = createHmac('sha256', parseFingerprintKey(key ?? DEFAULT_KEY));
  return hmac.update(`${kind}\0${stripBlanks(credential)}`, 'utf8').digest('hex');
}

/** @throws RateLimitError `ratelimit.invalid_config` for a value that is neither text nor bytes, or shorter than 16 bytes */
export function parseFingerprintKey(key: unknown): string | Uint8Array {
  if (isKey(key)) return key;
  throw invalidConfig(`option "fingerprintKey" must be ${WANTED}`);
}

function isKey(key: unknown): key is string | Uint8Array {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= MIN_KEY_BYTES;
}

/** Without spaces and tabs at both ends (optional whitespace of RFC 9110 section 5.6.3). */
export function stripBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
