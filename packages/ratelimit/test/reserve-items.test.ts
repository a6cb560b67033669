import {
  createDynamoRateLimiter,
  type DynamoRateLimiter,
  type DynamoRateLimiterOptions,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
} from '@sallyport/ratelimit';
import { KEY, START_MS, WallClock } from './support/dynamo.js';
import { seeded } from './support/load.js';
import { ModelTable } from './support/model-table.js';
import { createLogRecorder } from './support/recorder.js';
import { everyStrategy } from './support/strategies.js';

let table: ModelTable;
let clock: WallClock;
/** The items of all writes since it was emptied: `0` is the first item of a key. */
let written: string[];

beforeEach(() => {
  table = new ModelTable();
  clock = new WallClock();
  written = [];
  table.gate = ({ pk, isWrite }) => {
    if (isWrite) written.push(/#GET#(\d+)$/.exec(pk)?.[1] ?? '0');
  };
});

function limiterOf(strategy: Strategy, options: Partial<DynamoRateLimiterOptions> = {}): DynamoRateLimiter {
  const settings = { strategy, client: table.client, tableName: 't', clock, onStoreError: 'deny' } as const;
  return createDynamoRateLimiter({ ...settings, log: createLogRecorder(), ...options });
}

const countOf = async (strategy: Strategy, options = {}) => (await limiterOf(strategy, options).peek(KEY)).currentCount;

async function consume(limiter: DynamoRateLimiter, requests: number): Promise<number> {
  let admitted = 0;
  for (let request = 0; request < requests; request += 1) if ((await limiter.consume(KEY)).allowed) admitted += 1;
  return admitted;
}

const SHARDS = { shardAbove: 5 };
/** 20 requests a second: four items with 300 each. */
const STRATEGIES = everyStrategy(1200, { shorterMs: 30_000, refillPerSecond: 20 });

describe('a reserve of a key with several items', () => {
  it.each(STRATEGIES)('keeps to one item until that is exhausted: %s', async (_, strategy) => {
    const limiter = limiterOf(strategy, { reserve: 10, ...SHARDS });
    await consume(limiter, 3);
    written = [];
    expect(await consume(limiter, 200)).toBe(200);
    expect(new Set(written).size).toBe(1);
    const [own] = written;
    expect(await consume(limiter, 300)).toBe(300);
    // The first use of another item also writes the first one, once.
    const often = ['0', '1', '2', '3'].filter((item) => written.filter((other) => other === item).length > 2);
    expect(often.length).toBe(2);
    expect(written.at(-1)).not.toBe(own);
  });

  it.each(STRATEGIES)('is used by instances in different items: %s', async (_, strategy) => {
    const used = new Set<string>();
    // An instance selects its item at random: each of four is selected by none of 120 once in 10^14 runs.
    for (let instance = 0; instance < 120; instance += 1) {
      await consume(limiterOf(strategy, { reserve: 10, ...SHARDS }), 1);
      // The first use of another item also writes the first one, before it.
      used.add(written.at(-1) ?? '');
    }
    expect([...used].sort()).toEqual(['0', '1', '2', '3']);
  });

  it.each(STRATEGIES)('is refunded before another item is used: %s', async (_, strategy) => {
    const limiter = limiterOf(strategy, { reserve: 10, ...SHARDS });
    await consume(limiter, 8);
    const own = written.at(-1);
    const held = (await countOf(strategy, SHARDS)) - 8;
    expect(held).toBeGreaterThan(4);
    // The item has room for the units, but not for this request.
    written = [];
    expect(await limiter.consume(KEY, { cost: 299 })).toMatchObject({ allowed: true });
    const moved = written.findIndex((item) => item !== own);
    // The write that denies, then the refund.
    expect(written.slice(0, moved)).toEqual([own, own]);
    expect(await countOf(strategy, SHARDS)).toBeLessThanOrEqual(8 + 299 + 10);
    await limiter.release();
    expect(await countOf(strategy, SHARDS)).toBe(8 + 299);
  });

  it.each(STRATEGIES)('never has more unspent units than stated, for any costs: %s', async (_, strategy) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const random = seeded(seed);
      const key = { ...KEY, identifier: `seed ${seed}` };
      const limiter = limiterOf(strategy, { reserve: 10, ...SHARDS });
      let spent = 0;
      for (let request = 0; request < 60; request += 1) {
        const cost = 1 + Math.floor(random() * 12);
        if ((await limiter.consume(key, { cost })).allowed) spent += cost;
        const { currentCount } = await limiterOf(strategy, SHARDS).peek(key);
        expect([seed, request, currentCount - spent <= 10, currentCount >= spent]).toEqual([seed, request, true, true]);
      }
      await limiter.release();
      expect((await limiterOf(strategy, SHARDS).peek(key)).currentCount).toBe(spent);
    }
  });
});

