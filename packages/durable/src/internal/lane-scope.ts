import type { MaybePromise } from '@sallyport/core';
import type { ExecutionScope } from '@sallyport/core/internal';
import type { StepContext, StepOptions } from '../types.js';
import type { ExecutionRun } from './execution.js';
import type { HostContext } from './outside.js';
import type { Flow } from './parking.js';
import type { DurableContext, OperationInfo } from './sdk.js';
import type { Text } from './values.js';

/** Changes of operations by the additions of a handler. The flows of `map` have those of the handler. */
export interface Hooks {
  /**
   * Called before an operation that waits for something outside the process, and before a recorded step that is retried.
   *
   * @throws the reason for which the execution ends
   */
  enter?(lane: LaneScope, name: string, isStep: boolean): Promise<void>;
  /** Waits for something outside the process, when no other flow runs. */
  suspend?<T>(lane: LaneScope, name: string, wait: () => PromiseLike<T>, mayBeOver: boolean): Promise<T>;
  /** Runs the body of a step; its result is JSON text. */
  body?(lane: LaneScope, name: string, options: StepOptions, run: () => Promise<Text>): Promise<Text>;
  /** The largest result of a step in bytes. */
  maxBytes?: number;
  /** Returns the text to record instead of the result of a step. */
  keep?(lane: LaneScope, text: string): Promise<string>;
  /** The result of a step from its recorded text. */
  read?(lane: LaneScope, name: string, text: string): Promise<string>;
  /** Called while a failed step waits for its next attempt. Returns the reason for which it gets none. */
  endsRetry?(name: string): Promise<Error | undefined>;
}

/** A middleware of requests, or of records and events: its last argument is `next`. */
export type AnyMiddleware = (context: object, ...args: readonly unknown[]) => unknown;

/** The members of a flow that its operations use. */
export interface LaneScope extends ExecutionScope {
  /** The additions of the handler. */
  readonly hooks: Hooks;
  /** True while this flow repeats recorded work: lines, metrics and spans were written before. */
  readonly isSilent: boolean;
  /** Runs work once and records its result, which passes through JSON. A name that is used again is numbered. */
  record<T>(name: string, run: () => MaybePromise<T>): Promise<T>;
  /** Fields of every line: the execution, and the invocation. */
  readonly fields: Readonly<Record<string, string>>;
  /** Calls a middleware around a durable handler; its outcome counts once. */
  through(middleware: AnyMiddleware, context: object, args: readonly unknown[]): Promise<unknown>;
  /** Registers clean-up for an invocation that ends without an answer. */
  onSuspend(run: () => MaybePromise<void>): void;
  /** Makes this flow the scope of a context. */
  bind(context: object): void;
  readonly run: ExecutionRun;
  readonly context: DurableContext;
  readonly flow: Flow;
  readonly startedAt: Date;
  /** The members of the context that the flow belongs to. */
  readonly host: HostContext;
  /** Seconds that this flow has waited. */
  readonly passedSeconds: number;
  step<T>(name: string, run: (step: StepContext) => MaybePromise<T>, options?: StepOptions): Promise<T>;
  idempotencyKey(name: string): string;
  /** The recorded operation of a name, from an earlier invocation. */
  recorded(name: string): OperationInfo | undefined;
  /** Checks an operation before its position is fixed. */
  begin(name: string, operations: number): void;
  /** Reserves the name of an operation that belongs to another. */
  reserve(name: string): void;
  /** Notes that the flow has reached a recorded operation. */
  reach(name: string): void;
  /** Notes that the work of the flow has ended, even before some recorded operations: later lines are new. */
  endReplay(): void;
  /** The names of recorded operations, from earlier invocations. */
  readonly recordedNames: readonly string[];
  /** @throws DurableError `durable.held` */
  assertNothingHeld(place: string): void;
  /** Runs work whose position in the history is fixed now and may start its operations later. */
  later<T>(run: (inner: DurableContext) => Promise<T>, name: string): Promise<T>;
  /** Waits for something outside the process, when no other flow runs. */
  suspend<T>(name: string, wait: () => PromiseLike<T>, mayBeOver?: boolean): Promise<T>;
  /** Runs work in a flow with separate operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (lane: LaneScope) => MaybePromise<T>): Promise<T>;
  /** Runs work in a flow without a separate operation: its end is not recorded. */
  flat<T>(prefix: string, run: (lane: LaneScope) => MaybePromise<T>): Promise<T>;
}
