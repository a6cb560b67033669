import { bytesOfJson } from '@sallyport/core/internal';
import type { Operation, OperationAction, OperationStatus, OperationType, OperationUpdate } from '../wire.js';
import { invalidParameter } from './errors.js';

/** Limits of the service, in bytes unless the name has another unit. */
export const LIMITS = {
  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  operations: 3_000,
  writtenBytes: 100 * 1024 * 1024,
  /** https://docs.aws.amazon.com/lambda/latest/api/API_OperationUpdate.html */
  payloadBytes: 1024 * 1024,
  syncPayloadBytes: 6 * 1024 * 1024,
  errorBytes: 1024 * 1024,
  /** https://docs.aws.amazon.com/lambda/latest/api/API_SendDurableExecutionCallbackSuccess.html */
  callbackBytes: 256 * 1024,
  waitSeconds: 31_622_400,
} as const;

const ACTIONS: Readonly<Record<OperationType, readonly OperationAction[]>> = {
  STEP: ['START', 'FAIL', 'RETRY', 'SUCCEED'],
  CONTEXT: ['START', 'FAIL', 'SUCCEED'],
  WAIT: ['START', 'CANCEL'],
  CALLBACK: ['START', 'CANCEL'],
  CHAINED_INVOKE: ['START', 'CANCEL'],
  EXECUTION: ['SUCCEED', 'FAIL'],
};

/** Size class of the result of the execution. */
interface Sizes {
  readonly synchronous: boolean;
}

/**
 * Checks a checkpoint as a whole: it is applied completely or not at all.
 *
 * @throws ServiceError `InvalidParameterValueException`
 */
export function validateUpdates(
  updates: readonly OperationUpdate[],
  operations: ReadonlyMap<string, Operation>,
  sizes: Sizes,
): void {
  const last = updates.findIndex(({ Type }) => Type === 'EXECUTION');
  if (last !== -1 && last !== updates.length - 1) {
    const many = updates.filter(({ Type }) => Type === 'EXECUTION').length > 1;
    throw invalidParameter(
      many ? 'Cannot checkpoint multiple EXECUTION updates.' : 'EXECUTION checkpoint must be the last update.',
    );
  }
  validateOrder(updates, operations);
  for (const update of updates) {
    const problem = problemOf(update, operations.get(update.Id ?? ''), sizes);
    if (problem !== undefined) throw invalidParameter(problem);
  }
  const added = new Set(
    updates.flatMap(({ Id, Type }) => (Type === 'EXECUTION' || operations.has(Id ?? '') ? [] : [Id])),
  );
  if (operations.size + added.size > LIMITS.operations) {
    throw invalidParameter(`An execution cannot have more than ${LIMITS.operations} operations.`);
  }
}

function validateOrder(updates: readonly OperationUpdate[], operations: ReadonlyMap<string, Operation>): void {
  const started = new Map<string, OperationUpdate>();
  const seen = new Map<string, OperationUpdate>();
  for (const update of updates) {
    const { Id, ParentId, Action } = update;
    if (!Id) throw invalidParameter('Operation update must have an Id.');
    const before = seen.get(Id);
    const closesOwnStart =
      before?.Action === 'START' && Action !== 'START' && (before.Type === 'STEP' || before.Type === 'CONTEXT');
    if (before && !closesOwnStart)
      throw invalidParameter('Cannot update the same operation twice in a single request.');
    const parent = ParentId ? (started.get(ParentId) ?? operations.get(ParentId)) : undefined;
    if (ParentId && parent?.Type !== 'CONTEXT') throw invalidParameter('Invalid parent operation id.');
    if (Action === 'START') started.set(Id, update);
    seen.set(Id, update);
  }
}

/** The problem of an update, given the operation before it; `undefined` for a valid update. */
function problemOf(
  update: OperationUpdate,
  operation: Operation | undefined,
  { synchronous }: Sizes,
): string | undefined {
  const { Type, Action, Payload, Error: error } = update;
  const actions = Type && ACTIONS[Type];
  if (!actions) return 'Unknown operation type.';
  if (!Action || !actions.includes(Action)) return 'Invalid action for the given operation type.';
  if (error && bytesOfJson(error) > LIMITS.errorBytes) {
    return `Error object size must be less than ${LIMITS.errorBytes} bytes.`;
  }
  const limit = Type === 'EXECUTION' && synchronous ? LIMITS.syncPayloadBytes : LIMITS.payloadBytes;
  if (Buffer.byteLength(Payload ?? '') > limit) return `Payload size must not exceed ${limit} bytes.`;
  if (Type === 'EXECUTION') return contentProblem(update);
  if (operation && operation.Type !== Type) return 'Invalid operation type for the given operation.';
  if (Type === 'STEP') return stepProblem(update, operation?.Status) ?? contentProblem(update);
  if (Type === 'CONTEXT') return contextProblem(Action, operation?.Status) ?? contentProblem(update);
  if (Action === 'START' && operation) return `Cannot start a ${Type} that already exists.`;
  if (Action === 'CANCEL' && operation?.Status !== 'STARTED') {
    return `Cannot cancel a ${Type} that does not exist or has already completed.`;
  }
  return Action === 'START' ? startProblem(update) : undefined;
}

function contentProblem({ Action, Payload, Error: error }: OperationUpdate): string | undefined {
  if (Action === 'FAIL' && Payload != null) return 'Cannot provide a Payload for FAIL action.';
  if (Action === 'SUCCEED' && error != null) return 'Cannot provide an Error for SUCCEED action.';
  return undefined;
}

function contextProblem(action: OperationAction, status: OperationStatus | undefined): string | undefined {
  if (action === 'START') return status && 'Cannot start a CONTEXT that already exists.';
  return status && status !== 'STARTED' ? 'Invalid current CONTEXT state to close.' : undefined;
}

function stepProblem(update: OperationUpdate, status: OperationStatus | undefined): string | undefined {
  const isOpen = status === undefined || status === 'STARTED' || status === 'READY';
  switch (update.Action) {
    case 'START':
      return status && status !== 'READY' ? 'Invalid current STEP state to start.' : undefined;
    case 'RETRY':
      if (!isOpen) return 'Invalid current STEP state to re-attempt.';
      if (update.StepOptions == null) return 'Invalid StepOptions for the given action.';
      return update.Error != null && update.Payload != null
        ? 'Cannot provide both error and payload to RETRY a STEP.'
        : undefined;
    default:
      return isOpen ? undefined : 'Invalid current STEP state to close.';
  }
}

function startProblem({ Type, WaitOptions, ChainedInvokeOptions }: OperationUpdate): string | undefined {
  const seconds = WaitOptions?.WaitSeconds ?? 0;
  if (Type === 'WAIT' && (!Number.isInteger(seconds) || seconds < 1 || seconds > LIMITS.waitSeconds)) {
    return `WaitSeconds must be between 1 and ${LIMITS.waitSeconds}.`;
  }
  if (Type === 'CHAINED_INVOKE' && !ChainedInvokeOptions?.FunctionName) {
    return 'A CHAINED_INVOKE needs the name of a function.';
  }
  return undefined;
}
