// Shapes of the durable execution API, as `@aws-sdk/client-lambda` types them. Declared here, so that no client is needed.
// https://docs.aws.amazon.com/lambda/latest/api/API_CheckpointDurableExecution.html

/** Kind of an operation. */
export type OperationType = 'EXECUTION' | 'CONTEXT' | 'STEP' | 'WAIT' | 'CALLBACK' | 'CHAINED_INVOKE';

/** Change that an update makes. */
export type OperationAction = 'START' | 'SUCCEED' | 'FAIL' | 'RETRY' | 'CANCEL';

/** State of an operation. */
export type OperationStatus =
  | 'STARTED'
  | 'PENDING'
  | 'READY'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'TIMED_OUT'
  | 'STOPPED';

/** State of an execution. */
export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'STOPPED';

/** An error as the service stores it. */
export interface ErrorObject {
  /** The message. */
  readonly ErrorMessage?: string | undefined;
  /** Name of the error. */
  readonly ErrorType?: string | undefined;
  /** Data for programs. */
  readonly ErrorData?: string | undefined;
  /** Lines of the stack. */
  readonly StackTrace?: string[] | undefined;
}

/** One operation of an execution. */
export interface Operation {
  /** Id, unique in the execution. */
  readonly Id: string;
  /** Id of the context around the operation. */
  readonly ParentId?: string | undefined;
  /** Name that the code gave it. */
  readonly Name?: string | undefined;
  /** Kind of the operation. */
  readonly Type: OperationType;
  /** The SDK's own kind. */
  readonly SubType?: string | undefined;
  /** Time of the start. */
  readonly StartTimestamp: Date;
  /** Time of the end. */
  readonly EndTimestamp?: Date | undefined;
  /** Current state. */
  readonly Status: OperationStatus;
  /** Input of the execution; only for its own operation. */
  readonly ExecutionDetails?: { readonly InputPayload?: string | undefined } | undefined;
  /** Outcome of a child context. */
  readonly ContextDetails?:
    | {
        readonly ReplayChildren?: boolean | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  /** Attempts and outcome of a step. */
  readonly StepDetails?:
    | {
        readonly Attempt?: number | undefined;
        readonly NextAttemptTimestamp?: Date | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  /** End of a wait. */
  readonly WaitDetails?: { readonly ScheduledEndTimestamp?: Date | undefined } | undefined;
  /** Id and outcome of a callback. */
  readonly CallbackDetails?:
    | {
        readonly CallbackId?: string | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  /** Outcome of an invocation of another function. */
  readonly ChainedInvokeDetails?:
    | { readonly Result?: string | undefined; readonly Error?: ErrorObject | undefined }
    | undefined;
}

/** One change of a checkpoint. */
export interface OperationUpdate {
  /** Id of the operation. */
  readonly Id: string | undefined;
  /** Id of the context around the operation. */
  readonly ParentId?: string | undefined;
  /** Name that the code gave it. */
  readonly Name?: string | undefined;
  /** Kind of the operation. */
  readonly Type: OperationType | undefined;
  /** The SDK's own kind. */
  readonly SubType?: string | undefined;
  /** The change. */
  readonly Action: OperationAction | undefined;
  /** Result as JSON text, for `SUCCEED`; input for `CHAINED_INVOKE`. */
  readonly Payload?: string | undefined;
  /** Error, for `FAIL` and `RETRY`. */
  readonly Error?: ErrorObject | undefined;
  /** Options of a child context. */
  readonly ContextOptions?: { readonly ReplayChildren?: boolean | undefined } | undefined;
  /** Options of a step. */
  readonly StepOptions?: { readonly NextAttemptDelaySeconds?: number | undefined } | undefined;
  /** Options of a wait. */
  readonly WaitOptions?: { readonly WaitSeconds?: number | undefined } | undefined;
  /** Options of a callback. */
  readonly CallbackOptions?:
    | { readonly TimeoutSeconds?: number | undefined; readonly HeartbeatTimeoutSeconds?: number | undefined }
    | undefined;
  /** Options of an invocation of another function. */
  readonly ChainedInvokeOptions?:
    | {
        readonly FunctionName: string | undefined;
        readonly TenantId?: string | undefined;
        readonly XAmznTraceId?: string | undefined;
      }
    | undefined;
}

/** Input of `CheckpointDurableExecution`. */
export interface CheckpointRequest {
  /** The execution. */
  readonly DurableExecutionArn: string | undefined;
  /** The newest token of the invocation. */
  readonly CheckpointToken: string | undefined;
  /** Changes, applied completely or not at all. */
  readonly Updates?: readonly OperationUpdate[] | undefined;
  /** Id of the request, for a client that repeats it. */
  readonly ClientToken?: string | undefined;
}

/** Output of `CheckpointDurableExecution`. */
export interface CheckpointResponse {
  /** Token of the next checkpoint. */
  CheckpointToken: string;
  /** Operations that changed. */
  NewExecutionState: { Operations: Operation[]; NextMarker?: string };
}

/** Input of `GetDurableExecutionState`. */
export interface StateRequest {
  /** The execution. */
  readonly DurableExecutionArn: string | undefined;
  /** The newest token of the invocation. */
  readonly CheckpointToken: string | undefined;
  /** Start of the page, from the page before. */
  readonly Marker?: string | undefined;
  /** Largest number of operations. */
  readonly MaxItems?: number | undefined;
}

/** Output of `GetDurableExecutionState`. */
export interface StateResponse {
  /** The operations of the page. */
  Operations: Operation[];
  /** Start of the next page; absent for the last. */
  NextMarker?: string;
}

/** Event that the service sends to a durable function. Timestamps are ISO-8601 strings once it is JSON. */
export interface DurableEnvelope {
  /** The execution. */
  readonly DurableExecutionArn: string;
  /** Token of the first checkpoint. */
  readonly CheckpointToken: string;
  /** First page of the operations. */
  readonly InitialExecutionState: { readonly Operations: readonly Operation[]; readonly NextMarker?: string };
  /** Operations that changed between invocations. */
  readonly UpdatedOperationIds?: readonly string[];
}

/** Answer of a durable function. */
export interface DurableAnswer {
  /** End of the execution, or `PENDING` for a suspension. */
  readonly Status: 'SUCCEEDED' | 'FAILED' | 'PENDING';
  /** Result as JSON text. */
  readonly Result?: string | undefined;
  /** Error of a failed execution. */
  readonly Error?: ErrorObject | undefined;
}

/** An answer with dates as `restJson1` writes them: seconds since the epoch. */
export function toRestJson(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(toRestJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toRestJson(member)]));
}
