import { type Clock, systemClock } from '@sallyport/core';
import { assertClock, assertFunctions, assertOptions, wholeNumber } from '../internal/options.js';
import { createDecider } from '../strategies/internal/deciders.js';
import { canFit } from '../strategies/internal/windows.js';
import type { Strategy } from '../strategies/strategy.js';
import { denyUnfit, toClaim } from './internal/claims.js';
import { parseStrategy } from './internal/limits.js';
import { MemoryStore } from './internal/memory-store.js';
import type { LimitFor, RateLimiter, RateLimitKey } from './limiter.js';

export interface MemoryRateLimiterOptions {
  readonly strategy: Strategy;
  readonly clock?: Clock;
  /** The enforced limits of a key; `undefined` for the strategy's. */
  readonly limitFor?: LimitFor;
  /** Keys that are kept; of more, the one that was not used for longest is forgotten. 10,000. */
  readonly maxKeys?: number;
}

const MAX_CLOCK_SKEW_MS = 1000;

/**
 * A limiter of one process, for tests and local runs: the same decisions as the shared one, without a table.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example createMemoryRateLimiter({ strategy: slidingWindow({ limit: 5, windowMs: 1_000 }) })
 */
export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): RateLimiter {
  assertOptions(options, ['strategy', 'clock', 'limitFor', 'maxKeys']);
  assertFunctions(options, ['limitFor']);
  assertClock(options.clock);
  const { clock = systemClock, limitFor } = options;
  const strategy = parseStrategy(options.strategy);
  const store = new MemoryStore(wholeNumber('maxKeys', options.maxKeys ?? 10_000, 1, Number.MAX_SAFE_INTEGER));
  const decider = createDecider(strategy, store, { maxClockSkewMs: MAX_CLOCK_SKEW_MS, onBrokenClock() {} });
  const claimOf = (key: RateLimitKey, cost: number) => toClaim(strategy, limitFor, key, cost, clock.now().getTime());
  return {
    strategy,
    async consume(key, { cost = 1, signal } = {}) {
      const { claim, address } = claimOf(key, cost);
      signal?.throwIfAborted();
      return canFit(claim) ? decider.consume(address, claim) : denyUnfit(strategy, claim);
    },
    async peek(key, { signal } = {}) {
      const { claim, address } = claimOf(key, 1);
      signal?.throwIfAborted();
      return canFit(claim) ? decider.peek(address, claim) : denyUnfit(strategy, claim);
    },
    async reset(key, { signal } = {}) {
      const { address } = claimOf(key, 1);
      signal?.throwIfAborted();
      await store.remove(address);
    },
  };
}
