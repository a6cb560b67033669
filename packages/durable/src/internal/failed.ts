import type { SurfaceHost } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import type { FailedExecution, FailedOperation } from '../types.js';
import type { ExecutionRun } from './execution.js';
import { messageOf } from './failures.js';
import type { OperationInfo } from './sdk.js';

/** The number of operations that a report of a failure has. */
const TAIL = 20;

type Operations = Readonly<Record<string, OperationInfo>>;

/** Reports a failed execution: one line, one metric, and the hook of the application, whose failure changes nothing. */
export async function reportFailed(
  { log, observability, clock }: SurfaceHost,
  run: ExecutionRun,
  error: { readonly ErrorType?: string | undefined; readonly ErrorMessage?: string | undefined } | undefined,
  operations: Operations,
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
function tailOf(operations: Operations): FailedOperation[] {
  return Object.values(operations)
    .filter(({ type }) => type !== 'EXECUTION')
    .sort((a, b) => (a.startTimestamp?.getTime() ?? 0) - (b.startTimestamp?.getTime() ?? 0))
    .slice(-TAIL)
    .map(({ type, name = '', status = 'STARTED', startTimestamp, endTimestamp, attempt, error }) => ({
      type,
      name,
      status,
      ...(startTimestamp && { startedAt: startTimestamp }),
      ...(endTimestamp && { endedAt: endTimestamp }),
      ...(attempt !== undefined && { attempt }),
      ...(error && { error: messageOf(error) }),
    }));
}
