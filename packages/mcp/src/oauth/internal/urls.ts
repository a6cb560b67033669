import { kind, OptionKind, wrong } from '@sallyport/core/options';
import { isLoopback } from '../../http/internal/origin.js';

/** Visible ASCII without what a parser of URLs would drop, escape or take for a slash; no `@` in the authority. */
const ABSOLUTE = /^https?:\/\/[^\s/?#@"<>\\^`{|}]+(?:[/?#][^\s"<>\\^`{|}]*)?$/i;
const ASCII = /^[\x21-\x7e]+$/;

/** True if text is scheme, host and port alone. */
export function isBareOrigin(url: string): boolean {
  return /^https?:\/\/[^/?#]+$/i.test(url);
}

/** Which parts a URL may have besides scheme, host, port and path. */
export interface UrlParts {
  readonly query?: boolean;
  readonly path?: boolean;
}

/**
 * Parses an absolute `https:` URL, or an `http:` one of this machine, without user name, password and fragment. `undefined` for
 * anything else.
 */
export function parseSecureUrl(value: unknown, { query = false, path = true }: UrlParts = {}): URL | undefined {
  if (typeof value !== 'string' || !ASCII.test(value) || !ABSOLUTE.test(value) || !URL.canParse(value))
    return undefined;
  const url = new URL(value);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) return undefined;
  if (value.includes('#') || (!query && value.includes('?'))) return undefined;
  return path || url.pathname === '/' ? url : undefined;
}

/** True if a value names an audience: a string that is not blank. */
export function isNamed(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Drops the slash of a bare origin: identifiers are compared as text (RFC 8414 section 3.3, RFC 9728 section 3.3). */
export function withoutBareSlash(url: string): string {
  return /^https?:\/\/[^/]+\/$/i.test(url) ? url.slice(0, -1) : url;
}

/** What an issuer or a resource must be, for errors. */
export const IDENTIFIER = 'an absolute https URL without user name, query and fragment';
const ORIGIN = 'an https origin, such as https://mcp.example.com';

/** An issuer or a resource. */
export const identifier: OptionKind<string> = /* @__PURE__ */ new OptionKind(IDENTIFIER, (value, place) => {
  if (parseSecureUrl(value) === undefined) throw wrong(place, IDENTIFIER);
  return withoutBareSlash(value as string);
});

/** Issuers, one or more. */
export const identifiers: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(
  'a list of one or more issuers',
  (value, place) => {
    if (!Array.isArray(value) || value.length === 0) throw wrong(place, 'a list of one or more issuers');
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
