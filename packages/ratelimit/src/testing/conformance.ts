import { randomUUID } from 'node:crypto';
import type { Clock } from '@sallyport/core';
import type { LimitFor, RateLimiter, RateLimitKey } from '../limiter/limiter.js';
import type { Strategy } from '../strategies/strategy.js';
import { DECISION_CASES } from './internal/decision-cases.js';
import { KEY_CASES } from './internal/key-cases.js';
import { TIME_CASES } from './internal/time-cases.js';

export interface ConformanceLimiterOptions {
  readonly strategy: Strategy;
  readonly clock: Clock;
  readonly limitFor?: LimitFor;
}

/** How the suite gets limiters. */
export interface RateLimiterHarness {
  /** A limiter with these options that asks its store at every decision: no cache of denials. */
  create(options: ConformanceLimiterOptions): Promise<RateLimiter>;
}

/** One behaviour that every limiter shows; `run` throws an `AssertionError` when it does not. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a case works with. */
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

/** A wall clock that a case sets; timers stay the system's. */
export class SettableClock implements Clock {
  #nowMs = START_MS;

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Milliseconds behind the start. */
  at(ms: number): void {
    this.#nowMs = START_MS + ms;
  }
}

/**
 * The behaviour of {@link RateLimiter}, for any implementation and any test runner.
 *
 * @example it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
 */
export function rateLimiterConformance(harness: RateLimiterHarness): readonly ConformanceCase[] {
  return [...DECISION_CASES, ...TIME_CASES, ...KEY_CASES].map(({ name, run }) => ({
    name,
    run: () => run(createBench(harness)),
  }));
}

function createBench(harness: RateLimiterHarness): Bench {
  const clock = new SettableClock();
  const identifier = randomUUID();
  return {
    clock,
    limiter: (strategy, limitFor) => harness.create({ strategy, clock, ...(limitFor && { limitFor }) }),
    key: (parts) => ({ identifier, resource: '/users/{id}', operation: 'GET', ...parts }),
  };
}
