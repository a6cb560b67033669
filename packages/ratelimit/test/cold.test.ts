import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { createDynamoRateLimiter, slidingWindow } from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { bundle } from './support/bundle.js';
import type { Cold } from './support/cold-instance.js';
import { createBench, KEY, START_MS, WallClock } from './support/dynamo.js';
import { createLogRecorder } from './support/recorder.js';

const run = promisify(execFile);

describe('a cold instance', () => {
  let tableName: string;
  let built: ReturnType<typeof bundle>;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const client = await createLocalClient();
    tableName = await createTable(client, RATE_LIMIT_TABLE_SCHEMA);
    client.destroy();
    built = bundle('./cold-instance.ts');
    environment = {
      AWS_ENDPOINT_URL_DYNAMODB: await dynamodbEndpoint(),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
  });

  afterAll(() => built.remove());

  /** First decisions of several processes, two at a time. */
  async function firstDecisions(count: number, ...settings: string[]): Promise<Cold[]> {
    const left = Array.from({ length: count }, () => [built.program, tableName, ...settings]);
    const decisions: Cold[] = [];
    const lane = async () => {
      for (let args = left.pop(); args !== undefined; args = left.pop()) {
        const { stdout } = await run(process.execPath, args, { env: environment });
        decisions.push(JSON.parse(stdout) as Cold);
      }
    };
    await Promise.all([lane(), lane()]);
    return decisions;
  }

  const degradedOf = (decisions: readonly Cold[]) => decisions.filter(({ degraded }) => degraded).length;

  it('of 128 MB is degraded in none of 20 first decisions', async () => {
    const decisions = await firstDecisions(20, '128');
    expect(degradedOf(decisions)).toBe(0);
    // Includes loading the SDK, which is slow because of the CPU share.
    expect(Math.min(...decisions.map(({ tookMs }) => tookMs))).toBeGreaterThan(300);
  });

  it('of 128 MB is degraded in the time of which it needs more', async () => {
    expect(degradedOf(await firstDecisions(4, '128', '100'))).toBe(4);
  });

  it('of 128 MB that was warmed in its init phase needs far less', async () => {
    const [cold, warm] = [await firstDecisions(3, '128'), await firstDecisions(3, '128', '3000', 'warm')];
    expect(degradedOf(warm)).toBe(0);
    const fastest = (decisions: readonly Cold[]) => Math.min(...decisions.map(({ tookMs }) => tookMs));
    expect(fastest(warm)).toBeLessThan(fastest(cold) / 2);
  });
});

describe('warm', () => {
  it('costs half a read unit, and the first decision one write', async () => {
    const bench = await createBench();
    const limiter = bench.limiter({ strategy: slidingWindow({ limit: 1, windowMs: 60_000 }) });
    await limiter.warm();
    expect(bench.counter.take()).toEqual({ GetItem: { calls: 1, readUnits: 0.5, writeUnits: 0 } });
    await limiter.consume(KEY);
    expect(bench.counter.take()).toEqual({ UpdateItem: { calls: 1, readUnits: 0, writeUnits: 1 } });
    bench.client.destroy();
  });

  it('logs a failure and does not reject', async () => {
    const log = createLogRecorder();
    const client = { send: () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' })) };
    const limiter = createDynamoRateLimiter({
      strategy: slidingWindow({ limit: 1, windowMs: 60_000 }),
      onStoreError: 'deny',
      tableName: 't',
      client: client as never,
      log,
    });
    await limiter.warm();
    expect(log.lines.map(([level, message]) => [level, message])).toEqual([
      ['error', 'framework: rate limit store unavailable'],
    ]);
  });
});

describe('the time that a request is counted at', () => {
  it('is read after the client was loaded, not before', async () => {
    const clock = new WallClock();
    let counters: string[] = [];
    let sentAtMs = 0;
    const client = {
      send: async ({ input }: { input: { ExpressionAttributeNames?: Record<string, string> } }) => {
        counters = Object.values(input.ExpressionAttributeNames ?? {});
        sentAtMs = clock.ms;
        return { Attributes: {} };
      },
    };
    const limiter = createDynamoRateLimiter({
      strategy: slidingWindow({ limit: 1, windowMs: 1000, granules: 10 }),
      onStoreError: 'deny',
      tableName: 't',
      clock,
      client: client as never,
    });
    const pending = limiter.consume(KEY);
    // Loading the SDK lasts two seconds on a small function's CPU.
    while (sentAtMs === 0) {
      clock.ms += 2500;
      await new Promise(setImmediate);
    }
    await pending;
    expect(sentAtMs).toBeGreaterThan(START_MS);
    expect(counters).toContain(`s${Math.floor(sentAtMs / 100).toString(36)}`);
    expect(counters).not.toContain(`s${(Math.floor(sentAtMs / 100) + 1).toString(36)}`);
  });

  it('is the time of the request: a late write still finds the counters that it checks', async () => {
    const bench = await createBench();
    const strategy = slidingWindow({ limit: 10, windowMs: 1000, granules: 10 });
    const settings = { strategy, storeTimeoutMs: 3000, maxClockSkewMs: 0, deniedCache: false } as const;
    const admitted: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      // Ten writes that are applied immediately, and ten writes of the same time that arrive three seconds later.
      const at = bench.clock.ms;
      const onTime = bench.limiter(settings);
      for (let request = 0; request < 10; request += 1) {
        if ((await onTime.consume(KEY)).allowed) admitted.push(at);
      }
      for (const laterMs of [1000, 2000, 2900]) {
        bench.clock.ms = at + laterMs;
        await onTime.consume(KEY);
      }
      const late = bench.limiter({ ...settings, clock: { now: () => new Date(at) } });
      for (let request = 0; request < 10; request += 1) {
        if ((await late.consume(KEY)).allowed) admitted.push(at);
      }
      expect(admitted.filter((stamp) => stamp === at).length).toBe(10);
      bench.clock.ms = at + 20_000;
    }
    bench.client.destroy();
  });
});
