export { RATE_LIMIT_CODES, RateLimitError, type RateLimitErrorCode, type RateLimitErrorInit } from './errors.js';
export { createDynamoRateLimiter, type DynamoRateLimiterOptions } from './limiter/dynamo-limiter.js';
export type {
  CallOptions,
  ConsumeOptions,
  LimitDecision,
  LimitFor,
  RateLimiter,
  RateLimitKey,
  WindowState,
} from './limiter/limiter.js';
export { type CredentialKind, fingerprintCredential } from './middleware/fingerprint.js';
export { type RateLimitHeaderOptions, rateLimitHeaders } from './middleware/headers.js';
export {
  type RateLimitGuardOptions,
  type RateLimitMiddlewareOptions,
  type RateLimitPolicyOptions,
  rateLimitMiddleware,
  rateLimitPolicy,
} from './middleware/middleware.js';
export { type BySourceIpOptions, bySourceIp } from './middleware/source-ip.js';
export {
  fixedWindow,
  multiWindow,
  type SlidingWindowOptions,
  type Strategy,
  slidingWindow,
  type TokenBucketOptions,
  tokenBucket,
  type WindowLimit,
  type WindowOptions,
} from './strategies/strategy.js';
