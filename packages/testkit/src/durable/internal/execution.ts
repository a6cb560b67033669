import type { HistoryEvent } from '../history-wire.js';
import type { CallbackDeadlines, DurableStore, ExecutionRecord, JournalEntry } from '../store.js';
import type { Operation } from '../wire.js';
import { replayed } from './apply.js';
import { HistoryLog } from './history.js';
import { inMachineTime } from './machine-time.js';

/** One execution in memory. Each change is stored before it takes effect. */
export class Execution {
  readonly #store: DurableStore;
  readonly #operations = new Map<string, Operation>();
  readonly #deadlines = new Map<string, CallbackDeadlines>();
  readonly #history = new HistoryLog();
  readonly #now: () => number;
  #record: ExecutionRecord;

  private constructor(store: DurableStore, now: () => number, record: ExecutionRecord) {
    this.#store = store;
    this.#now = now;
    this.#record = record;
  }

  static start(
    store: DurableStore,
    now: () => number,
    record: ExecutionRecord,
    operations: readonly Operation[],
  ): Execution {
    const execution = new Execution(store, now, record);
    execution.change({ record, operations });
    return execution;
  }

  /** An execution from its journal, whose first entry has the whole record. */
  static restore(store: DurableStore, now: () => number, journal: readonly JournalEntry[]): Execution {
    const execution = new Execution(store, now, journal[0]?.record as ExecutionRecord);
    for (const entry of journal) execution.#apply(entry);
    return execution;
  }

  get record(): ExecutionRecord {
    return this.#record;
  }

  get arn(): string {
    return this.#record.arn;
  }

  get operations(): ReadonlyMap<string, Operation> {
    return this.#operations;
  }

  get isOpen(): boolean {
    return this.#record.status === 'RUNNING';
  }

  deadlinesOf(id: string): CallbackDeadlines | undefined {
    return this.#deadlines.get(id);
  }

  /** The events so far, oldest first. */
  get history(): readonly HistoryEvent[] {
    return this.#history.events;
  }

  change(entry: JournalEntry): void {
    const timed = { ...entry, at: this.#now() };
    this.#store.append(this.arn, timed);
    this.#apply(timed);
  }

  /** A page of the operations that a replay needs, for the SDK. */
  page(from: number, size: number): { Operations: Operation[]; NextMarker?: string } {
    const all = replayed(this.#operations);
    const end = from + size;
    return { Operations: this.#forSdk(all.slice(from, end)), ...(end < all.length && { NextMarker: `${end}` }) };
  }

  /** Operations for the SDK. */
  only(ids: readonly string[]): Operation[] {
    return this.#forSdk(ids.flatMap((id) => this.#operations.get(id) ?? []));
  }

  #forSdk(operations: readonly Operation[]): Operation[] {
    const now = this.#now();
    return operations.map((operation) => inMachineTime(operation, now));
  }

  #apply(entry: JournalEntry): void {
    this.#history.add(this, entry);
    const { record, operations = [], deadlines = {} } = entry;
    if (record) this.#record = { ...this.#record, ...record };
    for (const operation of operations) this.#operations.set(operation.Id, operation);
    for (const [id, times] of Object.entries(deadlines)) this.#deadlines.set(id, times);
  }
}
