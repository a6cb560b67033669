import { fixedWindow, slidingWindow, tokenBucket } from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';
import { createLogRecorder } from './support/recorder.js';
import { everyStrategy } from './support/strategies.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const STRATEGIES = everyStrategy(100, { shorterMs: 10_000 });

const writes = () => bench.counter.take().UpdateItem?.calls ?? 0;

describe('a reserve', () => {
  it.each(STRATEGIES)('is spent without a call, and counts only what was spent: %s', async (_, strategy) => {
    const limiter = bench.limiter({ strategy, reserve: 10 });
    const seen: unknown[] = [];
    for (let request = 1; request <= 16; request += 1) {
      const { allowed, source, currentCount, remaining } = await limiter.consume(KEY);
      seen.push([allowed, source, currentCount, remaining, writes()]);
    }
    const row = (count: number, wrote: number) => [true, wrote > 0 ? 'store' : 'local', count, 100 - count, wrote];
    // The first write reserves no additional units, the second three times its cost, the third the whole reserve.
    const writers = [1, 2, 6];
    expect(seen).toEqual(Array.from({ length: 16 }, (_, place) => row(place + 1, writers.includes(place + 1) ? 1 : 0)));
  });

  it.each(STRATEGIES)('never admits more than the limit, and all of it to one instance: %s', async (_, strategy) => {
    const limiter = bench.limiter({ strategy, reserve: 10 });
    let admitted = 0;
    for (let request = 0; request < 130; request += 1) {
      if ((await limiter.consume(KEY)).allowed) admitted += 1;
    }
    expect(admitted).toBe(100);
    expect(writes()).toBeLessThanOrEqual(30);
  });

  it.each(STRATEGIES)('never admits more than the limit to eight instances: %s', async (_, strategy) => {
    const fleet = Array.from({ length: 8 }, () => bench.limiter({ strategy, reserve: 10 }));
    const decisions = await Promise.all(
      fleet.flatMap((limiter) => Array.from({ length: 20 }, () => limiter.consume(KEY))),
    );
    let admitted = decisions.filter(({ allowed }) => allowed).length;
    expect(admitted).toBeLessThanOrEqual(100);
    // Each may hold ten that it did not need.
    expect(admitted).toBeGreaterThanOrEqual(20);
    expect(decisions.every(({ degraded }) => !degraded)).toBe(true);
    for (const limiter of fleet) await limiter.release();
    const other = bench.limiter({ strategy });
    while ((await other.consume(KEY)).allowed) admitted += 1;
    expect(admitted).toBe(100);
  });

  it('reserves the units of all waiting requests with one write', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 1000, windowMs: 60_000 }), reserve: 10 });
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume(KEY)));
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    expect(writes()).toBe(1);
  });

  it('of an instance that receives a key once reserves only the needed units', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 100, windowMs: 60_000 }), reserve: 10 });
    await limiter.consume(KEY, { cost: 3 });
    expect(await bench.limiter({ strategy: limiter.strategy }).peek(KEY)).toMatchObject({ currentCount: 3 });
  });

  it('ends with the window for which it was taken', async () => {
    for (const [, strategy] of STRATEGIES.slice(0, 3)) {
      const limiter = bench.limiter({ strategy, reserve: 10 });
      for (let request = 0; request < 6; request += 1) await limiter.consume(KEY);
      writes();
      bench.clock.ms += 66_000;
      expect(await limiter.consume(KEY)).toMatchObject({ source: 'store' });
      expect(writes()).toBe(1);
      bench.clock.ms -= 66_000;
      // A clock that was set back finds no units of a later time either.
      expect(await limiter.consume(KEY)).toMatchObject({ source: 'store' });
      await limiter.reset(KEY);
      bench.clock.ms = START_MS;
    }
  });

  it('of a sliding window is given back with the next write when its granule has passed', async () => {
    const strategy = slidingWindow({ limit: 100, windowMs: 60_000 });
    const limiter = bench.limiter({ strategy, reserve: 10 });
    for (let request = 0; request < 6; request += 1) await limiter.consume(KEY);
    const other = bench.limiter({ strategy });
    // Six were spent, ten more are held.
    expect(await other.peek(KEY)).toMatchObject({ currentCount: 16 });
    bench.clock.ms += 6000;
    writes();
    await limiter.consume(KEY);
    expect(writes()).toBe(1);
    // Ten were given back; one was spent and ten more were taken.
    expect(await other.peek(KEY)).toMatchObject({ currentCount: 17 });
  });

  it.each(STRATEGIES)('is given back by release: %s', async (_, strategy) => {
    const limiter = bench.limiter({ strategy, reserve: 10 });
    for (let request = 0; request < 6; request += 1) await limiter.consume(KEY);
    await limiter.release();
    expect(await bench.limiter({ strategy }).peek(KEY)).toMatchObject({ currentCount: 6 });
    writes();
    await limiter.release();
    expect(writes()).toBe(0);
  });

  it('a reset by another instance returns no discarded units', async () => {
    const strategy = slidingWindow({ limit: 100, windowMs: 60_000 });
    const limiter = bench.limiter({ strategy, reserve: 10 });
    for (let request = 0; request < 6; request += 1) await limiter.consume(KEY);
    await bench.limiter({ strategy }).reset(KEY);
    bench.clock.ms += 6000;
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, currentCount: 1 });
    await limiter.release();
    expect(await bench.limiter({ strategy }).peek(KEY)).toMatchObject({ currentCount: 1 });
  });

  it('is not spent under another limit', async () => {
    let limit = 100;
    const strategy = fixedWindow({ limit: 100, windowMs: 60_000 });
    const limiter = bench.limiter({ strategy, reserve: 10, limitFor: () => limit });
    for (let request = 0; request < 6; request += 1) await limiter.consume(KEY);
    limit = 8;
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, source: 'store', limit: 8 });
  });

  it('larger than the limit is rejected; a key with a lower limit accepts less', async () => {
    const strategy = fixedWindow({ limit: 9, windowMs: 60_000 });
    expect(() => bench.limiter({ strategy, reserve: 10 })).toThrow(
      expect.failure('ratelimit.invalid_config', 'option "reserve"'),
    );
    for (const reserve of [-1, 1.5, 10_001, '1' as unknown as number]) {
      expect(() => bench.limiter({ strategy, reserve })).toThrow(
        expect.objectContaining({ code: 'ratelimit.invalid_config' }),
      );
    }
    const limiter = bench.limiter({ strategy, reserve: 9, limitFor: () => 3 });
    const allowed = [];
    for (let request = 0; request < 5; request += 1) allowed.push((await limiter.consume(KEY)).allowed);
    expect(allowed).toEqual([true, true, true, false, false]);
  });

  it('fails for waiting requests if its write fails, and is retried soon', async () => {
    let fails = true;
    let sent = 0;
    const send = (...args: Parameters<typeof bench.client.send>) => {
      sent += 1;
      return fails
        ? Promise.reject(Object.assign(new Error('busy'), { name: 'ThrottlingException' }))
        : bench.client.send(...args);
    };
    const limiter = bench.limiter({
      strategy: fixedWindow({ limit: 100, windowMs: 60_000 }),
      reserve: 10,
      client: { send } as never,
      log: createLogRecorder(),
    });
    const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.consume(KEY)));
    expect(decisions.every(({ degraded }) => degraded)).toBe(true);
    expect(sent).toBe(1);
    fails = false;
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: false });
  });

  it('of a bucket is as large after an idle hour as before', async () => {
    const strategy = tokenBucket({ capacity: 1000, refillPerSecond: 10 });
    const limiter = bench.limiter({ strategy, reserve: 50 });
    const counts: number[] = [];
    for (const _ of ['first', 'an hour later']) {
      writes();
      for (let request = 0; request < 100; request += 1) {
        bench.clock.ms += 10;
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true });
      }
      counts.push(writes());
      bench.clock.ms += 3_600_000;
    }
    expect(counts[0]).toBeLessThan(20);
    expect(counts[1]).toBeLessThan(20);
  });

  it('is not spent by a caller who gives up while it waits', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 100, windowMs: 60_000 }), reserve: 10 });
    const caller = new AbortController();
    const first = limiter.consume(KEY);
    const second = limiter.consume(KEY, { signal: caller.signal });
    caller.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(await first).toMatchObject({ allowed: true });
    await limiter.release();
    expect(await limiter.peek(KEY)).toMatchObject({ currentCount: 1 });
  });

  it('is written by one caller who may give up without the others', async () => {
    const limiter = bench.limiter({ strategy: fixedWindow({ limit: 100, windowMs: 60_000 }), reserve: 10 });
    const caller = new AbortController();
    const first = limiter.consume(KEY, { signal: caller.signal });
    const second = limiter.consume(KEY);
    caller.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await second).toMatchObject({ allowed: true, degraded: false });
  });
});
