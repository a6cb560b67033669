import type { Explanation } from '@sallyport/dispatch';

// What the page of the console and its host exchange: plain JSON, and nothing else.

/** How an invocation ended, or that it runs. */
export type InvocationOutcome =
  | 'running'
  | 'ok'
  /** A batch of which some records are reported as failed. */
  | 'partial'
  /** An HTTP status of 400 or more, a GraphQL error, a refused connection: the function answered, and said no. */
  | 'refused'
  /** The function threw, ended, ran out of time or memory, or did not start. */
  | 'failed';

/** One line of the list of invocations. */
export interface InvocationRow {
  /** `1`, `2`, …: in the order in which they began. */
  readonly id: string;
  /** When it began, ISO 8601. */
  readonly at: string;
  /** The kind of its trigger, `queue`; `''` when no row of the detection table matched. */
  readonly trigger: string;
  /** What it was for: `POST /orders`, `orders (2)`. */
  readonly target: string;
  /** The subject of the caller; `''` for none. */
  readonly as: string;
  readonly outcome: InvocationOutcome;
  /** The outcome in a word: `201`, `ok`, `1 of 2 failed`, `Runtime.ExitError`; `''` while it runs. */
  readonly label: string;
  /** How long it ran, in milliseconds; absent while it runs. */
  readonly ms?: number;
  /** Id of the invocation that caused it. */
  readonly causedBy?: string;
}

/** One line that the function wrote. */
export interface LogEntry {
  /** Milliseconds after the beginning of the invocation. */
  readonly atMs: number;
  /** `DEBUG`, `INFO`, `WARN`, `ERROR`; `''` for other output. */
  readonly level: string;
  readonly text: string;
}

/** A part of an invocation on its time line: its init, a span of the framework, a call of AWS. */
export interface SpanEntry {
  readonly kind: 'init' | 'handler' | 'span' | 'aws';
  readonly name: string;
  /** Milliseconds after the beginning of the invocation; an init is before it. */
  readonly startMs: number;
  readonly ms: number;
  readonly failed: boolean;
}

/** What the gate decided. */
export interface GateEntry {
  /** The posture as it was stated: `Authenticated('notes:read')`. */
  readonly posture: string;
  readonly outcome: 'allowed' | 'denied';
  /** Why it was denied; `''` if it was not. */
  readonly reason: string;
  /** The principal's kind; `''` for none. */
  readonly principal: string;
  readonly scopes: readonly string[];
}

/** The answer as the client of a door saw it. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, bytes in base64. */
  readonly body: string;
  readonly isBase64: boolean;
  /** When each chunk of a streamed answer came, in milliseconds after the request. */
  readonly chunksMs?: readonly number[];
}

/** An error of an invocation. */
export interface FailureEntry {
  readonly type: string;
  readonly message: string;
  readonly trace: readonly string[];
}

/** What AWS does next with a record of an invocation. */
export interface NextStep {
  /** The source, by its name, and the record in it. */
  readonly source: string;
  readonly record: string;
  /** `back`: it is delivered again at `at`. `dead-letter`, `done`, …: it has left the source. */
  readonly does: 'back' | 'done' | 'dead-letter' | 'discarded' | 'expired';
  /** When it comes back, in milliseconds since the epoch. */
  readonly at?: number;
  /** The number of the next delivery, and of how many. */
  readonly delivery?: number;
  readonly of?: number;
}

/** An invocation with all that is known of it. */
export interface InvocationDetail extends InvocationRow {
  readonly event: unknown;
  /** What the function answered; absent while it runs and when it failed. */
  readonly answer?: unknown;
  readonly failure?: FailureEntry;
  readonly client?: ClientAnswer;
  readonly explain?: Explanation;
  readonly gate?: GateEntry;
  /** `cold`: the environment was started for it. `standby`: one that had loaded the dependencies. `warm`: it ran before. */
  readonly start: 'cold' | 'standby' | 'warm';
  readonly spans: readonly SpanEntry[];
  readonly logs: readonly LogEntry[];
  /** Most memory that the environment used, and its limit, in MB. */
  readonly memory?: { readonly usedMb: number; readonly limitMb: number };
  /** What was left behind when it ended: `Timeout`. */
  readonly left: readonly string[];
  /** Ids of the invocations that it caused. */
  readonly caused: readonly string[];
  readonly next: readonly NextStep[];
  /** Values that were too large to be kept: `event`, `answer`, `logs`. */
  readonly cut: readonly string[];
}

/** Where a build is. */
export interface BuildView {
  readonly state: 'building' | 'built' | 'broken';
  /** When it came to this state, ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** Of a broken build: the text with file, line and column. */
  readonly error?: string;
}

/** A door for clients. */
export interface DoorView {
  /** `gateway-v2`, `gateway-v1`, `load-balancer`, `function-url`, `websocket`, `appsync`, `aws`. */
  readonly kind: string;
  /** `HTTP API`. */
  readonly name: string;
  readonly url: string;
}

