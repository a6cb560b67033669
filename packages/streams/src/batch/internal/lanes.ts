import { bindToStep, type ExecutionScope, executionScopeOf, isDurableHandler } from '@sallyport/core/internal';
import { type Failure, type Observer, reportRecord, type StoppedBy } from '../../observability/internal/observer.js';
import { callWrapped } from '../handler.js';
import { type RecordBatch, RecordContext } from './record-batch.js';
import type { Run } from './run.js';

/** The run of a batch in a durable execution; `undefined` in every other invocation. */
export function createLaneRun(batch: RecordBatch, observer: Observer | undefined): Run | undefined {
  const scope = executionScopeOf(batch.lambdaContext);
  return scope && new LaneRun(batch, observer, scope);
}

const UNTRIED = 0;
const DONE = 1;
const FAILED = 2;

/**
 * The run of a batch in a durable execution. Messages of a standard queue, and groups of a FIFO queue, have their own lanes of the history, begun
 * in record order; other records follow each other. A completed record never runs again, and no record is given up at the deadline: the next
 * invocation continues it.
 */
class LaneRun implements Run {
  readonly results: unknown[] = [];
  readonly failures: Failure[] = [];
  stoppedBy: StoppedBy = 'none';
  readonly #states: number[];
  readonly #batch: RecordBatch;
  readonly #observer: Observer | undefined;
  readonly #scope: ExecutionScope;
  readonly #isReported: boolean;
  #isStopped = false;

  constructor(batch: RecordBatch, observer: Observer | undefined, scope: ExecutionScope) {
    this.#states = batch.records.map(() => UNTRIED);
    this.#batch = batch;
    this.#observer = observer;
    this.#scope = scope;
    this.#isReported = batch.definition.failureIdentifier !== undefined;
    observer?.startedBefore(batch.clock.now().getTime() - scope.startedAt.getTime());
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

  /** @throws FrameworkError before any record runs, for a batch with too many records */
  async complete(): Promise<void> {
    this.#scope.assertRecords(this.#states.length);
    this.#batch.watch();
    const lanes = this.#lanes();
    let next = 0;
    const work = async () => {
      for (let lane = lanes[next]; lane !== undefined; lane = lanes[next]) {
        next += 1;
        await lane();
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#concurrency(), lanes.length) }, work));
    if (this.notTried > 0) this.stoppedBy = 'failure';
  }

  /** The lowest limit of the sources in the batch. */
  #concurrency(): number {
    const { concurrency } = this.#scope;
    return Math.min(...this.#batch.matches.map((match) => match?.entry.asked ?? concurrency));
  }

  /** The work of each lane, in the order in which lanes begin: it must not depend on the time that records take. */
  #lanes(): (() => Promise<void>)[] {
    const indexes = [...this.#states.keys()];
    if (this.#batch.definition.kind !== 'queue') return [async () => void (await this.#inOrder(indexes, this.#scope))];
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

  async #runGroup(place: number, indexes: readonly number[]): Promise<void> {
    const states = await this.#scope.lane(`group ${place}`, (lane) => this.#inOrder(indexes, lane));
    // A group that an earlier invocation completed does not run again.
    for (const [position, index] of indexes.entries()) {
      const state = states[position] ?? UNTRIED;
      this.#states[index] = state;
      if (state === FAILED) this.failures[index] ??= { thrown: undefined };
    }
  }

  /** Runs records one after another, and returns their states. */
  async #inOrder(indexes: readonly number[], scope: ExecutionScope): Promise<number[]> {
    const held = new Set<string | undefined>();
    for (const index of indexes) {
      const group = this.#groupOf(index);
      if (this.#isStopped || held.has(group)) continue;
      try {
        const result = await this.#record(index, scope);
        this.#states[index] = DONE;
        if (!this.#isReported) this.results[index] = result ?? null;
      } catch (thrown) {
        this.#states[index] = FAILED;
        this.failures[index] = { thrown };
        this.#isStopped ||= this.#batch.matchAt(index).entry.stops;
        if (group !== undefined) held.add(group);
      }
    }
    return indexes.map((index) => this.#states[index] ?? UNTRIED);
  }

  #groupOf(index: number): string | undefined {
    const { source } = this.#batch.matchAt(index);
    return this.#batch.definition.orderedGroup?.(this.#batch.recordAt(index), source);
  }

  /** Runs a record once: a durable handler in its lane, every other handler as one step. */
  #record(index: number, scope: ExecutionScope): Promise<unknown> {
    const { definition, records } = this.#batch;
    const id = definition.recordId(this.#batch.recordAt(index));
    const name = `${definition.kind} ${index} ${id}`.replace(/[^\x20-\x7e]/g, '?').slice(0, 128);
    if (!isDurableHandler(this.#batch.matchAt(index).entry.handler)) return scope.record(name, () => this.#call(index));
    if (records.length === 1 && !this.#isReported) return this.#call(index, scope);
    return scope.lane(name, (lane) => this.#call(index, lane));
  }

  /** Calls the handler inside the middlewares, and reports its end: once, because a record that has ended does not run again. */
  async #call(index: number, lane?: ExecutionScope): Promise<unknown> {
    const { settings, records } = this.#batch;
    const { handler } = this.#batch.matchAt(index).entry;
    const ctx = new RecordContext(this.#batch, index);
    const isResumed = lane?.isSilent === true;
    if (lane) lane.bind(ctx);
    else bindToStep(ctx);
    const call = () => callWrapped(settings.middlewares, 0, handler, ctx, records[index]);
    try {
      const result = await (this.#observer ? this.#observer.runRecord(index, call, isResumed) : call());
      this.#observer?.recordEnded(index, undefined);
      return this.#isReported ? undefined : result;
    } catch (thrown) {
      reportRecord(this.#batch, index, { thrown });
      this.#observer?.recordEnded(index, { thrown });
      throw thrown;
    }
  }
}
