import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { fixedWindow, multiWindow, type Strategy, slidingWindow, tokenBucket } from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const ONE_WRITE = { UpdateItem: { calls: 1, readUnits: 0, writeUnits: 1 } };
const TWO_WRITES = { UpdateItem: { calls: 2, readUnits: 0, writeUnits: 2 } };

const STRATEGIES = [
  ['fixed window', fixedWindow({ limit: 1, windowMs: 3_600_000 })],
  ['sliding window', slidingWindow({ limit: 1, windowMs: 3_600_000, granules: 20 })],
  [
    'four windows',
    multiWindow([
      { limit: 1, windowMs: 1000 },
      { limit: 1, windowMs: 60_000 },
      { limit: 1, windowMs: 600_000 },
      { limit: 1, windowMs: 3_600_000 },
    ]),
  ],
  ['token bucket', tokenBucket({ capacity: 1, refillPerSecond: 0.01 })],
] as const;

describe('the cost of a decision', () => {
  it.each(STRATEGIES)(
    '%s: one write allowed, one denied, none denied again, one read to peek, one write to reset',
    async (name, strategy) => {
      const limiter = bench.limiter({ strategy });
      expect((await limiter.consume(KEY)).allowed).toBe(true);
      expect(bench.counter.take()).toEqual(ONE_WRITE);
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'store' });
      expect(bench.counter.take()).toEqual(ONE_WRITE);
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'local' });
      expect(bench.counter.take()).toEqual({});
      await limiter.peek(KEY);
      expect(bench.counter.take()).toEqual({ GetItem: { calls: 1, readUnits: 1, writeUnits: 0 } });
      await limiter.reset(KEY);
      expect(bench.counter.take()).toEqual({ DeleteItem: { calls: 1, readUnits: 0, writeUnits: 1 } });
      expect((await limiter.consume(KEY)).allowed).toBe(true);
      expect(bench.counter.take()).toEqual(name === 'token bucket' ? TWO_WRITES : ONE_WRITE);
    },
  );

  it('a limit of 0 and one below the cost cost nothing', async () => {
    await bench.limiter({ strategy: fixedWindow({ limit: 0, windowMs: 1000 }) }).consume(KEY);
    await bench.limiter({ strategy: tokenBucket({ capacity: 2, refillPerSecond: 1 }) }).consume(KEY, { cost: 3 });
    expect(bench.counter.take()).toEqual({});
  });

  it('a bucket that another instance uses costs a second write', async () => {
    const strategy = tokenBucket({ capacity: 5, refillPerSecond: 1 });
    await bench.limiter({ strategy }).consume(KEY);
    bench.counter.take();
    const other = bench.limiter({ strategy });
    expect(await other.consume(KEY)).toMatchObject({ allowed: true, remaining: 3 });
    expect(bench.counter.take()).toEqual(TWO_WRITES);
    expect(await other.consume(KEY)).toMatchObject({ allowed: true, remaining: 2 });
    expect(bench.counter.take()).toEqual(ONE_WRITE);
    bench.clock.ms += 60_000;
    expect(await other.consume(KEY)).toMatchObject({ allowed: true, remaining: 4 });
    expect(bench.counter.take()).toEqual(ONE_WRITE);
  });

  it.each([2, 10, 15, 16, 20])(
    'a key with %i granules that pauses is cleared at most at every third request',
    async (granules) => {
      const strategy = slidingWindow({ limit: 9, windowMs: granules * 1000, granules });
      const calls: number[] = [];
      for (let request = 0; request < 40; request += 1) {
        bench.clock.ms = START_MS + request * 100_000;
        // Another instance each time.
        await bench.limiter({ strategy }).consume(KEY);
        calls.push(bench.counter.take().UpdateItem?.calls ?? 0);
      }
      const cleared = calls.flatMap((count, request) => (count > 1 ? [request] : []));
      expect(Math.max(...calls)).toBe(2);
      expect(cleared.length).toBeGreaterThan(0);
      expect(cleared.every((request, index) => request - (cleared[index - 1] ?? -3) >= 3)).toBe(true);
      const { Items = [] } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
      expect(JSON.stringify(Items[0]).length).toBeLessThan(2048);
    },
  );

  it('a key that pauses and is returned to the same instance needs no clearing', async () => {
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 9, windowMs: 10_000 }) });
    for (let request = 0; request < 40; request += 1) {
      bench.clock.ms = START_MS + request * 100_000;
      await limiter.consume(KEY);
      expect(bench.counter.take()).toEqual(ONE_WRITE);
    }
  });

  it('a key in steady use needs no clearing and remains small', async () => {
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 900, windowMs: 10_000 }) });
    for (let request = 0; request < 60; request += 1) {
      bench.clock.ms += 700;
      await limiter.consume(KEY);
    }
    expect(bench.counter.take()).toEqual({ UpdateItem: { calls: 60, readUnits: 0, writeUnits: 60 } });
    const { Items = [] } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
    // 11 current counters, 10 for a write that is late by `storeTimeoutMs`, one about to be removed; pk, sk, w and ttl.
    expect(Object.keys(Items[0] ?? {}).length).toBeLessThanOrEqual(26);
  });

  it.each<[string, Strategy]>([
    ['ten granules of 100 ms', slidingWindow({ limit: 1_000_000, windowMs: 1000 })],
    ['ten granules of 6 s', slidingWindow({ limit: 1_000_000, windowMs: 60_000 })],
    ['twenty granules of a second', slidingWindow({ limit: 1_000_000, windowMs: 20_000, granules: 20 })],
    [
      'four windows, the shortest of 100 ms',
      multiWindow([100, 1000, 10_000, 100_000].map((windowMs) => ({ limit: 1_000_000, windowMs }))),
    ],
  ])(
    'items remain within one unit, in dense and in sparse use, by one instance and by a fleet: %s',
    async (_, strategy) => {
      const key = {
        ...KEY,
        kind: 'auth',
        caller: '["external","ada@example.com","tenant-0001"]',
        resource: '/users/{id}/notes',
      };
      const fresh = () => bench.limiter({ strategy, storeTimeoutMs: 3000 });
      const fleet = Array.from({ length: 8 }, fresh);
      for (const gapMs of [37, 400, 25_000]) {
        for (let request = 0; request < 30; request += 1) {
          bench.clock.ms += gapMs;
          // Some instances are used again, others only once.
          const limiter = request % 3 === 0 ? fresh() : fleet[request % fleet.length];
          await limiter?.consume(key);
        }
      }
      const { calls = 0, writeUnits = 0 } = bench.counter.take().UpdateItem ?? {};
      expect(writeUnits).toBe(calls);
      expect(calls).toBeLessThanOrEqual(90 + 15);
    },
  );

  it('as many buckets as one write can clear are still one write of one unit', async () => {
    const strategy = multiWindow([1000, 2000, 4000, 3_600_000].map((windowMs) => ({ limit: 9, windowMs })));
    bench.clock.ms += 3_000_000;
    expect(await bench.limiter({ strategy }).consume(KEY)).toMatchObject({ allowed: true, degraded: false });
    expect(bench.counter.take()).toEqual(ONE_WRITE);
  });

  it.each<[string, readonly number[], number]>([
    ['250 ms within 15 min', [250, 900_000], 16_500],
    ['100 ms within 6 min', [100, 360_000], 6600],
    ['four windows, 100 ms to 6 min', [100, 200, 400, 360_000], 26_000],
  ])('several windows, %s, remain within one unit when requests are far apart', async (_, lengths, gapMs) => {
    const strategy = multiWindow(lengths.map((windowMs) => ({ limit: 1000, windowMs })));
    const limiter = bench.limiter({ strategy });
    const requests = 50;
    for (let request = 0; request < requests; request += 1) {
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: false });
      bench.clock.ms += gapMs;
    }
    const { calls = 0, writeUnits = 0 } = bench.counter.take().UpdateItem ?? {};
    expect(writeUnits).toBe(calls);
    expect(calls).toBeLessThanOrEqual(requests * 1.1);
  });

  it('the buckets of shorter windows are cleared on the way', async () => {
    const strategy = multiWindow([
      { limit: 9, windowMs: 1000 },
      { limit: 900, windowMs: 3_600_000 },
    ]);
    const limiter = bench.limiter({ strategy });
    for (let request = 0; request < 30; request += 1) {
      await limiter.consume(KEY);
      bench.clock.ms += 1000;
    }
    const { Items = [] } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
    const buckets = [...'jklmnopqrst'].map((bucket) => `w1_${bucket}`);
    expect(Object.keys(Items[0] ?? {}).sort()).toEqual(['k', 'n', 'pk', 'sk', 'ttl', 'w', ...buckets]);
    expect(bench.counter.of('UpdateItem')).toEqual({ calls: 30, readUnits: 0, writeUnits: 30 });
  });
});

