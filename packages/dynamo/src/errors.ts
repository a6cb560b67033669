import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Names of DynamoDB's errors that ask callers to send fewer requests. */
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

/** Whether the store asks its callers to send fewer requests: throttling, or conflicting transactions. */
export function isThrottled(error: unknown): boolean {
  return THROTTLED.has(String(((error ?? {}) as { name?: unknown }).name));
}

/** DynamoDB's error for a write whose condition was false. */
export interface FailedCondition {
  /** The current item, if `ReturnValuesOnConditionCheckFailure` requested it. */
  readonly Item?: Readonly<Record<string, AttributeValue>>;
  readonly $metadata?: { readonly attempts?: number };
}

/**
 * Whether an error means that the condition of a write was false. It is recognized by its name, because an injected client may
 * come from another copy of the SDK.
 */
export function isFailedCondition(error: unknown): error is FailedCondition {
  return ((error ?? {}) as { name?: unknown }).name === 'ConditionalCheckFailedException';
}
