import {
  fixedWindow,
  multiWindow,
  type RateLimiter,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS, WallClock } from './support/dynamo.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const SKEWS = [-5000, 0, 5000];

interface Admission {
  /** By the clock of the instance that decided. */
  readonly stamp: number;
  /** By a clock that is right. */
  readonly at: number;
}

/** Admissions of three instances with different clocks while time passes. */
async function admissionsOf(strategy: Strategy, maxClockSkewMs: number): Promise<Admission[]> {
  const instances = SKEWS.map((skew) => {
    const clock = new WallClock(START_MS + 60_000 + skew);
    return { clock, limiter: bench.limiter({ strategy, clock, maxClockSkewMs, deniedCache: false }) };
  });
  const admissions: Admission[] = [];
  for (let step = 1; step <= 30; step += 1) {
    for (const { clock, limiter } of instances) {
      clock.ms += 700;
      if ((await limiter.consume(KEY)).allowed) admissions.push({ stamp: clock.ms, at: step * 700 });
    }
  }
  return admissions;
}

/** Maximum number of admissions in any interval of a length. */
function densest(times: readonly number[], lengthMs: number): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + lengthMs).length));
}

/** Maximum number of admissions in any window of Unix time. */
function fullest(times: readonly number[], windowMs: number): number {
  const windows = times.map((at) => Math.floor(at / windowMs));
  return Math.max(...windows.map((window) => windows.filter((other) => other === window).length));
}

const stamps = (admissions: readonly Admission[]) => admissions.map(({ stamp }) => stamp);
const instants = (admissions: readonly Admission[]) => admissions.map(({ at }) => at);

describe('instances whose clocks are up to ten seconds apart', () => {
  it('never exceed a sliding limit by their clocks, and at most double it by the right clock', async () => {
    const admissions = await admissionsOf(slidingWindow({ limit: 6, windowMs: 10_000 }), 10_000);
    expect(admissions.length).toBeGreaterThan(12);
    expect(densest(stamps(admissions), 10_000)).toBeLessThanOrEqual(6);
    expect(densest(instants(admissions), 10_000)).toBeLessThanOrEqual(12);
  });

  it('admit at most the limit more where clearing did not allow for that much', async () => {
    const admissions = await admissionsOf(slidingWindow({ limit: 6, windowMs: 10_000 }), 0);
    expect(densest(instants(admissions), 10_000)).toBeLessThanOrEqual(12);
  });

  it('never pass a fixed limit in a window of Unix time', async () => {
    const admissions = await admissionsOf(fixedWindow({ limit: 6, windowMs: 10_000 }), 1000);
    expect(fullest(stamps(admissions), 10_000)).toBe(6);
    expect(densest(instants(admissions), 10_000)).toBeLessThanOrEqual(18);
  });

  it('never pass any of several limits', async () => {
    const strategy = multiWindow([
      { limit: 3, windowMs: 2000 },
      { limit: 9, windowMs: 20_000 },
    ]);
    const admissions = await admissionsOf(strategy, 10_000);
    expect(fullest(stamps(admissions), 20_000)).toBe(9);
    expect(fullest(stamps(admissions), 2000)).toBeLessThanOrEqual(3);
  });

  it('exceed a bucket at most by the refill during the difference', async () => {
    const admissions = await admissionsOf(tokenBucket({ capacity: 6, refillPerSecond: 0.5 }), 10_000);
    expect(densest(instants(admissions), 10_000)).toBeLessThanOrEqual(16);
  });
});

