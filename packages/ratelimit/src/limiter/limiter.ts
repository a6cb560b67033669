/** How a strategy counts. The type is open, so that later versions can add strategies. */
export type StrategyKind = 'fixed' | 'sliding' | 'multi' | 'bucket' | (string & {});

/** One limit of a strategy. */
export interface WindowLimit {
  /** Distinguishes the windows of one strategy in decisions and headers. */
  readonly name: string;
  /** Length of the window in milliseconds; for a token bucket the time until an empty bucket is full. */
  readonly windowMs: number;
  /** The most requests in the window; for a token bucket its capacity. */
  readonly limit: number;
}

/** How requests are counted. Made by `fixedWindow`, `slidingWindow`, `multiWindow` and `tokenBucket` only; immutable. */
export interface Strategy {
  /** How it counts. */
  readonly kind: StrategyKind;
  /**
   * Name and shape without limits. It is part of every key: a new shape starts to count at 0, a new limit applies
   * immediately.
   */
  readonly policy: string;
  /** Its limits, the longest window first. */
  readonly windows: readonly WindowLimit[];
}

/** Options of a window. */
export interface WindowOptions {
  /** Requests that are allowed, 0 to 1,000,000,000. 0 denies everything. */
  readonly limit: number;
  /** Length in milliseconds, a whole number from 100 to 2,678,400,000 (31 days). */
  readonly windowMs: number;
  /**
   * 1 to 64 characters of `A-Z a-z 0-9 _ . -`, part of every key. Default: `default`; in `multiWindow` `default-` and the length,
   * such as `default-1m`.
   */
  readonly name?: string;
}

/** The caller and resource that are counted. Every part must be a string that is not blank. */
export interface RateLimitKey {
  /** The caller: an address, an identity, or the fingerprint of a credential. */
  readonly identifier: string;
  /** The resource, for example a route's pattern. */
  readonly resource: string;
  /** The operation on the resource, for example an HTTP method. */
  readonly operation: string;
  /** The source of the identifier, so that a tenant called `192.0.2.1` is not counted with that address. Default `custom`. */
  readonly kind?: string;
  /**
   * The full key of the caller, if the identifier is not unique: kind, identity and tenant as one text. Requests are
   * counted under it instead of the identifier.
   */
  readonly caller?: string;
}

/** One window of a strategy after a decision. */
export interface WindowState {
  /** The window's name in its strategy. */
  readonly name: string;
  /** The window's length in milliseconds. */
  readonly windowMs: number;
  /** The limit that was enforced. */
  readonly limit: number;
  /** Requests that count now, an allowed one included. */
  readonly currentCount: number;
  /** Requests that are left, at least 0. */
  readonly remaining: number;
  /** Allowed: when no current request counts any more. Denied: when this window has room for the same cost. */
  readonly resetsAt: Date;
}

/**
 * The answer to one request. The window members at the top level are those of the window that decided, or of the one closest to
 * its limit.
 */
export interface LimitDecision extends WindowState {
  /** True if the request may continue. */
  readonly allowed: boolean;
  /**
   * Milliseconds until the same cost can be allowed at the earliest, more than 0. It is allowed then unless other requests took
   * the units; a refund, a reset or a raised limit may allow it earlier. Present only for a denied request.
   */
  readonly retryAfterMs?: number;
  /** Every window, the longest first. */
  readonly windows: readonly WindowState[];
  /** True when the store did not decide. Counts are unknown then and shown as 0. */
  readonly degraded: boolean;
  /**
   * `store`: the store decided. `local`: no call was needed, or, if `degraded` is true, the limiter of `onStoreError`
   * decided. `none`: the store failed and the request was not counted.
   */
  readonly source: 'store' | 'local' | 'none';
}

/** Options of one call that counts. */
export interface ConsumeOptions {
  /** The cost of the request, a whole number of at least 1. Default 1. */
  readonly cost?: number;
  /** Ends the call: it rejects with the signal's reason. A write that was in progress may have counted. */
  readonly signal?: AbortSignal;
}

/** Options of one refund. */
export interface RefundOptions {
  /** Units to refund, a whole number of at least 1. Default: the rest of the decision's cost. */
  readonly units?: number;
  /** Ends the call: it rejects with the signal's reason. The units may have been given back. */
  readonly signal?: AbortSignal;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A limit that counts by key. */
export interface RateLimiter {
  /** The strategy that it was made with. */
  readonly strategy: Strategy;
  /**
   * Decides about a request and counts it. A denied request is not counted. When the store fails the call does not reject:
   * `onStoreError` decides.
   *
   * @throws RateLimitError `ratelimit.invalid_input` for a wrong key or cost; `ratelimit.invalid_config` for what `limitFor` returns
   */
  consume(key: RateLimitKey, options?: ConsumeOptions): Promise<LimitDecision>;
  /**
   * Refunds units of an allowed decision that still count, for costs that are known only afterwards. Units can be refunded only
   * once, even if the refund failed. For a decision without the store nothing is refunded.
   *
   * @throws RateLimitError `ratelimit.invalid_input` for a decision of another limiter, a denied one, or more units than it
   * counted; `ratelimit.store_unavailable`
   * @example
   * const decision = await limiter.consume(key, { cost: 4000 });
   * const { tokens } = await complete(prompt);
   * if (tokens < 4000) await limiter.refund(decision, { units: 4000 - tokens });
   */
  refund(decision: LimitDecision, options?: RefundOptions): Promise<void>;
  /**
   * The result that `consume` with a cost of 1 would have. Counts nothing.
   *
   * @throws RateLimitError as `consume`, and `ratelimit.store_unavailable`
   */
  peek(key: RateLimitKey, options?: CallOptions): Promise<LimitDecision>;
  /**
   * Resets the count of the current window.
   *
   * @throws RateLimitError `ratelimit.invalid_input`, `ratelimit.store_unavailable`
   */
  reset(key: RateLimitKey, options?: CallOptions): Promise<void>;
}

/** The limits of a key: one for each window, in the order in which the windows were given; `undefined` for the strategy's own. */
export type Limits = number | readonly number[] | undefined;

/**
 * Returns the limits of one key instead of those of the strategy. The result of a promise is cached (`limitCache`). When a
 * promise rejects, the last result is used; without one, `onStoreError` decides. If the function throws, `consume` throws the
 * same error.
 */
export type LimitFor = (key: RateLimitKey) => Limits | Promise<Limits>;