/** A route or another trigger that the service registered. */
export interface TriggerView {
  /** `http`, `websocket`, `appsync`, `queue`, `table-stream`, `stream`, `topic`, `event-bus`, `mcp`, …. */
  readonly kind: string;
  /** `POST /orders`, `Query.note`, `orders`. */
  readonly target: string;
  /** The posture, as stated; `''` in an open container. */
  readonly posture: string;
  /** The name of its handler; `''` if it has none. */
  readonly handler: string;
  /** Lines to use it: `curl`, SDK. */
  readonly use: readonly { readonly label: string; readonly text: string }[];
  /** A handler whose source does not exist here, or a source that no handler takes; `''` if all is well. */
  readonly problem: string;
}

/** All that the page shows above its views and in `triggers`. */
export interface Overview {
  readonly service: string;
  readonly build: BuildView;
  /** The Node version of the function. */
  readonly node: string;
  readonly speed: number;
  /** Whether texts are kept as they are (`--reveal`). */
  readonly reveal: boolean;
  readonly doors: readonly DoorView[];
  readonly triggers: readonly TriggerView[];
  /** Path of each MCP server. */
  readonly mcp: readonly string[];
  /** What of the state is off, and why; `''` if all is on. */
  readonly state: string;
}

/** A record of a source. */
export interface SourceRecord {
  readonly id: string;
  /** Message group or shard; `''` where there is none. */
  readonly lane: string;
  readonly state: 'waiting' | 'delayed' | 'in-flight';
  readonly deliveries: number;
  /** When it can be delivered again, in milliseconds since the epoch. */
  readonly backAt?: number;
}

/** A record that was given up. */
export interface DeadRecord {
  readonly id: string;
  /** When, ISO 8601. */
  readonly at: string;
  readonly deliveries: number;
  /** The invocation that saw it last. */
  readonly invocation?: string;
}

/** A queue, a stream, or the queue of asynchronous invocations. */
export interface SourceView {
  readonly name: string;
  /** The kind of its trigger. */
  readonly kind: string;
  readonly isFifo: boolean;
  /** Deliveries after which a record is given up. */
  readonly maxDeliveries: number;
  readonly records: readonly SourceRecord[];
  /** The dead-letter queue or failure destination; absent without one. */
  readonly dead?: { readonly name: string; readonly records: readonly DeadRecord[] };
  readonly ended: { readonly done: number; readonly dead: number };
}

/** Who sends. */
export interface Caller {
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly tenant: string;
  readonly kind: string;
}

/** What the view `send` sends. */
export interface SendRequest {
  /** The kind of a form of the test kit (`queue`, `gateway-v2`), or `event`. */
  readonly kind: string;
  /** The values of the form, by the names of its fields; of `event` the event itself under `event`. */
  readonly form: Readonly<Record<string, unknown>>;
  /** Nobody, or somebody. */
  readonly as: Caller | null;
  /** How the function is invoked: by the service, directly, or by an agent. */
  readonly caller: 'service' | 'direct' | 'agent';
}

/** What a request of `send` would be. */
export interface Preview {
  readonly event: unknown;
  readonly explain: Explanation;
}

/** What a request of `send` became. */
export interface Sent {
  /** The invocations that it caused so far. */
  readonly invocations: readonly string[];
  /** The answer of the door, for requests of clients. */
  readonly client?: ClientAnswer;
  /** Ids of the records that were put into a source. */
  readonly records: readonly string[];
}

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'json' | 'number' | 'choice';
  readonly choices?: readonly string[];
  readonly value: string;
  readonly required: boolean;
  readonly hint?: string;
}

/** A form of the view `send`. */
export interface Form {
  readonly kind: string;
  readonly label: string;
  readonly fields: readonly FormField[];
}

/** A table. */
export interface TableView {
  readonly name: string;
  readonly keys: readonly string[];
  readonly items: number;
}

/** Items of a table. */
export interface ItemsView {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Where the next page begins; absent on the last. */
  readonly next?: string;
}

/** A bucket with its objects. */
export interface BucketView {
  readonly name: string;
  readonly objects: readonly { readonly key: string; readonly bytes: number; readonly at: string }[];
}

/** A saved recording. */
export interface RecordingView {
  readonly name: string;
  readonly kind: string;
  readonly at: string;
  /** How many values were replaced. */
  readonly redactions: number;
}

/** What a replay gave, beside what it gave before. */
export interface ReplayView {
  readonly invocation: string;
  /** Paths at which the answers differ; empty if they do not. */
  readonly differences: readonly { readonly path: string; readonly before: unknown; readonly now: unknown }[];
  /** Whether there was an answer to compare with. */
  readonly compared: boolean;
}

/** Something that happened, for the page that listens. */
export type ConsoleEvent =
  | { readonly type: 'overview'; readonly overview: Overview }
  | { readonly type: 'invocation'; readonly row: InvocationRow }
  | { readonly type: 'sources'; readonly sources: readonly SourceView[] }
  | { readonly type: 'dropped'; readonly ids: readonly string[] };
