import { defineOptions } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import { partitionKey } from '../limiter/internal/claims.js';
import { shardName } from '../limiter/internal/shards.js';
import type { RateLimitKey, Strategy } from '../limiter/limiter.js';
import { strategyOption } from '../strategies/internal/definition.js';
import type { ConformanceCase, RateLimiterHarness } from './harness.js';
import { toCases } from './harness.js';
import { DECISION_CASES, TIME_CASES } from './internal/decision-cases.js';
import { KEY_CASES } from './internal/key-cases.js';

const STRATEGY = defineOptions<{ readonly strategy: Strategy }>()(
  { strategy: strategyOption.required() },
  { fail: invalidConfig },
);

/**
 * Returns test cases for the behaviour of a `RateLimiter`, for any implementation and any test runner.
 *
 * @example it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
 */
export function rateLimiterConformance(harness: RateLimiterHarness): readonly ConformanceCase[] {
  return toCases(harness, [...DECISION_CASES, ...TIME_CASES, ...KEY_CASES]);
}

/**
 * The key of the item that counts a rate limit key at a time. Every runtime that shares the table must build the same key.
 *
 * @param shard index of the item, for a key that is spread over several items. Default 0
 * @throws RateLimitError `ratelimit.invalid_config` for a strategy that is not of this package; `ratelimit.invalid_input` for a
 *   part of the key that is blank or not a string
 */
export function rateLimitItemKey(
  strategy: Strategy,
  key: RateLimitKey,
  at: Date,
  shard = 0,
): { pk: string; sk: string } {
  const definition = STRATEGY.parse({ strategy }).strategy;
  return { pk: shardName(partitionKey(definition.policy, key), shard), sk: definition.sortKey(at.getTime()) };
}
