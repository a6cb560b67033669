import { fixedWindow, multiWindow, type Strategy, slidingWindow, tokenBucket } from '@sallyport/ratelimit';

/** One of each kind with the same limit a minute. */
export function everyStrategy(
  limit: number,
  { shorterMs = 1000, refillPerSecond = 0.01 } = {},
): readonly (readonly [string, Strategy])[] {
  const shorter = { limit, windowMs: shorterMs };
  const minute = { limit, windowMs: 60_000 };
  return [
    ['fixed window', fixedWindow(minute)],
    ['sliding window', slidingWindow(minute)],
    ['several windows', multiWindow([shorter, minute])],
    ['token bucket', tokenBucket({ capacity: limit, refillPerSecond })],
  ];
}
