/** Where a job, a record or an idempotency record stands, and where it may go. */

export const JOB_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
export const RECORD_STATUSES = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'SKIPPED'] as const;
export const IDEMPOTENCY_STATUSES = ['IN_PROGRESS', 'COMPLETED'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];
export type RecordStatus = (typeof RECORD_STATUSES)[number];
export type IdempotencyStatus = (typeof IDEMPOTENCY_STATUSES)[number];

/** Every legal transition of a job; a status without any is final. */
export const JOB_TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  PENDING: ['RUNNING', 'CANCELED', 'FAILED'],
  RUNNING: ['SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELED: [],
};

/** Every legal transition of a record; a status without any is final. */
export const RECORD_TRANSITIONS: Readonly<Record<RecordStatus, readonly RecordStatus[]>> = {
  PENDING: ['PROCESSING', 'SKIPPED', 'FAILED'],
  PROCESSING: ['SUCCEEDED', 'FAILED', 'SKIPPED', 'PENDING'],
  SUCCEEDED: [],
  FAILED: [],
  SKIPPED: [],
};

/** The statuses from which a status may be reached. */
export function sourcesOf<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, to: S): S[] {
  return (Object.keys(transitions) as S[]).filter((from) => transitions[from].includes(to));
}

/** Whether nothing leads on from a status. */
export function isFinal<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, status: S): boolean {
  return transitions[status].length === 0;
}
