import { isObject, isText, type Members, membersOf } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';

/** True for the event with which the service invokes a durable function. */
export function isEnvelope(event: unknown): event is Members {
  if (!isObject(event) || !isText(event.DurableExecutionArn) || !isText(event.CheckpointToken)) return false;
  return isObject(firstOperation(event));
}

function firstOperation(event: Members): unknown {
  const operations = membersOf(event.InitialExecutionState).Operations;
  return Array.isArray(operations) ? operations[0] : undefined;
}

/**
 * Checks that the input of an execution is the event of a trigger: a JSON object, or the list of a GraphQL batch.
 *
 * @throws DurableError `durable.envelope_invalid`
 */
export function assertInput(event: Members): void {
  const payload = membersOf(membersOf(firstOperation(event)).ExecutionDetails).InputPayload;
  if (typeof payload === 'string' && holdsObject(payload)) return;
  const expected = 'InitialExecutionState.Operations[0].ExecutionDetails.InputPayload must be a JSON object or list';
  throw new DurableError('durable.envelope_invalid', `${expected} (got ${typeof payload})`);
}

/** True for JSON text of an object. */
function holdsObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
