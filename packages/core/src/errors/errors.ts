/** The codes that the framework itself answers with, and the HTTP status of each. Any other code is a 500. */
export const APP_CODES = {
  /** The request cannot be read: its body is not JSON, a value does not convert. At registration: a duplicate or invalid route. */
  'app.bad_request': 400,
  /** Nobody is known to call, and the operation needs somebody. */
  'app.unauthorized': 401,
  /** The caller is known and may not call the operation. */
  'app.forbidden': 403,
  /** No route, field or record has this name. */
  'app.not_found': 404,
  /** The path has routes of other methods only. */
  'app.method_not_allowed': 405,
  /** A handler, a resolver of principals or an element of a batch had no answer in time. */
  'app.timeout': 408,
  /** The request contradicts what is there. */
  'app.conflict': 409,
  /** The body of the request or of the answer exceeds its limit. */
  'app.too_large': 413,
  /** The media type of the body is not one that the operation reads. The header `accept` names those. */
  'app.unsupported_media_type': 415,
  /** Values were read and break the rules of their schema. `details.errors` lists them. */
  'app.validation_failed': 422,
  /** The caller has used up a rate limit. */
  'app.rate_limited': 429,
  /** Anything else failed. The text of the error goes to the log and never to the client. */
  'app.internal': 500,
  /** Something that the answer needs cannot be reached now. */
  'app.overloaded': 503,
} as const;

/** A code that the framework itself answers with. */
export type AppCode = keyof typeof APP_CODES;

/** Messages of codes whose words differ from the code's last part. */
const DEFAULT_MESSAGES: Partial<Record<string, string>> = {
  'app.timeout': 'request timeout',
  'app.too_large': 'request too large',
  'app.internal': 'internal error',
};

/** The message of a code that came without one: the code's last part with spaces, but for three codes. */
export function defaultMessage(code: string): string {
  const known = Object.hasOwn(DEFAULT_MESSAGES, code) ? DEFAULT_MESSAGES[code] : undefined;
  return known ?? code.slice(code.lastIndexOf('.') + 1).replaceAll('_', ' ');
}

/** The HTTP status of a code; 500 for a code that is not one of {@link APP_CODES}. */
export function statusOfCode(code: string): number {
  return Object.hasOwn(APP_CODES, code) ? APP_CODES[code as AppCode] : 500;
}

/** What an error carries beside its code and message. */
export interface FrameworkErrorInit {
  /** Answered instead of the code's own status when it lies in 400..599. */
  readonly statusCode?: number | undefined;
  /** Sent to the client as it is: nothing secret belongs here. */
  readonly details?: unknown;
  /** The request that failed; default `''`. */
  readonly requestId?: string | undefined;
  /** The trace of the failed request; default `''`. */
  readonly traceId?: string | undefined;
  /** When it happened; a `Date` becomes ISO 8601 text. Default `''`. */
  readonly timestamp?: Date | string | undefined;
  /** A stack to show to the client, for development only; default `''`. */
  readonly stackTrace?: string | undefined;
  /** Headers of the answer, `retry-after` say. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Kept for logs, never sent. */
  readonly cause?: unknown;
}

const NAME = 'sallyport.FrameworkError';
const BRAND = Symbol.for(NAME);

/** An error class, whatever its constructor takes. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * Makes `instanceof` of an error class hold for errors of every copy of its package, as when a bundle has two versions. A class
 * that is derived from it keeps the ordinary `instanceof`, unless it has a brand of its own.
 *
 * @param brand the same in every version of the class, with its package: `sallyport.RateLimitError`
 * @example
 * class StoreError extends FrameworkError {
 *   static {
 *     brandError(StoreError, 'example.StoreError');
 *   }
 * }
 */
export function brandError(type: ErrorClass, brand: string): void {
  const mark = Symbol.for(brand);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === type ? hasBrand(value, mark) : Function.prototype[Symbol.hasInstance].call(this as never, value);
    },
  });
}

/** Never throws: a value that cannot be looked at (a revoked proxy, a getter that throws) has no brand. */
function hasBrand(value: unknown, mark: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === true;
  } catch {
    return false;
  }
}

/**
 * The one error class of the framework: a stable `code`, a message that a client may read, and what the answer needs.
 * Immutable. Its `cause` reaches logs only.
 *
 * @example throw new FrameworkError('app.not_found', 'no such note');
 */
export class FrameworkError extends Error {
  static {
    brandError(FrameworkError, NAME);
  }

  override readonly name: string = 'FrameworkError';
  /** What went wrong, stable, for programs: `app.not_found`, or a code of the application's own. */
  readonly code: AppCode | (string & {});
  /** A status other than the code's own; `undefined` for none. */
  readonly statusCode: number | undefined;
  /** What the client gets beside the message. */
  readonly details: unknown;
  /** The request that failed; `''` when unknown. */
  readonly requestId: string;
  /** The trace of the failed request; `''` when unknown. */
  readonly traceId: string;
  /** When it happened, ISO 8601; `''` when not given. */
  readonly timestamp: string;
  /** A stack to show to the client; `''` for none. */
  readonly stackTrace: string;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string | readonly string[]>> | undefined;

  constructor(code: AppCode | (string & {}), message?: string, init: FrameworkErrorInit = {}) {
    super(message ?? defaultMessage(code), 'cause' in init ? { cause: init.cause } : undefined);
    this.code = code;
    this.statusCode = init.statusCode;
    this.details = init.details;
    this.requestId = init.requestId ?? '';
    this.traceId = init.traceId ?? '';
    this.timestamp = toTimestamp(init.timestamp);
    this.stackTrace = init.stackTrace ?? '';
    this.headers = init.headers;
    if (new.target === FrameworkError) Object.freeze(this);
  }

  /** The status that HTTP answers with. */
  get status(): number {
    const own = this.statusCode;
    return own !== undefined && Number.isInteger(own) && own >= 400 && own <= 599 ? own : statusOfCode(this.code);
  }
}

/**
 * Whether a value is a {@link FrameworkError}, also one that another copy of this package made. Never throws: a value that
 * cannot be looked at (a revoked proxy, a getter that throws) is none.
 */
export function isFrameworkError(value: unknown): value is FrameworkError {
  return hasBrand(value, BRAND);
}

/**
 * An `app.internal` error of the framework's own. The client reads `internal error`; what happened is in the cause, for the
 * log.
 *
 * @param what what happened and what to do, for developers
 */
export function internalError(what: string, cause?: unknown): FrameworkError {
  return new FrameworkError('app.internal', undefined, {
    cause: new TypeError(`framework: ${what}`, cause === undefined ? undefined : { cause }),
  });
}

function toTimestamp(value: Date | string | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}
