import { type Clock, systemClock } from '@sallyport/core';
import { completeClock, createMap, Lru } from '@sallyport/core/internal';
import { defineOptions, func, integer, withMethods } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import {
  type Address,
  type Check,
  type ConditionalWrite,
  type CounterStore,
  type Counters,
  nameOf,
  strategyOption,
  type WriteOutcome,
} from '../strategies/internal/definition.js';
import { claimOn, denyUnfit, parseCall, wholeShare } from './internal/claims.js';
import { cacheOption, Limits } from './internal/limits.js';
import { Receipts } from './internal/receipts.js';
import type { LimitFor, RateLimiter, RateLimitKey, Strategy } from './limiter.js';

/** Options of {@link createMemoryRateLimiter}. */
export interface MemoryRateLimiterOptions {
  /** The strategy for counting requests: `fixedWindow`, `slidingWindow`, `multiWindow` or `tokenBucket`. */
  readonly strategy: Strategy;
  /** Time source. Default: the system's clock. */
  readonly clock?: Clock;
  /** Returns the limits of a key instead of the strategy's limits; `undefined` for the limits of the strategy. */
  readonly limitFor?: LimitFor;
  /** The cache for results of `limitFor`, as in `createDynamoRateLimiter`. */
  readonly limitCache?: { readonly maxKeys?: number; readonly maxAgeMs?: number } | false;
  /** Maximum number of keys, at least 1. The least recently used key is removed first. Default 10,000. */
  readonly maxKeys?: number;
}

const MAX_CLOCK_SKEW_MS = 1000;

/** Validators and defaults for {@link MemoryRateLimiterOptions}. */
export const MEMORY_LIMITER_OPTIONS = defineOptions<MemoryRateLimiterOptions>()(
  {
    strategy: strategyOption.required(),
    clock: withMethods<Clock>('now').default(systemClock),
    limitFor: func<LimitFor>(),
    limitCache: cacheOption,
    maxKeys: integer(1).default(10_000),
  },
  { fail: invalidConfig },
);

/**
 * Creates a limiter in the memory of one process, for tests and local runs. Its decisions equal those by `createDynamoRateLimiter`.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example createMemoryRateLimiter({ strategy: slidingWindow({ limit: 5, windowMs: 1_000 }) })
 */
export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): RateLimiter {
  const { strategy, clock: given, limitFor, limitCache, maxKeys } = MEMORY_LIMITER_OPTIONS.parse(options);
  const clock = completeClock(given);
  const store = new MemoryStore(maxKeys);
  const limits = new Limits(strategy, { limitFor, cache: limitCache, clock });
  const receipts = new Receipts();
  const decider = strategy.createDecider(store, {
    clock,
    maxClockSkewMs: MAX_CLOCK_SKEW_MS,
    slackMs: MAX_CLOCK_SKEW_MS,
    onBrokenClock() {},
  });
  const nowMs = () => clock.now().getTime();
  const claimOf = async (key: RateLimitKey, cost: number, signal: AbortSignal | undefined) => {
    const call = parseCall(strategy, key, cost);
    signal?.throwIfAborted();
    return claimOn(strategy, wholeShare(call, await limits.of(key, call.name)), call, nowMs());
  };
  return {
    strategy,
    async consume(key, { cost = 1, signal } = {}) {
      const counted = await claimOf(key, cost, signal);
      const unfit = denyUnfit(strategy, counted.claim);
      if (unfit !== undefined) return unfit;
      const { decision } = await decider.consume(counted.address, counted.claim);
      return receipts.add(decision, counted, cost);
    },
    async refund(decision, { units, signal } = {}) {
      signal?.throwIfAborted();
      const { claim, address, units: taken } = receipts.take(decision, units);
      await decider.refund(address, claim, taken, nowMs());
    },
    async peek(key, { signal } = {}) {
      const { claim, address } = await claimOf(key, 1, signal);
      return denyUnfit(strategy, claim) ?? decider.peek(address, claim);
    },
    async reset(key, { signal } = {}) {
      const { address } = await claimOf(key, 1, signal);
      await store.remove(address);
    },
  };
}

/** An in-memory table. Each write is one synchronous step, so no other write can run between check and change. */
class MemoryStore implements CounterStore {
  readonly #items: Lru<Record<string, number>>;

  constructor(maxItems: number) {
    this.#items = new Lru(maxItems);
  }

  async write(address: Address, write: ConditionalWrite): Promise<WriteOutcome> {
    const item = this.#items.get(nameOf(address)) ?? createMap<number>();
    if (!write.checks.every((check) => holds(check, item[check.counter]))) {
      return { applied: false, counters: copy(item) };
    }
    for (const { counter, value } of write.sets) item[counter] = value;
    for (const { counter, value } of write.adds) item[counter] = (item[counter] ?? 0) + value;
    for (const counter of write.removes) delete item[counter];
    this.#items.set(nameOf(address), item);
    return { applied: true, counters: copy(item) };
  }

  async read(address: Address): Promise<Counters> {
    return copy(this.#items.get(nameOf(address)) ?? {});
  }

  glance(address: Address): Promise<Counters> {
    return this.read(address);
  }

  async remove(address: Address): Promise<void> {
    this.#items.delete(nameOf(address));
  }
}

function holds({ above, max }: Check, value: number | undefined): boolean {
  if (value === undefined) return above === undefined;
  return value <= max && (above === undefined || value > above);
}

function copy(item: Counters): Counters {
  return Object.assign(createMap<number>(), item);
}
