import type { Context, MultiMap, Response, ResponseInput } from '@sallyport/core';
import { closeStream, createFastMap, internalError, OutgoingResponse, toResponse } from '@sallyport/core/internal';
import { boolean, defineOptions, integer, oneOf } from '@sallyport/core/options';
import { addVary } from './responses.js';

/** Directives of `cache-control` (RFC 9111 section 5.2.2, RFC 5861, RFC 8246). Times are whole seconds. */
export interface CacheControlOptions {
  /** The caches that may store the answer: `public` for all caches, `private` only for the client's cache. */
  readonly visibility?: 'public' | 'private';
  /** No cache may store the answer. */
  readonly noStore?: boolean;
  /** A cache must revalidate the answer before each use. */
  readonly noCache?: boolean;
  /** Seconds for which the answer is fresh. */
  readonly maxAge?: number;
  /** The same for shared caches, in place of `maxAge`. */
  readonly sMaxAge?: number;
  /** Seconds after expiry in which a stale answer may be used while the cache revalidates it. */
  readonly staleWhileRevalidate?: number;
  /** Seconds in which a stale answer may be used when revalidation fails. */
  readonly staleIfError?: number;
  /** A stale answer must not be used without revalidation. */
  readonly mustRevalidate?: boolean;
  /** The same, only for shared caches. */
  readonly proxyRevalidate?: boolean;
  /** The content never changes while it is fresh. */
  readonly immutable?: boolean;
  /** Proxies must not change the content. */
  readonly noTransform?: boolean;
}

const seconds = integer(0, Number.MAX_SAFE_INTEGER, 'seconds');

/** The directives, in the order in which they are written. */
/** Validators and defaults for {@link CacheControlOptions}. */
export const CACHE_CONTROL_OPTIONS = defineOptions<CacheControlOptions>()({
  visibility: oneOf('public', 'private'),
  noStore: boolean,
  noCache: boolean,
  maxAge: seconds,
  sMaxAge: seconds,
  staleWhileRevalidate: seconds,
  staleIfError: seconds,
  mustRevalidate: boolean,
  proxyRevalidate: boolean,
  immutable: boolean,
  noTransform: boolean,
});

/**
 * The value of a `cache-control` header.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown directive or a wrong value
 * @example cacheControl({ visibility: 'public', maxAge: 60 }); // 'public, max-age=60'
 */
export function cacheControl(options: CacheControlOptions): string {
  const parts = Object.entries(CACHE_CONTROL_OPTIONS.parse(options)).flatMap(([name, value]): string | string[] => {
    if (value === undefined || value === false) return [];
    if (name === 'visibility') return String(value);
    const directive = name === 'sMaxAge' ? 's-maxage' : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return value === true ? directive : `${directive}=${value}`;
  });
  return parts.join(', ');
}

/** For pages rendered for one reader: `private, no-store`. */
export function cacheControlSsr(): string {
  return 'private, no-store';
}

/** For pages rendered at build time: shared caches keep them for a year, browsers revalidate at each use. */
export function cacheControlSsg(): string {
  return cacheControlIsr(31_536_000);
}

/**
 * For pages that are rendered again at intervals. Shared caches keep them for `sMaxAge` seconds, and may serve them for
 * `staleWhileRevalidate` more seconds while they fetch a new version.
 *
 * @throws FrameworkError `app.invalid_configuration` for a time that is not a whole number of seconds
 */
export function cacheControlIsr(sMaxAge: number, staleWhileRevalidate?: number): string {
  const stale = staleWhileRevalidate === undefined ? {} : { staleWhileRevalidate };
  return cacheControl({ visibility: 'public', maxAge: 0, sMaxAge, ...stale });
}

const ETAG_OPTIONS = defineOptions<{ readonly weak?: boolean }>()({ weak: boolean });

/**
 * An entity tag of a body: its SHA-256 in hex, quoted.
 *
 * @example etag('hello', { weak: true }); // 'W/"2cf24d…"'
 */
export function etag(body: string | Uint8Array, options: { readonly weak?: boolean } = {}): string {
  const { weak } = ETAG_OPTIONS.parse(options);
  // Loaded at the first call, because loading the module takes longer than a whole request.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const digest = createHash('sha256').update(body).digest('hex');
  return weak ? `W/"${digest}"` : `"${digest}"`;
}

/** One entity tag of a list (RFC 9110 section 8.8.3), with the separator after it. */
const ENTITY_TAG = /[\s,]*(?:W\/)?("[\u0021\u0023-\u007e\u0080-\uffff]*")\s*(?:,|$)/y;

/**
 * True if an `if-none-match` value matches a tag: weak comparison (RFC 9110 section 13.1.2), lists, and `*` for any content. Text
 * after an invalid entity tag is ignored.
 */
export function matchesIfNoneMatch(header: string, tag: string): boolean {
  if (tag === '') return false;
  if (header.trim() === '*') return true;
  const wanted = opaque(tag);
  ENTITY_TAG.lastIndex = 0;
  for (let match = ENTITY_TAG.exec(header); match; match = ENTITY_TAG.exec(header)) {
    if (match[1] === wanted) return true;
  }
  return false;
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** Headers that are removed from a 304, because they describe the content. `content-location` is kept (RFC 9110 section 15.4.5). */
const CONTENT_HEADERS = /^content-(?!location$|security-policy)|^transfer-encoding$|^last-modified$/;

/**
 * Adds an entity tag to an answer of status 200 to a `GET` or `HEAD`, unless it has a tag. Answers 304 if the client already has
 * that content. Any other answer, and a stream without a tag, is not changed.
 *
 * @example app.use(async (ctx, next) => conditional(ctx, await next(ctx)));
 */
export function conditional(ctx: Context, answer: Response | ResponseInput): OutgoingResponse {
  const response = toResponse(answer);
  const { method } = ctx.request;
  if (response.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return response;
  const tag = response.headers.etag?.[0] ?? (response.bodyStream ? undefined : etag(response.content));
  if (tag === undefined) return response;
  response.headers.etag ??= [tag];
  return matchesIfNoneMatch(ctx.headerAll('if-none-match').join(','), tag) ? notModified(response) : response;
}

function notModified(response: OutgoingResponse): OutgoingResponse {
  const headers: MultiMap = createFastMap();
  for (const [name, values] of Object.entries(response.headers)) {
    if (!CONTENT_HEADERS.test(name)) headers[name] = values;
  }
  if (response.bodyStream) void closeStream(response.bodyStream);
  return new OutgoingResponse(304, headers, new Uint8Array(0), response.cookies);
}

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Adds names to an answer's `vary` header: unique, sorted, lower case. Answers of the helpers are changed in place.
 *
 * @throws FrameworkError `app.internal` for an invalid header name
 */
export function vary(answer: Response | ResponseInput, ...names: readonly string[]): OutgoingResponse {
  const bad = names.some((name) => typeof name !== 'string' || !TOKEN.test(name.trim()));
  if (bad) throw internalError('vary name is not a valid header name');
  const response = toResponse(answer);
  addVary(response.headers, ...names);
  return response;
}
