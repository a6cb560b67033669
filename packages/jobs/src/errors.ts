import { FrameworkError } from '@sallyport/core';

export const JOB_LEDGER_ERROR_TYPES = ['invalid_input', 'conflict', 'not_found', 'internal_error'] as const;

export type JobLedgerErrorType = (typeof JOB_LEDGER_ERROR_TYPES)[number];
/** `jobs.<type>` of the ledger, `eventbus.<type>` of the event store. */
export type JobLedgerErrorCode = `${'jobs' | 'eventbus'}.${JobLedgerErrorType}`;
/** What a conflict is about. */
export type ConflictReason =
  | 'exists'
  | 'version'
  | 'transition'
  | 'lease_held'
  | 'lease_lost'
  | 'semaphore_full'
  | 'contended'
  | 'payload_mismatch'
  | 'in_progress'
  | 'already_completed'
  | 'owner_lost'
  | 'result_omitted';
/** Why a call failed: the conflict, what is wrong with the input, or what is missing. */
export type JobLedgerReason = ConflictReason | 'invalid' | 'too_large' | 'absent' | 'store_unavailable';

export interface JobLedgerErrorInit {
  /** Part of the code before the dot; `jobs`. */
  readonly area?: 'jobs' | 'eventbus' | undefined;
  /** What the caller may need to decide: current status and version, `retryAfterMs`, the stored outcome. */
  readonly details?: unknown;
  /** Whether the same call may succeed later without a change of code or deployment. */
  readonly retryable?: boolean | undefined;
  /** Kept for logs, never sent. */
  readonly cause?: unknown;
}

const STATUS: Readonly<Record<JobLedgerErrorType, number>> = {
  invalid_input: 400,
  conflict: 409,
  not_found: 404,
  internal_error: 500,
};
const BRAND = Symbol.for('sallyport.JobLedgerError');

/** The one error class of this package. Immutable. */
export class JobLedgerError extends FrameworkError {
  override readonly name: string = 'JobLedgerError';
  declare readonly code: JobLedgerErrorCode;
  readonly type: JobLedgerErrorType;
  readonly reason: JobLedgerReason;
  /** True for throttling, 5xx, time-outs and network faults, and for conflicts that pass with time. */
  readonly retryable: boolean;

  constructor(type: JobLedgerErrorType, reason: JobLedgerReason, message: string, init: JobLedgerErrorInit = {}) {
    super(`${init.area ?? 'jobs'}.${type}`, `framework: ${message}`, {
      statusCode: STATUS[type],
      details: init.details,
      ...('cause' in init && { cause: init.cause }),
    });
    this.type = type;
    this.reason = reason;
    this.retryable = init.retryable ?? false;
    if (new.target === JobLedgerError) Object.freeze(this);
  }

  get [BRAND](): true {
    return true;
  }

  /** True for a JobLedgerError of any copy of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== JobLedgerError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** Whether an error is a conflict for one of these reasons. */
export function isConflict(error: unknown, ...reasons: readonly ConflictReason[]): error is JobLedgerError {
  return (
    error instanceof JobLedgerError &&
    error.type === 'conflict' &&
    (reasons.length === 0 || (reasons as readonly string[]).includes(error.reason))
  );
}
