import { isPromise } from '@sallyport/core/internal';
import { deadlineExceeded, streamsError } from '../../errors.js';
import {
  type BatchOutcome,
  type Failure,
  type Observer,
  reportLate,
  reportRecord,
  type StoppedBy,
} from '../../observability/internal/observer.js';
import type { BatchReport } from '../../sources/queue.js';
import { callWrapped, type EventContext, type EventHandler } from '../handler.js';
import { type RecordBatch, RecordContext } from './record-batch.js';

/** The state of a record. At the end, every record that is not `DONE` is reported, so that no record is lost. */
const UNTRIED = 0;
const RUNNING = 1;
const DONE = 2;
const FAILED = 3;

/** The members of a run that its batch needs. */
export type Run = Pick<
  BatchRun,
  'complete' | 'failed' | 'failure' | 'failures' | 'isDone' | 'notTried' | 'results' | 'stoppedBy'
>;

/** One run of a batch: the next record, and the state of each record. */
export class BatchRun implements BatchOutcome {
  readonly results: unknown[] = [];
  stoppedBy: StoppedBy = 'none';
  /** The error of the first failed record. */
  failure: Failure | undefined = undefined;
  /** The error of each failed record, at its index. */
  readonly failures: Failure[] = [];
  readonly #states: Uint8Array;
  readonly #batch: RecordBatch;
  readonly #observer: Observer | undefined;
  /** True if failed records are reported. Other kinds return results, and end at the first failure. */
  readonly #isReported: boolean;
  #next = 0;
  #stopped = false;
  #closed = false;
  #heldGroups: Set<string> | undefined = undefined;

  constructor(batch: RecordBatch, observer: Observer | undefined) {
    this.#states = new Uint8Array(batch.records.length);
    this.#batch = batch;
    this.#observer = observer;
    this.#isReported = batch.definition.failureIdentifier !== undefined;
  }

  get notTried(): number {
    return this.#states.filter((state) => state === UNTRIED).length;
  }

  get failed(): number {
    return this.#states.filter((state) => state === FAILED).length;
  }

  /** Runs until no record is left or may start, at most until half a margin after the deadline. Never rejects. */
  complete(): Promise<unknown> {
    const count = this.#concurrency();
    const work = count === 1 ? this.#work() : Promise.all(Array.from({ length: count }, () => this.#work()));
    const batch = this.#batch;
    if (!batch.hasDeadline) return work;
    return new Promise((resolve) => {
      batch.onAbandoned(() => {
        this.#close();
        resolve(undefined);
      });
      work.then(resolve);
    });
  }

  /** True if the handler of a record has completed. */
  isDone(index: number): boolean {
    return this.#states[index] === DONE;
  }

  /** The number of concurrent records: the lowest limit of the sources in the batch. */
  #concurrency(): number {
    const { matches } = this.#batch;
    let least = matches.length;
    for (const match of matches) least = Math.min(least, match?.entry.concurrency ?? 1);
    return least;
  }

  /** Runs one record after another. A handler that returns no promise needs no turn of the event loop. */
  async #work(): Promise<void> {
    const { records, settings } = this.#batch;
    const isPlain = this.#observer === undefined && settings.middlewares.length === 0;
    // One turn of the event loop for each batch removes the caller's frames from the stack: otherwise each error of a handler
    // would collect them again.
    if (isPlain) await undefined;
    for (let index = this.#take(); index >= 0; index = this.#take()) {
      const { handler } = this.#batch.matchAt(index).entry;
      const ctx = new RecordContext(this.#batch, index);
      this.#states[index] = RUNNING;
      try {
        // If possible the handler is called directly from here, because each call between would add a frame to every stack trace.
        let result = isPlain ? handler(ctx, records[index]) : this.#callWatched(index, ctx, handler);
        if (isPromise(result)) {
          this.#batch.watch();
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
    const { records } = this.#batch;
    while (this.#next < records.length && !this.#closed) {
      if (this.#stopped || !this.#batch.mayStart()) {
        this.stoppedBy = this.#stopped ? 'failure' : 'deadline';
        break;
      }
      const index = this.#next;
      this.#next += 1;
      if (!this.#isHeld(index)) return index;
      this.stoppedBy = 'failure';
    }
    return -1;
  }

  #callWatched(index: number, ctx: EventContext, handler: EventHandler<unknown>): unknown {
    const { records, settings } = this.#batch;
    const call = () => callWrapped(settings.middlewares, 0, handler, ctx, records[index]);
    return this.#observer ? this.#observer.runRecord(index, call) : call();
  }

  #settle(index: number, result: unknown): void {
    if (this.#closed) return;
    this.#states[index] = DONE;
    if (!this.#isReported) this.results[index] = result === undefined ? null : result;
    this.#observer?.recordEnded(index, undefined);
    this.#batch.ending?.recordDone(index);
  }

  #fail(index: number, thrown: unknown): void {
    const failure = { thrown };
    if (this.#closed) {
      reportLate(this.#batch, index, failure);
      return;
    }
    this.#states[index] = FAILED;
    this.failure ??= failure;
    this.failures[index] = failure;
    reportRecord(this.#batch, index, failure);
    this.#observer?.recordEnded(index, failure);
    this.#hold(index);
  }

  /** Selects the records that do not start after a failure. */
  #hold(index: number): void {
    const isReportable = !this.#isReported || identifierOf(this.#batch, index) !== undefined;
    if (this.#batch.matchAt(index).entry.stops || !isReportable) this.#stopped = true;
    const group = this.#groupOf(index);
    if (group !== undefined) this.#heldGroups = (this.#heldGroups ?? new Set()).add(group);
  }

  /** True if a record of the same ordered group has failed before. */
  #isHeld(index: number): boolean {
    const group = this.#heldGroups && this.#groupOf(index);
    return group !== undefined && this.#heldGroups?.has(group) === true;
  }

  #groupOf(index: number): string | undefined {
    const { source } = this.#batch.matchAt(index);
    return this.#batch.definition.orderedGroup?.(this.#batch.recordAt(index), source);
  }

  /** Marks the records that are still running as failed. Later results of their handlers have no effect on the report. */
  #close(): void {
    for (let index = this.#states.indexOf(RUNNING); index >= 0; index = this.#states.indexOf(RUNNING)) {
      this.stoppedBy = 'deadline';
      this.#fail(index, deadlineExceeded());
    }
    this.#closed = true;
  }
}

/**
 * The report of all records that are not done, in record order, each identifier once.
 *
 * @throws FrameworkError `streams.missing_identifier`: an empty list would report success to the service
 */
export function reportOf(run: Run, batch: RecordBatch): BatchReport {
  const failed = new Set<string>();
  for (let index = 0; index < batch.records.length; index += 1) {
    if (run.isDone(index)) continue;
    const identifier = identifierOf(batch, index);
    if (identifier === undefined) throw streamsError('streams.missing_identifier', 'failed record has no identifier');
    failed.add(identifier);
  }
  return { batchItemFailures: Array.from(failed, (itemIdentifier) => ({ itemIdentifier })) };
}

/** The identifier of a record in the service; `undefined` when the record cannot be reported. */
function identifierOf(batch: RecordBatch, index: number): string | undefined {
  const record = batch.records[index];
  const identifier = record && batch.definition.failureIdentifier?.(record, batch.settings.streamIdentifier);
  return typeof identifier === 'string' && identifier.trim() !== '' ? identifier : undefined;
}
