import type { ErrorEnvelope } from '../error-envelope.js';
import type { JobLedgerError } from '../errors.js';

/** Every status of a job. */
export const JOB_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
/** Every status of a record. */
export const RECORD_STATUSES = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'SKIPPED'] as const;

/** A status of a job. */
export type JobStatus = (typeof JOB_STATUSES)[number];
/** A status of a record. */
export type RecordStatus = (typeof RECORD_STATUSES)[number];

/** Allowed transitions of a job; a status without transitions is final. */
export const JOB_TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  PENDING: ['RUNNING', 'CANCELED', 'FAILED'],
  RUNNING: ['SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELED: [],
};

/** Allowed transitions of a record; a status without transitions is final. */
export const RECORD_TRANSITIONS: Readonly<Record<RecordStatus, readonly RecordStatus[]>> = {
  PENDING: ['PROCESSING', 'SKIPPED', 'FAILED'],
  PROCESSING: ['SUCCEEDED', 'FAILED', 'SKIPPED', 'PENDING'],
  SUCCEEDED: [],
  FAILED: [],
  SKIPPED: [],
};

/** The statuses with a transition to a status. */
export function sourcesOf<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, to: S): S[] {
  return (Object.keys(transitions) as S[]).filter((from) => transitions[from].includes(to));
}

/** True if a status has no transitions. */
export function isFinal<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, status: S): boolean {
  return transitions[status].length === 0;
}

/** The progress of a job's records. It is written together with the transition that finishes a record, so it is always exact. */
export interface JobProgress {
  /** Value of `recordCount` of the job. */
  readonly total: number;
  /** Number of records without a final status; 0 if all are done. */
  readonly open: number;
  /** Number of `SUCCEEDED` records. */
  readonly succeeded: number;
  /** Number of `FAILED` records. */
  readonly failed: number;
  /** Number of `SKIPPED` records. */
  readonly skipped: number;
}

/** A job. Times are ISO 8601 with milliseconds. */
export interface Job {
  /** Unique in the table. */
  readonly jobId: string;
  /** The tenant of the job. */
  readonly tenantId: string;
  /** Its status. */
  readonly status: JobStatus;
  /** Starts at 1 and increases by 1 with every transition. */
  readonly version: number;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last transition, else of creation. */
  readonly updatedAt: string;
  /** Time of the transition to `RUNNING`; absent before. */
  readonly startedAt?: string;
  /** Time of the transition to a final status; absent before. */
  readonly completedAt?: string;
  /** Metadata of the application, if any. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The JSON value of its last transition, if any. */
  readonly result?: unknown;
  /** The error of its last transition, if any. */
  readonly error?: ErrorEnvelope;
  /** The progress of its records; absent if it was created without `recordCount`. */
  readonly progress?: JobProgress;
}

