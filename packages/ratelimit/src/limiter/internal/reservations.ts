import {
  type Address,
  type Claim,
  decide,
  type Period,
  type StrategyDefinition,
  type Taken,
} from '../../strategies/internal/definition.js';
import { Lru } from '../../strategies/internal/lru.js';
import type { LimitDecision, WindowLimit, WindowState } from '../limiter.js';
import type { AddressedClaim } from './claims.js';

/** The most keys with reserved units. */
const MAX_KEYS = 1000;
/** Beyond its need, an instance reserves at most this part of the remaining units, so that other instances get some too. */
const PART_OF_ROOM = 4;

/** An instance reserves at most its recent use multiplied by this factor. */
const GROWTH = 3;

/** Units that a write took, and the decision about it. */
interface Grant extends AddressedClaim {
  /** The complete limits of the key. */
  readonly windows: readonly WindowLimit[];
  readonly decision: LimitDecision;
  readonly period: Period;
  units: number;
}

/** The reserved units of one key on this instance. */
export interface Held {
  grant: Grant | undefined;
  /** Units that were requested in the current period and in the previous one. */
  period: Period;
  demand: number;
  demandBefore: number;
  /** Units that wait for the write that is in progress. */
  waiting: number;
  /** The write that is in progress; resolves to its failure, if it failed. */
  pending: Promise<{ readonly failure: unknown } | undefined> | undefined;
}

/** A decision with units that were taken earlier, and the item in which they were counted. */
export interface Spent {
  readonly decision: LimitDecision;
  readonly counted: AddressedClaim;
}

/**
 * Units that one write takes for several requests of this instance. The number depends on the requests in this period and the
 * previous one, and is at most `most` beyond the need. An instance that sees a key once takes only what it needs.
 */
export class Reservations {
  readonly #strategy: StrategyDefinition;
  readonly #most: number;
  readonly #held = new Lru<Held>(MAX_KEYS);

  constructor(strategy: StrategyDefinition, most: number) {
    this.#strategy = strategy;
    this.#most = most;
  }

  /** The reserved units of a key; `claim` is the current request. */
  of(name: string, claim: Claim): Held {
    const period = this.#strategy.period(claim);
    const held = this.#held.get(name) ?? {
      grant: undefined,
      period,
      demand: 0,
      demandBefore: 0,
      waiting: 0,
      pending: undefined,
    };
    if (held.period.startMs !== period.startMs) {
      held.demandBefore = held.period.endMs === period.startMs ? held.demand : 0;
      held.demand = 0;
      held.period = period;
    }
    this.#held.set(name, held);
    return held;
  }

  /** Returns all reserved units, and removes them. */
  takeAll(): readonly Grant[] {
    const grants: Grant[] = [];
    for (const held of this.#held.values()) {
      if (held.grant !== undefined && held.grant.units > 0) grants.push(held.grant);
      held.grant = undefined;
    }
    return grants;
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

  /** The claim of a write for the current request, for the waiting requests, and for some future ones. */
  toClaim({ grant, ...held }: Held, { claim, address }: AddressedClaim, windows: readonly WindowLimit[]): Claim {
    const last = isSameAddress(grant, address) ? grant : undefined;
    const isOpen = last !== undefined && isCurrent(last, claim.nowMs, windows);
    const left = isOpen ? last.decision.remaining : Math.min(...claim.windows.map(({ limit }) => limit));
    const room = Math.max(0, left - claim.cost);
    const demand = Math.max(held.demand - claim.cost, held.demandBefore);
    const ahead = Math.min(this.#most, GROWTH * demand, Math.floor(room / PART_OF_ROOM));
    const unspent = last && !isOpen && last.units > 0 ? last : undefined;
    return { ...claim, extra: Math.min(room, held.waiting + ahead), unspent };
  }

  /** Stores the units that a write took. The decision counts only those of the request. */
  keep(
    held: Held,
    counted: AddressedClaim,
    windows: readonly WindowLimit[],
    { decision, extra }: Taken,
  ): LimitDecision {
    if (!decision.allowed) return decision;
    const { grant } = held;
    const isOpen = isSameAddress(grant, counted.address) && isCurrent(grant, counted.claim.nowMs, windows);
    const units = extra + (isOpen ? grant.units : 0);
    held.grant = { ...counted, windows, decision, period: this.#strategy.period(counted.claim), units };
    return withoutUnits(decision, counted.claim, units, 'store');
  }
}

function isSameAddress(grant: Grant | undefined, { pk, sk }: Address): grant is Grant {
  return grant?.address.pk === pk && grant.address.sk === sk;
}

function isCurrent({ period, windows: granted }: Grant, nowMs: number, windows: readonly WindowLimit[]): boolean {
  const sameLimits = windows.every(({ limit }, index) => limit === granted[index]?.limit);
  return sameLimits && nowMs >= period.startMs && nowMs < period.endMs;
}

/** A decision that does not count unspent units. */
function withoutUnits(decision: LimitDecision, claim: Claim, units: number, source: 'store' | 'local'): LimitDecision {
  const states = decision.windows.map((state): WindowState => {
    const currentCount = Math.max(0, state.currentCount - units);
    return { ...state, currentCount, remaining: Math.max(0, state.limit - currentCount) };
  });
  return decide(states, claim, true, source);
}
