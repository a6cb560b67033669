const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"';
/** RFC 9110 section 8.3.1. */
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);
const VISIBLE = /^[\x20-\x7e]+$/;
const MAX_LENGTH = 256;

/** True if a value is a media type of at most 256 characters of visible ASCII, its parameters included. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && VISIBLE.test(value) && MEDIA_TYPE.test(value);
}
