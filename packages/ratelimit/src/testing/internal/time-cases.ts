import { deepEqual, equal } from 'node:assert/strict';
import { fixedWindow, multiWindow } from '../../strategies/fixed-windows.js';
import { slidingWindow } from '../../strategies/sliding-window.js';
import type { Strategy } from '../../strategies/strategy.js';
import { tokenBucket } from '../../strategies/token-bucket.js';
import type { CaseDefinition } from '../harness.js';

/** Uses up a limit of 3 at several instants; the denial at 2,750 ms must name the first that admits. */
const EXACT: readonly { readonly name: string; readonly strategy: Strategy; readonly retryAfterMs: number }[] = [
  { name: 'fixed window', strategy: fixedWindow({ limit: 3, windowMs: 10_000 }), retryAfterMs: 7250 },
  { name: 'sliding window', strategy: slidingWindow({ limit: 3, windowMs: 10_000 }), retryAfterMs: 8250 },
  {
    name: 'several windows',
    strategy: multiWindow([
      { limit: 9, windowMs: 1000 },
      { limit: 3, windowMs: 10_000 },
    ]),
    retryAfterMs: 7250,
  },
  { name: 'token bucket', strategy: tokenBucket({ capacity: 3, refillPerSecond: 0.3 }), retryAfterMs: 584 },
];

export const TIME_CASES: readonly CaseDefinition[] = [
  ...EXACT.map(({ name, strategy, retryAfterMs }) => ({
    name: `retryAfterMs of a ${name} is exact: one millisecond earlier is denied, then admitted`,
    async run({ limiter, key, clock }: Parameters<CaseDefinition['run']>[0]) {
      const limit = await limiter(strategy);
      for (const ms of [0, 1250, 2500]) {
        clock.at(ms);
        equal((await limit.consume(key())).allowed, true);
      }
      clock.at(2750);
      equal((await limit.consume(key())).retryAfterMs, retryAfterMs);
      clock.at(2750 + retryAfterMs - 1);
      equal((await limit.consume(key())).allowed, false);
      clock.at(2750 + retryAfterMs);
      equal((await limit.consume(key())).allowed, true);
    },
  })),
  {
    name: 'a sliding window admits its limit once in its length, not once a granule',
    async run({ limiter, key, clock }) {
      const limit = await limiter(slidingWindow({ limit: 5, windowMs: 10_000, granules: 10 }));
      const admitted: number[] = [];
      for (let ms = 0; ms < 22_000; ms += 500) {
        clock.at(ms);
        if ((await limit.consume(key())).allowed) admitted.push(ms);
      }
      deepEqual(admitted, [0, 500, 1000, 1500, 2000, 11_000, 11_500, 12_000, 12_500, 13_000]);
    },
  },
  {
    name: 'a shorter window starts anew while the longer one goes on',
    async run({ limiter, key, clock }) {
      const limit = await limiter(
        multiWindow([
          { limit: 1, windowMs: 1000 },
          { limit: 100, windowMs: 60_000 },
        ]),
      );
      const counts: number[] = [];
      for (const ms of [0, 1000, 2000, 30_000, 59_999]) {
        clock.at(ms);
        counts.push((await limit.consume(key())).windows[0]?.currentCount ?? 0);
      }
      deepEqual(counts, [1, 2, 3, 4, 5]);
      clock.at(60_000);
      equal((await limit.consume(key())).windows[0]?.currentCount, 1);
    },
  },
  {
    name: 'a row that expired long ago, and that nothing has deleted, counts nothing',
    async run({ limiter, key, clock }) {
      for (const strategy of [
        fixedWindow({ limit: 1, windowMs: 1000 }),
        slidingWindow({ limit: 1, windowMs: 1000 }),
        multiWindow([{ limit: 1, windowMs: 1000 }]),
        tokenBucket({ capacity: 1, refillPerSecond: 1 }),
      ]) {
        const limit = await limiter(strategy);
        clock.at(0);
        equal((await limit.consume(key())).allowed, true);
        clock.at(86_400_000);
        deepEqual([(await limit.peek(key())).currentCount, (await limit.consume(key())).currentCount], [0, 1]);
      }
    },
  },
];
