import { decodeBase64, decodeUtf8, EMPTY_BYTES, encodeUtf8 } from './encoding.js';
import { firstTraceId, type SourceProvenance } from './provenance.js';

/** A request, in the same form from every front door. Headers, query, cookies and body are views, made when first read. */
export interface Request {
  /** The method in upper case. */
  readonly method: string;
  /** The path without stage and base path, not decoded; used for routing. */
  readonly path: string;
  /** The path as received. */
  readonly rawPath: string;
  /** Header values by lower-case name. */
  readonly headers: MultiMap;
  /** Decoded query values by name. */
  readonly query: MultiMap;
  /** Cookie values by name, not decoded; the last value of a name is used. */
  readonly cookies: Readonly<Record<string, string>>;
  /** The raw `name=value` pairs in order. */
  readonly cookieList: readonly string[];
  /**
   * The decoded bytes; empty if absent.
   *
   * @throws FrameworkError `app.bad_request` when the body is not the base64 that it claims to be
   */
  readonly body: Uint8Array;
  /** True if the body was received as base64. `body` is always decoded. */
  readonly isBase64: boolean;
  /** A new copy at each read. */
  readonly sourceProvenance: SourceProvenance;
  /** `''` if no header has a valid id. */
  readonly traceId: string;
}

/** The request for `serve`. */
export interface RequestInput {
  /** In any case. */
  readonly method: string;
  /** It may contain a query after `?`; the member `query` takes precedence over it. */
  readonly path: string;
  /** Query values, not encoded. */
  readonly query?: OneOrMany;
  /** Header values; names in any case. */
  readonly headers?: OneOrMany;
  /** Text or bytes; with `isBase64`, base64 text. Default: empty. */
  readonly body?: Uint8Array | string;
  /** True if `body` is base64 text; default `false`. */
  readonly isBase64?: boolean;
  /** The source of the request; default: unknown. */
  readonly sourceProvenance?: SourceProvenance;
}

/** The reader of one front door for its event. Each method except `header` is called at most once for each request. */
export interface RequestSource {
  /** All headers, names in lower case. */
  headers(): MultiMap;
  /** The values of one header, whose name is given in lower case, without building the map. */
  header(name: string): readonly string[];
  /** All query values, decoded. */
  query(): MultiMap;
  /** The values with cookies; each contains one or more pairs joined by `;`. */
  cookieValues(): readonly string[];
  /** Text, or base64 text when `isBase64` is true, or bytes. */
  readonly rawBody: string | Uint8Array;
  /** True if `rawBody` is base64 text. */
  readonly isBase64: boolean;
  /** The reason why the body cannot be read, such as invalid base64; the request is rejected with this message. */
  readonly invalidBody?: string | undefined;
  /** The source of the request; a new copy at each call. */
  provenance(): SourceProvenance;
}

/**
 * The implementation of {@link Request}. Fields are assigned in the constructor and have no initialisers, because these
 * would be one more function call for each request.
 */
export class IncomingRequest implements Request {
  /** The method in upper case. */
  declare readonly method: string;
  declare readonly path: string;
  declare readonly rawPath: string;
  /** The reader of the front door. */
  declare readonly source: RequestSource;
  declare private headerMap: MultiMap | undefined;
  declare private queryMap: MultiMap | undefined;
  declare private cookieMap: Record<string, string> | undefined;
  declare private cookiePairs: readonly string[] | undefined;
  declare private bytes: Uint8Array | undefined;
  declare private bodyText: string | undefined;
  declare private trace: string | undefined;

  constructor(method: string, path: string, rawPath: string, source: RequestSource) {
    this.method = method;
    this.path = path;
    this.rawPath = rawPath;
    this.source = source;
    this.headerMap = undefined;
    this.queryMap = undefined;
    this.cookieMap = undefined;
    this.cookiePairs = undefined;
    this.bytes = undefined;
    this.bodyText = undefined;
    this.trace = undefined;
  }

  get headers(): MultiMap {
    this.headerMap ??= this.source.headers();
    return this.headerMap;
  }

  /** Values of one header; the name in lower case. Builds no map. */
  headerValues(name: string): readonly string[] {
    return this.headerMap ? (this.headerMap[name] ?? NO_VALUES) : this.source.header(name);
  }

  get query(): MultiMap {
    this.queryMap ??= this.source.query();
    return this.queryMap;
  }

  get cookieList(): readonly string[] {
    this.cookiePairs ??= this.source.cookieValues().flatMap(splitCookies);
    return this.cookiePairs;
  }

