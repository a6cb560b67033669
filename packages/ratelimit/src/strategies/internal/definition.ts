import type { FullClock } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';
import { kind, type OptionKind } from '@sallyport/core/options';
import type {
  LimitDecision,
  RateLimitKey,
  Strategy,
  StrategyKind,
  WindowLimit,
  WindowState,
} from '../../limiter/limiter.js';

/** The whole numbers of one item, by attribute; a map without a prototype. */
export type Counters = Readonly<Record<string, number>>;

/** The key of the item in which a rate limit key, or one window of it, is counted. */
export interface Address {
  readonly pk: string;
  readonly sk: string;
  readonly part: Part;
}

/** The position of an item among the items of a key. */
export interface Part {
  /** The number of items that the instance assumes. */
  readonly items: number;
  readonly isFirst: boolean;
  /** True if the first item was written for this claim. */
  readonly isVerified?: boolean;
  readonly nowMs: number;
}

/** A string for an address. Keys contain no control characters. */
export function nameOf({ pk, sk }: Pick<Address, 'pk' | 'sk'>): string {
  return `${pk}\n${sk}`;
}

/**
 * A condition of a write: the counter is absent or at most `max`. With `above` it must exist, be greater than `above`, and be at
 * most `max`.
 */
export interface Check {
  readonly counter: string;
  readonly above?: number;
  readonly max: number;
}

export interface CounterValue {
  readonly counter: string;
  readonly value: number;
}

/** One conditional write: if all checks are true, all changes are made, else none. */
export interface ConditionalWrite {
  readonly checks: readonly Check[];
  readonly adds: readonly CounterValue[];
  readonly sets: readonly CounterValue[];
  readonly removes: readonly string[];
  /** Unix seconds after which the item may be deleted; `undefined` keeps the item's expiry. */
  readonly expiresAt: number | undefined;
  /** True if an expiry that the item already has is kept. */
  readonly keepsExpiry: boolean;
  /** True if it is sent at most once, because it must not be applied twice and a repetition cannot be detected. */
  readonly once?: boolean;
}

export interface WriteOutcome {
  readonly applied: boolean;
  /** Applied: the new counters. Rejected: the counters that rejected it, `undefined` if the store did not return them. */
  readonly counters: Counters | undefined;
}

/** The operations of a table that a limiter uses. */
export interface CounterStore {
  /** Writes conditionally. An applied write is reported as applied, even if the client had to repeat it. */
  write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Strongly consistent; an absent item has no counters. */
  read(address: Address, signal?: AbortSignal): Promise<Counters>;
  /** An eventually consistent read, for half the price; `undefined` if it fails. */
  glance(address: Address, signal?: AbortSignal): Promise<Counters | undefined>;
  remove(address: Address, signal?: AbortSignal): Promise<void>;
}

/** One request for a strategy: `windows` contain the enforced limits. */
export interface Claim {
  readonly key: RateLimitKey;
  readonly nowMs: number;
  readonly cost: number;
  readonly windows: readonly WindowLimit[];
  /** The number of items of the key; `windows` contain the limits of one item. */
  readonly shards: number;
  /** Units to reserve beyond the cost, if the limit allows it. */
  readonly extra?: number | undefined;
  /** Unspent units of an earlier claim on the same item, which the same write returns. */
  readonly unspent?: { readonly claim: Claim; readonly units: number } | undefined;
}

/** A decision, the number of reserved units beyond the cost, and the number of returned unspent units. */
export interface Taken {
  readonly decision: LimitDecision;
  readonly extra: number;
  readonly returned: number;
}

/** A time interval: the start is inclusive, the end exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** Sends the writes of a strategy, and converts their outcomes to decisions. A limiter has one decider. */
export interface Decider {
  /** @param commit called with the outcome when only the cleanup remains */
  consume(address: Address, claim: Claim, signal?: AbortSignal, commit?: (taken: Taken) => void): Promise<Taken>;
  peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision>;
  /** Returns units of a claim that still count at `nowMs`. */
  refund(address: Address, claim: Claim, units: number, nowMs: number, signal?: AbortSignal): Promise<void>;
}

export interface DeciderOptions {
  readonly clock: FullClock;
  readonly maxClockSkewMs: number;
  /** Maximum delay of a write after its timestamp, including slow clocks. */
  readonly slackMs: number;
  /** Called when an item was written by a clock that is wrong by more than `maxClockSkewMs`. */
  readonly onBrokenClock: (key: RateLimitKey) => void;
}

/** The parts of a strategy that a limiter uses. A new strategy is a subclass and its `create` function, in a separate file. */
export abstract class StrategyDefinition implements Strategy {
  static {
    brandError(StrategyDefinition, 'sallyport.RateLimitStrategy');
  }

