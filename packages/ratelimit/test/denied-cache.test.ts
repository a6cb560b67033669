import { fixedWindow, multiWindow, type RateLimitKey, slidingWindow } from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';

const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const calls = () => bench.counter.take().UpdateItem?.calls ?? 0;

describe('a caller who is known to be denied', () => {
  it('is denied without a call, with the time that is left now', async () => {
    const limiter = bench.limiter({ strategy });
    await limiter.consume(KEY, { cost: 2 });
    const denied = await limiter.consume(KEY);
    expect(denied).toMatchObject({ source: 'store', retryAfterMs: 60_000 });
    calls();
    bench.clock.ms += 9999;
    expect(await limiter.consume(KEY)).toEqual({ ...denied, source: 'local', retryAfterMs: 50_001 });
    expect(calls()).toBe(0);
  });

  it('is read again after ten seconds, at the end of the window, and if the clock was set back', async () => {
    for (const [denyAt, askAt] of [
      [0, 10_000],
      [59_000, 60_000],
      [30_000, 29_999],
    ] as const) {
      const limiter = bench.limiter({ strategy });
      const key: RateLimitKey = { ...KEY, identifier: `asked at ${askAt}` };
      bench.clock.ms = START_MS + denyAt;
      await limiter.consume(key, { cost: 2 });
      await limiter.consume(key);
      calls();
      bench.clock.ms = START_MS + askAt;
      await limiter.consume(key);
      expect(calls()).toBe(1);
    }
  });

  it('is not cached for a smaller cost', async () => {
    const limiter = bench.limiter({ strategy });
    await limiter.consume(KEY);
    expect(await limiter.consume(KEY, { cost: 2 })).toMatchObject({ allowed: false, source: 'store' });
    expect(await limiter.consume(KEY, { cost: 2 })).toMatchObject({ allowed: false, source: 'local' });
    expect(await limiter.consume(KEY, { cost: 1 })).toMatchObject({ allowed: true, source: 'store' });
  });

  it('gets the waiting time for its own cost, not that of a cheaper request', async () => {
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 10, windowMs: 10_000, granules: 10 }) });
    await limiter.consume(KEY, { cost: 1 });
    bench.clock.ms += 5000;
    await limiter.consume(KEY, { cost: 9 });
    expect(await limiter.consume(KEY, { cost: 1 })).toMatchObject({ allowed: false, retryAfterMs: 6000 });
    expect(await limiter.consume(KEY, { cost: 8 })).toMatchObject({ allowed: false, retryAfterMs: 11_000 });
    expect(await limiter.consume(KEY, { cost: 8 })).toMatchObject({ source: 'local', retryAfterMs: 11_000 });
  });

  it('is admitted immediately if the limit is raised here, and within ten seconds if raised elsewhere', async () => {
    let limit = 1;
    const limiter = bench.limiter({ strategy, limitFor: () => limit });
    await limiter.consume(KEY);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'store' });
    limit = 3;
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, limit: 3, currentCount: 2 });

    const other = bench.limiter({ strategy });
    await other.consume(KEY);
    expect(await other.consume(KEY)).toMatchObject({ allowed: false });
    await limiter.reset(KEY);
    expect(await other.consume(KEY)).toMatchObject({ allowed: false, source: 'local' });
    bench.clock.ms += 10_000;
    expect(await other.consume(KEY)).toMatchObject({ allowed: true });
  });

  it('is admitted immediately after a reset here', async () => {
    const limiter = bench.limiter({ strategy });
    await limiter.consume(KEY, { cost: 2 });
    await limiter.consume(KEY);
    await limiter.reset(KEY);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, source: 'store', currentCount: 1 });
  });

  it('waits for the window that frees last', async () => {
    const limiter = bench.limiter({
      strategy: multiWindow([
        { limit: 1, windowMs: 1000 },
        { limit: 1, windowMs: 4000 },
      ]),
    });
    await limiter.consume(KEY);
    expect(await limiter.consume(KEY)).toMatchObject({ retryAfterMs: 4000, name: 'default-4s' });
    bench.clock.ms += 1500;
    expect(await limiter.consume(KEY)).toMatchObject({ source: 'local', retryAfterMs: 2500 });
  });

  it('is forgotten when too many others are denied', async () => {
    const limiter = bench.limiter({
      strategy: slidingWindow({ limit: 1, windowMs: 60_000 }),
      deniedCache: { maxKeys: 2 },
    });
    const keys = ['a', 'b', 'c'].map((identifier) => ({ ...KEY, identifier }));
    for (const key of keys) {
      await limiter.consume(key);
      await limiter.consume(key);
    }
    const again = [];
    for (const key of [...keys].reverse()) again.push((await limiter.consume(key)).source);
    expect(again).toEqual(['local', 'local', 'store']);
  });

  it('is requested each time when there is no cache', async () => {
    const limiter = bench.limiter({ strategy, deniedCache: false });
    await limiter.consume(KEY, { cost: 2 });
    for (const _ of [1, 2]) expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'store' });
  });
});