  get cookies(): Readonly<Record<string, string>> {
    this.cookieMap ??= parseCookies(this.cookieList);
    return this.cookieMap;
  }

  get isBase64(): boolean {
    return this.source.isBase64;
  }

  /** @throws FrameworkError `app.bad_request` when the body is not the base64 that it claims to be */
  get body(): Uint8Array {
    if (this.bytes === undefined) {
      const { rawBody, isBase64 } = this.source;
      if (typeof rawBody !== 'string') this.bytes = rawBody;
      else if (rawBody === '') this.bytes = EMPTY_BYTES;
      else this.bytes = isBase64 ? decodeBase64(rawBody) : encodeUtf8(rawBody);
    }
    return this.bytes;
  }

  /** The body as UTF-8 text. */
  get text(): string {
    if (this.bodyText === undefined) {
      const { rawBody, isBase64 } = this.source;
      this.bodyText = typeof rawBody === 'string' && !isBase64 ? rawBody : decodeUtf8(this.body);
    }
    return this.bodyText;
  }

  get sourceProvenance(): SourceProvenance {
    return this.source.provenance();
  }

  get traceId(): string {
    this.trace ??= firstTraceId(
      this.headerValues('traceparent')[0] ?? '',
      this.headerValues('x-amzn-trace-id')[0] ?? '',
    );
    return this.trace;
  }
}

const NO_VALUES: readonly string[] = [];

/** Method in canonical form: trimmed, upper case. */
export function canonicalMethod(method: string): string {
  return method.trim().toUpperCase();
}

/** Path in canonical form: trimmed, cut at the first `?`, with one leading `/`; never decoded, folded or resolved. */
export function canonicalPath(path: string): string {
  const trimmed = path.trim();
  const question = trimmed.indexOf('?');
  const cut = question < 0 ? trimmed : trimmed.slice(0, question);
  return cut.charCodeAt(0) === 47 ? cut : `/${cut}`;
}

function splitCookies(value: string): string[] {
  return value
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
}

/** Pairs with a name before `=`; the last value of a name is used (RFC 6265 leaves the order to the server). */
function parseCookies(pairs: readonly string[]): Record<string, string> {
  const cookies = createMap<string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals > 0) cookies[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim();
  }
  return cookies;
}

/** Names to lists of values. Has no prototype, so `__proto__` and `constructor` are names like any other. */
export type MultiMap = Record<string, string[]>;

/** Values that callers may pass instead of a {@link MultiMap}. */
export type OneOrMany = Readonly<Record<string, string | readonly string[]>>;

/** A map without a prototype: the only kind that untrusted names may index. */
export function createMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** Appends values to the existing values of a name. */
export function append(map: MultiMap, name: string, values: string | readonly string[]): void {
  const present = map[name];
  if (present === undefined) map[name] = typeof values === 'string' ? [values] : [...values];
  else if (typeof values === 'string') present.push(values);
  else present.push(...values);
}

/**
 * Objects with one empty ancestor: all names are data, as in {@link createMap}, but V8 keeps them in the fast
 * form of ordinary objects.
 */
const Bare = /* @__PURE__ */ makeBare();

function makeBare(): new () => object {
  class Empty {}
  Object.setPrototypeOf(Empty.prototype, null);
  Reflect.deleteProperty(Empty.prototype, 'constructor');
  return Empty;
}

/**
 * Like {@link createMap}, and several times cheaper to fill and to walk. For names that the application chooses, such as headers of
 * an answer: V8 keeps a description of each new set of names, so names that callers choose would cost more than they save.
 */
export function createFastMap<T>(): Record<string, T> {
  return new Bare() as Record<string, T>;
}

/**
 * Canonical headers: names trimmed and lower-cased, blank names dropped, read in sorted order, so that names that
 * differ only in case always result in the same list. Values that are not strings are left out.
 */
export function toHeaderMap(input: Readonly<Record<string, unknown>> | null | undefined): MultiMap {
  const map: MultiMap = createMap();
  if (!input) return map;
  for (const key of Object.keys(input).sort()) appendHeader(map, key, input[key]);
  return map;
}

/** Adds one header under its canonical name. */
export function appendHeader(map: MultiMap, key: string, value: unknown): void {
  const name = key.trim().toLowerCase();
  if (name === '') return;
  if (typeof value === 'string') {
    append(map, name, value);
    return;
  }
  const values = toStringList(value);
  if (values.length > 0) append(map, name, values);
}

/** A string, or the strings of a list; empty for anything else. */
export function toStringList(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
