/** Deterministic parts for tests. Never reachable from the root entry. */
export { rateLimiterConformance, rateLimitItemKey } from './testing/conformance.js';
export {
  createFakeRateLimiter,
  type FakeCall,
  type FakeRateLimiter,
  type FakeRateLimiterOptions,
} from './testing/fake.js';
export type { ConformanceCase, ConformanceLimiterOptions, RateLimiterHarness } from './testing/harness.js';
