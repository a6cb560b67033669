import {
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  type RateLimiter,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { rateLimitItemKey } from '@sallyport/ratelimit/testing';
import { KEY, WallClock } from './support/dynamo.js';
import { ModelTable } from './support/model-table.js';

const LIMIT = 120;
const WINDOW_MS = 6000;
/** Requests before a change, where the limit is not exhausted. Its rest divides evenly among four items. */
const USED = 40;
/** Each allows 20 requests a second. */
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ['fixed window', fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS })],
  ['sliding window', slidingWindow({ limit: LIMIT, windowMs: WINDOW_MS })],
  [
    'several windows',
    multiWindow([
      { limit: LIMIT, windowMs: WINDOW_MS },
      { limit: 60 * LIMIT, windowMs: 60 * WINDOW_MS },
    ]),
  ],
  ['token bucket', tokenBucket({ capacity: LIMIT, refillPerSecond: 20 })],
];

/** `undefined`: one item; 5 and 10 requests a second for one item: four and two items. */
const CHANGES = [
  [undefined, 5],
  [5, undefined],
  [5, 10],
  [10, 5],
] as const;

let table: ModelTable;
let clock: WallClock;

beforeEach(() => {
  table = new ModelTable();
  clock = new WallClock();
});

function limiterOf(strategy: Strategy, shardAbove: number | undefined, more = {}): RateLimiter {
  return createDynamoRateLimiter({
    strategy,
    client: table.client,
    tableName: 't',
    clock,
    onStoreError: 'deny',
    log: false,
    ...(shardAbove !== undefined && { shardAbove }),
    ...more,
  });
}

/** The number of admitted requests that a limiter, or several in turn, receive. */
async function admit(limiters: RateLimiter | readonly RateLimiter[], requests: number): Promise<number> {
  const fleet = [limiters].flat();
  let admitted = 0;
  for (let request = 0; request < requests; request += 1) {
    const decision = await fleet[request % fleet.length]?.consume(KEY);
    if (decision?.degraded !== false) throw new Error('the store failed');
    if (decision.allowed) admitted += 1;
  }
  return admitted;
}

describe('a changed number of items', () => {
  for (const [from, to] of CHANGES) {
    it.each(STRATEGIES)(
      `from ${from} to ${to} admits exactly the limit in the same window: %s`,
      async (_, strategy) => {
        expect(await admit(limiterOf(strategy, from), 2 * LIMIT)).toBe(LIMIT);
        expect(await admit(limiterOf(strategy, to), 20)).toBe(0);
      },
    );

    it.each(STRATEGIES)(`from ${from} to ${to} admits the rest of the limit: %s`, async (_, strategy) => {
      const before = await admit(limiterOf(strategy, from), USED);
      expect([before, await admit(limiterOf(strategy, to), LIMIT)]).toEqual([USED, LIMIT - USED]);
    });

    it.each(STRATEGIES)(`from ${from} to ${to}: both versions share the limit: %s`, async (_, strategy) => {
      const fleet = [from, to, from, to].map((shardAbove) => limiterOf(strategy, shardAbove, { reserve: 3 }));
      const admitted = await admit(fleet, 2 * LIMIT);
      expect(admitted).toBeLessThanOrEqual(LIMIT);
      expect(admitted).toBeGreaterThanOrEqual(LIMIT - 12);
    });
  }
});

/** The number of items that the first item of the key states. */
const itemsOf = (strategy: Strategy) => {
  const { pk, sk } = rateLimitItemKey(strategy, KEY, clock.now());
  return table.item(pk, sk).k;
};

describe('another number of items', () => {
  it.each(STRATEGIES)('applies with the next window, or an hour after the last one: %s', async (_, strategy) => {
    for (const [from, to, items] of [
      [5, undefined, 1],
      [5, 10, 2],
      [10, 5, 4],
    ] as const) {
      await admit(limiterOf(strategy, from), 30);
      clock.ms += 3_600_000 + 3_600_000;
      expect(await admit(limiterOf(strategy, to), LIMIT + 20)).toBe(LIMIT);
      expect(itemsOf(strategy)).toBe(items);
      clock.ms += 3_600_000 + 3_600_000;
    }
  });

  it.each(STRATEGIES)('applies after a reset by either version, which deletes all items: %s', async (_, strategy) => {
    for (const [from, to] of CHANGES) {
      for (const by of [from, to]) {
        const old = limiterOf(strategy, from);
        expect(await admit(old, LIMIT + 20)).toBeGreaterThanOrEqual(LIMIT);
        await limiterOf(strategy, by).reset(KEY);
        const admitted =
          (await admit(limiterOf(strategy, to), USED)) + (await admit(limiterOf(strategy, from), 2 * LIMIT));
        expect([from, to, by, admitted]).toEqual([from, to, by, LIMIT]);
        clock.ms += 2 * 3_600_000;
      }
    }
  });

  it.each(STRATEGIES)('is shown by peek, which adds the counts of all items: %s', async (_, strategy) => {
    await admit(limiterOf(strategy, 5), 100);
    expect(await limiterOf(strategy, undefined).peek(KEY)).toMatchObject({ currentCount: 100, limit: LIMIT });
    expect(await limiterOf(strategy, 10).peek(KEY)).toMatchObject({ currentCount: 100, limit: LIMIT });
  });
});

