import { membersOf } from '@sallyport/core/internal';
import type { Outcome } from '../../engines/engine.js';
import type { Given } from '../../internal/kinds.js';
import type { ExecutionRecord } from '../store.js';
import type { DurableEngineOptions, DurableOutcome, ExecutionSummary } from '../types.js';
import type { ErrorObject, Operation, OperationStatus, OperationUpdate } from '../wire.js';
import { type Ending, endingOf, failed } from './answer.js';
import { ended, hasEnded } from './apply.js';
import { notFound } from './errors.js';
import type { Execution } from './execution.js';
import { summaryOf } from './start.js';
import { type Deadline, deadlinesOf, Timers } from './timers.js';
import { waitsOf } from './waits.js';

/** Options of the engine besides its store. */
export type Parts = Given<Pick<DurableEngineOptions, 'chain' | 'onChange'>> &
  Required<Pick<DurableEngineOptions, 'clock' | 'ids' | 'invoke' | 'pageSize'>>;

/** Seconds from a failed invocation to the next: doubled each time, up to the second number. */
const RETRY_SECONDS = [1, 60] as const;

/** The life of executions between their checkpoints: invocations, waits that end, and their own end. */
export class Lifecycle {
  readonly #parts: Parts;
  readonly #executions: ReadonlyMap<string, Execution>;
  readonly #timers: Timers;
  readonly #watchers = new Map<string, ((summary: ExecutionSummary) => void)[]>();
  readonly #waking = new Set<Execution>();
  #idle: (() => void)[] = [];
  #active = 0;
  #closed = false;

  constructor(parts: Parts, executions: ReadonlyMap<string, Execution>) {
    this.#parts = parts;
    this.#executions = executions;
    this.#timers = new Timers(parts.clock, (deadline) => this.due(deadline));
  }

  /** Deadlines of the next invocation, of executions whose last one failed. */
  get retries(): readonly Deadline[] {
    return this.#timers.all.filter(({ kind }) => kind === 'invocation');
  }

  begin(execution: Execution): void {
    this.#armEnd(execution);
    for (const operation of execution.operations.values()) this.rearm(execution, operation);
    this.#invoke(execution);
  }

  resume(execution: Execution): void {
    this.#armEnd(execution);
    for (const operation of execution.operations.values()) {
      this.rearm(execution, operation);
      if (operation.Type === 'CHAINED_INVOKE' && !hasEnded(operation)) {
        this.#settleChain(execution, operation.Id, Promise.reject(new Error('the service was restarted')));
      }
    }
    const { running, changed, failures } = execution.record;
    // An invocation that ran when the process ended cannot be answered any more.
    if (running || changed.length > 0 || failures > 0) this.#invoke(execution);
  }

  ended(execution: Execution): Promise<ExecutionSummary> {
    const { arn, record } = execution;
    if (!execution.isOpen) return Promise.resolve(summaryOf(record));
    return new Promise((resolve) => {
      this.#watchers.set(arn, [...(this.#watchers.get(arn) ?? []), resolve]);
    });
  }

  settle(): Promise<void> {
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  close(): void {
    this.#closed = true;
    this.#timers.clear();
  }

  /** Ends an operation, or the delay of a step, from outside the function, and invokes the function. */
  finish(execution: Execution, operation: Operation, status: OperationStatus, details: object): void {
    const now = this.#parts.clock.now();
    const after = ended(operation, status, now, detailsOf(operation, details));
    this.#change(execution, status === 'READY' ? ready(operation) : after);
  }

  #change(execution: Execution, operation: Operation): void {
    const { changed } = execution.record;
    execution.change({
      record: { changed: [...changed.filter((id) => id !== operation.Id), operation.Id] },
      operations: [operation],
    });
    this.rearm(execution, operation);
    this.#parts.onChange?.(execution.arn);
    if (!execution.record.running) this.#wake(execution);
  }

