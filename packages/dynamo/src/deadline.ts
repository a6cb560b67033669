import type { FullClock } from '@sallyport/core';
import { StoreTimeout } from './errors.js';

/** How long a call may take. */
export interface DeadlineOptions {
  /** Milliseconds from now. */
  readonly ms: number;
  /** The clock whose timers are used, so that a test can set the time. */
  readonly clock: FullClock;
  /** The caller's own signal, which ends the call earlier. */
  readonly signal: AbortSignal | undefined;
}

/** A call to the store. It should stop when the signal aborts, and may commit to an answer that what follows cannot change. */
export type StoreCall<T> = (signal: AbortSignal, commit: (answer: T) => void) => Promise<T>;

/**
 * Runs a call to the store with a signal that aborts when `ms` are over or the caller gives up, and settles then
 * even when the call ignores the signal: with the answer that the call committed to, else by rejecting with the reason.
 *
 * @throws StoreTimeout when time runs out; the reason of the caller's signal; what the call throws
 */
export async function withDeadline<T>({ ms, clock, signal }: DeadlineOptions, run: StoreCall<T>): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cleanUps: (() => void)[] = [];
  let committed: { readonly answer: T } | undefined;
  const stopped = new Promise<T>((resolve, reject) => {
    const stop = (reason: unknown) => {
      if (committed) resolve(committed.answer);
      else reject(reason);
      controller.abort(reason);
    };
    cleanUps.push(clock.after(ms, () => stop(new StoreTimeout(`no answer within ${ms} ms`))));
    if (signal === undefined) return;
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    cleanUps.push(() => signal.removeEventListener('abort', onAbort));
  });
  const commit = (answer: T) => {
    committed = { answer };
  };
  try {
    return await Promise.race([run(controller.signal, commit), stopped]);
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}

/** Waits so many milliseconds. Rejects with the signal's reason when it aborts meanwhile. */
export function pause(clock: FullClock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = () => {
      stop();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
