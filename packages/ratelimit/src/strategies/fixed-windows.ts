import type { WindowState } from '../limiter/limiter.js';
import type { ConditionalWrite, Counters } from './internal/counter-store.js';
import { type Claim, type CountingShape, EXPIRY_GRACE_SECONDS, skewSteps, windowState } from './internal/windows.js';
import type { WindowLimit } from './strategy.js';

/** Buckets of each shorter window that one write clears away. */
const SWEEP = 64;

interface Slot {
  readonly counter: string;
  readonly endsAtMs: number;
}

/**
 * Windows cut in Unix time, all of one key in one item: `n` counts the longest, `w<i>_<bucket>` a shorter one in its
 * bucket (base 36) of the longest. One item makes the write all-or-none by nature and keeps it at one unit.
 */
export class FixedWindows implements CountingShape {
  readonly kind: 'fixed' | 'multi';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[];
  readonly #longestMs: number;

  constructor(kind: 'fixed' | 'multi', policy: string, windows: readonly WindowLimit[], givenOrder: readonly number[]) {
    this.kind = kind;
    this.policy = policy;
    this.windows = Object.freeze([...windows]);
    this.givenOrder = Object.freeze([...givenOrder]);
    this.#longestMs = windows[0]?.windowMs ?? 0;
    Object.freeze(this);
  }

  withLimits(limits: readonly number[]): readonly WindowLimit[] {
    return this.windows.map((window, index) => ({ ...window, limit: limits[index] ?? 0 }));
  }

  sortSuffix(nowMs: number): string {
    return `#${this.#startOf(nowMs)}`;
  }

  write(claim: Claim, maxClockSkewMs: number): ConditionalWrite {
    const { nowMs, cost, windows } = claim;
    const counted = windows.map((window, index) => ({
      window,
      index,
      counter: this.#slot(window, index, nowMs).counter,
    }));
    return {
      checks: counted.map(({ window, counter }) => ({ counter, max: window.limit - cost })),
      adds: counted.map(({ counter }) => ({ counter, value: cost })),
      sets: [],
      removes: counted.slice(1).flatMap(({ window, index }) => this.#deadBuckets(window, index, nowMs, maxClockSkewMs)),
      expiresAt: Math.ceil((this.#startOf(nowMs) + this.#longestMs) / 1000) + EXPIRY_GRACE_SECONDS,
      keepsExpiry: true,
    };
  }

  usage(counters: Counters, { nowMs, windows }: Claim): readonly WindowState[] {
    return windows.map((window, index) => {
      const { counter, endsAtMs } = this.#slot(window, index, nowMs);
      return windowState(window, counters[counter] ?? 0, endsAtMs);
    });
  }

  overdue(): readonly string[] {
    return [];
  }

  #startOf(nowMs: number): number {
    return Math.floor(nowMs / this.#longestMs) * this.#longestMs;
  }

  #slot({ windowMs }: WindowLimit, index: number, nowMs: number): Slot {
    const start = this.#startOf(nowMs);
    const bucket = Math.floor((nowMs - start) / windowMs);
    return { counter: index === 0 ? 'n' : bucketName(index, bucket), endsAtMs: start + (bucket + 1) * windowMs };
  }

  #deadBuckets({ windowMs }: WindowLimit, index: number, nowMs: number, maxClockSkewMs: number): string[] {
    const bucket = Math.floor((nowMs - this.#startOf(nowMs)) / windowMs);
    const end = bucket - skewSteps(maxClockSkewMs, windowMs);
    const start = Math.max(0, end - SWEEP);
    return Array.from({ length: Math.max(0, end - start) }, (_, offset) => bucketName(index, start + offset));
  }
}

function bucketName(index: number, bucket: number): string {
  return `w${index}_${bucket.toString(36)}`;
}
