import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { LimitDecision, Strategy } from '../../limiter/limiter.js';
import { fixedWindow, multiWindow } from '../../strategies/fixed-windows.js';
import { slidingWindow } from '../../strategies/sliding-window.js';
import { tokenBucket } from '../../strategies/token-bucket.js';
import type { CaseDefinition } from '../harness.js';

/** Values of a decision, without its windows. */
function brief({ allowed, limit, currentCount, remaining, resetsAt, retryAfterMs }: LimitDecision): unknown[] {
  return [allowed, limit, currentCount, remaining, resetsAt.toISOString(), retryAfterMs];
}

export const DECISION_CASES: readonly CaseDefinition[] = [
  {
    name: 'a fixed window admits its limit and denies the next request until it ends',
    async run({ limiter, key, clock }) {
      const limit = await limiter(fixedWindow({ limit: 2, windowMs: 60_000 }));
      clock.at(500);
      deepEqual(brief(await limit.consume(key())), [true, 2, 1, 1, '2023-11-14T22:01:00.000Z', undefined]);
      deepEqual(brief(await limit.consume(key())), [true, 2, 2, 0, '2023-11-14T22:01:00.000Z', undefined]);
      deepEqual(brief(await limit.consume(key())), [false, 2, 2, 0, '2023-11-14T22:01:00.000Z', 59_500]);
      clock.at(60_000);
      deepEqual(brief(await limit.consume(key())), [true, 2, 1, 1, '2023-11-14T22:02:00.000Z', undefined]);
    },
  },
  {
    name: 'a sliding window counts a request for its length and at most one granule more',
    async run({ limiter, key, clock }) {
      const limit = await limiter(slidingWindow({ limit: 1, windowMs: 10_000, granules: 10 }));
      clock.at(400);
      deepEqual(brief(await limit.consume(key())), [true, 1, 1, 0, '2023-11-14T22:00:11.000Z', undefined]);
      clock.at(10_999);
      deepEqual(brief(await limit.consume(key())), [false, 1, 1, 0, '2023-11-14T22:00:11.000Z', 1]);
      clock.at(11_000);
      equal((await limit.consume(key())).allowed, true);
    },
  },
  {
    name: 'several windows allow a request together or deny it, and the window that becomes free last determines the decision',
    async run({ limiter, key, clock }) {
      const limit = await limiter(
        multiWindow([
          { limit: 2, windowMs: 1000 },
          { limit: 3, windowMs: 60_000 },
        ]),
      );
      // The fullest window determines the decision while no window is exhausted.
      deepEqual(brief(await limit.consume(key())), [true, 2, 1, 1, '2023-11-14T22:00:01.000Z', undefined]);
      await limit.consume(key());
      deepEqual(brief(await limit.consume(key())), [false, 2, 2, 0, '2023-11-14T22:00:01.000Z', 1000]);
      clock.at(1000);
      const third = await limit.consume(key());
      deepEqual(
        third.windows.map((window) => [window.name, window.currentCount]),
        [
          ['default-1m', 3],
          ['default-1s', 1],
        ],
      );
      deepEqual(brief(await limit.consume(key())), [false, 3, 3, 0, '2023-11-14T22:01:00.000Z', 59_000]);
    },
  },
  {
    name: 'a bucket allows a burst and then one request in each interval',
    async run({ limiter, key, clock }) {
      const limit = await limiter(tokenBucket({ capacity: 3, refillPerSecond: 2 }));
      for (const left of [2, 1, 0]) equal((await limit.consume(key())).remaining, left);
      deepEqual(brief(await limit.consume(key())), [false, 3, 3, 0, '2023-11-14T22:00:00.500Z', 500]);
      clock.at(500);
      deepEqual(brief(await limit.consume(key())), [true, 3, 3, 0, '2023-11-14T22:00:02.000Z', undefined]);
      clock.at(10_000);
      equal((await limit.consume(key())).remaining, 2);
    },
  },
  {
    name: 'a denied request is not counted, and a cheaper request may still fit',
    async run({ limiter, key }) {
      const limit = await limiter(fixedWindow({ limit: 5, windowMs: 60_000 }));
      await limit.consume(key(), { cost: 3 });
      equal((await limit.consume(key(), { cost: 3 })).allowed, false);
      equal((await limit.consume(key(), { cost: 2 })).currentCount, 5);
    },
  },
  {
    name: 'a limit of 0, or below the cost, denies without the store',
    async run({ limiter, key }) {
      const none = await (await limiter(fixedWindow({ limit: 0, windowMs: 60_000 }))).consume(key());
      deepEqual(
        [none.allowed, none.source, none.degraded, (none.retryAfterMs ?? 0) > 0],
        [false, 'local', false, true],
      );
      const costly = await (await limiter(slidingWindow({ limit: 3, windowMs: 1000 }))).consume(key(), { cost: 4 });
      deepEqual([costly.allowed, costly.source], [false, 'local']);
    },
  },
  {
    name: 'the limits of a key are enforced, not only reported',
    async run({ limiter, key }) {
      const strategy = multiWindow([
        { limit: 10, windowMs: 1000 },
        { limit: 100, windowMs: 60_000 },
      ]);
      const limit = await limiter(strategy, () => [1, 50]);
      equal((await limit.consume(key())).allowed, true);
      const denied = await limit.consume(key());
      deepEqual([denied.allowed, denied.limit, denied.name], [false, 1, 'default-1s']);
    },
  },
  {
    name: 'limits of a wrong number or type are rejected',
    async run({ limiter, key }) {
      const strategy = fixedWindow({ limit: 10, windowMs: 1000 });
      for (const answer of [[1, 2], [], -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number]) {
        const limit = await limiter(strategy, () => answer);
        await rejects(limit.consume(key()), { code: 'ratelimit.invalid_config' });
      }
    },
  },
  {
    name: 'peek returns the decision of consume and counts nothing',
    async run({ limiter, key }) {
      for (const strategy of [
        fixedWindow({ limit: 1, windowMs: 60_000 }),
        slidingWindow({ limit: 1, windowMs: 60_000 }),
        multiWindow([{ limit: 1, windowMs: 60_000 }]),
        tokenBucket({ capacity: 1, refillPerSecond: 1 }),
      ]) {
        const limit = await limiter(strategy);
        for (const _ of [1, 2])
          deepEqual([(await limit.peek(key())).allowed, (await limit.peek(key())).remaining], [true, 1]);
        equal((await limit.consume(key())).allowed, true);
        const denied = await limit.peek(key());
        deepEqual([denied.allowed, denied.remaining, (denied.retryAfterMs ?? 0) > 0], [false, 0, true]);
      }
    },
  },
  {
    name: 'reset clears the count of the current window',
    async run({ limiter, key }) {
      const limit = await limiter(slidingWindow({ limit: 1, windowMs: 60_000 }));
      await limit.consume(key());
      equal((await limit.consume(key())).allowed, false);
      await limit.reset(key());
      equal((await limit.consume(key())).allowed, true);
    },
  },
  {
    name: 'of many concurrent requests exactly the limit is allowed',
    async run({ limiter, key }) {
      for (const strategy of [
        fixedWindow({ limit: 25, windowMs: 60_000 }),
        slidingWindow({ limit: 25, windowMs: 60_000 }),
        multiWindow([
          { limit: 25, windowMs: 1000 },
          { limit: 40, windowMs: 60_000 },
        ]),
      ]) {
        const limit = await limiter(strategy);
        const decisions = await Promise.all(Array.from({ length: 60 }, () => limit.consume(key())));
        equal(decisions.filter(({ allowed }) => allowed).length, 25);
        ok(decisions.every(({ degraded }) => !degraded));
      }
    },
  },
  {
    name: 'an aborted call rejects with the reason of its signal',
    async run({ limiter, key }) {
      const limit = await limiter(fixedWindow({ limit: 1, windowMs: 60_000 }));
      const signal = AbortSignal.abort(new Error('gone'));
      await rejects(limit.consume(key(), { signal }), { message: 'gone' });
      await rejects(limit.peek(key(), { signal }), { message: 'gone' });
      await rejects(limit.reset(key(), { signal }), { message: 'gone' });
      equal((await limit.consume(key())).currentCount, 1);
    },
  },
];

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
    name: 'a sliding window allows its limit once in its length, not once in each granule',
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
    name: 'a shorter window starts again while the longer one continues',
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
