import type { ContractView } from '../contract/entry.js';
import type { RouteView, TriggerView } from '../inspect/inspection.js';
import type { HiddenPlace } from '../journal/hidden.js';
import type { InvocationRecord, JournalNote } from '../journal/journal.js';
import type { Difference } from '../recordings/compare.js';
import type { CodeState, EnvironmentView, InvokeOutcome } from '../runtime/invoker.js';
import type { SendRequest, SendResult } from '../send/send.js';
import type { SourceAction, SourceView } from '../sources/sources.js';
import type { TraceView } from '../traces/trace-view.js';

/**
 * The HTTP API of the console, called by its page and by the commands of a running `dev`. JSON in and out, `authorization: Bearer
 * <token>` with each call. Errors are `{ "error": { "code", "message" } }` with status
 * 400, 401, 403, 404, 413, 421, 500 or 502.
 */
export interface ConsoleApi {
  'GET /api/state': { readonly answer: RunState };
  /**
   * Newline-delimited JSON, one `ConsoleEvent` per line. Headers are flushed immediately. Begins with the newest `?last=` records, or with
   * the records that changed after the cursor `?since=`.
   */
  'GET /api/events': { readonly answer: ConsoleEvent };
  /** The newest 1,000 invocations, oldest first; with `?from=&to=` or `?ids=` the invocations with these numbers. */
  'GET /api/invocations': { readonly answer: readonly InvocationRow[] };
  /** Ids of the invocations that match `?filter=`, newest first; `from` is the lowest id. */
  'GET /api/search': { readonly answer: readonly number[] };
  'GET /api/invocations/{id}': { readonly answer: InvocationRecord };
  /** The items that the calls of an invocation wrote, in the order of the calls. */
  'GET /api/invocations/{id}/writes': { readonly answer: readonly WriteView[] };
  /** The places of an invocation in memory whose values are not shown. */
  'GET /api/invocations/{id}/hidden': { readonly answer: readonly HiddenPlace[] };
  /** The value of one hidden place. */
  'POST /api/reveal': { readonly body: RevealRequest; readonly answer: { readonly value: string } };
  /** The items of a table of DynamoDB when an invocation began. */
  'GET /api/past/{table}/{id}': { readonly answer: PastTable };
  /** The invocations and spans of a trace, by its id in either form. */
  'GET /api/traces/{id}': { readonly answer: TraceView };
  'GET /api/inventory': { readonly answer: Inventory };
  'GET /api/openapi': { readonly answer: unknown };
  /** The contract of the functions that have started. */
  'GET /api/contract': { readonly answer: ContractView };
  'GET /api/forms': { readonly answer: readonly SendForm[] };
  'POST /api/send': { readonly body: SendRequest; readonly answer: SendResult };
  /** The event that a request of `send` would produce, without sending it. */
  'POST /api/preview': {
    readonly body: SendRequest;
    readonly answer: { readonly event: unknown; readonly explain: unknown };
  };
  'POST /api/explain': {
    readonly body: { readonly event: unknown; readonly context?: object };
    readonly answer: unknown;
  };
  'POST /api/replay': { readonly body: ReplayRequest; readonly answer: ReplayResult };
  'GET /api/sources': { readonly answer: readonly SourceView[] };
  'POST /api/sources': { readonly body: SourceActionRequest; readonly answer: readonly SourceView[] };
  'POST /api/speed': { readonly body: { readonly speed: number }; readonly answer: { readonly speed: number } };
  /** The executions of a durable function, failed ones first; empty if it is not durable. */
  'GET /api/executions': { readonly answer: readonly ExecutionRow[] };
  'GET /api/executions/{arn}': { readonly answer: ExecutionView };
  'POST /api/executions': { readonly body: ExecutionAction; readonly answer: { readonly arn: string } };
  'GET /api/data': { readonly answer: readonly ServiceData[] };
  'GET /api/data/{service}/{name}': { readonly answer: ShownItems };
  /** The value of one hidden place of an item. */
  'POST /api/reveal-item': { readonly body: RevealItemRequest; readonly answer: { readonly value: string } };
  /** The value of one hidden place of an earlier item. */
  'POST /api/reveal-earlier': { readonly body: RevealEarlierRequest; readonly answer: { readonly value: string } };
  'POST /api/token': { readonly body: TokenRequest; readonly answer: { readonly token: string } };
  'GET /api/recordings': { readonly answer: readonly RecordingView[] };
  'GET /api/recordings/{file}': { readonly answer: SavedRecording };
  'POST /api/recordings': {
    readonly body: { readonly id: number; readonly as: 'recording' | 'fixture' };
    readonly answer: { readonly file: string };
  };
  /** Writes a test that sends the event of an invocation into the test folder of the project; `file` is relative to the project. */
  'POST /api/tests': { readonly body: { readonly id: number }; readonly answer: { readonly file: string } };
  /** Opens a file of the project in the editor of the run. */
  'POST /api/open': { readonly body: OpenRequest; readonly answer: { readonly editor: string } };
  /** The differences between the invocations `before` and `now` of the query. Ids and times do not count. */
  'GET /api/compare': { readonly answer: readonly Difference[] };
  'GET /api/env': { readonly answer: Readonly<Record<string, string>> };
  'POST /api/reset': { readonly answer: { readonly ok: true } };
}

