import { FrameworkError, type MultiMap } from '@sallyport/core';
import { createMap, EMPTY_BYTES, internalError, OutgoingResponse } from '@sallyport/core/pipeline';
import { toByteStream } from './internal/byte-stream.js';

const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const BINARY = 'application/octet-stream';

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Pieces of a page: text is sent as UTF-8, bytes as they are. */
export type HtmlChunks = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

function answer(status: number, contentType: string, content: string | Uint8Array): OutgoingResponse {
  const headers = createMap<string[]>();
  headers['content-type'] = [contentType];
  return new OutgoingResponse(status, headers, content);
}

/** An answer of plain text. */
export function text(status: number, body: string): OutgoingResponse {
  return answer(status, TEXT, body);
}

/** An answer of HTML. The text is sent as it is: escape what comes from outside. */
export function html(status: number, body: string): OutgoingResponse {
  return answer(status, HTML, body);
}

/**
 * An answer of JSON; `undefined` is `null`.
 *
 * @throws FrameworkError `app.internal` for a value that JSON cannot express (a cycle, a bigint, a function)
 * @example app.get('/health', () => json(200, { ok: true }));
 */
export function json(status: number, value: unknown): OutgoingResponse {
  const headers = createMap<string[]>();
  headers['content-type'] = [JSON_TYPE];
  return new OutgoingResponse(status, headers, toJsonText(value));
}

/** An answer of bytes, whatever they are; base64 where the front door needs it. */
export function binary(status: number, bytes: Uint8Array, contentType: string = BINARY): OutgoingResponse {
  const response = answer(status, contentType, bytes);
  response.isBase64 = true;
  return response;
}

/** 204 without a body. */
export function noContent(): OutgoingResponse {
  return new OutgoingResponse(204, createMap(), EMPTY_BYTES);
}

/**
 * 201 with JSON, and `location` when the new thing has an address.
 *
 * @throws FrameworkError `app.internal` for an address with control characters
 */
export function created(value: unknown, location?: string): OutgoingResponse {
  const response = json(201, value);
  if (location !== undefined) response.headers.location = [toLocation(location)];
  return response;
}

/**
 * Sends the client elsewhere. The target goes out as given, but for characters that no URI reference may hold (RFC 3986
 * section 2), which are percent-encoded. Whether a target that came from outside is a good one is the caller's to check.
 *
 * @throws FrameworkError `app.internal` for a target with control characters, or a status that redirects nobody
 */
export function redirect(url: string, status: 301 | 302 | 303 | 307 | 308 = 302): OutgoingResponse {
  if (!REDIRECTS.includes(status)) throw internalError('redirect status must be 301, 302, 303, 307 or 308');
  const headers = createMap<string[]>();
  headers.location = [toLocation(url)];
  return new OutgoingResponse(status, headers, EMPTY_BYTES);
}

/** A page whose pieces are sent as they come where the front door can stream, and collected where it cannot. */
export function htmlStream(status: number, chunks: HtmlChunks): OutgoingResponse {
  const response = answer(status, HTML, EMPTY_BYTES);
  response.bodyStream = toByteStream(typeof chunks === 'string' ? [chunks] : chunks);
  return response;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header value may not hold.
const CONTROLS = /[\u0000-\u001f\u007f]/;
const OUTSIDE_ASCII = /[^\u0021-\u007e]+/g;

function toLocation(url: string): string {
  if (typeof url !== 'string' || CONTROLS.test(url)) throw internalError('redirect target has control characters');
  return url.replace(OUTSIDE_ASCII, (part) => percentEncode(part));
}

function percentEncode(part: string): string {
  const hex = Buffer.from(part, 'utf8').toString('hex').toUpperCase();
  return hex.replace(/../g, '%$&');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '\\u0026',
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * JSON that can stand inside a `<script>` element: no character of it ends the element, opens a comment or breaks a line
 * of script. It still parses to the same value.
 *
 * @throws FrameworkError `app.internal` for a value that JSON cannot express
 */
export function safeJsonForHtml(value: unknown): string {
  return toJsonText(value).replace(/[&<>\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * JSON of a value; `undefined` is `null`.
 *
 * @throws FrameworkError `app.internal` with the reason as its cause
 */
export function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
  if (text !== undefined) return text;
  if (value === undefined) return 'null';
  throw internalError('value is not JSON');
}

/** Adds names to `vary` (RFC 9110 section 12.5.5): unique, sorted, lower case, in one value; `*` stays alone. */
export function addVary(headers: MultiMap, ...names: readonly string[]): void {
  const present = (headers.vary ?? []).flatMap((value) => value.split(','));
  const all = new Set([...present, ...names].map((name) => name.trim().toLowerCase()).filter((name) => name !== ''));
  headers.vary = [all.has('*') ? '*' : [...all].sort().join(', ')];
}
