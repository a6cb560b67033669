import { isObject } from '@sallyport/core/internal';
import type { Outcome } from '../../engines/engine.js';
import type { ExecutionRecord } from '../store.js';
import type { DurableAnswer, ErrorObject } from '../wire.js';

/** The effect of an invocation: an end, a suspension, or an error after which Lambda invokes the function again. */
export type Ending =
  | { readonly kind: 'ended'; readonly record: Pick<ExecutionRecord, 'status' | 'result' | 'error'> }
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed' };

/** Reads the outcome of an invocation. An answer that is not the SDK's fails the execution. */
export function endingOf(outcome: Outcome): Ending {
  if ('error' in outcome) return { kind: 'failed' };
  const { Status, Result, Error: error } = (isObject(outcome.answer) ? outcome.answer : {}) as Partial<DurableAnswer>;
  switch (Status) {
    case 'PENDING':
      return { kind: 'pending' };
    case 'SUCCEEDED':
      return { kind: 'ended', record: { status: 'SUCCEEDED', ...(Result !== undefined && { result: Result }) } };
    case 'FAILED':
      return { kind: 'ended', record: { status: 'FAILED', error: error ?? {} } };
    default:
      return failed('Invalid Status in invocation output.');
  }
}

/** The execution fails with a message. */
export function failed(message: string): Ending & { readonly kind: 'ended' } {
  const error: ErrorObject = { ErrorMessage: message, ErrorType: 'InvalidParameterValueException' };
  return { kind: 'ended', record: { status: 'FAILED', error } };
}
