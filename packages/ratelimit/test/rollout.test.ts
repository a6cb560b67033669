import {
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  type RateLimiter,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { KEY, WallClock } from './support/dynamo.js';
import { ModelTable } from './support/model-table.js';

const LIMIT = 1200;
/** Each allows 20 requests a second. */
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ['fixed window', fixedWindow({ limit: LIMIT, windowMs: 60_000 })],
  ['sliding window', slidingWindow({ limit: LIMIT, windowMs: 60_000 })],
  [
    'several windows',
    multiWindow([
      { limit: LIMIT, windowMs: 60_000 },
      { limit: 60 * LIMIT, windowMs: 3_600_000 },
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

async function admit(limiter: RateLimiter, requests: number): Promise<number> {
  let admitted = 0;
  for (let request = 0; request < requests; request += 1) {
    const { allowed, degraded } = await limiter.consume(KEY);
    expect(degraded).toBe(false);
    if (allowed) admitted += 1;
  }
  return admitted;
}

describe('a changed number of items', () => {
  for (const [from, to] of CHANGES) {
    it.each(STRATEGIES)(
      `from ${from} to ${to} admits exactly the limit in the same window: %s`,
      async (_, strategy) => {
        expect(await admit(limiterOf(strategy, from), 2 * LIMIT)).toBe(LIMIT);
        expect(await admit(limiterOf(strategy, to), 50)).toBe(0);
      },
    );

    it.each(STRATEGIES)(`from ${from} to ${to} admits the rest of the limit: %s`, async (_, strategy) => {
      const before = await admit(limiterOf(strategy, from), 500);
      expect([before, await admit(limiterOf(strategy, to), LIMIT)]).toEqual([500, LIMIT - 500]);
    });

    it.each(STRATEGIES)(`from ${from} to ${to}: both versions at once share the limit: %s`, async (_, strategy) => {
      const fleet = [from, to, from, to].map((shardAbove) => limiterOf(strategy, shardAbove, { reserve: 10 }));
      let admitted = 0;
      for (let request = 0; request < 2 * LIMIT; request += 1)
        admitted += await admit(fleet[request % 4] as RateLimiter, 1);
      expect(admitted).toBeLessThanOrEqual(LIMIT);
      expect(admitted).toBeGreaterThanOrEqual(LIMIT - 40);
    });
  }
});