describe('the number of items of a key in constant use', () => {
  it.each(STRATEGIES.filter(([, { kind }]) => kind === 'sliding' || kind === 'bucket'))(
    'does not expire, although its first item is not chosen: %s',
    async (_, strategy) => {
      const { pk } = rateLimitItemKey(strategy, KEY, clock.now());
      const limiter = limiterOf(strategy, 5, { reserve: 10 });
      for (let minute = 0; minute < 300; minute += 1) {
        clock.ms += 60_000;
        await admit(limiter, 1);
      }
      const { ttl } = table.item(pk, '0');
      expect(Number(ttl) * 1000).toBeGreaterThan(clock.ms + 1_800_000);
      const fleet = [undefined, 5].map((shardAbove) => limiterOf(strategy, shardAbove));
      expect(await admit(fleet, 2 * LIMIT)).toBeLessThanOrEqual(LIMIT);
    },
  );
});

describe('an instance that is killed while it spreads counters', () => {
  it.each(STRATEGIES)('leaves the rest to others, and no unit counts twice or is lost: %s', async (_, strategy) => {
    for (let killedAt = 1; killedAt <= 7; killedAt += 1) {
      table = new ModelTable();
      await admit(limiterOf(strategy, undefined), USED);
      let writes = 0;
      table.gate = ({ isWrite }) => {
        if (isWrite) writes += 1;
        if (writes >= killedAt) throw Object.assign(new Error('gone'), { name: 'InternalServerError' });
      };
      await limiterOf(strategy, 5).consume(KEY);
      table.gate = () => {};
      const fleet = [undefined, 5].map((shardAbove) => limiterOf(strategy, shardAbove));
      const admitted = await admit(fleet, LIMIT);
      // The request of the killed instance may have been counted, and a part of a token of each item is rounded up.
      const rounded = strategy.kind === 'bucket' ? 4 : 1;
      expect([killedAt, admitted <= LIMIT - USED, admitted >= LIMIT - USED - rounded]).toEqual([killedAt, true, true]);
      expect(itemsOf(strategy)).toBe(4);
    }
  });

  it.each(STRATEGIES)('or frozen at any write of it changes nothing when it thaws: %s', async (_, strategy) => {
    for (let frozenAt = 1; frozenAt <= 7; frozenAt += 1) {
      table = new ModelTable();
      clock = new WallClock();
      await admit(limiterOf(strategy, undefined), USED);
      let thaw = () => {};
      let writes = 0;
      const send = async (...args: Parameters<typeof table.client.send>) => {
        writes += 1;
        if (writes === frozenAt) {
          await new Promise<void>((resolve) => {
            thaw = resolve;
          });
        }
        return table.client.send(...args);
      };
      const frozen = limiterOf(strategy, 5, { client: { send }, storeTimeoutMs: 60_000 }).consume(KEY);
      for (let turn = 0; turn < 50 && writes < frozenAt; turn += 1) await new Promise(setImmediate);
      const fleet = [undefined, 5].map((shardAbove) => limiterOf(strategy, shardAbove));
      let admitted = await admit(fleet, 40);
      thaw();
      admitted += (await frozen).allowed ? 1 : 0;
      admitted += await admit(limiterOf(strategy, 5), LIMIT);
      const rounded = strategy.kind === 'bucket' ? 4 : 0;
      expect([frozenAt, admitted <= LIMIT - USED, admitted >= LIMIT - USED - rounded]).toEqual([frozenAt, true, true]);
    }
  });

  it.each(STRATEGIES)('at the same time as others, counts each unit once: %s', async (_, strategy) => {
    await admit(limiterOf(strategy, undefined), USED);
    const fleet = Array.from({ length: 8 }, (_, place) => limiterOf(strategy, place % 4 === 0 ? undefined : 5));
    const decisions = await Promise.all(
      fleet.flatMap((limiter) => Array.from({ length: 20 }, () => limiter.consume(KEY))),
    );
    expect(decisions.filter(({ allowed, degraded }) => allowed && !degraded).length).toBe(LIMIT - USED);
  });
});
