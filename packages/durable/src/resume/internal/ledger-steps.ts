import { DurableError } from '../../errors.js';
import { eventIdentity, placeDigest } from '../../internal/identity.js';
import type { LaneScope } from '../../internal/lane-scope.js';
import type { Text } from '../../internal/values.js';
import type { DurableLedger, LedgerHandle, LedgerKey } from '../../internal/write-once.js';
import type { StepOptions } from '../../types.js';

const SCOPE = 'durable-step';
/** The step of `compensate` for a step. */
const UNDO = 'undo ';
/** The longest time that a key can be held. */
const YEAR_MS = 31_622_400_000;
/** The longest time of a function, if the remaining time is not known. */
const FUNCTION_MS = 900_000;
/** Difference of two clocks. */
const MARGIN_MS = 1000;
/** Events that are delivered again after a failure are few: a step undone more often than this runs again. */
const MAX_ROUNDS = 100;

/** The steps of a handler in a ledger. A step that was undone has another key: its round is the number of its compensations. */
export class LedgerSteps {
  readonly #ledger: DurableLedger;
  readonly #keepSeconds: number;

  constructor(ledger: DurableLedger, keepSeconds: number) {
    this.#ledger = ledger;
    this.#keepSeconds = keepSeconds;
  }

  attach(lane: LaneScope): void {
    if (eventIdentity(lane.host) === undefined) return;
    const { body: inner } = lane.hooks;
    lane.hooks.body = (flow, name, options, run) => {
      const work = () => (inner ? inner(flow, name, options, run) : run());
      return name.startsWith('framework ') ? work() : this.#once(flow, name, options, work);
    };
  }

  async #once(lane: LaneScope, name: string, options: StepOptions, run: () => Promise<Text>): Promise<Text> {
    const { signal } = lane.host;
    const step = name.startsWith(UNDO) ? name.slice(UNDO.length) : name;
    const round = await this.#round(lane, step);
    const start = await this.#ledger.beginIdempotency(
      {
        ...this.#key(lane, name, round),
        inProgressMs: blockedMs(lane, options),
        executionId: lane.run.arn,
        ttlSeconds: this.#keepSeconds,
      },
      { signal },
    );
    if (start.outcome === 'already_completed' && start.record.resultOmitted) throw tooLarge(name);
    if (start.outcome === 'already_completed') {
      warnOfVersion(lane, name, start.record.executionId);
      return JSON.stringify((start.record.result as { value?: unknown })?.value);
    }
    if (start.outcome === 'already_in_progress') throw inProgress(name, options);
    return this.#run(lane, start.handle, run);
  }

  async #run(lane: LaneScope, handle: LedgerHandle, run: () => Promise<Text>): Promise<Text> {
    const { log } = lane.host;
    const { ids } = lane.run.host;
    let text: Text;
    try {
      text = await run();
    } catch (thrown) {
      await this.#ledger.abandonIdempotency(handle).catch((error: unknown) => {
        log?.warn('framework: the key of a failed step was not released', { error });
      });
      throw thrown;
    }
    const result = text === undefined ? {} : { value: JSON.parse(text) as unknown };
    const outcome = { result, resultTtlSeconds: this.#keepSeconds, writeId: ids.newId() };
    // The effect has happened: the execution continues with its result.
    await this.#ledger.completeIdempotency(handle, outcome).catch((error: unknown) => {
      log?.warn('framework: the result of a step was not stored for later executions', { error });
    });
    return text;
  }

  /** The number of compensations of a step by earlier executions. */
  async #round(lane: LaneScope, step: string): Promise<number> {
    const { signal } = lane.host;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const undone = await this.#ledger.getIdempotencyRecord(this.#key(lane, `${UNDO}${step}`, round), { signal });
      if (undone?.status !== 'COMPLETED' || undone.executionId === lane.run.arn) return round;
    }
    return MAX_ROUNDS;
  }

  #key(lane: LaneScope, name: string, round: number): LedgerKey {
    const key = lane.idempotencyKey(name);
    return { scope: SCOPE, key: round === 0 ? key : placeDigest(key, round) };
  }
}

/** Code that was deployed after the step ran receives a result that another version recorded. */
function warnOfVersion({ run, host }: LaneScope, step: string, recordedBy = ''): void {
  const [recorded, version] = [versionOf(recordedBy), versionOf(run.arn)];
  if (recorded === undefined || recorded === version) return;
  const text = 'framework: a step was not run again, because another version of the function has recorded its result';
  host.log?.warn(text, { step, recorded_by: recordedBy, recorded_version: recorded, version });
}

/** The version in the ARN of an execution. @see https://docs.aws.amazon.com/lambda/latest/api/API_Execution.html */
function versionOf(arn: string): string | undefined {
  return /:function:[^:]+:([^:/]+)\/durable-execution\//.exec(arn)?.[1];
}

/** A key is free again when the invocation that runs the step must have ended; of a step that must not run twice, never. */
function blockedMs({ host }: LaneScope, { effect }: StepOptions): number {
  if (effect === 'atMostOnce') return YEAR_MS;
  const { remainingMs = 0 } = host;
  return Math.ceil(remainingMs > 0 ? Math.min(remainingMs, FUNCTION_MS) : FUNCTION_MS) + MARGIN_MS;
}

function inProgress(name: string, { effect }: StepOptions): DurableError {
  if (effect === 'atMostOnce') {
    const text = `step "${name}" was interrupted in another execution: its effect may have happened`;
    return new DurableError('durable.step_interrupted', text);
  }
  return new DurableError('durable.step_in_progress', `another execution of the event runs step "${name}" now`);
}

/** The step has run, and its result is not known here. */
function tooLarge(name: string): DurableError {
  return new DurableError('durable.result_too_large', `step "${name}": the ledger could not keep its result`);
}
