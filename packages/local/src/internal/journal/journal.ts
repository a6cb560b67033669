import type { Difference } from '@sallyport/testkit/events';
import type { Origin } from '../runtime/invoker.js';
import type { TracedSpan } from '../traces/traced-span.js';
import type { Failure } from './failure-record.js';

/** A line that the function wrote. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `trace` to `fatal`; `stdout` and `stderr` for output that was not written with `console`. */
  readonly level: string;
  readonly text: string;
}

/** A part of an invocation's time. Times are milliseconds since the epoch. */
export interface SpanRecord {
  readonly name: string;
  /** `init`, `invoke`, `request`, `event` or `aws`. */
  readonly kind: 'init' | 'invoke' | 'request' | 'event' | 'aws';
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** A code; `null` for success. */
  readonly error: string | null;
}

/** A call to the AWS port during an invocation. */
export interface AwsCall {
  readonly at: number;
  readonly ms: number;
  /** `sqs`. */
  readonly service: string;
  /** `SendMessage`. */
  readonly operation: string;
  /** The queue, table or bucket; `''` if the call has no resource. */
  readonly resource: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** AWS's error code; `null` for success. */
  readonly error: string | null;
  /** The members of JSON or of a form, else method and path; a string if the input is longer than 16 KiB. */
  readonly input: unknown;
  /** The members of JSON, else the text or the number of bytes. */
  readonly output: unknown;
}

/** The result of the secure app's access check. */
export interface GateDecision {
  /** `GET /notes/{id}`. */
  readonly record: string;
  /** `authenticated`. */
  readonly posture: string;
  /** Scopes that the posture requires. */
  readonly required: readonly string[];
  /** `allowed`, `unauthenticated`, `forbidden` or `failed`. */
  readonly outcome: string;
  /** `user`, `service` and so on; `null` for an anonymous caller. */
  readonly principalKind: string | null;
  readonly scopes: readonly string[];
}

/** A state change of one record of a source after a response. */
export interface StateChange {
  readonly at: number;
  /** `queue orders`. */
  readonly source: string;
  readonly recordId: string;
  readonly state: string;
  readonly deliveries: number;
  /** The time at which it can be delivered again, milliseconds since the epoch; `null` in other states. */
  readonly until: number | null;
}

/** The response that the client of a door received. */
export interface ClientView {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Sanitized text; for other bytes their count. */
  readonly body: string;
  readonly streamed: boolean;
  /** True if the connection was closed before the end of the response. */
  readonly cut: boolean;
}

/** One invocation. All strings are sanitized, unless the run has `--reveal`. */
export interface InvocationRecord {
  /** 1, 2, 3 … in a run. */
  readonly id: number;
  readonly requestId: string;
  /** `1-…`, the root of its trace. */
  readonly traceId: string;
  /** The span or segment that the trace header names as the cause; `''` if absent. */
  readonly parentSpan: string;
  readonly origin: Origin;
  /** The invocation whose AWS call caused the event; `null` if absent. */
  readonly causedBy: number | null;
  /** The detected kind of the event; `null` if unknown. */
  readonly kind: string | null;
  readonly startedAt: number;
  /** Duration of the invocation without its init, in milliseconds; `null` while it runs. */
  readonly ms: number | null;
  readonly status: 'waiting' | 'running' | 'ok' | 'failed';
  /** `201`, `ok`, `1 of 2 failed`, `Sandbox.Timedout`. */
  readonly summary: string;
  /** The environment, and how it was started: `cold`, `warm`, `warm start` (from the standby). */
  readonly environment: {
    readonly id: string;
    readonly start: 'cold' | 'warm' | 'warm start';
    readonly initMs: number;
  } | null;
  readonly event: unknown;
  /** `undefined` before the response, and if it was streamed. */
  readonly answer: unknown;
  readonly error: {
    readonly errorType: string;
    readonly errorMessage: string;
    readonly trace?: readonly string[];
  } | null;
  /** The error that the handler threw, and its causes; empty if it did not throw. */
  readonly thrown: readonly { readonly type: string; readonly message: string; readonly trace: readonly string[] }[];
  /** The failures of the invocation; empty after a success. */
  readonly failures: readonly Failure[];
  /** `null` if no HTTP, WebSocket or GraphQL client waits for a response. */
  readonly client: ClientView | null;
  /** `explain` of the event with the function's own table; `null` for a handler that is not a Sallyport handler. */
  readonly explain: unknown;
  readonly gate: readonly GateDecision[];
  readonly spans: readonly SpanRecord[];
  /** The spans that a tracer of the function exported, in the order of their ends. */
  readonly traced: readonly TracedSpan[];
  readonly logs: readonly LogLine[];
  /** Number of lines that were dropped because of the limit. */
  readonly logsDropped: number;
  readonly awsCalls: readonly AwsCall[];
  readonly changes: readonly StateChange[];
  /** Resources that the handler did not close, for example `Timeout`. */
  readonly leftovers: readonly string[];
  /** Results that would differ on AWS, and the next step of AWS after a failure. */
  readonly differences: readonly Difference[];
  readonly maxMemoryMb: number | null;
}

