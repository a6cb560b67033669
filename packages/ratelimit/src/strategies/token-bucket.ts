import { Lru, randomFraction } from '@sallyport/core/internal';
import { defineOptions, integer, number } from '@sallyport/core/options';
import { invalidConfig, RateLimitError } from '../errors.js';
import type { LimitDecision, Strategy, WindowLimit, WindowState } from '../limiter/limiter.js';
import { Bucket, capacityOf, roundUp, toMicros } from './internal/bucket.js';
import {
  type Address,
  type Claim,
  type ConditionalWrite,
  type CounterStore,
  type Counters,
  type Decider,
  type DeciderOptions,
  decide,
  nameOf,
  type Period,
  StrategyDefinition,
  type Taken,
  type WriteOutcome,
} from './internal/definition.js';
import { DEFAULT_NAME, nameOption } from './internal/window-strategy.js';

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** Maximum burst of requests when the bucket is full, 0 to 1,000,000. */
  readonly capacity: number;
  /**
   * Tokens that are added per second, 0.001 to 1,000,000. The interval between two tokens is rounded up to a whole
   * microsecond.
   */
  readonly refillPerSecond: number;
  /** 1 to 64 characters of `A-Z a-z 0-9 _ . -`, part of every key. Default `default`. */
  readonly name?: string;
}

/** The largest capacity for which microseconds are exact integers. */
const MAX_CAPACITY = 1_000_000;
/** Maximum number of keys with a cached bucket, to choose between the two kinds of writes. */
const REMEMBERED_BUCKETS = 1000;
const MAX_WRITES = 4;
/** If guesses are wrong more often than this, reading first is cheaper: half a read unit costs a tenth of a write unit. */
const LOOK_ABOVE = 0.25;
/** The usual maximum time of a write until it reaches the table, in microseconds. */
const ON_THE_WAY = 20_000;
/** Maximum time for which reserved tokens are kept. */
const HELD_MS = 10_000;
/** The weight of the last guess in the average. */
const WEIGHT = 0.2;

/** Validators and defaults for {@link TokenBucketOptions}. */
export const BUCKET_OPTIONS = defineOptions<TokenBucketOptions>()(
  {
    capacity: integer(0, MAX_CAPACITY).required(),
    refillPerSecond: number(0.001, 1_000_000).required(),
    name: nameOption.default(DEFAULT_NAME),
  },
  { fail: invalidConfig },
);

/**
 * A burst of `capacity` requests, then `refillPerSecond`. A decision may need a second write if another instance uses the same
 * key.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example tokenBucket({ capacity: 20, refillPerSecond: 5 })
 */
export function tokenBucket(options: TokenBucketOptions): Strategy {
  const { name, capacity, refillPerSecond } = BUCKET_OPTIONS.parse(options);
  return new TokenBucket(name, capacity, refillPerSecond);
}

/** The strategy: one item for each key, in which {@link Bucket} counts. */
class TokenBucket extends StrategyDefinition {
  readonly kind = 'bucket';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[] = Object.freeze([0]);
  override readonly maxLimit = MAX_CAPACITY;
  readonly #bucket: Bucket;
  readonly #refillPerSecond: number;

