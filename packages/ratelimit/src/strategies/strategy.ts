/** How a strategy counts. The type is open, so that later versions can add strategies. */
export type StrategyKind = 'fixed' | 'sliding' | 'multi' | 'bucket' | (string & {});

/** One limit of a strategy. */
export interface WindowLimit {
  /** Tells the windows of one strategy apart, in decisions and headers. */
  readonly name: string;
  /** Length of the window in milliseconds; of a token bucket the time that it takes to fill. */
  readonly windowMs: number;
  /** Most requests that count at once; of a token bucket its capacity. */
  readonly limit: number;
}

/** How requests are counted. Made by `fixedWindow`, `slidingWindow`, `multiWindow` and `tokenBucket` only; immutable. */
export interface Strategy {
  /** How it counts. */
  readonly kind: StrategyKind;
  /** Name and shape without limits. It is part of every key: a new shape starts to count at 0, a new limit applies at once. */
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