  rearm(execution: Execution, operation: Operation): void {
    this.#timers.remove(({ arn, operationId }) => arn === execution.arn && operationId === operation.Id);
    for (const deadline of deadlinesOf(execution, operation)) this.#timers.add(deadline);
  }

  #armEnd({ arn, record }: Execution): void {
    const until = record.startedAt + record.timeoutSeconds * 1_000;
    this.#timers.add({ arn, kind: 'end', operationId: '', until });
  }

  due({ arn, kind, operationId }: Deadline): void {
    const execution = this.#executions.get(arn);
    if (!execution?.isOpen) return;
    const operation = execution.operations.get(operationId);
    if (kind === 'end') this.end(execution, { status: 'TIMED_OUT' });
    else if (kind === 'invocation') this.#invoke(execution);
    else if (operation && !hasEnded(operation))
      this.finish(execution, operation, END_OF[kind].status, END_OF[kind].details);
  }

  /** Invokes the function after all waits that end at the same moment. */
  #wake(execution: Execution): void {
    if (this.#waking.has(execution)) return;
    this.#waking.add(execution);
    this.#active += 1;
    queueMicrotask(() => {
      this.#waking.delete(execution);
      this.#active -= 1;
      if (execution.isOpen && !execution.record.running) this.#invoke(execution);
      this.#rest();
    });
  }

  #rest(): void {
    if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #invoke(execution: Execution): void {
    if (this.#closed) return;
    const { arn, record } = execution;
    const invocation = record.invocations + 1;
    const token = this.#parts.ids.newId();
    this.#timers.remove((deadline) => deadline.arn === arn && deadline.kind === 'invocation');
    execution.change({ record: { invocations: invocation, running: true, token, changed: [] } });
    const event = {
      DurableExecutionArn: arn,
      CheckpointToken: token,
      InitialExecutionState: execution.page(0, this.#parts.pageSize),
      UpdatedOperationIds: record.changed,
    };
    this.#active += 1;
    this.#parts.onChange?.(arn);
    Promise.resolve()
      .then(() => this.#parts.invoke({ arn, functionArn: record.functionArn, invocation, event }))
      .catch((error: unknown): DurableOutcome => ({ error }))
      .then((outcome) => {
        this.#active -= 1;
        if (execution.isOpen && execution.record.invocations === invocation && !this.#closed) {
          this.#invoked(execution, endingOf(outcome), invokedOf(outcome));
        }
        this.#rest();
      });
  }

  #invoked(execution: Execution, ending: Ending, invoked: Invoked): void {
    if (ending.kind === 'ended') this.end(execution, { ...ending.record, invoked });
    else if (ending.kind === 'failed') this.#retry(execution, invoked);
    else this.#suspend(execution, invoked);
  }

  #retry(execution: Execution, invoked: Invoked): void {
    const { arn } = execution;
    const failures = execution.record.failures + 1;
    execution.change({ record: { running: false, token: '', failures, invoked } });
    const seconds = Math.min(RETRY_SECONDS[0] * 2 ** (failures - 1), RETRY_SECONDS[1]);
    this.#timers.add({
      arn,
      kind: 'invocation',
      operationId: '',
      until: this.#parts.clock.now().getTime() + seconds * 1_000,
    });
    this.#parts.onChange?.(arn);
  }

  /** A change that the function did not see continues the execution immediately. */
  #suspend(execution: Execution, invoked: Invoked): void {
    const { changed } = execution.record;
    execution.change({ record: { running: false, token: '', failures: 0, invoked } });
    if (changed.length > 0) this.#invoke(execution);
    else if (isWaiting(execution)) this.#parts.onChange?.(execution.arn);
    else this.end(execution, failed('Cannot return PENDING status with no pending operations.').record);
  }

  end(execution: Execution, end: Pick<ExecutionRecord, 'status' | 'result' | 'error' | 'invoked'>): void {
    const { arn } = execution;
    this.#timers.remove((deadline) => deadline.arn === arn);
    execution.change({
      record: { ...end, endedAt: this.#parts.clock.now().getTime(), running: false, token: '', changed: [] },
    });
    this.#parts.onChange?.(arn);
    for (const resolve of this.#watchers.get(arn) ?? []) resolve(summaryOf(execution.record));
    this.#watchers.delete(arn);
  }

  chain(execution: Execution, { Id = '', Type, Action, Payload, ChainedInvokeOptions }: OperationUpdate): void {
    if (Type !== 'CHAINED_INVOKE' || Action !== 'START' || !execution.isOpen) return;
    const { chain } = this.#parts;
    const functionName = ChainedInvokeOptions?.FunctionName ?? '';
    const call = { arn: execution.arn, operationId: Id, functionName, payload: Payload };
    const outcome = chain ? chain(call) : Promise.reject(notFound(`The function ${functionName}`));
    this.#settleChain(execution, Id, outcome);
  }

  #settleChain(execution: Execution, id: string, outcome: Promise<Outcome>): void {
    const settle = (details: object, status: OperationStatus) => {
      const operation = execution.operations.get(id);
      if (!this.#closed && execution.isOpen && operation && !hasEnded(operation)) {
        this.finish(execution, operation, status, details);
      }
    };
    outcome
      .catch((error: unknown) => ({ error }))
      .then((end) => {
        if ('error' in end) settle({ Error: errorObjectOf(end.error) }, 'FAILED');
        else settle(typeof end.answer === 'string' ? { Result: end.answer } : {}, 'SUCCEEDED');
      });
  }
}

