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
  readonly ErrorMessage?: string | undefined;
  readonly ErrorType?: string | undefined;
  readonly ErrorData?: string | undefined;
  readonly StackTrace?: string[] | undefined;
}

/** One operation of an execution. */
export interface Operation {
  readonly Id: string;
  readonly ParentId?: string | undefined;
  readonly Name?: string | undefined;
  readonly Type: OperationType;
  readonly SubType?: string | undefined;
  readonly StartTimestamp: Date;
  readonly EndTimestamp?: Date | undefined;
  readonly Status: OperationStatus;
  readonly ExecutionDetails?: { readonly InputPayload?: string | undefined } | undefined;
  readonly ContextDetails?:
    | {
        readonly ReplayChildren?: boolean | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  readonly StepDetails?:
    | {
        readonly Attempt?: number | undefined;
        readonly NextAttemptTimestamp?: Date | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  readonly WaitDetails?: { readonly ScheduledEndTimestamp?: Date | undefined } | undefined;
  readonly CallbackDetails?:
    | {
        readonly CallbackId?: string | undefined;
        readonly Result?: string | undefined;
        readonly Error?: ErrorObject | undefined;
      }
    | undefined;
  readonly ChainedInvokeDetails?:
    | { readonly Result?: string | undefined; readonly Error?: ErrorObject | undefined }
    | undefined;
}

/** One change of a checkpoint. */
export interface OperationUpdate {
  readonly Id: string | undefined;
  readonly ParentId?: string | undefined;
  readonly Name?: string | undefined;
  readonly Type: OperationType | undefined;
  readonly SubType?: string | undefined;
  readonly Action: OperationAction | undefined;
  readonly Payload?: string | undefined;
  readonly Error?: ErrorObject | undefined;
  readonly ContextOptions?: { readonly ReplayChildren?: boolean | undefined } | undefined;
  readonly StepOptions?: { readonly NextAttemptDelaySeconds?: number | undefined } | undefined;
  readonly WaitOptions?: { readonly WaitSeconds?: number | undefined } | undefined;
  readonly CallbackOptions?:
    | { readonly TimeoutSeconds?: number | undefined; readonly HeartbeatTimeoutSeconds?: number | undefined }
    | undefined;
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
  readonly DurableExecutionArn: string | undefined;
  readonly CheckpointToken: string | undefined;
  readonly Updates?: readonly OperationUpdate[] | undefined;
  readonly ClientToken?: string | undefined;
}

/** Output of `CheckpointDurableExecution`. */
export interface CheckpointResponse {
  CheckpointToken: string;
  NewExecutionState: { Operations: Operation[]; NextMarker?: string };
}

/** Input of `GetDurableExecutionState`. */
export interface StateRequest {
  readonly DurableExecutionArn: string | undefined;
  readonly CheckpointToken: string | undefined;
  readonly Marker?: string | undefined;
  readonly MaxItems?: number | undefined;
}

/** Output of `GetDurableExecutionState`. */
export interface StateResponse {
  Operations: Operation[];
  NextMarker?: string;
}

/** Event that the service sends to a durable function. Timestamps are ISO-8601 strings once it is JSON. */
export interface DurableEnvelope {
  readonly DurableExecutionArn: string;
  readonly CheckpointToken: string;
  readonly InitialExecutionState: { readonly Operations: readonly Operation[]; readonly NextMarker?: string };
  readonly UpdatedOperationIds?: readonly string[];
}

/** Answer of a durable function. */
export interface DurableAnswer {
  readonly Status: 'SUCCEEDED' | 'FAILED' | 'PENDING';
  readonly Result?: string | undefined;
  readonly Error?: ErrorObject | undefined;
}

/** An answer with dates as `restJson1` writes them: seconds since the epoch. */
export function toRestJson(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(toRestJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toRestJson(member)]));
}
