import type { ConformanceCase, RateLimiterHarness } from './harness.js';
import { toCases } from './harness.js';
import { DECISION_CASES } from './internal/decision-cases.js';
import { KEY_CASES } from './internal/key-cases.js';
import { TIME_CASES } from './internal/time-cases.js';

/**
 * The behaviour of `RateLimiter`, for any implementation and any test runner.
 *
 * @example it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
 */
export function rateLimiterConformance(harness: RateLimiterHarness): readonly ConformanceCase[] {
  return toCases(harness, [...DECISION_CASES, ...TIME_CASES, ...KEY_CASES]);
}