/** The right to work on one attempt of a record, until it ends. */
export interface RecordClaim {
  /** The id of this claim: pass it to `transitionRecord` and `heartbeatRecord` as `claimId`. */
  readonly id: string;
  /** A label for display, if passed. */
  readonly owner?: string;
  /** Time from which other callers may claim the record, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/** A record of a job: one item of the work. Times are ISO 8601 with milliseconds. */
export interface JobRecord {
  /** The job of the record. */
  readonly jobId: string;
  /** Unique in its job. */
  readonly recordId: string;
  /** Its status. */
  readonly status: RecordStatus;
  /** Number of transitions to `PROCESSING`. */
  readonly attempts: number;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last transition, else of creation. */
  readonly updatedAt: string;
  /** Time of the transition to a final status; absent before. */
  readonly completedAt?: string;
  /** The JSON value of its last transition, if any. */
  readonly result?: unknown;
  /** The error of its last transition, if any. */
  readonly error?: ErrorEnvelope;
  /** The claim of the worker; absent unless the record is claimed. */
  readonly claim?: RecordClaim;
  /** `true` in the result of the transition that ended the last open record of a job with `recordCount`, else absent. */
  readonly isLast?: true;
}

/** A record that is claimed. */
export interface ClaimedRecord extends JobRecord {
  /** The claim of the worker. */
  readonly claim: RecordClaim;
}

/** The values of a new job. */
export interface CreateJobInput {
  /** 1 to 256 bytes without control characters. */
  readonly jobId: string;
  /** 1 to 256 bytes without control characters. */
  readonly tenantId: string;
  /** Its first status. Default `PENDING`. */
  readonly status?: 'PENDING' | 'RUNNING';
  /** At most 32 entries and 4,096 bytes. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Seconds until it is deleted. Default: never. */
  readonly ttlSeconds?: number;
  /**
   * Number of records of the job, 1 to 1,000,000. `progress` then counts finished records, and the transition of the last record
   * returns `isLast`. Additional records are not counted. Default: no counting.
   */
  readonly recordCount?: number;
}

/** The values of a transition. Pass only one of result and error; the other member is removed from the row. */
export interface TransitionOutcome {
  /** A JSON value, stored unchanged. */
  readonly result?: unknown;
  /** Any thrown value; stored in the form of `toErrorEnvelope`. */
  readonly error?: unknown;
  /** Seconds from now until the row is deleted. Default: unchanged. */
  readonly ttlSeconds?: number;
}

/** A transition of a job. */
export interface TransitionJobInput extends TransitionOutcome {
  /** The job. */
  readonly jobId: string;
  /** Its new status. */
  readonly to: JobStatus;
  /** A job of another tenant counts as absent. Default: any tenant. Set it if the id comes from a client. */
  readonly tenantId?: string;
  /** Rejects the transition if the job has another version. Default: any version. */
  readonly expectedVersion?: number;
  /** Replaces the job's metadata. Default: unchanged. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Selects jobs of a tenant. */
export interface ListJobsInput {
  /** The tenant. */
  readonly tenantId: string;
  /** Only jobs of this status. Default: all. */
  readonly status?: JobStatus;
  /** Earliest creation, inclusive, ISO 8601. Default: no bound. */
  readonly createdFrom?: string;
  /** Latest creation, inclusive, ISO 8601. Default: no bound. */
  readonly createdTo?: string;
  /** The order by creation. Default `newest` first. */
  readonly order?: 'newest' | 'oldest';
  /** Jobs per page, 1 to 100. Default 50. */
  readonly limit?: number;
  /** `cursor` of the previous page. Default: the first page. */
  readonly cursor?: string;
  /**
   * True if the jobs are read consistently. The index is updated shortly after a write and is never read consistently.
   * Costs twice as much. Default false.
   */
  readonly consistent?: boolean;
  /**
   * True if a job that has just left the status is kept in the list, with its new status. Otherwise such a job is in no list
   * until the index is updated. Default false.
   */
  readonly includeMoved?: boolean;
}

/** A transition of one record of a batch. */
export interface RecordChange extends TransitionOutcome {
  /** The record. */
  readonly recordId: string;
  /** Its new status. */
  readonly to: RecordStatus;
  /** True if a missing record counts as `PENDING` and is created. Default false. */
  readonly orCreate?: boolean;
  /**
   * Rejects the transition with `claim_lost` if the record has another number of attempts, because another worker has claimed it.
   * Default: any number, unless the record is claimed.
   */
  readonly expectedAttempts?: number;
  /** Rejects the transition with `claim_lost` if the record has another claim. A claimed record requires this or `expectedAttempts`. */
  readonly claimId?: string;
}

/** A transition of one record. */
export interface TransitionRecordInput extends RecordChange {
  /** The record's job. */
  readonly jobId: string;
  /** Records of another tenant's job count as absent. Default: any tenant. Set it if the id comes from a client. */
  readonly tenantId?: string;
}

/** The outcome for one record of a batch. */
export interface RecordOutcome {
  /** The record. */
  readonly recordId: string;
  /** `failed`: invalid input or a failure of the store, see `error`. `not_started`: the caller's signal aborted before. */
  readonly outcome: 'ok' | 'exists' | 'conflict' | 'not_found' | 'failed' | 'not_started';
  /** The new state of the record; only with `ok`. */
  readonly record?: JobRecord;
  /** The error; absent with `ok` and `not_started`. */
  readonly error?: JobLedgerError;
}

/** The values of new records. */
export interface CreateRecordsInput {
  /** The job of the records, read once per call. It may be created later, unless `tenantId` is passed. */
  readonly jobId: string;
  /** A job of another tenant, or without a tenant, is not found. Default: any tenant. Set it if the id comes from a client. */
  readonly tenantId?: string;
  /** At most 10,000, each once. */
  readonly recordIds: readonly string[];
  /** Number of parallel writes, 1 to 64. Default 16. */
  readonly concurrency?: number;
  /** Seconds until the records are deleted. Default: they expire with their job. */
  readonly ttlSeconds?: number;
}

/** Transitions of several records of a job. */
export interface TransitionRecordsInput {
  /** The job of the records. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** At most 10,000, each record once. */
  readonly changes: readonly RecordChange[];
  /** Number of parallel writes, 1 to 64. Default 16. */
  readonly concurrency?: number;
}

/** Options of a claim. */
export interface ClaimNextInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** A label for display. Default: none. */
  readonly owner?: string;
  /** Milliseconds until other callers may claim the record, 1,000 to 900,000. Default 60,000. */
  readonly durationMs?: number;
  /** Records with this number of attempts are left to `reapRecords`. Default: no limit. */
  readonly maxAttempts?: number;
}

/** Selects stuck records to release. */
export interface ReapRecordsInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** Milliseconds after which a record without a claim counts as stuck, 1,000 or more. Default: only records with an expired claim. */
  readonly stuckMs?: number;
  /** Stuck records with this number of attempts become `FAILED`, the others `PENDING`. Default: no limit. */
  readonly maxAttempts?: number;
  /** `cursor` of the previous call. Default: the first records. */
  readonly cursor?: string;
}

/** The result of `reapRecords`. */
export interface ReapedRecords {
  /** Records that were set to `PENDING`. */
  readonly requeued: readonly JobRecord[];
  /** Records with too many attempts that were set to `FAILED`. */
  readonly failed: readonly JobRecord[];
  /** Pass it to the next call; absent if all records of the job were checked. */
  readonly cursor?: string;
}

/** Selects records of a job. */
export interface ListRecordsInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** Only records of this status. Default: all. */
  readonly status?: RecordStatus;
  /** Records per page, 1 to 1,000. Default 50. */
  readonly limit?: number;
  /** `cursor` of the previous page. Default: the first page. */
  readonly cursor?: string;
}
