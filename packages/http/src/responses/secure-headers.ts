import { isHeaderValue } from '@sallyport/core/internal';
import { defineOptions, kind } from '@sallyport/core/options';
import type { ResponseHook } from '../pipeline/hooks.js';

/** Values of security headers; `false` omits a header. */
export interface SecureHeadersOptions {
  /** `strict-transport-security` (RFC 6797). Default `max-age=31536000; includeSubDomains`: only HTTPS for a year. */
  readonly strictTransportSecurity?: string | false;
  /** `content-security-policy`. Default `frame-ancestors 'none'`: no page may put the answer into a frame. */
  readonly contentSecurityPolicy?: string | false;
  /** `x-content-type-options`. Default `nosniff`: browsers do not guess another type than `content-type`. */
  readonly contentTypeOptions?: string | false;
  /** `x-frame-options`, for browsers without content security policy. Default `DENY`. */
  readonly frameOptions?: string | false;
  /** `referrer-policy`. Default `no-referrer`: links do not send the address of the page. */
  readonly referrerPolicy?: string | false;
  /** `cross-origin-resource-policy`. Default `same-origin`; requests that `cors` allows are not affected. */
  readonly crossOriginResourcePolicy?: string | false;
  /** `cross-origin-opener-policy`, for pages. Default: omitted. */
  readonly crossOriginOpenerPolicy?: string | false;
  /** `permissions-policy`, for pages. Default: omitted. */
  readonly permissionsPolicy?: string | false;
}

const value = kind<string | false>(
  'false or a string that is a valid header value',
  (given) => given === false || (isHeaderValue(given) && given.trim() !== ''),
);

/** Validators and defaults for {@link SecureHeadersOptions}. */
export const SECURE_HEADERS_OPTIONS = defineOptions<SecureHeadersOptions>()({
  strictTransportSecurity: value.default('max-age=31536000; includeSubDomains'),
  contentSecurityPolicy: value.default("frame-ancestors 'none'"),
  contentTypeOptions: value.default('nosniff'),
  frameOptions: value.default('DENY'),
  referrerPolicy: value.default('no-referrer'),
  crossOriginResourcePolicy: value.default('same-origin'),
  crossOriginOpenerPolicy: value.default(false),
  permissionsPolicy: value.default(false),
});

const NAMES: Readonly<Record<keyof SecureHeadersOptions, string>> = {
  strictTransportSecurity: 'strict-transport-security',
  contentSecurityPolicy: 'content-security-policy',
  contentTypeOptions: 'x-content-type-options',
  frameOptions: 'x-frame-options',
  referrerPolicy: 'referrer-policy',
  crossOriginResourcePolicy: 'cross-origin-resource-policy',
  crossOriginOpenerPolicy: 'cross-origin-opener-policy',
  permissionsPolicy: 'permissions-policy',
};

/**
 * The hook `onResponse` that adds security headers to every answer, also to errors and preflights. Headers that the answer
 * already has are kept. The defaults are the headers that the OWASP REST Security Cheat Sheet recommends for APIs, and two more.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a value that is not allowed in a header
 * @example new SecureApp({ onResponse: secureHeaders(), principalResolver });
 */
export function secureHeaders(options: SecureHeadersOptions = {}): ResponseHook {
  const values = SECURE_HEADERS_OPTIONS.parse(options);
  const headers = Object.entries(NAMES).flatMap(([name, header]) => {
    const given = values[name as keyof SecureHeadersOptions];
    return given === false ? [] : [[header, given] as const];
  });
  return (_ctx, response) => {
    for (const [name, text] of headers) response.headers[name] ??= [text];
  };
}
