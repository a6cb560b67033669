import { type FrameworkError, internalError } from '../errors/errors.js';
import { EMPTY_BYTES, encodeUtf8 } from '../request/encoding.js';
import { type MultiMap, type OneOrMany, toHeaderMap } from '../request/request.js';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
/** A body in chunks of bytes. */
export type BodyStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A response, as middlewares receive it. */
export interface Response {
  /** The HTTP status, 200 to 599. */
  status: number;
  /** Lower-case names. */
  headers: MultiMap;
  /** Complete `set-cookie` values, one in each entry. */
  cookies: string[];
  /** The bytes; with a `bodyStream`, the bytes that are sent before it. */
  body: Uint8Array;
  /** A body that is read while it is sent; `null` or absent for none. */
  bodyStream?: BodyStream | null;
  /** Forces base64 at the front door; otherwise it depends on the bytes. */
  isBase64: boolean;
}

/** A response, as handlers may return it. */
export interface ResponseInput {
  /** The HTTP status, 200 to 599; default 200. */
  readonly status?: number;
  /** Header values; names in any case. Default none. */
  readonly headers?: OneOrMany;
  /** Whole `set-cookie` values; default none. */
  readonly cookies?: readonly string[];
  /** Text or bytes; default empty. */
  readonly body?: Uint8Array | string;
  /** A body that is read while it is sent; default none. */
  readonly bodyStream?: BodyStream | null;
  /** Forces base64 at the front door; default `false`: it depends on the bytes. */
  readonly isBase64?: boolean;
  /** Not a member: the status is called `status`. */
  readonly statusCode?: never;
  /** Not a member: it is called `isBase64`. */
  readonly isBase64Encoded?: never;
  /** Not a member: `headers` accepts lists of values. */
  readonly multiValueHeaders?: never;
}

/** The members of the Fetch standard's `Response` that are read; declared here, so that no type library is needed. */
export interface WebResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers; each `set-cookie` becomes a cookie of the answer. */
  readonly headers: {
    getSetCookie(): string[];
    forEach(callback: (value: string, name: string) => void): void;
  };
  /** The stream of bytes, read once while it is sent; `null` for none. */
  readonly body: object | null;
  /** True if the body has been read already; such a response cannot be sent. */
  readonly bodyUsed: boolean;
}

/** The result of a handler or middleware: a response, or a value that is converted to a response. Other values are errors. */
export type Result = MaybePromise<Response | ResponseInput | WebResponse>;

/** Text or bytes, unchanged. A symbol, so that a spread copy of a response keeps its body without encoding it. */
const CONTENT: unique symbol = Symbol.for('sallyport.core.content/1') as never;

/** Marks responses of every copy of this package. Not an own member: a spread copy of a response does not have it. */
const RESPONSE: unique symbol = Symbol.for('sallyport.core.response/1') as never;

/** The implementation of {@link Response}: text is encoded to bytes only when the bytes are read. */
export class OutgoingResponse implements Response {
  /** The HTTP status. */
  declare status: number;
  declare headers: MultiMap;
  declare cookies: string[];
  /** A body that is read while it is sent. */
  declare bodyStream: BodyStream | null;
  declare isBase64: boolean;
  declare [CONTENT]: string | Uint8Array;

  constructor(status: number, headers: MultiMap, content: string | Uint8Array, cookies: string[] = []) {
    this.status = status;
    this.headers = headers;
    this.cookies = cookies;
    this.bodyStream = null;
    this.isBase64 = false;
    this[CONTENT] = content;
  }

  declare readonly [RESPONSE]: true;

  static {
    Object.defineProperty(OutgoingResponse.prototype, RESPONSE, { value: true });
  }

  /** The bytes; text is encoded at the first read. */
  get body(): Uint8Array {
    const content = this[CONTENT];
    if (typeof content !== 'string') return content;
    const bytes = encodeUtf8(content);
    this[CONTENT] = bytes;
    return bytes;
  }

  set body(body: Uint8Array | string) {
    this[CONTENT] = body;
  }

  /** The body as passed, without encoding text. */
  get content(): string | Uint8Array {
    return this[CONTENT];
  }
}

/** True if a value is an {@link OutgoingResponse}, of this copy of the package or another. */
export function isOutgoingResponse(value: unknown): value is OutgoingResponse {
  return (value as Partial<OutgoingResponse> | null | undefined)?.[RESPONSE] === true;
}

/** The members that handlers may set; other members are an error. */
const MEMBERS: readonly string[] = ['status', 'headers', 'cookies', 'body', 'bodyStream', 'isBase64'];

/**
 * Converts the result of a handler or middleware to a response object.
 *
 * @throws FrameworkError `app.internal` for a value that is not a response, and for unknown members
 */
