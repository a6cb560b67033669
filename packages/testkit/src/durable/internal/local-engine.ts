import { bytesOfJson } from '@sallyport/core/internal';
import type { HistoryRequest, HistoryResponse } from '../history-wire.js';
import type { DurableStore, ExecutionRecord } from '../store.js';
import type { DurableEngine, ExecutionSummary, PendingWait, StartExecution } from '../types.js';
import type {
  CheckpointRequest,
  CheckpointResponse,
  ErrorObject,
  Operation,
  StateRequest,
  StateResponse,
} from '../wire.js';
import { hasEnded } from './apply.js';
import { encodeCallbackId, parseCallbackId } from './callback-id.js';
import { changeOf } from './checkpoint.js';
import { alreadyStarted, callbackClosed, invalidParameter, invalidToken, notFound } from './errors.js';
import { Execution } from './execution.js';
import { historyPage } from './history.js';
import { Lifecycle, type Parts } from './lifecycle.js';
import { functionOf, newRecord, summaryOf } from './start.js';
import { LIMITS } from './validate.js';
import { waitsOf } from './waits.js';

/** The engine of `createDurableEngine`. */
export class LocalEngine implements DurableEngine {
  readonly #parts: Parts;
  readonly #store: DurableStore;
  readonly #executions = new Map<string, Execution>();
  readonly #lifecycle: Lifecycle;

  constructor(store: DurableStore, parts: Parts) {
    this.#parts = parts;
    this.#store = store;
    this.#lifecycle = new Lifecycle(parts, this.#executions);
    const restored = store.load().map((journal) => Execution.restore(store, () => this.#nowMs(), journal));
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
    const first: Operation = {
      Id: this.#parts.ids.newId(),
      Type: 'EXECUTION',
      StartTimestamp: now,
      Status: 'STARTED',
      ExecutionDetails: { InputPayload: record.payload },
    };
    const newId = () => this.#parts.ids.newId();
    const recorded = (request.recorded ?? []).map((operation) => adopted(operation, record.arn, newId));
    const execution = Execution.start(this.#store, () => this.#nowMs(), record, [first, ...recorded]);
    this.#executions.set(record.arn, execution);
    this.#lifecycle.begin(execution);
    return { arn: record.arn, outcome: 'started' };
  }

  ended(arn: string): Promise<ExecutionSummary> {
    return this.#lifecycle.ended(this.#find(arn));
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
    for (const operation of operations) this.#lifecycle.rearm(execution, operation);
    const answer = checkpointed(execution, ids);
    if (end) this.#lifecycle.end(execution, end);
    for (const update of Updates) this.#lifecycle.chain(execution, update);
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

  async getExecutionHistory(request: HistoryRequest): Promise<HistoryResponse> {
    return historyPage(this.#find(request.DurableExecutionArn ?? '').history, request);
  }

  succeedCallback(callbackId: string, result = ''): void {
    if (Buffer.byteLength(result) > LIMITS.callbackBytes) {
      throw invalidParameter(`The result of a callback must not exceed ${LIMITS.callbackBytes} bytes.`);
    }
    const { execution, operation } = this.#openCallback(callbackId);
    this.#lifecycle.finish(execution, operation, 'SUCCEEDED', result === '' ? {} : { Result: result });
  }

  failCallback(callbackId: string, error: ErrorObject = {}): void {
    if (bytesOfJson(error) > LIMITS.callbackBytes) {
      throw invalidParameter(`The error of a callback must not exceed ${LIMITS.callbackBytes} bytes.`);
    }
    const { execution, operation } = this.#openCallback(callbackId);
    this.#lifecycle.finish(execution, operation, 'FAILED', { Error: error });
  }

  heartbeat(callbackId: string): void {
    const { execution, operation } = this.#openCallback(callbackId);
    const times = execution.deadlinesOf(operation.Id);
    if (times?.heartbeatSeconds === undefined) return;
    const heartbeatAt = this.#nowMs() + times.heartbeatSeconds * 1_000;
    execution.change({ deadlines: { [operation.Id]: { ...times, heartbeatAt } } });
    this.#lifecycle.rearm(execution, operation);
  }

  stop(arn: string, error?: ErrorObject): Date {
    const execution = this.#find(arn);
    if (execution.isOpen) this.#lifecycle.end(execution, { status: 'STOPPED', ...(error && { error }) });
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
    const invocations = this.#lifecycle.retries.map(({ arn, until }) => ({
      arn,
      kind: 'invocation' as const,
      until: new Date(until),
    }));
    return [...this.#open().flatMap(waitsOf), ...invocations];
  }

  skip(matches: (wait: PendingWait) => boolean = ({ kind }) => kind !== 'callback'): void {
    for (const { arn, kind, operationId = '' } of this.pending().filter(matches)) {
      this.#lifecycle.due({ arn, kind: kind === 'callback' ? 'timeout' : kind, operationId, until: 0 });
    }
  }

  resume(): void {
    for (const execution of this.#open()) this.#lifecycle.resume(execution);
  }

  settle(): Promise<void> {
    return this.#lifecycle.settle();
  }

  close(): void {
    this.#lifecycle.close();
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
}

/** An operation of another execution: an open callback gets an id of the new one. */
function adopted(operation: Operation, arn: string, newId: () => string): Operation {
  if (operation.Type !== 'CALLBACK' || hasEnded(operation)) return operation;
  return { ...operation, CallbackDetails: { CallbackId: encodeCallbackId(arn, operation.Id, newId()) } };
}

/** The answer to a checkpoint: its operations, and operations that changed outside the function. */
function checkpointed(execution: Execution, ids: readonly string[]): CheckpointResponse {
  return { CheckpointToken: execution.record.token, NewExecutionState: { Operations: execution.only(ids) } };
}