/** An execution in the list. Times are milliseconds since the epoch. */
export interface ExecutionRow {
  readonly arn: string;
  readonly name: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly invocations: number;
  /** The name of the wait, step or callback that it waits for; `null` if it does not wait. */
  readonly waitsFor: string | null;
  readonly error: string | null;
}

/** One operation of an execution. */
export interface OperationView {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  /** `step`, `wait`, `callback`, `context`. */
  readonly kind: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly attempt: number | null;
  /** True while the execution waits for the operation. */
  readonly waits: boolean;
  /** The end of the wait; `null` if it has no end. */
  readonly until: number | null;
  readonly result: unknown;
  readonly error: string | null;
}

/** An execution with its operations. Callback ids are not in it: they are capabilities. */
export interface ExecutionView extends ExecutionRow {
  /** The event of the trigger. */
  readonly event: unknown;
  readonly result: unknown;
  readonly operations: readonly OperationView[];
  /** The invocations of this run, oldest first. */
  readonly invocationIds: readonly number[];
}

/** An action on an execution. */
export interface ExecutionAction {
  readonly arn: string;
  /**
   * `skip` ends waits, `kill` kills the process at the next checkpoint, `restart` starts a new execution with the event and, with an operation, the recorded operations before it, `complete` and `fail` answer a
   * callback.
   */
  readonly action: 'skip' | 'stop' | 'kill' | 'restart' | 'complete' | 'fail';
  /** The id of the operation: required for callbacks; for `skip` all waits if absent, for `restart` from the start if absent. */
  readonly operation?: string;
  /** The value of a callback, or the reason of its failure. */
  readonly value?: unknown;
}

/** A hidden place of an invocation. */
export interface RevealRequest {
  readonly id: number;
  readonly path: readonly string[];
}

/** A hidden place of an item of a table. */
export interface RevealItemRequest {
  readonly service: string;
  readonly name: string;
  /** The start of the item's page; absent for the first page. */
  readonly start?: string;
  /** The place of the item in its page. */
  readonly index: number;
  /** The item as the page shows it: another item at this place is not revealed. */
  readonly shown: unknown;
  readonly path: readonly string[];
}

/** A hidden place of an item before or after a write, or of a table at the time of an invocation. */
export interface RevealEarlierRequest {
  readonly id: number;
  /** The table at the beginning of the invocation; absent for a write of the invocation. */
  readonly table?: string;
  /** The place of the item in the table, or of the write in the list of writes. */
  readonly index: number;
  /** The item as the page shows it; for a write `{ before, after }`. */
  readonly shown: unknown;
  readonly path: readonly string[];
}

/** A place in a file of the project. */
export interface OpenRequest {
  /** Relative to the project, as in the frames of a failure. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface RunState {
  readonly name: string;
  readonly folder: string;
  readonly code: CodeState;
  readonly environments: readonly EnvironmentView[];
  /** Door → address. A door that is not open is absent. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly speed: number;
  readonly reveal: boolean;
  /** The editor that opens files; `null` if it is unknown: the page then has links for VS Code. */
  readonly editor: string | null;
  /** `on`, or the reason why DynamoDB is off. */
  readonly state: string;
  readonly notes: readonly JournalNote[];
}

/** A record without its large members, for the list and for each change in the stream. */
export type InvocationRow = Omit<
  InvocationRecord,
  'event' | 'answer' | 'client' | 'explain' | 'thrown' | 'spans' | 'traced' | 'logs' | 'awsCalls'
>;

export type ConsoleEvent =
  | { readonly type: 'record'; readonly record: InvocationRow }
  | { readonly type: 'note'; readonly note: JournalNote }
  /** The end of a batch of changes. */
  | ({ readonly type: 'at' } & Position)
  /** All records that the page does not have were sent. */
  | ({ readonly type: 'ready' } & Position);

