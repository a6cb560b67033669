import { parseSecureUrl } from './urls.js';

const MAX_LENGTH = 2048;
/** The private scheme of an application, as a reversed domain name (RFC 8252 section 7.1); no user name, no fragment. */
const PRIVATE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:[^\s#"<>\\^`{|}]*$/i;

/** True if a URI may be registered: `https:`, `http:` on loopback, or for native applications a private scheme. */
export function isRedirectUri(value: unknown, isNative: boolean): value is string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return false;
  if (parseSecureUrl(value, { query: true })) return true;
  return isNative && PRIVATE.test(value) && /^[\x21-\x7e]+$/.test(value) && !/^[^/]*\/\/[^/]*@/.test(value);
}
