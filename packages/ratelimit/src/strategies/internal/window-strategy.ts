import { integer, kind, type OptionKinds } from '@sallyport/core/options';
import type { LimitDecision, WindowLimit, WindowOptions } from '../../limiter/limiter.js';
import {
  type Address,
  type Claim,
  type ConditionalWrite,
  type CounterStore,
  type Counters,
  type Decider,
  type DeciderOptions,
  decide,
  hasRoom,
  StrategyDefinition,
} from './definition.js';

export const DEFAULT_NAME = 'default';
const MAX_LIMIT = 1_000_000_000;
const MIN_WINDOW_MS = 100;
const MAX_WINDOW_MS = 31 * 86_400_000;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The name of a window or a bucket. */
export const nameOption = kind<string>(
  '1 to 64 characters of A-Z a-z 0-9 _ . -',
  (value) => typeof value === 'string' && NAME.test(value),
);

/** What the options of every window may be. */
export const WINDOW_OPTIONS = {
  limit: integer(0, MAX_LIMIT).required(),
  windowMs: integer(MIN_WINDOW_MS, MAX_WINDOW_MS, 'milliseconds').required(),
  name: nameOption,
} satisfies OptionKinds<WindowOptions>;

/** An immutable window. `otherwise` is its name when it has none of its own. */
export function toWindow(
  { name, windowMs, limit }: Omit<WindowOptions, 'name'> & { readonly name?: string | undefined },
  otherwise: string,
): WindowLimit {
  return Object.freeze({ name: name ?? otherwise, windowMs, limit });
}

/** How many steps of a length a clock may be behind. Counters that such a clock still checks are never removed. */
export function skewSteps(maxClockSkewMs: number, stepMs: number): number {
  return Math.max(1, Math.ceil(maxClockSkewMs / stepMs));
}

/** A strategy that counts in windows: every decision is one conditional write. */
export abstract class WindowStrategy extends StrategyDefinition {
  /** The write that counts a claim, and that is refused when a window has no room for it. */
  abstract write(claim: Claim, maxClockSkewMs: number): ConditionalWrite;

  /** Counters that no instance needs any more, when there are enough of them to be worth a write. */
  overdue(_counters: Counters, _claim: Claim, _maxClockSkewMs: number): readonly string[] {
    return [];
  }

  createDecider(store: CounterStore, options: DeciderOptions): Decider {
    return new WindowDecider(this, store, options.maxClockSkewMs);
  }
}

class WindowDecider implements Decider {
  readonly #strategy: WindowStrategy;
  readonly #store: CounterStore;
  readonly #maxClockSkewMs: number;

  constructor(strategy: WindowStrategy, store: CounterStore, maxClockSkewMs: number) {
    this.#strategy = strategy;
    this.#store = store;
    this.#maxClockSkewMs = maxClockSkewMs;
  }

  async consume(
    address: Address,
    claim: Claim,
    signal?: AbortSignal,
    commit?: (decision: LimitDecision) => void,
  ): Promise<LimitDecision> {
    const write = this.#strategy.write(claim, this.#maxClockSkewMs);
    const { applied, counters } = await this.#store.write(address, write, signal);
    const counted = counters ?? (await this.#store.read(address, signal));
    const decision = decide(this.#strategy.usage(counted, claim, applied), claim, applied, 'store');
    commit?.(decision);
    if (applied) await this.#clearUp(address, counted, claim, signal);
    return decision;
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    const allowed = hasRoom(this.#strategy.usage(counters, claim, true), claim.cost);
    return decide(this.#strategy.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  /** Removes old counters. The request is decided already, so a failure changes nothing and is dropped. */
  async #clearUp(address: Address, counters: Counters, claim: Claim, signal?: AbortSignal): Promise<void> {
    const removes = this.#strategy.overdue(counters, claim, this.#maxClockSkewMs);
    if (removes.length === 0) return;
    const write = { checks: [], adds: [], sets: [], removes, expiresAt: undefined, keepsExpiry: true };
    await this.#store.write(address, write, signal).catch(() => {});
  }
}
