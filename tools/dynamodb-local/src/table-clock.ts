import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/**
 * A clock for code that waits for a table: its time passes only while no request is in progress. Then the next timer fires
 * immediately, so a test of waits and deadlines never sleeps, and a real request needs no time on this clock.
 */
export class TableClock {
  readonly #startMs: number;
  #nowMs: number;
  #onTheirWay = 0;
  #isStopped = false;
  #check: NodeJS.Immediate | undefined;
  readonly #timers = new Set<Timer>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run };
    this.#timers.add(timer);
    this.#checkLater();
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Number of pending timers; 0 shows that no timer was left running. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Advances the time without firing a timer, like work that blocks the event loop. */
  tick(ms: number): void {
    this.#nowMs += ms;
  }

  /** Fires no timer from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#timers.clear();
  }

  /** Stops the time until this work has settled. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#onTheirWay += 1;
    try {
      return await work();
    } finally {
      this.#onTheirWay -= 1;
      this.#checkLater();
    }
  }

  /** Stops the time while this client has a request in progress. */
  watch({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>): void {
    middlewareStack.add((next) => (args) => this.during(() => next(args)), { step: 'initialize', name: 'tableClock' });
  }

  /** Checks after a few turns of the event loop, because the code under test may be about to send a request. */
  #checkLater(turns = 3): void {
    if (this.#check !== undefined) clearImmediate(this.#check);
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (this.#onTheirWay > 0 || this.#isStopped) return;
      if (turns > 1) return this.#checkLater(turns - 1);
      this.#fireNext();
    });
  }

  #fireNext(): void {
    const [next] = [...this.#timers].sort((one, other) => one.atMs - other.atMs);
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    this.#checkLater();
  }
}
