import type { FullClock } from './clock.js';
import { StoreTimeout } from './store-errors.js';

export interface DeadlineOptions {
  readonly ms: number;
  readonly clock: FullClock;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs a call to the store with a signal that aborts when `ms` are over or the caller gives up, and settles then
 * whether or not the call heeds it.
 *
 * @throws StoreTimeout; the reason of the caller's signal; what the call throws
 */
export async function withDeadline<T>(
  { ms, clock, signal }: DeadlineOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cleanUps: (() => void)[] = [];
  const aborted = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    cleanUps.push(clock.after(ms, () => stop(new StoreTimeout(`no answer within ${ms} ms`))));
    if (signal === undefined) return;
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    cleanUps.push(() => signal.removeEventListener('abort', onAbort));
  });
  try {
    return await Promise.race([run(controller.signal), aborted]);
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}