describe('the items in the table', () => {
  const cases = [
    [
      fixedWindow({ limit: 5, windowMs: 60_000 }),
      {
        pk: { S: 'RL#default:f60000#custom#caller#/notes#GET' },
        sk: { S: '1699999200000' },
        n: { N: '1' },
        k: { N: '1' },
        ttl: { N: '1700002860' },
      },
    ],
    [
      slidingWindow({ limit: 5, windowMs: 60_000, granules: 2 }),
      {
        pk: { S: 'RL#default:s60000x2#custom#caller#/notes#GET' },
        sk: { S: '0' },
        sxqk9a: { N: '1' },
        sxqk9b: { N: '1' },
        sxqk9c: { N: '1' },
        k: { N: '1' },
        ttl: { N: '1700002890' },
      },
    ],
    [
      multiWindow([
        { limit: 5, windowMs: 60_000 },
        { limit: 9, windowMs: 3_600_000 },
      ]),
      {
        pk: { S: 'RL#default:m3600000-60000#custom#caller#/notes#GET' },
        sk: { S: '1699999200000' },
        n: { N: '1' },
        w1_0: { N: '1' },
        k: { N: '1' },
        ttl: { N: '1700006400' },
      },
    ],
    [
      tokenBucket({ capacity: 5, refillPerSecond: 2 }),
      {
        pk: { S: 'RL#default:b500000#custom#caller#/notes#GET' },
        sk: { S: '0' },
        tat: { N: '1699999200500000' },
        k: { N: '1' },
        ttl: { N: '1700002803' },
      },
    ],
  ] as const;

  it.each(cases)('%#: are written as documented', async (strategy, item) => {
    await bench.limiter({ strategy }).consume(KEY);
    const { Items } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
    expect(Items).toEqual([{ ...item, w: { S: expect.stringMatching(/^[0-9a-f]{16}$/) } }]);
  });

  it('a counter that is named like a reserved word of DynamoDB is counted', async () => {
    bench.clock.ms = Number.parseInt('ection', 36) * 2000;
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 5, windowMs: 20_000 }) });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: false });
    const { Items = [] } = await bench.client.send(new ScanCommand({ TableName: bench.tableName }));
    expect(Items[0]?.section).toEqual({ N: '1' });
  });

  it('an expired row that was not deleted yet does not count, with any contents', async () => {
    const keys = { pk: { S: 'RL#default:s10000x10#custom#caller#/notes#GET' }, sk: { S: '0' } };
    const expired = { ...keys, s1: { N: '99' }, ttl: { N: '1600000000' } };
    await bench.client.send(new PutItemCommand({ TableName: bench.tableName, Item: expired }));
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 1, windowMs: 10_000 }) });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, currentCount: 1 });
    const { Item } = await bench.client.send(new GetItemCommand({ TableName: bench.tableName, Key: keys }));
    expect(Item?.ttl).toEqual({ N: '1700002811' });
  });
});
