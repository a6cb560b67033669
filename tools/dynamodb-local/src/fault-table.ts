import { type Fault, SERVER_ERROR, THROTTLED } from './fault-proxy.js';

/** One way in which a store can fail. */
export interface StoreFault {
  /** Description, for the name of a test. */
  readonly name: string;
  readonly fault: Fault;
  /** True if the same call may succeed later. */
  readonly transient: boolean;
  /** True if the server applied the write although the caller received no answer. */
  readonly applied: boolean;
  /** True if the answer never arrives, so that only the caller's deadline stops the call. */
  readonly hangs: boolean;
}

function refusal(type: string, status = 400): Fault {
  return { kind: 'error', status, type };
}

const LOST = { transient: true, applied: false, hangs: false };
const FINAL = { transient: false, applied: false, hangs: false };

/** Every way in which a DynamoDB table fails that a store must survive. Each store runs all of it. */
export const STORE_FAULTS: readonly StoreFault[] = [
  { name: 'throttling', fault: THROTTLED, ...LOST },
  { name: 'a full account', fault: refusal('RequestLimitExceeded'), ...LOST },
  { name: 'throttling of the control plane', fault: refusal('ThrottlingException'), ...LOST },
  { name: 'an error of the service', fault: SERVER_ERROR, ...LOST },
  { name: 'a service that is away', fault: refusal('ServiceUnavailable', 503), ...LOST },
  { name: 'a conflict of transactions', fault: refusal('TransactionConflictException'), ...LOST },
  { name: 'a reset connection', fault: { kind: 'reset' }, ...LOST },
  { name: 'silence', fault: { kind: 'silence' }, ...LOST, hangs: true },
  { name: 'an answer that is too slow', fault: { kind: 'slow', ms: 60_000 }, ...LOST, hangs: true },
  { name: 'an answer that is lost each time', fault: { kind: 'lost-answer' }, ...LOST, applied: true },
  { name: 'silence after the write', fault: { kind: 'silence-after' }, ...LOST, applied: true, hangs: true },
  { name: 'no table', fault: refusal('ResourceNotFoundException'), ...FINAL },
  { name: 'no permission', fault: refusal('AccessDeniedException'), ...FINAL },
  { name: 'an invalid request', fault: refusal('ValidationException'), ...FINAL },
  { name: 'bad credentials', fault: refusal('UnrecognizedClientException'), ...FINAL },
];

/** A batch whose keys were left unprocessed, as a busy table answers it. */
export function unprocessedKeys(tableName: string, keys: readonly object[]): Fault {
  const body = { Responses: { [tableName]: [] }, UnprocessedKeys: { [tableName]: { Keys: keys } } };
  return { kind: 'error', status: 200, type: 'none', body };
}
