import { FrameworkError } from '@sallyport/core';
import { brandError, registerCopy } from '@sallyport/core/internal';
import { VERSION } from './internal/version.js';

registerCopy('@sallyport/ratelimit', VERSION, new Error());

/** Every code of {@link RateLimitError}. */
export const RATE_LIMIT_CODES = [
  /** An option or a result of `limitFor` is not valid: a missing table name or `onStoreError`, an unknown option, a window that does not fit, a short fingerprint key, a reserve above the limit. */
  'ratelimit.invalid_config',
  /**
   * A part of a key is blank or missing, a cost is not a whole number of at least 1, or the refunded decision was denied, was
   * refunded before, or belongs to another limiter.
   */
  'ratelimit.invalid_input',
  /**
   * The store failed: thrown by `peek`, `reset` and `refund`, passed to `onError` by `consume`. `retryable` is true for
   * throttling, 5xx, timeouts and network errors, and false for an error in the deployment.
   */
  'ratelimit.store_unavailable',
] as const;

/** A code of {@link RateLimitError}. */
export type RateLimitErrorCode = (typeof RATE_LIMIT_CODES)[number];

/** Optional properties of an error. */
export interface RateLimitErrorInit {
  /** True if the same call may succeed later without a change of the deployment. */
  readonly retryable?: boolean;
  /** The cause, for logs. It is never sent. */
  readonly cause?: unknown;
}

/** A wrong option or argument, or a failure of the store. A denial is a decision and not an error. Immutable. */
export class RateLimitError extends FrameworkError {
  static {
    brandError(RateLimitError, 'sallyport.RateLimitError');
  }

  override readonly name: string = 'RateLimitError';
  /** Stable; see the table in the README. */
  declare readonly code: RateLimitErrorCode;
  /** True for throttling, 5xx, timeouts and network errors; false for an error in the code or deployment. */
  readonly retryable: boolean;

  constructor(code: RateLimitErrorCode, message: string, init: RateLimitErrorInit = {}) {
    super(code, message, { cause: init.cause });
    this.retryable = init.retryable ?? false;
    if (new.target === RateLimitError) Object.freeze(this);
  }
}

/** The error for an invalid option. It contains the name, never the value. */
export function invalidConfig(message: string): RateLimitError {
  return new RateLimitError('ratelimit.invalid_config', `framework: ${message}`);
}

/** The error for an invalid argument of a call. */
export function invalidInput(message: string): RateLimitError {
  return new RateLimitError('ratelimit.invalid_input', `framework: ${message}`);
}

/** The error for a failed call of the store. */
export function storeUnavailable(retryable: boolean, cause: unknown): RateLimitError {
  return new RateLimitError('ratelimit.store_unavailable', 'framework: rate limit store unavailable', {
    retryable,
    cause,
  });
}
