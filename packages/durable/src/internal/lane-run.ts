import type { FullClock, Observability } from '@sallyport/core';
import { type DurableMark, durableMark } from '@sallyport/core/internal';
import type { Retry } from '../types.js';
import { handOff } from './handoff.js';
import type { LaneScope } from './lane-scope.js';
import { hooksOf } from './records.js';
import { bindToStep } from './scope.js';

type LooseRecord = Readonly<Record<string, unknown>>;

/** A thrown value in a box, because `undefined` can be thrown. */
interface Failure {
  readonly thrown: unknown;
}

/** The handler of a record, and the rules of its registration. */
interface Entry {
  readonly handler: (ctx: object, record: unknown) => unknown;
  /** The limit of concurrent records that the registration states. */
  readonly asked?: number | undefined;
  readonly stops: boolean;
}

/** The members of a batch of `@sallyport/streams` that its run uses. */
interface Batch {
  readonly clock: FullClock;
  readonly records: readonly LooseRecord[];
  readonly settings: { readonly middlewares: readonly unknown[]; readonly observability: Observability };
  readonly matches: readonly ({ readonly entry: Entry } | undefined)[];
  readonly definition: {
    readonly kind: string;
    failureIdentifier?: unknown;
    recordId(record: LooseRecord): string;
    orderedGroup?(record: LooseRecord, source: unknown): string | undefined;
  };
  recordAt(index: number): LooseRecord;
  matchAt(index: number): { readonly entry: Entry; readonly source: unknown };
  watch(): void;
  end(): Promise<void> | undefined;
}

/** The parts from which `@sallyport/streams` makes a run. */
export interface BatchParts {
  readonly batch: Batch;
  readonly observer:
    | {
        runRecord(index: number, work: () => unknown): unknown;
        recordEnded(index: number, failure: Failure | undefined): void;
      }
    | undefined;
  readonly RecordContext: new (batch: Batch, index: number) => object;
  callWrapped(middlewares: readonly unknown[], index: number, handler: unknown, ctx: object, record: unknown): unknown;
  reportRecord(batch: Batch, index: number, failure: Failure): void;
}

/** The parts in the order in which `@sallyport/streams` passes them. */
export function toParts(given: readonly unknown[]): BatchParts {
  const [batch, observer, RecordContext, callWrapped, reportRecord] = given;
  return { batch, observer, RecordContext, callWrapped, reportRecord } as unknown as BatchParts;
}
/** Lambda throttles, or does not answer. */
const START_RETRY: Retry = {
  attempts: 6,
  delaySeconds: 2,
  when: (error) => (error as { readonly code?: unknown } | undefined)?.code === 'durable.service_unavailable',
};

const UNTRIED = 0;
const DONE = 1;
const FAILED = 2;

/**
 * The run of a batch in a durable execution. Messages of a standard queue, and groups of a FIFO queue, have their own lanes of the history, begun
 * in record order; other records follow each other. A completed record never runs again, and no record is given up at the deadline: the next
 * invocation continues it.
 */
export class LaneRun {
  readonly results: unknown[] = [];
  readonly failures: Failure[] = [];
  stoppedBy: 'none' | 'failure' | 'no_handler' = 'none';
  readonly #states: number[];
  readonly #parts: BatchParts;
  readonly #batch: Batch;
  readonly #scope: LaneScope;
  readonly #isReported: boolean;
  /** True for a batch above `maxRecords`: a record has no separate operation. */
  readonly #isSplit: boolean;
  /** Groups whose later records wait for a failed one. */
  readonly #held = new Set<string>();
  #isStopped = false;
  /** True while a record ends that an earlier invocation did not start. */
  #isFresh = false;

  constructor(parts: BatchParts, scope: LaneScope) {
    const { batch } = parts;
    this.#states = batch.records.map(() => UNTRIED);
    this.#parts = parts;
    this.#batch = batch;
    this.#scope = scope;
    this.#isSplit = batch.records.length > scope.run.host.maxRecords;
    this.#isReported = batch.definition.failureIdentifier !== undefined;
    this.#nameExecution();
    scope.onSuspend(() => batch.end());
  }

