import type { Operation, OperationStatus, OperationUpdate } from '../wire.js';

/** The statuses in which an operation has ended. */
const ENDED: readonly OperationStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'STOPPED'];

/** True for an operation that has ended. */
export function hasEnded({ Status }: Pick<Operation, 'Status'>): boolean {
  return ENDED.includes(Status);
}

/** An operation with a final status. */
export function ended(
  operation: Operation,
  status: OperationStatus,
  now: Date,
  members: Partial<Operation> = {},
): Operation {
  return { ...operation, Status: status, EndTimestamp: now, ...members };
}

function later(now: Date, seconds = 0): Date {
  return new Date(now.getTime() + seconds * 1_000);
}

/** The operation after an update that was validated. */
export function applyUpdate(
  update: OperationUpdate,
  before: Operation | undefined,
  now: Date,
  callbackId: () => string,
): Operation {
  const operation = before ?? started(update, now);
  switch (update.Type) {
    case 'STEP':
      return step(update, operation, now);
    case 'CONTEXT':
      return context(update, operation, now);
    case 'WAIT':
      if (update.Action === 'CANCEL') return ended(operation, 'CANCELLED', now);
      return { ...operation, WaitDetails: { ScheduledEndTimestamp: later(now, update.WaitOptions?.WaitSeconds) } };
    case 'CALLBACK':
      if (update.Action === 'CANCEL') return ended(operation, 'CANCELLED', now);
      return { ...operation, CallbackDetails: { CallbackId: callbackId() } };
    default:
      return update.Action === 'CANCEL' ? ended(operation, 'CANCELLED', now) : operation;
  }
}

function started({ Id, ParentId, Name, Type, SubType }: OperationUpdate, now: Date): Operation {
  if (!Id || !Type) throw new TypeError('framework: an update was applied without validation');
  return {
    Id,
    ...(ParentId !== undefined && { ParentId }),
    ...(Name !== undefined && { Name }),
    Type,
    ...(SubType !== undefined && { SubType }),
    StartTimestamp: now,
    Status: 'STARTED',
  };
}

function outcome({ Payload, Error: error }: OperationUpdate) {
  return { ...(Payload !== undefined && { Result: Payload }), ...(error !== undefined && { Error: error }) };
}

/** `Attempt` counts the attempts that ended. */
function step(update: OperationUpdate, operation: Operation, now: Date): Operation {
  const attempt = operation.StepDetails?.Attempt ?? 0;
  switch (update.Action) {
    case 'SUCCEED':
    case 'FAIL':
      return ended(operation, update.Action === 'FAIL' ? 'FAILED' : 'SUCCEEDED', now, {
        StepDetails: { Attempt: attempt + 1, ...outcome(update) },
      });
    case 'RETRY':
      return {
        ...operation,
        Status: 'PENDING',
        StepDetails: {
          Attempt: attempt + 1,
          NextAttemptTimestamp: later(now, update.StepOptions?.NextAttemptDelaySeconds),
          ...outcome(update),
        },
      };
    default:
      return { ...operation, Status: 'STARTED' };
  }
}

function context(update: OperationUpdate, operation: Operation, now: Date): Operation {
  const replay = update.ContextOptions?.ReplayChildren ?? operation.ContextDetails?.ReplayChildren;
  const ContextDetails = { ...(replay !== undefined && { ReplayChildren: replay }), ...outcome(update) };
  if (update.Action === 'START') return { ...operation, ContextDetails };
  return ended(operation, update.Action === 'FAIL' ? 'FAILED' : 'SUCCEEDED', now, { ContextDetails });
}

/**
 * The operations that a replay needs, in the order in which they started. Children of an ended context are left out, except with its
 * option `ReplayChildren`.
 */
export function replayed(operations: ReadonlyMap<string, Operation>): Operation[] {
  const left = new Set<string>();
  return [...operations.values()].filter(({ Id, ParentId }) => {
    const parent = ParentId === undefined ? undefined : operations.get(ParentId);
    if (!parent || !hasEnded(parent)) return true;
    if (parent.ContextDetails?.ReplayChildren && !left.has(parent.Id)) return true;
    left.add(Id);
    return false;
  });
}
