import { fixedWindow, multiWindow, type Strategy, slidingWindow, tokenBucket } from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, WallClock } from './support/dynamo.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const INSTANCES = 8;

/** Decisions of eight instances that share a key, in turn, with a number of milliseconds between them. */
async function writesOf(strategy: Strategy, decisions: number, gapMs: number, atOnce = false): Promise<number> {
  const clock = new WallClock();
  const fleet = Array.from({ length: INSTANCES }, () => bench.limiter({ strategy, clock, deniedCache: false }));
  let drift = 0;
  for (let decided = 0; decided < decisions; decided += INSTANCES) {
    const round = fleet.map((limiter, place) => async () => {
      // Requests do not come at equal distances.
      drift = (drift * 16_807 + place + 1) % 2_147_483_647;
      clock.ms += atOnce ? 0 : (2 * gapMs * (drift % 1000)) / 1000;
      await limiter.consume(KEY);
    });
    if (atOnce) {
      await Promise.all(round.map((decide) => decide()));
      clock.ms += gapMs * INSTANCES;
    } else for (const decide of round) await decide();
  }
  const { calls, writeUnits, readUnits } = bench.counter.total();
  expect(calls).toBeGreaterThan(0);
  // A read of one unit costs a fifth of a write unit.
  return (writeUnits + readUnits / 5) / decisions;
}

describe('a fleet of eight that shares a key', () => {
  it.each<[string, number, boolean]>([
    ['one request in an interval', 20, false],
    ['two requests in three intervals', 30, false],
    ['one request in two intervals', 40, false],
    ['one request in five intervals', 100, false],
    ['twice what refills', 10, false],
    ['ten times what refills', 2, false],
    ['eight at once, twice what refills', 10, true],
  ])('writes at most 1.2 times a decision of a token bucket, reads included as money: %s', async (_, gapMs, atOnce) => {
    const strategy = tokenBucket({ capacity: 20, refillPerSecond: 50 });
    expect(await writesOf(strategy, 160, gapMs, atOnce)).toBeLessThanOrEqual(1.2);
  });

  it.each([
    fixedWindow({ limit: 100, windowMs: 1000 }),
    slidingWindow({ limit: 100, windowMs: 1000 }),
    slidingWindow({ limit: 100, windowMs: 60_000 }),
    multiWindow([
      { limit: 30, windowMs: 1000 },
      { limit: 1000, windowMs: 60_000 },
    ]),
  ])('writes once a decision: $policy', async (strategy) => {
    expect(await writesOf(strategy, 40, 20)).toBe(1);
  });
});
