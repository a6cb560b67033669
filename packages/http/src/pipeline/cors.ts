import { assertKnownOptions, invalidOption } from '@sallyport/core';
import { isHeaderValue } from '@sallyport/core/pipeline';

/** Who may read answers from a page of another origin (Fetch standard, section 3.3). */
export interface CorsOptions {
  /** Exact origins. Left out: every origin without credentials, none with. `[]`: none. `['*']`: every origin. */
  readonly allowedOrigins?: readonly string[];
  readonly allowCredentials?: boolean;
  /**
   * Request headers that a preflight allows. Left out: those that it asks for, as far as they are header names, at most
   * 100. `[]`: none beyond those that need no preflight.
   */
  readonly allowHeaders?: readonly string[];
  /** Answer headers that a page may read. */
  readonly exposeHeaders?: readonly string[];
  /** How long a browser may keep a preflight's answer. */
  readonly maxAgeSeconds?: number;
}

/** The options as the stages use them. */
export interface CorsPolicy {
  readonly allows: (origin: string) => boolean;
  readonly credentials: boolean;
  /** `undefined`: those that the preflight asks for. */
  readonly allowHeaders: string | undefined;
  readonly exposeHeaders: string;
  readonly maxAge: string;
}

const KEYS = ['allowedOrigins', 'allowCredentials', 'allowHeaders', 'exposeHeaders', 'maxAgeSeconds'];

/** @throws FrameworkError `app.invalid_configuration`; `*` together with credentials is refused */
export function parseCors(options: CorsOptions): CorsPolicy {
  assertKnownOptions(options, KEYS);
  const { allowedOrigins, allowCredentials: credentials = false, maxAgeSeconds } = options;
  for (const key of ['allowedOrigins', 'allowHeaders', 'exposeHeaders'] as const) assertStrings(key, options[key]);
  if (typeof credentials !== 'boolean') throw invalidOption('cors.allowCredentials', 'a boolean');
  if (maxAgeSeconds !== undefined && (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 0)) {
    throw invalidOption('cors.maxAgeSeconds', 'a whole number of seconds');
  }
  const any = allowedOrigins === undefined ? !credentials : allowedOrigins.includes('*');
  if (any && credentials) throw invalidOption('cors.allowedOrigins', 'a list of origins when credentials are allowed');
  const listed = new Set(allowedOrigins);
  return {
    allows: any ? () => true : (origin) => listed.has(origin),
    credentials,
    allowHeaders: options.allowHeaders?.join(', '),
    exposeHeaders: options.exposeHeaders?.join(', ') ?? '',
    maxAge: maxAgeSeconds === undefined ? '' : String(maxAgeSeconds),
  };
}

function assertStrings(key: string, value: unknown): void {
  if (value === undefined) return;
  const valid = Array.isArray(value) && value.every(isHeaderValue);
  if (!valid) throw invalidOption(`cors.${key}`, 'a list of header values');
}
