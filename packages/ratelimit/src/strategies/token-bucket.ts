import { defineOptions, integer, number } from '@sallyport/core/options';
import { invalidConfig, RateLimitError } from '../errors.js';
import type { LimitDecision, Strategy, WindowLimit, WindowState } from '../limiter/limiter.js';
import {
  type Address,
  type Claim,
  type ConditionalWrite,
  type CounterStore,
  type Counters,
  type Decider,
  type DeciderOptions,
  decide,
  EXPIRY_GRACE_SECONDS,
  StrategyDefinition,
  type WriteOutcome,
  windowState,
} from './internal/definition.js';
import { Lru } from './internal/lru.js';
import { DEFAULT_NAME, nameOption } from './internal/window-strategy.js';

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** Requests that are allowed at once when the bucket is full, 0 to 1,000,000. */
  readonly capacity: number;
  /** Requests a second, 0.001 to 1,000,000. The interval between two tokens is rounded up to a whole microsecond. */
  readonly refillPerSecond: number;
  /** 1 to 64 characters of `A-Z a-z 0-9 _ . -`, part of every key. Default `default`. */
  readonly name?: string;
}

const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_MS = 1000;
/** Division leaves noise behind the point; this many digits of a microsecond count. */
const DIGITS = 6;
/** The largest capacity for which microseconds stay exact. */
const MAX_CAPACITY = 1_000_000;
/** Keys whose bucket is remembered, so that the right one of two writes comes first. */
const REMEMBERED_BUCKETS = 1000;
const MAX_WRITES = 4;

const OPTIONS = defineOptions<TokenBucketOptions>()(
  {
    capacity: integer(0, MAX_CAPACITY).required(),
    refillPerSecond: number(0.001, 1_000_000).required(),
    name: nameOption.default(DEFAULT_NAME),
  },
  { fail: invalidConfig },
);

/**
 * A burst of `capacity` requests, then `refillPerSecond`. A decision may need a second write when another instance uses the same
 * key.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example tokenBucket({ capacity: 20, refillPerSecond: 5 })
 */
export function tokenBucket(options: TokenBucketOptions): Strategy {
  const { name, capacity, refillPerSecond } = OPTIONS.parse(options);
  return new TokenBucket(name, capacity, refillPerSecond);
}

/**
 * A bucket as a theoretical arrival time (GCRA, ITU-T I.371): `tat` is the instant, in microseconds, at which the bucket is full
 * again. A token moves it by one interval; it may be ahead of now by `capacity` intervals.
 */
class TokenBucket extends StrategyDefinition {
  readonly kind = 'bucket';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[] = Object.freeze([0]);
  override readonly maxLimit = MAX_CAPACITY;
  /** Microseconds between two tokens. */
  readonly #interval: number;
  readonly #refillPerSecond: number;

