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

/** True if a status has no transition to another one. */
export function isFinal<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, status: S): boolean {
  return transitions[status].length === 0;
}

/** The progress of a job's records. It is written together with the transition that finishes a record, so it is always exact. */
export interface JobProgress {
  /** Records that the job was created for. */
  readonly total: number;
  /** Records without a final status yet; 0 when all are done. */
  readonly open: number;
  /** Records that ended `SUCCEEDED`. */
  readonly succeeded: number;
  /** Records that ended `FAILED`. */
  readonly failed: number;
  /** Records that ended `SKIPPED`. */
  readonly skipped: number;
}

/** A job. Times are ISO 8601 with milliseconds. */
export interface Job {
  /** Unique in the table. */
  readonly jobId: string;
  /** The tenant that it belongs to. */
  readonly tenantId: string;
  /** Its status. */
  readonly status: JobStatus;
  /** 1 when created, one more with every transition. */
  readonly version: number;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was created or had its last transition. */
  readonly updatedAt: string;
  /** When it went to `RUNNING`; absent before. */
  readonly startedAt?: string;
  /** When it reached a final status; absent before. */
  readonly completedAt?: string;
  /** What the application stored with it; absent if absent. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The JSON value of its last transition; absent if absent. */
  readonly result?: unknown;
  /** The error of its last transition; absent if absent. */
  readonly error?: ErrorEnvelope;
  /** The progress of its records; absent when it was created without `recordCount`. */
  readonly progress?: JobProgress;
}

