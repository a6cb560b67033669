import { FrameworkError } from '@sallyport/core';
import { brandError, registerCopy } from '@sallyport/core/internal';
import { VERSION } from './internal/version.js';

registerCopy('@sallyport/jobs', VERSION, new Error());

/** Every type of {@link JobLedgerError}. */
export const JOB_LEDGER_ERROR_TYPES = ['invalid_input', 'conflict', 'not_found', 'internal_error'] as const;

/** A type of {@link JobLedgerError}. */
export type JobLedgerErrorType = (typeof JOB_LEDGER_ERROR_TYPES)[number];
/** A code of {@link JobLedgerError}: `jobs.<type>` of the ledger, `eventbus.<type>` of the event store. */
export type JobLedgerErrorCode = `${'jobs' | 'eventbus'}.${JobLedgerErrorType}`;
/** Every code of this package, with its cause. */
export type JobErrorCode =
  /** Invalid arguments. Reasons: `invalid`, `too_large`. @status 400 */
  | 'jobs.invalid_input'
  /** Another value is stored, or another caller holds the item. Reasons: `exists`, `version`, `transition`, `lease_held`, `lease_lost`, `claim_lost`, `semaphore_full`, `contended`, `payload_mismatch`, `in_progress`, `already_completed`, `owner_lost`, `result_omitted`. @status 409 */
  | 'jobs.conflict'
  /** The job, record or lease does not exist. Reason: `absent`. @status 404 */
  | 'jobs.not_found'
  /** The store failed. Reason: `store_unavailable`; `retryable` is true for throttling, 5xx, timeouts and network errors, and false for an error in the deployment. @status 500 */
  | 'jobs.internal_error'
  /** A stored failure whose error had no code, thrown again as {@link StoredError}. @status 500 */
  | 'jobs.stored_error'
  /** As `jobs.invalid_input`, of the event store. @status 400 */
  | 'eventbus.invalid_input'
  /** As `jobs.conflict`, of the event store. @status 409 */
  | 'eventbus.conflict'
  /** As `jobs.not_found`, of the event store. @status 404 */
  | 'eventbus.not_found'
  /** As `jobs.internal_error`, of the event store. @status 500 */
  | 'eventbus.internal_error';
/** The reason of a conflict. */
export type ConflictReason =
  | 'exists'
  | 'version'
  | 'transition'
  | 'lease_held'
  | 'lease_lost'
  | 'claim_lost'
  | 'semaphore_full'
  | 'contended'
  | 'payload_mismatch'
  | 'in_progress'
  | 'already_completed'
  | 'owner_lost'
  | 'result_omitted';
/** The reason of a failed call: the conflict, the invalid input, or the missing item. */
export type JobLedgerReason = ConflictReason | 'invalid' | 'too_large' | 'absent' | 'store_unavailable';

/** Optional properties of an error. */
export interface JobLedgerErrorInit {
  /** Part of the code before the dot. Default `jobs`. */
  readonly area?: 'jobs' | 'eventbus' | undefined;
  /** Data for the caller, such as current status and version, `retryAfterMs`, or the stored outcome. */
  readonly details?: unknown;
  /** True if the same call may succeed later without a change of code or deployment. */
  readonly retryable?: boolean | undefined;
  /** The cause, for logs. It is never sent. */
  readonly cause?: unknown;
}

const STATUS: Readonly<Record<JobLedgerErrorType, number>> = {
  invalid_input: 400,
  conflict: 409,
  not_found: 404,
  internal_error: 500,
};
/** An error for rejected input, a conflict, a missing item, or a failure of the store. Immutable. */
export class JobLedgerError extends FrameworkError {
  static {
    brandError(JobLedgerError, 'sallyport.JobLedgerError');
  }

  override readonly name: string = 'JobLedgerError';
  /** `jobs.<type>` or `eventbus.<type>`. */
  declare readonly code: JobLedgerErrorCode;
  /** The kind of failure. */
  readonly type: JobLedgerErrorType;
  /** The exact reason. */
  readonly reason: JobLedgerReason;
  /** True for throttling, 5xx, timeouts and network errors, and for temporary conflicts. */
  readonly retryable: boolean;

  /** The HTTP status follows from the type: 400, 409, 404 or 500. */
  constructor(type: JobLedgerErrorType, reason: JobLedgerReason, message: string, init: JobLedgerErrorInit = {}) {
    super(`${init.area ?? 'jobs'}.${type}`, `framework: ${message}`, {
      statusCode: STATUS[type],
      details: init.details,
      cause: init.cause,
    });
    this.type = type;
    this.reason = reason;
    this.retryable = init.retryable ?? false;
    if (new.target === JobLedgerError) Object.freeze(this);
  }
}

/** True if an error is a conflict for one of these reasons. */
export function isConflict(error: unknown, ...reasons: readonly ConflictReason[]): error is JobLedgerError {
  return (
    error instanceof JobLedgerError &&
    error.type === 'conflict' &&
    (reasons.length === 0 || (reasons as readonly string[]).includes(error.reason))
  );
}

/** Creates the errors of one store: the ledger or the event store. */
export interface LedgerErrors {
  invalid(message: string): JobLedgerError;
  tooLarge(message: string): JobLedgerError;
  conflict(reason: ConflictReason, details?: unknown): JobLedgerError;
  absent(what: string): JobLedgerError;
  foreignCursor(): JobLedgerError;
  unavailable(retryable: boolean, cause: unknown): JobLedgerError;
}

/** Conflicts that end when another caller has finished. */
const PASSING: readonly ConflictReason[] = ['lease_held', 'semaphore_full', 'contended', 'in_progress'];

function errorsOf(area: 'jobs' | 'eventbus', store: string): LedgerErrors {
  return {
    invalid: (message) => new JobLedgerError('invalid_input', 'invalid', message, { area }),
    foreignCursor: () =>
      new JobLedgerError('invalid_input', 'invalid', 'cursor does not belong to this query', { area }),
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
