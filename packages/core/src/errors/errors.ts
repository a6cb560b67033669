import { VERSION } from '../internal/version.js';
import { registerCopy } from './internal/register.js';

registerCopy('@sallyport/core', VERSION, new Error());

/** The error codes of the framework and the HTTP status of each. Any other code has the status 500. */
export const APP_CODES = {
  /** The request cannot be read: its body is not JSON, a value does not convert. At registration: a duplicate or invalid route. */
  'app.bad_request': 400,
  /** The operation needs a known caller, and the caller is unknown. */
  'app.unauthorized': 401,
  /** The caller is known but may not call the operation. */
  'app.forbidden': 403,
  /** No route, field or record has this name. */
  'app.not_found': 404,
  /** The path has routes only for other methods. */
  'app.method_not_allowed': 405,
  /** A handler, a principal resolver or an element of a batch did not finish in time. */
  'app.timeout': 408,
  /** The request conflicts with the current state. */
  'app.conflict': 409,
  /** The body of the request or of the answer exceeds its limit. */
  'app.too_large': 413,
  /** The operation does not accept the media type of the body. The header `accept` lists the accepted types. */
  'app.unsupported_media_type': 415,
  /** Values violate the rules of their schema. `details.errors` lists the violations. */
  'app.validation_failed': 422,
  /** The caller has used up a rate limit. */
  'app.rate_limited': 429,
  /** Any other failure. The error is logged and never sent to the client. */
  'app.internal': 500,
  /** A service that the answer needs is not available now. */
  'app.overloaded': 503,
} as const;

/** An error code of the framework. */
export type AppCode = keyof typeof APP_CODES;

/** Messages of codes that differ from the code's last part. */
const DEFAULT_MESSAGES: Partial<Record<string, string>> = {
  'app.timeout': 'request timeout',
  'app.too_large': 'request too large',
  'app.internal': 'internal error',
};

/** The default message of a code: the code's last part with spaces, except for three codes. */
export function defaultMessage(code: string): string {
  const known = Object.hasOwn(DEFAULT_MESSAGES, code) ? DEFAULT_MESSAGES[code] : undefined;
  return known ?? code.slice(code.lastIndexOf('.') + 1).replaceAll('_', ' ');
}

/** The HTTP status of a code; 500 for a code that is not one of {@link APP_CODES}. */
export function statusOfCode(code: string): number {
  return Object.hasOwn(APP_CODES, code) ? APP_CODES[code as AppCode] : 500;
}

/** Further members of an error. */
export interface FrameworkErrorInit {
  /** The HTTP status instead of the status of the code, if it is in 400..599. */
  readonly statusCode?: number | undefined;
  /** Sent to the client unchanged: do not put secrets here. */
  readonly details?: unknown;
  /** The request that failed; default `''`. */
  readonly requestId?: string | undefined;
  /** The trace of the failed request; default `''`. */
  readonly traceId?: string | undefined;
  /** The time of the failure; a `Date` becomes ISO 8601 text. Default `''`. */
  readonly timestamp?: Date | string | undefined;
  /** A stack to show to the client, for development only; default `''`. */
  readonly stackTrace?: string | undefined;
  /** Headers of the answer, for example `retry-after`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** For logs only, never sent. */
  readonly cause?: unknown;
}

const NAME = 'sallyport.FrameworkError';
const BRAND = brandOf(NAME);

/** A class with any constructor: an error class, or another class whose objects cross packages. */
export type ErrorClass = abstract new (...args: never[]) => object;

/**
 * Makes `instanceof` of a class true for objects of all copies of its package, for example when a bundle has two
 * versions. A derived class keeps the ordinary `instanceof`, unless it has its own brand.
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
  const mark = brandOf(brand);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === type ? hasBrand(value, mark) : Function.prototype[Symbol.hasInstance].call(this as never, value);
    },
  });
}

/** The key of a class's brand. Its number changes when the objects of older versions become incompatible. */
function brandOf(name: string): symbol {
  return Symbol.for(`${name}/1`);
}

/** Never throws: a value that cannot be read (a revoked proxy, a getter that throws) has no brand. */
function hasBrand(value: unknown, mark: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === true;
  } catch {
    return false;
  }
}

/**
 * An error that rejects a request: the client receives the status of its `code`, its message and `details`; its `cause` is only logged.
 * Codes of your application have status 500 unless `statusCode` is set. Immutable.
 *
 * @example
 * throw new FrameworkError('app.conflict', 'the order is closed', { details: { closed: order.closedAt } });
 */
export class FrameworkError extends Error {
  static {
    brandError(FrameworkError, NAME);
    // Defaults for members that an error does not have, so that a printed error shows only members that were set.
    Object.assign(FrameworkError.prototype, { requestId: '', traceId: '', timestamp: '', stackTrace: '' });
  }

