/** Deterministic parts for tests. The root entry does not import them. */
export { rateLimiterConformance, rateLimitItemKey } from './testing/conformance.js';
export {
  createFakeRateLimiter,
  type FakeCall,
  type FakeRateLimiter,
  type FakeRateLimiterOptions,
} from './testing/fake.js';
export type { ConformanceCase, ConformanceLimiterOptions, RateLimiterHarness } from './testing/harness.js';
