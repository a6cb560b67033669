import type { FullClock } from '@sallyport/core';
import { isPromise, Lru } from '@sallyport/core/internal';
import { group, integer, OptionKind } from '@sallyport/core/options';
import { invalidConfig, RateLimitError, storeUnavailable } from '../../errors.js';
import type { StrategyDefinition } from '../../strategies/internal/definition.js';
import type { LimitFor, RateLimitKey, WindowLimit } from '../limiter.js';

/** The cache of asynchronous results. */
export interface CacheSize {
  readonly maxKeys: number;
  readonly maxAgeMs: number;
}

const CACHE: CacheSize = { maxKeys: 1000, maxAgeMs: 10_000 };
const CACHE_OPTIONS = group<CacheSize>()({
  maxKeys: integer(1, 1_000_000).default(CACHE.maxKeys),
  maxAgeMs: integer(1, 3_600_000, 'milliseconds').default(CACHE.maxAgeMs),
}).default(CACHE);

/** The option of a cache: `false`, or its size. */
export const cacheOption: OptionKind<CacheSize | false, CacheSize> = new OptionKind<CacheSize | false>(
  'false, or an object',
  (value, place) => (value === false ? false : CACHE_OPTIONS.read(value, place)),
).default(CACHE);

interface Answer {
  readonly windows: readonly WindowLimit[];
  readonly atMs: number;
}

export interface LimitsOptions {
  readonly limitFor: LimitFor | undefined;
  readonly cache: CacheSize | false;
  readonly clock: FullClock;
}

/**
 * The limits that apply to a key. A synchronous result of `limitFor` is used once. The result of a promise is cached for some
 * time. When a promise rejects, the last result is used, even if it is old.
 */
export class Limits {
  readonly #strategy: StrategyDefinition;
  readonly #options: LimitsOptions;
  readonly #answers: Lru<Answer>;
  readonly #asking = new Map<string, Promise<readonly WindowLimit[]>>();

  constructor(strategy: StrategyDefinition, options: LimitsOptions) {
    this.#strategy = strategy;
    this.#options = options;
    this.#answers = new Lru(options.cache === false ? 1 : options.cache.maxKeys);
  }

  /**
   * @throws RateLimitError `ratelimit.invalid_config` for a wrong result, `ratelimit.store_unavailable` if a promise rejects;
   * errors of `limitFor`
   */
  async of(key: RateLimitKey, name: string): Promise<readonly WindowLimit[]> {
    const { limitFor, cache, clock } = this.#options;
    if (limitFor === undefined) return this.#strategy.windows;
    const known = this.#answers.get(name);
    if (known && cache !== false && clock.monotonicMs() - known.atMs < cache.maxAgeMs) return known.windows;
    const asking = this.#asking.get(name) ?? this.#ask(limitFor, key, name, known);
    if (!isPromise(asking)) return asking;
    this.#asking.set(name, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(name);
    }
  }

  #ask(
    limitFor: LimitFor,
    key: RateLimitKey,
    name: string,
    known: Answer | undefined,
  ): readonly WindowLimit[] | Promise<readonly WindowLimit[]> {
    const failed = (error: unknown) => {
      if (error instanceof RateLimitError) throw error;
      if (known !== undefined) return known.windows;
      throw storeUnavailable(true, error);
    };
    const answer = limitFor(key);
    if (!isPromise(answer)) return this.#enforced(answer);
    return answer.then((limits) => this.#keep(name, limits)).catch(failed);
  }

  #keep(name: string, limits: unknown): readonly WindowLimit[] {
    const windows = this.#enforced(limits);
    if (this.#options.cache !== false) this.#answers.set(name, { windows, atMs: this.#options.clock.monotonicMs() });
    return windows;
  }

  /** @throws RateLimitError `ratelimit.invalid_config` unless there is one limit for each window */
  #enforced(answer: unknown): readonly WindowLimit[] {
    const { windows, givenOrder, maxLimit } = this.#strategy;
    if (answer === undefined) return windows;
    const given: unknown = typeof answer === 'number' ? [answer] : answer;
    const fits = (limit: unknown) => Number.isSafeInteger(limit) && Number(limit) >= 0 && Number(limit) <= maxLimit;
    if (!Array.isArray(given) || given.length !== windows.length || !given.every(fits)) {
      throw invalidConfig('limitFor must answer one whole number of at least 0 for each window');
    }
    return this.#strategy.withLimits(givenOrder.map((place) => given[place] ?? 0));
  }
}
