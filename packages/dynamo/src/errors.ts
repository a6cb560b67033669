import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { FullClock } from '@sallyport/core';
import { pause, randomFraction } from '@sallyport/core/internal';

/** Names of DynamoDB's throttling errors. */
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

/** True if an error means throttling or conflicting transactions. */
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
 * True if an error means that the condition of a write was false. It is recognized by its name, because an injected client may
 * come from another copy of the SDK.
 */
export function isFailedCondition(error: unknown): error is FailedCondition {
  return ((error ?? {}) as { name?: unknown }).name === 'ConditionalCheckFailedException';
}

const MAX_CONFLICTS = 10;
const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 1000;

/**
 * Repeats a transaction, with increasing random waits, while other transactions of the same items conflict with it or the table is
 * throttled, up to ten times.
 *
 * @param run must reject with an error whose `cause` is the failure of the table
 * @throws the error of the last attempt; the reason of the signal
 */
export async function afterConflicts<T>(
  clock: FullClock,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  for (let met = 0; ; met += 1) {
    try {
      return await run();
    } catch (error) {
      if (met === MAX_CONFLICTS || !isThrottled((error as { cause?: unknown }).cause)) throw error;
      await pause(clock, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** met) * randomFraction(), signal);
    }
  }
}