describe('one clock far ahead', () => {
  const aheadOf = (strategy: Strategy, aheadMs: number) => {
    const right = new WallClock(START_MS + 30_000);
    const ahead = new WallClock(START_MS + 30_000 + aheadMs);
    const limiters = [right, ahead].map((clock) => bench.limiter({ strategy, clock, deniedCache: false }));
    return { right, ahead, limiters: limiters as readonly RateLimiter[] as [RateLimiter, RateLimiter] };
  };

  /** Admissions of instances with right clocks in one window while another instance writes in between. */
  async function admittedBy(strategy: Strategy, aheadMs: number, requests: number, stepMs: number): Promise<number> {
    const { right, ahead, limiters } = aheadOf(strategy, aheadMs);
    let admitted = 0;
    for (let request = 0; request < requests; request += 1) {
      if ((await limiters[0].consume(KEY)).allowed) admitted += 1;
      if (request % 4 === 3) await limiters[1].consume(KEY);
      right.ms += stepMs;
      ahead.ms += stepMs;
    }
    return admitted;
  }

  it.each([72_000, 90_000, 120_000, 180_000, 250_000, 3_600_000])(
    'by %i ms lets a sliding window of a minute admit no more than its limit twice',
    async (aheadMs) => {
      const strategy = slidingWindow({ limit: 10, windowMs: 60_000 });
      expect(await admittedBy(strategy, aheadMs, 32, 200)).toBeLessThanOrEqual(20);
    },
  );

  it.each([2200, 3000, 4000, 5200])(
    'by %i ms lets a sliding window of a second admit no more than its limit twice',
    async (aheadMs) => {
      const strategy = slidingWindow({ limit: 10, windowMs: 1000 });
      expect(await admittedBy(strategy, aheadMs, 32, 10)).toBeLessThanOrEqual(20);
    },
  );

  it.each([3000, 10_000, 60_000])(
    'by %i ms lets the shorter of several windows admit no more than its limit twice',
    async (aheadMs) => {
      const strategy = multiWindow([
        { limit: 10, windowMs: 1000 },
        { limit: 10_000, windowMs: 3_600_000 },
      ]);
      expect(await admittedBy(strategy, aheadMs, 32, 10)).toBeLessThanOrEqual(20);
    },
  );

  it.each([3_600_000, 60_000, 12_100])('by %i ms lets a bucket admit at most its capacity more', async (aheadMs) => {
    const strategy = tokenBucket({ capacity: 10, refillPerSecond: 1 });
    expect(await admittedBy(strategy, aheadMs, 60, 100)).toBeLessThanOrEqual(10 + 10 + 6);
  });

  it.each([3_600_000, -3_600_000])('or late after a jump of %i ms does not deny for long', async (jumpMs) => {
    for (const strategy of [
      fixedWindow({ limit: 3, windowMs: 10_000 }),
      slidingWindow({ limit: 3, windowMs: 10_000 }),
      tokenBucket({ capacity: 3, refillPerSecond: 0.3 }),
    ]) {
      const { right, limiters } = aheadOf(strategy, jumpMs);
      const key = { ...KEY, resource: strategy.kind };
      for (let request = 0; request < 4; request += 1) await limiters[1].consume(key);
      expect(await limiters[0].consume(key)).toMatchObject({ allowed: true, degraded: false });
      right.ms += 20_000;
      expect(await limiters[0].consume(key)).toMatchObject({ allowed: true, degraded: false });
    }
  });
});

describe('clearing', () => {
  const twentieths = slidingWindow({ limit: 2, windowMs: 2000, granules: 20 });
  const seconds = multiWindow([
    { limit: 2, windowMs: 1000 },
    { limit: 99, windowMs: 60_000 },
  ]);
  const tenths = multiWindow([
    { limit: 2, windowMs: 100 },
    { limit: 99, windowMs: 60_000 },
  ]);

  it.each<[string, Strategy, number, number, number]>([
    ['a sliding window', twentieths, 1000, 2000, 900],
    ['a sliding window, at the furthest', twentieths, 1000, 2000, 1000],
    ['a sliding window, one granule', twentieths, 0, 2000, 100],
    ['several windows', seconds, 1000, 0, 1000],
    ['several windows, many buckets', tenths, 2000, 0, 1999],
  ])(
    '%s keeps items that an instance with a late clock, within the allowed skew, still checks',
    async (_, strategy, maxClockSkewMs, ageMs, behindMs) => {
      const [slow, fast] = [new WallClock(START_MS + 30_000), new WallClock(START_MS + 30_000 + ageMs + behindMs)];
      const [slowLimiter, fastLimiter] = [slow, fast].map((clock) =>
        bench.limiter({ strategy, clock, maxClockSkewMs, deniedCache: false }),
      ) as readonly RateLimiter[] as [RateLimiter, RateLimiter];
      // Two instances have left so many counters that the next one clears them.
      for (const agoMs of [2_000_000, 1_000_000]) {
        const clock = new WallClock(START_MS + 30_000 - agoMs);
        await bench.limiter({ strategy, clock, maxClockSkewMs }).consume(KEY);
      }
      for (const _ of [1, 2]) expect((await slowLimiter.consume(KEY)).allowed).toBe(true);
      slow.ms += ageMs;
      bench.counter.take();
      expect((await fastLimiter.consume(KEY)).allowed).toBe(true);
      expect(bench.counter.take().UpdateItem?.calls).toBe(strategy.kind === 'sliding' ? 2 : 1);
      expect(await slowLimiter.consume(KEY)).toMatchObject({ allowed: false, currentCount: 2 });
    },
  );

  it('a write that comes after those of others cannot exceed the limit either', async () => {
    const strategy = slidingWindow({ limit: 3, windowMs: 10_000 });
    const [early, late] = [START_MS + 5500, START_MS + 6500].map((ms) =>
      bench.limiter({ strategy, clock: new WallClock(ms), deniedCache: false }),
    ) as readonly RateLimiter[] as [RateLimiter, RateLimiter];
    await late.consume(KEY, { cost: 3 });
    expect(await early.consume(KEY)).toMatchObject({ allowed: false, currentCount: 3 });
  });
});
