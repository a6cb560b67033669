import type { FullClock } from '@sallyport/core';
import { kind, type OptionKind } from '@sallyport/core/options';
import { brandError } from '@sallyport/core/pipeline';
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

/** Which one of the items of a key an item is. */
export interface Part {
  /** The number of items that the instance assumes. */
  readonly items: number;
  readonly isFirst: boolean;
  /** True if the first item was written for this claim. */
  readonly isVerified?: boolean;
  readonly nowMs: number;
}

/** One text for an address. Keys hold no control characters. */
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
  /** Unix seconds after which the item may be deleted; `undefined` leaves the item's expiry as it is. */
  readonly expiresAt: number | undefined;
  /** True if an expiry that the item already has is kept. */
  readonly keepsExpiry: boolean;
  /** True if it is sent at most once: applied twice it would be wrong, and a repetition cannot be recognized. */
  readonly once?: boolean;
}

export interface WriteOutcome {
  readonly applied: boolean;
  /** Applied: the new counters. Rejected: the counters that rejected it, `undefined` when the store did not return them. */
  readonly counters: Counters | undefined;
}

/** The operations of a table that a limiter uses. */
export interface CounterStore {
  /** A write that was applied is reported as applied, even when its first answer was lost. */
  write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Strongly consistent; an absent item has no counters. */
  read(address: Address, signal?: AbortSignal): Promise<Counters>;
  /** An eventually consistent read, for half the price; `undefined` when it fails. */
  glance(address: Address, signal?: AbortSignal): Promise<Counters | undefined>;
  remove(address: Address, signal?: AbortSignal): Promise<void>;
}

/** One request as a strategy sees it: `windows` carry the limits that are enforced. */
export interface Claim {
  readonly key: RateLimitKey;
  readonly nowMs: number;
  readonly cost: number;
  readonly windows: readonly WindowLimit[];
  /** Over how many items the key is spread; `windows` carry the limits of one of them. */
  readonly shards: number;
  /** Units to reserve beyond the cost, if the limit allows it. */
  readonly extra?: number | undefined;
  /** Unspent units of an earlier claim on the same item, which the same write returns. */
  readonly unspent?: { readonly claim: Claim; readonly units: number } | undefined;
}

/** A decision, how many units beyond the cost were taken, and how many of the unspent ones were returned. */
export interface Taken {
  readonly decision: LimitDecision;
  readonly extra: number;
  readonly returned: number;
}

/** An interval of time: its start belongs to it, its end does not. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** Makes the writes of a strategy, and converts their outcomes to decisions. A limiter has one decider. */
export interface Decider {
  /** @param commit called with the outcome when only clearing up is left to do */
  consume(address: Address, claim: Claim, signal?: AbortSignal, commit?: (taken: Taken) => void): Promise<Taken>;
  peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision>;
  /** Gives units of a claim back, as far as they still count at `nowMs`. */
  refund(address: Address, claim: Claim, units: number, nowMs: number, signal?: AbortSignal): Promise<void>;
}

export interface DeciderOptions {
  readonly clock: FullClock;
  readonly maxClockSkewMs: number;
  /** How late a write may be applied after its time stamp, including slow clocks. */
  readonly slackMs: number;
  /** Called when an item was written by a clock that is wrong by more than `maxClockSkewMs`. */
  readonly onBrokenClock: (key: RateLimitKey) => void;
}

/** The parts of a strategy that a limiter uses. A new strategy is a subclass and its `create` function, in its own file. */
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
  /** The sort key: each period of a window may have an item of its own. */
  abstract sortKey(nowMs: number): string;
  /** When units that a claim takes may be spent: as long as they count for the same windows as the claim itself. */
  abstract period(claim: Pick<Claim, 'nowMs' | 'windows'>): Period;
  /** The windows as counted. `resetsAt` depends on whether the claim was allowed. */
  abstract usage(counters: Counters, claim: Claim, allowed: boolean): readonly WindowState[];

  /** The part of the units of one period that still counts in a later one, by the starts of both. */
  stillCounting(fromMs: number, toMs: number): number {
    return this.sortKey(fromMs) === this.sortKey(toMs) ? 1 : 0;
  }

  /** The part of a counter that one of several items gets when an only item is spread. */
  partOf(value: number, items: number, place: number): number {
    return Math.floor(value / items) + (place < value % items ? 1 : 0);
  }

  /** Units of an item that become free within some milliseconds of a period, although they were taken in that period. */
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

/** How long an item stays after its last window has ended, for instances whose clock is behind. */
export const EXPIRY_GRACE_SECONDS = 3600;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its largest whole unit: `1d`, `2h`, `1m`, `90s`; `1500ms` when it is not a whole number of seconds. */
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

/** How many more units the fullest window allows. */
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

/** The exhausted window that is free last; if no window is exhausted, the fullest one. */
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
