import { Lru } from '@sallyport/core/internal';
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
  nameOf,
  type Period,
  roomOf,
  StrategyDefinition,
  type Taken,
} from './definition.js';

export const DEFAULT_NAME = 'default';
const MAX_LIMIT = 1_000_000_000;
const MIN_WINDOW_MS = 100;
const MAX_WINDOW_MS = 31 * 86_400_000;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Maximum number of counters that one write removes; well below DynamoDB's limit of 4 KB for an expression. */
const MAX_REMOVES = 200;
/**
 * Number of counters of an item above which a separate write removes expired counters. Reaching this number again takes longer
 * than a window, so a fast clock, which mistakes current counters for expired, removes them at most once in a window.
 */
const MAX_COUNTERS = 64;
const ENOUGH_DEAD = 32;
/** Maximum number of items with cached counters. */
const REMEMBERED = 1000;

/** The name of a window or a bucket. */
export const nameOption = kind<string>(
  '1 to 64 characters of A-Z a-z 0-9 _ . -',
  (value) => typeof value === 'string' && NAME.test(value),
);

/** Validators and defaults for the options of every window. */
export const WINDOW_OPTIONS = {
  limit: integer(0, MAX_LIMIT).required(),
  windowMs: integer(MIN_WINDOW_MS, MAX_WINDOW_MS, 'milliseconds').required(),
  name: nameOption,
} satisfies OptionKinds<WindowOptions>;

/** An immutable window. `otherwise` is its default name. */
export function toWindow(
  { name, windowMs, limit }: Omit<WindowOptions, 'name'> & { readonly name?: string | undefined },
  otherwise: string,
): WindowLimit {
  return Object.freeze({ name: name ?? otherwise, windowMs, limit });
}

/** Maximum delay of a write in steps. Counters that such a write still checks are never removed. */
export function slackSteps(slackMs: number, stepMs: number): number {
  return Math.max(1, Math.ceil(slackMs / stepMs));
}

/** A strategy that counts in windows: every decision is one conditional write. */
export abstract class WindowStrategy extends StrategyDefinition {
  /** The write that counts `units` for a claim, rejected if a window has no room for them. */
  abstract write(claim: Claim, units: number): ConditionalWrite;

  /** Milliseconds for which a counter is checked after its first write; `undefined` if it is never removed. */
  lifeOf(_counter: string): number | undefined {
    return undefined;
  }

  /** True if no write with a delay of at most `slackMs` checks the counter, by the clock of the claim. */
  isDead(_counter: string, _claim: Claim, _slackMs: number): boolean {
    return false;
  }

  period({ nowMs }: Pick<Claim, 'nowMs'>): Period {
    return { startMs: nowMs, endMs: nowMs };
  }

  createDecider(store: CounterStore, options: DeciderOptions): Decider {
    return new WindowDecider(this, store, options);
  }
}

/**
 * Makes a decision with one write. The writes also remove expired counters, but only if this instance first read them a
 * counter's lifetime ago, because a fast clock mistakes counters for expired that other instances still check.
 */
class WindowDecider implements Decider {
  readonly #strategy: WindowStrategy;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;
  readonly #sightings = new Sightings();

  constructor(strategy: WindowStrategy, store: CounterStore, options: DeciderOptions) {
    this.#strategy = strategy;
    this.#store = store;
    this.#options = options;
  }