/** The right to work on one attempt of a record, until it ends. */
export interface RecordClaim {
  /** The id of this claim: pass it to `transitionRecord` and `heartbeatRecord` as `claimId`. */
  readonly id: string;
  /** A label for people; absent when it was claimed without one. */
  readonly owner?: string;
  /** When others may take the record over, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/** A record of a job: one item of the work. Times are ISO 8601 with milliseconds. */
export interface JobRecord {
  /** The job that it belongs to. */
  readonly jobId: string;
  /** Unique in its job. */
  readonly recordId: string;
  /** Its status. */
  readonly status: RecordStatus;
  /** How often the record went to `PROCESSING`. */
  readonly attempts: number;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was created or had its last transition. */
  readonly updatedAt: string;
  /** When it reached a final status; absent before. */
  readonly completedAt?: string;
  /** The JSON value of its last transition; absent if absent. */
  readonly result?: unknown;
  /** The error of its last transition; absent if absent. */
  readonly error?: ErrorEnvelope;
  /** The claim of the worker; absent unless the record is claimed. */
  readonly claim?: RecordClaim;
  /** `true` in the answer to the transition that ended the last open record of a job with `recordCount`, else absent. */
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
   * How many records it will have, 1 to 1,000,000. Then `progress` counts finished records, and the transition of the last
   * one reports it. Further records are not counted. Default: no counting.
   */
  readonly recordCount?: number;
}

/** The values of a transition. Only one of result and error may be given; the other one is removed from the row. */
export interface TransitionOutcome {
  /** A JSON value, stored as it is. */
  readonly result?: unknown;
  /** Anything thrown; stored as `toErrorEnvelope` shows it. */
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
  /** A job of another tenant counts as absent. Default: any tenant. Set it when the id comes from a client. */
  readonly tenantId?: string;
  /** Rejects the transition when the job has another version. Default: any version. */
  readonly expectedVersion?: number;
  /** Replaces the job's metadata. Default: unchanged. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Which jobs of a tenant are listed. */
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
  /** Jobs of a page, 1 to 100. Default 50. */
  readonly limit?: number;
  /** `cursor` of the page before. Default: the first page. */
  readonly cursor?: string;
  /**
   * True if the jobs are read consistently. The index is updated shortly after a write and is never read consistently.
   * Costs twice as much. Default false.
   */
  readonly consistent?: boolean;
  /**
   * True if a job that has just left the status is still in the list, with its new status. Without it such a job is in no
   * list until the index is updated. Default false.
   */
  readonly includeMoved?: boolean;
}

/** A transition of one record of a batch. */
export interface RecordChange extends TransitionOutcome {
  /** The record. */
  readonly recordId: string;
  /** Its new status. */
  readonly to: RecordStatus;
  /** True if a record that does not exist counts as `PENDING` and is made. Default false. */
  readonly orCreate?: boolean;
  /**
   * Rejects the transition with `claim_lost` when the record has another number of attempts: then another worker has claimed it.
   * Default: any number, unless the record is claimed.
   */
  readonly expectedAttempts?: number;
  /** Rejects the transition with `claim_lost` when the record has another claim. A claimed record needs this or `expectedAttempts`. */
  readonly claimId?: string;
}

/** A transition of one record. */
export interface TransitionRecordInput extends RecordChange {
  /** The record's job. */
  readonly jobId: string;
  /** Records of another tenant's job count as absent. Default: any tenant. Set it when the id comes from a client. */
  readonly tenantId?: string;
}

/** The outcome for one record of a batch. */
export interface RecordOutcome {
  /** The record. */
  readonly recordId: string;
  /** `failed`: bad input or the store, see `error`. `not_started`: the caller's signal aborted before. */
  readonly outcome: 'ok' | 'exists' | 'conflict' | 'not_found' | 'failed' | 'not_started';
  /** The new state of the record; only with `ok`. */
  readonly record?: JobRecord;
  /** Why there is no record; absent with `ok` and `not_started`. */
  readonly error?: JobLedgerError;
}

/** The values of new records. */
export interface CreateRecordsInput {
  /** The job of the records, read once for each call. It may be made later, unless `tenantId` is given. */
  readonly jobId: string;
  /** A job of another tenant, or without one, is not found. Default: any. Set it when the id comes from a client. */
  readonly tenantId?: string;
  /** At most 10,000, each once. */
  readonly recordIds: readonly string[];
  /** Writes at once, 1 to 64. Default 16. */
  readonly concurrency?: number;
  /** Seconds until the records are deleted. Default: when their job is. */
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
  /** Writes at once, 1 to 64. Default 16. */
  readonly concurrency?: number;
}

/** Which record of a job is claimed, and for how long. */
export interface ClaimNextInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** A label for people. Default: none. */
  readonly owner?: string;
  /** Milliseconds until others may take the record over, 1,000 to 900,000. Default 60,000. */
  readonly durationMs?: number;
  /** Records with this number of attempts are left to `reapRecords`. Default: no limit. */
  readonly maxAttempts?: number;
}

/** Which stuck records are released. */
export interface ReapRecordsInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** Milliseconds after which a record without a claim counts as stuck, 1,000 or more. Default: only claims that ended count. */
  readonly stuckMs?: number;
  /** Stuck records with this number of attempts become `FAILED`, the others `PENDING`. Default: no limit. */
  readonly maxAttempts?: number;
  /** `cursor` of the call before. Default: the first records. */
  readonly cursor?: string;
}

/** The result of `reapRecords`. */
export interface ReapedRecords {
  /** Records that are `PENDING` again. */
  readonly requeued: readonly JobRecord[];
  /** Records that had too many attempts and are `FAILED`. */
  readonly failed: readonly JobRecord[];
  /** Pass it to the next call; absent when all records of the job were checked. */
  readonly cursor?: string;
}

/** Which records of a job are listed. */
export interface ListRecordsInput {
  /** The job. */
  readonly jobId: string;
  /** Records of another tenant's job are absent. Default: any tenant. */
  readonly tenantId?: string;
  /** Only records of this status. Default: all. */
  readonly status?: RecordStatus;
  /** Records of a page, 1 to 1,000. Default 50. */
  readonly limit?: number;
  /** `cursor` of the page before. Default: the first page. */
  readonly cursor?: string;
}
