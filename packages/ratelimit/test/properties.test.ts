import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createMemoryRateLimiter,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import fc from 'fast-check';
import { type Bench, createBench, KEY, START_MS, WallClock } from './support/dynamo.js';

const arrivals = (maxCost: number, maxLength: number) =>
  fc.array(fc.record({ afterMs: fc.oneof(fc.nat(300), fc.nat(6000)), cost: fc.integer({ min: 1, max: maxCost }) }), {
    minLength: 1,
    maxLength,
  });

const strategies: fc.Arbitrary<Strategy> = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1000, 2000, 10_000), fc.constantFrom(2, 5, 10))
  .chain(([limit, windowMs, granules]) =>
    fc.constantFrom(
      fixedWindow({ limit, windowMs }),
      slidingWindow({ limit, windowMs, granules }),
      multiWindow([
        { limit, windowMs },
        { limit: limit + 3, windowMs: windowMs * 4 },
      ]),
      tokenBucket({ capacity: limit, refillPerSecond: (limit * 1000) / windowMs }),
    ),
  );

describe('a sliding window', () => {
  it('admits no more than its limit in any interval of its length', async () => {
    await fc.assert(
      fc.asyncProperty(
        arrivals(3, 60),
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom([1000, 10], [1000, 2], [4000, 20]),
        async (history, limit, [windowMs = 0, granules = 0]) => {
          const clock = new WallClock();
          const limiter = createMemoryRateLimiter({ strategy: slidingWindow({ limit, windowMs, granules }), clock });
          const admitted: { at: number; cost: number }[] = [];
          for (const { afterMs, cost } of history) {
            clock.ms += afterMs;
            if ((await limiter.consume(KEY, { cost })).allowed) admitted.push({ at: clock.ms, cost });
          }
          for (const { at: end } of admitted) {
            const inside = admitted.filter(({ at }) => at > end - windowMs && at <= end);
            expect(inside.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('no longer counts a request after its length and one granule', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.nat(20_000), async (first, gap) => {
        const clock = new WallClock(START_MS + first);
        const limiter = createMemoryRateLimiter({ strategy: slidingWindow({ limit: 1, windowMs: 1000 }), clock });
        await limiter.consume(KEY);
        clock.ms += gap;
        const { allowed } = await limiter.consume(KEY);
        if (gap < 1000) expect(allowed).toBe(false);
        if (gap >= 1100) expect(allowed).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('retryAfterMs', () => {
  it('is exact: one millisecond earlier the request is denied, then admitted', async () => {
    await fc.assert(
      fc.asyncProperty(strategies, arrivals(3, 30), async (strategy, history) => {
        const clock = new WallClock();
        const limiter = createMemoryRateLimiter({ strategy, clock });
        for (const { afterMs, cost } of history) {
          clock.ms += afterMs;
          const { allowed, retryAfterMs = 0, source } = await limiter.consume(KEY, { cost });
          if (allowed || source === 'local') continue;
          expect(retryAfterMs).toBeGreaterThan(0);
          clock.ms += retryAfterMs - 1;
          expect((await limiter.consume(KEY, { cost })).allowed).toBe(false);
          clock.ms += 1;
          expect((await limiter.consume(KEY, { cost })).allowed).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('memory and DynamoDB', () => {
  let bench: Bench;
  let client: DynamoDBClient;
  let count = 0;

  beforeAll(async () => {
    bench = await createBench();
    client = bench.client;
  });

  afterAll(() => client.destroy());

  it('agree on every step', async () => {
    await fc.assert(
      fc.asyncProperty(strategies, arrivals(3, 12), async (strategy, history) => {
        bench.clock.ms = START_MS;
        const key = { ...KEY, identifier: `history ${count++}` };
        const memory = createMemoryRateLimiter({ strategy, clock: bench.clock });
        const shared = bench.limiter({ strategy, deniedCache: false });
        for (const { afterMs, cost } of history) {
          bench.clock.ms += afterMs;
          expect(await shared.consume(key, { cost })).toEqual(await memory.consume(key, { cost }));
        }
        expect(await shared.peek(key)).toEqual(await memory.peek(key));
      }),
      { numRuns: 30 },
    );
  });
});
