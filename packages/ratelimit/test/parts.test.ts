import type { ItemTable } from '@sallyport/dynamo';
import { slidingWindow } from '@sallyport/ratelimit';
import { DynamoStore } from '../src/limiter/internal/dynamo-store.js';
import { soonest } from '../src/limiter/internal/shards.js';
import type { LimitDecision } from '../src/limiter/limiter.js';
import type { StrategyDefinition } from '../src/strategies/internal/definition.js';

const denied = (name: string, retryAfterMs?: number): LimitDecision => ({
  ...{ allowed: false, name, windowMs: 1000, limit: 1, remaining: 0, currentCount: 1, resetsAt: new Date(0) },
  ...{ windows: [], degraded: false, source: 'store' },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

it.each<[string, readonly LimitDecision[], string]>([
  ['one', [denied('a', 5)], 'a'],
  ['a later one', [denied('a', 5), denied('b', 3), denied('c', 4)], 'b'],
  ['the first of equal ones', [denied('a', 3), denied('b', 3)], 'a'],
  ['one without a time', [denied('a', 5), denied('b')], 'b'],
])('the denial that ends first is named: %s', (_title, denials, expected) => {
  expect(soonest(denials)).toMatchObject({ name: expected });
});

it.each([
  [0, 0, 1],
  [0, 99, 1],
  [0, 100, 0.9],
  [700, 900, 0.81],
  [900, 700, 0.81],
  [0, 1000, 0.9 ** 10],
])('of the requests of a granule at %d ms, a share counts at %d ms', (fromMs, toMs, expected) => {
  const strategy = slidingWindow({ limit: 5, windowMs: 1000 });
  expect((strategy as StrategyDefinition).stillCounting(fromMs, toMs)).toBeCloseTo(expected, 12);
});

it.each([
  ['no counters for an absent item', () => undefined, {}],
  ['nothing for an item that cannot be read', () => Promise.reject(new Error('down')), undefined],
])('the unconditional read of an item returns %s', async (_title, get, expected) => {
  const store = new DynamoStore({ get: async () => get() } as unknown as ItemTable);
  const part = { items: 1, isFirst: true, nowMs: 0 };
  expect(await store.glance({ pk: 'a', sk: '0', part })).toEqual(expected);
});
