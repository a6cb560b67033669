import { type FullClock, randomIds } from '@sallyport/core';
import { isPassing, MAX_TIMER_MS, pause, randomFraction, StoreTimeout, withDeadline } from '@sallyport/core/internal';

/** Options of {@link storeUntil}. */
export interface StoreUntilOptions {
  /** The clock of the deadline and of the waits between attempts. */
  readonly clock: FullClock;
  /**
   * The end of the invocation, in Unix milliseconds. The last attempt starts at least one second earlier, so that the caller has
   * time to report a failure. The first attempt always starts.
   */
  readonly deadlineMs: number;
  /** Returns the store's error for an attempt without a response. The write is retried if `mayPass` returns true for it. */
  readonly timedOut: (cause: StoreTimeout) => Error;
  /** True if the write is retried after this error. Default: true if the error or its cause is transient. */
  readonly mayPass?: ((error: unknown) => boolean) | undefined;
}

const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1000;
/** Time reserved for reporting a failure. */
const REPORT_MS = 1000;
/** Minimum time for one attempt. */
const MIN_ATTEMPT_MS = 1000;

/**
 * Stores the outcome of finished work: retries a failed write, with increasing waits, until it succeeds or the deadline is reached.
 * All attempts have the same id. A store that keeps the id with the item detects that an earlier attempt was applied, so the write
 * is applied once.
 *
 * @param write one attempt. It must pass the id to the store as the id of the write, and stop when the signal aborts.
 * @throws the error of the last attempt
 * @example
 * const timedOut = (cause) => new NotesError('notes.unavailable', { cause });
 * await storeUntil({ clock, deadlineMs, timedOut }, (writer, signal) => table.put(item, { condition, writer, signal }));
 */
export async function storeUntil<T>(
  { clock, deadlineMs, timedOut, mayPass = isPassing }: StoreUntilOptions,
  write: (writeId: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const writeId = randomIds.newId();
  const leftMs = () => deadlineMs - REPORT_MS - clock.now().getTime();
  for (let tried = 0; ; tried += 1) {
    try {
      return await withDeadline({ ms: attemptMs(leftMs()), clock, signal: undefined }, (signal) =>
        write(writeId, signal),
      );
    } catch (thrown) {
      const error = thrown instanceof StoreTimeout ? timedOut(thrown) : thrown;
      const waitMs = Math.ceil(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** tried) * (0.5 + randomFraction() / 2));
      // The last attempt starts just before the end, so that it survives every outage that is over by then.
      const untilLastMs = leftMs() - 1;
      if (!mayPass(error) || untilLastMs <= 0) throw error;
      await pause(clock, Math.min(waitMs, untilLastMs), undefined);
    }
  }
}

/** A third of the remaining time, so that after an attempt without a response there is time for others. */
function attemptMs(leftMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(MIN_ATTEMPT_MS, Math.floor(leftMs / 3)));
}
