/** Work that must end before its invocation times out. */
export interface Ending {
  /** The time of the end, in milliseconds of `performance.now()`. */
  readonly endsMs: number;
  /** Called at this time, unless the work was removed before. */
  timeOut(): void;
}

/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * One timer for the ends of all invocations: a timer for each costs more than a span. It is kept when an invocation ends, and is set for the
 * next one when it fires.
 */
export class Deadlines {
  readonly #open = new Set<Ending>();
  #timer: NodeJS.Timeout | undefined;
  #firesMs = Number.POSITIVE_INFINITY;

  add(work: Ending): void {
    this.#open.add(work);
    if (work.endsMs < this.#firesMs) this.#set(work.endsMs);
  }

  remove(work: Ending): void {
    this.#open.delete(work);
  }

  #set(firesMs: number): void {
    clearTimeout(this.#timer);
    this.#firesMs = firesMs;
    if (firesMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.ceil(firesMs - performance.now()), MAX_DELAY_MS);
    this.#timer = setTimeout(() => this.#fire(), delayMs).unref();
  }

  #fire(): void {
    const nowMs = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const work of this.#open) {
      if (work.endsMs <= nowMs) work.timeOut();
      else next = Math.min(next, work.endsMs);
    }
    this.#set(next);
  }
}
