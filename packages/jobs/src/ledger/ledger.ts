import type { FullClock, IdGenerator, Logger } from '@sallyport/core';
import type { CallOptions, Page } from '../calls.js';
import type {
  BeginIdempotencyInput,
  CompleteIdempotencyInput,
  IdempotencyHandle,
  IdempotencyRecord,
  IdempotencyStart,
} from '../idempotency/record.js';
import type { Lease, Slot } from '../leases/lease.js';
import type {
  CreateJobInput,
  CreateRecordsInput,
  Job,
  JobRecord,
  ListJobsInput,
  ListRecordsInput,
  RecordOutcome,
  TransitionJobInput,
  TransitionRecordInput,
  TransitionRecordsInput,
} from './job.js';

/**
 * A ledger for work. Every mutation is one conditional write; what is expired counts as absent.
 *
 * Every method throws JobLedgerError `jobs.invalid_input`, and `jobs.internal_error` when the store fails.
 */
export interface JobLedger {
  /** The clock that decides what is expired. */
  readonly clock: FullClock;
  /** Makes the ids of leases, slots and owners. */
  readonly ids: IdGenerator;
  /** Gets failures that no call can throw, such as a lease that could not be released. */
  readonly log: Logger;
  /**
   * Makes a job.
   *
   * @throws JobLedgerError conflict `exists`
   */
  createJob(input: CreateJobInput, options?: CallOptions): Promise<Job>;
  /**
   * Gives a job another status, along `JOB_TRANSITIONS`.
   *
   * @throws JobLedgerError not_found; conflict `version` or `transition` with status and version in `details`
   */
  transitionJob(input: TransitionJobInput, options?: CallOptions): Promise<Job>;
  /** Reads a job; `undefined` when there is none. With `tenantId`, a job of another tenant is absent. */
  getJob(
    input: { readonly jobId: string; readonly tenantId?: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<Job | undefined>;
  /** Reads one page of a tenant's jobs. */
  listJobs(input: ListJobsInput, options?: CallOptions): Promise<Page<Job>>;
  /**
   * Makes records. Outcomes are in input order; a bad record never rejects the call. When the signal aborts, no further write
   * starts.
   */
  createRecords(input: CreateRecordsInput, options?: CallOptions): Promise<RecordOutcome[]>;
  /** Gives records other statuses. Outcomes are as those of {@link createRecords}. */
  transitionRecords(input: TransitionRecordsInput, options?: CallOptions): Promise<RecordOutcome[]>;
  /**
   * Gives a record another status, along `RECORD_TRANSITIONS`.
   *
   * @throws JobLedgerError not_found; conflict `transition` with the status in `details`
   */
  transitionRecord(input: TransitionRecordInput, options?: CallOptions): Promise<JobRecord>;
  /** Reads a record; `undefined` when there is none. */
  getRecord(
    input: { readonly jobId: string; readonly recordId: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<JobRecord | undefined>;
  /** Reads one page of a job's records, in the order of their ids. */
  listRecords(input: ListRecordsInput, options?: CallOptions): Promise<Page<JobRecord>>;
  /**
   * Takes a lease for `durationMs`, 1,000 to 900,000, default 30,000.
   *
   * @throws JobLedgerError conflict `lease_held` with `retryAfterMs` in `details`
   */
  acquireLease(
    input: { readonly name: string; readonly owner: string; readonly durationMs?: number },
    options?: CallOptions,
  ): Promise<Lease>;
  /**
   * Lets a lease end `durationMs` from now. The token stays the same.
   *
   * @throws JobLedgerError conflict `lease_lost`
   */
  refreshLease(lease: Lease, durationMs?: number, options?: CallOptions): Promise<Lease>;
  /**
   * Ends a lease. One that is absent, free or expired counts as released.
   *
   * @throws JobLedgerError conflict `lease_lost` when another acquisition holds it
   */
  releaseLease(lease: Lease, options?: CallOptions): Promise<void>;
  /** Reads who holds a lease; `undefined` when it is free. */
  getLease(name: string, options?: CallOptions): Promise<Lease | undefined>;
  /**
   * Takes one of `limit` slots (1 to 256) of a semaphore for `durationMs`, 1,000 to 900,000, default 30,000.
   *
   * @throws JobLedgerError conflict `semaphore_full` or `contended` with `retryAfterMs` in `details`
   */
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
  /**
   * Lets a slot end `durationMs` from now.
   *
   * @throws JobLedgerError conflict `lease_lost`
   */
  refreshSlot(slot: Slot, durationMs?: number, options?: CallOptions): Promise<Slot>;
  /**
   * Frees a slot. One that is absent or expired counts as released.
   *
   * @throws JobLedgerError conflict `lease_lost` when another acquisition holds it
   */
  releaseSlot(slot: Slot, options?: CallOptions): Promise<void>;
  /** Reads the slots of a semaphore that are taken. */
  inspectSemaphore(
    input: { readonly scope: string; readonly subject: string },
    options?: CallOptions,
  ): Promise<{ readonly occupancy: number; readonly slots: readonly Slot[] }>;
  /**
   * Takes an idempotency key, or tells what became of it.
   *
   * @throws JobLedgerError conflict `payload_mismatch` when the key was begun with another fingerprint
   */
  beginIdempotency(input: BeginIdempotencyInput, options?: CallOptions): Promise<IdempotencyStart>;
  /**
   * Stores the outcome of a key.
   *
   * @throws JobLedgerError not_found; conflict `already_completed` with the stored outcome in `details`, `owner_lost`
   */
  completeIdempotency(
    handle: IdempotencyHandle,
    outcome: CompleteIdempotencyInput,
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Frees a key, so that the next call runs again.
   *
   * @throws JobLedgerError conflict `already_completed`, `owner_lost`
   */
  abandonIdempotency(handle: IdempotencyHandle, options?: CallOptions): Promise<void>;
  /** Reads the record of a key; `undefined` when there is none. */
  getIdempotencyRecord(
    input: { readonly scope: string; readonly key: string },
    options?: CallOptions,
  ): Promise<IdempotencyRecord | undefined>;
}
