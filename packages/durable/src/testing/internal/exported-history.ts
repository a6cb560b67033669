import { FrameworkError } from '@sallyport/core';
import { fromJson, isObject, isText, type Members, membersOf } from '@sallyport/core/internal';
import type { Operation, OperationStatus, OperationType } from '@sallyport/testkit/durable';

/** A history that `sallyport history export` wrote. */
export interface ParsedHistory {
  /** For messages: `execution "export-7" of version 3`. */
  readonly title: string;
  readonly functionName: string;
  /** Name of the execution. */
  readonly execution: string;
  readonly input: string;
  readonly startedAt: Date;
  readonly succeeded: boolean;
  /** True if the values of the history are the recorded ones. */
  readonly isWhole: boolean;
  readonly operations: readonly Operation[];
}

const FORMAT = 'sallyport.history';
const VERSION = 1;
const TYPES: readonly (readonly [string, OperationType])[] = [
  ['Context', 'CONTEXT'],
  ['Step', 'STEP'],
  ['Wait', 'WAIT'],
  ['Callback', 'CALLBACK'],
  ['ChainedInvoke', 'CHAINED_INVOKE'],
];
const ENDS: Readonly<Record<string, OperationStatus>> = {
  Succeeded: 'SUCCEEDED',
  Failed: 'FAILED',
  Cancelled: 'CANCELLED',
  TimedOut: 'TIMED_OUT',
  Stopped: 'STOPPED',
};

/**
 * Reads exported histories.
 *
 * @param functionName the function that all must belong to; default: all to one
 * @throws FrameworkError `app.invalid_configuration` for another format, an incomplete history, and one of another function
 */
export function parseHistories(given: readonly unknown[], functionName: string | undefined): readonly ParsedHistory[] {
  const all = given.map((history, at) => parseHistory(history, `histories[${at}]`));
  const expected = functionName ?? all[0]?.functionName;
  all.forEach((history, at) => {
    if (history.functionName === expected) return;
    throw invalid(
      `histories[${at}]`,
      `${history.title} is of function "${history.functionName}", expected "${expected}"`,
    );
  });
  return all;
}

function parseHistory(given: unknown, place: string): ParsedHistory {
  const value = typeof given === 'string' ? fromJson(given) : given;
  if (!isObject(value) || value.format !== FORMAT) {
    throw invalid(place, 'must be a file of sallyport history export, as an object or as complete JSON text');
  }
  if (value.version !== VERSION) {
    throw invalid(place, `has format version ${JSON.stringify(value.version)}, expected ${VERSION}: export it again`);
  }
  const { events, count, functionName, functionVersion, execution, payloads, status } = value;
  if (!Array.isArray(events) || !events.every(isObject) || !isText(functionName) || !isText(execution)) {
    throw invalid(place, 'needs "functionName", "execution" and a list of "events"');
  }
  const gap = events.findIndex(({ EventId }, at) => EventId !== at + 1);
  if (gap !== -1 || events.length !== count) {
    const after = gap === -1 ? events.length : gap;
    throw invalid(
      place,
      `is incomplete: it has ${events.length} of ${String(count)} events, none follows number ${after}`,
    );
  }
  const [first] = events;
  const { Payload: input } = membersOf(membersOf(first?.ExecutionStartedDetails).Input);
  if (!isText(input)) throw invalid(place, 'events[0] must be ExecutionStarted with its input: export it with data');
  return {
    title: `execution "${execution}" of version ${String(functionVersion)}`,
    functionName,
    execution,
    input,
    startedAt: dateOf(first?.EventTimestamp, `${place}.events[0]`),
    succeeded: status === 'SUCCEEDED',
    isWhole: payloads === 'all',
    operations: operationsOf(events, place),
  };
}

/** The operations after the last event, in the order in which they started. */
function operationsOf(events: readonly Members[], place: string): readonly Operation[] {
  const operations = new Map<string, Operation>();
  events.forEach((event, at) => {
    const { EventType, Id } = event;
    const [kind, Type] = TYPES.find(([name]) => String(EventType).startsWith(name)) ?? [];
    if (kind === undefined || Type === undefined) return;
    const where = `${place}.events[${at}]`;
    if (!isText(Id)) throw invalid(where, 'needs the id of an operation');
    const before = operations.get(Id);
    const details = membersOf(event[`${String(EventType)}Details`]);
    const time = dateOf(event.EventTimestamp, where);
    if (String(EventType) === `${kind}Started`) {
      operations.set(Id, started(event, before, { Id, Type, time, details }));
      return;
    }
    const Status = ENDS[String(EventType).slice(kind.length)];
    if (!before || !Status) throw invalid(where, `"${String(EventType)}" ends an operation that has not started`);
    operations.set(Id, ended(before, Status, { time, details, where }));
  });
  return [...operations.values()];
}

function started(
  event: Members,
  before: Operation | undefined,
  { Id, Type, time, details }: { Id: string; Type: OperationType; time: Date; details: Members },
): Operation {
  const { Name, ParentId, SubType } = event;
  return {
    ...before,
    Id,
    Type,
    Status: 'STARTED',
    StartTimestamp: before?.StartTimestamp ?? time,
    ...(isText(Name) && { Name }),
    ...(isText(ParentId) && { ParentId }),
    ...(isText(SubType) && { SubType }),
    ...(Type === 'WAIT' && {
      WaitDetails: { ScheduledEndTimestamp: new Date(time.getTime() + Number(details.Duration ?? 1) * 1_000) },
    }),
    ...(Type === 'CALLBACK' && { CallbackDetails: { CallbackId: `${Id} of a history` } }),
  };
}

function ended(
  before: Operation,
  status: OperationStatus,
  { time, details, where }: { time: Date; details: Members; where: string },
): Operation {
  const [result, error] = [membersOf(details.Result), membersOf(details.Error)];
  if (result.Truncated === true || error.Truncated === true) {
    throw invalid(where, `the service cut the result of "${before.Name ?? before.Id}", so it cannot be replayed`);
  }
  const outcome = {
    ...(isText(result.Payload) && { Result: result.Payload }),
    ...(isObject(error.Payload) && { Error: error.Payload }),
  };
  const { CurrentAttempt, NextAttemptDelaySeconds } = membersOf(details.RetryDetails);
  const Attempt = Number(CurrentAttempt ?? 1);
  if (typeof NextAttemptDelaySeconds === 'number') {
    const NextAttemptTimestamp = new Date(time.getTime() + NextAttemptDelaySeconds * 1_000);
    return { ...before, Status: 'PENDING', StepDetails: { Attempt, NextAttemptTimestamp, ...outcome } };
  }
  const done = { ...before, Status: status, EndTimestamp: time };
  switch (before.Type) {
    case 'STEP':
      return { ...done, StepDetails: { Attempt, ...outcome } };
    case 'CALLBACK':
      return { ...done, CallbackDetails: { ...before.CallbackDetails, ...outcome } };
    case 'CHAINED_INVOKE':
      return { ...done, ChainedInvokeDetails: outcome };
    case 'CONTEXT':
      return { ...done, ContextDetails: outcome };
    default:
      return done;
  }
}

function dateOf(value: unknown, place: string): Date {
  const date = new Date(String(value));
  if (Number.isNaN(date.getTime())) throw invalid(place, 'needs the time of the event');
  return date;
}

function invalid(place: string, problem: string): FrameworkError {
  return new FrameworkError('app.invalid_configuration', `framework: option "histories": ${place} ${problem}`);
}
