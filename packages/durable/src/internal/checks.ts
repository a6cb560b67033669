import { type OptionKind, parsed } from '@sallyport/core/options';
import { DurableError } from '../errors.js';
import type { CallbackOptions, Duration, Retry, StepOptions } from '../types.js';

const NAME = /^[\x20-\x7e]{1,128}$/;

/** @throws DurableError `durable.invalid_operation` */
export function assertName(name: unknown): asserts name is string {
  if (typeof name === 'string' && NAME.test(name) && name.trim() !== '') return;
  throw invalid(`the name of an operation must be 1 to 128 printable ASCII characters (got ${shortText(name)})`);
}

/** 366 days, the longest wait of the service. */
const MAX_SECONDS = 31_622_400;
const UNITS = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;

/**
 * The seconds of a duration.
 *
 * @param place the operation and the option, for the error
 * @throws DurableError `durable.invalid_operation`
 */
export function toSeconds(duration: Duration, place: string): number {
  let seconds = 0;
  for (const [unit, count] of Object.entries(duration ?? {}) as [keyof typeof UNITS, number][]) {
    if (!Object.hasOwn(UNITS, unit) || !(count >= 0)) {
      throw invalid(
        `${place}: the duration has days, hours, minutes and seconds of at least 0 (got ${unit}: ${shortText(count)})`,
      );
    }
    seconds += count * UNITS[unit];
  }
  return assertWhole(seconds, 1, MAX_SECONDS, `${place}: the duration`, ' seconds');
}

/** @throws DurableError `durable.invalid_operation` */
export function assertWhole(value: unknown, least: number, most: number, what: string, unit = ''): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw invalid(`${what} must be a whole number from ${least} to ${most}${unit} (got ${shortText(value)})`);
}

/** @throws DurableError `durable.invalid_operation` */
function assertRetry(retry: Retry, place: string): void {
  assertWhole(retry.attempts, 1, 10, `${place}: retry.attempts`);
  assertWhole(retry.delaySeconds, 1, MAX_SECONDS, `${place}: retry.delaySeconds`);
  if (retry.maxDelaySeconds !== undefined) {
    assertWhole(retry.maxDelaySeconds, 1, MAX_SECONDS, `${place}: retry.maxDelaySeconds`);
  }
  if (retry.rate !== undefined && !(retry.rate >= 1 && retry.rate <= 100)) {
    throw invalid(`${place}: retry.rate must be a number from 1 to 100 (got ${shortText(retry.rate)})`);
  }
}

/** The delay after a failed attempt in whole seconds. */
export function delayAfter(retry: Retry, attempt: number, fraction: number): number {
  const { delaySeconds, rate = 2, maxDelaySeconds = 60, jitter = true } = retry;
  const longest = Math.min(delaySeconds * rate ** (attempt - 1), Math.max(maxDelaySeconds, delaySeconds));
  return Math.max(1, Math.round(jitter ? longest * (0.5 + fraction / 2) : longest));
}

function invalid(text: string): DurableError {
  return new DurableError('durable.invalid_operation', text);
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : String(value);
}

const EFFECTS: readonly unknown[] = [undefined, 'atLeastOnce', 'atMostOnce'];

/**
 * Checks the options of a step.
 *
 * @returns the seconds of `timeout`; `undefined` if absent
 * @throws DurableError `durable.invalid_operation`
 */
export function assertStepOptions({ retry, effect, timeout }: StepOptions, place: string): number | undefined {
  if (!EFFECTS.includes(effect)) {
    throw invalid(`${place}: effect must be "atLeastOnce" or "atMostOnce" (got ${shortText(effect)})`);
  }
  if (retry) assertRetry(retry, place);
  return timeout === undefined ? undefined : toSeconds(timeout, `${place}: timeout`);
}

/**
 * The seconds after which a callback times out.
 *
 * @throws DurableError `durable.invalid_operation`
 */
export function callbackSeconds({ timeout, timeoutSeconds }: CallbackOptions, place: string): number {
  if (timeout === undefined) return assertWhole(timeoutSeconds, 1, MAX_SECONDS, `${place}: timeoutSeconds`, ' seconds');
  if (timeoutSeconds !== undefined) throw invalid(`${place}: timeout and timeoutSeconds exclude each other`);
  return toSeconds(timeout, `${place}: timeout`);
}

/** A duration as an option. */
export function durationOption(): OptionKind<Duration> {
  return parsed('a duration: days, hours, minutes and seconds', (value, name) => {
    toSeconds(value as Duration, `option "${name}"`);
    return value as Duration;
  });
}
