import type { Response, ResponseInput } from '@sallyport/core';
import { internalError, type OutgoingResponse, toResponse } from '@sallyport/core/internal';
import { boolean, defineOptions, integer, kind, oneOf } from '@sallyport/core/options';

/**
 * Attributes of a cookie (RFC 6265 section 4.1.2). The defaults are safe: only over HTTPS, not readable by scripts, same
 * site.
 */
export interface CookieOptions {
  /** Seconds until the client deletes the cookie; 0 removes it immediately. Default: until the browser's session ends. */
  readonly maxAge?: number;
  /** The same as a point in time, for clients that do not support `maxAge`. */
  readonly expires?: Date;
  /** The cookie is sent for paths that begin with this. Default `/`. */
  readonly path?: string;
  /** The cookie is sent to this host and its subdomains. Default: only the host that sent it. */
  readonly domain?: string;
  /** The cookie is sent only over HTTPS. Default `true`. */
  readonly secure?: boolean;
  /** Scripts of a page cannot read the cookie. Default `true`. */
  readonly httpOnly?: boolean;
  /** Requests from other sites that send the cookie: `strict` never, `lax` only for links, `none` always. Default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
  /** Inside another site the cookie is stored for that site separately. Default `false`. */
  readonly partitioned?: boolean;
}

/** `path-value`: without characters that end an attribute, and without characters that are not allowed in a header. */
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;
const DOMAIN = /^\.?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** Validators and defaults for {@link CookieOptions}. */
export const COOKIE_OPTIONS = defineOptions<CookieOptions>()({
  maxAge: integer(0, Number.MAX_SAFE_INTEGER, 'seconds'),
  expires: kind<Date>('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())),
  path: kind<string>(
    'a path that begins with /, in ASCII and without ;',
    (value) => typeof value === 'string' && PATH.test(value),
  ).default('/'),
  domain: kind<string>('the name of a host', (value) => typeof value === 'string' && DOMAIN.test(value)),
  secure: boolean.default(true),
  httpOnly: boolean.default(true),
  sameSite: oneOf('strict', 'lax', 'none').default('lax'),
  partitioned: boolean.default(false),
});

/** RFC 6265 section 4.1.1: `cookie-name` is a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
/** `cookie-value`: no white space, `"`, `,`, `;` and `\`; quotes only around all of it. */
const OCTETS = '[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*';
const VALUE = new RegExp(`^(?:${OCTETS}|"${OCTETS}")$`);
/** Browsers drop a cookie whose name and value together are longer (RFC 6265bis section 5.6). */
const MAX_BYTES = 4096;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/**
 * Adds a cookie to an answer, and returns the answer. The value is sent unchanged, and `ctx.cookie(name)` returns it unchanged.
 *
 * @throws FrameworkError `app.internal` for a name or value outside the grammar of RFC 6265 (encode the value, for example with
 * `encodeURIComponent`), for more than 4,096 bytes, and for attributes with which browsers drop the cookie: `__Host-` and
 * `__Secure-` names, `sameSite: 'none'` and `partitioned` need `secure`, `__Host-` also the path `/` and no domain.
 * `app.invalid_configuration` for an unknown attribute or a wrong value
 * @example
 * return setCookie(json(200, user), '__Host-session', token, { maxAge: 3600 });
 */
export function setCookie(
  answer: Response | ResponseInput,
  name: string,
  value: string,
  options: CookieOptions = {},
): OutgoingResponse {
  const given = COOKIE_OPTIONS.parse(options);
  if (typeof name !== 'string' || !NAME.test(name))
    throw internalError('the name of a cookie must be a token of ASCII');
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw internalError(
      `the value of the cookie ${name} has characters that are not allowed in a cookie; encode it first`,
    );
  }
  if (name.length + value.length > MAX_BYTES)
    throw internalError(`the cookie ${name} is longer than ${MAX_BYTES} bytes`);
  const reason = droppedBecause(name, given);
  if (reason !== undefined) throw internalError(`browsers would drop the cookie ${name}: ${reason}`);
  const response = toResponse(answer);
  const attributes = [
    `${name}=${value}`,
    given.maxAge !== undefined && `Max-Age=${given.maxAge}`,
    given.expires !== undefined && `Expires=${given.expires.toUTCString()}`,
    given.domain !== undefined && `Domain=${given.domain}`,
    `Path=${given.path}`,
    given.secure && 'Secure',
    given.httpOnly && 'HttpOnly',
    `SameSite=${SAME_SITE[given.sameSite]}`,
    given.partitioned && 'Partitioned',
  ];
  response.cookies.push(attributes.filter((attribute) => attribute !== false).join('; '));
  return response;
}

/** RFC 6265bis section 4.1.3; browsers compare the prefixes without case. */
function droppedBecause(name: string, options: ReturnType<typeof COOKIE_OPTIONS.parse>): string | undefined {
  const { secure, path, domain, sameSite, partitioned } = options;
  const prefix = /^__(host|secure)-/i.exec(name)?.[1]?.toLowerCase();
  if (!secure && prefix !== undefined) return 'a name with this prefix needs secure';
  if (!secure && sameSite === 'none') return "sameSite 'none' needs secure";
  if (!secure && partitioned) return 'partitioned needs secure';
  if (prefix === 'host' && (domain !== undefined || path !== '/')) return '__Host- needs the path / and no domain';
  return undefined;
}
