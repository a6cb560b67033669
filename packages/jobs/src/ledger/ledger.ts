import type { FullClock, IdGenerator, Logger } from '@sallyport/core';
import type { ErrorEnvelope } from '../error-envelope.js';
import type { JobLedgerError } from '../errors.js';
import type { IdempotencyStatus, JobStatus, RecordStatus } from './states.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export interface CallOptions {
  /** Rejects the call with its reason. A write that was under way may have happened. */
  readonly signal?: AbortSignal | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts; only a missing one means the end. */
  readonly cursor?: string;
}

export interface Job {
  readonly jobId: string;
  readonly tenantId: string;
  readonly status: JobStatus;
  /** 1 when created, one more with every transition. */
  readonly version: number;
  /** Times are ISO 8601 with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly result?: unknown;
  readonly error?: ErrorEnvelope;
}

export interface JobRecord {
  readonly jobId: string;
  readonly recordId: string;
  readonly status: RecordStatus;
  /** How often the record went to `PROCESSING`. */
  readonly attempts: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
  readonly result?: unknown;
  readonly error?: ErrorEnvelope;
}

export interface CreateJobInput {
  readonly jobId: string;
  readonly tenantId: string;
  /** `PENDING`. */
  readonly status?: 'PENDING' | 'RUNNING';
  /** At most 32 entries and 4 KB. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Kept for ever without it. */
  readonly ttlSeconds?: number;
}

/** What a transition leaves behind. Result and error exclude each other; what is not given here is taken away. */
export interface TransitionOutcome {
  /** A JSON value, stored as it is. */
  readonly result?: unknown;
  /** Anything thrown; stored as `toErrorEnvelope` tells it. */
  readonly error?: unknown;
  readonly ttlSeconds?: number;
}

export interface TransitionJobInput extends TransitionOutcome {
  readonly jobId: string;
  readonly to: JobStatus;
  /** Refuses when somebody else changed the job meanwhile. */
  readonly expectedVersion?: number;
  /** Replaces the job's metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface ListJobsInput {
  readonly tenantId: string;
  readonly status?: JobStatus;
  /** Inclusive, ISO 8601. */
  readonly createdFrom?: string;
  /** Inclusive, ISO 8601. */
  readonly createdTo?: string;
  /** `newest`. */
  readonly order?: 'newest' | 'oldest';
  /** 1 to 100; 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RecordChange extends TransitionOutcome {
  readonly recordId: string;
  readonly to: RecordStatus;
  /** A record that does not exist counts as `PENDING` and is made. */
  readonly orCreate?: boolean;
}

export interface TransitionRecordInput extends RecordChange {
  readonly jobId: string;
}

/** One record of a batch. `failed`: bad input or the store, see `error`. `not_started`: the caller gave up before. */
export interface RecordOutcome {
  readonly recordId: string;
  readonly outcome: 'ok' | 'exists' | 'conflict' | 'not_found' | 'failed' | 'not_started';
  readonly record?: JobRecord;
  readonly error?: JobLedgerError;
}

export interface CreateRecordsInput {
  readonly jobId: string;
  /** At most 10,000, none twice. */
  readonly recordIds: readonly string[];
  /** 1 to 64 writes at once; 16. */
  readonly concurrency?: number;
  readonly ttlSeconds?: number;
}

export interface TransitionRecordsInput {
  readonly jobId: string;
  /** At most 10,000, no record twice. */
  readonly changes: readonly RecordChange[];
  /** 1 to 64 writes at once; 16. */
  readonly concurrency?: number;
}

export interface ListRecordsInput {
  readonly jobId: string;
  readonly status?: RecordStatus;
  /** 1 to 1,000; 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Lease {
  readonly name: string;
  /** Of this acquisition alone. */
  readonly id: string;
  /** A label; two acquisitions of one owner are strangers. */
  readonly owner: string;
  /** The fencing token: grows with every acquisition. The resource refuses a smaller one. */
  readonly token: number;
  readonly expiresAtMs: number;
}

export interface Slot {
  readonly scope: string;
  readonly subject: string;
  /** 0 to `limit` - 1. */
  readonly slot: number;
  readonly id: string;
  readonly owner: string;
  readonly expiresAtMs: number;
}

export interface BeginIdempotencyInput {
  readonly scope: string;
  /** Kept as it is up to 256 bytes, hashed beyond. */
  readonly key: string;
  /** How long a silent owner blocks the key; whole, at least 1,000. */
  readonly inProgressMs: number;
  /** SHA-256 of what the key stands for, 64 lower-case hex digits; compared when both sides have one. */
  readonly fingerprint?: string;
  /** The durable execution that begins; its own record in progress is given back to it. */
  readonly executionId?: string;
  /** 86,400. */
  readonly ttlSeconds?: number;
}

/** The right to complete or abandon one begin. */
export interface IdempotencyHandle {
  readonly scope: string;
  readonly key: string;
  readonly owner: string;
}

export interface IdempotencyRecord {
  readonly scope: string;
  readonly key: string;
  readonly status: IdempotencyStatus;
  readonly expiresAtMs: number;
  /** While in progress. */
  readonly inProgressUntilMs?: number;
  readonly fingerprint?: string;
  readonly executionId?: string;
  readonly completedAt?: string;
  readonly result?: unknown;
  readonly error?: ErrorEnvelope;
  /** True when there was a result that could not be stored. */
  readonly resultOmitted: boolean;
}