  get failure(): Failure | undefined {
    return this.failures.find((failure) => failure !== undefined);
  }

  get notTried(): number {
    return this.#states.filter((state) => state === UNTRIED).length;
  }

  get failed(): number {
    return this.#states.filter((state) => state === FAILED).length;
  }

  isDone(index: number): boolean {
    return this.#states[index] === DONE;
  }

  async complete(): Promise<void> {
    this.#batch.watch();
    await sideBySide(this.#lanes(), this.#concurrency());
    if (this.notTried > 0) this.stoppedBy = 'failure';
  }

  /** The lowest limit of the sources in the batch. */
  #concurrency(): number {
    const { concurrency } = this.#scope.run.host;
    return Math.min(...this.#batch.matches.map((match) => match?.entry.asked ?? concurrency));
  }

  /** The work of each lane, in the order in which lanes begin: it must not depend on the duration of records. */
  #lanes(): (() => Promise<void>)[] {
    const indexes = [...this.#states.keys()];
    const isQueue = this.#batch.definition.kind === 'queue';
    if (this.#isSplit && !(isQueue && indexes.some((index) => this.#groupOf(index) !== undefined))) {
      return [() => this.#inParts(indexes, isQueue)];
    }
    if (!isQueue) return [async () => void (await this.#inOrder(indexes, this.#scope))];
    const groups = new Map<string | number, number[]>();
    for (const index of indexes) {
      const group = this.#groupOf(index) ?? index;
      groups.set(group, [...(groups.get(group) ?? []), index]);
    }
    return [...groups.entries()].map(([group, members], place) =>
      typeof group === 'number'
        ? async () => void (await this.#inOrder(members, this.#scope))
        : () => this.#runGroup(place, members),
    );
  }

  /** Runs a large batch in parts. Only a part has a separate operation: one for each record would leave few for the work of the records. */
  async #inParts(indexes: readonly number[], isQueue: boolean): Promise<void> {
    const { maxRecords } = this.#scope.run.host;
    for (let from = 0; from < indexes.length; from += maxRecords) {
      const part = indexes.slice(from, from + maxRecords);
      await this.#restore(`records ${from}`, part, async (lane) => {
        if (!isQueue) return this.#inOrder(part, lane);
        const each = part.map((index) => async () => void (await this.#inOrder([index], lane)));
        await sideBySide(each, this.#concurrency());
        return part.map((index) => this.#states[index] ?? UNTRIED);
      });
    }
  }

  #runGroup(place: number, indexes: readonly number[]): Promise<void> {
    return this.#restore(`group ${place}`, indexes, (lane) => this.#inOrder(indexes, lane));
  }

  /** Runs records in a lane, and adopts their states: a lane that an earlier invocation completed does not run again. */
  async #restore(name: string, indexes: readonly number[], run: (lane: LaneScope) => Promise<number[]>): Promise<void> {
    const states = await this.#scope.lane(name, run);
    for (const [position, index] of indexes.entries()) {
      const state = states[position] ?? UNTRIED;
      this.#states[index] = state;
      if (state === FAILED) this.#fail(index, this.failures[index] ?? { thrown: undefined });
    }
  }

  #fail(index: number, failure: Failure): void {
    this.#states[index] = FAILED;
    this.failures[index] = failure;
    this.#isStopped ||= this.#batch.matchAt(index).entry.stops;
    const group = this.#groupOf(index);
    if (group !== undefined) this.#held.add(group);
  }

  /** Runs records one after another, and returns their states. */
  async #inOrder(indexes: readonly number[], scope: LaneScope): Promise<number[]> {
    for (const index of indexes) {
      const group = this.#groupOf(index);
      if (this.#isStopped || (group !== undefined && this.#held.has(group))) continue;
      try {
        const result = await this.#record(index, scope);
        this.#states[index] = DONE;
        if (!this.#isReported) this.results[index] = result ?? null;
      } catch (thrown) {
        this.#fail(index, { thrown });
      }
    }
    return indexes.map((index) => this.#states[index] ?? UNTRIED);
  }

  #groupOf(index: number): string | undefined {
    const { source } = this.#batch.matchAt(index);
    return this.#batch.definition.orderedGroup?.(this.#batch.recordAt(index), source);
  }

  /** Runs a record once: a durable handler in its lane, every other handler as one step. */
  #record(index: number, scope: LaneScope): Promise<unknown> {
    const { definition, records } = this.#batch;
    const id = definition.recordId(this.#batch.recordAt(index));
    const name = `${definition.kind} ${index} ${id}`.replace(/[^\x20-\x7e]/g, '?').slice(0, 128);
    const mark = durableMark(this.#batch.matchAt(index).entry.handler);
    if (!mark) return scope.record(name, () => this.#call(index));
    const start = this.#handOff(index, mark, scope);
    if (start) return this.#start(index, name, start, scope);
    if (records.length === 1 && !this.#isReported) return this.#call(index, scope);
    return this.#isSplit
      ? scope.flat(`${index}/`, (lane) => this.#call(index, lane))
      : scope.lane(name, (lane) => this.#call(index, lane));
  }

  #handOff(index: number, mark: DurableMark, scope: LaneScope): (() => Promise<void>) | undefined {
    const { definition, records } = this.#batch;
    const isOrdered = this.#groupOf(index) !== undefined;
    const record = { context: this.#newContext(index), kind: definition.kind, isOrdered, index, count: records.length };
    return handOff(scope, record, mark);
  }

  /** Starts the separate execution of a record. A mapping delivers a failed record again; other events have no second delivery. */
  async #start(index: number, name: string, start: () => Promise<void>, scope: LaneScope): Promise<void> {
    try {
      await scope.step(name, start, this.#isReported ? {} : { retry: START_RETRY });
    } catch (thrown) {
      this.#reject(index, thrown);
    }
  }

  /** Calls the handler inside the middlewares, and reports its end: once, because a record that has ended does not run again. */
  async #call(index: number, lane?: LaneScope): Promise<unknown> {
    const { observer, callWrapped } = this.#parts;
    const { settings, records } = this.#batch;
    const { handler } = this.#batch.matchAt(index).entry;
    const ctx = this.#newContext(index);
    const isResumed = lane?.isSilent === true;
    if (lane) lane.bind(ctx);
    else bindToStep(ctx);
    const mark = durableMark(handler);
    const middlewares = mark ? settings.middlewares.map(mark.around) : settings.middlewares;
    const call = () => callWrapped(middlewares, 0, handler, ctx, records[index]);
    try {
      const result = await (observer ? observer.runRecord(index, call) : call());
      this.#recordEnded(index, undefined, isResumed);
      return this.#isReported ? undefined : result;
    } catch (thrown) {
      return this.#reject(index, thrown, isResumed);
    }
  }

  #reject(index: number, thrown: unknown, isResumed = false): never {
    this.#parts.reportRecord(this.#batch, index, { thrown });
    this.#recordEnded(index, { thrown }, isResumed);
    throw thrown;
  }

  #recordEnded(index: number, failure: Failure | undefined, isResumed: boolean): void {
    this.#isFresh = !isResumed;
    this.#parts.observer?.recordEnded(index, failure);
    this.#isFresh = false;
  }

  /** The records of the batch name the execution, and have its duration. */
  #nameExecution(): void {
    const { settings, clock } = this.#batch;
    const { startedAt, run } = this.#scope;
    const durationMs = () => (this.#isFresh ? undefined : clock.now().getTime() - startedAt.getTime());
    const observability = hooksOf(settings.observability, { execution: run.name, durationMs });
    Object.defineProperty(this.#batch, 'settings', { value: { ...settings, observability } });
  }

  #newContext(index: number): object {
    return new this.#parts.RecordContext(this.#batch, index);
  }
}

/** Runs work in order of its list, at most `limit` at the same time. */
async function sideBySide(all: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let run = all[next]; run !== undefined; run = all[next]) {
      next += 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, all.length) }, work));
}
