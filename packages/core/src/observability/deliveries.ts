import type { FullClock } from '../runtime/clock.js';

/** What stays of the invocation's time for the answer itself, in milliseconds. */
const MARGIN_MS = 100;

/** Work that was started for an invocation beside its answer (notifications), and that the answer waits for, a little. */
export class Deliveries {
  readonly #clock: FullClock;
  readonly #open = new Map<Promise<void>, number>();

  constructor(clock: FullClock) {
    this.#clock = clock;
  }

  /** Keeps work that runs already. What it rejects with is dropped. */
  keep(work: PromiseLike<unknown>, timeoutMs: number): void {
    const settled: Promise<void> = Promise.resolve(work).then(
      () => void this.#open.delete(settled),
      () => void this.#open.delete(settled),
    );
    this.#open.set(settled, this.#clock.monotonicMs() + timeoutMs);
  }

  /**
   * Waits for the kept work, for each at most its timeout and never past the deadline; `undefined` when there is nothing to
   * wait for.
   *
   * @param remainingMs time left of the invocation; `undefined` when unknown
   */
  settle(remainingMs: number | undefined): Promise<void> | undefined {
    if (this.#open.size === 0) return undefined;
    const left = Math.max(...this.#open.values()) - this.#clock.monotonicMs();
    const ms = Math.min(left, remainingMs === undefined ? left : remainingMs - MARGIN_MS);
    if (ms <= 0) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      void Promise.all(this.#open.keys()).then(() => {
        cancel();
        resolve();
      });
    });
  }
}
