import type { LogRecord } from '@sallyport/core';
import { ManualIdGenerator } from '@sallyport/core/testing';
import type { Delivery, EngineChange, Outcome, RecordState } from '../../engines/engine.js';
import { assembleEnv, type LambdaApp, type TestEnv } from '../../env/env.js';
import { createRecording, type Recording } from '../../env/records.js';
import { TrackedClock } from '../../internal/tracked-clock.js';
import type { RecordEnd, RecordResult, SimulatedInvocation, SimulationResult, Violation } from '../result.js';

export type BuildApp = (env: TestEnv) => LambdaApp | Promise<LambdaApp>;

/** An app without the options of the environment reports nothing to it. */
const UNSEEN = ': no invocation was recorded; create the app with env.options()';
const UNREPORTED = ': throw in the handler, or report the record as failed, so that it is retried';

/** State of one record. */
interface Tracked {
  readonly id: string;
  /** The record's group or shard, in whose order it must complete. */
  lane: Lane | undefined;
  deliveries: number;
  completions: number;
  end: RecordEnd | undefined;
}

/** A group or shard. */
interface Lane {
  /** Its records, in the order of their first delivery. */
  readonly records: Tracked[];
  /** Index of the first record that has neither completed nor left. */
  firstOpen: number;
}

const TIMED_OUT = 'timeout';

/** Invocations after which a simulation is given up: enough for ten deliveries of each record. */
function mostInvocations(records: number): number {
  return Math.max(1000, 10 * records);
}

/** Collects the facts of one simulation: deliveries, completions, and the outcome of each record. */
export class Ledger {
  readonly clock = new TrackedClock();
  /** Counts events, so that a waiting caller can distinguish progress from standstill. */
  activity = 0;
  /** Number of running invocations. */
  running = 0;
  readonly #timeoutMs: number;
  readonly #limit: number;
  readonly #byAnswer: boolean;
  readonly #tracked = new Map<string, Tracked>();
  readonly #lanes = new Map<string, Lane>();
  readonly #invocations: SimulatedInvocation[] = [];
  readonly #violations: Violation[] = [];
  #started = 0;
  #env!: TestEnv;
  #app!: LambdaApp;

  /** Records of the running invocations, by request id. */
  readonly #inFlight = new Map<string, readonly string[]>();

  /**
   * @param records number of records
   * @param byAnswer whether a record may leave its source without a completed handler
   */
  constructor(timeoutMs: number, records: number, byAnswer = false) {
    this.#timeoutMs = timeoutMs;
    this.#byAnswer = byAnswer;
    this.#limit = mostInvocations(records);
  }

