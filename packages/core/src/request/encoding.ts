import { FrameworkError } from '../errors/errors.js';
import { decodeEscapes } from '../values/read.js';

/** No bytes: the body of requests and answers without a body. Shared: do not write to it. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** Bytes of text in UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return text === '' ? EMPTY_BYTES : Buffer.from(text, 'utf8');
}

/** Text of bytes; malformed sequences become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('utf8');
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The number of bytes that base64 text represents, without decoding it; -1 if its length or padding is invalid. */
export function base64Size(text: string): number {
  const { length } = text;
  if (length % 4 !== 0) return -1;
  if (length === 0) return 0;
  const padding = text.charCodeAt(length - 1) !== 61 ? 0 : text.charCodeAt(length - 2) !== 61 ? 1 : 2;
  return (length / 4) * 3 - padding;
}

/** The longest base64 text that is searched for the URL alphabet: in an upload of a megabyte the searches would be a tenth to a fifth of the work. */
const MAX_SEARCHED = 65_536;

/**
 * Base64 (RFC 4648 section 4) decoded once. Node's decoder skips unknown characters and accepts the URL alphabet (section 5), so a
 * result of the computed size without the two other characters means that every character was in the alphabet.
 *
 * Text longer than 65,536 characters may also be in the URL alphabet: it is decoded to the bytes that it means.
 *
 * @throws FrameworkError `app.bad_request` `invalid base64`
 */
export function decodeBase64(text: string): Uint8Array {
  const size = base64Size(text);
  if (size === 0) return EMPTY_BYTES;
  const bytes = size < 0 ? undefined : Buffer.from(text, 'base64');
  const isUrl = text.length <= MAX_SEARCHED && (text.includes('-') || text.includes('_'));
  if (bytes?.length !== size || isUrl) {
    throw new FrameworkError('app.bad_request', 'invalid base64');
  }
  return bytes;
}

/** Media types that error messages may contain: RFC 6838 section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i;

/** The media type of a `content-type` without parameters, in lower case. */
export function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** True if a media type is JSON: `application/json`, or a type with the suffix `+json` (RFC 6839 section 3.1). */
export function isJsonMediaType(contentType: string): boolean {
  return PLAIN_JSON.test(contentType) || SUFFIXED_JSON.test(mediaType(contentType));
}

const PLAIN_JSON = /^\s*application\/json\s*(?:;|$)/i;
const SUFFIXED_JSON = /^[^/\s]+\/[^/\s]+\+json$/;

/**
 * The rejection of a body for its media type. The header `accept` lists the accepted types (RFC 9110 section 15.5.16).
 *
 * @param accepted the accepted media types, joined with `, `
 */
export function unsupportedMediaType(contentType: string, accepted: string): FrameworkError {
  const type = mediaType(contentType);
  const given = type === '' ? 'there is none' : MEDIA_TYPE.test(type) ? `it is ${type}` : 'it is no media type';
  return new FrameworkError('app.unsupported_media_type', `content-type must be ${accepted}; ${given}`, {
    headers: { accept: accepted },
  });
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Percent-decoding, once (RFC 3986 section 2.1). An escape that is malformed or not UTF-8 is unchanged. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(ESCAPES, decodeEscapes);
  }
}

/** A name or value of a query: `+` is a space, then percent-decoding. */
export function decodeQueryPart(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
