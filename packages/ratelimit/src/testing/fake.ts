import { type Clock, systemClock } from '@sallyport/core';
import { RateLimitError } from '../errors.js';
import { assertOptions } from '../internal/options.js';
import { decideWithoutStore, toClaim } from '../limiter/internal/claims.js';
import { parseStrategy } from '../limiter/internal/limits.js';
import type { LimitFor, RateLimiter, RateLimitKey } from '../limiter/limiter.js';
import { createMemoryRateLimiter } from '../limiter/memory-limiter.js';
import type { Strategy } from '../strategies/strategy.js';

export interface FakeRateLimiterOptions {
  readonly strategy: Strategy;
  /** What a decision is while the store is down; `deny`. */
  readonly onStoreError?: 'deny' | 'allow';
  readonly clock?: Clock;
  readonly limitFor?: LimitFor;
}

/** One call that a fake has seen. */
export interface FakeCall {
  readonly operation: 'consume' | 'peek' | 'reset';
  readonly key: RateLimitKey;
  /** 1 but for `consume`. */
  readonly cost: number;
}

/** A memory limiter whose store can be down, and that remembers what it was asked. */
export interface FakeRateLimiter extends RateLimiter {
  /** In order; a copy. */
  readonly calls: readonly FakeCall[];
  /** The store fails from now on, or for so many calls. */
  goDown(times?: number): void;
  comeBack(): void;
  /** Calls wait from now on until the result is called. */
  hold(): () => void;
}

/**
 * A limiter for the tests of an application: real decisions, and on demand those without a store.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 */
export function createFakeRateLimiter(options: FakeRateLimiterOptions): FakeRateLimiter {
  assertOptions(options, ['strategy', 'onStoreError', 'clock', 'limitFor']);
  const { onStoreError = 'deny', ...rest } = options;
  const memory = createMemoryRateLimiter(rest);
  const strategy = parseStrategy(options.strategy);
  const clock = options.clock ?? systemClock;
  const calls: FakeCall[] = [];
  let failures = 0;
  let held: Promise<void> = Promise.resolve();
  /** Records a call, waits while calls are held, and tells whether the store is down for it. */
  const enter = async (call: FakeCall): Promise<boolean> => {
    calls.push(call);
    await held;
    if (failures <= 0) return false;
    failures -= 1;
    return true;
  };
  return {
    strategy,
    get calls() {
      return [...calls];
    },
    goDown: (times = Number.POSITIVE_INFINITY) => {
      failures = times;
    },
    comeBack: () => {
      failures = 0;
    },
    hold: () => {
      const { promise, release } = gate();
      held = promise;
      return release;
    },
    async consume(key, consumeOptions = {}) {
      const { cost = 1, signal } = consumeOptions;
      const { claim } = toClaim(strategy, options.limitFor, key, cost, clock.now().getTime());
      const isDown = await enter({ operation: 'consume', key, cost });
      signal?.throwIfAborted();
      return isDown ? decideWithoutStore(claim, onStoreError === 'allow') : memory.consume(key, consumeOptions);
    },
    async peek(key, callOptions) {
      if (await enter({ operation: 'peek', key, cost: 1 })) throw unavailable();
      return memory.peek(key, callOptions);
    },
    async reset(key, callOptions) {
      if (await enter({ operation: 'reset', key, cost: 1 })) throw unavailable();
      return memory.reset(key, callOptions);
    },
  };
}

function unavailable(): RateLimitError {
  return new RateLimitError('ratelimit.store_unavailable', 'framework: rate limit store unavailable', {
    retryable: true,
  });
}

function gate(): { promise: Promise<void>; release: () => void } {
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}