  abstract readonly kind: StrategyKind;
  abstract readonly policy: string;
  abstract readonly windows: readonly WindowLimit[];
  /** For each window of `windows`, its position in the order of the options. */
  abstract readonly givenOrder: readonly number[];
  /** The largest limit that `limitFor` may return. */
  readonly maxLimit: number = Number.MAX_SAFE_INTEGER;

  /** Counts requests in a store. */
  abstract createDecider(store: CounterStore, options: DeciderOptions): Decider;
  /** The sort key: each period of a window can have a separate item. */
  abstract sortKey(nowMs: number): string;
  /** The period in which a claim's reserved units may be spent: while they count for the same windows as the claim. */
  abstract period(claim: Pick<Claim, 'nowMs' | 'windows'>): Period;
  /** The windows as counted. `resetsAt` depends on whether the claim was allowed. */
  abstract usage(counters: Counters, claim: Claim, allowed: boolean): readonly WindowState[];

  /** The part of the units of one period that still counts in a later one, by the starts of both. */
  stillCounting(fromMs: number, toMs: number): number {
    return this.sortKey(fromMs) === this.sortKey(toMs) ? 1 : 0;
  }

  /** The part of a counter for one of several items when a single item is spread. */
  partOf(value: number, items: number, place: number): number {
    return Math.floor(value / items) + (place < value % items ? 1 : 0);
  }

  /** Units of an item that become free within `_ms` of a period, although they were used in that period. */
  refilled(_claim: Pick<Claim, 'shards'>, _ms: number): number {
    return 0;
  }

  /** The windows with other limits, in the order of `windows`. */
  withLimits(limits: readonly number[]): readonly WindowLimit[] {
    return this.windows.map((window, index) => ({ ...window, limit: limits[index] ?? 0 }));
  }
}

/** The option `strategy`. Objects that only look like a strategy are rejected. */
export const strategyOption: OptionKind<StrategyDefinition> = kind(
  'a strategy of this package, such as fixedWindow({ limit, windowMs })',
  (value) => value instanceof StrategyDefinition,
);

/** Time for which an item is kept after its last window has ended, for instances with a slow clock. */
export const EXPIRY_GRACE_SECONDS = 3600;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its largest whole unit: `1d`, `2h`, `1m`, `90s`; `1500ms` if it is not a whole number of seconds. */
export function durationLabel(ms: number): string {
  for (const [unit, length] of UNITS) {
    if (ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}

/** The state of a window. */
export function windowState(window: WindowLimit, currentCount: number, resetsAtMs: number): WindowState {
  const { name, windowMs, limit } = window;
  const remaining = Math.max(0, limit - currentCount);
  return { name, windowMs, limit, currentCount, remaining, resetsAt: new Date(resetsAtMs) };
}

/** The number of remaining units in the fullest window. */
export function roomOf(states: readonly WindowState[]): number {
  return Math.min(...states.map((state) => state.limit - state.currentCount));
}

/** True if the cost is within the limit of every window. */
export function canFit({ windows, cost }: Claim): boolean {
  return windows.every((window) => window.limit >= cost);
}

/** True if the counted windows have room for the cost. */
export function hasRoom(states: readonly WindowState[], cost: number): boolean {
  return roomOf(states) >= cost;
}

/** The decision over counted windows. */
export function decide(
  states: readonly WindowState[],
  claim: Pick<Claim, 'cost' | 'nowMs'>,
  allowed: boolean,
  source: 'store' | 'local',
): LimitDecision {
  const isSpent = (state: WindowState) =>
    allowed ? state.remaining === 0 : state.currentCount + claim.cost > state.limit;
  const binding = bindingWindow(states, isSpent);
  const decision = { ...binding, allowed, windows: states, degraded: false, source };
  if (allowed) return decision;
  return { ...decision, retryAfterMs: Math.max(1, binding.resetsAt.getTime() - claim.nowMs) };
}

/** The exhausted window that becomes free last; if no window is exhausted, the fullest window. */
function bindingWindow(states: readonly WindowState[], isSpent: (state: WindowState) => boolean): WindowState {
  const exhausted = states.filter(isSpent);
  const [first, ...others] = exhausted.length > 0 ? exhausted : states;
  if (first === undefined) throw new RangeError('a strategy has at least one window');
  const weight =
    exhausted.length > 0
      ? ({ resetsAt }: WindowState) => resetsAt.getTime()
      : ({ currentCount, limit }: WindowState) => (limit === 0 ? Number.POSITIVE_INFINITY : currentCount / limit);
  return others.reduce((best, state) => (weight(state) > weight(best) ? state : best), first);
}