  constructor(name: string, capacity: number, refillPerSecond: number) {
    super();
    this.#interval = roundUp(MICROS_PER_SECOND / refillPerSecond);
    this.#refillPerSecond = refillPerSecond;
    this.policy = `${name}:b${this.#interval}`;
    this.windows = Object.freeze([Object.freeze(this.#window(name, capacity))]);
    Object.freeze(this);
  }

  createDecider(store: CounterStore, options: DeciderOptions): Decider {
    return new BucketDecider(this, store, options);
  }

  override withLimits(limits: readonly number[]): readonly WindowLimit[] {
    return this.windows.map((window, index) => this.#window(window.name, limits[index] ?? 0));
  }

  sortSuffix(): string {
    return '';
  }

  usage({ tat }: Counters, claim: Claim, allowed: boolean): readonly WindowState[] {
    const now = toMicros(claim.nowMs);
    const ahead = Math.max(0, (tat ?? 0) - now);
    const freeAt = allowed
      ? now + ahead
      : Math.max(now, (tat ?? 0) - (capacityOf(claim) - claim.cost) * this.#interval);
    return claim.windows.map((window) =>
      windowState(window, Math.ceil(ahead / this.#interval), Math.ceil(freeAt / MICROS_PER_MS)),
    );
  }

  /** The write for a bucket that is full. */
  idleWrite(claim: Claim): ConditionalWrite {
    const now = toMicros(claim.nowMs);
    const sets = [{ counter: 'tat', value: now + claim.cost * this.#interval }];
    return { checks: [{ counter: 'tat', max: now }], adds: [], sets, ...this.#expiry(claim) };
  }

  /** The write for a bucket that is being refilled. */
  busyWrite(claim: Claim): ConditionalWrite {
    const above = toMicros(claim.nowMs);
    const adds = [{ counter: 'tat', value: claim.cost * this.#interval }];
    return { checks: [{ counter: 'tat', above, max: this.#latest(claim) }], adds, sets: [], ...this.#expiry(claim) };
  }

  /** The write that replaces a `tat` of a broken clock, unless another instance was faster. */
  repairWrite(claim: Claim, seen: number): ConditionalWrite {
    return { ...this.idleWrite(claim), checks: [{ counter: 'tat', above: seen - 1, max: seen }] };
  }

  isIdle(tat: number | undefined, { nowMs }: Claim): boolean {
    return tat === undefined || tat <= toMicros(nowMs);
  }

  hasRoom(tat: number | undefined, claim: Claim): boolean {
    return this.isIdle(tat, claim) || (tat ?? 0) <= this.#latest(claim);
  }

  /** Whether a `tat` is further ahead than the clock skew and a full use of the bucket explain, also before a limit was lowered. */
  isBroken(tat: number | undefined, claim: Claim, maxClockSkewMs: number): boolean {
    const capacity = Math.max(capacityOf(claim), capacityOf(this));
    const furthest = toMicros(claim.nowMs + maxClockSkewMs) + capacity * this.#interval;
    return tat !== undefined && tat > furthest;
  }

  /** The furthest `tat` that still leaves room for the cost. */
  #latest(claim: Claim): number {
    return toMicros(claim.nowMs) + (capacityOf(claim) - claim.cost) * this.#interval;
  }

  #expiry(claim: Claim): Pick<ConditionalWrite, 'removes' | 'expiresAt' | 'keepsExpiry'> {
    const fullAt = toMicros(claim.nowMs) + capacityOf(claim) * this.#interval;
    const expiresAt = Math.ceil(fullAt / MICROS_PER_SECOND) + EXPIRY_GRACE_SECONDS;
    return { removes: [], expiresAt, keepsExpiry: false };
  }

  /** A window as long as the bucket takes to fill. */
  #window(name: string, capacity: number): WindowLimit {
    return { name, windowMs: roundUp((capacity * 1000) / this.#refillPerSecond), limit: capacity };
  }
}

class BucketDecider implements Decider {
  readonly #bucket: TokenBucket;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;
  readonly #lastSeen = new Lru<number>(REMEMBERED_BUCKETS);

  constructor(bucket: TokenBucket, store: CounterStore, options: DeciderOptions) {
    this.#bucket = bucket;
    this.#store = store;
    this.#options = options;
  }

  async consume(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const name = `${address.pk}\n${address.sk}`;
    let tat = this.#lastSeen.get(name);
    for (let attempt = 0; attempt < MAX_WRITES; attempt += 1) {
      const write = this.#writeFor(tat, claim);
      const outcome = await this.#store.write(address, write, signal);
      const counters = await this.#countersOf(outcome, tat, address, claim, signal);
      tat = counters.tat;
      if (tat !== undefined) this.#lastSeen.set(name, tat);
      else this.#lastSeen.delete(name);
      if (outcome.applied) return decide(this.#bucket.usage(counters, claim, true), claim, true, 'store');
      if (!this.#bucket.hasRoom(tat, claim) && !this.#isBroken(tat, claim)) {
        return decide(this.#bucket.usage(counters, claim, false), claim, false, 'store');
      }
    }
    throw new RateLimitError('ratelimit.store_unavailable', 'framework: token bucket is contended', {
      retryable: true,
    });
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    const allowed = this.#bucket.hasRoom(counters.tat, claim) || this.#isBroken(counters.tat, claim);
    return decide(this.#bucket.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  #writeFor(tat: number | undefined, claim: Claim): ConditionalWrite {
    if (this.#bucket.isIdle(tat, claim)) return this.#bucket.idleWrite(claim);
    if (tat === undefined || !this.#isBroken(tat, claim)) return this.#bucket.busyWrite(claim);
    this.#options.onBrokenClock(claim.key);
    return this.#bucket.repairWrite(claim, tat);
  }

  #isBroken(tat: number | undefined, claim: Claim): boolean {
    return this.#bucket.isBroken(tat, claim, this.#options.maxClockSkewMs);
  }

  /** A refused busy write without an old item means that the item is gone; only a refused idle write must read it. */
  async #countersOf(
    outcome: WriteOutcome,
    guess: number | undefined,
    address: Address,
    claim: Claim,
    signal: AbortSignal | undefined,
  ): Promise<Counters> {
    if (outcome.counters !== undefined) return outcome.counters;
    return this.#bucket.isIdle(guess, claim) ? this.#store.read(address, signal) : {};
  }
}

function toMicros(ms: number): number {
  return ms * MICROS_PER_MS;
}

function capacityOf({ windows }: Pick<Claim, 'windows'>): number {
  return windows[0]?.limit ?? 0;
}

function roundUp(value: number): number {
  return Math.ceil(Number(value.toFixed(DIGITS)));
}
