import { Lru } from '@sallyport/core/internal';
import type { Claim } from '../../strategies/internal/definition.js';
import type { LimitDecision, WindowLimit } from '../limiter.js';

interface Denial {
  readonly cost: number;
  readonly windows: readonly WindowLimit[];
  readonly decision: LimitDecision;
  readonly storedAtMs: number;
  readonly untilMs: number;
}

/**
 * A cache of the store's denials, for requests with the same cost: they need no call. A request with a higher cost calls the
 * store, because it has to wait longer. The counters of a window only grow until it has room for the denied cost. `maxAgeMs`
 * limits how long a reset, a refund or a raised limit by another instance has no effect.
 */
export class DeniedCache {
  readonly #denials: Lru<Denial>;
  readonly #maxAgeMs: number;

  constructor(maxKeys: number, maxAgeMs: number) {
    this.#denials = new Lru(maxKeys);
    this.#maxAgeMs = maxAgeMs;
  }

  add(key: string, { nowMs, cost, windows }: Claim, decision: LimitDecision): void {
    const untilMs = decision.resetsAt.getTime();
    this.#denials.set(key, { cost, windows, decision, storedAtMs: nowMs, untilMs });
  }

  find(key: string, { nowMs, cost, windows }: Claim): LimitDecision | undefined {
    const denial = this.#denials.get(key);
    if (denial === undefined) return undefined;
    const age = nowMs - denial.storedAtMs;
    if (age < 0 || age >= this.#maxAgeMs || nowMs >= denial.untilMs) return undefined;
    if (cost !== denial.cost || !sameLimits(windows, denial.windows)) return undefined;
    return { ...denial.decision, retryAfterMs: denial.untilMs - nowMs, source: 'local' };
  }

  delete(key: string): void {
    this.#denials.delete(key);
  }
}

function sameLimits(left: readonly WindowLimit[], right: readonly WindowLimit[]): boolean {
  return left.every((window, index) => window.limit === right[index]?.limit);
}
