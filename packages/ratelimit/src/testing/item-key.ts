import { parseStrategy } from '../limiter/internal/limits.js';
import { toAddress } from '../limiter/item-key.js';
import type { RateLimitKey } from '../limiter/limiter.js';
import type { Strategy } from '../strategies/strategy.js';

/**
 * The key of the item that counts for a rate limit key at an instant: what every runtime that shares the table must build.
 *
 * @throws RateLimitError `ratelimit.invalid_input`
 */
export function rateLimitItemKey(strategy: Strategy, key: RateLimitKey, at: Date): { pk: string; sk: string } {
  const parsed = parseStrategy(strategy);
  return { ...toAddress(parsed.policy, key, parsed.sortSuffix(at.getTime())) };
}
