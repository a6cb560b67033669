import { type Clock, systemClock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, func, oneOf, withMethods } from '@sallyport/core/options';
import { invalidConfig, RateLimitError } from '../errors.js';
import { decideWithoutStore, parseCall } from '../limiter/internal/claims.js';
import { Limits } from '../limiter/internal/limits.js';
import type { LimitFor, RateLimiter, RateLimitKey, Strategy } from '../limiter/limiter.js';
import { createMemoryRateLimiter } from '../limiter/memory-limiter.js';
import { strategyOption } from '../strategies/internal/definition.js';

/** Options of {@link createFakeRateLimiter}. */
export interface FakeRateLimiterOptions {
  /** The strategy for counting requests. */
  readonly strategy: Strategy;
  /** The decision while the store is down. Default `deny`. */
  readonly onStoreError?: 'deny' | 'allow';
  /** Time source. Default: the system's clock. */
  readonly clock?: Clock;
  /** Returns the limits of a key instead of the strategy's limits; `undefined` for the limits of the strategy. */
  readonly limitFor?: LimitFor;
}

/** One call of a fake. */
export interface FakeCall {
  /** The called method. */
  readonly operation: 'consume' | 'peek' | 'reset';
  /** The key of the call. */
  readonly key: RateLimitKey;
  /** The cost of `consume`; 1 for the other methods. */
  readonly cost: number;
}

/** A memory limiter that records its calls and whose store can be made to fail. */
export interface FakeRateLimiter extends RateLimiter {
  /** All calls so far, in order; a copy. */
  readonly calls: readonly FakeCall[];
  /** Makes the store fail: for every call from now on, or for the given number of calls. */
  goDown(times?: number): void;
  /** Ends the effect of `goDown`. */
  comeBack(): void;
  /** Makes calls wait from now on, until the returned function is called. */
  hold(): () => void;
}

const OPTIONS = defineOptions<FakeRateLimiterOptions>()(
  {
    strategy: strategyOption.required(),
    onStoreError: oneOf('deny', 'allow').default('deny'),
    clock: withMethods<Clock>('now').default(systemClock),
    limitFor: func<LimitFor>(),
  },
  { fail: invalidConfig },
);

/**
 * Creates a limiter for the tests of an application. It makes real decisions, and on demand decisions without a store.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example
 * const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 60_000 }) });
 * limiter.goDown();
 */
export function createFakeRateLimiter(options: FakeRateLimiterOptions): FakeRateLimiter {
  const { strategy, onStoreError, clock, limitFor } = OPTIONS.parse(options);
  const memory = createMemoryRateLimiter({ strategy, clock, ...(limitFor && { limitFor }) });
  const limits = new Limits(strategy, { limitFor, cache: false, clock: completeClock(clock) });
  const calls: FakeCall[] = [];
  let failures = 0;
  let held: Promise<void> = Promise.resolve();
  /** Records a call, waits while calls must wait, and returns whether the store is down for it. */
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
      const { name } = parseCall(strategy, key, cost);
      const isDown = await enter({ operation: 'consume', key, cost });
      signal?.throwIfAborted();
      if (!isDown) return memory.consume(key, consumeOptions);
      const windows = await limits.of(key, name);
      return decideWithoutStore({ nowMs: clock.now().getTime(), cost, windows }, onStoreError);
    },
    async refund(decision, refundOptions) {
      await held;
      if (failures > 0) throw unavailable();
      if (!decision.degraded) await memory.refund(decision, refundOptions);
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