  async consume(address: Address, claim: Claim, signal?: AbortSignal, commit?: (taken: Taken) => void): Promise<Taken> {
    const first = await this.#try(address, claim, signal);
    const rest = first.applied ? undefined : withLess(claim, roomOf(first.states));
    const last = rest === undefined ? first : await this.#try(address, rest, signal);
    const applied = rest ?? claim;
    const taken = {
      decision: decide(last.states, claim, last.applied, 'store'),
      extra: last.applied ? (applied.extra ?? 0) : 0,
      returned: last.applied ? returnedBy(applied) : 0,
    };
    commit?.(taken);
    if (last.applied) await this.#clearUp(address, last.counters, claim, signal);
    return taken;
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    const allowed = hasRoom(this.#strategy.usage(counters, claim, true), claim.cost);
    return decide(this.#strategy.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  /** Counters that the claim wrote and that still count. After a reset they no longer exist, and no units are returned. */
  async refund(address: Address, claim: Claim, units: number, nowMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#strategy.sortKey(nowMs) !== address.sk) return;
    const { adds, expiresAt } = this.#strategy.write({ ...claim, nowMs }, units);
    const written = new Set(this.#strategy.write(claim, units).adds.map(({ counter }) => counter));
    const live = adds.map(({ counter }) => counter).filter((counter) => written.has(counter));
    if (live.length === 0) return;
    await this.#store.write(
      address,
      {
        checks: live.map((counter) => ({ counter, above: units - 1, max: Number.MAX_SAFE_INTEGER })),
        adds: live.map((counter) => ({ counter, value: -units })),
        sets: [],
        removes: [],
        expiresAt,
        keepsExpiry: true,
        once: true,
      },
      signal,
    );
  }

  async #try(address: Address, claim: Claim, signal: AbortSignal | undefined) {
    const { clock, slackMs } = this.#options;
    const name = nameOf(address);
    const removes = this.#sightings
      .olderThan(name, clock.monotonicMs(), (counter) => this.#lifeOf(counter))
      .filter((counter) => this.#strategy.isDead(counter, claim, slackMs))
      .slice(0, MAX_REMOVES);
    const write = this.#givingBack(this.#strategy.write(claim, claim.cost + (claim.extra ?? 0)), claim);
    const { applied, counters } = await this.#store.write(address, { ...write, removes }, signal);
    const counted = counters ?? (await this.#store.read(address, signal));
    this.#sightings.see(name, Object.keys(counted), clock.monotonicMs());
    return { applied, counters: counted, states: this.#strategy.usage(counted, claim, applied) };
  }

  /** Never returns more units than the write adds; otherwise a repeated write would count less than was allowed. */
  #givingBack(write: ConditionalWrite, claim: Claim): ConditionalWrite {
    const { unspent } = claim;
    if (unspent === undefined) return write;
    const units = returnedBy(claim);
    const written = new Set(this.#strategy.write(unspent.claim, units).adds.map(({ counter }) => counter));
    return {
      ...write,
      checks: write.checks.map((check) =>
        written.has(check.counter) ? { ...check, above: units - 1, max: check.max + units } : check,
      ),
      adds: write.adds.map(({ counter, value }) => ({
        counter,
        value: written.has(counter) ? value - units : value,
      })),
    };
  }

  #lifeOf(counter: string): number | undefined {
    const life = this.#strategy.lifeOf(counter);
    return life === undefined ? undefined : life + this.#options.slackMs;
  }

  /** Removes expired counters of other instances. The decision is already made, so a failure is ignored. */
  async #clearUp(address: Address, counters: Counters, claim: Claim, signal?: AbortSignal): Promise<void> {
    const all = Object.keys(counters).filter((counter) => this.#strategy.lifeOf(counter) !== undefined);
    if (all.length <= MAX_COUNTERS) return;
    const dead = all.filter((counter) => this.#strategy.isDead(counter, claim, this.#options.slackMs)).sort(byLength);
    if (dead.length < ENOUGH_DEAD) return;
    const removes = dead.slice(0, MAX_REMOVES);
    // Not if another instance has removed them in the meantime, because the counters may be in use again.
    const checks = removes.slice(0, 1).map((counter) => ({ counter, above: 0, max: Number.MAX_SAFE_INTEGER }));
    const write = { checks, adds: [], sets: [], removes, expiresAt: undefined, keepsExpiry: true };
    await this.#store.write(address, write, signal).catch(() => {});
  }
}

/**
 * The claim for a second write. The first write was rejected because of the reserve, because this instance's unspent units fill the
 * window, or because units to return no longer exist after a reset.
 */
function withLess(claim: Claim, room: number): Claim | undefined {
  const { cost, extra = 0, unspent } = claim;
  if (room < cost) return unspent && extra > 0 ? { ...claim, extra: 0 } : undefined;
  if (extra === 0 && unspent === undefined) return undefined;
  return { ...claim, extra: unspent ? 0 : Math.floor((room - cost) / 2), unspent: undefined };
}

function returnedBy({ cost, extra = 0, unspent }: Claim): number {
  return Math.min(unspent?.units ?? 0, cost + extra);
}

/** Times at which this process first read each counter of its recently used items, by a monotonic clock. */
class Sightings {
  readonly #items = new Lru<Map<string, number>>(REMEMBERED);

  /** Stores the counters of an item, and removes missing counters. */
  see(item: string, counters: readonly string[], nowMs: number): void {
    const before = this.#items.get(item);
    this.#items.set(item, new Map(counters.map((counter) => [counter, before?.get(counter) ?? nowMs])));
  }

  /** The counters of an item that were first read at least their lifetime ago. */
  olderThan(item: string, nowMs: number, lifeOf: (counter: string) => number | undefined): string[] {
    const old: string[] = [];
    for (const [counter, seenAtMs] of this.#items.get(item) ?? []) {
      const life = lifeOf(counter);
      if (life !== undefined && nowMs - seenAtMs >= life) old.push(counter);
    }
    return old;
  }
}

/** Sorts counters by their number, which is in base 36. */
function byLength(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : 1);
}