  override readonly name: string = 'FrameworkError';
  /** The stable code of the error, for programs: `app.not_found`, or a code of the application. */
  readonly code: AppCode | (string & {});
  /** A status other than the code's own; `undefined` for none. */
  declare readonly statusCode: number | undefined;
  /** Data that the client receives in addition to the message. */
  declare readonly details: unknown;
  /** The request that failed; `''` when unknown. */
  declare readonly requestId: string;
  /** The trace of the failed request; `''` when unknown. */
  declare readonly traceId: string;
  /** The time of the failure, ISO 8601; `''` if absent. */
  declare readonly timestamp: string;
  /** A stack to show to the client; `''` for none. */
  declare readonly stackTrace: string;
  /** Headers of the answer. */
  declare readonly headers: Readonly<Record<string, string | readonly string[]>> | undefined;

  constructor(code: AppCode | (string & {}), message?: string, init: FrameworkErrorInit = {}) {
    super(message ?? defaultMessage(code), init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    if (init.statusCode !== undefined) this.statusCode = init.statusCode;
    if (init.details !== undefined) this.details = init.details;
    if (init.requestId) this.requestId = init.requestId;
    if (init.traceId) this.traceId = init.traceId;
    if (init.timestamp) this.timestamp = toTimestamp(init.timestamp);
    if (init.stackTrace) this.stackTrace = init.stackTrace;
    if (init.headers !== undefined) this.headers = init.headers;
    if (new.target === FrameworkError) Object.freeze(this);
  }

  /** The HTTP status of the answer. */
  get status(): number {
    const own = this.statusCode;
    return own !== undefined && Number.isInteger(own) && own >= 400 && own <= 599 ? own : statusOfCode(this.code);
  }
}

/**
 * True if a value is a {@link FrameworkError}, also of another copy of this package. Never throws: the result is `false`
 * for a value that cannot be read (a revoked proxy, a getter that throws).
 */
export function isFrameworkError(value: unknown): value is FrameworkError {
  return hasBrand(value, BRAND);
}

/** The first part of the codes that packages of the framework throw, except `app`, which applications use too. */
const OWN_CODES =
  /^(?:account|artifact|connections|dispatch|durable|eventbus|http|jobs|mcp|microvm|objectstore|parameters|ratelimit|secure|streams|triggers|vectorstore|websocket)\./;
/** The prefixes of messages for developers. */
const OWN_TEXTS = /^(?:framework|objectstore|vectorstore): /;

/**
 * An error as clients may receive it, on every surface. Messages of the framework for a failure with status 500 are for developers, so the client
 * receives `internal error`, without `details`; the code is kept. Any other FrameworkError is meant for the client.
 *
 * Logs contain the original error, never the result.
 */
export function toClientError(thrown: unknown): FrameworkError {
  if (isFrameworkError(thrown)) return clientErrorOf(thrown);
  return new FrameworkError('app.internal', undefined, { cause: thrown });
}

/** {@link toClientError} for a value that is known to be a FrameworkError. */
export function clientErrorOf(thrown: FrameworkError): FrameworkError {
  const { code, message, status } = thrown;
  if (status !== 500 || !(OWN_TEXTS.test(message) || OWN_CODES.test(code))) return thrown;
  // The object has members only if they were set, with the names of `FrameworkErrorInit`.
  return new FrameworkError(code, defaultMessage('app.internal'), { ...thrown, details: undefined, cause: thrown });
}

/**
 * An `app.internal` error of the framework. The client receives `internal error`; the log shows the cause.
 *
 * @param what the problem and its solution, for developers
 */
export function internalError(what: string, cause?: unknown): FrameworkError {
  return new FrameworkError('app.internal', undefined, {
    cause: new TypeError(`framework: ${what}`, cause === undefined ? undefined : { cause }),
  });
}

/** Code of the error that names an optional peer dependency which is needed and cannot be loaded. */
export const MISSING_PACKAGE = 'app.missing_package';

/**
 * The error of a package whose optional peer dependency cannot be loaded. Throw it from a `try` block around an `import()` with the literal
 * name of the peer: then bundlers include the peer if it is installed, and leave the import unchanged otherwise.
 *
 * @param name the package name of the peer
 * @param cause the rejection of the import
 * @param hint an additional hint
 */
export function missingPackage(name: string, cause: unknown, hint = ''): FrameworkError {
  const message = `framework: ${name} could not be loaded: npm install ${name}${hint && `; ${hint}`}`;
  return new FrameworkError(MISSING_PACKAGE, message, { cause });
}

/**
 * Handles the rejected import of an optional peer: `import('x').catch(throwMissing('x'))`. Bundlers accept an absent package only in
 * an import with a handler.
 *
 * @throws FrameworkError `app.missing_package`, as {@link missingPackage}
 */
export function throwMissing(name: string, hint?: string): (cause: unknown) => never {
  return (cause) => {
    throw missingPackage(name, cause, hint);
  };
}

function toTimestamp(value: Date | string): string {
  if (typeof value === 'string') return value;
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}
