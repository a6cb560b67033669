import { randomFraction } from '@sallyport/core/internal';
import type { StrategyDefinition } from '../../strategies/internal/definition.js';
import type { LimitDecision, WindowLimit, WindowState } from '../limiter.js';
import { type Share, wholeShare } from './claims.js';

const MAX_SHARDS = 100;

/** The number of items over which a key is spread, so that each receives at most `perSecond` requests per second. */
export function shardsOf(windows: readonly WindowLimit[], perSecond: number | undefined): number {
  if (perSecond === undefined) return 1;
  const rate = Math.min(...windows.map(({ limit, windowMs }) => (limit * 1000) / windowMs));
  return Math.min(MAX_SHARDS, Math.max(1, Math.ceil(rate / perSecond)));
}

/** The items of a key. The sum of their limits is the limit of the key. The first item has the key of an undivided key. */
export function sharesOf(
  strategy: StrategyDefinition,
  name: string,
  windows: readonly WindowLimit[],
  shards: number,
): readonly Share[] {
  if (shards === 1) return [wholeShare({ name }, windows)];
  return Array.from({ length: shards }, (_, place) => ({
    name: shardName(name, place),
    windows: strategy.withLimits(
      windows.map(({ limit }) => Math.floor(limit / shards) + (place < limit % shards ? 1 : 0)),
    ),
    shards,
    isFirst: place === 0,
  }));
}

/** The partition key of one of several items. A key has five parts, so a sixth cannot be part of another key. */
export function shardName(name: string, place: number): string {
  return place === 0 ? name : `${name}#${place}`;
}

/**
 * Orders items: first the item with the partition key `item`, else the item that `place` (0 to 1) selects, then the others, starting
 * at a random item. Otherwise all instances would move together from an exhausted item to the next item.
 */
export function inOrder(shares: readonly Share[], place: number, item: string | undefined): readonly Share[] {
  const selected = Math.floor(place * shares.length);
  const first = shares.find(({ name }) => name === item) ?? shares[selected];
  const others = shares.filter((share) => share !== first);
  const start = Math.floor(randomFraction() * others.length);
  return [...(first ? [first] : []), ...others.slice(start), ...others.slice(0, start)];
}

/**
 * The decision for the whole key, scaled from one item. It is an estimate, because requests are spread over the items at random.
 */
export function scaled(decision: LimitDecision, windows: readonly WindowLimit[], shards: number): LimitDecision {
  if (shards === 1) return decision;
  const whole = (state: WindowState): WindowState => {
    const window = windows.find(({ name }) => name === state.name) ?? state;
    const currentCount = Math.min(window.limit, state.currentCount * shards);
    return { ...state, ...window, currentCount, remaining: Math.max(0, window.limit - currentCount) };
  };
  return { ...decision, ...whole(decision), windows: decision.windows.map(whole) };
}

/** The sum of the counts of all items of a key. */
export function summed(decisions: readonly LimitDecision[], windows: readonly WindowLimit[]): LimitDecision {
  const admits = decisions.find(({ allowed }) => allowed) ?? soonest(decisions);
  const sum = (state: WindowState): WindowState => {
    const window = windows.find(({ name }) => name === state.name) ?? state;
    const states = decisions.flatMap((decision) => decision.windows.filter(({ name }) => name === state.name));
    const currentCount = states.reduce((total, part) => total + part.currentCount, 0);
    return { ...state, ...window, currentCount, remaining: Math.max(0, window.limit - currentCount) };
  };
  return { ...admits, ...sum(admits), windows: admits.windows.map(sum) };
}

/** The denial that ends first. */
export function soonest(denials: readonly LimitDecision[]): LimitDecision {
  const [first, ...others] = denials;
  if (first === undefined) throw new RangeError('a key has at least one item');
  return others.reduce(
    (best, denial) => ((denial.retryAfterMs ?? 0) < (best.retryAfterMs ?? 0) ? denial : best),
    first,
  );
}
