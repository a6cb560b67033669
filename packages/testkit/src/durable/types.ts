import type { FullClock, IdGenerator } from '@sallyport/core';
import type { Outcome } from '../engines/engine.js';
import type { HistoryRequest, HistoryResponse } from './history-wire.js';
import type { DurableStore } from './store.js';
import type {
  CheckpointRequest,
  CheckpointResponse,
  DurableEnvelope,
  ErrorObject,
  ExecutionStatus,
  Operation,
  StateRequest,
  StateResponse,
} from './wire.js';

/** One invocation of a durable function. */
export interface DurableInvocation {
  /** The execution. */
  readonly arn: string;
  /** The function's ARN that was passed to `start`. */
  readonly functionArn: string;
  /** 1 for the first invocation of the execution. */
  readonly invocation: number;
  /** The event that the function receives. */
  readonly event: DurableEnvelope;
}

/** The outcome of an invocation, and its request id for the history. Default: a number. */
export type DurableOutcome = Outcome & { readonly requestId?: string };

/** One invocation of another function, which an execution waits for. */
export interface ChainedInvocation {
  /** The execution that waits. */
  readonly arn: string;
  /** Its operation. */
  readonly operationId: string;
  /** Name or ARN of the other function. */
  readonly functionName: string;
  /** JSON text; `undefined` if the function sent none. */
  readonly payload: string | undefined;
}

/** Options of {@link createDurableEngine}. */
export interface DurableEngineOptions {
  /** The clock that waits are measured with: a manual one in tests, a real one in a development server. */
  readonly clock: FullClock;
  /** Invokes the function. A rejection counts as an error of the function, and so does a time-out. */
  readonly invoke: (invocation: DurableInvocation) => Promise<DurableOutcome>;
  /** Storage. Default: memory. */
  readonly store?: DurableStore;
  /** Source of tokens, callback ids and names of executions. Default: random UUIDs. */
  readonly ids?: IdGenerator;
  /** Number of operations in an envelope and in a page. Default: 1,000. */
  readonly pageSize?: number;
  /** Invokes another function for the operation `CHAINED_INVOKE`; `answer` is JSON text. Default: every such operation fails. */
  readonly chain?: (invocation: ChainedInvocation) => Promise<Outcome>;
  /** Called after each change of an execution, with its ARN. Must not throw. Default: none. */
  readonly onChange?: (arn: string) => void;
}

/** Input of `start`. */
export interface StartExecution {
  /** The function's ARN, with or without a qualifier. */
  readonly functionArn: string;
  /** 1 to 64 characters of `[A-Za-z0-9_-]`. Default: a new id. */
  readonly name?: string;
  /** The event as JSON text. */
  readonly payload: string;
  /** True if a caller waits for the result. Default: false. */
  readonly synchronous?: boolean;
  /** Seconds until the execution times out: 1 to 31,622,400. Default: 900. */
  readonly timeoutSeconds?: number;
  /** Operations that the execution has from its start, such as the operations of an earlier one. Default: none. */
  readonly recorded?: readonly Operation[];
}

/** An execution, as `GetDurableExecution` and `ListDurableExecutionsByFunction` describe it. */
export interface ExecutionSummary {
  /** ARN of the execution. */
  readonly arn: string;
  /** Name of the execution. */
  readonly name: string;
  /** The function's ARN that was passed to `start`. */
  readonly functionArn: string;
  /** The published version, or `$LATEST`. */
  readonly version: string;
  /** Current state. */
  readonly status: ExecutionStatus;
  /** Time of the start. */
  readonly startedAt: Date;
  /** Time of the end. */
  readonly endedAt?: Date;
  /** Seconds until the execution times out. */
  readonly timeoutSeconds: number;
  /** The input as JSON text. */
  readonly payload: string;
  /** The result as JSON text. */
  readonly result?: string;
  /** Error of a failed execution. */
  readonly error?: ErrorObject;
  /** Number of invocations so far. */
  readonly invocations: number;
}

/** Something that an execution waits for. */
export interface PendingWait {
  /** The execution. */
  readonly arn: string;
  /** `wait`: a wait; `retry`: the next attempt of a step; `callback`: an answer from outside; `invocation`: a retry after a failed invocation. */
  readonly kind: 'wait' | 'retry' | 'callback' | 'invocation';
  /** Id of the operation; absent for `invocation`. */
  readonly operationId?: string;
  /** Name of the operation. */
  readonly name?: string;
  /** The time at which it ends; absent for a callback without a time-out. */
  readonly until?: Date;
}

/** A local execution service: it keeps operations, invokes the function again when a wait ends, and accepts callbacks. */
export interface DurableEngine {
  /**
   * Starts an execution and invokes the function.
   *
   * @returns `existing` if an execution of the function has this name and this payload
   * @throws ServiceError `DurableExecutionAlreadyStartedException` for the same name with another payload,
   *   `InvalidParameterValueException` for a bad name, `RequestTooLargeException` for a payload above 6 MB, or 1 MB if no caller waits
   */
  start(request: StartExecution): { readonly arn: string; readonly outcome: 'started' | 'existing' };
  /** Resolves with the execution when it has ended. */
  ended(arn: string): Promise<ExecutionSummary>;
  /**
   * Applies a checkpoint, completely or not at all. Together with `getExecutionState` this is the SDK's own transport.
   *
   * @throws ServiceError `InvalidParameterValueException` for a token that is not the newest, an update that its operation does not
   *   accept, and values above the limits
   */
  checkpoint(request: CheckpointRequest): Promise<CheckpointResponse>;
  /** Returns a page of operations. @throws ServiceError `InvalidParameterValueException` */
  getExecutionState(request: StateRequest): Promise<StateResponse>;
  /** Returns a page of events. @throws ServiceError `ResourceNotFoundException`, `InvalidParameterValueException` */
  getExecutionHistory(request: HistoryRequest): Promise<HistoryResponse>;
  /**
   * Completes a callback with JSON text, or without a value if absent or empty.
   *
   * @throws ServiceError `CallbackTimeoutException` if it has ended, `ResourceNotFoundException` if its execution does not exist,
   *   `InvalidParameterValueException` for an invalid callback id or a value above 256 KiB
   */
  succeedCallback(callbackId: string, result?: string): void;
  /** Fails a callback. @throws as `succeedCallback` */
  failCallback(callbackId: string, error?: ErrorObject): void;
  /** Restarts the heartbeat of a callback. @throws as `succeedCallback` */
  heartbeat(callbackId: string): void;
  /** Stops an execution that is open, and returns the time of its end. @throws ServiceError `ResourceNotFoundException` */
  stop(arn: string, error?: ErrorObject): Date;
  /** Describes an execution. @throws ServiceError `ResourceNotFoundException` */
  describe(arn: string): ExecutionSummary;
  /** All operations of an execution, in the order in which they started. @throws ServiceError `ResourceNotFoundException` */
  operations(arn: string): readonly Operation[];
  /** All executions, in the order in which they started. */
  list(): readonly ExecutionSummary[];
  /** Waits, retries, callbacks and invocations that open executions wait for. */
  pending(): readonly PendingWait[];
  /** Ends the matching waits now; a callback times out. Default: every wait and retry, but no callback. */
  skip(matches?: (wait: PendingWait) => boolean): void;
  /** Invokes the functions of all open executions that the store had, after a restart. */
  resume(): void;
  /** Resolves when no invocation runs. */
  settle(): Promise<void>;
  /** Stops waits. Running invocations continue, and their answers are ignored. */
  close(): void;
}
