import type { AttributeValue } from '@aws-sdk/client-dynamodb';

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
