import { assertKnownOptions, invalidOption } from '@sallyport/core';

/** Directives of `cache-control` (RFC 9111 section 5.2.2, RFC 5861, RFC 8246). Times are whole seconds. */
export interface CacheControlOptions {
  readonly visibility?: 'public' | 'private';
  readonly noStore?: boolean;
  readonly noCache?: boolean;
  readonly maxAge?: number;
  readonly sMaxAge?: number;
  readonly staleWhileRevalidate?: number;
  readonly staleIfError?: number;
  readonly mustRevalidate?: boolean;
  readonly proxyRevalidate?: boolean;
  readonly immutable?: boolean;
  readonly noTransform?: boolean;
}

/** Directives in the order in which they are written. */
const DIRECTIVES: readonly (readonly [keyof CacheControlOptions, string, 'flag' | 'seconds'])[] = [
  ['noStore', 'no-store', 'flag'],
  ['noCache', 'no-cache', 'flag'],
  ['maxAge', 'max-age', 'seconds'],
  ['sMaxAge', 's-maxage', 'seconds'],
  ['staleWhileRevalidate', 'stale-while-revalidate', 'seconds'],
  ['staleIfError', 'stale-if-error', 'seconds'],
  ['mustRevalidate', 'must-revalidate', 'flag'],
  ['proxyRevalidate', 'proxy-revalidate', 'flag'],
  ['immutable', 'immutable', 'flag'],
  ['noTransform', 'no-transform', 'flag'],
];

/**
 * The value of a `cache-control` header.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown directive, or a time that is no whole number of seconds
 * @example cacheControl({ visibility: 'public', maxAge: 60 }); // 'public, max-age=60'
 */
export function cacheControl(options: CacheControlOptions): string {
  assertKnownOptions(options, ['visibility', ...DIRECTIVES.map(([name]) => name)]);
  const { visibility } = options;
  if (visibility !== undefined && visibility !== 'public' && visibility !== 'private') {
    throw invalidOption('visibility', 'public or private');
  }
  const parts: string[] = visibility ? [visibility] : [];
  for (const [name, directive, form] of DIRECTIVES) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    if (form === 'seconds') parts.push(`${directive}=${wholeSeconds(name, value)}`);
    else if (isFlag(name, value)) parts.push(directive);
  }
  return parts.join(', ');
}

/** For pages rendered for one reader: `private, no-store`. */
export function cacheControlSsr(): string {
  return 'private, no-store';
}

/** For pages rendered at build time: shared caches keep them for a year, readers ask each time. */
export function cacheControlSsg(): string {
  return cacheControlIsr(31_536_000);
}

/**
 * For pages rendered again now and then: shared caches keep them for `sMaxAge` seconds, and may serve them for
 * `staleWhileRevalidate` more while they fetch anew.
 *
 * @throws FrameworkError `app.invalid_configuration` for a time that is no whole number of seconds
 */
export function cacheControlIsr(sMaxAge: number, staleWhileRevalidate?: number): string {
  const stale = staleWhileRevalidate === undefined ? {} : { staleWhileRevalidate };
  return cacheControl({ visibility: 'public', maxAge: 0, sMaxAge, ...stale });
}

function wholeSeconds(name: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw invalidOption(name, 'a whole number of seconds');
  return Number(value);
}

function isFlag(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalidOption(name, 'a boolean');
  return value;
}
