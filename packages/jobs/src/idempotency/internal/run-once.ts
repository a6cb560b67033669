import type { Logger } from '@sallyport/core';
import { isConflict, JobLedgerError } from '../../errors.js';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import type { BeginIdempotencyInput, IdempotencyHandle, IdempotencyRecord, JobLedger } from '../../ledger/ledger.js';

/** What becomes of a value that was produced first. */
export type Keep =
  /** Stored, answered again. */
  | { readonly result: unknown }
  /** The key is freed: the next call runs again. */
  | 'abandon';

export interface RunOptions<T> {
  readonly ledger: JobLedger;
  readonly begin: BeginIdempotencyInput;
  readonly resultTtlSeconds: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly log: Logger;
  run(): Promise<T>;
  keep(value: T): Keep;
}

export type RunOutcome<T> =
  | { readonly kind: 'ran'; readonly value: T }
  | { readonly kind: 'in_progress'; readonly retryAfterMs: number }
  | { readonly kind: 'stored'; readonly record: IdempotencyRecord };

/** Runs once for a key. From the moment at which the work has run nothing of the ledger's fails the call. */
export async function runOnce<T>(options: RunOptions<T>): Promise<RunOutcome<T>> {
  const { ledger, begin, signal } = options;
  const start = await ledger.beginIdempotency(begin, { signal });
  if (start.outcome === 'already_in_progress') return { kind: 'in_progress', retryAfterMs: start.retryAfterMs };
  if (start.outcome === 'already_completed') return { kind: 'stored', record: start.record };
  const { handle } = start;
  let value: T;
  let keep: Keep;
  try {
    value = await options.run();
    keep = options.keep(value);
  } catch (error) {
    await abandon(options, handle);
    throw error;
  }
  if (keep === 'abandon') await abandon(options, handle);
  else return complete(options, handle, value, keep);
  return { kind: 'ran', value };
}

async function complete<T>(
  options: RunOptions<T>,
  handle: IdempotencyHandle,
  value: T,
  { result }: Exclude<Keep, 'abandon'>,
): Promise<RunOutcome<T>> {
  const { ledger, log, begin } = options;
  try {
    await store(options, handle, result);
  } catch (error) {
    if (isConflict(error, 'already_completed')) {
      const record = await ledger.getIdempotencyRecord({ scope: begin.scope, key: begin.key }).catch(() => undefined);
      if (record?.status === 'COMPLETED') return { kind: 'stored', record };
    }
    log.warn('result was not stored', { scope: begin.scope, error });
  }
  return { kind: 'ran', value };
}

/** A value that is no JSON is left out: the work is done, and must not be done again. */
async function store<T>(
  { ledger, resultTtlSeconds, log, begin }: RunOptions<T>,
  handle: IdempotencyHandle,
  result: unknown,
) {
  const lifetime = resultTtlSeconds === undefined ? {} : { resultTtlSeconds };
  try {
    await ledger.completeIdempotency(handle, { ...lifetime, result });
  } catch (error) {
    if (!(error instanceof JobLedgerError) || error.type !== 'invalid_input') throw error;
    log.warn('result is no JSON value and was left out', { scope: begin.scope });
    await ledger.completeIdempotency(handle, { ...lifetime, resultOmitted: true });
  }
}

/** What is not freed now expires. */
async function abandon<T>({ ledger, log, begin }: RunOptions<T>, handle: IdempotencyHandle): Promise<void> {
  try {
    await ledger.abandonIdempotency(handle);
  } catch (error) {
    log.warn('key was not freed', { scope: begin.scope, error });
  }
}

export function inProgressError(retryAfterMs: number): Error {
  return JOB_ERRORS.conflict('in_progress', { retryAfterMs });
}

export function omittedError(): Error {
  return JOB_ERRORS.conflict('result_omitted');
}

/** The default: what an invocation may still take and a second, a minute where nobody says. */
export function inProgressWithin(remainingMs: number): number {
  return remainingMs > 0 ? Math.ceil(remainingMs) + 1000 : 60_000;
}

/**
 * The durable execution that an invocation belongs to, which may outlive it by far.
 *
 * @throws JobLedgerError `invalid_input` for one without `inProgressMs`
 */
export function executionOf(lambdaContext: unknown, inProgressMs: number | undefined): string | undefined {
  const { executionContext } = (lambdaContext ?? {}) as { executionContext?: { durableExecutionArn?: unknown } | null };
  const arn = executionContext?.durableExecutionArn;
  if (typeof arn !== 'string' || arn === '') return undefined;
  if (inProgressMs === undefined) throw JOB_ERRORS.invalid('inProgressMs is required within a durable execution');
  return arn;
}
