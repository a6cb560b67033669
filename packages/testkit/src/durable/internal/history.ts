import type { EventDetails, HistoryEvent, HistoryEventType, HistoryRequest, HistoryResponse } from '../history-wire.js';
import type { ExecutionRecord, JournalEntry } from '../store.js';
import type { ErrorObject, Operation } from '../wire.js';
import { hasEnded } from './apply.js';
import { invalidParameter } from './errors.js';

/** https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecutionHistory.html */
const PAGE = { usual: 100, most: 1_000 };

const TYPES = {
  EXECUTION: 'Execution',
  CONTEXT: 'Context',
  STEP: 'Step',
  WAIT: 'Wait',
  CALLBACK: 'Callback',
  CHAINED_INVOKE: 'ChainedInvoke',
} as const;

const ENDS = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
  TIMED_OUT: 'TimedOut',
  STOPPED: 'Stopped',
} as const;

/** The parts of an execution that its history describes. */
interface Described {
  readonly record: ExecutionRecord;
  readonly operations: ReadonlyMap<string, Operation>;
}

/** The events of an execution, derived from its journal: they are not stored a second time. */
export class HistoryLog {
  readonly #events: HistoryEvent[] = [];
  #invokedAt = 0;
  #last = 0;

  get events(): readonly HistoryEvent[] {
    return this.#events;
  }

  /** Adds the events of a change; `execution` does not have it yet. */
  add(execution: Described, entry: JournalEntry): void {
    // Journals of an earlier version have no times.
    this.#last = entry.at ?? entry.record?.endedAt ?? this.#last;
    for (const operation of entry.operations ?? []) {
      if (operation.Type === 'EXECUTION') this.#begin(execution.record, operation);
      else this.#operation(execution.operations.get(operation.Id), operation, entry);
    }
    if (entry.record) this.#record(execution, entry.record);
  }

  #begin({ name, payload, timeoutSeconds }: ExecutionRecord, { Id }: Operation): void {
    const details = { Input: { Payload: payload }, ExecutionTimeout: timeoutSeconds };
    this.#push('ExecutionStarted', { Id, Name: name }, details);
  }

  #record({ record: before, operations }: Described, change: Partial<ExecutionRecord>): void {
    if (change.running === true) this.#invokedAt = this.#last;
    if (change.running === false && before.running && before.invocations > 0) {
      const { requestId = `invocation-${before.invocations}`, error } = change.invoked ?? {};
      this.#push(
        'InvocationCompleted',
        {},
        {
          StartTimestamp: new Date(this.#invokedAt),
          EndTimestamp: new Date(this.#last),
          RequestId: requestId,
          ...(error && { Error: { Payload: error } }),
        },
      );
    }
    if (change.status === undefined || change.status === 'RUNNING') return;
    const [first] = operations.values();
    const { result, error } = change;
    const outcome =
      change.status === 'SUCCEEDED' ? { Result: { Payload: result } } : { Error: { ...(error && { Payload: error }) } };
    this.#push(`Execution${ENDS[change.status]}`, { Id: first?.Id ?? '', Name: before.name }, outcome);
  }

  #operation(before: Operation | undefined, after: Operation, entry: JournalEntry): void {
    const { Type, Status } = after;
    const kind = TYPES[Type];
    const began = !before || (before.Status === 'READY' && Status !== 'READY');
    if (began) this.#push(`${kind}Started` as HistoryEventType, after, startOf(after, entry));
    if (Type === 'STEP' && Status === 'PENDING' && before?.Status !== 'PENDING') {
      const { Error: error, Result, Attempt, NextAttemptTimestamp } = after.StepDetails ?? {};
      const delay = Math.round(((NextAttemptTimestamp?.getTime() ?? this.#last) - this.#last) / 1_000);
      const RetryDetails = { CurrentAttempt: Attempt, NextAttemptDelaySeconds: delay };
      this.#push(error ? 'StepFailed' : 'StepSucceeded', after, { ...outcomeOf(error, Result), RetryDetails });
    }
    if (!hasEnded(after) || (before && hasEnded(before))) return;
    this.#push(`${kind}${ENDS[Status as keyof typeof ENDS]}` as HistoryEventType, after, endOf(after));
  }

  #push(
    EventType: HistoryEventType,
    { Id, Name, SubType, ParentId }: Partial<Pick<Operation, 'Id' | 'Name' | 'SubType' | 'ParentId'>>,
    details: EventDetails,
  ): void {
    this.#events.push({
      EventType,
      EventId: this.#events.length + 1,
      EventTimestamp: new Date(this.#last),
      ...(Id !== undefined && { Id }),
      ...(Name !== undefined && { Name }),
      ...(SubType !== undefined && { SubType }),
      ...(ParentId !== undefined && { ParentId }),
      [`${EventType}Details`]: details,
    });
  }
}

