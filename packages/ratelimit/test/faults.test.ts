import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ManualClock } from '@sallyport/core/testing';
import {
  createLocalClient,
  dynamodbEndpoint,
  type Fault,
  type FaultProxy,
  SERVER_ERROR,
  STORE_FAULTS,
  type StoreFault,
  startFaultProxy,
  THROTTLED,
} from '@sallyport/dynamodb-local';
import {
  createDynamoRateLimiter,
  fixedWindow,
  type RateLimitError,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';
import { createLogRecorder, createRecorder, linesOf } from './support/recorder.js';

const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });
const error = (type: string, status = 400): Fault => ({ kind: 'error', status, type });

let proxy: FaultProxy;
let bench: Bench;
/** Does not try again. */
let client: DynamoDBClient;

beforeAll(async () => {
  proxy = await startFaultProxy(await dynamodbEndpoint());
  client = await createLocalClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
});

beforeEach(async () => {
  bench = await createBench(proxy.endpoint);
  proxy.clear();
});

afterEach(() => bench.client.destroy());
afterAll(async () => {
  client.destroy();
  await proxy.stop();
});

/** Short where no answer is to come; long where one is, however busy the machine. */
const patienceFor = ({ hangs }: StoreFault) => (hangs ? 50 : 10_000);

describe('a store that fails', () => {
  it.each(STORE_FAULTS)('denies or allows as configured, marked as degraded: $name', async (given) => {
    const { fault, transient: retryable } = given;
    proxy.inject(fault);
    const settings = { strategy, client, storeTimeoutMs: patienceFor(given), coldTimeoutMs: 1 };
    for (const onStoreError of ['deny', 'allow'] as const) {
      const onError = createRecorder<[RateLimitError, object]>();
      const limiter = bench.limiter({ ...settings, onStoreError, onError, log: createLogRecorder() });
      const decision = await limiter.consume(KEY);
      expect(decision).toMatchObject({
        allowed: onStoreError === 'allow',
        degraded: true,
        source: 'none',
        limit: 2,
        currentCount: 0,
        remaining: 0,
        windows: [{ currentCount: 0, remaining: 0 }],
      });
      expect(decision.retryAfterMs).toBe(onStoreError === 'allow' ? undefined : 1000);
      expect(onError.calls).toEqual([[expect.anything(), KEY]]);
      expect(onError.calls[0]?.[0]).toMatchObject({ code: 'ratelimit.store_unavailable', retryable });
      expect(onError.calls[0]?.[0].cause).toBeDefined();
    }
  });

  it.each(STORE_FAULTS)('rejects peek and reset: $name', async (given) => {
    const { fault, transient: retryable } = given;
    proxy.inject(fault);
    const onError = createRecorder();
    const settings = { strategy, client, storeTimeoutMs: patienceFor(given), coldTimeoutMs: 1 };
    const limiter = bench.limiter({ ...settings, onError, log: createLogRecorder() });
    await expect(limiter.peek(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable', retryable });
    await expect(limiter.reset(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable', retryable });
    expect(onError.calls).toEqual([]);
  });

  it('is tried again once, and the decision is then a real one', async () => {
    proxy.inject(SERVER_ERROR, { times: 1 });
    const decision = await bench.limiter({ strategy }).consume(KEY);
    expect(decision).toMatchObject({ allowed: true, degraded: false, source: 'store', currentCount: 1 });
    expect(proxy.operations).toEqual(['UpdateItem', 'UpdateItem']);
  });

  it('rejects with the reason of a caller that gives up', async () => {
    proxy.inject({ kind: 'silence' });
    const caller = new AbortController();
    const onError = createRecorder();
    const limiter = bench.limiter({ strategy, onError });
    for (const call of [
      () => limiter.consume(KEY, { signal: caller.signal }),
      () => limiter.peek(KEY, { signal: caller.signal }),
      () => limiter.reset(KEY, { signal: caller.signal }),
    ]) {
      const pending = call();
      caller.abort(new Error('client is gone'));
      await expect(pending).rejects.toThrow('client is gone');
    }
    expect(onError.calls).toEqual([]);
  });

  it.each<[string, Fault]>([
    ['fails', SERVER_ERROR],
    ['is refused', error('AccessDeniedException')],
    ['is never answered', { kind: 'silence' }],
  ])('does not change a decision when only the clearing after it %s', async (_, fault) => {
    const onError = createRecorder();
    const clock = new ManualClock(START_MS);
    const instance = () =>
      bench.limiter({ strategy: slidingWindow({ limit: 9, windowMs: 10_000 }), clock, storeTimeoutMs: 2000, onError });
    for (const request of [1, 2, 3, 4, 5]) {
      clock.tick(request * 100_000);
      await instance().consume(KEY);
    }
    clock.tick(100_000);
    proxy.inject(fault, { after: 1 });
    proxy.operations.length = 0;
    const decision = instance().consume(KEY);
    while (proxy.operations.length < 2) await nextTurn();
    if (fault.kind === 'silence') await clock.advance(10_000);
    expect(await decision).toMatchObject({ allowed: true, degraded: false, currentCount: 1 });
    expect(proxy.operations.length).toBeGreaterThan(1);
    expect(onError.calls).toEqual([]);
  });

  it('never fills the cache of denials', async () => {
    proxy.inject(THROTTLED, { times: 2 });
    const limiter = bench.limiter({ strategy, log: createLogRecorder() });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, degraded: true });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: false });
  });
});

