import type { MaybePromise } from '@sallyport/core';
import type { ExecutionScope } from '@sallyport/core/internal';
import type { StepContext, StepOptions } from '../types.js';
import type { ExecutionRun } from './execution.js';
import type { HostContext } from './outside.js';
import type { Flow } from './parking.js';
import type { DurableContext, OperationInfo } from './sdk.js';

/** The members of a flow that its operations use. */
export interface LaneScope extends ExecutionScope {
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
  /** @throws DurableError `durable.held` */
  assertNothingHeld(place: string): void;
  /** Runs work whose position in the history is fixed now and may start its operations later. */
  later<T>(run: (inner: DurableContext) => Promise<T>, name: string): Promise<T>;
  /** Runs work in a flow with separate operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (lane: LaneScope) => MaybePromise<T>): Promise<T>;
  /** Runs work in a flow without a separate operation: its end is not recorded. */
  flat<T>(prefix: string, run: (lane: LaneScope) => MaybePromise<T>): Promise<T>;
}