const secondsFrom = (start: Date, end: number | undefined) =>
  end === undefined ? undefined : Math.round((end - start.getTime()) / 1_000);

function startOf(
  { Id, Type, StartTimestamp, WaitDetails, CallbackDetails }: Operation,
  entry: JournalEntry,
): EventDetails {
  if (Type === 'WAIT') {
    const ScheduledEndTimestamp = WaitDetails?.ScheduledEndTimestamp;
    return { Duration: secondsFrom(StartTimestamp, ScheduledEndTimestamp?.getTime()), ScheduledEndTimestamp };
  }
  if (Type === 'CALLBACK') {
    const { timeoutAt, heartbeatSeconds } = entry.deadlines?.[Id] ?? {};
    const Timeout = secondsFrom(StartTimestamp, timeoutAt);
    return {
      CallbackId: CallbackDetails?.CallbackId,
      ...(Timeout !== undefined && { Timeout }),
      ...(heartbeatSeconds !== undefined && { HeartbeatTimeout: heartbeatSeconds }),
    };
  }
  if (Type !== 'CHAINED_INVOKE') return {};
  const { functionName = '', payload } = entry.chained?.[Id] ?? {};
  return { FunctionName: functionName, Input: { ...(payload !== undefined && { Payload: payload }) } };
}

function endOf(operation: Operation): EventDetails {
  const { Type, Status, StepDetails, StartTimestamp, WaitDetails } = operation;
  if (Type === 'WAIT') {
    return Status === 'SUCCEEDED'
      ? { Duration: secondsFrom(StartTimestamp, WaitDetails?.ScheduledEndTimestamp?.getTime()) }
      : {};
  }
  const details =
    StepDetails ?? operation.ContextDetails ?? operation.CallbackDetails ?? operation.ChainedInvokeDetails ?? {};
  const outcome = outcomeOf(Status === 'SUCCEEDED' ? undefined : (details.Error ?? {}), details.Result);
  return StepDetails ? { ...outcome, RetryDetails: { CurrentAttempt: StepDetails.Attempt } } : outcome;
}

function outcomeOf(error: ErrorObject | undefined, result: string | undefined): EventDetails {
  return error ? { Error: { Payload: error } } : { Result: { ...(result !== undefined && { Payload: result }) } };
}

/** A page of a history. @throws ServiceError `InvalidParameterValueException` */
export function historyPage(all: readonly HistoryEvent[], request: HistoryRequest): HistoryResponse {
  const { IncludeExecutionData = true, MaxItems = 0, Marker = '0', ReverseOrder = false } = request;
  if (!Number.isInteger(MaxItems) || MaxItems < 0 || MaxItems > PAGE.most) {
    throw invalidParameter(`MaxItems must be between 0 and ${PAGE.most}.`);
  }
  const from = Number(Marker);
  if (!/^\d+$/.test(Marker) || from > all.length) throw invalidParameter('The marker is not valid.');
  const ordered = ReverseOrder ? [...all].reverse() : all;
  const end = from + (MaxItems || PAGE.usual);
  const Events = ordered.slice(from, end).map((event) => (IncludeExecutionData ? event : withoutData(event)));
  return { Events, ...(end < all.length && { NextMarker: `${end}` }) };
}

function withoutData(event: HistoryEvent): HistoryEvent {
  const name = `${event.EventType}Details` as const;
  const { Input, Result, Error: error, ...rest } = event[name] ?? {};
  const kept = { ...rest, ...(Input && { Input: {} }), ...(Result && { Result: {} }), ...(error && { Error: {} }) };
  return { ...event, [name]: kept };
}
