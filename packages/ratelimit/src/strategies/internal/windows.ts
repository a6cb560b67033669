import type { LimitDecision, RateLimitKey, WindowState } from '../../limiter/limiter.js';
import type { Strategy, WindowLimit } from '../strategy.js';
import type { ConditionalWrite, Counters } from './counter-store.js';

/** Time that an item outlives its last window, for instances whose clock is behind. */
export const EXPIRY_GRACE_SECONDS = 3600;

/** One request as a strategy sees it: `windows` carry the limits that are enforced. */
export interface Claim {
  readonly key: RateLimitKey;
  readonly nowMs: number;
  readonly cost: number;
  readonly windows: readonly WindowLimit[];
}

/** What every strategy can do, beside what it shows to users. */
export interface StrategyShape extends Strategy {
  /** For each window of `windows`, its place in the order in which they were given. */
  readonly givenOrder: readonly number[];
  /** The windows with other limits, in the order of `windows`. */
  withLimits(limits: readonly number[]): readonly WindowLimit[];
  /** What tells apart the items of one key. */
  sortSuffix(nowMs: number): string;
  /** The windows as counted; `resetsAt` for a claim that was allowed, or denied. */
  usage(counters: Counters, claim: Claim, allowed: boolean): readonly WindowState[];
}

/** A strategy that counts in windows: every decision is one conditional write. */
export interface CountingShape extends StrategyShape {
  readonly kind: 'fixed' | 'sliding' | 'multi';
  write(claim: Claim, maxClockSkewMs: number): ConditionalWrite;
  /** Counters that only cost space, when there are enough of them to be worth a write. */
  overdue(counters: Counters, claim: Claim, maxClockSkewMs: number): readonly string[];
}

/** How many steps of a length a clock may be behind; what such a clock still checks is never removed. */
export function skewSteps(maxClockSkewMs: number, stepMs: number): number {
  return Math.max(1, Math.ceil(maxClockSkewMs / stepMs));
}

/** Fields of a window's state. */
export function windowState(window: WindowLimit, currentCount: number, resetsAtMs: number): WindowState {
  const { name, windowMs, limit } = window;
  const remaining = Math.max(0, limit - currentCount);
  return { name, windowMs, limit, currentCount, remaining, resetsAt: new Date(resetsAtMs) };
}

/** Whether every window could ever admit the cost. */
export function canFit({ windows, cost }: Claim): boolean {
  return windows.every((window) => window.limit >= cost);
}

/** Whether the counted windows have room for the cost. */
export function hasRoom(states: readonly WindowState[], cost: number): boolean {
  return states.every((state) => state.currentCount + cost <= state.limit);
}

/** The decision over counted windows. */
export function decide(
  states: readonly WindowState[],
  claim: Claim,
  allowed: boolean,
  source: 'store' | 'local',
): LimitDecision {
  const spent = (state: WindowState) =>
    allowed ? state.remaining === 0 : state.currentCount + claim.cost > state.limit;
  const binding = bindingWindow(states, spent);
  const decision = { ...binding, allowed, windows: states, degraded: false, source };
  if (allowed) return decision;
  return { ...decision, retryAfterMs: Math.max(1, binding.resetsAt.getTime() - claim.nowMs) };
}

/** The exhausted window that frees last, else the fullest. */
function bindingWindow(states: readonly WindowState[], spent: (state: WindowState) => boolean): WindowState {
  const exhausted = states.filter(spent);
  const [first, ...others] = exhausted.length > 0 ? exhausted : states;
  if (first === undefined) throw new RangeError('a strategy has at least one window');
  const weight = exhausted.length > 0 ? (state: WindowState) => state.resetsAt.getTime() : fullness;
  return others.reduce((best, state) => (weight(state) > weight(best) ? state : best), first);
}

function fullness({ currentCount, limit }: WindowState): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : currentCount / limit;
}
