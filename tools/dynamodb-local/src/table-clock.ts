import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CALL_HEADER, type FaultProxy } from './fault-proxy.js';

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
  /** Ids of the calls that will be answered. */
  readonly #inProgress = new Set<string>();
  #forgetProxy: () => void = () => {};
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
    this.#forgetProxy();
    this.#timers.clear();
  }

  /** Stops the time until this work has settled. */
  async during<T>(work: () => Promise<T>, id: string = randomUUID()): Promise<T> {
    this.#inProgress.add(id);
    try {
      return await work();
    } finally {
      this.#inProgress.delete(id);
      this.#checkLater();
    }
  }

  /**
   * Stops the time while this client has a request in progress. A request that `proxy` never answers does not stop it: the
   * deadline of its caller fires immediately.
   */
  watch({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>, proxy?: FaultProxy): void {
    const ids = new WeakMap<object, string>();
    middlewareStack.add(
      (next, context) => (args) => {
        const id = randomUUID();
        ids.set(context, id);
        return this.during(() => next(args), id);
      },
      { step: 'initialize', name: 'tableClock' },
    );
    if (proxy === undefined) return;
    middlewareStack.add(
      (next, context) => (args) => {
        const { headers } = args.request as { readonly headers: Record<string, string> };
        headers[CALL_HEADER] = ids.get(context) ?? '';
        return next(args);
      },
      { step: 'build', name: 'tableClockCall' },
    );
    this.#forgetProxy = proxy.onHang((id) => {
      if (this.#inProgress.delete(id)) this.#checkLater();
    });
  }

  /** Checks after a few turns of the event loop, because the code under test may be about to send a request. */
  #checkLater(turns = 3): void {
    if (this.#check !== undefined) clearImmediate(this.#check);
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (this.#inProgress.size > 0 || this.#isStopped) return;
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