describe('a client of the limiter', () => {
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: () => proxy.endpoint,
    AWS_REGION: () => 'us-east-1',
    AWS_ACCESS_KEY_ID: () => 'local',
    AWS_SECRET_ACCESS_KEY: () => 'local',
  };
  const before = { ...process.env };

  beforeEach(() => {
    for (const [name, value] of Object.entries(variables)) process.env[name] = value();
  });

  afterEach(() => {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  const own = () =>
    createDynamoRateLimiter({
      strategy,
      onStoreError: 'deny',
      environment: { FRAMEWORK_RATE_LIMIT_TABLE_NAME: bench.tableName },
      storeTimeoutMs: 10_000,
      log: createLogRecorder(),
    });

  it('is made at the first decision, for the table of the environment', async () => {
    expect(await own().consume(KEY)).toMatchObject({ allowed: true, source: 'store' });
    expect(proxy.operations).toEqual(['UpdateItem']);
  });

  it('tries twice and no more', async () => {
    proxy.inject(SERVER_ERROR);
    expect(await own().consume(KEY)).toMatchObject({ degraded: true });
    expect(proxy.operations).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

describe('a client that never reaches a server', () => {
  it.each<[string, object, boolean]>([
    ['nobody listens', { endpoint: 'http://127.0.0.1:1', maxAttempts: 1 }, true],
    ['no credentials', { credentials: () => Promise.reject(new CredentialsProviderError('none')) }, false],
  ])('degrades: %s', async (_, config, retryable) => {
    const client = await createLocalClient(config);
    const onError = createRecorder<[RateLimitError, object]>();
    const limiter = bench.limiter({ strategy, client, onError, log: createLogRecorder() });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, degraded: true });
    expect(onError.calls[0]?.[0].retryable).toBe(retryable);
  });

  it('is not waited for when it ignores the signal that it was given', async () => {
    const client = { send: () => new Promise(() => {}) };
    const limiter = bench.limiter({
      strategy,
      client: client as never,
      storeTimeoutMs: 20,
      coldTimeoutMs: 20,
      log: createLogRecorder(),
    });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, degraded: true });
    await expect(limiter.peek(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable', retryable: true });
  });
});

/** As the SDK's credential chain ends. */
class CredentialsProviderError extends Error {
  override readonly name = 'CredentialsProviderError';
}

describe('a server that does not return the old item', () => {
  it.each([
    ['fixed window', strategy],
    ['sliding window', slidingWindow({ limit: 2, windowMs: 60_000 })],
    ['token bucket', tokenBucket({ capacity: 2, refillPerSecond: 0.1 })],
  ])('is read once, and the same decision follows: %s', async (_, given) => {
    const limiter = bench.limiter({ strategy: given, deniedCache: false });
    await limiter.consume(KEY, { cost: 2 });
    const denied = await limiter.consume(KEY);
    proxy.inject({ kind: 'no-old-item' });
    bench.counter.take();
    const fresh = bench.limiter({ strategy: given, deniedCache: false });
    expect(await fresh.consume(KEY)).toEqual(denied);
    expect(bench.counter.take()).toEqual({
      UpdateItem: { calls: 1, readUnits: 0, writeUnits: 1 },
      GetItem: { calls: 1, readUnits: 1, writeUnits: 0 },
    });
  });

  it('does not loop over a bucket that was cached as busy and no longer exists', async () => {
    const limiter = bench.limiter({ strategy: tokenBucket({ capacity: 2, refillPerSecond: 0.1 }) });
    await limiter.consume(KEY);
    proxy.inject({ kind: 'no-old-item' });
    await limiter.reset(KEY);
    bench.counter.take();
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 1 });
    expect(bench.counter.take()).toEqual({ UpdateItem: { calls: 2, readUnits: 0, writeUnits: 2 } });
  });
});

describe('the log lines', () => {
  it('warns once a minute of a store that is busy', async () => {
    proxy.inject(THROTTLED);
    const log = createLogRecorder();
    const limiter = bench.limiter({ strategy, log });
    for (const seconds of [0, 59, 61]) {
      bench.clock.ms = 1_699_999_200_000 + seconds * 1000;
      await limiter.consume(KEY);
    }
    const line = [
      'warn',
      'framework: rate limit store unavailable',
      {
        code: 'ratelimit.store_unavailable',
        policy: 'default:f60000',
        cause: 'ProvisionedThroughputExceededException',
      },
    ];
    expect(log.lines).toEqual([line, line]);
  });

  it('reports a fault of the deployment once per instance', async () => {
    proxy.inject(error('AccessDeniedException'));
    const log = createLogRecorder();
    const limiter = bench.limiter({ strategy, log });
    for (const minutes of [0, 5, 10]) {
      bench.clock.ms += minutes * 60_000;
      await limiter.consume(KEY);
    }
    expect(log.lines.map(([level]) => level)).toEqual(['error']);
  });

  it('writes one JSON line to standard output when it is given no logger, without the key', async () => {
    proxy.inject(error('AccessDeniedException'));
    const lines = await linesOf(() => bench.limiter({ strategy }).consume({ ...KEY, identifier: 'raw-credential' }));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        timestamp: expect.any(String),
        level: 'ERROR',
        message: 'framework: rate limit store unavailable',
        service: '',
        code: 'ratelimit.store_unavailable',
        policy: 'default:f60000',
        cause: 'AccessDeniedException',
      },
    ]);
  });

  it('has one line for a hook that throws at every call', async () => {
    const log = createLogRecorder();
    const onError = () => {
      throw new Error('hook');
    };
    const limiter = bench.limiter({ strategy, log, onError });
    for (let call = 0; call < 2; call += 1) {
      proxy.inject(THROTTLED);
      await limiter.consume(KEY);
    }
    expect(log.lines.filter(([, message]) => message === 'framework: hook onError failed')).toHaveLength(1);
  });

  it('survives hooks that throw', async () => {
    proxy.inject(THROTTLED);
    const fail = () => {
      throw new Error('hook');
    };
    const log = { ...createLogRecorder(), warn: fail };
    expect(await bench.limiter({ strategy, log, onError: fail }).consume(KEY)).toMatchObject({ degraded: true });
  });
});
