import { defineOptions, integer } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import type { Strategy, WindowLimit, WindowOptions, WindowState } from '../limiter/limiter.js';
import {
  type Claim,
  type ConditionalWrite,
  type Counters,
  EXPIRY_GRACE_SECONDS,
  type Period,
  windowState,
} from './internal/definition.js';
import { DEFAULT_NAME, slackSteps, toWindow, WINDOW_OPTIONS, WindowStrategy } from './internal/window-strategy.js';

/** Options of {@link slidingWindow}. */
export interface SlidingWindowOptions extends WindowOptions {
  /** Steps in which the window moves, 2 to 20. Each must last a whole number of milliseconds, at least 100. Default 10. */
  readonly granules?: number;
}

const MIN_GRANULE_MS = 100;
const COUNTER = /^s(-?[0-9a-z]+)$/;

/** Validators and defaults for {@link SlidingWindowOptions}. */
export const SLIDING_OPTIONS = defineOptions<SlidingWindowOptions>()(
  { ...WINDOW_OPTIONS, granules: integer(2, 20).default(10) },
  { fail: invalidConfig },
);

/**
 * Creates a strategy that allows `limit` requests in every interval of `windowMs`. It is slightly stricter: a request counts for up to one
 * granule longer.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option, or if the granules do not divide the window
 * @example slidingWindow({ limit: 100, windowMs: 60_000, granules: 12 })
 */
export function slidingWindow(options: SlidingWindowOptions): Strategy {
  const { granules, ...window } = SLIDING_OPTIONS.parse(options);
  const granuleMs = window.windowMs / granules;
  if (!Number.isInteger(granuleMs)) throw invalidConfig('option "windowMs" must be divisible by "granules"');
  if (granuleMs < MIN_GRANULE_MS) throw invalidConfig(`a granule must last at least ${MIN_GRANULE_MS} ms`);
  return new SlidingWindow(toWindow(window, DEFAULT_NAME), granules);
}

/**
 * A window that moves in granules. `s<j>` counts the requests admitted in granules `j … j+N` (base 36). A request in granule `g`
 * adds to the `N+1` counters `s<g−N> … s<g>`, and each counter must be within the limit. `s<g−N>`, which began first, contains the
 * sum of the whole span. Later counters differ only if a faster clock or a write that overtook this write has counted ahead.
 * So each span of `N+1` granules has at most the limit, without a sum, a read or a roll-over.
 */
class SlidingWindow extends WindowStrategy {
  readonly kind = 'sliding';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[] = Object.freeze([0]);
  readonly #granules: number;
  readonly #granuleMs: number;

  constructor(window: WindowLimit, granules: number) {
    super();
    this.policy = `${window.name}:s${window.windowMs}x${granules}`;
    this.windows = Object.freeze([window]);
    this.#granules = granules;
    this.#granuleMs = window.windowMs / granules;
    Object.freeze(this);
  }

  sortKey(): string {
    return '0';
  }

  write({ nowMs, windows }: Claim, units: number): ConditionalWrite {
    const granule = this.#granuleOf(nowMs);
    const max = limitOf(windows) - units;
    const span = names(granule - this.#granules, granule);
    return {
      checks: span.map((counter) => ({ counter, max })),
      adds: span.map((counter) => ({ counter, value: units })),
      sets: [],
      removes: [],
      expiresAt: Math.ceil(this.#endOf(granule) / 1000) + EXPIRY_GRACE_SECONDS,
      keepsExpiry: false,
    };
  }

  usage(counters: Counters, claim: Claim, allowed: boolean): readonly WindowState[] {
    const { nowMs, cost, windows } = claim;
    const granule = this.#granuleOf(nowMs);
    const span = names(granule - this.#granules, granule);
    const count = Math.max(...span.map((counter) => counters[counter] ?? 0));
    const room = allowed ? 0 : limitOf(windows) - cost;
    const resetsAtMs = this.#endOf(this.#lastAbove(counters, granule, room));
    return windows.map((window) => windowState(window, count, resetsAtMs));
  }

  override lifeOf(counter: string): number | undefined {
    return COUNTER.test(counter) ? this.#granuleMs * (this.#granules + 1) : undefined;
  }

  override isDead(counter: string, { nowMs }: Claim, slackMs: number): boolean {
    return granuleOfName(counter) < this.#granuleOf(nowMs) - this.#granules - slackSteps(slackMs, this.#granuleMs);
  }

  /** Units may be spent only within the granule; later they would count for too short a time. */
  override period({ nowMs }: Pick<Claim, 'nowMs'>): Period {
    const startMs = this.#granuleOf(nowMs) * this.#granuleMs;
    return { startMs, endMs: startMs + this.#granuleMs };
  }

  override stillCounting(fromMs: number, toMs: number): number {
    return (1 - 1 / this.#granules) ** Math.abs(this.#granuleOf(toMs) - this.#granuleOf(fromMs));
  }

  #granuleOf(nowMs: number): number {
    return Math.floor(nowMs / this.#granuleMs);
  }

  /** The time at which the counter of a granule is no longer part of the span. */
  #endOf(granule: number): number {
    return (granule + 1 + this.#granules) * this.#granuleMs;
  }

  /** The last counter that is above `room`; from the next counter on, the span has room. */
  #lastAbove(counters: Counters, granule: number, room: number): number {
    if (room < 0) return granule;
    let last = granule - this.#granules;
    for (const [counter, count] of Object.entries(counters)) {
      const counted = granuleOfName(counter);
      if (count > room && counted > last && counted <= granule + this.#granules) last = counted;
    }
    return last;
  }
}

function limitOf(windows: readonly WindowLimit[]): number {
  return windows[0]?.limit ?? 0;
}

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => `s${(from + offset).toString(36)}`);
}

/** `NaN`, which compares with nothing, for another attribute. */
function granuleOfName(counter: string): number {
  const match = COUNTER.exec(counter);
  return match?.[1] === undefined ? Number.NaN : Number.parseInt(match[1], 36);
}