export type IdempotencyStart =
  /** `replayed`: the same durable execution had begun it before. */
  | { readonly outcome: 'created'; readonly handle: IdempotencyHandle; readonly replayed: boolean }
  | { readonly outcome: 'already_in_progress'; readonly retryAfterMs: number }
  | { readonly outcome: 'already_completed'; readonly record: IdempotencyRecord };

export interface CompleteIdempotencyInput {
  /** A JSON value, stored as it is; more than 350,000 bytes are left out and marked so. */
  readonly result?: unknown;
  /** Instead of a result. */
  readonly error?: unknown;
  /** Instead of both: there is a result that is not to be stored. */
  readonly resultOmitted?: boolean;
  /** Counts from the completion; 86,400. */
  readonly resultTtlSeconds?: number;
}

/**
 * A ledger for work. Every mutation is one conditional write; what is expired counts as absent.
 *
 * Every method throws JobLedgerError `jobs.invalid_input`, and `jobs.internal_error` when the store fails.
 */
export interface JobLedger {
  /** The clock that decides what is expired. */
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  /** Where what cannot be thrown is told. */
  readonly log: Logger;
  /** @throws JobLedgerError conflict `exists` */
  createJob(input: CreateJobInput, options?: CallOptions): Promise<Job>;
  /** @throws JobLedgerError not_found; conflict `version` or `transition` with status and version in `details` */
  transitionJob(input: TransitionJobInput, options?: CallOptions): Promise<Job>;
  /** A job of another tenant than the given one is absent. */
  getJob(
    input: { readonly jobId: string; readonly tenantId?: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<Job | undefined>;
  listJobs(input: ListJobsInput, options?: CallOptions): Promise<Page<Job>>;
  /** Outcomes in input order; one bad record never rejects the call. When the signal aborts, nothing further starts. */
  createRecords(input: CreateRecordsInput, options?: CallOptions): Promise<RecordOutcome[]>;
  /** Outcomes as {@link createRecords}. */
  transitionRecords(input: TransitionRecordsInput, options?: CallOptions): Promise<RecordOutcome[]>;
  /** @throws JobLedgerError not_found; conflict `transition` with the status in `details` */
  transitionRecord(input: TransitionRecordInput, options?: CallOptions): Promise<JobRecord>;
  getRecord(
    input: { readonly jobId: string; readonly recordId: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<JobRecord | undefined>;
  /** In the order of their ids. */
  listRecords(input: ListRecordsInput, options?: CallOptions): Promise<Page<JobRecord>>;
  /** @throws JobLedgerError conflict `lease_held` with `retryAfterMs` in `details` */
  acquireLease(
    input: { readonly name: string; readonly owner: string; readonly durationMs?: number },
    options?: CallOptions,
  ): Promise<Lease>;
  /** @throws JobLedgerError conflict `lease_lost` */
  refreshLease(lease: Lease, durationMs?: number, options?: CallOptions): Promise<Lease>;
  /** @throws JobLedgerError conflict `lease_lost` when somebody else holds it; absent, free or expired is done */
  releaseLease(lease: Lease, options?: CallOptions): Promise<void>;
  /** `undefined` when nobody holds it. */
  getLease(name: string, options?: CallOptions): Promise<Lease | undefined>;
  /** @throws JobLedgerError conflict `semaphore_full` or `contended` with `retryAfterMs` in `details` */
  acquireSlot(
    input: {
      readonly scope: string;
      readonly subject: string;
      readonly limit: number;
      readonly owner: string;
      readonly durationMs?: number;
    },
    options?: CallOptions,
  ): Promise<Slot>;
  /** @throws JobLedgerError conflict `lease_lost` */
  refreshSlot(slot: Slot, durationMs?: number, options?: CallOptions): Promise<Slot>;
  /** @throws JobLedgerError conflict `lease_lost` when somebody else holds it */
  releaseSlot(slot: Slot, options?: CallOptions): Promise<void>;
  inspectSemaphore(
    input: { readonly scope: string; readonly subject: string },
    options?: CallOptions,
  ): Promise<{ readonly occupancy: number; readonly slots: readonly Slot[] }>;
  /** @throws JobLedgerError conflict `payload_mismatch` */
  beginIdempotency(input: BeginIdempotencyInput, options?: CallOptions): Promise<IdempotencyStart>;
  /** @throws JobLedgerError not_found; conflict `already_completed` with the stored outcome in `details`, `owner_lost` */
  completeIdempotency(
    handle: IdempotencyHandle,
    outcome: CompleteIdempotencyInput,
    options?: CallOptions,
  ): Promise<void>;
  /** Frees the key. @throws JobLedgerError conflict `already_completed`, `owner_lost` */
  abandonIdempotency(handle: IdempotencyHandle, options?: CallOptions): Promise<void>;
  getIdempotencyRecord(
    input: { readonly scope: string; readonly key: string },
    options?: CallOptions,
  ): Promise<IdempotencyRecord | undefined>;
}
