import type { PendingWait } from '../types.js';
import type { Operation } from '../wire.js';
import type { Execution } from './execution.js';

/** The operations that an execution waits for. */
export function waitsOf(execution: Execution): PendingWait[] {
  return [...execution.operations.values()].flatMap((operation) => {
    const wait = kindAndEnd(execution, operation);
    if (!wait) return [];
    const { kind, until } = wait;
    const name = operation.Name;
    return [
      {
        arn: execution.arn,
        kind,
        operationId: operation.Id,
        ...(name !== undefined && { name }),
        ...(until !== undefined && { until }),
      },
    ];
  });
}

function kindAndEnd(execution: Execution, { Id, Type, Status, StepDetails, WaitDetails }: Operation) {
  if (Status === 'PENDING') return { kind: 'retry' as const, until: StepDetails?.NextAttemptTimestamp };
  if (Status !== 'STARTED') return undefined;
  if (Type === 'WAIT') return { kind: 'wait' as const, until: WaitDetails?.ScheduledEndTimestamp };
  if (Type !== 'CALLBACK') return undefined;
  const { timeoutAt = Number.POSITIVE_INFINITY, heartbeatAt = Number.POSITIVE_INFINITY } =
    execution.deadlinesOf(Id) ?? {};
  const end = Math.min(timeoutAt, heartbeatAt);
  return { kind: 'callback' as const, until: Number.isFinite(end) ? new Date(end) : undefined };
}
