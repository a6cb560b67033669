import { bytesOfJson } from '@sallyport/core/internal';
import type { CallbackDeadlines, ExecutionRecord, JournalEntry } from '../store.js';
import type { Operation, OperationUpdate } from '../wire.js';
import { applyUpdate } from './apply.js';
import { encodeCallbackId } from './callback-id.js';
import { invalidParameter } from './errors.js';
import type { Execution } from './execution.js';
import { LIMITS, validateUpdates } from './validate.js';

/** A checkpoint that was validated. */
export interface Change {
  readonly entry: JournalEntry;
  /** The operations after the checkpoint, each once. */
  readonly operations: readonly Operation[];
  /** The end of the execution, if its result was too large for an answer. */
  readonly end?: Pick<ExecutionRecord, 'status' | 'result' | 'error'>;
}

/**
 * Validates a checkpoint, and computes what it changes.
 *
 * @throws ServiceError `InvalidParameterValueException`
 */
export function changeOf(
  execution: Execution,
  given: readonly OperationUpdate[],
  now: Date,
  newId: () => string,
): Change {
  const { record, operations } = execution;
  const updates = given.map((update) =>
    update.Type === 'EXECUTION' ? { ...update, Id: firstOf(operations).Id } : update,
  );
  validateUpdates(updates, operations, record);
  const writtenBytes = record.writtenBytes + updates.reduce((sum, update) => sum + bytesOf(update), 0);
  if (writtenBytes > LIMITS.writtenBytes) {
    throw invalidParameter(`An execution cannot write more than ${LIMITS.writtenBytes} bytes.`);
  }
  const changed = new Map<string, Operation>();
  const deadlines: Record<string, CallbackDeadlines> = {};
  const chained: Record<string, { functionName: string; payload?: string }> = {};
  let end: Change['end'];
  for (const update of updates) {
    const id = update.Id ?? '';
    if (update.Type === 'EXECUTION') {
      end = endOf(update);
      continue;
    }
    const callbackId = () => encodeCallbackId(record.arn, id, newId());
    changed.set(id, applyUpdate(update, changed.get(id) ?? operations.get(id), now, callbackId));
    if (update.Type === 'CALLBACK' && update.Action === 'START') deadlines[id] = deadlinesFor(update, now.getTime());
    if (update.Type === 'CHAINED_INVOKE' && update.Action === 'START') chained[id] = chainedOf(update);
  }
  const list = [...changed.values()];
  return {
    entry: { record: { writtenBytes }, operations: list, deadlines, chained },
    operations: list,
    ...(end && { end }),
  };
}

function firstOf(operations: ReadonlyMap<string, Operation>): Operation {
  const [first] = operations.values();
  return first as Operation;
}

function bytesOf({ Payload, Error: error }: OperationUpdate): number {
  return Buffer.byteLength(Payload ?? '') + (error ? bytesOfJson(error) : 0);
}

function endOf({ Action, Payload, Error: error }: OperationUpdate): NonNullable<Change['end']> {
  if (Action === 'FAIL') return { status: 'FAILED', error: error ?? {} };
  return { status: 'SUCCEEDED', ...(Payload !== undefined && { result: Payload }) };
}

function chainedOf({ ChainedInvokeOptions, Payload }: OperationUpdate) {
  return {
    functionName: ChainedInvokeOptions?.FunctionName ?? '',
    ...(Payload !== undefined && { payload: Payload }),
  };
}

/** No time-out if 0 or absent. https://docs.aws.amazon.com/lambda/latest/api/API_CallbackOptions.html */
function deadlinesFor({ CallbackOptions }: OperationUpdate, now: number): CallbackDeadlines {
  const { TimeoutSeconds, HeartbeatTimeoutSeconds } = CallbackOptions ?? {};
  return {
    ...(TimeoutSeconds && { timeoutAt: now + TimeoutSeconds * 1_000 }),
    ...(HeartbeatTimeoutSeconds && {
      heartbeatAt: now + HeartbeatTimeoutSeconds * 1_000,
      heartbeatSeconds: HeartbeatTimeoutSeconds,
    }),
  };
}
