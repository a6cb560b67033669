import type { LambdaContext } from '@sallyport/core';
import { ManualIdGenerator } from '@sallyport/core/testing';
import { assembleEnv, type LambdaApp, type TestEnv } from '../../env/env.js';
import { runToEnd, type Settled, TrackedClock } from '../../internal/tracked-clock.js';
import type { RecordEnd, RecordResult, SimulatedInvocation, SimulationResult, Violation } from '../result.js';

/** Invocations after which a simulation is given up. */
const MAX_INVOCATIONS = 1000;

/** An app that reports to something else looks as if it did nothing. */
const UNSEEN = ': no invocation was recorded at all; was the app made with env.options()?';

/** One record on its way. */
export interface Tracked {
  readonly id: string;
  /** Group or shard, in whose order it must complete. */
  readonly lane: string;
  deliveries: number;
  completions: number;
  end: RecordEnd | undefined;
}

export type BuildApp = (env: TestEnv) => LambdaApp | Promise<LambdaApp>;

/** Keeps the books of one simulation: what was delivered, what completed, what became of it. */
export class Ledger {
  readonly clock = new TrackedClock();
  readonly #env: TestEnv;
  readonly #app: LambdaApp;
  readonly #records: readonly Tracked[];
  readonly #timeoutMs: number;
  readonly #invocations: SimulatedInvocation[] = [];
  readonly #violations: Violation[] = [];

  private constructor(
    env: TestEnv,
    app: LambdaApp,
    clock: TrackedClock,
    records: readonly Tracked[],
    timeoutMs: number,
  ) {
    this.#env = env;
    this.#app = app;
    this.clock = clock;
    this.#records = records;
    this.#timeoutMs = timeoutMs;
  }

  static async open(buildApp: BuildApp, records: readonly Tracked[], timeoutMs: number): Promise<Ledger> {
    const clock = new TrackedClock();
    const env = assembleEnv(clock, new ManualIdGenerator(), { lambda: { remainingMs: timeoutMs } });
    return new Ledger(env, await buildApp(env), clock, records, timeoutMs);
  }

  /** Whether another invocation would be one too many. */
  get isSpent(): boolean {
    return this.#invocations.length >= MAX_INVOCATIONS;
  }

  /** Delivers a batch and notes what completed. */
  async invoke(batch: readonly Tracked[], event: unknown): Promise<Settled> {
    const time = this.clock.monotonicMs();
    for (const record of batch) record.deliveries += 1;
    const from = this.#env.records.logs.length;
    const context: LambdaContext = this.#env.lambdaContext();
    const settled = await runToEnd(this.clock, this.#timeoutMs, () => this.#app.handleLambda(event, context));
    this.#noteCompletions(batch, from);
    this.#invocations.push({ time, records: batch.map(({ id }) => id), ...outcomeOf(settled) });
    return settled;
  }

  violate(kind: Violation['kind'], record: string, text: string): void {
    this.#violations.push({ kind, record, text });
  }

  /** The record leaves its source; one that never completed is lost unless something else took it. */
  remove(record: Tracked, end?: 'dead-letter' | 'expired'): void {
    record.end = end ?? (record.completions > 0 ? 'done' : 'lost');
    if (record.end === 'lost') {
      const hint = this.#env.records.logs.length === 0 ? UNSEEN : '';
      this.violate('lost', record.id, `record ${record.id} was removed though its handler never completed${hint}`);
    }
  }

  close(): SimulationResult {
    const left = this.#records.filter(({ end }) => end === undefined);
    if (left[0])
      this.violate('unsettled', left[0].id, `${left.length} records are left after ${MAX_INVOCATIONS} invocations`);
    const entries = this.#records.map(({ id, deliveries, completions, end }): [string, RecordResult] => [
      id,
      { deliveries, completions, end: end ?? 'stuck' },
    ]);
    return { invocations: this.#invocations, records: Object.fromEntries(entries), violations: this.#violations };
  }

  /** What the framework itself says of each record; an answer may say anything. */
  #noteCompletions(batch: readonly Tracked[], from: number): void {
    for (const log of this.#env.records.logs.slice(from)) {
      if (log.event !== 'event.completed' || log.outcome !== 'success') continue;
      const record = batch.find(({ id }) => id === log.record_id);
      if (!record) continue;
      if (record.completions === 0) this.#checkOrder(record);
      record.completions += 1;
    }
  }

  #checkOrder(record: Tracked): void {
    const lane = this.#records.filter((other) => other.lane === record.lane);
    const earlier = record.lane === '' ? [] : lane.slice(0, lane.indexOf(record));
    const passed = earlier.find(({ completions, end }) => completions === 0 && end === undefined);
    if (passed) this.violate('out-of-order', record.id, `record ${record.id} completed before ${passed.id}`);
  }
}

function outcomeOf(settled: Settled): Pick<SimulatedInvocation, 'answer' | 'error'> {
  if (settled === 'timeout') return { error: 'timeout' };
  return 'answer' in settled ? { answer: settled.answer } : { error: String(settled.error) };
}

/** What AWS makes of an answer: all of the batch fails, none does, or these do. */
export type Verdict =
  | {
      readonly failed: 'all';
      readonly why: 'error' | 'missing-identifier' | 'unknown-identifier';
      readonly unknown: readonly string[];
    }
  | { readonly failed: readonly string[]; readonly unknown: readonly string[] };

const NONE: Verdict = { failed: [], unknown: [] };

/**
 * Reads an answer as an event source mapping does.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
export function readAnswer(
  settled: Settled,
  known: ReadonlySet<string>,
  { reportBatchItemFailures, ignoresUnknown }: { reportBatchItemFailures: boolean; ignoresUnknown: boolean },
): Verdict {
  if (settled === 'timeout' || 'error' in settled) return { failed: 'all', why: 'error', unknown: [] };
  if (!reportBatchItemFailures) return NONE;
  const failures = failuresOf(settled.answer);
  if (failures === undefined) return { failed: 'all', why: 'error', unknown: [] };
  const ids = failures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  if (!ids.every(isText)) return { failed: 'all', why: 'missing-identifier', unknown: [] };
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0 && !ignoresUnknown) return { failed: 'all', why: 'unknown-identifier', unknown };
  return { failed: ids.filter((id) => known.has(id)), unknown };
}

/** The list of an answer; empty where AWS takes the answer for a success, `undefined` where it cannot read it. */
function failuresOf(answer: unknown): readonly unknown[] | undefined {
  if (answer === undefined || answer === null) return [];
  if (typeof answer !== 'object') return undefined;
  const { batchItemFailures } = answer as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return [];
  return Array.isArray(batchItemFailures) ? batchItemFailures : undefined;
}

function isText(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}