/** The newest invocations of a run, in order and in memory: at most 1,000, or 64 MiB. The console keeps more, in files. */
export interface Journal {
  /** Adds the record of a new invocation. */
  open(first: OpenRecord): number;
  /** Changes members of a record. Lists are extended with `append`. Unknown ids are ignored: the record may have been removed. */
  update(id: number, members: Partial<RecordMembers>): void;
  /** Adds an entry to one list of a record. */
  append<L extends keyof RecordLists>(id: number, list: L, entry: RecordLists[L]): void;
  /** Sanitized records, newest last. For many records this is slow. */
  list(): readonly InvocationRecord[];
  /** The sanitized record. */
  get(id: number): InvocationRecord | undefined;
  /** The unsanitized record, for the thread that sanitizes it. */
  raw(id: number): RawRecord | undefined;
  /** The unsanitized event, for a replay; it leaves the process only to be sent to the function. */
  rawEvent(id: number): unknown;
  /** The numbers of the kept records, oldest first. */
  ids(): readonly number[];
  /** The number of an invocation by its request id. */
  idOf(requestId: string): number | undefined;
  /** The invocation that made a call, by the `Parent` of its `X-Amzn-Trace-Id`. For a root without a parent, the newest of that trace. */
  idByTrace(header: string): number | undefined;
  /** Adds an entry without an invocation: messages, builds, changes of sources and state. */
  note(entry: JournalNote): void;
  notes(): readonly JournalNote[];
  /** Calls the listener for each change, immediately. The listener must not throw. @returns a function that ends the subscription */
  subscribe(listener: (change: JournalChange) => void): () => void;
}

export interface OpenRecord {
  readonly requestId: string;
  /** The root of its trace. */
  readonly traceId: string;
  /** The segment of this invocation: the `Parent` that its calls send. */
  readonly segment: string;
  /** The segment of the call that caused the event; `undefined` if absent. */
  readonly parent?: string | undefined;
  readonly origin: Origin;
  readonly event: unknown;
}

/** The lists of a record and their entries. */
export interface RecordLists {
  gate: GateDecision;
  spans: SpanRecord;
  traced: TracedSpan;
  logs: LogLine;
  awsCalls: AwsCall;
  changes: StateChange;
  leftovers: string;
  differences: Difference;
}

/** The members of a record that are not lists. Values are replaced, never changed. */
export type RecordMembers = Omit<InvocationRecord, keyof RecordLists | 'failures'>;

/** A record as the function and its callers filled it: not sanitized, and without its failures. */
export type RawRecord = { -readonly [M in keyof RecordMembers]: RecordMembers[M] } & {
  readonly [L in keyof RecordLists]: RecordLists[L][];
};

/** A change outside the invocations. `topic` names the part that the console must read again. */
export interface JournalNote {
  readonly at: number;
  readonly topic: 'notice' | 'build' | 'sources' | 'state' | 'inspection' | 'environments' | 'executions';
  readonly text: string;
}

export type JournalChange =
  | { readonly type: 'record'; readonly id: number }
  | { readonly type: 'note'; readonly note: JournalNote };
