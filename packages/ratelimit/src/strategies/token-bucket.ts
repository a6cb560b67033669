import type { WindowState } from '../limiter/limiter.js';
import type { ConditionalWrite, Counters } from './internal/counter-store.js';
import { type Claim, EXPIRY_GRACE_SECONDS, type StrategyShape, windowState } from './internal/windows.js';
import type { WindowLimit } from './strategy.js';

const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_MS = 1000;
/** Division leaves noise behind the point; this many digits of a microsecond count. */
const DIGITS = 6;

/**
 * A bucket as a theoretical arrival time (GCRA, ITU-T I.371): `tat` is the instant, in µs, at which the bucket is full
 * again. A token moves it by one interval; it may run ahead of now by `capacity` intervals.
 */
export class TokenBucket implements StrategyShape {
  readonly kind = 'bucket';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[] = Object.freeze([0]);
  /** µs between two tokens. */
  readonly #interval: number;
  readonly #refillPerSecond: number;

  constructor(name: string, capacity: number, refillPerSecond: number) {
    this.#interval = ceil(MICROS_PER_SECOND / refillPerSecond);
    this.#refillPerSecond = refillPerSecond;
    this.policy = `${name}:b${this.#interval}`;
    this.windows = Object.freeze([Object.freeze(this.#window(name, capacity))]);
    Object.freeze(this);
  }

  withLimits(limits: readonly number[]): readonly WindowLimit[] {
    return this.windows.map((window, index) => this.#window(window.name, limits[index] ?? 0));
  }

  sortSuffix(): string {
    return '';
  }

  /** The write for a bucket that is full. */
  idleWrite(claim: Claim): ConditionalWrite {
    const now = toMicros(claim.nowMs);
    const sets = [{ counter: 'tat', value: now + claim.cost * this.#interval }];
    return { checks: [{ counter: 'tat', max: now }], adds: [], sets, ...this.#rest(claim) };
  }

  /** The write for a bucket that is being refilled. */
  busyWrite(claim: Claim): ConditionalWrite {
    const above = toMicros(claim.nowMs);
    const adds = [{ counter: 'tat', value: claim.cost * this.#interval }];
    return { checks: [{ counter: 'tat', above, max: this.#latest(claim) }], adds, sets: [], ...this.#rest(claim) };
  }

  /** The write in place of a `tat` that no sane clock wrote, if nobody was faster. */
  repairWrite(claim: Claim, seen: number): ConditionalWrite {
    return { ...this.idleWrite(claim), checks: [{ counter: 'tat', above: seen - 1, max: seen }] };
  }

  isIdle(tat: number | undefined, { nowMs }: Claim): boolean {
    return tat === undefined || tat <= toMicros(nowMs);
  }

  hasRoom(tat: number | undefined, claim: Claim): boolean {
    return this.isIdle(tat, claim) || (tat ?? 0) <= this.#latest(claim);
  }

  /** Whether a `tat` lies further ahead than a full use of the bucket, also before a limit was lowered, and the skew explain. */
  isBroken(tat: number | undefined, claim: Claim, maxClockSkewMs: number): boolean {
    const capacity = Math.max(capacityOf(claim), capacityOf(this));
    const furthest = toMicros(claim.nowMs + maxClockSkewMs) + capacity * this.#interval;
    return tat !== undefined && tat > furthest;
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

  /** The furthest `tat` that still leaves room for the cost. */
  #latest(claim: Claim): number {
    return toMicros(claim.nowMs) + (capacityOf(claim) - claim.cost) * this.#interval;
  }

  #rest(claim: Claim): Pick<ConditionalWrite, 'removes' | 'expiresAt' | 'keepsExpiry'> {
    const fullAt = toMicros(claim.nowMs) + capacityOf(claim) * this.#interval;
    const expiresAt = Math.ceil(fullAt / MICROS_PER_SECOND) + EXPIRY_GRACE_SECONDS;
    return { removes: [], expiresAt, keepsExpiry: false };
  }

  /** A window as long as the bucket takes to fill. */
  #window(name: string, capacity: number): WindowLimit {
    return { name, windowMs: ceil((capacity * 1000) / this.#refillPerSecond), limit: capacity };
  }
}

function toMicros(ms: number): number {
  return ms * MICROS_PER_MS;
}

function capacityOf({ windows }: Pick<Claim, 'windows'>): number {
  return windows[0]?.limit ?? 0;
}

function ceil(value: number): number {
  return Math.ceil(Number(value.toFixed(DIGITS)));
}
