/** Who sent the event: a door, a source, or the developer. */
export interface Origin {
  /** `gateway-v2`, `queue`, `schedule`, `send`, `replay`, `invoke` and so on. */
  readonly kind: string;
  /** `POST /orders`, the name of the queue, `Query.note`, and so on. */
  readonly target: string;
  /** Whom the caller said to be in the `as` picker; absent for nobody. */
  readonly as?: string;
  /** Ids of the records of a source, in the order of the event. */
  readonly recordIds?: readonly string[];
  /** The invocation that this one repeats. */
  readonly replayOf?: number;
}

/** What goes with an event. */
export interface InvokeOptions {
  readonly origin: Origin;
  /** `X-Amzn-Trace-Id` to continue with: `Root=…`; without one a new trace begins. */
  readonly traceId?: string;
  /** The client context of the `Invoke` API, a JSON value. */
  readonly clientContext?: unknown;
  /** The tenant of a function with tenant isolation. */
  readonly tenantId?: string;
  /**
   * What becomes of it when no environment is free, or when the last build is broken. `refuse`: it fails at once, as for
   * doors. `wait`: it is held until there is room and a build, as for sources.
   */
  readonly whenBusy: 'refuse' | 'wait';
  /** True if AWS would invoke asynchronously: the event may have 1 MiB instead of 6. Default: `false`. */
  readonly asynchronous?: boolean;
  /** Takes a streamed answer as it arrives. A handler that streams and meets none fails as AWS lets it fail. */
  readonly stream?: StreamSink;
  /** Ends the waiting, not the running function. */
  readonly signal?: AbortSignal;
}

/** Takes a streamed answer: the head once, then chunks, then the end. */
export interface StreamSink {
  /** `contentType` is `application/vnd.awslambda.http-integration-response` when a prelude comes first. */
  head(contentType: string): void;
  chunk(bytes: Buffer): void;
  /** Once; with an error when the handler failed after its first byte, and the answer is broken off. */
  end(error?: FunctionError): void;
}

/** An error as Lambda reports it. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** Why an invocation has no answer. */
export type FailureReason =
  /** The handler threw. */
  | 'handler'
  | 'timeout'
  | 'memory'
  /** The process ended, or nothing was left to wait for. */
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
  /** The run ends. */
  | 'stopped';

/** How an invocation ended. */
export type InvokeOutcome = Answered | Failed;

export interface Answered {
  readonly ok: true;
  /** The number of the record in the journal. */
  readonly id: number;
  readonly requestId: string;
  /** `true`: the answer went to the sink, and `answer` is `undefined`. */
  readonly streamed: boolean;
  /** The parsed answer. */
  readonly answer: unknown;
}

export interface Failed {
  readonly ok: false;
  readonly id: number;
  readonly requestId: string;
  readonly reason: FailureReason;
  readonly error: FunctionError;
}

/** Where the code stands. */
export type CodeState =
  | { readonly state: 'starting' }
  | { readonly state: 'ready'; readonly builtAt: number; readonly buildMs: number }
  | { readonly state: 'broken'; readonly problems: readonly BuildProblem[] };

/** One error of a build, in words of the compiler. */
export interface BuildProblem {
  readonly text: string;
  /** Relative to the project; absent for errors without a place. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Runs the function. */
export interface Invoker {
  /** Never rejects. Each call is one record of the journal, rejected ones too. */
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
  /** Resident megabytes when last measured. */
  readonly memoryMb: number;
}
