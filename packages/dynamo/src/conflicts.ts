import type { FullClock } from '@sallyport/core';
import { pause, randomFraction } from '@sallyport/core/pipeline';
import { isThrottled } from './errors.js';

const MAX_CONFLICTS = 10;
const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 1000;

/**
 * Repeats a transaction, with increasing random waits, while other transactions of the same items conflict with it or the table is
 * throttled, up to ten times.
 *
 * @param run must reject with an error whose `cause` is the failure of the table
 * @throws what the last attempt threw; the reason of the signal
 */
export async function afterConflicts<T>(
  clock: FullClock,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  for (let met = 0; ; met += 1) {
    try {
      return await run();
    } catch (error) {
      if (met === MAX_CONFLICTS || !isThrottled((error as { cause?: unknown }).cause)) throw error;
      await pause(clock, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** met) * randomFraction(), signal);
    }
  }
}