export function toResponse(result: unknown): OutgoingResponse {
  if (isOutgoingResponse(result)) return result;
  if (isWebResponse(result)) return fromWebResponse(result);
  const isPlain = typeOf(result) === '[object Object]';
  const unknown = isPlain && Object.keys(result as object).find((name) => !MEMBERS.includes(name));
  if (!isPlain || unknown) {
    const given = unknown ? `an object with "${unknown}"` : kindOf(result);
    throw internalError(
      `a handler or middleware returned ${given} instead of a response; for example, return json(200, value)`,
    );
  }
  const input = result as ResponseInput & { [CONTENT]?: string | Uint8Array };
  const content = input.body ?? input[CONTENT] ?? EMPTY_BYTES;
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    throw internalError(`the body of a response is ${kindOf(content)}; it must be text or bytes`);
  }
  const response = new OutgoingResponse(
    input.status ?? 200,
    toHeaderMap(input.headers),
    content,
    input.cookies ? [...input.cookies] : [],
  );
  response.bodyStream = input.bodyStream ?? null;
  response.isBase64 = input.isBase64 === true;
  return response;
}

/** The type of a value as `Object.prototype.toString` reports it: `[object Map]`, `[object Response]`. */
function typeOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

/**
 * True if a value is a `Response` of the Fetch standard, of the platform or of a library. Checked by name: `instanceof` would
 * load the platform's `fetch` at the first request.
 */
export function isWebResponse(value: unknown): value is WebResponse {
  return typeOf(value) === '[object Response]';
}

function fromWebResponse({ status, headers: given, body, bodyUsed }: WebResponse): OutgoingResponse {
  if (bodyUsed) throw internalError('the web Response has been read');
  const headers = toHeaderMap(undefined);
  given.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = [value];
  });
  const response = new OutgoingResponse(status, headers, EMPTY_BYTES, given.getSetCookie());
  // Node's streams of the Fetch standard are iterable: https://nodejs.org/api/webstreams.html#async-iteration
  response.bodyStream = body as BodyStream | null;
  return response;
}

/** The kind of a value for an error message; never the value itself. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** RFC 9110 section 5.6.2, in lower case. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** CR, LF and NUL (RFC 9110 section 5.5), and characters that do not fit into a byte: the Fetch standard's ByteString ends at U+00FF. */
const UNSAFE_VALUE = /[\r\n\0\u0100-\uffff]/;

/** True if a header may have this value. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && !UNSAFE_VALUE.test(value);
}

/** Names already known to be canonical: nearly all answers of a service use the same few. */
const KNOWN_NAMES = new Set<string>();
const MAX_KNOWN_NAMES = 256;

/**
 * Converts a response to canonical form, in place: names in lower case, `set-cookie` headers moved to the end of
 * `cookies`, no body if the status or `HEAD` forbids a body.
 *
 * @throws FrameworkError `app.internal` for a status outside 200..599, a name that is not a token (RFC 9110), a value with CR, LF, NUL
 * or a character above U+00FF
 */
export function canonicalizeResponse(response: OutgoingResponse, method: string): OutgoingResponse {
  const { status, headers: given, cookies } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw internalError(`the status of a response is ${String(status)}; it must be a whole number from 200 to 599`);
  }
  // Nearly all headers are canonical already: they are only checked.
  for (const name in given) {
    const values: unknown = given[name];
    if (!Array.isArray(values) || !(KNOWN_NAMES.has(name) || isNewName(name))) {
      response.headers = checkedHeaders(given);
      break;
    }
    for (const value of values) if (typeof value !== 'string' || UNSAFE_VALUE.test(value)) throw invalidValue(value);
  }
  const { headers } = response;
  const moved = headers['set-cookie'];
  if (moved !== undefined) {
    response.cookies = [...cookies, ...moved];
    delete headers['set-cookie'];
  }
  for (const value of cookies) if (typeof value !== 'string' || UNSAFE_VALUE.test(value)) throw invalidValue(value);
  if (status === 204 || status === 304 || method === 'HEAD') dropBody(response);
  return response;
}

/** True if a name that is not among the known ones is canonical; it is known from then on. */
function isNewName(name: string): boolean {
  if (!TOKEN.test(name)) return false;
  if (KNOWN_NAMES.size < MAX_KNOWN_NAMES) KNOWN_NAMES.add(name);
  return true;
}

function checkedHeaders(headers: MultiMap): MultiMap {
  const map = toHeaderMap(headers);
  for (const name of Object.keys(map)) {
    if (!TOKEN.test(name)) throw internalError(`"${name}" is not a valid header name`);
    for (const value of map[name] ?? []) if (!isHeaderValue(value)) throw invalidValue(value);
  }
  return map;
}

function invalidValue(value: unknown): FrameworkError {
  if (typeof value !== 'string') return internalError(`a header value is ${kindOf(value)}; it must be text`);
  return internalError('a header value contains CR, LF, NUL or a character above U+00FF');
}

function dropBody(response: OutgoingResponse): void {
  response.body = EMPTY_BYTES;
  response.isBase64 = false;
  const stream = response.bodyStream;
  response.bodyStream = null;
  if (stream) void closeStream(stream);
}

/** Closes a stream that will not be read. */
export async function closeStream(stream: BodyStream): Promise<void> {
  try {
    const iterator = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
    await iterator.return?.();
  } catch {
    // It will not be read either way.
  }
}
