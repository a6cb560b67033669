import { storeUntil } from '@sallyport/dynamo';
import { JobLedgerError, type LedgerErrors } from '../errors.js';
import type { EndOptions } from '../ledger/ledger.js';
import { whole } from './input.js';
import { newWriteId, type StoreParts } from './rows.js';

/** True if the same call may succeed later: throttling, 5xx, timeouts and network errors. */
export function mayPass(error: unknown): boolean {
  return error instanceof JobLedgerError && error.reason === 'store_unavailable' && error.retryable === true;
}

/**
 * Stores the end of work: once, or until the time of the caller is over. Every attempt has the same id.
 *
 * @throws JobLedgerError `invalid_input` for a wrong `remainingMs`; the error of the last attempt
 */
export function storeEnd<T>(
  { clock }: Pick<StoreParts, 'clock'>,
  { signal, remainingMs = 0 }: EndOptions,
  errors: LedgerErrors,
  write: (writer: string, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  whole('remainingMs', remainingMs, 0, Number.MAX_SAFE_INTEGER, errors);
  if (remainingMs === 0) return write(newWriteId(), signal);
  const options = {
    clock,
    deadlineMs: clock.now().getTime() + remainingMs,
    timedOut: (cause: Error) => errors.unavailable(true, cause),
    mayPass: (error: unknown) => signal?.aborted !== true && mayPass(error),
  };
  return storeUntil(options, (writer, inner) => write(writer, signal ? AbortSignal.any([signal, inner]) : inner));
}
