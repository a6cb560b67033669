import type { MultiMap } from '@sallyport/core';
import { createFastMap, isHeaderValue, OutgoingResponse, STAGE } from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  group,
  integer,
  invalidOption,
  kind,
  type OptionKinds,
  parsed,
} from '@sallyport/core/options';
import { addVary } from '../responses/responses.js';
import type { Decorate, Stage } from './run.js';

/** Cross-origin rules for pages of other origins (Fetch standard, section 3.3). */
export interface CorsOptions {
  /** Exact origins. `[]` allows none, `['*']` all. Default: all without credentials, none with credentials. */
  readonly allowedOrigins?: readonly string[];
  /** True if pages may send cookies and HTTP authentication. Needs a list of origins. Default false. */
  readonly allowCredentials?: boolean;
  /**
   * Request headers that a preflight allows. Left out: the requested headers, if they are valid names, at most 100. `[]`:
   * only headers that need no preflight.
   */
  readonly allowHeaders?: readonly string[];
  /** Answer headers that a page may read. */
  readonly exposeHeaders?: readonly string[];
  /** Seconds for which a browser may keep the answer to a preflight. Left out: the browser's own default. */
  readonly maxAgeSeconds?: number;
}

const values = kind<readonly string[]>(
  'a list of header values',
  (value) => Array.isArray(value) && value.every(isHeaderValue),
);

/** Validators and defaults for {@link CorsOptions}. */
export const CORS_KINDS = {
  allowedOrigins: values,
  allowCredentials: boolean,
  allowHeaders: values,
  exposeHeaders: values,
  maxAgeSeconds: integer(0, Number.MAX_SAFE_INTEGER, 'seconds'),
} satisfies OptionKinds<CorsOptions>;
const OPTIONS = defineOptions<{ cors: CorsOptions }>()({ cors: group<CorsOptions>()(CORS_KINDS).required() });

/** The option `cors` of a container. */
export const CORS_KIND = parsed<CorsOptions>('an object', checkCors);

function checkCors(value: unknown): CorsOptions {
  const { cors: options } = OPTIONS.parse({ cors: value as CorsOptions });
  if (options.allowCredentials && options.allowedOrigins?.includes('*')) {
    throw invalidOption('cors.allowedOrigins', 'a list of origins when credentials are allowed');
  }
  return options;
}

/** The two stages of cross-origin requests. */
export interface CorsStages {
  /** Answers preflights, before routing. */
  readonly preflight: Stage;
  /** Adds the headers of an answer. */
  readonly addHeaders: Decorate;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_REFLECTED_NAMES = 100;

/**
 * Cross-origin requests: the option `cors` of a router. Without it no CORS header is ever sent and no preflight is answered.
 *
 * @example createHttpRouter({ cors: cors({ allowedOrigins: ['https://app.example'] }) });
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option, and for `*` together with credentials
 */
export function cors(options: CorsOptions): CorsStages {
  const { allowedOrigins, allowCredentials = false, allowHeaders, exposeHeaders, maxAgeSeconds } = checkCors(options);
  const any = allowedOrigins === undefined ? !allowCredentials : allowedOrigins.includes('*');
  const listed = new Set(allowedOrigins);
  const allows = (origin: string) => any || listed.has(origin);
  const allowed = allowHeaders?.join(', ');
  const exposed = exposeHeaders?.join(', ') ?? '';
  const maxAge = maxAgeSeconds === undefined ? '' : String(maxAgeSeconds);

  /** Answers preflights with the same bytes for public, protected and unknown paths. */
  const preflight: Stage = ({ state }) => {
    const origin = state.request.headerValues('origin')[0];
    if (origin === undefined || origin === '') return undefined;
    state.passed |= STAGE.cors;
    if (state.request.method !== 'OPTIONS') return undefined;
    const method = state.request.headerValues('access-control-request-method')[0]?.trim();
    if (!method) return undefined;
    const headers: MultiMap = createFastMap();
    if (allows(origin)) {
      if (TOKEN.test(method)) headers['access-control-allow-methods'] = [method];
      if (allowed === undefined) addVary(headers, 'access-control-request-headers');
      const names = allowed ?? headerNames(state.request.headerValues('access-control-request-headers')).join(', ');
      if (names !== '') headers['access-control-allow-headers'] = [names];
      if (maxAge !== '') headers['access-control-max-age'] = [maxAge];
    }
    return new OutgoingResponse(204, headers, '');
  };

  /** Sends the origin of the request, never `*`; always with `vary`. */
  const addHeaders: Decorate = ({ state }, { headers }) => {
    addVary(headers, 'origin');
    const origin = state.request.headerValues('origin')[0];
    if (!origin || !allows(origin) || !isHeaderValue(origin)) return;
    headers['access-control-allow-origin'] = [origin];
    if (allowCredentials) headers['access-control-allow-credentials'] = ['true'];
    if (exposed !== '') headers['access-control-expose-headers'] = [exposed];
  };

  return { preflight, addHeaders };
}

/** The valid header names (RFC 9110 section 5.1) of a comma-separated list. */
function headerNames(lists: readonly string[]): string[] {
  const parts = lists.flatMap((value) => value.split(',')).map((part) => part.trim());
  return parts.filter((part) => TOKEN.test(part)).slice(0, MAX_REFLECTED_NAMES);
}
