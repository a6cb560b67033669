import { JOB_ERRORS } from '../internal/errors-of.js';
import { assertInput } from '../internal/input.js';
import type { IdempotencyRecord, JobLedger } from '../ledger/ledger.js';
import { StoredError } from '../stored-error.js';
import { inProgressError, omittedError, runOnce } from './internal/run-once.js';

export interface RunIdempotentOptions {
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of what the key stands for, 64 lower-case hex digits. */
  readonly fingerprint?: string;
  /** How long a silent owner blocks the key; 60,000. Required with `executionId`: the time limit of the execution. */
  readonly inProgressMs?: number;
  /** The durable execution that runs this. */
  readonly executionId?: string;
  /** 86,400. */
  readonly resultTtlSeconds?: number;
  readonly signal?: AbortSignal;
}

const INPUT = ['scope', 'key', 'fingerprint', 'inProgressMs', 'executionId', 'resultTtlSeconds', 'signal'];
const DEFAULT_IN_PROGRESS_MS = 60_000;

/**
 * Runs work once for a key: a second call gets the stored value, or the stored error thrown. Work that throws frees the key.
 *
 * When the work is done and its value cannot be stored (the key was taken over, the store fails), the value is answered all
 * the same, with one `warn`.
 *
 * @throws JobLedgerError conflict `in_progress` with `retryAfterMs`, `payload_mismatch`, `result_omitted`; StoredError
 * @example await runIdempotent(ledger, { scope: 'invoices', key: order.id }, () => charge(order));
 */
export async function runIdempotent<T>(
  ledger: JobLedger,
  options: RunIdempotentOptions,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly replayed: boolean }> {
  assertInput(options, INPUT, JOB_ERRORS);
  const { signal, resultTtlSeconds, inProgressMs, ...rest } = options;
  if (rest.executionId !== undefined && inProgressMs === undefined) {
    throw JOB_ERRORS.invalid('inProgressMs is required with executionId');
  }
  const outcome = await runOnce<T>({
    ledger,
    begin: { ...rest, inProgressMs: inProgressMs ?? DEFAULT_IN_PROGRESS_MS },
    resultTtlSeconds,
    signal,
    log: ledger.log,
    run: async () => work(),
    keep: (value) => ({ result: value }),
  });
  if (outcome.kind === 'in_progress') throw inProgressError(outcome.retryAfterMs);
  if (outcome.kind === 'ran') return { value: outcome.value, replayed: false };
  return { value: storedValue(outcome.record) as T, replayed: true };
}

/** @throws StoredError, JobLedgerError `result_omitted` */
function storedValue({ error, result, resultOmitted }: IdempotencyRecord): unknown {
  if (error) throw new StoredError(error);
  if (resultOmitted) throw omittedError();
  return result;
}
