import { invalidConfig } from '../errors.js';

/** @throws RateLimitError `ratelimit.invalid_config` unless it is an object that holds known keys only */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw invalidConfig('options must be an object');
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw invalidConfig(`unknown option "${key}"`);
  }
}

/** A whole number within bounds. @throws RateLimitError `ratelimit.invalid_config` */
export function wholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw invalidConfig(`option "${option}" must be a whole number from ${least} to ${most}`);
}

/** @throws RateLimitError `ratelimit.invalid_config` for anything but a function or nothing */
export function assertFunctions(options: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined && typeof value !== 'function') {
      throw invalidConfig(`option "${name}" must be a function`);
    }
  }
}

/** @throws RateLimitError `ratelimit.invalid_config` for a clock that cannot tell the time */
export function assertClock(clock: unknown): void {
  if (clock === undefined) return;
  if (typeof clock === 'object' && clock !== null && typeof (clock as { now?: unknown }).now === 'function') return;
  throw invalidConfig('option "clock" must be a clock');
}
