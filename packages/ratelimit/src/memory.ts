export { createMemoryRateLimiter, type MemoryRateLimiterOptions } from './limiter/memory-limiter.js';
