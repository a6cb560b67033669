import { bytesOfJson } from '@sallyport/core/internal';
import type { Outcome } from '../../engines/engine.js';
import type { Given } from '../../internal/kinds.js';
import type { DurableStore, ExecutionRecord } from '../store.js';
import type { DurableEngine, DurableEngineOptions, ExecutionSummary, PendingWait, StartExecution } from '../types.js';
import type {
  CheckpointRequest,
  CheckpointResponse,
  ErrorObject,
  Operation,
  OperationUpdate,
  StateRequest,
  StateResponse,
} from '../wire.js';
import { endingOf, failed } from './answer.js';
import { ended, hasEnded } from './apply.js';
import { parseCallbackId } from './callback-id.js';
import { changeOf } from './checkpoint.js';
import { alreadyStarted, callbackClosed, invalidParameter, invalidToken, notFound } from './errors.js';
import { Execution } from './execution.js';
import { functionOf, newRecord, summaryOf } from './start.js';
import { type Deadline, deadlinesOf, Timers } from './timers.js';
import { LIMITS } from './validate.js';
import { waitsOf } from './waits.js';

type Parts = Given<Pick<DurableEngineOptions, 'chain' | 'onChange'>> &
  Required<Pick<DurableEngineOptions, 'clock' | 'ids' | 'invoke' | 'pageSize'>>;

/** Seconds from a failed invocation to the next: doubled each time, up to the second number. */
const RETRY_SECONDS = [1, 60] as const;

/** The engine of `createDurableEngine`. */
export class LocalEngine implements DurableEngine {
  readonly #parts: Parts;
  readonly #store: DurableStore;
  readonly #executions = new Map<string, Execution>();
  readonly #timers: Timers;
  readonly #watchers = new Map<string, ((summary: ExecutionSummary) => void)[]>();
  #idle: (() => void)[] = [];
  #active = 0;
  #closed = false;

  constructor(store: DurableStore, parts: Parts) {
    this.#parts = parts;
    this.#store = store;
    this.#timers = new Timers(parts.clock, (deadline) => this.#due(deadline));
    const restored = store.load().map((journal) => Execution.restore(store, journal));
    restored.sort((a, b) => a.record.startedAt - b.record.startedAt);
    for (const execution of restored) this.#executions.set(execution.arn, execution);
  }

  start(request: StartExecution): { arn: string; outcome: 'started' | 'existing' } {
    const now = this.#parts.clock.now();
    const record = newRecord(request, this.#parts.ids.newId(), now.getTime());
    const before = request.name === undefined ? undefined : this.#named(record);
    if (before) {
      if (before.record.payload !== record.payload) throw alreadyStarted(record.name);
      return { arn: before.arn, outcome: 'existing' };
    }
    const execution = Execution.start(this.#store, record, {
      Id: this.#parts.ids.newId(),
      Type: 'EXECUTION',
      StartTimestamp: now,
      Status: 'STARTED',
      ExecutionDetails: { InputPayload: record.payload },
    });
    this.#executions.set(record.arn, execution);
    this.#armEnd(execution);
    this.#invoke(execution);
    return { arn: record.arn, outcome: 'started' };
  }

  ended(arn: string): Promise<ExecutionSummary> {
    const execution = this.#find(arn);
    if (!execution.isOpen) return Promise.resolve(summaryOf(execution.record));
    return new Promise((resolve) => {
      this.#watchers.set(arn, [...(this.#watchers.get(arn) ?? []), resolve]);
    });
  }