  constructor(name: string, capacity: number, refillPerSecond: number) {
    super();
    this.#bucket = new Bucket(capacity, refillPerSecond);
    this.#refillPerSecond = refillPerSecond;
    this.policy = `${name}:b${this.#bucket.interval}`;
    this.windows = Object.freeze([Object.freeze(this.#window(name, capacity))]);
    Object.freeze(this);
  }

  createDecider(store: CounterStore, options: DeciderOptions): Decider {
    return new BucketDecider(this.#bucket, store, options);
  }

  override withLimits(limits: readonly number[]): readonly WindowLimit[] {
    return this.windows.map((window, index) => this.#window(window.name, limits[index] ?? 0));
  }

  sortKey(): string {
    return '0';
  }

  /** Ten seconds of Unix time: tokens that were taken earlier make a later burst larger. */
  period({ nowMs }: Pick<Claim, 'nowMs'>): Period {
    const startMs = Math.floor(nowMs / HELD_MS) * HELD_MS;
    return { startMs, endMs: startMs + HELD_MS };
  }

  /** The same time, because each of several items refills slower by their number. */
  override partOf(value: number): number {
    return value;
  }

  override stillCounting(): number {
    return 0;
  }

  /** Few buckets are fully used: with the complete refill, instances would reserve too little of a bucket with much room. */
  override refilled(claim: Pick<Claim, 'shards'>, ms: number): number {
    return toMicros(ms) / this.#bucket.step(claim) / 4;
  }

  usage(counters: Counters, claim: Claim, allowed: boolean): readonly WindowState[] {
    return this.#bucket.usage(counters, claim, allowed);
  }

  /** A window whose length is the fill time of the bucket. */
  #window(name: string, capacity: number): WindowLimit {
    return { name, windowMs: roundUp((capacity * 1000) / this.#refillPerSecond), limit: capacity };
  }
}

/** The cached state of a bucket on this instance. */
interface Known {
  readonly counters: Counters;
  /** The fraction of wrong guesses; later guesses have more weight. */
  readonly wrong: number;
}

/**
 * Guesses from the last known `tat` if a bucket is full, to select one of two kinds of writes. A wrong guess costs a write. If the
 * guesses for a key are often wrong, because other instances use it, the item is read first, which costs a tenth of a write.
 */
class BucketDecider implements Decider {
  readonly #bucket: Bucket;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;
  readonly #known = new Lru<Known>(REMEMBERED_BUCKETS);

  constructor(bucket: Bucket, store: CounterStore, options: DeciderOptions) {
    this.#bucket = bucket;
    this.#store = store;
    this.#options = options;
  }

  async consume(address: Address, asked: Claim, signal?: AbortSignal): Promise<Taken> {
    const bucket = this.#bucket;
    let claim = asked;
    const name = nameOf(address);
    const { counters: remembered = {}, wrong = 0 } = this.#known.get(name) ?? {};
    const { tat: guess } = remembered;
    const seen = wrong > LOOK_ABOVE ? await this.#store.glance(address, signal) : undefined;
    let counters: Counters = seen ?? remembered;
    let extra = claim.extra ?? 0;
    let back = Math.min(claim.unspent?.units ?? 0, claim.cost + extra);
    for (let attempt = 0; attempt < MAX_WRITES; attempt += 1) {
      const { tat } = counters;
      // A process that was frozen in the meantime has an old timestamp; the other clocks can still be right.
      if (this.#isBroken(tat, claim)) claim = { ...claim, nowMs: this.#options.clock.now().getTime() };
      extra = Math.max(0, Math.min(extra, bucket.room(tat, claim) - claim.cost));
      const write = this.#writeFor(counters, claim, { extra, back, isShared: wrong > LOOK_ABOVE });
      // A write of `tat` finds the bucket full: unspent units were refilled long ago.
      const isBusyWrite = write?.sets.length === 0;
      if (write === undefined) return this.#denied(counters, claim);
      const outcome = await this.#store.write(address, write, signal);
      counters = await this.#countersOf(outcome, tat, address, claim, signal);
      const missed = bucket.isIdle(guess, claim) !== bucket.isIdle(outcome.applied ? tat : counters.tat, claim);
      this.#known.set(name, { counters, wrong: wrong * (1 - WEIGHT) + (missed ? WEIGHT : 0) });
      if (outcome.applied) {
        return {
          decision: decide(bucket.usage(counters, claim, true), claim, true, 'store'),
          extra: isRepair(write) ? 0 : extra,
          returned: isBusyWrite ? back : (claim.unspent?.units ?? 0),
        };
      }
      if (isBusyWrite) back = 0;
      const hasRoom = bucket.room(counters.tat, claim) >= claim.cost;
      if (!hasRoom && !this.#isBroken(counters.tat, claim)) return this.#denied(counters, claim);
    }
    throw new RateLimitError('ratelimit.store_unavailable', 'framework: token bucket is contended', {
      retryable: true,
    });
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    if (this.#isLocked(counters, claim)) return this.#denied(counters, claim).decision;
    const allowed = this.#bucket.room(counters.tat, claim) >= claim.cost || this.#isBroken(counters.tat, claim);
    return decide(this.#bucket.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  /** Adds returned tokens to the bucket, which never has more than its capacity. */
  async refund(address: Address, claim: Claim, units: number, nowMs: number, signal?: AbortSignal): Promise<void> {
    const now = { ...claim, nowMs };
    const whole = await this.#store.write(address, this.#bucket.refundWrite(now, units, undefined), signal);
    const tat = whole.counters?.tat;
    if (whole.applied || this.#bucket.isIdle(tat, now) || this.#isBroken(tat, now)) return;
    await this.#store.write(address, this.#bucket.refundWrite(now, units, tat), signal);
  }

  /** No write for a bucket that was repaired a short time ago; otherwise one wrong clock would refill it each time. */
  #writeFor(
    counters: Counters,
    claim: Claim,
    { extra, back, isShared }: { extra: number; back: number; isShared: boolean },
  ): ConditionalWrite | undefined {
    const { tat } = counters;
    const lead = isShared ? this.#bucket.lead(claim, claim.cost + extra) : 0;
    if (this.#bucket.isIdle(tat, claim) || isDue(tat, claim, lead)) return this.#bucket.idleWrite(claim, extra, lead);
    if (tat === undefined || !this.#isBroken(tat, claim)) return this.#bucket.busyWrite(claim, extra, back);
    if (this.#isLocked(counters, claim)) return undefined;
    this.#options.onBrokenClock(claim.key);
    return this.#bucket.repairWrite(claim, tat);
  }

  #isBroken(tat: number | undefined, claim: Claim): boolean {
    return this.#bucket.isBroken(tat, claim, this.#options.maxClockSkewMs);
  }

  #isLocked({ tat, r }: Counters, claim: Claim): boolean {
    return r !== undefined && this.#isBroken(tat, claim) && claim.nowMs - r < this.#bucket.fillMs(claim);
  }

  #denied(counters: Counters, claim: Claim): Taken {
    const { r = claim.nowMs } = counters;
    const freeMs = Math.min(r, claim.nowMs) + this.#bucket.fillMs(claim);
    const full = toMicros(freeMs) + (capacityOf(claim) - claim.cost) * this.#bucket.step(claim);
    const known = this.#isLocked(counters, claim) ? { tat: full } : counters;
    return { decision: decide(this.#bucket.usage(known, claim, false), claim, false, 'store'), extra: 0, returned: 0 };
  }

  /** A rejected busy write without an old item means that the item does not exist; only a rejected idle write must read it. */
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

/**
 * True if a shared bucket needs a new lead: always if others may use up the old lead before the write arrives, and at random before
 * that, so that not all instances write the lead at the same time.
 */
function isDue(tat: number | undefined, { nowMs }: Claim, lead: number): boolean {
  const left = (tat ?? 0) - toMicros(nowMs);
  if (left <= Math.min(ON_THE_WAY, lead / 2)) return true;
  return left <= lead / 2 && randomFraction() < 0.2;
}

function isRepair({ sets }: ConditionalWrite): boolean {
  return sets.some(({ counter }) => counter === 'r');
}
