import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createMemoryRateLimiter, type RateLimitError, tokenBucket } from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS, WallClock } from './support/dynamo.js';
import { createLogRecorder, createRecorder } from './support/recorder.js';

const strategy = tokenBucket({ capacity: 3, refillPerSecond: 1 });
const PK = { pk: { S: 'RL#default:b1000000#custom#caller#/notes#GET' }, sk: { S: '0' } };

describe('a token bucket', () => {
  it.each([
    [3, 3],
    [0.7, 7],
    [333, 50],
    [999_999, 20],
  ])(
    'of %d a second admits exactly %i immediately, and never more than it refills',
    async (refillPerSecond, capacity) => {
      const clock = new WallClock();
      const limiter = createMemoryRateLimiter({ strategy: tokenBucket({ capacity, refillPerSecond }), clock });
      let admitted = 0;
      for (let attempt = 0; attempt < 2 * capacity; attempt += 1) {
        if ((await limiter.consume(KEY)).allowed) admitted += 1;
      }
      expect(admitted).toBe(capacity);
      for (let step = 1; step <= 100; step += 1) {
        clock.ms = START_MS + step * 137;
        if ((await limiter.consume(KEY)).allowed) admitted += 1;
        expect(admitted).toBeLessThanOrEqual(capacity + (refillPerSecond * step * 137) / 1000);
      }
    },
  );

  it('with a capacity that limitFor raises admits more immediately', async () => {
    const limiter = createMemoryRateLimiter({ strategy, clock: new WallClock(), limitFor: () => 5 });
    expect(await limiter.consume(KEY)).toMatchObject({ limit: 5, remaining: 4, windowMs: 5000 });
  });

  it.each([[1_000_001], [Number.MAX_SAFE_INTEGER]])('of a capacity of %i by limitFor is rejected', async (capacity) => {
    const limiter = createMemoryRateLimiter({ strategy, clock: new WallClock(), limitFor: () => capacity });
    await expect(limiter.consume(KEY)).rejects.toMatchObject({ code: 'ratelimit.invalid_config' });
  });
});

describe('a token bucket in a table', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await createBench();
  });

  afterEach(() => bench.client.destroy());

  const put = (tat: number, more: Record<string, AttributeValue> = {}) =>
    bench.client.send(
      new PutItemCommand({ TableName: bench.tableName, Item: { ...PK, tat: { N: String(tat) }, ...more } }),
    );

  it('that a broken clock wrote is replaced by one conditional write, and onError is called', async () => {
    const onError = createRecorder<[RateLimitError, object]>();
    await put((START_MS + 3000 + 1000 + 1) * 1000);
    const log = createLogRecorder();
    const limiter = bench.limiter({ strategy, onError, log });
    expect(await limiter.peek(KEY)).toMatchObject({ allowed: true });
    bench.counter.take();
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 2, source: 'store' });
    expect(bench.counter.take()).toEqual({ UpdateItem: { calls: 2, readUnits: 0, writeUnits: 2 } });
    expect(onError.calls).toEqual([
      [expect.objectContaining({ message: 'framework: token bucket was written by a broken clock' }), KEY],
    ]);
    expect(log.lines.map(([level, message]) => [level, message])).toEqual([
      ['error', 'framework: token bucket was written by a broken clock'],
    ]);
    const { Item } = await bench.client.send(new GetItemCommand({ TableName: bench.tableName, Key: PK }));
    expect(Item?.tat).toEqual({ N: String((START_MS + 1000) * 1000) });
  });

  it.each(
    [1, 2, 3].flatMap((cost) => [
      [cost, -2999, 1],
      [cost, -1000, 2000],
      [cost, 0, 3000],
      [cost, 500, 3000],
    ]),
  )(
    'that a clock broke after its repair is denied until it has filled: cost %i, repaired at %i ms',
    async (cost, at, waitMs) => {
      await put((START_MS + 1_000_000) * 1000, { r: { N: String(START_MS + at) } });
      const limiter = bench.limiter({ strategy, log: createLogRecorder() });
      const denied = { allowed: false, retryAfterMs: waitMs };
      expect(await limiter.consume(KEY, { cost })).toMatchObject(denied);
      expect(await limiter.peek(KEY)).toMatchObject(denied);
    },
  );

  it('that a clock broke after its repair is repaired again when it has filled', async () => {
    await put((START_MS + 1_000_000) * 1000, { r: { N: String(START_MS - 3000) } });
    const limiter = bench.limiter({ strategy, log: createLogRecorder() });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('that was used before its limit was lowered is denied until it has drained, and not taken for broken', async () => {
    let capacity = 3;
    const limiter = bench.limiter({ strategy, limitFor: () => capacity, maxClockSkewMs: 0, log: createLogRecorder() });
    await limiter.consume(KEY, { cost: 3 });
    capacity = 1;
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, limit: 1, remaining: 0, retryAfterMs: 3000 });
  });

  it('that a clock within the allowed skew wrote is respected', async () => {
    await put((START_MS + 3000 + 1000) * 1000);
    expect(await bench.limiter({ strategy }).consume(KEY)).toMatchObject({ allowed: false, retryAfterMs: 2000 });
  });

  it('that others change between all attempts is given up after four writes', async () => {
    let writes = 0;
    const busy = { Item: { tat: { N: String((START_MS + 500) * 1000) } } };
    const idle = { Item: { tat: { N: String(START_MS * 1000) } } };
    const client = {
      send: async () => {
        writes += 1;
        throw Object.assign(
          new Error('refused'),
          { name: 'ConditionalCheckFailedException' },
          writes % 2 ? busy : idle,
        );
      },
    };
    const limiter = bench.limiter({ strategy, client: client as never, log: createLogRecorder() });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, degraded: true });
    expect(writes).toBe(4);
  });

  it('of two instances that create it at the same time counts both', async () => {
    const limiters = [1, 2, 3, 4, 5].map(() => bench.limiter({ strategy }));
    const decisions = await Promise.all(limiters.map((limiter) => limiter.consume(KEY)));
    expect(decisions.filter(({ allowed }) => allowed).length).toBe(3);
    expect(decisions.every(({ degraded }) => !degraded)).toBe(true);
  });
});
