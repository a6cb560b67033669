import type { FrameworkError } from '@sallyport/core';
import { deadlineExceeded } from '../../errors.js';
import type { Observer } from '../../observability/internal/observer.js';
import { reportLate, reportRecord } from '../../observability/internal/report.js';
import type { Target } from '../../router/internal/registry.js';
import { textOf } from '../../sources/internal/loose-record.js';
import { isFifo } from '../../sources/source.js';
import { type EventContext, type EventHandler, RecordContext } from '../handler.js';
import { callWrapped } from './middleware.js';
import { DONE, FAILED, type Identify, isIdentifier, RUNNING } from './outcomes.js';
import type { Delivery } from './record-batch.js';

/** Why records were left untried. */
export type StoppedBy = 'none' | 'failure' | 'deadline' | 'no_handler';

/** One delivery on its way through the handlers: which record comes next, and what became of each. */
export class Run {
  readonly states: Uint8Array;
  readonly results: unknown[] = [];
  stoppedBy: StoppedBy = 'none';
  /** What the first failed record threw; in a box, because `undefined` can be thrown. */
  failure: { readonly thrown: unknown } | undefined = undefined;
  /** Why nothing ran. */
  refusal: FrameworkError | undefined = undefined;
  readonly #delivery: Delivery;
  readonly #observer: Observer | undefined;
  /** Of a batch; a kind without it answers results and ends at its first failure. */
  readonly #identify: Identify | undefined;
  #next = 0;
  #stopped = false;
  #closed = false;
  #heldGroups: Set<string> | undefined = undefined;

  constructor(delivery: Delivery, observer: Observer | undefined, identify: Identify | undefined) {
    this.states = new Uint8Array(delivery.records.length);
    this.#delivery = delivery;
    this.#observer = observer;
    this.#identify = identify;
  }

  /** Runs until no record is left or may start, at most until half a margin behind the deadline. Never rejects. */
  complete(): Promise<unknown> {
    const count = this.#concurrency();
    const work = count === 1 ? this.#work() : Promise.all(Array.from({ length: count }, () => this.#work()));
    const delivery = this.#delivery;
    if (!delivery.hasDeadline) return work;
    return new Promise((resolve) => {
      delivery.onAbandoned(() => {
        this.#close();
        resolve(undefined);
      });
      work.then(resolve);
    });
  }

  /** Leaves every record untried, because one of them has no handler. */
  refuse(refusal: FrameworkError): void {
    this.stoppedBy = 'no_handler';
    this.refusal = refusal;
  }

  /** Workers side by side; the most cautious of the sources in the batch decides. */
  #concurrency(): number {
    const { targets } = this.#delivery;
    let least = targets.length;
    for (const target of targets) least = Math.min(least, target?.registration.concurrency ?? 1);
    return least;
  }

  /** Takes record after record. A handler that returns no promise costs no turn of the event loop. */
  async #work(): Promise<void> {
    const { records, targets, kernel } = this.#delivery;
    const isPlain = this.#observer === undefined && kernel.middlewares.length === 0;
    // One turn a batch leaves the caller's stack behind: every error that a handler throws would pay for its frames again.
    if (isPlain) await undefined;
    for (let index = this.#take(); index >= 0; index = this.#take()) {
      const { handler } = (targets[index] as Target).registration;
      const ctx = new RecordContext(this.#delivery, index);
      this.states[index] = RUNNING;
      try {
        // The handler is called from here where that can be: each frame between would be one more in every stack trace.
        let result = isPlain ? handler(ctx, records[index]) : this.#callWatched(index, ctx, handler);
        if (isThenable(result)) {
          this.#delivery.watch();
          result = await result;
        }
        this.#settle(index, result);
      } catch (thrown) {
        this.#fail(index, thrown);
      }
    }
  }

  /** The next record that may start, or -1. */
  #take(): number {
    const { records } = this.#delivery;
    while (this.#next < records.length && !this.#closed) {
      if (this.#stopped || this.#delivery.isPast) {
        this.stoppedBy = this.#stopped ? 'failure' : 'deadline';
        break;
      }
      const index = this.#next;
      this.#next += 1;
      if (!this.#heldGroups?.has(this.#group(index))) return index;
      this.stoppedBy = 'failure';
    }
    return -1;
  }

  #callWatched(index: number, ctx: EventContext, handler: EventHandler<unknown>): unknown {
    const { records, kernel } = this.#delivery;
    const call = () => callWrapped(kernel.middlewares, 0, handler, ctx, records[index]);
    return this.#observer ? this.#observer.runRecord(index, call) : call();
  }

  #settle(index: number, result: unknown): void {
    if (this.#closed) return;
    this.states[index] = DONE;
    if (this.#identify === undefined) this.results[index] = result === undefined ? null : result;
    this.#observer?.recordEnded(index, undefined);
  }

  #fail(index: number, thrown: unknown): void {
    const failure = { thrown };
    if (this.#closed) {
      reportLate(this.#delivery, index, failure);
      return;
    }
    this.states[index] = FAILED;
    this.failure ??= failure;
    reportRecord(this.#delivery, index, failure);
    this.#observer?.recordEnded(index, failure);
    this.#hold(index);
  }

  /** Decides what a failure keeps from starting. */
  #hold(index: number): void {
    const { registration, source } = this.#delivery.targetAt(index);
    const isNamed = this.#identify !== undefined && isIdentifier(this.#identify(this.#delivery.recordAt(index)));
    if (registration.stops || !isNamed) this.#stopped = true;
    if (isFifo(source.name)) this.#heldGroups = (this.#heldGroups ?? new Set()).add(this.#group(index));
  }

  /** The message group of a record, apart from those of other queues. */
  #group(index: number): string {
    const { attributes } = this.#delivery.recordAt(index);
    return `${this.#delivery.targetAt(index).source.arn} ${textOf(attributes?.MessageGroupId)}`;
  }

  /** Records that have not settled now have failed; nothing that their handlers still do counts any more. */
  #close(): void {
    for (let index = this.states.indexOf(RUNNING); index >= 0; index = this.states.indexOf(RUNNING)) {
      this.stoppedBy = 'deadline';
      this.#fail(index, deadlineExceeded());
    }
    this.#closed = true;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
