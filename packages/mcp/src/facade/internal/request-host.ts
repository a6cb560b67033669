import type { Context } from '@sallyport/core';
import { OptionKind, wrong } from '@sallyport/core/options';
import { isLoopback } from '../../http/internal/origin.js';

interface Authority {
  /** Lower case, without a dot at the end; IPv6 in brackets. */
  readonly host: string;
  /** `undefined` if absent. */
  readonly port: number | undefined;
}

const AUTHORITY =
  /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*)\.?(?::(\d{1,5}))?$/;
/** Ports that are ignored when a request is compared with the list. */
const WELL_KNOWN_PORTS: readonly (number | undefined)[] = [80, 443];

/** Parses `host[:port]`; `undefined` for anything else, and for a host that a URL parser would change. */
function parseAuthority(text: string): Authority | undefined {
  const [, host = '', digits] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (host === '' || port === 0 || !URL.canParse(`https://${host}:${port ?? 443}`)) return undefined;
  const { hostname } = new URL(`https://${host}`);
  return host === hostname || host.startsWith('[') ? { host: hostname, port } : undefined;
}

/** The key by which a request is compared with the list. */
function keyOf({ host, port }: Authority): string {
  return port === undefined || WELL_KNOWN_PORTS.includes(port) ? host : `${host}:${port}`;
}

const HOSTNAMES = 'a non-empty list of host names, each with or without a port';

/** The allowed hosts, in normal form, without repeats. */
export const hostnames: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(HOSTNAMES, (value, place) => {
  if (!Array.isArray(value) || value.length === 0) throw wrong(place, HOSTNAMES);
  const keys = value.map((entry: unknown) => {
    const authority = typeof entry === 'string' ? parseAuthority(entry) : undefined;
    if (!authority) throw wrong(place, HOSTNAMES);
    return keyOf(authority);
  });
  return [...new Set(keys)];
});

const HEADERS = 'a non-empty list of header names';

/** Header names, in lower case. */
export const headerNames: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(HEADERS, (value, place) => {
  const isName = (name: unknown) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isName)) throw wrong(place, HEADERS);
  return [...new Set(value.map((name: string) => name.toLowerCase()))];
});

/** The origin of a request. */
export interface RequestOrigin {
  /** `https://mcp.example.com`; `undefined` if the host is not in the list. */
  readonly origin: string | undefined;
  /** The headers that were read. */
  readonly vary: readonly string[];
}

/**
 * The origin of a request. Only the first header that is present is read: with a fallback to the next header, a forged header
 * would go unnoticed.
 *
 * @param allowed a value of {@link hostnames}
 * @param headers a value of {@link headerNames}
 */
export function originOfRequest(ctx: Context, allowed: readonly string[], headers: readonly string[]): RequestOrigin {
  const at = headers.findIndex((name) => ctx.headerAll(name).length > 0);
  const vary = at < 0 ? headers : headers.slice(0, at + 1);
  const [value, ...more] = ctx.headerAll(headers[at] ?? '');
  const authority = value === undefined || more.length > 0 ? undefined : parseAuthority(value);
  if (!authority || !allowed.includes(keyOf(authority))) return { origin: undefined, vary };
  return { origin: formatOrigin(authority), vary };
}

/** The scheme is `https`, or `http` for loopback hosts; the default port of the scheme is omitted. */
function formatOrigin({ host, port }: Authority): string {
  const [scheme, own] = isLoopback(host) ? ['http', 80] : ['https', 443];
  return `${scheme}://${host}${port === undefined || port === own ? '' : `:${port}`}`;
}
