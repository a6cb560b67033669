/** Deterministic parts for tests. Never reachable from the root entry. */
export {
  type ConformanceCase,
  type ConformanceLimiterOptions,
  type RateLimiterHarness,
  rateLimiterConformance,
} from './testing/conformance.js';
export {
  createFakeRateLimiter,
  type FakeCall,
  type FakeRateLimiter,
  type FakeRateLimiterOptions,
} from './testing/fake.js';
export { rateLimitItemKey } from './testing/item-key.js';
