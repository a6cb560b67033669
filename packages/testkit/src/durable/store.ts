import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson, isObject, sha256Url } from '@sallyport/core/internal';
import type { ErrorObject, ExecutionStatus, Operation } from './wire.js';

/** Members of an execution besides its operations. Times are milliseconds since the epoch. */
export interface ExecutionRecord {
  /** ARN of the execution. */
  readonly arn: string;
  /** Name of the execution. */
  readonly name: string;
  /** The function's ARN that was passed to `start`. */
  readonly functionArn: string;
  /** The published version, or `$LATEST`. */
  readonly version: string;
  /** The input as JSON text. */
  readonly payload: string;
  /** True if a caller waits for the result, which can then have 6 MB. */
  readonly synchronous: boolean;
  /** Time of the start. */
  readonly startedAt: number;
  /** Seconds until the execution times out. */
  readonly timeoutSeconds: number;
  /** Current state. */
  readonly status: ExecutionStatus;
  /** Time of the end. */
  readonly endedAt?: number;
  /** The result as JSON text. */
  readonly result?: string;
  /** Error of a failed execution. */
  readonly error?: ErrorObject;
  /** Number of invocations. */
  readonly invocations: number;
  /** True while an invocation runs. */
  readonly running: boolean;
  /** Consecutive invocations that ended with an error. */
  readonly failures: number;
  /** Token of the next checkpoint; empty between invocations. */
  readonly token: string;
  /** Operations that changed outside the function, and that it has not received yet. */
  readonly changed: readonly string[];
  /** Bytes of payloads and errors that were written. */
  readonly writtenBytes: number;
  /** The last invocation that ended. */
  readonly invoked?: { readonly requestId?: string; readonly error?: ErrorObject };
  /** The last checkpoint, for a client that repeats its request. */
  readonly last?: { readonly clientToken: string; readonly token: string; readonly operations: readonly string[] };
}

/** Deadlines of a callback, in milliseconds since the epoch. */
export interface CallbackDeadlines {
  /** End of the time-out. */
  readonly timeoutAt?: number;
  /** End of the heartbeat time-out. */
  readonly heartbeatAt?: number;
  /** Seconds between heartbeats. */
  readonly heartbeatSeconds?: number;
}

/** A change of one execution. Members and operations replace the stored values. */
export interface JournalEntry {
  /** Members that changed. */
  readonly record?: Partial<ExecutionRecord>;
  /** Operations that changed. */
  readonly operations?: readonly Operation[];
  /** Deadlines of callbacks, by the id of the operation. */
  readonly deadlines?: Readonly<Record<string, CallbackDeadlines>>;
  /** Invocations of other functions that started, by the id of the operation. */
  readonly chained?: Readonly<Record<string, { readonly functionName: string; readonly payload?: string }>>;
  /** Time of the change in milliseconds since the epoch; absent in journals of earlier versions. */
  readonly at?: number;
}

/** Storage of executions: a journal for each. An entry is stored when `append` returns. */
export interface DurableStore {
  /** Reads all journals. */
  load(): readonly (readonly JournalEntry[])[];
  /** Adds an entry to the journal of an execution. */
  append(arn: string, entry: JournalEntry): void;
  /** Removes the journal of an execution. */
  remove(arn: string): void;
}

/** Creates a store in the memory of the process. */
export function createMemoryStore(): DurableStore {
  const journals = new Map<string, JournalEntry[]>();
  return {
    load: () => [...journals.values()].map((entries) => [...entries]),
    append(arn, entry) {
      const journal = journals.get(arn);
      if (journal) journal.push(entry);
      else journals.set(arn, [entry]);
    },
    remove: (arn) => {
      journals.delete(arn);
    },
  };
}

/**
 * Creates a store in a folder, with a journal of JSON lines for each execution. It survives a kill of the process: a line that was not
 * written completely is removed when the journal is read.
 *
 * @param folder an absolute path; it is created if it does not exist
 * @throws Error for a journal with a line that is not JSON, except for the last
 */
export function createFileStore(folder: string): DurableStore {
  mkdirSync(folder, { recursive: true });
  const fileOf = (arn: string) => join(folder, `${sha256Url(arn)}.jsonl`);
  return {
    load: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .map((name) => readJournal(join(folder, name)))
        .filter((entries) => entries.length > 0),
    append: (arn, entry) => appendFileSync(fileOf(arn), `${JSON.stringify(entry)}\n`),
    remove: (arn) => rmSync(fileOf(arn), { force: true }),
  };
}

function readJournal(file: string): JournalEntry[] {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line, at) => {
    const entry = fromJson(line);
    if (!isObject(entry)) throw new Error(`framework: line ${at + 1} of the journal ${file} is not a JSON object`);
    return revive(entry as JournalEntry);
  });
}

const toDate = (value: Date | undefined) => (value === undefined ? undefined : new Date(value));

/** Dates are strings in a journal. */
function revive(entry: JournalEntry): JournalEntry {
  if (!entry.operations) return entry;
  return { ...entry, operations: entry.operations.map(reviveOperation) };
}

function reviveOperation(operation: Operation): Operation {
  const { EndTimestamp, StepDetails, WaitDetails } = operation;
  const next = toDate(StepDetails?.NextAttemptTimestamp);
  const end = toDate(EndTimestamp);
  return {
    ...operation,
    StartTimestamp: new Date(operation.StartTimestamp),
    ...(end && { EndTimestamp: end }),
    ...(StepDetails && next && { StepDetails: { ...StepDetails, NextAttemptTimestamp: next } }),
    ...(WaitDetails && { WaitDetails: { ScheduledEndTimestamp: toDate(WaitDetails.ScheduledEndTimestamp) } }),
  };
}
