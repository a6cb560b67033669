import { defineOptions, group, list } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import type { Strategy, WindowLimit, WindowOptions, WindowState } from '../limiter/limiter.js';
import {
  type Claim,
  type ConditionalWrite,
  type Counters,
  durationLabel,
  EXPIRY_GRACE_SECONDS,
  type Period,
  windowState,
} from './internal/definition.js';
import { DEFAULT_NAME, slackSteps, toWindow, WINDOW_OPTIONS, WindowStrategy } from './internal/window-strategy.js';

const MAX_WINDOWS = 4;
const MAX_RATIO = 3600;
const BUCKET = /^w([1-9])_([0-9a-z]+)$/;

/** Validators and defaults for {@link WindowOptions}. */
export const FIXED_OPTIONS = defineOptions<WindowOptions>()(WINDOW_OPTIONS, { fail: invalidConfig });
const MULTI_OPTIONS = defineOptions<{ readonly windows: readonly WindowOptions[] }>()(
  { windows: list(group<WindowOptions>()(WINDOW_OPTIONS), `a list of 1 to ${MAX_WINDOWS} windows`).required() },
  { fail: invalidConfig },
);

/**
 * Creates a strategy that allows `limit` requests in each window of Unix time; up to twice that in an interval that crosses a boundary.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example fixedWindow({ limit: 100, windowMs: 60_000 })
 */
export function fixedWindow(options: WindowOptions): Strategy {
  const window = toWindow(FIXED_OPTIONS.parse(options), DEFAULT_NAME);
  return new FixedWindows('fixed', `${window.name}:f${window.windowMs}`, [window], [0]);
}

/**
 * One to four fixed windows. A request is allowed only if every window has room. The lengths are distinct, each divides the next
 * longer one, and the longest is at most 3,600 times the shortest.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for wrong options or lengths, or for two windows with the same name
 * @example multiWindow([{ limit: 10, windowMs: 1_000 }, { limit: 100, windowMs: 60_000 }])
 */
export function multiWindow(windows: readonly WindowOptions[]): Strategy {
  const parsed = MULTI_OPTIONS.parse({ windows }).windows;
  if (parsed.length < 1 || parsed.length > MAX_WINDOWS) {
    throw invalidConfig(`option "windows" must be a list of 1 to ${MAX_WINDOWS} windows`);
  }
  const given = parsed.map((window) => toWindow(window, `${DEFAULT_NAME}-${durationLabel(window.windowMs)}`));
  const ordered = [...given].sort((a, b) => b.windowMs - a.windowMs);
  assertNested(ordered);
  const isNamed = parsed.some((window) => window.name !== undefined);
  const name = isNamed ? ordered.map((window) => window.name).join('+') : DEFAULT_NAME;
  const policy = `${name}:m${ordered.map((window) => window.windowMs).join('-')}`;
  const givenOrder = ordered.map((window) => given.indexOf(window));
  return new FixedWindows('multi', policy, ordered, givenOrder);
}

/** All windows of a key share an item that expires with the longest window; a window across its end would start again. */
function assertNested(ordered: readonly WindowLimit[]): void {
  for (const [index, window] of ordered.entries()) {
    const longer = ordered[index - 1];
    if (longer === undefined) continue;
    if (longer.windowMs === window.windowMs) throw invalidConfig('windows must have distinct lengths');
    if (longer.windowMs % window.windowMs !== 0) throw invalidConfig('each window must divide the next longer one');
  }
  const longest = ordered[0]?.windowMs ?? 0;
  const shortest = ordered.at(-1)?.windowMs ?? 1;
  if (longest / shortest > MAX_RATIO) {
    throw invalidConfig(`the longest window may last at most ${MAX_RATIO} times the shortest`);
  }
  if (new Set(ordered.map((window) => window.name)).size < ordered.length) {
    throw invalidConfig('windows must have distinct names');
  }
}

/**
 * Windows that are aligned to Unix time, all windows of a key in one item. `n` counts the longest window, `w<i>_<bucket>` a
 * shorter one, by its number (base 36) within the longest. With one item the write is atomic and costs one write unit.
 */
class FixedWindows extends WindowStrategy {
  readonly kind: 'fixed' | 'multi';
  readonly policy: string;
  readonly windows: readonly WindowLimit[];
  readonly givenOrder: readonly number[];
  readonly #longestMs: number;

  constructor(kind: 'fixed' | 'multi', policy: string, windows: readonly WindowLimit[], givenOrder: readonly number[]) {
    super();
    this.kind = kind;
    this.policy = policy;
    this.windows = Object.freeze([...windows]);
    this.givenOrder = Object.freeze([...givenOrder]);
    this.#longestMs = windows[0]?.windowMs ?? 0;
    Object.freeze(this);
  }

  sortKey(nowMs: number): string {
    return String(this.#startOf(nowMs));
  }

  write({ nowMs, windows }: Claim, units: number): ConditionalWrite {
    const counters = windows.map((window, index) => this.#slot(window, index, nowMs).counter);
    return {
      checks: windows.map(({ limit }, index) => ({ counter: counters[index] ?? '', max: limit - units })),
      adds: counters.map((counter) => ({ counter, value: units })),
      sets: [],
      removes: [],
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

  #startOf(nowMs: number): number {
    return Math.floor(nowMs / this.#longestMs) * this.#longestMs;
  }

  /** The counter of a window at a time, and the end of the window. */
  #slot({ windowMs }: WindowLimit, index: number, nowMs: number): { counter: string; endsAtMs: number } {
    const start = this.#startOf(nowMs);
    const bucket = Math.floor((nowMs - start) / windowMs);
    return { counter: index === 0 ? 'n' : bucketName(index, bucket), endsAtMs: start + (bucket + 1) * windowMs };
  }

  override lifeOf(counter: string): number | undefined {
    return this.#bucketOf(counter)?.window.windowMs;
  }

  override isDead(counter: string, { nowMs }: Claim, slackMs: number): boolean {
    const found = this.#bucketOf(counter);
    if (found === undefined) return false;
    const { windowMs } = found.window;
    const bucket = Math.floor((nowMs - this.#startOf(nowMs)) / windowMs);
    return found.bucket < bucket - slackSteps(slackMs, windowMs);
  }

  /** Until the first of its windows ends. */
  override period({ nowMs }: Pick<Claim, 'nowMs'>): Period {
    const shortestMs = this.windows.at(-1)?.windowMs ?? 1;
    const startMs = Math.floor(nowMs / shortestMs) * shortestMs;
    return { startMs, endMs: startMs + shortestMs };
  }

  /** The shorter window and the bucket that a counter represents. */
  #bucketOf(counter: string): { window: WindowLimit; bucket: number } | undefined {
    const match = BUCKET.exec(counter);
    const window = this.windows[Number(match?.[1])];
    if (match === null || window === undefined) return undefined;
    return { window, bucket: Number.parseInt(match[2] ?? '', 36) };
  }
}

function bucketName(index: number, bucket: number): string {
  return `w${index}_${bucket.toString(36)}`;
}
