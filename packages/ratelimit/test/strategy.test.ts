import {
  bySourceIp,
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  RateLimitError,
  rateLimitHeaders,
  rateLimitMiddleware,
  rateLimitPolicy,
  type SlidingWindowOptions,
  type Strategy,
  slidingWindow,
  type TokenBucketOptions,
  tokenBucket,
  type WindowOptions,
} from '@sallyport/ratelimit';

const DAY_MS = 86_400_000;

describe('strategies', () => {
  it.each<[string, Strategy, string]>([
    ['fixed', fixedWindow({ limit: 5, windowMs: 60_000 }), 'default:f60000'],
    ['fixed', fixedWindow({ limit: 5, windowMs: 60_000, name: 'login' }), 'login:f60000'],
    ['sliding', slidingWindow({ limit: 5, windowMs: 60_000 }), 'default:s60000x10'],
    [
      'multi',
      multiWindow([
        { limit: 1, windowMs: 60_000 },
        { limit: 9, windowMs: 3_600_000 },
      ]),
      'default:m3600000-60000',
    ],
    [
      'multi',
      multiWindow([
        { limit: 1, windowMs: 1000, name: 'a' },
        { limit: 9, windowMs: 2000 },
      ]),
      'default-2s+a:m2000-1000',
    ],
    ['bucket', tokenBucket({ capacity: 5, refillPerSecond: 2 }), 'default:b500000'],
  ])('%s names its shape and not its limits', (kind, strategy, policy) => {
    expect([strategy.kind, strategy.policy]).toEqual([kind, policy]);
  });

  it('several windows are ordered by length, the longest first, with separate names', () => {
    const { windows } = multiWindow([
      { limit: 10, windowMs: 30_000 },
      { limit: 1000, windowMs: DAY_MS },
      { limit: 100, windowMs: 3_600_000 },
      { limit: 20, windowMs: 60_000 },
    ]);
    expect(windows).toEqual([
      { name: 'default-1d', windowMs: DAY_MS, limit: 1000 },
      { name: 'default-1h', windowMs: 3_600_000, limit: 100 },
      { name: 'default-1m', windowMs: 60_000, limit: 20 },
      { name: 'default-30s', windowMs: 30_000, limit: 10 },
    ]);
  });

  it('are frozen', () => {
    const strategy = fixedWindow({ limit: 5, windowMs: 60_000 });
    expect([strategy, strategy.windows, strategy.windows[0]].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a limit below 0', { limit: -1 }],
    ['a broken limit', { limit: 1.5 }],
    ['a limit over 1,000,000,000', { limit: 1_000_000_001 }],
    ['no limit', { limit: undefined }],
    ['a window under 100 ms', { windowMs: 99 }],
    ['a window over 31 days', { windowMs: 31 * DAY_MS + 1 }],
    ['a broken window', { windowMs: 1000.5 }],
    ['a window that is text', { windowMs: '1000' }],
    ['an empty name', { name: '' }],
    ['a name of 65', { name: 'n'.repeat(65) }],
    ['a name with a quote', { name: 'a"b' }],
    ['an unknown option', { windowsMs: 5 }],
  ])('a window rejects %s', (_, change) => {
    const options = { limit: 1, windowMs: 1000, ...change } as WindowOptions;
    expectInvalid(() => fixedWindow(options));
    expectInvalid(() => slidingWindow(options));
    expectInvalid(() => multiWindow([options]));
  });

  it.each<[string, Partial<SlidingWindowOptions>]>([
    ['one granule', { granules: 1 }],
    ['21 granules', { granules: 21 }],
    ['a window that granules do not divide', { windowMs: 1000, granules: 3 }],
    ['granules under 100 ms', { windowMs: 1000, granules: 20 }],
  ])('a sliding window rejects %s', (_, change) => {
    expectInvalid(() => slidingWindow({ limit: 1, windowMs: 60_000, ...change }));
  });

  it.each<[string, readonly number[]]>([
    ['none', []],
    ['five', [1000, 2000, 4000, 8000, 16_000]],
    ['two of one length', [1000, 1000]],
    ['one that does not divide the next', [1000, 1500]],
    ['one that divides the longest only', [6000, 9000, 18_000]],
    ['a ratio over 3,600', [1000, 3_601_000]],
  ])('several windows reject %s', (_, lengths) => {
    expectInvalid(() => multiWindow(lengths.map((windowMs) => ({ limit: 1, windowMs }))));
  });

  it.each<[string, () => Strategy]>([
    ['the limit 0', () => fixedWindow({ limit: 0, windowMs: 1000 })],
    ['the limit 1,000,000,000', () => fixedWindow({ limit: 1_000_000_000, windowMs: 1000 })],
    ['a window of 100 ms', () => fixedWindow({ limit: 1, windowMs: 100 })],
    ['a window of 31 days', () => fixedWindow({ limit: 1, windowMs: 31 * DAY_MS })],
    ['a name of 1', () => fixedWindow({ limit: 1, windowMs: 1000, name: 'n' })],
    ['a name of 64', () => fixedWindow({ limit: 1, windowMs: 1000, name: 'n'.repeat(64) })],
    ['2 granules of 100 ms', () => slidingWindow({ limit: 1, windowMs: 200, granules: 2 })],
    ['20 granules of 100 ms', () => slidingWindow({ limit: 1, windowMs: 2000, granules: 20 })],
    ['4 windows', () => multiWindow([1000, 2000, 4000, 8000].map((windowMs) => ({ limit: 1, windowMs })))],
    ['a ratio of 3,600', () => multiWindow([1000, 3_600_000].map((windowMs) => ({ limit: 1, windowMs })))],
    ['a bucket of 1', () => tokenBucket({ capacity: 1, refillPerSecond: 1 })],
    ['a bucket of 1,000,000', () => tokenBucket({ capacity: 1_000_000, refillPerSecond: 1000 })],
    ['a refill of 0.001', () => tokenBucket({ capacity: 1, refillPerSecond: 0.001 })],
    ['a refill of 1,000,000', () => tokenBucket({ capacity: 1000, refillPerSecond: 1_000_000 })],
  ])('accept %s', (_, make) => {
    expect(Object.isFrozen(make())).toBe(true);
  });

  it('several windows reject one name for two, and granules', () => {
    expectInvalid(() =>
      multiWindow([
        { limit: 1, windowMs: 1000, name: 'a' },
        { limit: 1, windowMs: 2000, name: 'a' },
      ]),
    );
    expectInvalid(() => multiWindow([{ limit: 1, windowMs: 1000, granules: 2 } as WindowOptions]));
    expectInvalid(() => multiWindow(undefined as never));
  });

  it.each<[string, Record<string, unknown>]>([
    ['a capacity over 1,000,000', { capacity: 1_000_001 }],
    ['a broken capacity', { capacity: 0.5 }],
    ['a refill under 0.001', { refillPerSecond: 0.0009 }],
    ['a refill over 1,000,000', { refillPerSecond: 1_000_001 }],
    ['a refill that is no number', { refillPerSecond: Number.NaN }],
    ['an unknown option', { limit: 5 }],
  ])('a token bucket rejects %s', (_, change) => {
    expectInvalid(() => tokenBucket({ capacity: 1, refillPerSecond: 1, ...change } as TokenBucketOptions));
  });

  it.each([
    [{ capacity: 100, refillPerSecond: 3 }, 33_334],
    [{ capacity: 3, refillPerSecond: 3 }, 1000],
    [{ capacity: 7, refillPerSecond: 0.7 }, 10_000],
    [{ capacity: 1_000_000, refillPerSecond: 0.001 }, 1_000_000_000_000],
    [{ capacity: 10, refillPerSecond: 1_000_000 }, 1],
  ])('%j is the time until it is full', (options, windowMs) => {
    expect(tokenBucket(options).windows[0]?.windowMs).toBe(windowMs);
  });
});

describe('the options of the limiter', () => {
  const good = { strategy: fixedWindow({ limit: 1, windowMs: 1000 }), onStoreError: 'deny', tableName: 't' } as const;

  it.each<[string, object]>([
    ['no onStoreError', { onStoreError: undefined }],
    ['another onStoreError', { onStoreError: 'open' }],
    ['no strategy', { strategy: undefined }],
    ['a strategy made by hand', { strategy: { ...good.strategy } }],
    ['no table name', { tableName: undefined, environment: {} }],
    ['a blank table name', { tableName: ' ' }],
    ['an unknown option', { table: 't' }],
    ['a client without send', { client: {} }],
    ['a clock without now', { clock: {} }],
    ['a limitFor that is no function', { limitFor: { a: 1 } }],
    ['an onError that is no function', { onError: true }],
    ['a time-out of 0', { storeTimeoutMs: 0 }],
    ['a skew below 0', { maxClockSkewMs: -1 }],
    ['a cache that is true', { deniedCache: true }],
    ['an unknown option of the cache', { deniedCache: { keys: 1 } }],
    ['a cache for no key', { deniedCache: { maxKeys: 0 } }],
    ['a cache for no time', { deniedCache: { maxAgeMs: 0 } }],
  ])('reject %s', (_, change) => {
    expectInvalid(() => createDynamoRateLimiter({ ...good, ...change } as never));
  });

  it('name the unknown option and never a value', () => {
    expect(() => createDynamoRateLimiter({ ...good, tabelName: 'secret' } as never)).toThrow(
      expect.failure('ratelimit.invalid_config', 'unknown option "tabelName"'),
    );
  });

  it.each<[string, () => unknown, string]>([
    [
      'a strategy',
      () => createDynamoRateLimiter({ ...good, strategy: {} } as never),
      'option "strategy" must be a strategy of this package, such as fixedWindow({ limit, windowMs })',
    ],
    [
      'a choice',
      () => createDynamoRateLimiter({ ...good, onStoreError: 'open' } as never),
      'option "onStoreError" must be one of "deny", "allow", or a limiter',
    ],
    [
      'a table',
      () => createDynamoRateLimiter({ ...good, tableName: undefined, environment: {} } as never),
      'option "tableName" or the variable FRAMEWORK_RATE_LIMIT_TABLE_NAME must be the name of the table',
    ],
    [
      'a log',
      () => createDynamoRateLimiter({ ...good, log: { warn() {} } } as never),
      'option "log" must be false or a Logger: createLogger(), or fromConsole(), fromPino() or fromPowertools() of "@sallyport/core/log-adapters"',
    ],
    [
      'an option of the cache',
      () => createDynamoRateLimiter({ ...good, deniedCache: { maxAgeMs: 0 } }),
      'option "deniedCache.maxAgeMs" must be a whole number of milliseconds from 1 to 3,600,000',
    ],
    [
      'a window of several',
      () =>
        multiWindow([
          { limit: 1, windowMs: 1000 },
          { limit: -1, windowMs: 2000 },
        ]),
      'option "windows[1].limit" must be a whole number from 0 to 1,000,000,000',
    ],
    [
      'a name',
      () => fixedWindow({ limit: 1, windowMs: 1000, name: 'a b' }),
      'option "name" must be 1 to 64 characters of A-Z a-z 0-9 _ . -',
    ],
    [
      'a refill',
      () => tokenBucket({ capacity: 1, refillPerSecond: 0 }),
      'option "refillPerSecond" must be a number from 0.001 to 1,000,000',
    ],
    ['a prefix', () => bySourceIp({ ipv6Prefix: 129 }), 'option "ipv6Prefix" must be a whole number from 1 to 128'],
    [
      'a kind of headers',
      () => rateLimitMiddleware({ limiter: createDynamoRateLimiter(good), headers: { ietf: 1 } } as never),
      'option "headers.ietf" must be true or false',
    ],
    [
      'headers of a decision',
      () => rateLimitHeaders({} as never, new Date(0), { old: true } as never),
      'unknown option "old"; known are ietf, legacy',
    ],
    [
      'an identifier',
      () => rateLimitPolicy({ limiter: createDynamoRateLimiter(good) } as never),
      'option "extractIdentifier" must be a function',
    ],
  ])('describe the valid values of %s', (_, run, problem) => {
    expect(run).toThrow(expect.failure('ratelimit.invalid_config', problem));
  });

  it('can omit members of the cache, or read the store every time', () => {
    for (const deniedCache of [{}, { maxKeys: 5 }, { maxAgeMs: 5 }, false] as const) {
      createDynamoRateLimiter({ ...good, deniedCache });
    }
  });

  it('use the table name of the environment, for every limiter', () => {
    const environment = { FRAMEWORK_RATE_LIMIT_TABLE_NAME: 'limits' };
    for (const strategy of [
      good.strategy,
      slidingWindow({ limit: 1, windowMs: 1000 }),
      tokenBucket({ capacity: 1, refillPerSecond: 1 }),
    ]) {
      createDynamoRateLimiter({ strategy, onStoreError: 'allow', environment });
    }
  });
});

function expectInvalid(run: () => unknown): void {
  expect(run).toThrow(RateLimitError);
  expect(run).toThrow(expect.failure('ratelimit.invalid_config'));
}
