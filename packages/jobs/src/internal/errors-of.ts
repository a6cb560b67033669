import { type ConflictReason, JobLedgerError } from '../errors.js';

/** The errors of one store: the ledger's, or the event store's. */
export interface LedgerErrors {
  invalid(message: string): JobLedgerError;
  tooLarge(message: string): JobLedgerError;
  conflict(reason: ConflictReason, details?: unknown): JobLedgerError;
  absent(what: string): JobLedgerError;
  unavailable(retryable: boolean, cause: unknown): JobLedgerError;
}

/** Conflicts that pass when somebody else is done. */
const PASSING: readonly ConflictReason[] = ['lease_held', 'semaphore_full', 'contended', 'in_progress'];

function errorsOf(area: 'jobs' | 'eventbus', store: string): LedgerErrors {
  return {
    invalid: (message) => new JobLedgerError('invalid_input', 'invalid', message, { area }),
    tooLarge: (message) => new JobLedgerError('invalid_input', 'too_large', message, { area }),
    conflict: (reason, details) =>
      new JobLedgerError('conflict', reason, reason.replaceAll('_', ' '), {
        area,
        details,
        retryable: PASSING.includes(reason),
      }),
    absent: (what) => new JobLedgerError('not_found', 'absent', `${what} does not exist`, { area }),
    unavailable: (retryable, cause) =>
      new JobLedgerError('internal_error', 'store_unavailable', `${store} unavailable`, { area, retryable, cause }),
  };
}

export const JOB_ERRORS = errorsOf('jobs', 'job ledger store');
export const EVENTBUS_ERRORS = errorsOf('eventbus', 'event store');