/** The state of the history after an event. */
export interface Position {
  /** For `since` of the next stream. */
  readonly cursor: string;
  /** The lowest number of a kept invocation. */
  readonly oldest: number;
  /** The highest number; 0 if there is no invocation. */
  readonly last: number;
}

export interface Inventory {
  readonly isOurs: boolean;
  readonly streaming: boolean;
  readonly routes: readonly RouteView[];
  readonly triggers: readonly TriggerView[];
  readonly mcp: readonly string[];
}

/** The form of one kind of `send`, from the options of its builder. */
export interface SendForm {
  readonly kind: string;
  /** `HTTP request`. */
  readonly label: string;
  /** The meaning of `target`, for example `method and path`; `''` if the kind has no target. */
  readonly target: string;
  /** Targets that the function registered. */
  readonly targets: readonly string[];
  /** Aliases that the function registered for this kind; absent if no alias selects its handler. */
  readonly aliases?: readonly string[];
  readonly fields: readonly SendField[];
  /** Samples of fields by target, made of the schemas of the service; text as the user would enter it. */
  readonly samples?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** One option of a builder. */
export interface SendField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'boolean' | 'json' | 'list' | 'map';
  readonly required: boolean;
  /** A short description of the expected value. */
  readonly wanted: string;
  /** The value before the first input, as the user would enter it. Default: none. */
  readonly sample?: string;
}

export interface ReplayRequest {
  /** Exactly one of: a record of this run, a saved recording by its file, or a recording. */
  readonly id?: number;
  readonly file?: string;
  readonly recording?: unknown;
}

export interface ReplayResult {
  readonly outcome: InvokeOutcome;
  /** Members that differ from the first response; empty if equal, `null` without a first response. */
  readonly differences: readonly string[] | null;
}

export interface SourceActionRequest {
  readonly kind: string;
  readonly name: string;
  readonly action: SourceAction;
  readonly recordId?: string;
  /** The function whose record it is, in a run of several functions. */
  readonly function?: string;
}

/** The data of one service. */
export interface ServiceData {
  /** `dynamodb`. */
  readonly service: string;
  /** `Tables`. */
  readonly title: string;
  /** One of them: `Table`. */
  readonly one: string;
  /** The members of an item that are columns; empty if items are shown as JSON. */
  readonly columns: readonly string[];
  readonly stores: readonly StoreView[];
}

/** One table or bucket. */
export interface StoreView {
  readonly name: string;
  /** A short description, for example the names of its keys; `''` for none. */
  readonly about: string;
  /** The number of its items. */
  readonly count: number;
}

export interface StoreItems {
  readonly items: readonly unknown[];
  /** For the next page; `null` after the last one. */
  readonly next: string | null;
}

/** A page of items in the form that is shown. */
export interface ShownItems extends StoreItems {
  /** The hidden places of each item. */
  readonly hidden: readonly (readonly HiddenPlace[])[];
}

/** One item that a call of an invocation wrote. */
export interface WriteView {
  /** The index of its call in `awsCalls`. */
  readonly call: number;
  readonly table: string;
  readonly key: unknown;
  /** False if the item is the same after the call. */
  readonly isChanged: boolean;
  /** `null` if the item did not exist. */
  readonly before: unknown;
  /** `null` if the item was deleted. */
  readonly after: unknown;
  /** The hidden places of `{ before, after }`. */
  readonly hidden: readonly HiddenPlace[];
}

/** A table at the time of an invocation. */
export interface PastTable {
  readonly items: readonly {
    readonly item: unknown;
    /** True if the item was changed or deleted since. */
    readonly isChanged: boolean;
    readonly hidden: readonly HiddenPlace[];
  }[];
  /** The number of items that were created since. */
  readonly created: number;
  /** True if the table has more items than are read. */
  readonly isPartial: boolean;
}

export interface TokenRequest {
  readonly sub: string;
  readonly scopes?: readonly string[];
  readonly tenant?: string;
  readonly kind?: string;
}

/** The contents of a recording's file. */
export interface SavedRecording {
  /** As `loadRecording` of the test kit reads it. */
  readonly recording: unknown;
  /** The function's recorded response, sanitized; absent if the function failed or streamed. */
  readonly answer?: unknown;
}

export interface RecordingView {
  readonly file: string;
  readonly kind: string;
  readonly recordedAt: string;
}
