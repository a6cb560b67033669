import { invalidConfig } from '../errors.js';
import { assertOptions, wholeNumber } from '../internal/options.js';
import { FixedWindows } from './fixed-windows.js';
import { durationLabel } from './internal/duration.js';
import { SlidingWindow } from './sliding-window.js';
import { TokenBucket } from './token-bucket.js';

/** One limit of a strategy. */
export interface WindowLimit {
  readonly name: string;
  readonly windowMs: number;
  readonly limit: number;
}

/** How requests are counted. Made by the functions of this module only; immutable. */
export interface Strategy {
  readonly kind: 'fixed' | 'sliding' | 'multi' | 'bucket';
  /** Name and shape without limits, part of every key: a new shape starts fresh, a new limit works at once. */
  readonly policy: string;
  /** The longest first. */
  readonly windows: readonly WindowLimit[];
}

export interface WindowOptions {
  /** 0 to 1,000,000,000; 0 denies everything. */
  readonly limit: number;
  /** 100 ms to 31 days, whole. */
  readonly windowMs: number;
  /** 1 to 64 of `[A-Za-z0-9_.-]`; `default`. */
  readonly name?: string;
}

export interface SlidingWindowOptions extends WindowOptions {
  /** Steps in which the window moves, 2 to 20; 10. Each must last a whole number of at least 100 ms. */
  readonly granules?: number;
}

export interface TokenBucketOptions {
  /** 0 to 1,000,000. */
  readonly capacity: number;
  /** 0.001 to 1,000,000; the interval between two tokens is rounded up to a whole microsecond. */
  readonly refillPerSecond: number;
  /** 1 to 64 of `[A-Za-z0-9_.-]`; `default`. */
  readonly name?: string;
}

const MAX_LIMIT = 1_000_000_000;
const MIN_WINDOW_MS = 100;
const MAX_WINDOW_MS = 31 * 86_400_000;
const MAX_WINDOWS = 4;
const MAX_RATIO = 3600;
const MAX_CAPACITY = 1_000_000;
const MIN_GRANULE_MS = 100;
const DEFAULT_NAME = 'default';
const DEFAULT_GRANULES = 10;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * At most `limit` in each window of Unix time; up to twice that across a boundary.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example fixedWindow({ limit: 100, windowMs: 60_000 })
 */
export function fixedWindow(options: WindowOptions): Strategy {
  const window = parseWindow(options, ['limit', 'windowMs', 'name'], DEFAULT_NAME);
  return new FixedWindows('fixed', `${window.name}:f${window.windowMs}`, [window], [0]);
}

/**
 * At most `limit` in every interval of `windowMs`. Errs to the strict side: a request counts for up to one granule more.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example slidingWindow({ limit: 100, windowMs: 60_000, granules: 12 })
 */
export function slidingWindow(options: SlidingWindowOptions): Strategy {
  const window = parseWindow(options, ['limit', 'windowMs', 'granules', 'name'], DEFAULT_NAME);
  const granules = wholeNumber('granules', options.granules ?? DEFAULT_GRANULES, 2, 20);
  const granuleMs = window.windowMs / granules;
  if (!Number.isInteger(granuleMs)) throw invalidConfig('option "windowMs" must be divisible by "granules"');
  if (granuleMs < MIN_GRANULE_MS) throw invalidConfig(`a granule must last at least ${MIN_GRANULE_MS} ms`);
  return new SlidingWindow(`${window.name}:s${window.windowMs}x${granules}`, window, granules);
}

/**
 * One to four fixed windows, all or none. Lengths are distinct and each divides the next longer one.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example multiWindow([{ limit: 10, windowMs: 1_000 }, { limit: 100, windowMs: 60_000 }])
 */
export function multiWindow(windows: readonly WindowOptions[]): Strategy {
  if (!Array.isArray(windows) || windows.length < 1 || windows.length > MAX_WINDOWS) {
    throw invalidConfig(`multiWindow needs 1 to ${MAX_WINDOWS} windows`);
  }
  const given = windows.map((window: WindowOptions) => {
    assertOptions(window, ['limit', 'windowMs', 'name']);
    return parseWindow(window, ['limit', 'windowMs', 'name'], `${DEFAULT_NAME}-${durationLabel(window.windowMs)}`);
  });
  const ordered = [...given].sort((a, b) => b.windowMs - a.windowMs);
  assertNested(ordered);
  const named = windows.some((window: WindowOptions) => window.name !== undefined);
  const name = named ? ordered.map((window) => window.name).join('+') : DEFAULT_NAME;
  const policy = `${name}:m${ordered.map((window) => window.windowMs).join('-')}`;
  return new FixedWindows(
    'multi',
    policy,
    ordered,
    ordered.map((window) => given.indexOf(window)),
  );
}

/**
 * A burst of `capacity`, then `refillPerSecond`. May need a second write when another instance uses the same key.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example tokenBucket({ capacity: 20, refillPerSecond: 5 })
 */
export function tokenBucket(options: TokenBucketOptions): Strategy {
  assertOptions(options, ['capacity', 'refillPerSecond', 'name']);
  const capacity = wholeNumber('capacity', options.capacity, 0, MAX_CAPACITY);
  const { refillPerSecond } = options;
  if (typeof refillPerSecond !== 'number' || !(refillPerSecond >= 0.001 && refillPerSecond <= 1_000_000)) {
    throw invalidConfig('option "refillPerSecond" must be a number from 0.001 to 1000000');
  }
  return new TokenBucket(parseName(options.name, DEFAULT_NAME), capacity, refillPerSecond);
}

function parseWindow(options: WindowOptions, known: readonly string[], defaultName: string): WindowLimit {
  assertOptions(options, known);
  return Object.freeze({
    name: parseName(options.name, defaultName),
    windowMs: wholeNumber('windowMs', options.windowMs, MIN_WINDOW_MS, MAX_WINDOW_MS),
    limit: wholeNumber('limit', options.limit, 0, MAX_LIMIT),
  });
}

function parseName(name: unknown, defaultName: string): string {
  if (name === undefined) return defaultName;
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw invalidConfig('option "name" must be 1 to 64 of A-Z a-z 0-9 _ . -');
}

/** A window that straddled its parent's end would restart there. */
function assertNested(ordered: readonly WindowLimit[]): void {
  for (const [index, window] of ordered.entries()) {
    const longer = ordered[index - 1];
    if (longer === undefined) continue;
    if (longer.windowMs === window.windowMs) throw invalidConfig('windows must have distinct lengths');
    if (longer.windowMs % window.windowMs !== 0) throw invalidConfig('each window must divide the next longer one');
  }
  const longest = ordered[0]?.windowMs ?? 0;
  const shortest = ordered.at(-1)?.windowMs ?? 1;
  if (longest / shortest > MAX_RATIO) throw invalidConfig(`the longest window may last ${MAX_RATIO} of the shortest`);
  if (new Set(ordered.map((window) => window.name)).size < ordered.length) {
    throw invalidConfig('windows must have distinct names');
  }
}
