import type { WindowState } from '../../limiter/limiter.js';
import { type Claim, type ConditionalWrite, type Counters, EXPIRY_GRACE_SECONDS, windowState } from './definition.js';

const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_MS = 1000;
/** Division is not exact; this many decimal digits of a microsecond are used. */
const DIGITS = 6;
/** Maximum number of microseconds that are lost if a full bucket is written with a lead, for several instances. */
const MAX_LEAD = 500_000;

/**
 * A bucket as a theoretical arrival time (GCRA, ITU-T I.371): `tat` is the time, in microseconds, at which the bucket is full
 * again. A token moves it by one interval; it may be ahead of now by `capacity` intervals. `r` is the time, in milliseconds, at which
 * a `tat` of a broken clock was last replaced.
 */
export class Bucket {
  /** Tokens of a full bucket, from the options of its strategy. */
  readonly capacity: number;
  /** Microseconds between two tokens. */
  readonly interval: number;

  constructor(capacity: number, refillPerSecond: number) {
    this.capacity = capacity;
    this.interval = roundUp(MICROS_PER_SECOND / refillPerSecond);
    Object.freeze(this);
  }

  /** The state of the windows after a decision. */
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

  /** Microseconds between two tokens of one item: each of several shards refills slower by their number. */
  step({ shards }: Pick<Claim, 'shards'>): number {
    return this.interval * shards;
  }

  /**
   * The write for a bucket that is full, or nearly full: at most `lead` microseconds short, which are lost. After it the write for a
   * refilling bucket is valid for the time of `lead`, regardless of other instances.
   */
  idleWrite(claim: Claim, extra: number, lead = 0): ConditionalWrite {
    const now = toMicros(claim.nowMs) + lead;
    const sets = [{ counter: 'tat', value: now + (claim.cost + extra) * this.step(claim) }];
    return { checks: [{ counter: 'tat', max: now }], adds: [], sets, ...this.#expiry(claim) };
  }

  /** The write for a bucket that is being refilled. Units are returned only if the bucket has not refilled them yet. */
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

  /** The write that returns units: all of them, or the units that the observed bucket has not refilled yet. */
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

  /** The lead that leaves three quarters of the bucket, or the rest after the units. */
  lead(claim: Claim, units: number): number {
    const full = capacityOf(claim) * this.step(claim);
    return Math.max(0, Math.min(Math.floor(full / 4), MAX_LEAD, full - units * this.step(claim)));
  }

  /** The number of tokens in the bucket. */
  room(tat: number | undefined, claim: Claim): number {
    const ahead = Math.max(0, (tat ?? 0) - toMicros(claim.nowMs));
    return capacityOf(claim) - Math.ceil(ahead / this.step(claim));
  }

  /** True if a `tat` is further ahead than clock skew and a full use of the bucket explain, even with an earlier, higher limit. */
  isBroken(tat: number | undefined, claim: Claim, maxClockSkewMs: number): boolean {
    const capacity = Math.max(capacityOf(claim), Math.ceil(this.capacity / claim.shards));
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
}

/** Tokens of a claim's bucket when it is full. */
export function capacityOf({ windows }: Pick<Claim, 'windows'>): number {
  return windows[0]?.limit ?? 0;
}

export function toMicros(ms: number): number {
  return ms * MICROS_PER_MS;
}

/** Rounds up to a whole number, but ignores the error of the division. */
export function roundUp(value: number): number {
  return Math.ceil(Number(value.toFixed(DIGITS)));
}
