import { bytesOfJson } from '@sallyport/core/internal';
import type { Operation, OperationAction, OperationType, OperationUpdate } from '../wire.js';
import { invalidParameter } from './errors.js';

/** Limits of the service, in bytes unless the name says otherwise. */
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
  for (const update of updates) validateUpdate(update, operations.get(update.Id as string), sizes);
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

function validateUpdate(update: OperationUpdate, operation: Operation | undefined, { synchronous }: Sizes): void {
  const { Type, Action, Payload, Error: error } = update;
  const actions = Type && ACTIONS[Type];
  if (!actions) throw invalidParameter('Unknown operation type.');
  if (!Action || !actions.includes(Action)) throw invalidParameter('Invalid action for the given operation type.');
  if (error && bytesOfJson(error) > LIMITS.errorBytes) {
    throw invalidParameter(`Error object size must be less than ${LIMITS.errorBytes} bytes.`);
  }
  const limit = Type === 'EXECUTION' && synchronous ? LIMITS.syncPayloadBytes : LIMITS.payloadBytes;
  if (Payload !== undefined && Buffer.byteLength(Payload) > limit) {
    throw invalidParameter(`Payload size must not exceed ${limit} bytes.`);
  }
  if (Action === 'FAIL' && Payload != null) throw invalidParameter('Cannot provide a Payload for FAIL action.');
  if (Action === 'SUCCEED' && error != null) throw invalidParameter('Cannot provide an Error for SUCCEED action.');
  if (operation && Type !== 'EXECUTION' && operation.Type !== Type) {
    throw invalidParameter('Invalid operation type for the given operation.');
  }
  validateTransition(update, operation);
}

function validateTransition(update: OperationUpdate, operation: Operation | undefined): void {
  const { Type, Action } = update;
  const status = operation?.Status;
  switch (Type) {
    case 'STEP':
      return validateStep(update, status);
    case 'CONTEXT':
      if (Action === 'START' && operation) throw invalidParameter('Cannot start a CONTEXT that already exists.');
      if (Action !== 'START' && operation && status !== 'STARTED') {
        throw invalidParameter('Invalid current CONTEXT state to close.');
      }
      return;
    case 'EXECUTION':
      return;
    default:
      if (Action === 'START' && operation) throw invalidParameter(`Cannot start a ${Type} that already exists.`);
      if (Action === 'CANCEL' && status !== 'STARTED') {
        throw invalidParameter(`Cannot cancel a ${Type} that does not exist or has already completed.`);
      }
      return validateStart(update);
  }
}

function validateStep(
  { Action, StepOptions, Error: error, Payload }: OperationUpdate,
  status: Operation['Status'] | undefined,
): void {
  if (Action === 'START') {
    if (status !== undefined && status !== 'READY') throw invalidParameter('Invalid current STEP state to start.');
    return;
  }
  const open = status === undefined || status === 'STARTED' || status === 'READY';
  if (Action !== 'RETRY') {
    if (!open) throw invalidParameter('Invalid current STEP state to close.');
    return;
  }
  if (!open) throw invalidParameter('Invalid current STEP state to re-attempt.');
  if (StepOptions == null) throw invalidParameter('Invalid StepOptions for the given action.');
  if (error != null && Payload != null) {
    throw invalidParameter('Cannot provide both error and payload to RETRY a STEP.');
  }
}

function validateStart({ Type, Action, WaitOptions, ChainedInvokeOptions }: OperationUpdate): void {
  if (Action !== 'START') return;
  if (Type === 'WAIT') {
    const seconds = WaitOptions?.WaitSeconds;
    if (seconds === undefined || !Number.isInteger(seconds) || seconds < 1 || seconds > LIMITS.waitSeconds) {
      throw invalidParameter(`WaitSeconds must be between 1 and ${LIMITS.waitSeconds}.`);
    }
  }
  if (Type === 'CHAINED_INVOKE' && !ChainedInvokeOptions?.FunctionName) {
    throw invalidParameter('A CHAINED_INVOKE needs the name of a function.');
  }
}
