// Shapes of `GetDurableExecutionHistory`, as `@aws-sdk/client-lambda` types them. Declared here, so that no client is needed.
// https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecutionHistory.html
import type { ErrorObject } from './wire.js';

/** Kind of an event. https://docs.aws.amazon.com/lambda/latest/api/API_Event.html */
export type HistoryEventType =
  | `Execution${'Started' | 'Succeeded' | 'Failed' | 'TimedOut' | 'Stopped'}`
  | `Context${'Started' | 'Succeeded' | 'Failed'}`
  | `Step${'Started' | 'Succeeded' | 'Failed'}`
  | `Wait${'Started' | 'Succeeded' | 'Cancelled'}`
  | `Callback${'Started' | 'Succeeded' | 'Failed' | 'TimedOut'}`
  | `ChainedInvoke${'Started' | 'Succeeded' | 'Failed' | 'TimedOut' | 'Stopped'}`
  | 'InvocationCompleted';

/** An input or a result. */
export interface EventPayload {
  /** JSON text; absent without `IncludeExecutionData`. */
  readonly Payload?: string | undefined;
  /** True if the service cut the text. */
  readonly Truncated?: boolean | undefined;
}

/** An error. */
export interface EventError {
  /** The error; absent without `IncludeExecutionData`. */
  readonly Payload?: ErrorObject | undefined;
  /** True if the service cut the error. */
  readonly Truncated?: boolean | undefined;
}

/** The attempts of a step. */
export interface RetryDetails {
  /** 1 for the first attempt. */
  readonly CurrentAttempt?: number | undefined;
  /** Seconds until the next attempt; absent after the last attempt. */
  readonly NextAttemptDelaySeconds?: number | undefined;
}

/** Members of the details of all events. Each event has those of its kind. */
export interface EventDetails {
  /** The input of an execution. */
  readonly Input?: EventPayload | undefined;
  /** The result of an operation or of the execution. */
  readonly Result?: EventPayload | undefined;
  /** The error of a failed operation or execution. */
  readonly Error?: EventError | undefined;
  /** The attempts of a step. */
  readonly RetryDetails?: RetryDetails | undefined;
  /** Seconds until the execution times out. */
  readonly ExecutionTimeout?: number | undefined;
  /** Seconds of a wait. */
  readonly Duration?: number | undefined;
  /** The end of a wait. */
  readonly ScheduledEndTimestamp?: Date | undefined;
  /** The id with which another system answers a callback. */
  readonly CallbackId?: string | undefined;
  /** Seconds until a callback times out. */
  readonly Timeout?: number | undefined;
  /** Seconds until a callback without heartbeat times out. */
  readonly HeartbeatTimeout?: number | undefined;
  /** The function that an operation invokes. */
  readonly FunctionName?: string | undefined;
  /** The start of an invocation. */
  readonly StartTimestamp?: Date | undefined;
  /** The end of an invocation. */
  readonly EndTimestamp?: Date | undefined;
  /** The id of the request of an invocation. */
  readonly RequestId?: string | undefined;
}

/** One event of a history. Its details are in the member that has the name of its type, such as `StepSucceededDetails`. */
export type HistoryEvent = {
  /** Kind of the event. */
  readonly EventType: HistoryEventType;
  /** Number of the event, from 1. */
  readonly EventId: number;
  /** Time of the event. */
  readonly EventTimestamp: Date;
  /** Id of the operation; of the execution for its own events. */
  readonly Id?: string | undefined;
  /** Name of the operation, or of the execution. */
  readonly Name?: string | undefined;
  /** The SDK's own kind. */
  readonly SubType?: string | undefined;
  /** Id of the context around the operation. */
  readonly ParentId?: string | undefined;
} & { readonly [D in `${HistoryEventType}Details`]?: EventDetails | undefined };

/** Input of `GetDurableExecutionHistory`. */
export interface HistoryRequest {
  /** The execution. */
  readonly DurableExecutionArn: string | undefined;
  /** False to leave out inputs, results and errors. Default: true. */
  readonly IncludeExecutionData?: boolean | undefined;
  /** Largest number of events, 0 to 1,000. Default, and the meaning of 0: 100. */
  readonly MaxItems?: number | undefined;
  /** Start of the page, from the page before. */
  readonly Marker?: string | undefined;
  /** True for the newest event first. */
  readonly ReverseOrder?: boolean | undefined;
}

/** Output of `GetDurableExecutionHistory`. */
export interface HistoryResponse {
  /** The events of the page. */
  Events: HistoryEvent[];
  /** Start of the next page; absent for the last. */
  NextMarker?: string;
}
