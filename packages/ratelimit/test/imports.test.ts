import { loadedModules } from '@sallyport/dynamodb-local';

describe('imports', () => {
  it.each([
    [
      '@sallyport/ratelimit',
      [
        'RATE_LIMIT_CODES',
        'RateLimitError',
        'bySourceIp',
        'createDynamoRateLimiter',
        'createMemoryRateLimiter',
        'fingerprintCredential',
        'fixedWindow',
        'multiWindow',
        'rateLimitHeaders',
        'rateLimitMiddleware',
        'rateLimitPolicy',
        'slidingWindow',
        'tokenBucket',
      ],
    ],
    [
      '@sallyport/ratelimit/schema',
      ['RATE_LIMIT_TABLE_ACTIONS', 'RATE_LIMIT_TABLE_NAME_ENV', 'RATE_LIMIT_TABLE_SCHEMA'],
    ],
    ['@sallyport/ratelimit/testing', ['createFakeRateLimiter', 'rateLimitItemKey', 'rateLimiterConformance']],
  ])('%s exports what is documented and no more', async (entry, names) => {
    expect(Object.keys((await import(entry)) as object).sort()).toEqual(names);
  });

  it('@sallyport/ratelimit loads no AWS client', () => {
    const modules = loadedModules('@sallyport/ratelimit', import.meta.url);
    expect(modules.some((url) => url.includes('/ratelimit/src/'))).toBe(true);
    expect(modules.filter((url) => /aws-sdk|smithy/.test(url))).toEqual([]);
  });

  it('@sallyport/ratelimit/schema imports nothing', () => {
    expect(
      loadedModules('@sallyport/ratelimit/schema', import.meta.url).filter((url) => /sallyport|packages/.test(url))
        .length,
    ).toBe(1);
  });
});
