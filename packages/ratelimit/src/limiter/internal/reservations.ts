import { Lru, randomFraction } from '@sallyport/core/internal';
import {
  type Address,
  type Claim,
  decide,
  type Period,
  type StrategyDefinition,
  type Taken,
} from '../../strategies/internal/definition.js';
import type { LimitDecision, WindowLimit, WindowState } from '../limiter.js';
import type { AddressedClaim } from './claims.js';

/** Maximum number of keys with reserved units. */
const MAX_KEYS = 1000;
/** A single instance reserves at most one of this many remaining units. */
const PART_OF_ROOM = 4;
/** Many instances together reserve at most one of this many remaining units, because they cannot spend each other's units. */
const PART_OF_MANY = 20;
/** An instance reserves at most its recent use multiplied by this factor. */
const GROWTH = 3;

/** Units that a write reserved, and its decision. */
export interface Grant extends AddressedClaim {
  /** The complete limits of the key. */
  readonly windows: readonly WindowLimit[];
  readonly decision: LimitDecision;
  readonly period: Period;
  units: number;
}

/** The reserved units of one key on this instance. */
export interface Held {
  /** Selects the item of a spread key, from 0 to 1. */
  place: number;
  /** The partition key of the item that admitted the last write, if the instance keeps using it. */
  item: string | undefined;
  grant: Grant | undefined;
  /** Units that were requested in the current period and in the previous one. */
  period: Period;
  /** The first request in the period. */
  sinceMs: number;
  demand: number;
  demandBefore: number;
  /** Units that were requested and still count. */
  counting: number;
  /** This instance's estimated part of the use of the item, 0 to 1. */
  share: number;
  /** Units that wait for the write in progress. */
  waiting: number;
  /** The write in progress; resolves to its failure, if it failed. */
  pending: Promise<{ readonly failure: unknown } | undefined> | undefined;
}

/** A decision with units that were taken earlier, and the item in which they were counted. */
export interface Spent {
  readonly decision: LimitDecision;
  readonly counted: AddressedClaim;
}

/**
 * Units that one write reserves for several requests of this instance. The number depends on the requests in this and the previous
 * period. It is at most `most` including unspent units, and at most this instance's part of the remaining units. So an instance
 * with one request for a key reserves no additional units, and near the limit no units are reserved.
 */
export class Reservations {
  readonly #strategy: StrategyDefinition;
  readonly #most: number;
  readonly #held: Lru<Held>;
  /** Units of keys that were evicted from the cache. */
  #evicted: Grant[] = [];

  constructor(strategy: StrategyDefinition, most: number) {
    this.#strategy = strategy;
    this.#most = most;
    this.#held = new Lru(MAX_KEYS, (held) => this.#evicted.push(...takeFrom(held)));
  }

