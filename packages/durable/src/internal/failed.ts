import type { SurfaceHost } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import type { FailedExecution, FailedOperation } from '../types.js';
import { dateOf, type ExecutionRun } from './execution.js';
import { messageOf } from './failures.js';
import type { WireOperation } from './sdk.js';

/** The number of operations that a report of a failure has. */
const TAIL = 20;

/** Reports a failed execution: one line, one metric, and the hook of the application, whose failure changes nothing. */
export async function reportFailed(
  { log, observability, clock }: SurfaceHost,
  run: ExecutionRun,
  error: { readonly ErrorType?: string | undefined; readonly ErrorMessage?: string | undefined } | undefined,
  operations: readonly WireOperation[],
  isAnswered: boolean,
): Promise<void> {
  const { arn, name } = run;
  const failed: FailedExecution = {
    arn,
    name,
    startedAt: new Date(run.startedAt),
    error: { type: error?.ErrorType ?? 'Error', message: messageOf({ message: error?.ErrorMessage }) },
    tail: tailOf(operations),
  };
  const { type, message } = failed.error;
  const tail = failed.tail.map(({ type: kind, name: operation, status }) => `${kind} ${operation} ${status}`);
  // The surface has written the line of a handler's error.
  const fields = { execution: name, arn, error_code: type, error: message, tail };
  guardHook(() => log[isAnswered || run.isDiverged ? 'warn' : 'error']('framework: execution failed', fields));
  const durationMs = clock.now().getTime() - run.startedAt.getTime();
  const tags = { outcome: 'error', error_code: type };
  guardHook(() => observability.metric?.({ name: 'framework.execution', value: 1, duration_ms: durationMs, tags }));
  try {
    await run.host.onFailure?.(failed);
  } catch (thrown) {
    guardHook(() => log.error('framework: onFailure failed', { execution: name, error: messageOf(thrown) }));
  }
}

/** The last operations in the order of their start, without their values: those can be personal data. */
function tailOf(operations: readonly WireOperation[]): FailedOperation[] {
  return operations
    .filter(({ Type }) => Type !== 'EXECUTION')
    .map((operation) => ({ operation, startedAt: dateOf(operation.StartTimestamp) }))
    .sort((a, b) => (a.startedAt?.getTime() ?? 0) - (b.startedAt?.getTime() ?? 0))
    .slice(-TAIL)
    .map(({ operation, startedAt }) => {
      const { Type = '', Name = '', Status = 'STARTED', StepDetails } = operation;
      const { CallbackDetails, ContextDetails, ChainedInvokeDetails } = operation;
      const { Error: error } = StepDetails ?? CallbackDetails ?? ContextDetails ?? ChainedInvokeDetails ?? {};
      const endedAt = dateOf(operation.EndTimestamp);
      return {
        type: Type,
        name: Name,
        status: Status,
        ...(startedAt && { startedAt }),
        ...(endedAt && { endedAt }),
        ...(StepDetails?.Attempt !== undefined && { attempt: StepDetails.Attempt }),
        ...(error && { error: messageOf({ message: error.ErrorMessage }) }),
      };
    });
}
