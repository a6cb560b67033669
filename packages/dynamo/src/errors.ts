import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { brandError } from '@sallyport/core/pipeline';

/** Names of DynamoDB's errors after which the same request may succeed. */
const BUSY = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'ReplicatedWriteConflictException',
  'TransactionInProgressException',
  'TransactionConflictException',
  'InternalServerError',
  'ServiceUnavailable',
]);
const NETWORK_NAMES = new Set(['TimeoutError', 'AbortError', 'NetworkingError']);
const NETWORK_CODES =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|EPROTO|ETIMEDOUT|ESOCKETTIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ERR_HTTP2\w*|UND_ERR\w*)$/;

/** Names of DynamoDB's errors that ask callers to send less. */
const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionConflictException',
]);

/** The reason of a call that took longer than it may. */
export class StoreTimeout extends Error {
  static {
    brandError(StoreTimeout, 'sallyport.StoreTimeout');
  }

  override readonly name = 'TimeoutError';
}

/**
 * Whether a failure of the store may pass by itself: throttling, 5xx, time-outs, network. Anything else — a missing
 * table, a refused permission, an invalid request, no credentials, no SDK — is a fault of code or deployment.
 */
export function isTransient(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, $metadata, $retryable } = error as Record<string, unknown>;
  if (BUSY.has(String(name)) || NETWORK_NAMES.has(String(name))) return true;
  if (typeof code === 'string' && NETWORK_CODES.test(code)) return true;
  if (typeof $retryable === 'object' && $retryable !== null) return true;
  const status = ($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return typeof status === 'number' && (status >= 500 || status === 429);
}

/** Whether the store asks its callers to send less: throttling, or transactions that met. */
export function isThrottled(error: unknown): boolean {
  return THROTTLED.has(String(((error ?? {}) as { name?: unknown }).name));
}

/** What DynamoDB says of a write whose condition did not hold. */
export interface FailedCondition {
  /** The item as it is, where `ReturnValuesOnConditionCheckFailure` asked for it. */
  readonly Item?: Readonly<Record<string, AttributeValue>>;
  readonly $metadata?: { readonly attempts?: number };
}

/** Whether an error says that the condition of a write did not hold. Told by its name: an injected client may come from another copy of the SDK. */
export function isFailedCondition(error: unknown): error is FailedCondition {
  return ((error ?? {}) as { name?: unknown }).name === 'ConditionalCheckFailedException';
}
