export { RATE_LIMIT_CODES, RateLimitError, type RateLimitErrorCode, type RateLimitErrorInit } from './errors.js';
export { createDynamoRateLimiter } from './limiter/dynamo-limiter.js';
export type { DynamoRateLimiter, DynamoRateLimiterOptions } from './limiter/dynamo-options.js';
export type {
  CallOptions,
  ConsumeOptions,
  LimitDecision,
  LimitFor,
  Limits,
  RateLimiter,
  RateLimitKey,
  RefundOptions,
  Strategy,
  StrategyKind,
  WindowLimit,
  WindowOptions,
  WindowState,
} from './limiter/limiter.js';
export { createMemoryRateLimiter, type MemoryRateLimiterOptions } from './limiter/memory-limiter.js';
export { type RateLimitHeaderOptions, rateLimitHeaders } from './middleware/headers.js';
export {
  type BySourceIpOptions,
  bySourceIp,
  type CredentialKind,
  type FingerprintKey,
  fingerprintCredential,
} from './middleware/identify.js';
export {
  type RateLimitGuardOptions,
  type RateLimitMiddlewareOptions,
  type RateLimitPolicyOptions,
  rateLimitMiddleware,
  rateLimitPolicy,
} from './middleware/middleware.js';
export { fixedWindow, multiWindow } from './strategies/fixed-windows.js';
export { type SlidingWindowOptions, slidingWindow } from './strategies/sliding-window.js';
export { type TokenBucketOptions, tokenBucket } from './strategies/token-bucket.js';
