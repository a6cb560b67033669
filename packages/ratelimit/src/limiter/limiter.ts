/** The kind of a strategy. The type is open, so that later versions can add strategies. */
export type StrategyKind = 'fixed' | 'sliding' | 'multi' | 'bucket' | (string & {});

/** One limit of a strategy. */
export interface WindowLimit {
  /** Distinguishes the windows of one strategy in decisions and headers. */
  readonly name: string;
  /** Length of the window in milliseconds; for a token bucket the time until an empty bucket is full. */
  readonly windowMs: number;
  /** Maximum number of requests in the window; for a token bucket its capacity. */
  readonly limit: number;
}

/** A strategy for counting requests. Created only by `fixedWindow`, `slidingWindow`, `multiWindow` and `tokenBucket`; immutable. */
export interface Strategy {
  /** The kind of counting. */
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
  /** Requests that are allowed, 0 to 1,000,000,000. 0 denies all requests. */
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
   * The full key of the caller, if the identifier is not unique: kind, identity and tenant in one string. Requests are
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
  /** Requests that count now, including an allowed request. */
  readonly currentCount: number;
  /** Requests that are left, at least 0. */
  readonly remaining: number;
  /** Allowed: the time when current requests no longer count. Denied: the time when this window has room for the same cost. */
  readonly resetsAt: Date;
}

/**
 * The decision about one request. The window members at the top level describe the window that denied the request, else the window
 * closest to its limit.
 */
export interface LimitDecision extends WindowState {
  /** True if the request may continue. */
  readonly allowed: boolean;
  /**
   * Milliseconds until the same cost can be allowed, more than 0. It is allowed then unless other requests use the units; a refund, a
   * reset or a raised limit may allow it earlier. Present only for a denied request.
   */
  readonly retryAfterMs?: number;
  /** Every window, the longest first. */
  readonly windows: readonly WindowState[];
  /** True if the decision was made without the store. Counts are then unknown and shown as 0. */
  readonly degraded: boolean;
  /**
   * `store`: decided by the store. `local`: no call was needed, or, if `degraded` is true, decided by the limiter of `onStoreError`.
   * `none`: the store failed and the request was not counted.
   */
  readonly source: 'store' | 'local' | 'none';
}

/** Options of one call that counts. */
export interface ConsumeOptions {
  /** The cost of the request, a whole number of at least 1. Default 1. */
  readonly cost?: number;
  /** Aborts the call: it rejects with the signal's reason. A write in progress may have counted. */
  readonly signal?: AbortSignal;
}

/** Options of one refund. */
export interface RefundOptions {
  /** Units to refund, a whole number of at least 1. Default: the rest of the decision's cost. */
  readonly units?: number;
  /** Aborts the call: it rejects with the signal's reason. The units may have been refunded. */
  readonly signal?: AbortSignal;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A limit that counts by key. */
export interface RateLimiter {
  /** The strategy of the limiter. */
  readonly strategy: Strategy;
  /**
   * Allows and counts a request, or denies it. A denied request is not counted. If the store fails, the call does not reject:
   * `onStoreError` applies.
   *
   * @throws RateLimitError `ratelimit.invalid_input` for a wrong key or cost; `ratelimit.invalid_config` for a wrong result of `limitFor`
   */
  consume(key: RateLimitKey, options?: ConsumeOptions): Promise<LimitDecision>;
  /**
   * Refunds units of an allowed decision that still count, for costs that are known only afterwards. Units can be refunded only
   * once, even if the refund failed. A decision without the store has no units to refund.
   *
   * @throws RateLimitError `ratelimit.invalid_input` for a decision of another limiter, a denied decision, or more units than it
   * counted; `ratelimit.store_unavailable`
   * @example
   * const decision = await limiter.consume(key, { cost: 4000 });
   * const { tokens } = await complete(prompt);
   * if (tokens < 4000) await limiter.refund(decision, { units: 4000 - tokens });
   */
  refund(decision: LimitDecision, options?: RefundOptions): Promise<void>;
  /**
   * Returns the decision of `consume` with a cost of 1, without counting.
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

/** The limits of a key: one for each window, in the order of the options; `undefined` for the limits of the strategy. */
export type Limits = number | readonly number[] | undefined;

/**
 * Returns the limits of one key instead of the strategy's limits. The result of a promise is cached (`limitCache`). If a promise
 * rejects, the last result is used; without an earlier result, `onStoreError` applies. If the function throws, `consume` throws
 * the same error.
 */
export type LimitFor = (key: RateLimitKey) => Limits | Promise<Limits>;
