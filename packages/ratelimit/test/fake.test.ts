import { fixedWindow } from '@sallyport/ratelimit';
import { createFakeRateLimiter } from '@sallyport/ratelimit/testing';
import { KEY, WallClock } from './support/dynamo.js';

const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });

describe('the fake limiter', () => {
  it('records its calls, and returns copies', async () => {
    const limiter = createFakeRateLimiter({ strategy });
    await limiter.consume(KEY, { cost: 2 });
    await limiter.peek(KEY);
    await limiter.reset(KEY);
    (limiter.calls as unknown[]).length = 0;
    expect(limiter.calls).toEqual([
      { operation: 'consume', key: KEY, cost: 2 },
      { operation: 'peek', key: KEY, cost: 1 },
      { operation: 'reset', key: KEY, cost: 1 },
    ]);
  });

  it('allows and denies like a shared limiter without its store, for the requested number of calls', async () => {
    const limiter = createFakeRateLimiter({ strategy, clock: new WallClock() });
    limiter.goDown(3);
    expect(await limiter.consume(KEY)).toEqual({
      name: 'default',
      windowMs: 60_000,
      limit: 2,
      currentCount: 0,
      remaining: 0,
      resetsAt: new Date('2023-11-14T22:00:01.000Z'),
      allowed: false,
      retryAfterMs: 1000,
      windows: [
        {
          name: 'default',
          windowMs: 60_000,
          limit: 2,
          currentCount: 0,
          remaining: 0,
          resetsAt: new Date('2023-11-14T22:00:01.000Z'),
        },
      ],
      degraded: true,
      source: 'none',
    });
    await expect(limiter.peek(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable', retryable: true });
    await expect(limiter.reset(KEY)).rejects.toMatchObject({ code: 'ratelimit.store_unavailable' });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, degraded: false });
    limiter.goDown();
    for (const _ of [1, 2]) expect((await limiter.consume(KEY)).degraded).toBe(true);
    limiter.comeBack();
    expect((await limiter.consume(KEY)).degraded).toBe(false);
  });

  it('makes calls wait until the returned function is called', async () => {
    const limiter = createFakeRateLimiter({ strategy });
    const release = limiter.hold();
    const order: string[] = [];
    const pending = limiter.consume(KEY).then(() => order.push('decided'));
    await new Promise(setImmediate);
    order.push('released');
    release();
    await pending;
    expect(order).toEqual(['released', 'decided']);
  });
});
