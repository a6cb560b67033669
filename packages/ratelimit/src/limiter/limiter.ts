import type { Strategy } from '../strategies/strategy.js';

/** Whose use is counted, and of what. Every part is a text that is not blank. */
export interface RateLimitKey {
  readonly identifier: string;
  readonly resource: string;
  readonly operation: string;
  /** Keeps identifiers of different origin apart: a tenant named like an address is not that address. `custom`. */
  readonly kind?: string;
  /**
   * The caller in full, where the identifier alone does not tell callers apart: kind, identity and tenant as one text. Use is
   * counted under it in the identifier's place.
   */
  readonly caller?: string;
}

/** One window of a strategy after a decision. */
export interface WindowState {
  readonly name: string;
  readonly windowMs: number;
  /** The limit that was enforced. */
  readonly limit: number;
  readonly currentCount: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Allowed: when all that counts now is forgotten. Denied: when this window has room for the refused cost. */
  readonly resetsAt: Date;
}

/** The answer to one request. Its own window fields are those of the binding window. */
export interface LimitDecision extends WindowState {
  readonly allowed: boolean;
  /** Milliseconds, more than 0; only on a denial. */
  readonly retryAfterMs?: number;
  /** Every window, the longest first. */
  readonly windows: readonly WindowState[];
  /** True when the store did not decide: counts are then unknown and 0. */
  readonly degraded: boolean;
  /** `store`: it decided. `local`: no call was needed. `none`: the store failed, `onStoreError` decided. */
  readonly source: 'store' | 'local' | 'none';
}

export interface ConsumeOptions {
  /** Whole number of at least 1; 1. */
  readonly cost?: number;
  /** Rejects the call with its reason. A write that was under way may have counted. */
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A limit that counts by key. */
export interface RateLimiter {
  readonly strategy: Strategy;
  /**
   * Decides and counts; a denied request counts nothing. Never rejects because the store is down.
   *
   * @throws RateLimitError `ratelimit.invalid_input`; `ratelimit.invalid_config` for what `limitFor` returns
   */
  consume(key: RateLimitKey, options?: ConsumeOptions): Promise<LimitDecision>;
  /**
   * What `consume` with a cost of 1 would answer; counts nothing.
   *
   * @throws RateLimitError as `consume`, and `ratelimit.store_unavailable`
   */
  peek(key: RateLimitKey, options?: CallOptions): Promise<LimitDecision>;
  /**
   * Forgets what the current window counted.
   *
   * @throws RateLimitError `ratelimit.invalid_input`, `ratelimit.store_unavailable`
   */
  reset(key: RateLimitKey, options?: CallOptions): Promise<void>;
}

/** The limits of one key in place of the strategy's, in the order in which the windows were given. */
export type LimitFor = (key: RateLimitKey) => number | readonly number[] | undefined;