  /** The reserved units of a key; `claim` is the current request. */
  of(name: string, claim: Claim): Held {
    const period = this.#strategy.period(claim);
    const held = this.#held.get(name) ?? {
      place: randomFraction(),
      item: undefined,
      grant: undefined,
      period,
      sinceMs: claim.nowMs,
      demand: 0,
      demandBefore: 0,
      counting: 0,
      share: 1,
      waiting: 0,
      pending: undefined,
    };
    if (held.period.startMs !== period.startMs) {
      held.demandBefore = held.period.endMs === period.startMs ? held.demand : 0;
      held.demand = 0;
      held.counting *= this.#strategy.stillCounting(held.period.startMs, period.startMs);
      if (isOtherWindow(held.period, period, claim)) chooseItem(held);
      held.period = period;
      held.sinceMs = claim.nowMs;
    }
    held.demand += claim.cost;
    held.counting += claim.cost;
    this.#held.set(name, held);
    return held;
  }

  /** All keys with their reserved units. */
  all(): readonly Held[] {
    return [...this.#held.values()];
  }

  /** Removes and returns the reserved units of keys that were evicted from the cache. */
  takeEvicted(): readonly Grant[] {
    const evicted = this.#evicted;
    if (evicted.length > 0) this.#evicted = [];
    return evicted;
  }

  forget(name: string): void {
    this.#held.delete(name);
  }

  /** Spends reserved units, if they count for the same windows under the same limits. */
  spend({ grant }: Held, claim: Claim, windows: readonly WindowLimit[]): Spent | undefined {
    if (grant === undefined || grant.units < claim.cost) return undefined;
    if (!isCurrent(grant, claim.nowMs, windows)) return undefined;
    grant.units -= claim.cost;
    return { decision: withoutUnits(grant.decision, claim, grant.units, 'local'), counted: grant };
  }

  /**
   * The claim of a write for the current request, for the waiting requests, and for some future requests. Units of an earlier period
   * are removed from the grant here: even if the write fails, they are not returned a second time.
   */
  toClaim(
    held: Held,
    { claim, address }: AddressedClaim,
    windows: readonly WindowLimit[],
  ): Claim & { readonly unspent: Grant | undefined } {
    const { grant } = held;
    const isOpen = isSameItem(grant, address) && isCurrent(grant, claim.nowMs, windows);
    const room = Math.max(0, roomBefore(grant, claim) - claim.cost);
    const demand = Math.max(held.demand - claim.cost, held.demandBefore);
    const ahead = Math.min(this.#most - (isOpen ? grant.units : 0), GROWTH * demand, partOf(room, held.share));
    const extra = Math.min(room, held.waiting + Math.max(0, ahead));
    const [unspent] = !isOpen && isSameItem(grant, address) ? takeFrom(held) : [];
    return { ...claim, extra, unspent };
  }

  /** Stores the units that a write reserved. The decision counts only the units of the request. */
  keep(
    held: Held,
    counted: AddressedClaim,
    windows: readonly WindowLimit[],
    { decision, extra }: Taken,
  ): LimitDecision {
    if (!decision.allowed) return decision;
    const { grant } = held;
    const { claim, address } = counted;
    const isOpen = isSameItem(grant, address) && isCurrent(grant, claim.nowMs, windows);
    const units = extra + (isOpen ? grant.units : 0);
    const period = this.#strategy.period(claim);
    const used = decision.windows[0]?.currentCount ?? 0;
    const flow = Math.max(1, used + this.#strategy.refilled(claim, claim.nowMs - held.sinceMs));
    held.share = Math.min(1, 2 * held.share, (held.counting + units) / flow);
    held.grant = { ...counted, windows, decision, period, units };
    held.item = address.pk;
    return withoutUnits(decision, claim, units, 'store');
  }
}

/** Removes and returns all units of a key, if any. */
export function takeFrom({ grant }: Held): readonly Grant[] {
  if (grant === undefined || grant.units === 0) return [];
  const taken = { ...grant };
  grant.units = 0;
  return [taken];
}

/** True if units may still count: a bucket that was full since then has them already. */
export function stillCounts({ decision }: Grant, nowMs: number): boolean {
  return decision.windows.some(({ resetsAt }) => nowMs < resetsAt.getTime());
}

/** True if units are reserved in another item than this one. */
export function hasMoved(grant: Grant | undefined, { pk }: Pick<Address, 'pk'>): boolean {
  return grant !== undefined && grant.address.pk !== pk;
}

/** The units that an instance may reserve if it has this share of the use. */
function partOf(room: number, share: number): number {
  return Math.floor((room * share) / (PART_OF_ROOM * share + PART_OF_MANY * (1 - share)));
}

function isSameItem(grant: Grant | undefined, { pk, sk }: Address): grant is Grant {
  return grant?.address.pk === pk && grant.address.sk === sk;
}

function isCurrent({ period, windows: granted }: Grant, nowMs: number, windows: readonly WindowLimit[]): boolean {
  const sameLimits = windows.every(({ limit }, index) => limit === granted[index]?.limit);
  return sameLimits && nowMs >= period.startMs && nowMs < period.endMs;
}

/** True if the shortest window has ended since an earlier period. */
function isOtherWindow(before: Period, { startMs, endMs }: Period, { windows }: Claim): boolean {
  const lengthMs = Math.max(endMs - startMs, windows.at(-1)?.windowMs ?? 0);
  return Math.floor(before.startMs / lengthMs) !== Math.floor(startMs / lengthMs);
}

/** Chooses another item, unless units are reserved in the current item: the items fill evenly. */
function chooseItem(held: Held): void {
  if (held.grant !== undefined && held.grant.units > 0) return;
  held.place = randomFraction();
  held.item = undefined;
}

/** Estimated remaining units of an item after the last write of this instance. */
function roomBefore(grant: Grant | undefined, { windows, nowMs }: Claim): number {
  const rooms = windows.map(({ limit }, index) => {
    const state = grant?.decision.windows[index];
    const stillCounts = state !== undefined && nowMs < state.resetsAt.getTime();
    return stillCounts ? limit - state.currentCount : limit;
  });
  return Math.min(...rooms);
}

/** A decision that does not count unspent units. */
function withoutUnits(decision: LimitDecision, claim: Claim, units: number, source: 'store' | 'local'): LimitDecision {
  const states = decision.windows.map((state): WindowState => {
    const currentCount = Math.max(0, state.currentCount - units);
    return { ...state, currentCount, remaining: Math.max(0, state.limit - currentCount) };
  });
  return decide(states, claim, true, source);
}
