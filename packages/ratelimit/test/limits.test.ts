import {
  createMemoryRateLimiter,
  fixedWindow,
  type Limits,
  multiWindow,
  type RateLimitError,
} from '@sallyport/ratelimit';
import { type Bench, createBench, KEY } from './support/dynamo.js';
import { createLogRecorder, createRecorder } from './support/recorder.js';

let bench: Bench;

beforeEach(async () => {
  bench = await createBench();
});

afterEach(() => bench.client.destroy());

const strategy = fixedWindow({ limit: 10, windowMs: 60_000 });

/** A source of limits that counts its calls. */
function createSource(answer: () => Promise<Limits>) {
  const source = { asked: 0, answer };
  const limitFor = () => {
    source.asked += 1;
    return source.answer();
  };
  return { source, limitFor };
}

describe('limits that are promised', () => {
  it('are enforced, and kept for ten seconds', async () => {
    const { source, limitFor } = createSource(async () => 3);
    for (const limiter of [
      bench.limiter({ strategy, limitFor }),
      createMemoryRateLimiter({ strategy, limitFor, clock: bench.clock }),
    ]) {
      source.asked = 0;
      for (let request = 0; request < 3; request += 1) {
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, limit: 3 });
      }
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, limit: 3 });
      expect(await limiter.peek(KEY)).toMatchObject({ limit: 3 });
      expect(source.asked).toBe(1);
      source.answer = async () => 5;
      bench.clock.ms += 9999;
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false });
      bench.clock.ms += 1;
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, limit: 5 });
      expect(source.asked).toBe(2);
      source.answer = async () => 3;
    }
  });

  it('are fetched once for concurrent requests, and for each key', async () => {
    const { source, limitFor } = createSource(async () => undefined);
    const limiter = bench.limiter({ strategy, limitFor });
    const decisions = await Promise.all(Array.from({ length: 12 }, () => limiter.consume(KEY)));
    expect(decisions.filter(({ allowed }) => allowed).length).toBe(10);
    expect(source.asked).toBe(1);
    await limiter.consume({ ...KEY, resource: '/other' });
    expect(source.asked).toBe(2);
  });

  it('are called for each time without a cache, or when it is full', async () => {
    const { source, limitFor } = createSource(async () => 3);
    const limiter = bench.limiter({ strategy, limitFor, limitCache: false });
    await limiter.consume(KEY);
    await limiter.consume(KEY);
    expect(source.asked).toBe(2);
    const small = bench.limiter({ strategy, limitFor, limitCache: { maxKeys: 1, maxAgeMs: 60_000 } });
    for (const resource of ['/a', '/b', '/a']) await small.consume({ ...KEY, resource });
    expect(source.asked).toBe(5);
  });

  it('that fail use the last answer; without an answer onStoreError applies', async () => {
    const { source, limitFor } = createSource(() => Promise.reject(new Error('plans are down')));
    const onError = createRecorder<[RateLimitError, object]>();
    const log = createLogRecorder();
    const limiter = bench.limiter({ strategy, limitFor, onError, log, onStoreError: 'allow' });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: true, source: 'none', limit: 10 });
    expect(onError.calls[0]?.[0]).toMatchObject({
      code: 'ratelimit.store_unavailable',
      cause: { message: 'plans are down' },
    });
    await expect(limiter.peek(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable' });
    source.answer = async () => 3;
    expect(await limiter.consume(KEY)).toMatchObject({ degraded: false, limit: 3 });
    source.answer = () => Promise.reject(new Error('plans are down'));
    bench.clock.ms += 20_000;
    expect(await limiter.consume(KEY)).toMatchObject({ degraded: false, limit: 3 });
  });

  it.each([[[1, 2]], [-1], [1.5], ['5'], [null], [{}]])('of %j are rejected', async (answer) => {
    const { limitFor } = createSource(async () => answer as unknown as Limits);
    for (const limiter of [bench.limiter({ strategy, limitFor }), createMemoryRateLimiter({ strategy, limitFor })]) {
      await expect(limiter.consume(KEY)).rejects.toMatchObject({ code: 'ratelimit.invalid_config' });
    }
  });

  it('are in the order in which the windows were given', async () => {
    const windows = multiWindow([
      { limit: 5, windowMs: 1000 },
      { limit: 50, windowMs: 60_000 },
    ]);
    const { limitFor } = createSource(async () => [1, 20]);
    expect(await bench.limiter({ strategy: windows, limitFor }).consume(KEY)).toMatchObject({
      windows: [{ limit: 20 }, { limit: 1 }],
    });
  });
});

describe('the options', () => {
  it.each<[string, unknown, string]>([
    ['onStoreError', 'local', 'must be one of "deny", "allow", or a limiter'],
    ['onStoreError', {}, 'must be one of "deny", "allow", or a limiter'],
    ['limitCache', true, 'must be an object'],
    ['limitCache', { maxAge: 1 }, ''],
    ['coldTimeoutMs', 0, 'must be a whole number of milliseconds from 1 to 60,000'],
    ['coldTimeoutMs', 60_001, 'must be a whole number of milliseconds from 1 to 60,000'],
    ['breaker', false, ''],
  ])('%s of %j is rejected by name', (name, value, text) => {
    expect(() => bench.limiter({ strategy, [name]: value })).toThrow(expect.failure('ratelimit.invalid_config', text));
  });
});