/** The status and details of an operation whose deadline has passed. */
const END_OF = {
  wait: { status: 'SUCCEEDED', details: {} },
  retry: { status: 'READY', details: {} },
  timeout: { status: 'TIMED_OUT', details: { Error: { ErrorMessage: 'Callback timed out' } } },
  heartbeat: { status: 'TIMED_OUT', details: { Error: { ErrorMessage: 'Callback timed out on heartbeat' } } },
} as const;

const DETAILS = { CALLBACK: 'CallbackDetails', CHAINED_INVOKE: 'ChainedInvokeDetails' } as const;

/** The time of the next attempt belongs to pending steps only. https://docs.aws.amazon.com/lambda/latest/api/API_StepDetails.html */
function ready(operation: Operation): Operation {
  const { NextAttemptTimestamp: _, ...StepDetails } = operation.StepDetails ?? {};
  return { ...operation, Status: 'READY', StepDetails };
}

function detailsOf(operation: Operation, details: object): Partial<Operation> {
  if (operation.Type !== 'CALLBACK' && operation.Type !== 'CHAINED_INVOKE') return {};
  const member = DETAILS[operation.Type];
  return { [member]: { ...operation[member], ...details } };
}

type Invoked = NonNullable<ExecutionRecord['invoked']>;

function invokedOf(outcome: DurableOutcome): Invoked {
  const { requestId } = outcome;
  return {
    ...(requestId !== undefined && { requestId }),
    ...('error' in outcome && { error: errorObjectOf(outcome.error) }),
  };
}

function errorObjectOf(error: unknown): ErrorObject {
  if (error instanceof Error) return { ErrorType: error.name, ErrorMessage: error.message };
  // The body of a failed invocation, as the runtime API receives it.
  const { errorType, errorMessage } = membersOf(error);
  if (typeof errorMessage !== 'string') return { ErrorMessage: String(error) };
  return { ...(typeof errorType === 'string' && { ErrorType: errorType }), ErrorMessage: errorMessage };
}

/** True if something outside the function will continue the execution. */
function isWaiting(execution: Execution): boolean {
  const chained = [...execution.operations.values()].some(
    (operation) => operation.Type === 'CHAINED_INVOKE' && !hasEnded(operation),
  );
  return chained || waitsOf(execution).length > 0;
}
