import { kind, OptionKind, wrong } from '@sallyport/core/options';
import { isLoopback } from '../../http/internal/origin.js';

/** Visible ASCII without the characters that a URL parser drops, escapes or reads as a slash; no `@` in the authority. */
const ABSOLUTE = /^https?:\/\/[^\s/?#@"<>\\^`{|}]+(?:[/?#][^\s"<>\\^`{|}]*)?$/i;
const ASCII = /^[\x21-\x7e]+$/;

/** True if a URL has only a scheme, a host and a port. */
export function isBareOrigin(url: string): boolean {
  return /^https?:\/\/[^/?#]+$/i.test(url);
}

/** Optional parts of a URL after scheme, host and port. */
export interface UrlParts {
  readonly query?: boolean;
  readonly path?: boolean;
}

/**
 * Parses an absolute `https:` URL, or an `http:` URL on loopback, without user name, password and fragment. Returns `undefined` for any
 * other value.
 */
export function parseSecureUrl(value: unknown, { query = false, path = true }: UrlParts = {}): URL | undefined {
  if (typeof value !== 'string' || !ASCII.test(value) || !ABSOLUTE.test(value) || !URL.canParse(value))
    return undefined;
  const url = new URL(value);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) return undefined;
  if (value.includes('#') || (!query && value.includes('?'))) return undefined;
  return path || url.pathname === '/' ? url : undefined;
}

/** True if a value is a string that is not blank, such as an audience. */
export function isNamed(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Removes the slash of a bare origin: identifiers are compared as strings (RFC 8414 section 3.3, RFC 9728 section 3.3). */
export function withoutBareSlash(url: string): string {
  return /^https?:\/\/[^/]+\/$/i.test(url) ? url.slice(0, -1) : url;
}

/** Description of an issuer or a resource in errors. */
export const IDENTIFIER = 'an absolute https URL without user name, query and fragment';
const ORIGIN = 'an https origin, such as https://mcp.example.com';

/** An issuer or a resource. */
export const identifier: OptionKind<string> = /* @__PURE__ */ new OptionKind(IDENTIFIER, (value, place) => {
  if (parseSecureUrl(value) === undefined) throw wrong(place, IDENTIFIER);
  return withoutBareSlash(value as string);
});

/** A non-empty list of issuers. */
export const identifiers: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(
  'a non-empty list of issuers',
  (value, place) => {
    if (!Array.isArray(value) || value.length === 0) throw wrong(place, 'a non-empty list of issuers');
    return value.map(
      (one, index) => identifier.read(one ?? null, { ...place, name: `${place.name}[${index}]` }) as string,
    );
  },
);

/** Scheme, host and port. */
export const origin: OptionKind<string> = /* @__PURE__ */ new OptionKind(ORIGIN, (value, place) => {
  if (parseSecureUrl(value, { path: false }) === undefined) throw wrong(place, ORIGIN);
  return withoutBareSlash(value as string);
});

/** The URL of an endpoint. */
export const endpoint: OptionKind<string> = /* @__PURE__ */ kind(
  'an absolute https URL without user name and fragment',
  (value) => parseSecureUrl(value, { query: true }) !== undefined,
);
