import type { IncomingMessage } from 'node:http';
import type { BuildProblem, FailureReason, FunctionError, StreamSink } from './invoker.js';

/** One event for one environment. */
export interface Run {
  readonly requestId: string;
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly sink: StreamSink | undefined;
}

export const ANSWER_TOO_LARGE: FunctionError = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
};

export const EXITED: FunctionError = {
  errorType: 'Runtime.ExitError',
  errorMessage: 'the process ended before the end of its response',
};

export const STOPPED: FunctionError = { errorType: 'Runtime.Stopped', errorMessage: 'the run has ended' };
export const THROTTLED: FunctionError = {
  errorType: 'TooManyRequestsException',
  errorMessage: 'Rate Exceeded: all environments are busy; --concurrency allows more',
};

export function tooLarge(most: number): FunctionError {
  return {
    errorType: 'RequestEntityTooLargeException',
    errorMessage: `Request must be smaller than ${most} bytes for the InvokeFunction operation`,
  };
}

export function brokenError(problems: readonly BuildProblem[]): FunctionError {
  return { errorType: 'local.build_failed', errorMessage: problems.map(toText).join('\n') };
}

/** `src/app.ts:12:5: Could not resolve "x"`. */
export function toText({ text, file, line, column }: BuildProblem): string {
  return file === undefined ? text : `${file}:${line}:${column}: ${text}`;
}

/** The error of an event that exceeded its timeout. */
export function timeoutError({ requestId, timeoutMs }: Run): FunctionError {
  const seconds = (timeoutMs / 1000).toFixed(2);
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  };
}

/** The last message of a process: it exits, has nothing to wait for, or threw an error that nothing caught. */
export type Goodbye =
  | { readonly type: 'exit'; readonly code?: number }
  | { readonly type: 'idle' }
  | { readonly type: 'uncaught'; readonly error: FunctionError };

/** The end of a process: its exit code or signal, and the reason. */
export interface End {
  readonly reason: FailureReason;
  readonly code: number | null;
  readonly signal: string | null;
  readonly goodbye: Goodbye | undefined;
  readonly memoryMb: number;
}

/** The error of an event whose process has ended, with details that Lambda does not report. */
export function endError(run: Run, { reason, code, signal, goodbye, memoryMb }: End): FunctionError {
  const begin = `RequestId: ${run.requestId} Error:`;
  if (reason === 'timeout') return timeoutError(run);
  if (reason === 'memory') {
    return { errorType: 'Runtime.OutOfMemory', errorMessage: `${begin} the process needed more than ${memoryMb} MB` };
  }
  if (reason === 'stopped') return { errorType: 'Runtime.Stopped', errorMessage: `${begin} the run has ended` };
  const how = `Runtime exited with error: ${exitText(code, signal)}`;
  if (goodbye?.type === 'uncaught') {
    const { errorType, errorMessage, trace } = goodbye.error;
    return {
      errorType: 'Runtime.ExitError',
      errorMessage: `${begin} ${how} (nothing caught ${errorType}: ${errorMessage})`,
      ...(trace && { trace }),
    };
  }
  if (goodbye?.type === 'exit') {
    return {
      errorType: 'Runtime.ExitError',
      errorMessage: `${begin} ${how} (process.exit(${goodbye.code ?? 0}) was called)`,
    };
  }
  if (code === 0) {
    const why =
      'Runtime exited without providing a reason: the handler has not answered, and nothing was left to wait for';
    return { errorType: 'Runtime.ExitError', errorMessage: `${begin} ${why}` };
  }
  return { errorType: 'Runtime.ExitError', errorMessage: `${begin} ${how}` };
}

/** Names of signals as Lambda writes them: https://pkg.go.dev/syscall?GOOS=linux#Signal. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGILL: 'illegal instruction',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
  SIGTRAP: 'trace/breakpoint trap',
};

function exitText(code: number | null, signal: string | null): string {
  return code === null ? `signal: ${SIGNALS[signal ?? ''] ?? signal}` : `exit status ${code}`;
}

/** The error that a handler reported after the first byte of its response. */
export function trailerError({ trailers }: IncomingMessage): FunctionError | undefined {
  const type = trailers['lambda-runtime-function-error-type'];
  if (type === undefined) return undefined;
  try {
    const body = Buffer.from(String(trailers['lambda-runtime-function-error-body'] ?? ''), 'base64').toString('utf8');
    return { errorType: type, errorMessage: '', ...(JSON.parse(body) as Partial<FunctionError>) };
  } catch {
    return { errorType: type, errorMessage: '' };
  }
}

/** The failure of an environment's init phase. */
export class InitFailure extends Error {
  constructor(
    readonly reason: 'init' | 'timeout' | 'stopped',
    readonly error: FunctionError,
  ) {
    super(error.errorMessage);
  }
}

/** The failure of a process that ended before it was ready; `error`: the error that the process reported. */
export function initFailure(
  { reason, code, signal, goodbye }: Omit<End, 'reason'> & { readonly reason: FailureReason | undefined },
  error: FunctionError | undefined,
): InitFailure {
  if (reason === 'timeout') {
    return new InitFailure('timeout', {
      errorType: 'Sandbox.Timedout',
      errorMessage: 'the init phase did not end in time',
    });
  }
  if (reason) return new InitFailure('stopped', STOPPED);
  const how = exitText(code, signal);
  const exited = { errorType: 'Runtime.ExitError', errorMessage: `Error: Runtime exited with error: ${how}` };
  const uncaught = goodbye?.type === 'uncaught' ? goodbye.error : undefined;
  return new InitFailure('init', error ?? uncaught ?? exited);
}
