import { createMemoryRateLimiter, fixedWindow, RateLimitError, slidingWindow } from '@sallyport/ratelimit';
import { KEY, WallClock } from './support/dynamo.js';

const strategy = slidingWindow({ limit: 1, windowMs: 60_000 });
const caller = (identifier: string) => ({ ...KEY, identifier });

describe('the memory limiter', () => {
  it('removes the least recently used key when there are too many', async () => {
    const limiter = createMemoryRateLimiter({ strategy, clock: new WallClock(), maxKeys: 2 });
    for (const identifier of ['a', 'b', 'a', 'c']) await limiter.consume(caller(identifier));
    const counts = [];
    for (const identifier of ['a', 'b', 'c']) counts.push((await limiter.peek(caller(identifier))).currentCount);
    expect(counts).toEqual([1, 0, 1]);
  });

  it('keeps 10,000 keys by default', async () => {
    const limiter = createMemoryRateLimiter({ strategy, clock: new WallClock() });
    for (let index = 0; index <= 10_000; index += 1) await limiter.consume(caller(`caller ${index}`));
    expect((await limiter.peek(caller('caller 0'))).currentCount).toBe(0);
    expect((await limiter.peek(caller('caller 1'))).currentCount).toBe(1);
  });

  it('calls limitFor with the whole key', async () => {
    const limiter = createMemoryRateLimiter({
      strategy: fixedWindow({ limit: 1, windowMs: 60_000 }),
      limitFor: ({ identifier, resource, operation, kind }) =>
        `${kind}/${identifier}/${resource}/${operation}` === 'tenant/acme//notes/GET' ? 7 : undefined,
    });
    expect((await limiter.consume({ ...KEY, identifier: 'acme', kind: 'tenant' })).limit).toBe(7);
    expect((await limiter.consume(KEY)).limit).toBe(1);
  });

  it('throws the error of limitFor', async () => {
    const limitFor = () => {
      throw new Error('plans are down');
    };
    await expect(createMemoryRateLimiter({ strategy, limitFor }).consume(KEY)).rejects.toThrow('plans are down');
  });

  it.each<[string, object]>([
    ['an unknown option', { tableName: 't' }],
    ['no strategy', { strategy: undefined }],
    ['room for no key', { maxKeys: 0 }],
    ['a clock that tells no time', { clock: 5 }],
  ])('rejects %s', (_, change) => {
    expect(() => createMemoryRateLimiter({ strategy, ...change } as never)).toThrow(RateLimitError);
  });
});
