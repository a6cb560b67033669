import { invalidConfig } from '../../errors.js';
import { FixedWindows } from '../../strategies/fixed-windows.js';
import type { StrategyShape } from '../../strategies/internal/windows.js';
import { SlidingWindow } from '../../strategies/sliding-window.js';
import type { Strategy, WindowLimit } from '../../strategies/strategy.js';
import { TokenBucket } from '../../strategies/token-bucket.js';
import type { LimitFor, RateLimitKey } from '../limiter.js';

/** The largest capacity for which a bucket's microseconds stay exact. */
const MAX_CAPACITY = 1_000_000;

export type AnyStrategy = FixedWindows | SlidingWindow | TokenBucket;

/** @throws RateLimitError `ratelimit.invalid_config` for what the functions of this package did not make */
export function parseStrategy(strategy: unknown): AnyStrategy {
  if (strategy instanceof FixedWindows || strategy instanceof SlidingWindow || strategy instanceof TokenBucket) {
    return strategy;
  }
  throw invalidConfig('option "strategy" must be made by fixedWindow, slidingWindow, multiWindow or tokenBucket');
}

/**
 * The windows with the limits that are enforced for a key.
 *
 * @throws RateLimitError `ratelimit.invalid_config` when `limitFor` answers anything but one limit for each window
 */
export function enforcedWindows(
  strategy: StrategyShape & Strategy,
  limitFor: LimitFor | undefined,
  key: RateLimitKey,
): readonly WindowLimit[] {
  const answer = limitFor?.(key);
  if (answer === undefined) return strategy.windows;
  const given = typeof answer === 'number' ? [answer] : answer;
  const most = strategy.kind === 'bucket' ? MAX_CAPACITY : Number.MAX_SAFE_INTEGER;
  const fits = (limit: unknown) => Number.isSafeInteger(limit) && (limit as number) >= 0 && (limit as number) <= most;
  if (!Array.isArray(given) || given.length !== strategy.windows.length || !given.every(fits)) {
    throw invalidConfig('limitFor must answer one whole number of at least 0 for each window');
  }
  return strategy.withLimits(strategy.givenOrder.map((place) => given[place] ?? 0));
}
