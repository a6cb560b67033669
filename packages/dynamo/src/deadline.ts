import type { FullClock } from '@sallyport/core';
import { StoreTimeout } from './errors.js';

export interface DeadlineOptions {
  readonly ms: number;
  readonly clock: FullClock;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/** A call to the store: it heeds the signal, and may commit to an answer that what follows cannot change. */
export type StoreCall<T> = (signal: AbortSignal, commit: (answer: T) => void) => Promise<T>;

/**
 * Runs a call to the store with a signal that aborts when `ms` are over or the caller gives up, and settles then
 * whether or not the call heeds it: with what the call committed to, else with the reason.
 *
 * @throws StoreTimeout; the reason of the caller's signal; what the call throws
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
