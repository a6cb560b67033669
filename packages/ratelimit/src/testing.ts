/** Deterministic parts for tests. Never reachable from the root entry. */
export { rateLimitItemKey } from './limiter/item-key.js';
export { rateLimiterConformance } from './testing/conformance.js';
export {
  createFakeRateLimiter,
  type FakeCall,
  type FakeRateLimiter,
  type FakeRateLimiterOptions,
} from './testing/fake.js';
export type { ConformanceCase, ConformanceLimiterOptions, RateLimiterHarness } from './testing/harness.js';