  /** Builds the app, whose records of completed events are read here. */
  async open(buildApp: BuildApp, alias?: string): Promise<void> {
    const recording = listening(createRecording(this.clock), (record) => this.#noteCompletion(record));
    const invokedFunctionArn = `arn:aws:lambda:us-east-1:123456789012:function:test-function:${alias}`;
    const lambda = { remainingMs: this.#timeoutMs, ...(alias !== undefined && { invokedFunctionArn }) };
    this.#env = assembleEnv(this.clock, new ManualIdGenerator(), { lambda }, undefined, recording);
    this.#app = await buildApp(this.#env);
  }

  /** True if the limit of invocations is reached. */
  get isSpent(): boolean {
    return this.#invocations.length + this.running >= this.#limit;
  }

  /** Runs one invocation, to its timeout at most. */
  async invoke({ event, records }: Delivery<unknown>): Promise<Outcome> {
    const time = this.clock.monotonicMs();
    const ids = records.map(({ id }) => id);
    this.running += 1;
    this.activity += 1;
    this.#started += 1;
    const requestId = `lambda-${this.#started}`;
    this.#inFlight.set(requestId, ids);
    const outcome = await this.#withinTimeout(event, requestId);
    this.#inFlight.delete(requestId);
    this.running -= 1;
    this.activity += 1;
    const summary = 'answer' in outcome ? outcome : { error: String(outcome.error) };
    this.#invocations.push({ time, records: ids, ...summary });
    return outcome;
  }

  /** Handles a change of a record's state. */
  note({ id, lane, state }: EngineChange<unknown>): void {
    const tracked = this.#trackedOf(id);
    if (state === 'in-flight') {
      tracked.deliveries += 1;
      if (lane !== '' && !tracked.lane) this.#enterLane(tracked, lane);
    }
    const end = endOf(state, tracked.completions);
    if (end === undefined || tracked.end !== undefined) return;
    tracked.end = end === 'lost' && state === 'done' && this.#byAnswer ? 'done' : end;
    if (end !== 'lost' || this.#byAnswer) return;
    const hint = this.#env.records.logs.length === 0 ? UNSEEN : UNREPORTED;
    this.violate('lost', id, `record ${id} was removed though its handler never completed${hint}`);
  }

  violate(kind: Violation['kind'], record: string, text: string): void {
    this.#violations.push({ kind, record, text });
  }

  close(): SimulationResult {
    const left = [...this.#tracked.values()].filter(({ end }) => end === undefined);
    const spent = this.#invocations.length;
    if (left[0]) {
      const text = `${left.length} records are left in their source after ${spent} invocations: see why ${left[0].id} does not complete`;
      this.violate('unsettled', left[0].id, text);
    }
    const records = [...this.#tracked.values()].map(({ id, deliveries, completions, end }): [string, RecordResult] => [
      id,
      { deliveries, completions, end: end ?? 'stuck' },
    ]);
    return { invocations: this.#invocations, records: Object.fromEntries(records), violations: this.#violations };
  }

  #withinTimeout(event: unknown, requestId: string): Promise<Outcome> {
    const context = this.#env.lambdaContext({ requestId });
    return new Promise((resolve) => {
      const cancel = this.clock.after(this.#timeoutMs, () => resolve({ error: TIMED_OUT }));
      const settle = (outcome: Outcome) => {
        cancel();
        resolve(outcome);
      };
      this.#app.handleLambda(event, context).then(
        (answer) => settle({ answer }),
        (error: unknown) => settle({ error }),
      );
    });
  }

  #trackedOf(id: string): Tracked {
    let tracked = this.#tracked.get(id);
    if (!tracked) {
      tracked = { id, lane: undefined, deliveries: 0, completions: 0, end: undefined };
      this.#tracked.set(id, tracked);
    }
    return tracked;
  }

  #enterLane(tracked: Tracked, name: string): void {
    const lane = this.#lanes.get(name) ?? { records: [], firstOpen: 0 };
    this.#lanes.set(name, lane);
    lane.records.push(tracked);
    tracked.lane = lane;
  }

  /** Reads completions from the framework's own log records, because an answer may be wrong. */
  #noteCompletion({ event, outcome, record_id: id, request_id: requestId }: LogRecord): void {
    if (event !== 'event.completed' || outcome !== 'success') return;
    const tracked = this.#tracked.get(String(id)) ?? this.#onlyRecordOf(String(requestId));
    if (!tracked) return;
    if (tracked.completions === 0 && tracked.lane) this.#checkOrder(tracked, tracked.lane);
    tracked.completions += 1;
  }

  /** Some services send records without ids, or with equal ids. */
  #onlyRecordOf(requestId: string): Tracked | undefined {
    const [only, another] = this.#inFlight.get(requestId) ?? [];
    return only !== undefined && another === undefined ? this.#tracked.get(only) : undefined;
  }

  #checkOrder(tracked: Tracked, lane: Lane): void {
    const isOver = ({ completions, end }: Tracked) => completions > 0 || end !== undefined;
    for (let first = lane.records[lane.firstOpen]; first && isOver(first); first = lane.records[lane.firstOpen]) {
      lane.firstOpen += 1;
    }
    const first = lane.records[lane.firstOpen];
    if (first && first !== tracked) {
      this.violate(
        'out-of-order',
        tracked.id,
        `record ${tracked.id} completed before ${first.id}, which precedes it in its group or shard`,
      );
    }
  }
}

/** The outcome of a record in this state; `undefined` if it is still open. */
function endOf(state: RecordState, completions: number): RecordEnd | undefined {
  if (state === 'dead-letter' || state === 'expired') return state;
  if (state === 'discarded') return 'lost';
  return state === 'done' ? (completions > 0 ? 'done' : 'lost') : undefined;
}

/** The recording, which also passes its log records to `hear`. */
function listening(recording: Recording, hear: (record: LogRecord) => void): Recording {
  const log = (record: LogRecord) => {
    recording.observability.log(record);
    hear(record);
  };
  return { ...recording, observability: { ...recording.observability, log } };
}
