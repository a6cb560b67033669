import type { LimitDecision, WindowState } from '../../limiter/limiter.js';
import type { WindowLimit } from '../strategy.js';
import type { Claim } from './definition.js';

/** How long an item stays after its last window has ended, for instances whose clock is behind. */
export const EXPIRY_GRACE_SECONDS = 3600;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its largest whole unit: `1d`, `2h`, `1m`, `90s`; `1500ms` when it is no whole number of seconds. */
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
  const isSpent = (state: WindowState) =>
    allowed ? state.remaining === 0 : state.currentCount + claim.cost > state.limit;
  const binding = bindingWindow(states, isSpent);
  const decision = { ...binding, allowed, windows: states, degraded: false, source };
  if (allowed) return decision;
  return { ...decision, retryAfterMs: Math.max(1, binding.resetsAt.getTime() - claim.nowMs) };
}

/** The exhausted window that is free again last; without an exhausted window the fullest one. */
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
