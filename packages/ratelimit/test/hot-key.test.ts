import {
  createMemoryRateLimiter,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS, WallClock } from './support/dynamo.js';
import { throttledByPartition } from './support/partition.js';
import { createLogRecorder } from './support/recorder.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const INSTANCES = 8;
/** Throughput of one partition; the traffic on one key is 3.3 times as high. A thousandth of DynamoDB's numbers would be too few to count. */
const PARTITION = 20;
const TRAFFIC = 66;

/** Traffic on one key below its limit, spread over eight instances, for `seconds`. */
async function drive(
  strategy: Strategy,
  seconds: number,
  { scale = 1, ...options }: { scale?: number; reserve?: number; shardAbove?: number } = {},
) {
  const clock = new WallClock();
  const { client } = throttledByPartition(bench.client, clock, scale * PARTITION);
  const settings = { strategy, client, clock, log: createLogRecorder(), onStoreError: 'deny' } as const;
  const fleet = Array.from({ length: INSTANCES }, () => bench.limiter({ ...settings, ...options }));
  const total = seconds * scale * TRAFFIC;
  let [degraded, denied] = [0, 0];
  for (let request = 0; request < total; request += 1) {
    clock.ms = START_MS + 1000 + Math.floor((request * 1000) / (scale * TRAFFIC));
    const decision = await fleet[request % INSTANCES]?.consume(KEY);
    if (decision?.degraded) degraded += 1;
    else if (!decision?.allowed) denied += 1;
  }
  const { writeUnits } = bench.counter.total();
  return { degraded: degraded / total, denied: denied / total, units: writeUnits / total };
}

const PLENTY = 60 * TRAFFIC * 4;
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ['fixed window', fixedWindow({ limit: PLENTY, windowMs: 60_000 })],
  ['sliding window', slidingWindow({ limit: 2 * PLENTY, windowMs: 120_000 })],
  [
    'several windows',
    multiWindow([
      { limit: PLENTY, windowMs: 60_000 },
      { limit: 60 * PLENTY, windowMs: 3_600_000 },
    ]),
  ],
];

describe('a hot key at 3.3 times the throughput of a partition', () => {
  it('is degraded for most of its requests without a reserve', async () => {
    const { degraded } = await drive(slidingWindow({ limit: PLENTY, windowMs: 60_000 }), 4);
    expect(degraded).toBeGreaterThan(0.4);
  });

  it.each(STRATEGIES)(
    'with a reserve of 10 is degraded for at most 2 % of them, at a tenth of the units: %s',
    async (_, strategy) => {
      const { degraded, denied, units } = await drive(strategy, 48, { reserve: 10 });
      expect([degraded <= 0.02, denied, units <= 0.1]).toEqual([true, 0, true]);
    },
  );

  it('with a reserve of 10 on a token bucket is degraded for at most 2 % of them, at an eighth of the units', async () => {
    const strategy = tokenBucket({ capacity: 40 * TRAFFIC, refillPerSecond: 4 * TRAFFIC });
    const { degraded, denied, units } = await drive(strategy, 30, { reserve: 10 });
    expect([degraded <= 0.02, denied, units <= 0.125]).toEqual([true, 0, true]);
  });

  it('spread over several items is degraded for at most 2 % of them', async () => {
    // The first use of each of the 27 items reads the first one: a partition of 20 would be too small for that.
    const scale = 3;
    const strategy = slidingWindow({ limit: scale * PLENTY, windowMs: 60_000 });
    const { degraded, denied } = await drive(strategy, 2, { scale, shardAbove: (scale * PARTITION) / 2 });
    expect([degraded <= 0.02, denied]).toEqual([true, 0]);
  });

  it('does not degrade the other routes of its caller', async () => {
    const clock = new WallClock();
    const { client } = throttledByPartition(bench.client, clock, PARTITION);
    const limiter = bench.limiter({
      strategy: STRATEGIES[0]?.[1] as Strategy,
      client,
      clock,
      log: createLogRecorder(),
    });
    let degraded = 0;
    for (let request = 0; request < TRAFFIC; request += 1) {
      if ((await limiter.consume(KEY)).degraded) degraded += 1;
    }
    expect(degraded).toBeGreaterThan(0);
    expect(await limiter.consume({ ...KEY, resource: '/other' })).toMatchObject({ allowed: true, degraded: false });
  });

  it('is limited by the limiter that replaces the store', async () => {
    const clock = new WallClock();
    const { client } = throttledByPartition(bench.client, clock, 0);
    const onStoreError = createMemoryRateLimiter({ strategy: fixedWindow({ limit: 3, windowMs: 60_000 }), clock });
    const log = createLogRecorder();
    const limiter = bench.limiter({ strategy: STRATEGIES[0]?.[1] as Strategy, client, clock, onStoreError, log });
    const decisions = [];
    for (let request = 0; request < 5; request += 1) decisions.push(await limiter.consume(KEY));
    expect(decisions.map(({ allowed, degraded, source }) => [allowed, degraded, source])).toEqual([
      [true, true, 'local'],
      [true, true, 'local'],
      [true, true, 'local'],
      [false, true, 'local'],
      [false, true, 'local'],
    ]);
    expect(decisions[4]?.retryAfterMs).toBe(60_000);
    expect(log.lines.length).toBe(1);
  });
});
