import type { Origin } from '../runtime/invoker.js';

/** One line that the function wrote. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `trace` to `fatal`; `stdout` and `stderr` for what did not go through `console`. */
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

/** One call of the AWS port that an invocation made. */
export interface AwsCall {
  readonly at: number;
  readonly ms: number;
  /** `sqs`. */
  readonly service: string;
  /** `SendMessage`. */
  readonly operation: string;
  /** The queue, table or bucket; `''` for none. */
  readonly resource: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** AWS's error code; `null` for success. */
  readonly error: string | null;
}

/** What the gate of the closed container decided. */
export interface GateDecision {
  /** `GET /notes/{id}`. */
  readonly record: string;
  /** `authenticated`. */
  readonly posture: string;
  /** Scopes that the posture asks for. */
  readonly required: readonly string[];
  /** `allowed`, `unauthenticated`, `forbidden` or `failed`. */
  readonly outcome: string;
  /** `user`, `service` and so on; `null` for nobody. */
  readonly principalKind: string | null;
  readonly scopes: readonly string[];
}

/** The fate of one record of a source: what AWS did with it after an answer. */
export interface StateChange {
  readonly at: number;
  /** `queue orders`. */
  readonly source: string;
  readonly recordId: string;
  readonly state: string;
  readonly deliveries: number;
  /** When it can be delivered again, milliseconds since the epoch; `null` in other states. */
  readonly until: number | null;
}

/** The answer as the client of a door saw it. */
export interface ClientView {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Sanitized text; bytes that are no text are told by their count. */
  readonly body: string;
  readonly streamed: boolean;
  /** True if the connection was broken off. */
  readonly cut: boolean;
}

/** One invocation. Everything in it went through the sanitizer, unless the run has `--reveal`. */
export interface InvocationRecord {
  /** 1, 2, 3 … in a run. */
  readonly id: number;
  readonly requestId: string;
  /** `1-…`, the root of its trace. */
  readonly traceId: string;
  readonly origin: Origin;
  /** The invocation whose AWS call made the event; `null` for none. */
  readonly causedBy: number | null;
  /** The kind that detection names; `null` for none. */
  readonly kind: string | null;
  readonly startedAt: number;
  /** Milliseconds that the function ran, without its init; `null` while it runs. */
  readonly ms: number | null;
  readonly status: 'waiting' | 'running' | 'ok' | 'failed';
  /** `201`, `ok`, `1 of 2 failed`, `Sandbox.Timedout`. */
  readonly summary: string;
  /** Which environment ran it and how it came to be: `cold`, `warm`, `warm start` (from the standby). */
  readonly environment: {
    readonly id: string;
    readonly start: 'cold' | 'warm' | 'warm start';
    readonly initMs: number;
  } | null;
  readonly event: unknown;
  /** `undefined` without an answer, or when it was streamed. */
  readonly answer: unknown;
  readonly error: {
    readonly errorType: string;
    readonly errorMessage: string;
    readonly trace?: readonly string[];
  } | null;
  /** `null` for what no HTTP door, socket or GraphQL client waits for. */
  readonly client: ClientView | null;
  /** `explain` of the event by the function's own table; `null` for a handler that is not ours. */
  readonly explain: unknown;
  readonly gate: readonly GateDecision[];
  readonly spans: readonly SpanRecord[];
  readonly logs: readonly LogLine[];
  /** Lines that were dropped because there were too many. */
  readonly logsDropped: number;
  readonly awsCalls: readonly AwsCall[];
  readonly changes: readonly StateChange[];
  /** What the handler left running: `Timeout`. */
  readonly leftovers: readonly string[];
  readonly maxMemoryMb: number | null;
}

/** What happened in a run, in order; at most 1,000 invocations or 64 MiB are kept. */
export interface Journal {
  /** The first entry of a new invocation. The raw event stays in memory for `rawEvent`, and nowhere else. */
  open(first: OpenRecord): number;
  /** Changes members of a record. Lists are appended by `append`. Unknown ids are ignored: the record may be gone. */
  update(id: number, members: Partial<Omit<InvocationRecord, 'id' | keyof RecordLists>>): void;
  /** Adds to one list of a record. */
  append<L extends keyof RecordLists>(id: number, list: L, entry: RecordLists[L]): void;
  /** Newest last. */
  list(): readonly InvocationRecord[];
  get(id: number): InvocationRecord | undefined;
  /** The event as it was sent, for a replay; never leaves the process but to the function. */
  rawEvent(id: number): unknown;
  /** The answer as the function gave it, to compare a replay with. */
  rawAnswer(id: number): unknown;
  /** The number of an invocation by its request id. */
  idOf(requestId: string): number | undefined;
  /** The record that made a call: by the `Parent` of its `X-Amzn-Trace-Id`. Also takes a root, and gives the newest of that trace. */
  byTrace(header: string): InvocationRecord | undefined;
  byRequest(requestId: string): InvocationRecord | undefined;
  /** Entries that belong to no invocation: notices, builds, changes of sources and state. */
  note(entry: JournalNote): void;
  notes(): readonly JournalNote[];
  /** Called for each change. Must not throw. @returns the end of the subscription */
  subscribe(listener: (change: JournalChange) => void): () => void;
}

export interface OpenRecord {
  readonly requestId: string;
  /** The root of its trace. */
  readonly traceId: string;
  /** Its own segment: the `Parent` that its calls send. */
  readonly segment: string;
  /** The segment of the call that made the event; absent for none. */
  readonly parent?: string | undefined;
  readonly origin: Origin;
  readonly event: unknown;
}

/** The lists of a record and what they hold. */
export interface RecordLists {
  gate: GateDecision;
  spans: SpanRecord;
  logs: LogLine;
  awsCalls: AwsCall;
  changes: StateChange;
  leftovers: string;
}

/** Something next to the invocations. `topic` says what the console reads anew. */
export interface JournalNote {
  readonly at: number;
  readonly topic: 'notice' | 'build' | 'sources' | 'state' | 'inspection' | 'environments';
  readonly text: string;
}

export type JournalChange =
  | { readonly type: 'record'; readonly record: InvocationRecord }
  | { readonly type: 'note'; readonly note: JournalNote };
