import { dynamodbEndpoint, type FaultProxy, startFaultProxy } from '@sallyport/dynamodb-local';
import {
  createMemoryRateLimiter,
  fixedWindow,
  type LimitDecision,
  type RateLimiter,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { createFakeRateLimiter } from '@sallyport/ratelimit/testing';
import { type Bench, createBench, KEY, WallClock } from './support/dynamo.js';
import { createLogRecorder } from './support/recorder.js';
import { everyStrategy } from './support/strategies.js';

let proxy: FaultProxy;
let bench: Bench;

beforeAll(async () => {
  proxy = await startFaultProxy(await dynamodbEndpoint());
});

beforeEach(async () => {
  bench = await createBench(proxy.endpoint);
  proxy.clear();
});

afterEach(() => bench.client.destroy());
afterAll(() => proxy.stop());

const STRATEGIES = everyStrategy(10, { refillPerSecond: 0.1 });

const LIMITERS = (strategy: Strategy): [string, RateLimiter][] => [
  ['in memory', createMemoryRateLimiter({ strategy, clock: bench.clock })],
  ['in a table', bench.limiter({ strategy })],
  ['spread over several items', bench.limiter({ strategy, shardAbove: 1_000_000 })],
];

describe('a refund', () => {
  it.each(STRATEGIES)('returns a part, and then the rest: %s', async (_, strategy) => {
    for (const [, limiter] of LIMITERS(strategy)) {
      const decision = await limiter.consume(KEY, { cost: 8 });
      expect(await limiter.consume(KEY, { cost: 8 })).toMatchObject({ allowed: false, remaining: 2 });
      await limiter.refund(decision, { units: 5 });
      expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 3, remaining: 7 });
      await limiter.refund(decision);
      expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 0, remaining: 10 });
      expect(await limiter.consume(KEY, { cost: 10 })).toMatchObject({ allowed: true });
      await limiter.reset(KEY);
    }
  });

  it.each(STRATEGIES)('costs one write: %s', async (_, strategy) => {
    const limiter = bench.limiter({ strategy });
    const decision = await limiter.consume(KEY, { cost: 8 });
    bench.counter.take();
    await limiter.refund(decision);
    expect(bench.counter.take()).toEqual({ UpdateItem: { calls: 1, readUnits: 0, writeUnits: 1 } });
  });

  it.each(STRATEGIES)('is rejected a second time, and when it is more than was counted: %s', async (_, strategy) => {
    for (const [, limiter] of LIMITERS(strategy)) {
      const decision = await limiter.consume(KEY, { cost: 4 });
      const refused = { code: 'ratelimit.invalid_input' };
      for (const units of [5, 0, -1, 1.5, Number.NaN, '1' as unknown as number]) {
        await expect(limiter.refund(decision, { units })).rejects.toMatchObject(refused);
      }
      await limiter.refund(decision, { units: 4 });
      await expect(limiter.refund(decision)).rejects.toMatchObject(refused);
      await expect(limiter.refund(decision, { units: 1 })).rejects.toMatchObject(refused);
      expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 0 });
      await limiter.reset(KEY);
    }
  });

  it('is rejected for a decision of another limiter, a denied one, and a value that is not a decision', async () => {
    const strategy = fixedWindow({ limit: 1, windowMs: 60_000 });
    for (const [, limiter] of LIMITERS(strategy)) {
      const allowed = await limiter.consume(KEY);
      const denied = await limiter.consume(KEY);
      const other = await createMemoryRateLimiter({ strategy, clock: bench.clock }).consume(KEY);
      for (const decision of [denied, other, { ...allowed }, await limiter.peek(KEY), null, {}]) {
        await expect(limiter.refund(decision as LimitDecision)).rejects.toMatchObject({
          code: 'ratelimit.invalid_input',
        });
      }
      await limiter.reset(KEY);
    }
  });

  it.each(STRATEGIES)('does not return units that no longer count: %s', async (_, strategy) => {
    for (const [, limiter] of LIMITERS(strategy)) {
      const decision = await limiter.consume(KEY, { cost: 8 });
      bench.clock.ms += 600_000;
      await limiter.consume(KEY, { cost: 3 });
      if (strategy.kind !== 'bucket') {
        await limiter.refund(decision);
        expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 3 });
      }
      await limiter.reset(KEY);
    }
  });

  it('fills a bucket up to its capacity and not beyond', async () => {
    for (const [, limiter] of LIMITERS(tokenBucket({ capacity: 10, refillPerSecond: 1 }))) {
      const decision = await limiter.consume(KEY, { cost: 8 });
      bench.clock.ms += 5000;
      await limiter.refund(decision);
      expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 0, remaining: 10 });
      expect(await limiter.consume(KEY, { cost: 10 })).toMatchObject({ allowed: true });
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false });
      bench.clock.ms += 100_000;
    }
  });

  it.each(STRATEGIES)('returns nothing after a reset: %s', async (_, strategy) => {
    for (const [, limiter] of LIMITERS(strategy)) {
      const decision = await limiter.consume(KEY, { cost: 8 });
      await limiter.reset(KEY);
      await limiter.refund(decision);
      expect(await limiter.consume(KEY, { cost: 10 })).toMatchObject({ allowed: true });
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false });
      await limiter.reset(KEY);
    }
  });

  it('allows a denied caller to try again immediately', async () => {
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 1, windowMs: 60_000 }) });
    const decision = await limiter.consume(KEY);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false });
    await limiter.refund(decision);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true });
  });

  it('with a lost response is not sent again: no unit is returned twice', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 10, windowMs: 60_000 }) });
    const decisions = [await limiter.consume(KEY, { cost: 4 }), await limiter.consume(KEY, { cost: 4 })];
    proxy.inject({ kind: 'lost-answer' }, { times: 1 });
    await expect(limiter.refund(decisions[0] as LimitDecision)).rejects.toMatchObject({
      code: 'ratelimit.store_unavailable',
    });
    expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 4 });
  });

  it('of a decision without the store returns nothing', async () => {
    proxy.inject({ kind: 'reset' });
    const limiter = bench.limiter({
      strategy: fixedWindow({ limit: 10, windowMs: 60_000 }),
      onStoreError: 'allow',
      log: createLogRecorder(),
    });
    const decision = await limiter.consume(KEY);
    expect(decision.degraded).toBe(true);
    await limiter.refund(decision);
  });

  it('reaches the limiter that decided in the place of the store', async () => {
    const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });
    const local = createMemoryRateLimiter({ strategy, clock: bench.clock });
    proxy.inject({ kind: 'reset' });
    const limiter = bench.limiter({ strategy, onStoreError: local, log: createLogRecorder() });
    const decision = await limiter.consume(KEY, { cost: 2 });
    await limiter.refund(decision, { units: 1 });
    expect(await local.peek(KEY)).toMatchObject({ currentCount: 1 });
  });

  it('exists in the fake too, and fails while its store is down', async () => {
    const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });
    const fake = createFakeRateLimiter({ strategy, clock: new WallClock() });
    const decision = await fake.consume(KEY);
    fake.goDown();
    await expect(fake.refund(decision)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable' });
    await fake.refund(await fake.consume(KEY)).catch(() => {});
    fake.comeBack();
    await fake.refund(decision);
    expect(await fake.peek(KEY)).toMatchObject({ currentCount: 0 });
  });
});
