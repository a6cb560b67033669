import { ManualClock } from '@sallyport/core/testing';

/** A manual clock that reports when its next timer is due. */
export class TrackedClock extends ManualClock {
  readonly #due = new Map<object, number>();

  /** Milliseconds of `monotonicMs` at which the next timer fires; `undefined` if no timer is set. */
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

/** Limit for turns of the event loop without timers; work that needs more counts as stuck. */
export const TURNS = 50;

/** Lets one turn of the event loop pass. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Runs all work that needs no timer; stops early if `done` returns true. */
export async function settle(done: () => boolean): Promise<void> {
  for (let turns = 0; turns < TURNS && !done(); turns += 1) await turn();
}
