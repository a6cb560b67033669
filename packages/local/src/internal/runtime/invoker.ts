/** The sender of an event: a door, a source, or the developer. */
export interface Origin {
  /** `gateway-v2`, `queue`, `schedule`, `send`, `replay`, `invoke` and so on. */
  readonly kind: string;
  /** `POST /orders`, the name of the queue, `Query.note`, and so on. */
  readonly target: string;
  /** The user in the `as` picker; `undefined` for an anonymous caller. */
  readonly as?: string;
  /** The function, in a run of several functions. */
  readonly function?: string;
  /** The invoked alias; absent for the default of the run. */
  readonly alias?: string;
  /** Ids of the records of a source, in the order of the event. */
  readonly recordIds?: readonly string[];
  /** The name of the execution of a durable function. */
  readonly execution?: string;
  /** The id of the replayed invocation. */
  readonly replayOf?: number;
}

/** Options of an invocation. */
export interface InvokeOptions {
  readonly origin: Origin;
  /** `X-Amzn-Trace-Id` to continue: `Root=…`; if absent, a new trace begins. */
  readonly traceId?: string;
  /** The client context of the `Invoke` API, a JSON value. */
  readonly clientContext?: unknown;
  /**
   * The behaviour if no environment is free, or the last build is broken. `refuse`: the call fails immediately, as at
   * doors. `wait`: the call is held until an environment and a build are ready, as for sources.
   */
  readonly whenBusy: 'refuse' | 'wait';
  /** True if AWS would invoke asynchronously: the event limit is 1 MiB instead of 6 MiB. Default: `false`. */
  readonly asynchronous?: boolean;
  /** Receives a streamed response as it arrives. A streaming handler without a sink fails as on AWS. */
  readonly stream?: StreamSink;
  /** Called with the number of the record when it is opened. */
  readonly onOpen?: (id: number) => void;
}

/** Receives a streamed response: the head once, then chunks, then the end. */
export interface StreamSink {
  /** Called when the function has started and is known to stream; in a run of several functions this is not known before. */
  expect?(): void;
  /** `contentType` is `application/vnd.awslambda.http-integration-response` if the response begins with a prelude. */
  head(contentType: string): void;
  /** Resolves when the client can receive more; the function waits until then. */
  chunk(bytes: Buffer): Promise<void> | undefined;
  /** Called once; with an error if the handler failed after its first byte, so that the response is incomplete. */
  end(error?: FunctionError): void;
}

/** An error as Lambda reports it. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** The reason for a failed invocation. */
export type FailureReason =
  /** The handler threw. */
  | 'handler'
  | 'timeout'
  | 'memory'
  /** The process exited, or its event loop was empty. */
  | 'exit'
  /** The code does not load. */
  | 'init'
  /** The answer, or the event, is too large. */
  | 'size'
  /** No environment was free and the caller does not wait. */
  | 'throttled'
  /** The authorizer of the door rejected the request before the function. */
  | 'authorizer'
  /** The last build is broken; nothing runs on old code. */
  | 'build'
  /** The run stops. */
  | 'stopped';

/** The result of an invocation. */
export type InvokeOutcome = Answered | Failed;

export interface Answered {
  readonly ok: true;
  /** The number of the record in the journal. */
  readonly id: number;
  readonly requestId: string;
  /** `true`: the response was sent to the sink, and `answer` is `undefined`. */
  readonly streamed: boolean;
  /** The parsed response. */
  readonly answer: unknown;
}

export interface Failed {
  readonly ok: false;
  readonly id: number;
  readonly requestId: string;
  readonly reason: FailureReason;
  readonly error: FunctionError;
}

/** The state of the code. */
export type CodeState =
  | { readonly state: 'starting' }
  | {
      readonly state: 'ready';
      readonly builtAt: number;
      readonly buildMs: number;
      /** The error of a service that does not load; absent if it loads. */
      readonly problem?: string;
    }
  | { readonly state: 'broken'; readonly problems: readonly BuildProblem[] };

/** One error of a build, with the compiler's message. */
export interface BuildProblem {
  readonly text: string;
  /** Relative to the project; absent for errors without a location. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Runs the function. */
export interface Invoker {
  /** Never rejects. Each call is recorded in the journal, rejected calls too. */
  invoke(event: unknown, options: InvokeOptions): Promise<InvokeOutcome>;
  code(): CodeState;
  /** Environments by state, for the console. */
  environments(): readonly EnvironmentView[];
}

/** One execution environment, as the console shows it. */
export interface EnvironmentView {
  readonly id: string;
  readonly state: 'init' | 'idle' | 'running' | 'standby';
  readonly pid: number;
  readonly invocations: number;
  /** Resident megabytes at the last measurement. */
  readonly memoryMb: number;
}
