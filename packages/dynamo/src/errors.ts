import type { AttributeValue } from '@aws-sdk/client-dynamodb';

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
