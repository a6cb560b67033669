import { randomUUID } from 'node:crypto';
import type { Clock } from '@sallyport/core';
import { SettableClock } from '@sallyport/core/testing';
import type { LimitFor, RateLimiter, RateLimitKey, Strategy } from '../limiter/limiter.js';

/** Options of a limiter for the suite. */
export interface ConformanceLimiterOptions {
  /** The strategy for counting. */
  readonly strategy: Strategy;
  /** The clock of the limiter; the suite sets it. */
  readonly clock: Clock;
  /** Returns the limits of a key instead of the strategy's limits. */
  readonly limitFor?: LimitFor;
}

/** Creates the limiters for the suite. */
export interface RateLimiterHarness {
  /** Creates a limiter with these options and without a cache of denials, so that it calls its store at every decision. */
  create(options: ConformanceLimiterOptions): Promise<RateLimiter>;
}

/** One behaviour that every limiter must have. */
export interface ConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the behaviour differs. */
  run(): Promise<void>;
}

/** The argument of a case. */
export interface Bench {
  readonly clock: SettableClock;
  limiter(strategy: Strategy, limitFor?: LimitFor): Promise<RateLimiter>;
  /** A key that no other case uses, with other parts on demand. */
  key(parts?: Partial<RateLimitKey>): RateLimitKey;
}

export interface CaseDefinition {
  readonly name: string;
  run(bench: Bench): Promise<void>;
}

/** A whole hour, minute and second of Unix time: 2023-11-14T22:00:00Z. */
const START_MS = 1_699_999_200_000;

/** The cases for limiters of a harness, each with a separate clock and identifier. */
export function toCases(
  harness: RateLimiterHarness,
  definitions: readonly CaseDefinition[],
): readonly ConformanceCase[] {
  return definitions.map(({ name, run }) => ({
    name,
    async run() {
      const clock = new SettableClock(START_MS);
      const identifier = randomUUID();
      await run({
        clock,
        limiter: (strategy, limitFor) => harness.create({ strategy, clock, ...(limitFor && { limitFor }) }),
        key: (parts) => ({ identifier, resource: '/users/{id}', operation: 'GET', ...parts }),
      });
    },
  }));
}
