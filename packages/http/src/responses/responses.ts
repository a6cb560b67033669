import { encodeUtf8, FrameworkError, type MultiMap } from '@sallyport/core';
import { createFastMap, EMPTY_BYTES, internalError, isPromise, OutgoingResponse } from '@sallyport/core/internal';

const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const BINARY = 'application/octet-stream';

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Parts of a page: text is sent as UTF-8, bytes are sent unchanged. */
export type HtmlChunks = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

function answer(status: number, contentType: string, content: string | Uint8Array): OutgoingResponse {
  const headers = createFastMap<string[]>();
  headers['content-type'] = [contentType];
  return new OutgoingResponse(status, headers, content);
}

/** Creates a response with plain text. */
export function text(status: number, body: string): OutgoingResponse {
  return answer(status, TEXT, body);
}

/** Creates a response with HTML. The body is sent unchanged: escape untrusted data. */
export function html(status: number, body: string): OutgoingResponse {
  return answer(status, HTML, body);
}

/**
 * The result of `json` and `created` for a promise. It is not a response, so that the compiler reports a forgotten `await`
 * at the handler.
 */
export interface AwaitTheValueFirst {
  /** The value was a promise. */
  readonly value: PromiseLike<unknown>;
}

/** A promise. Excludes `any`, which would also match. */
type Pending<T> = 0 extends 1 & T ? never : PromiseLike<unknown>;

/**
 * Creates a response with a JSON body and the content type `application/json`; `undefined` is sent as `null`.
 *
 * @param status the HTTP status
 * @param value the value, not a promise: `json(200, await notes.list())`
 * @throws FrameworkError `app.internal` for a value that JSON cannot express (a cycle, a bigint, a function), and for a promise
 * @example app.get('/health', () => json(200, { ok: true }));
 */
export function json<T>(status: number, value: T & Pending<T>): AwaitTheValueFirst;
export function json(status: number, value: unknown): OutgoingResponse;
export function json(status: number, value: unknown): unknown {
  const headers = createFastMap<string[]>();
  headers['content-type'] = [JSON_TYPE];
  return new OutgoingResponse(status, headers, toJsonText(value));
}

/** A response with any bytes. They are encoded as base64 if the front door needs it. */
export function binary(status: number, bytes: Uint8Array, contentType: string = BINARY): OutgoingResponse {
  const response = answer(status, contentType, bytes);
  response.isBase64 = true;
  return response;
}

/** Creates a response with status 204 and no body. */
export function noContent(): OutgoingResponse {
  return new OutgoingResponse(204, createFastMap(), EMPTY_BYTES);
}

/**
 * Creates a response with status 201 and a JSON body, and with the header `location` if you pass an address.
 *
 * @throws FrameworkError `app.internal` for an address with control characters, and the errors of `json`
 */
export function created<T>(value: T & Pending<T>, location?: string): AwaitTheValueFirst;
export function created(value: unknown, location?: string): OutgoingResponse;
export function created(value: unknown, location?: string): unknown {
  const response = json(201, value);
  if (location !== undefined) response.headers.location = [toLocation(location)];
  return response;
}

/**
 * Redirects the client. The target is sent unchanged, but characters that are not allowed in a URI reference (RFC 3986 section 2)
 * are percent-encoded. The caller must check a target from a client.
 *
 * @throws FrameworkError `app.internal` for a target with control characters, or a status that is not a redirect
 */
export function redirect(url: string, status: 301 | 302 | 303 | 307 | 308 = 302): OutgoingResponse {
  if (!REDIRECTS.includes(status)) throw internalError('redirect status must be 301, 302, 303, 307 or 308');
  const headers = createFastMap<string[]>();
  headers.location = [toLocation(url)];
  return new OutgoingResponse(status, headers, EMPTY_BYTES);
}

/** A page whose parts are sent as they arrive. At a front door that cannot stream they are collected first. */
export function htmlStream(status: number, chunks: HtmlChunks): OutgoingResponse {
  const response = answer(status, HTML, EMPTY_BYTES);
  response.bodyStream = toByteStream(typeof chunks === 'string' ? [chunks] : chunks);
  return response;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header value must not contain.
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
 * JSON that is safe inside a `<script>` element: it contains no character that ends the element, opens a comment or breaks a line
 * of script. It parses to the same value.
 *
 * @throws FrameworkError `app.internal` for a value that JSON cannot express
 */
export function safeJsonForHtml(value: unknown): string {
  return toJsonText(value).replace(/[&<>\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Serialises a value as JSON; `undefined` becomes `null`.
 *
 * @throws FrameworkError `app.internal` with the reason as its cause, and for a promise
 */
export function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
  // A promise is written as `{}`, so only values with that text are checked.
  if (text === '{}' && isPromise(value)) throw internalError('the value of a response is a promise; await it first');
  if (text !== undefined) return text;
  if (value === undefined) return 'null';
  throw internalError('value is not JSON');
}

/**
 * Adds names to `vary` (RFC 9110 section 12.5.5): unique, sorted, in lower case, in one value. With `*`, other names are removed.
 */
export function addVary(headers: MultiMap, ...names: readonly string[]): void {
  const present = (headers.vary ?? []).flatMap((value) => value.split(','));
  const all = new Set([...present, ...names].map((name) => name.trim().toLowerCase()).filter((name) => name !== ''));
  headers.vary = [all.has('*') ? '*' : [...all].sort().join(', ')];
}

const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

/**
 * Converts a stream of text and bytes to bytes. It is read once, and only when the reader requests a chunk. A character that is
 * split over two strings is kept intact. When the reader ends early, the source ends immediately.
 */
function toByteStream(source: Source<string | Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new ByteIterator(source) };
}

class ByteIterator implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;
  /** First half of a surrogate pair at the end of the previous text. */
  #half = '';
  #ended = false;

  constructor(source: Source<string | Uint8Array>) {
    this.#source = iteratorOf(source);
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (!this.#ended) {
      const { done, value } = await this.#source.next();
      const bytes = done ? this.#finish() : this.#encode(value);
      if (bytes.length > 0) return { done: false, value: bytes };
    }
    return DONE;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#ended) abandon(this.#source);
    this.#ended = true;
    return DONE;
  }

  #encode(piece: string | Uint8Array): Uint8Array {
    if (typeof piece !== 'string') return this.#append(piece);
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.#half = text.slice(cut);
    return encodeUtf8(text.slice(0, cut));
  }

  #append(piece: Uint8Array): Uint8Array {
    if (!(piece instanceof Uint8Array)) {
      void this.return();
      throw internalError('stream chunk is not text or bytes');
    }
    const half = this.#half;
    this.#half = '';
    return half === '' ? piece : Buffer.concat([encodeUtf8(half), piece]);
  }

  #finish(): Uint8Array {
    this.#ended = true;
    return encodeUtf8(this.#half);
  }
}

/** The source of a stream helper: a synchronous or asynchronous iterable. */
export type Source<T> = AsyncIterable<T> | Iterable<T>;

/** The iterator of an iterable; the asynchronous one if it has both. */
export function iteratorOf<T>(source: Source<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/**
 * Ends an iterator that will not be read further. Does not wait, because an asynchronous generator that waits for its
 * source reacts only afterwards.
 */
export function abandon(iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  try {
    const ended = iterator.return?.();
    if (ended instanceof Promise) ended.catch(() => {});
  } catch {
    // The result is not used.
  }
}
