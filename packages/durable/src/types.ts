import type { Clock, Logger, MaybePromise, StandardSchema } from '@sallyport/core';

/** A value that JSON can write and read without a change. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

// biome-ignore lint/suspicious/noConfusingVoidType: a function without a result is accepted.
type Primitive = string | number | boolean | null | undefined | void;

/** Objects that `JSON.stringify` writes without their content, or that have no form at all. */
type NotJson =
  | bigint
  | symbol
  | ((...args: never[]) => unknown)
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | Promise<unknown>
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream
  | RegExp;

/**
 * `T` if JSON can write all of it, so interfaces are accepted; a member that JSON cannot write, such as a `Map`, a bigint or a function, has
 * the type `never`. `undefined` is accepted, also as the whole value.
 */
export type Storable<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends { toJSON(): unknown }
      ? T
      : T extends NotJson
        ? never
        : { [K in keyof T]: Storable<T[K]> };

/** The type of a value after JSON: a `Date` is a string. */
export type Stored<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends { toJSON(): infer R }
      ? R
      : { [K in keyof T]: Stored<T[K]> };

/** A length of time: the sum of its members. Whole seconds, 1 to 31,622,400 (366 days). */
export interface Duration {
  /** Days of 24 hours. */
  readonly days?: number;
  /** Hours. */
  readonly hours?: number;
  /** Minutes. */
  readonly minutes?: number;
  /** Seconds. */
  readonly seconds?: number;
}

/** The attempts of a failing step, and their delays. */
export interface Retry {
  /** The maximum number of attempts: 1 to 10. */
  readonly attempts: number;
  /** Whole seconds before the second attempt. */
  readonly delaySeconds: number;
  /** The factor from one delay to the next. Default 2. */
  readonly rate?: number;
  /** The longest delay in seconds. Default 60. */
  readonly maxDelaySeconds?: number;
  /** True to shorten each delay by a random part, so that many executions do not retry at the same moment. Default true. */
  readonly jitter?: boolean;
  /** Returns true if an error is worth another attempt. Default: every error is. */
  when?(error: unknown): boolean;
}

/** The argument of a step's function: the real clock and real ids, which only a step may use. */
export interface StepContext {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborts when the invocation reaches its deadline, or the step its `timeout`. */
  readonly signal: AbortSignal;
  /** Writes lines of this attempt. */
  readonly log: Logger;
  /** Equal for every attempt, and for every delivery of the same event: the key of an effect in another system. */
  readonly idempotencyKey: string;
  /** The current time. */
  now(): Date;
  /** A new random id. */
  newId(): string;
}

/** Options of `step`. */
export interface StepOptions {
  /** Default: one attempt. */
  readonly retry?: Retry;
  /**
   * `atLeastOnce` (default): if the process is killed between the effect and its record, the step runs again. `atMostOnce`: it never runs
   * twice, and an interrupted step rejects with `durable.step_interrupted`.
   */
  readonly effect?: 'atLeastOnce' | 'atMostOnce';
  /** The longest time of one attempt. After it, `signal` aborts and the attempt fails with `durable.timeout`. */
  readonly timeout?: Duration;
  /** A value that the step depends on. Its digest is recorded, and a different value at a replay rejects with `durable.diverged`. */
  readonly input?: unknown;
}

/** Options of `callback`. */
export interface CallbackOptions {
  /** Sends the id of the callback to the system that will answer. The id is a capability: do not log it. */
  submit(id: string, step: StepContext): MaybePromise<void>;
  /** The time after which the callback rejects with `durable.callback_timeout`. Either this or `timeoutSeconds` is required. */
  readonly timeout?: Duration;
  /** The same time in whole seconds, 1 to 31,622,400. */
  readonly timeoutSeconds?: number;
  /** The longest time between two heartbeats of the other system. Whole seconds. */
  readonly heartbeatSeconds?: number;
}

/** Options of `map`. */
export interface MapOptions {
  /** The number of items that are processed at the same time. Default 10. */
  readonly concurrency?: number;
}

/** The durable execution that a handler runs in. */
export interface Execution {
  /** The ARN of the execution. */
  readonly arn: string;
  /** The name of the execution, which is the idempotency key of its start. */
  readonly name: string;
  /** The time at which the execution started. */
  readonly startedAt: Date;
}

