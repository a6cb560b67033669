import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { fixedWindow, multiWindow, type Strategy, slidingWindow, tokenBucket } from '@sallyport/ratelimit';
import { rateLimitItemKey } from '@sallyport/ratelimit/testing';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

/** Each allows 40 requests a second: over four items at ten each. */
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ['fixed window', fixedWindow({ limit: 42, windowMs: 1000 })],
  ['sliding window', slidingWindow({ limit: 42, windowMs: 1000 })],
  [
    'several windows',
    multiWindow([
      { limit: 60, windowMs: 1000 },
      { limit: 42, windowMs: 2000 },
    ]),
  ],
  ['token bucket', tokenBucket({ capacity: 42, refillPerSecond: 40 })],
];

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function itemsOf(): Promise<string[]> {
  const { Items = [] } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
  return Items.map(({ pk }) => pk?.S ?? '').sort();
}

describe('a key above the stated rate', () => {
  it.each(STRATEGIES)('is spread over several items, whose limits add up to its limit: %s', async (_, strategy) => {
    const limiter = bench.limiter({ strategy, shardAbove: 10 });
    let admitted = 0;
    for (let request = 0; request < 120; request += 1) {
      if ((await limiter.consume(KEY)).allowed) admitted += 1;
    }
    expect(admitted).toBe(42);
    const { pk } = rateLimitItemKey(strategy, KEY, new Date(START_MS));
    const items = await itemsOf();
    expect(items[0]).toBe(pk);
    expect(items.length).toBeGreaterThanOrEqual(3);
    expect(items[1]).toBe(rateLimitItemKey(strategy, KEY, new Date(START_MS), 1).pk);
    expect(await limiter.peek(KEY)).toMatchObject({ allowed: false, limit: 42, currentCount: 42, remaining: 0 });
    await limiter.reset(KEY);
    expect(await itemsOf()).toEqual([]);
    expect(await limiter.peek(KEY)).toMatchObject({ allowed: true, currentCount: 0, remaining: 42 });
  });

  it('costs one write a decision, one more for an exhausted item, and two for the first use of an item', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 42, windowMs: 1000 }), shardAbove: 10 });
    const costs: number[] = [];
    for (let request = 0; request < 60; request += 1) {
      await limiter.consume(KEY);
      const { UpdateItem, GetItem } = bench.counter.take();
      expect(GetItem).toBeUndefined();
      costs.push(UpdateItem?.calls ?? 0);
    }
    // Each of the five items denies once, and four of them are used for the first time.
    expect(sum(costs)).toBeLessThanOrEqual(42 + 5 + 4 * 2);
    await limiter.consume(KEY);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'local' });
    expect(bench.counter.take()).toEqual({});
  });

  it('passes the whole key to limits', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 42, windowMs: 1000 }), shardAbove: 10 });
    expect(await limiter.consume(KEY)).toMatchObject({ limit: 42, windowMs: 1000, windows: [{ limit: 42 }] });
  });

  it('is forgotten by a reset in all items, even if they were last used half an hour ago', async () => {
    const strategy = fixedWindow({ limit: 432_000, windowMs: 86_400_000 });
    const limiter = bench.limiter({ strategy, shardAbove: 1, deniedCache: false });
    for (let request = 0; request < 3; request += 1) await limiter.consume(KEY, { cost: 80_000 });
    expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 240_000 });
    bench.clock.ms += 1_860_000;
    await limiter.reset(KEY);
    expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 0 });
  });

  it('denies without a call a cost above the limit of one item', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 40, windowMs: 1000 }), shardAbove: 10 });
    expect(await limiter.consume(KEY, { cost: 11 })).toMatchObject({ allowed: false, source: 'local', limit: 40 });
    expect(bench.counter.take()).toEqual({});
  });

  it('works together with a reserve', async () => {
    const strategy = fixedWindow({ limit: 400, windowMs: 10_000 });
    const fleet = [1, 2, 3].map(() => bench.limiter({ strategy, shardAbove: 10, reserve: 10 }));
    let admitted = 0;
    for (let request = 0; request < 600; request += 1) {
      if ((await fleet[request % 3]?.consume(KEY))?.allowed) admitted += 1;
    }
    expect(admitted).toBeLessThanOrEqual(400);
    expect(admitted).toBeGreaterThanOrEqual(360);
    expect(bench.counter.of('UpdateItem').calls).toBeLessThanOrEqual(150);
  });

  it('is one item below that rate, and at most a hundred', async () => {
    await bench.limiter({ strategy: fixedWindow({ limit: 10, windowMs: 1000 }), shardAbove: 10 }).consume(KEY);
    expect((await itemsOf()).length).toBe(1);
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 1_000_000, windowMs: 1000 }), shardAbove: 1 });
    await limiter.peek({ ...KEY, identifier: 'other' });
    expect(bench.counter.of('GetItem').calls).toBe(100);
  });

  it.each([0, -1, 1.5, 1_000_001, '500'])('rejects the rate %p', (shardAbove) => {
    const strategy = fixedWindow({ limit: 10, windowMs: 1000 });
    expect(() => bench.limiter({ strategy, shardAbove: shardAbove as number })).toThrow(
      expect.objectContaining({ code: 'ratelimit.invalid_config' }),
    );
  });
});
