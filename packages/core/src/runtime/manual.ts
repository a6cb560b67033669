import type { Clock, FullClock, IdGenerator } from './invocation.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. Starts at the epoch. */
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

  /** How many timers wait; 0 shows that nothing was left running. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Sets the wall clock. Timers run on elapsed time and do not notice. */
  set(date: Date): void {
    this.#nowMs = date.getTime();
  }

  /** Moves both clocks forward at once, firing nothing. For handlers that "take" time synchronously. */
  tick(ms: number): void {
    this.#nowMs += ms;
    this.#elapsedMs += ms;
  }

  /** Moves time forward, fires what falls due in order of time, and awaits the turns that each firing causes. */
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

/** Lets every turn that is already caused run. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** Ids that a test can foretell: queued ones first, then `test-id-1`, `test-id-2`, … */
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

  /** Ids to give out before the counted ones. */
  queue(...ids: string[]): void {
    this.#queued.push(...ids);
  }

  /** Forgets queued ids and starts counting anew. */
  reset(): void {
    this.#queued.length = 0;
    this.#count = 0;
  }
}

/** A wall clock that a test sets, over the timers of the system: for stores whose rows expire by the time of day. */
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