describe('units of an earlier granule', () => {
  const strategy = slidingWindow({ limit: 300, windowMs: 60_000 });

  it('never add up, although an instance is used in every second granule only', async () => {
    const limiter = limiterOf(strategy, { reserve: 10 });
    for (let visit = 0; visit < 5; visit += 1) {
      await consume(limiter, 8);
      clock.ms += 12_000;
    }
    // All five visits are in one window.
    clock.ms -= 12_000;
    expect(await countOf(strategy)).toBeLessThanOrEqual(40 + 10);
    await limiter.release();
    expect(await countOf(strategy)).toBe(40);
  });

  it('are returned when another limit applies', async () => {
    let limit = 300;
    const limiter = limiterOf(strategy, { reserve: 10, limitFor: () => limit });
    await consume(limiter, 8);
    limit = 290;
    await consume(limiter, 1);
    await limiter.release();
    expect(await countOf(strategy)).toBe(9);
  });

  it('make room for the request of the instance that holds them', async () => {
    const limiter = limiterOf(strategy, { reserve: 10 });
    await consume(limiter, 8);
    expect(await countOf(strategy)).toBe(8 + 8);
    expect(await consume(limiterOf(strategy), 300)).toBe(284);
    clock.ms += 6000;
    expect(await consume(limiter, 12)).toBe(8);
  });

  it('are not returned to an earlier window when the clock was set back', async () => {
    const minute = fixedWindow({ limit: 300, windowMs: 60_000 });
    const limiter = limiterOf(minute, { reserve: 10 });
    clock.ms += 60_000;
    await consume(limiter, 8);
    clock.ms -= 60_000;
    await consume(limiterOf(minute), 50);
    await consume(limiter, 1);
    expect(await countOf(minute)).toBeGreaterThanOrEqual(51);
  });

  it('are not returned to a later fixed window, which never had them', async () => {
    for (const other of [
      fixedWindow({ limit: 100, windowMs: 6000 }),
      multiWindow([
        { limit: 100, windowMs: 3000 },
        { limit: 100, windowMs: 6000 },
      ]),
    ]) {
      const limiter = limiterOf(other, { reserve: 10 });
      await consume(limiter, 8);
      clock.ms += 6000;
      expect(await consume(limiterOf(other), 50)).toBe(50);
      await consume(limiter, 1);
      await limiter.release();
      expect(await countOf(other)).toBe(51);
    }
  });
});

describe('release', () => {
  const strategy = fixedWindow({ limit: 1200, windowMs: 60_000 });

  it('returns the units of all keys, even of evicted keys', async () => {
    const limiter = limiterOf(strategy, { reserve: 10 });
    const keys = Array.from({ length: 1010 }, (_, place) => ({ ...KEY, identifier: `caller ${place}` }));
    for (const key of keys) for (let request = 0; request < 2; request += 1) await limiter.consume(key);
    await limiter.release();
    for (const key of keys) expect(await limiterOf(strategy).peek(key)).toMatchObject({ currentCount: 2 });
  });

  it('waits for a write that is in progress', async () => {
    const limiter = limiterOf(strategy, { reserve: 10 });
    await consume(limiter, 6);
    const pending = Promise.all(Array.from({ length: 20 }, () => limiter.consume(KEY)));
    await limiter.release();
    await pending;
    expect(await countOf(strategy)).toBe(26);
  });

  it('logs a failure, and does not return the units a second time', async () => {
    const log = createLogRecorder();
    const limiter = limiterOf(strategy, { reserve: 10, log });
    await consume(limiter, 8);
    const { gate } = table;
    table.gate = () => {
      throw Object.assign(new Error('busy'), { name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } });
    };
    await limiter.release();
    expect(log.lines.length).toBe(1);
    table.gate = gate;
    const held = await countOf(strategy);
    await limiter.release();
    expect(await countOf(strategy)).toBe(held);
  });
});

describe('a reserve that outlives its function', () => {
  it.each(STRATEGIES)('is not spent by an environment that was frozen for a window: %s', async (_, strategy) => {
    const frozen = limiterOf(strategy, { reserve: 10 });
    await consume(frozen, 8);
    clock.ms += 120_000;
    expect(await consume(limiterOf(strategy), 1300)).toBe(1200);
    // It thaws with units of a window that has ended: they are worth nothing.
    expect(await consume(frozen, 20)).toBe(0);
    await frozen.release();
    expect(await consume(limiterOf(strategy), 50)).toBe(0);
  });

  it.each(STRATEGIES)('counts at most the stated units, until the window ends: %s', async (_, strategy) => {
    let spent = 0;
    for (let killed = 0; killed < 5; killed += 1) spent += await consume(limiterOf(strategy, { reserve: 10 }), 8);
    expect(spent).toBe(40);
    expect(await countOf(strategy)).toBeLessThanOrEqual(40 + 5 * 10);
    clock.ms = START_MS + 120_000;
    expect(await consume(limiterOf(strategy), 1300)).toBe(1200);
  });
});

describe('a store that answers after the deadline', () => {
  it.each(STRATEGIES)('counts its written units, and no request spends them: %s', async (_, strategy) => {
    let answers = () => {};
    let isLate = false;
    const client = {
      async send(...args: Parameters<typeof table.client.send>) {
        const answer = await table.client.send(...args);
        if (!isLate) return answer;
        return new Promise((resolve) => {
          answers = () => resolve(answer);
        });
      },
    };
    const limiter = limiterOf(strategy, { reserve: 10, client: client as never, storeTimeoutMs: 20, coldTimeoutMs: 1 });
    await consume(limiter, 1);
    isLate = true;
    const late = await Promise.all([limiter.consume(KEY), limiter.consume(KEY)]);
    expect(late).toMatchObject([{ degraded: true }, { degraded: true }]);
    isLate = false;
    answers();
    const before = await countOf(strategy);
    // Two requests and at most the reserve were written, and were not admitted.
    expect(before).toBeGreaterThan(1);
    expect(before).toBeLessThanOrEqual(1 + 2 + 10);
    clock.ms += 1000;
    let spent = 0;
    for (let request = 0; request < 30; request += 1) {
      const { allowed, degraded } = await limiter.consume(KEY);
      if (allowed && !degraded) spent += 1;
    }
    expect(spent).toBe(30);
    await limiter.release();
    const refilled = strategy.kind === 'bucket' ? 20 : 0;
    expect(await countOf(strategy)).toBeGreaterThanOrEqual(Math.max(0, before + 30 - refilled));
  });
});
