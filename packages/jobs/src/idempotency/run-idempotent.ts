import type { Logger } from '@sallyport/core';
import { defineOptions, integer, parsed } from '@sallyport/core/options';
import { StoredError } from '../error-envelope.js';
import { isConflict, JOB_ERRORS, JobLedgerError } from '../errors.js';
import { fingerprintOf, idOption, MAX_TTL_SECONDS, signalOption, textOption } from '../internal/input.js';
import type { JobLedger } from '../ledger/ledger.js';
import { MAX_IN_PROGRESS_MS, MIN_IN_PROGRESS_MS } from './internal/idempotency-records.js';
import type { BeginIdempotencyInput, IdempotencyHandle, IdempotencyRecord } from './record.js';

/** Options that every wrapper of an idempotency key has. */
export const TIME_OPTIONS = {
  inProgressMs: integer(MIN_IN_PROGRESS_MS, MAX_IN_PROGRESS_MS, 'milliseconds'),
  resultTtlSeconds: integer(1, MAX_TTL_SECONDS, 'seconds'),
};

/** Options of {@link runIdempotent}. */
export interface RunIdempotentOptions {
  /** Among what the key is unique, 1 to 256 bytes. */
  readonly scope: string;
  /** A text of any length. */
  readonly key: string;
  /** SHA-256 of what the key stands for, 64 lower-case hex digits. A key that comes with another one is refused. */
  readonly fingerprint?: string;
  /**
   * Milliseconds for which an owner that stays silent blocks the key, 1,000 to 31,622,400,000 (366 days). Default 60,000.
   * Required with `executionId`: the time limit of the execution.
   */
  readonly inProgressMs?: number;
  /** The durable execution that runs this. */
  readonly executionId?: string;
  /** Seconds for which the result is answered again, 1 to 3,155,760,000. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /** Ends the call before the work begins. The work itself is not ended by it. */
  readonly signal?: AbortSignal;
}

const DEFAULT_IN_PROGRESS_MS = 60_000;

/** The option `fingerprint`. */
const fingerprintOption = parsed('64 lower-case hex digits of a SHA-256', (value) => fingerprintOf(value, JOB_ERRORS));

/** What {@link RunIdempotentOptions} may be. */
export const RUN_OPTIONS = defineOptions<RunIdempotentOptions>()(
  {
    scope: idOption.required(),
    key: textOption.required(),
    fingerprint: fingerprintOption,
    executionId: textOption,
    signal: signalOption,
    ...TIME_OPTIONS,
  },
  { fail: JOB_ERRORS.invalid },
);

/**
 * Runs work once for a key: a second call gets the stored value, or the stored error is thrown. Work that throws frees the key.
 *
 * When the work is done and its value cannot be stored (the key was taken over, the store fails), the call still answers the
 * value and writes one `warn`.
 *
 * @throws JobLedgerError conflict `in_progress` with `retryAfterMs`, `payload_mismatch`, `result_omitted`; StoredError
 * @example await runIdempotent(ledger, { scope: 'invoices', key: order.id }, () => charge(order));
 */
export async function runIdempotent<T>(
  ledger: JobLedger,
  options: RunIdempotentOptions,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly replayed: boolean }> {
  const { scope, key, fingerprint, executionId, inProgressMs, resultTtlSeconds, signal } = RUN_OPTIONS.parse(options);
  if (executionId !== undefined && inProgressMs === undefined) {
    throw JOB_ERRORS.invalid('option "inProgressMs" is required with "executionId"');
  }
  const outcome = await runOnce<T>({
    ledger,
    begin: {
      scope,
      key,
      inProgressMs: inProgressMs ?? DEFAULT_IN_PROGRESS_MS,
      ...(fingerprint !== undefined && { fingerprint }),
      ...(executionId !== undefined && { executionId }),
    },
    resultTtlSeconds,
    signal,
    log: ledger.log,
    run: async () => work(),
    keep: (value) => ({ result: value }),
  });
  if (outcome.kind === 'in_progress') throw inProgressError(outcome.retryAfterMs);
  if (outcome.kind === 'ran') return { value: outcome.value, replayed: false };
  const { error, result, resultOmitted } = outcome.record;
  if (error) throw new StoredError(error);
  if (resultOmitted) throw JOB_ERRORS.conflict('result_omitted');
  return { value: result as T, replayed: true };
}

/** What becomes of a value that was produced first. */
export type Keep =
  /** It is stored and answered again. */
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

/** Runs once for a key. After the work has run, no failure of the ledger fails the call. */
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

/** A value that is not JSON is left out: the work is done and must not be done again. */
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

/** A key that cannot be freed now is free when its time is over. */
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

/** The default of `inProgressMs`: the time that the invocation has left and a second; a minute when that is not known. */
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
  if (inProgressMs === undefined)
    throw JOB_ERRORS.invalid('option "inProgressMs" is required within a durable execution');
  return arn;
}
