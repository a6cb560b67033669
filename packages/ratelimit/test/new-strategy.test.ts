import { createMemoryRateLimiter } from '@sallyport/ratelimit';
import type { Claim, ConditionalWrite, Counters } from '../src/strategies/internal/definition.js';
import { windowState } from '../src/strategies/internal/definition.js';
import { WindowStrategy } from '../src/strategies/internal/window-strategy.js';
import { createBench, KEY } from './support/dynamo.js';

/** Two requests for each key and no reset. The file of a new strategy contains only this. */
class Lifetime extends WindowStrategy {
  readonly kind = 'lifetime';
  readonly policy = 'default:l';
  readonly windows = [{ name: 'default', windowMs: Number.MAX_SAFE_INTEGER, limit: 2 }];
  readonly givenOrder = [0];

  sortKey(): string {
    return '0';
  }

  write({ windows }: Claim, units: number): ConditionalWrite {
    return {
      checks: windows.map(({ limit }) => ({ counter: 'n', max: limit - units })),
      adds: [{ counter: 'n', value: units }],
      sets: [],
      removes: [],
      expiresAt: undefined,
      keepsExpiry: true,
    };
  }

  usage({ n = 0 }: Counters, { nowMs, windows }: Claim) {
    return windows.map((window) => windowState(window, n, nowMs));
  }
}

describe('a strategy that is one class', () => {
  it('counts in memory', async () => {
    const limiter = createMemoryRateLimiter({ strategy: new Lifetime() });
    const allowed = [await limiter.consume(KEY), await limiter.consume(KEY), await limiter.consume(KEY)];
    expect(allowed.map((decision) => decision.allowed)).toEqual([true, true, false]);
    expect(await limiter.peek(KEY)).toMatchObject({ allowed: false, currentCount: 2 });
  });

  it('counts in a table, with other limits for a key', async () => {
    const bench = await createBench();
    const limiter = bench.limiter({ strategy: new Lifetime(), limitFor: () => 1 });
    expect([(await limiter.consume(KEY)).allowed, (await limiter.consume(KEY)).allowed]).toEqual([true, false]);
    bench.client.destroy();
  });
});
