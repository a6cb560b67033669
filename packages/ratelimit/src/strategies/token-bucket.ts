import { defineOptions, integer, number } from '@sallyport/core/options';
import { randomFraction } from '@sallyport/core/pipeline';
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
  nameOf,
  type Period,
  StrategyDefinition,
  type Taken,
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
/** A guess that is wrong more often than this costs more than looking first: half a read unit has the price of a tenth of a write unit. */
const LOOK_ABOVE = 0.25;
/** Microseconds that a full bucket is written ahead at most where several instances use it. */
const MAX_LEAD = 500_000;
/** Microseconds that a write is on its way to the table at most, most of the time. */
const ON_THE_WAY = 20_000;
/** How long tokens may be held that were taken ahead. */
const HELD_MS = 10_000;
/** Of the last guess among all. */
const WEIGHT = 0.2;

/** What {@link TokenBucketOptions} may be. */
export const BUCKET_OPTIONS = defineOptions<TokenBucketOptions>()(
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
  const { name, capacity, refillPerSecond } = BUCKET_OPTIONS.parse(options);
  return new TokenBucket(name, capacity, refillPerSecond);
}

/**
 * A bucket as a theoretical arrival time (GCRA, ITU-T I.371): `tat` is the instant, in microseconds, at which the bucket is full
 * again. A token moves it by one interval; it may be ahead of now by `capacity` intervals. `r` is when a `tat` of a broken clock was
 * replaced last, in milliseconds.
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

  sortKey(): string {
    return '0';
  }

  /** Ten seconds of Unix time: tokens that were taken earlier make a later burst larger. */
  period({ nowMs }: Pick<Claim, 'nowMs'>): Period {
    const startMs = Math.floor(nowMs / HELD_MS) * HELD_MS;
    return { startMs, endMs: startMs + HELD_MS };
  }

  usage({ tat }: Counters, claim: Claim, allowed: boolean): readonly WindowState[] {
    const now = toMicros(claim.nowMs);
    const ahead = Math.max(0, (tat ?? 0) - now);
    const freeAt = allowed
      ? now + ahead
      : Math.max(now, (tat ?? 0) - (capacityOf(claim) - claim.cost) * this.step(claim));
    return claim.windows.map((window) =>
      windowState(window, Math.ceil(ahead / this.step(claim)), Math.ceil(freeAt / MICROS_PER_MS)),
    );
  }

  /** Microseconds between two tokens of one item: each of several shards refills so much slower. */
  step({ shards }: Pick<Claim, 'shards'>): number {
    return this.#interval * shards;
  }

  /**
   * The write for a bucket that is full, or short of it by `lead` microseconds, which are lost then. After it the write for a bucket
   * that is being refilled holds for as long as `lead`, whatever other instances do.
   */
  idleWrite(claim: Claim, extra: number, lead = 0): ConditionalWrite {
    const now = toMicros(claim.nowMs) + lead;
    const sets = [{ counter: 'tat', value: now + (claim.cost + extra) * this.step(claim) }];
    return { checks: [{ counter: 'tat', max: now }], adds: [], sets, ...this.#expiry(claim) };
  }

  /** The write for a bucket that is being refilled. Units are given back only where the bucket has not refilled them yet. */
  busyWrite(claim: Claim, extra: number, back: number): ConditionalWrite {
    const step = this.step(claim);
    const above = toMicros(claim.nowMs) + back * step;
    const max = toMicros(claim.nowMs) + (capacityOf(claim) - claim.cost - extra + back) * step;
    const adds = [{ counter: 'tat', value: (claim.cost + extra - back) * step }];
    return { checks: [{ counter: 'tat', above, max }], adds, sets: [], ...this.#expiry(claim) };
  }

  /** The write that replaces a `tat` of a broken clock, unless another instance was faster. */
  repairWrite(claim: Claim, seen: number): ConditionalWrite {
    const { sets, ...write } = this.idleWrite(claim, 0);
    return {
      ...write,
      checks: [{ counter: 'tat', above: seen - 1, max: seen }],
      sets: [...sets, { counter: 'r', value: claim.nowMs }],
    };
  }

  /** The write that gives units back: all of them, or what the bucket seen has not refilled yet. */
  refundWrite(claim: Claim, units: number, seen: number | undefined): ConditionalWrite {
    const now = toMicros(claim.nowMs);
    const value = units * this.step(claim);
    const whole = seen === undefined;
    return {
      checks: [
        {
          counter: 'tat',
          ...(whole ? { above: now + value - 1, max: Number.MAX_SAFE_INTEGER } : { above: seen - 1, max: seen }),
        },
      ],
      adds: whole ? [{ counter: 'tat', value: -value }] : [],
      sets: whole ? [] : [{ counter: 'tat', value: now }],
      removes: [],
      expiresAt: undefined,
      keepsExpiry: true,
      once: true,
    };
  }

  isIdle(tat: number | undefined, { nowMs }: Claim): boolean {
    return tat === undefined || tat <= toMicros(nowMs);
  }

  /** The lead that leaves three quarters of the bucket, or what the units leave. */
  lead(claim: Claim, units: number): number {
    const full = capacityOf(claim) * this.step(claim);
    return Math.max(0, Math.min(Math.floor(full / 4), MAX_LEAD, full - units * this.step(claim)));
  }

  /** How many tokens are in the bucket. */
  room(tat: number | undefined, claim: Claim): number {
    const ahead = Math.max(0, (tat ?? 0) - toMicros(claim.nowMs));
    return capacityOf(claim) - Math.ceil(ahead / this.step(claim));
  }

  /** Whether a `tat` is further ahead than the clock skew and a full use of the bucket explain, also before a limit was lowered. */
  isBroken(tat: number | undefined, claim: Claim, maxClockSkewMs: number): boolean {
    const capacity = Math.max(capacityOf(claim), Math.ceil(capacityOf(this) / claim.shards));
    const furthest = toMicros(claim.nowMs + maxClockSkewMs) + capacity * this.step(claim);
    return tat !== undefined && tat > furthest;
  }

  /** Milliseconds in which an empty bucket fills. */
  fillMs(claim: Claim): number {
    return Math.ceil((capacityOf(claim) * this.step(claim)) / MICROS_PER_MS);
  }

  #expiry(claim: Claim): Pick<ConditionalWrite, 'removes' | 'expiresAt' | 'keepsExpiry'> {
    const expiresAt = Math.ceil((claim.nowMs + this.fillMs(claim)) / 1000) + EXPIRY_GRACE_SECONDS;
    return { removes: [], expiresAt, keepsExpiry: false };
  }

  /** A window as long as the bucket takes to fill. */
  #window(name: string, capacity: number): WindowLimit {
    return { name, windowMs: roundUp((capacity * 1000) / this.#refillPerSecond), limit: capacity };
  }
}

/** What an instance knows of a bucket. */
interface Known {
  readonly counters: Counters;
  /** The share of its last guesses that were wrong, later ones counting more. */
  readonly wrong: number;
}

/**
 * Guesses from the last `tat` seen whether a bucket is full, because that decides between two writes. A wrong guess costs a write.
 * Where guesses of a key are often wrong, because other instances use it, it looks first: that costs a tenth of a write.
 */
class BucketDecider implements Decider {
  readonly #bucket: TokenBucket;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;
  readonly #known = new Lru<Known>(REMEMBERED_BUCKETS);

  constructor(bucket: TokenBucket, store: CounterStore, options: DeciderOptions) {
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
      // A process that was frozen meanwhile has an old time stamp: that does not make the other clocks wrong.
      if (this.#isBroken(tat, claim)) claim = { ...claim, nowMs: this.#options.clock.now().getTime() };
      extra = Math.max(0, Math.min(extra, bucket.room(tat, claim) - claim.cost));
      const write = this.#writeFor(counters, claim, { extra, back, isShared: wrong > LOOK_ABOVE });
      if (write === undefined) return this.#denied(counters, claim);
      const outcome = await this.#store.write(address, write, signal);
      counters = await this.#countersOf(outcome, tat, address, claim, signal);
      const missed = bucket.isIdle(guess, claim) !== bucket.isIdle(outcome.applied ? tat : counters.tat, claim);
      this.#known.set(name, { counters, wrong: wrong * (1 - WEIGHT) + (missed ? WEIGHT : 0) });
      if (outcome.applied) {
        return {
          decision: decide(bucket.usage(counters, claim, true), claim, true, 'store'),
          extra: isRepair(write) ? 0 : extra,
        };
      }
      back = 0;
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

  /** Tokens go back into the bucket, which never holds more than its capacity. */
  async refund(address: Address, claim: Claim, units: number, nowMs: number, signal?: AbortSignal): Promise<void> {
    const now = { ...claim, nowMs };
    const whole = await this.#store.write(address, this.#bucket.refundWrite(now, units, undefined), signal);
    const tat = whole.counters?.tat;
    if (whole.applied || this.#bucket.isIdle(tat, now) || this.#isBroken(tat, now)) return;
    await this.#store.write(address, this.#bucket.refundWrite(now, units, tat), signal);
  }

  /** No write for a bucket that was repaired a short while ago: one clock that is wrong would else refill it at each turn. */
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
    const full = freeMs * MICROS_PER_MS + (capacityOf(claim) - claim.cost) * this.#bucket.step(claim);
    const known = this.#isLocked(counters, claim) ? { tat: full } : counters;
    return { decision: decide(this.#bucket.usage(known, claim, false), claim, false, 'store'), extra: 0 };
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

/**
 * Whether a shared bucket needs a new lead: surely when others may use up the old one before the write arrives, and by chance before
 * that, so that not all instances write the lead at once.
 */
function isDue(tat: number | undefined, { nowMs }: Claim, lead: number): boolean {
  const left = (tat ?? 0) - toMicros(nowMs);
  if (left <= Math.min(ON_THE_WAY, lead / 2)) return true;
  return left <= lead / 2 && randomFraction() < 0.2;
}

function isRepair({ sets }: ConditionalWrite): boolean {
  return sets.some(({ counter }) => counter === 'r');
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
