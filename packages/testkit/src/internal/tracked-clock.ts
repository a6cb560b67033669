import { ManualClock } from '@sallyport/core/testing';

/** A manual clock that knows when its next timer is due. */
export class TrackedClock extends ManualClock {
  readonly #due = new Map<object, number>();

  /** Milliseconds of `monotonicMs` at which the next timer fires; `undefined` when none waits. */
  get nextDue(): number | undefined {
    return this.#due.size === 0 ? undefined : Math.min(...this.#due.values());
  }

  override after(ms: number, run: () => void): () => void {
    const key = {};
    this.#due.set(key, this.monotonicMs() + Math.max(0, ms));
    const cancel = super.after(ms, () => {
      this.#due.delete(key);
      run();
    });
    return () => {
      this.#due.delete(key);
      cancel();
    };
  }
}

/** Turns of the event loop that work without timers may take before it counts as stuck. */
const TURNS = 50;

/** Lets everything run that waits for no timer; stops early when `done` says so. */
export async function settle(done: () => boolean): Promise<void> {
  for (let turn = 0; turn < TURNS && !done(); turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** How an invocation ended on a manual clock. */
export type Settled = { readonly answer: unknown } | { readonly error: unknown } | 'timeout';

/** Runs an invocation to its end, moving the clock from timer to timer but no further than `timeoutMs`. */
export async function runToEnd(clock: TrackedClock, timeoutMs: number, run: () => Promise<unknown>): Promise<Settled> {
  const limit = clock.monotonicMs() + timeoutMs;
  let settled: Settled | undefined;
  run().then(
    (answer) => {
      settled = { answer };
    },
    (error: unknown) => {
      settled = { error };
    },
  );
  const isDone = () => settled !== undefined;
  for (;;) {
    await settle(isDone);
    const due = clock.nextDue;
    if (settled !== undefined) return settled;
    if (due === undefined || due > limit) break;
    await clock.advance(due - clock.monotonicMs());
  }
  await clock.advance(limit - clock.monotonicMs());
  return settled ?? 'timeout';
}
