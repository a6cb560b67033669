import { membersOf } from '@sallyport/core/internal';
import type { ReadHistory } from './read.js';
import { type Selection, Shapes, withoutAccount } from './shapes.js';

/** The file of `sallyport history export`: `explore` of `@sallyport/durable/testing` reads it. */
export interface ExportedHistory extends ReadHistory {
  readonly format: 'sallyport.history';
  readonly version: 1;
  readonly payloads: Selection['payloads'];
  /** Number of events, so that a truncated file is found. */
  readonly count: number;
}

/** Members that are never exported: capabilities, tenants, request ids and stacks. */
const DETAILS_KEPT = [
  'RetryDetails',
  'ExecutionTimeout',
  'Duration',
  'Timeout',
  'HeartbeatTimeout',
  'FunctionName',
  'StartTimestamp',
  'EndTimestamp',
];

/** A history without callback ids, request ids, account ids, secrets and, by default, without values. */
export function exportedHistory(history: ReadHistory, selection: Selection): ExportedHistory {
  const shapes = new Shapes(selection);
  const events = history.events.map((event) => {
    const { EventType, EventId, Id, Name, SubType, ParentId, EventTimestamp } = event;
    const details = membersOf(event[`${String(EventType)}Details`]);
    const kept = Object.fromEntries(DETAILS_KEPT.flatMap((name) => (name in details ? [[name, details[name]]] : [])));
    if (typeof kept.FunctionName === 'string') kept.FunctionName = withoutAccount(kept.FunctionName);
    const { Input, Result, Error: error } = details;
    return {
      EventType,
      EventId,
      EventTimestamp,
      Id,
      Name,
      SubType,
      ParentId,
      [`${String(EventType)}Details`]: {
        ...kept,
        ...(Input !== undefined && { Input: payloadOf(Input, (text) => shapes.input(text)) }),
        ...(Result !== undefined && { Result: payloadOf(Result, (text) => shapes.result(text, String(Name ?? ''))) }),
        ...(error !== undefined && { Error: errorOf(error, shapes) }),
      },
    };
  });
  const { functionName, functionVersion, execution, status } = history;
  const head = { functionName, functionVersion, execution, status };
  return {
    format: 'sallyport.history',
    version: 1,
    ...head,
    payloads: selection.payloads,
    count: events.length,
    events,
  };
}

function payloadOf(given: unknown, change: (text: string) => string): object {
  const { Payload, Truncated } = membersOf(given);
  return {
    ...(Truncated === true && { Truncated }),
    ...(typeof Payload === 'string' && Truncated !== true && { Payload: change(Payload) }),
  };
}

function errorOf(given: unknown, shapes: Shapes): object {
  const { Payload, Truncated } = membersOf(given);
  return {
    ...(Truncated === true && { Truncated }),
    ...(Payload != null && { Payload: shapes.error(membersOf(Payload)) }),
  };
}
