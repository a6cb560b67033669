import type { Clock, FullClock, IdGenerator } from './invocation.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that only a test moves. Starts at the epoch. */
export class ManualClock implements FullClock {
  #nowMs: number;
  #elapsedMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: Date | number = 0) {
    this.#nowMs = typeof start === 'number' ? start : start.getTime();
  }

  /** The time that the test has set. */
  now(): Date {
    return new Date(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#elapsedMs + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** The number of pending timers; 0 if no timer is running. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Sets the wall clock. Timers use elapsed time and are not affected. */
  set(date: Date): void {
    this.#nowMs = date.getTime();
  }

  /** Moves both clocks forward without firing timers. For handlers that use time synchronously. */
  tick(ms: number): void {
    this.#nowMs += ms;
    this.#elapsedMs += ms;
  }

  /** Moves time forward, fires due timers in order, and awaits the microtasks that each timer causes. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    await settle();
    for (let next = this.#due(end); next; next = this.#due(end)) {
      this.#timers.delete(next);
      this.tick(Math.max(0, next.at - this.#elapsedMs));
      next.run();
      await settle();
    }
    this.tick(Math.max(0, end - this.#elapsedMs));
    await settle();
  }

  #due(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }
}

/** Waits until pending turns of the event loop have run. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** Predictable ids for tests: queued ones first, then `test-id-1`, `test-id-2`, … */
export class ManualIdGenerator implements IdGenerator {
  readonly #prefix: string;
  readonly #queued: string[] = [];
  #count = 0;

  constructor(prefix = 'test-id') {
    this.#prefix = prefix;
  }

  /** A queued id, else the next counted one. */
  newId(): string {
    const queued = this.#queued.shift();
    if (queued !== undefined) return queued;
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** Adds ids that are returned before the counted ids. */
  queue(...ids: string[]): void {
    this.#queued.push(...ids);
  }

  /** Discards queued ids and restarts the count. */
  reset(): void {
    this.#queued.length = 0;
    this.#count = 0;
  }
}

/** A wall clock that a test sets, with the timers of the system: for stores whose rows expire by the time of day. */
export class SettableClock implements Clock {
  readonly #startMs: number;
  #nowMs: number;

  /** @param startMs the time at first, in Unix milliseconds */
  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  /** The time that the test has set. */
  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Sets the time, in milliseconds after the start. */
  at(ms: number): void {
    this.#nowMs = this.#startMs + ms;
  }
}
