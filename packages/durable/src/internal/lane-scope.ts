import type { MaybePromise } from '@sallyport/core';
import type { ExecutionScope } from '@sallyport/core/internal';
import type { ExecutionRun } from './execution.js';
import type { HostContext } from './outside.js';
import type { Flow } from './parking.js';
import type { DurableContext, OperationInfo } from './sdk.js';

/** The members of a flow that its operations use. */
export interface LaneScope extends ExecutionScope {
  /** True while this flow repeats recorded work: lines, metrics and spans were written before. */
  readonly isSilent: boolean;
  /** Runs work once and records its result, which passes through JSON. A name that is used again is numbered. */
  record<T>(name: string, run: () => MaybePromise<T>): Promise<T>;
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
  idempotencyKey(name: string): string;
  /** The recorded operation of a name, from an earlier invocation. */
  recorded(name: string): OperationInfo | undefined;
  /** Checks an operation before its position is fixed. */
  begin(name: string, operations: number): void;
  /** Reserves the name of an operation that belongs to another. */
  reserve(name: string): void;
  /** Notes that the flow has reached a recorded operation. */
  reach(name: string): void;
  /** @throws DurableError `durable.held` */
  assertNothingHeld(place: string): void;
  /** Runs work whose position in the history is fixed now and may start its operations later. */
  later<T>(run: (inner: DurableContext) => Promise<T>, name: string): Promise<T>;
  /** Runs work in a flow with separate operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (lane: LaneScope) => MaybePromise<T>): Promise<T>;
}