/** The members that `durable` adds to the context of a handler. */
export interface Durable {
  /** `null` outside a durable execution. */
  readonly execution: Execution | null;
  /**
   * Runs a function once and records its result: after a replay, the recorded result is returned. Values pass through JSON.
   *
   * @param name 1 to 128 printable ASCII characters, unique among the operations of this record, request or item
   */
  step<T>(
    name: string,
    run: (step: StepContext) => MaybePromise<T & Storable<T>>,
    options?: StepOptions,
  ): Promise<Stored<T>>;
  /** Suspends the execution. A suspended execution costs nothing. */
  wait(name: string, duration: Duration): Promise<void>;
  /** Suspends the execution until another system completes the callback, and checks the value with the schema. */
  callback<T>(name: string, schema: StandardSchema<T>, options: CallbackOptions): Promise<T>;
  /**
   * Processes items side by side. Each item has its own operations, in the context that its function receives. Waits for all items, then
   * rejects with the failure of the lowest index.
   */
  map<I, T>(
    name: string,
    items: readonly I[],
    run: (item: I, ctx: Durable, index: number) => Promise<T & Storable<T>>,
    options?: MapOptions,
  ): Promise<Stored<T>[]>;
}

/** Options of `durable`. */
export interface DurableOptions {
  /** Outside an execution, waits of at most this length are slept, within the deadline. Default: they reject with `durable.not_durable`. */
  readonly sleepUpTo?: Duration;
  /** The clock of timers outside an execution. Default: the system's clock. */
  readonly clock?: Clock;
  /**
   * `inline`: the execution of the batch waits for this record; `handoff`: each record starts a separate execution, and the batch is answered
   * immediately. Requests are always served inline. Default: `handoff` on Lambda for standard queues, topics, event buses, S3 and alarms, else `inline`.
   */
  readonly delivery?: 'inline' | 'handoff';
  /** Additions from other entries, such as `ends` of `@sallyport/durable/ends`. Default: none. */
  readonly use?: readonly DurablePart[];
}

/** An addition to a durable handler, for its option `use`. */
export interface DurablePart {
  /** Prepares the addition for one run of the handler, before the handler runs. */
  attach(flow: never): MaybePromise<void>;
}

/** The caller of an execution, as the history has it: never a token. */
export interface RecordedCaller {
  /** The name of the caller, never blank. */
  readonly identity: string;
  /** The scopes that the resolver returned. */
  readonly scopes: readonly string[];
  /** `internal` for a caller inside the organization. */
  readonly kind: 'external' | 'internal';
  /** The tenant; `''` if absent. */
  readonly tenantId: string;
  /** The claims that the option `claims` names. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An operation of a failed execution, without its value. */
export interface FailedOperation {
  /** `STEP`, `WAIT`, `CALLBACK` or `CONTEXT`. */
  readonly type: string;
  /** The name of the operation. */
  readonly name: string;
  /** `SUCCEEDED`, `FAILED`, `STARTED`, `PENDING` and the other states of the service. */
  readonly status: string;
  /** The time of its start. */
  readonly startedAt?: Date;
  /** The time of its end. */
  readonly endedAt?: Date;
  /** The number of attempts of a step. */
  readonly attempt?: number;
  /** The message of its error, without secrets. */
  readonly error?: string;
}

/** A failed execution, as `onFailure` receives it. */
export interface FailedExecution {
  /** The ARN of the execution. */
  readonly arn: string;
  /** The name of the execution. */
  readonly name: string;
  /** The time of its start. */
  readonly startedAt: Date;
  /** Its error, as the service stores it: the type is the code of a `FrameworkError`. */
  readonly error: { readonly type: string; readonly message: string };
  /** The last 20 operations. */
  readonly tail: readonly FailedOperation[];
}

/** Starts an execution. If one has this name, nothing happens, or the call rejects with `durable.execution_conflict`. */
export type StartRecord = (input: {
  readonly functionArn: string;
  readonly name: string;
  readonly event: unknown;
}) => Promise<unknown>;

/** The two calls of the SDK to the service: a `DurableExecutionClient` of `@aws/durable-execution-sdk-js`. */
export interface ExecutionClient {
  /** Reads a further page of the history. */
  getExecutionState(request: never, logger?: never): Promise<object>;
  /** Records operations. */
  checkpoint(request: never, logger?: never): Promise<object>;
}
