export { createDynamoRateLimiter, type DynamoRateLimiterOptions } from './dynamo-limiter.js';
export { RATE_LIMIT_CODES, RateLimitError, type RateLimitErrorCode, type RateLimitErrorInit } from './errors.js';
export { type CredentialKind, fingerprintCredential } from './fingerprint.js';
export { type RateLimitHeaderOptions, rateLimitHeaders } from './headers.js';
export type {
  CallOptions,
  ConsumeOptions,
  LimitDecision,
  LimitFor,
  RateLimiter,
  RateLimitKey,
  WindowState,
} from './limiter.js';
export {
  type RateLimitGuardOptions,
  type RateLimitMiddlewareOptions,
  type RateLimitPolicyOptions,
  rateLimitMiddleware,
  rateLimitPolicy,
} from './middleware.js';
export { type BySourceIpOptions, bySourceIp } from './source-ip.js';
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
} from './strategy.js';
