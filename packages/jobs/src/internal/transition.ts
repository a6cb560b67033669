import type { Item } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { type ErrorEnvelope, parseEnvelope, toErrorEnvelope } from '../error-envelope.js';
import type { TransitionOutcome } from '../ledger/ledger.js';
import { JOB_ERRORS } from './errors-of.js';
import { ttlSeconds } from './input.js';
import { fromJson, toJson } from './json.js';

export const OUTCOME_INPUT = ['result', 'error', 'ttlSeconds'] as const;

/** Result and error of a transition as attributes, and those that are to go: no result ever stands beside an error. */
export function outcomeOf(input: TransitionOutcome, nowMs: number): { set: Item; remove: string[] } {
  if (input.result !== undefined && input.error !== undefined) {
    throw JOB_ERRORS.invalid('result and error exclude each other');
  }
  const result = toJson('result', input.result, JOB_ERRORS);
  const error = input.error === undefined ? undefined : JSON.stringify(toErrorEnvelope(input.error));
  const seconds = input.ttlSeconds === undefined ? undefined : ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
  return {
    set: { result, error, ttl: seconds === undefined ? undefined : ttlAt(nowMs + seconds * 1000) },
    remove: [...(result === undefined ? ['result'] : []), ...(error === undefined ? ['error'] : [])],
  };
}

/** Result and error of a row. */
export function storedOutcome(item: Item): { result?: unknown; error?: ErrorEnvelope } {
  const result = fromJson(item.result);
  const error = parseEnvelope(fromJson(item.error));
  return { ...(result !== undefined && { result }), ...(error && { error }) };
}