  async checkpoint(request: CheckpointRequest): Promise<CheckpointResponse> {
    const { CheckpointToken, ClientToken, Updates = [] } = request;
    const execution = this.#executions.get(request.DurableExecutionArn ?? '');
    if (!execution?.isOpen) throw invalidToken();
    const { last, token, changed } = execution.record;
    if (ClientToken !== undefined && last?.clientToken === ClientToken && last.token === token) {
      return checkpointed(execution, last.operations);
    }
    if (!CheckpointToken || CheckpointToken !== token) throw invalidToken();
    const newId = () => this.#parts.ids.newId();
    const { entry, operations, end } = changeOf(execution, Updates, this.#parts.clock.now(), newId);
    const ids = [...new Set([...operations.map(({ Id }) => Id), ...changed])];
    const next = newId();
    execution.change({
      ...entry,
      record: {
        ...entry.record,
        token: next,
        changed: [],
        failures: 0,
        ...(ClientToken !== undefined && { last: { clientToken: ClientToken, token: next, operations: ids } }),
      },
    });
    for (const operation of operations) this.#rearm(execution, operation);
    const answer = checkpointed(execution, ids);
    if (end) this.#end(execution, end);
    for (const update of Updates) this.#chain(execution, update);
    this.#parts.onChange?.(execution.arn);
    return answer;
  }

  async getExecutionState({
    DurableExecutionArn,
    CheckpointToken,
    Marker,
    MaxItems,
  }: StateRequest): Promise<StateResponse> {
    const execution = this.#executions.get(DurableExecutionArn ?? '');
    if (!execution?.isOpen || !CheckpointToken || execution.record.token !== CheckpointToken) throw invalidToken();
    const from = Number(Marker ?? 0);
    if (!Number.isInteger(from) || from < 0) throw invalidParameter('The marker is not valid.');
    return execution.page(from, Math.min(MaxItems || Number.POSITIVE_INFINITY, this.#parts.pageSize));
  }

  succeedCallback(callbackId: string, result = ''): void {
    if (Buffer.byteLength(result) > LIMITS.callbackBytes) {
      throw invalidParameter(`The result of a callback must not exceed ${LIMITS.callbackBytes} bytes.`);
    }
    const { execution, operation } = this.#openCallback(callbackId);
    this.#finish(execution, operation, 'SUCCEEDED', result === '' ? {} : { Result: result });
  }

  failCallback(callbackId: string, error: ErrorObject = {}): void {
    if (bytesOfJson(error) > LIMITS.callbackBytes) {
      throw invalidParameter(`The error of a callback must not exceed ${LIMITS.callbackBytes} bytes.`);
    }
    const { execution, operation } = this.#openCallback(callbackId);
    this.#finish(execution, operation, 'FAILED', { Error: error });
  }

  heartbeat(callbackId: string): void {
    const { execution, operation } = this.#openCallback(callbackId);
    const times = execution.deadlinesOf(operation.Id);
    if (times?.heartbeatSeconds === undefined) return;
    const heartbeatAt = this.#nowMs() + times.heartbeatSeconds * 1_000;
    execution.change({ deadlines: { [operation.Id]: { ...times, heartbeatAt } } });
    this.#rearm(execution, operation);
  }

  stop(arn: string, error?: ErrorObject): Date {
    const execution = this.#find(arn);
    if (execution.isOpen) this.#end(execution, { status: 'STOPPED', ...(error && { error }) });
    return new Date(execution.record.endedAt ?? 0);
  }

  describe(arn: string): ExecutionSummary {
    return summaryOf(this.#find(arn).record);
  }

  operations(arn: string): readonly Operation[] {
    return [...this.#find(arn).operations.values()];
  }

  list(): readonly ExecutionSummary[] {
    return [...this.#executions.values()].map(({ record }) => summaryOf(record));
  }

  pending(): readonly PendingWait[] {
    const invocations = this.#timers.all.flatMap(({ arn, kind, until }) =>
      kind === 'invocation' ? [{ arn, kind, until: new Date(until) }] : [],
    );
    return [...this.#open().flatMap(waitsOf), ...invocations];
  }

  skip(matches: (wait: PendingWait) => boolean = ({ kind }) => kind !== 'callback'): void {
    for (const { arn, kind, operationId = '' } of this.pending().filter(matches)) {
      this.#due({ arn, kind: kind === 'callback' ? 'timeout' : kind, operationId, until: 0 });
    }
  }

  resume(): void {
    for (const execution of this.#open()) {
      this.#armEnd(execution);
      for (const operation of execution.operations.values()) {
        this.#rearm(execution, operation);
        if (operation.Type === 'CHAINED_INVOKE' && !hasEnded(operation)) {
          this.#settleChain(execution, operation.Id, Promise.reject(new Error('the service was restarted')));
        }
      }
      // The invocation that ran when the process ended is over: it cannot be answered any more.
      if (execution.record.running || execution.record.changed.length > 0) this.#invoke(execution);
    }
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

  #nowMs(): number {
    return this.#parts.clock.now().getTime();
  }

  #open(): Execution[] {
    return [...this.#executions.values()].filter(({ isOpen }) => isOpen);
  }

  #find(arn: string): Execution {
    const execution = this.#executions.get(arn);
    if (!execution) throw notFound('The durable execution');
    return execution;
  }

  #named({ functionArn, name }: ExecutionRecord): Execution | undefined {
    const plain = functionOf(functionArn);
    return [...this.#executions.values()].find(
      ({ record }) => record.name === name && functionOf(record.functionArn) === plain,
    );
  }

  #openCallback(callbackId: string): { execution: Execution; operation: Operation } {
    const { arn, operationId } = parseCallbackId(callbackId);
    const execution = this.#executions.get(arn);
    const operation = execution?.operations.get(operationId);
    if (!execution || operation?.CallbackDetails?.CallbackId !== callbackId) throw notFound('The callback');
    if (!execution.isOpen || hasEnded(operation)) throw callbackClosed();
    return { execution, operation };
  }

  /** Ends an operation from outside of the function, and invokes the function. */
  #finish(execution: Execution, operation: Operation, status: Operation['Status'], details: object = {}): void {
    const now = this.#parts.clock.now();
    const after = ended(operation, status, now, detailsOf(operation, details));
    this.#change(execution, status === 'READY' ? { ...operation, Status: 'READY' } : after);
  }

  #change(execution: Execution, operation: Operation): void {
    const { changed } = execution.record;
    execution.change({
      record: { changed: [...changed.filter((id) => id !== operation.Id), operation.Id] },
      operations: [operation],
    });
    this.#rearm(execution, operation);
    this.#parts.onChange?.(execution.arn);
    if (!execution.record.running) this.#invoke(execution);
  }

  #rearm(execution: Execution, operation: Operation): void {
    this.#timers.remove(({ arn, operationId }) => arn === execution.arn && operationId === operation.Id);
    for (const deadline of deadlinesOf(execution, operation)) this.#timers.add(deadline);
  }

  #armEnd({ arn, record }: Execution): void {
    const until = record.startedAt + record.timeoutSeconds * 1_000;
    this.#timers.add({ arn, kind: 'end', operationId: '', until });
  }

  #due({ arn, kind, operationId }: Deadline): void {
    const execution = this.#executions.get(arn);
    if (!execution?.isOpen) return;
    if (kind === 'end') return this.#end(execution, { status: 'TIMED_OUT' });
    if (kind === 'invocation') return this.#invoke(execution);
    const operation = execution.operations.get(operationId);
    if (!operation || hasEnded(operation)) return;
    if (kind === 'wait') return this.#finish(execution, operation, 'SUCCEEDED');
    if (kind === 'retry') return this.#finish(execution, operation, 'READY');
    const message = kind === 'heartbeat' ? 'Callback timed out on heartbeat' : 'Callback timed out';
    this.#finish(execution, operation, 'TIMED_OUT', { Error: { ErrorMessage: message } });
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
      .catch((error: unknown) => ({ error }))
      .then((outcome) => {
        this.#active -= 1;
        if (execution.isOpen && execution.record.invocations === invocation && !this.#closed) {
          this.#invoked(execution, endingOf(outcome));
        }
        if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
      });
  }

  #invoked(execution: Execution, ending: ReturnType<typeof endingOf>): void {
    const { arn, record } = execution;
    switch (ending.kind) {
      case 'ended':
        return this.#end(execution, ending.record);
      case 'failed': {
        const failures = record.failures + 1;
        execution.change({ record: { running: false, token: '', failures } });
        const seconds = Math.min(RETRY_SECONDS[0] * 2 ** (failures - 1), RETRY_SECONDS[1]);
        this.#timers.add({ arn, kind: 'invocation', operationId: '', until: this.#nowMs() + seconds * 1_000 });
        break;
      }
      case 'pending': {
        execution.change({ record: { running: false, token: '', failures: 0 } });
        if (record.changed.length > 0) return this.#invoke(execution);
        if (!isWaiting(execution)) {
          return this.#end(execution, failed('Cannot return PENDING status with no pending operations.').record);
        }
      }
    }
    this.#parts.onChange?.(arn);
  }

  #end(execution: Execution, end: Pick<ExecutionRecord, 'status' | 'result' | 'error'>): void {
    const { arn } = execution;
    this.#timers.remove((deadline) => deadline.arn === arn);
    execution.change({ record: { ...end, endedAt: this.#nowMs(), running: false, token: '', changed: [] } });
    this.#parts.onChange?.(arn);
    for (const resolve of this.#watchers.get(arn) ?? []) resolve(summaryOf(execution.record));
    this.#watchers.delete(arn);
  }

  #chain(execution: Execution, { Id = '', Type, Action, Payload, ChainedInvokeOptions }: OperationUpdate): void {
    if (Type !== 'CHAINED_INVOKE' || Action !== 'START' || !execution.isOpen) return;
    const { chain } = this.#parts;
    const functionName = ChainedInvokeOptions?.FunctionName ?? '';
    const call = { arn: execution.arn, operationId: Id, functionName, payload: Payload };
    const outcome = chain ? chain(call) : Promise.reject(notFound(`The function ${functionName}`));
    this.#settleChain(execution, Id, outcome);
  }

  #settleChain(execution: Execution, id: string, outcome: Promise<Outcome>): void {
    const settle = (details: object, status: Operation['Status']) => {
      const operation = execution.operations.get(id);
      if (!this.#closed && execution.isOpen && operation && !hasEnded(operation)) {
        this.#finish(execution, operation, status, details);
      }
    };
    outcome
      .catch((error: unknown) => ({ error }))
      .then((end) => {
        if ('error' in end) return settle({ Error: errorObjectOf(end.error) }, 'FAILED');
        const result = typeof end.answer === 'string' ? end.answer : JSON.stringify(end.answer);
        settle(result === undefined ? {} : { Result: result }, 'SUCCEEDED');
      });
  }
}

const DETAILS = { CALLBACK: 'CallbackDetails', CHAINED_INVOKE: 'ChainedInvokeDetails' } as const;

function detailsOf(operation: Operation, details: object): Partial<Operation> {
  if (operation.Type !== 'CALLBACK' && operation.Type !== 'CHAINED_INVOKE') return {};
  const member = DETAILS[operation.Type];
  return { [member]: { ...operation[member], ...details } };
}

function errorObjectOf(error: unknown): ErrorObject {
  return error instanceof Error
    ? { ErrorType: error.name, ErrorMessage: error.message }
    : { ErrorMessage: String(error) };
}

/** True if something outside of the function will continue the execution. */
function isWaiting(execution: Execution): boolean {
  const chained = [...execution.operations.values()].some(
    (operation) => operation.Type === 'CHAINED_INVOKE' && !hasEnded(operation),
  );
  return chained || waitsOf(execution).length > 0;
}

/** The answer to a checkpoint: its operations, and the ones that changed outside the function. */
function checkpointed(execution: Execution, ids: readonly string[]): CheckpointResponse {
  const Operations = ids.flatMap((id) => execution.operations.get(id) ?? []);
  return { CheckpointToken: execution.record.token, NewExecutionState: { Operations } };
}
