import type { FullClock, IdGenerator, Logger } from '@sallyport/core';
import type {
  BeginIdempotencyInput,
  CompleteIdempotencyInput,
  IdempotencyHandle,
  IdempotencyRecord,
  IdempotencyStart,
  RenewIdempotencyInput,
} from '../idempotency/record.js';
import type {
  ClaimedRecord,
  ClaimNextInput,
  CreateJobInput,
  CreateRecordsInput,
  Job,
  JobRecord,
  ListJobsInput,
  ListRecordsInput,
  ReapedRecords,
  ReapRecordsInput,
  RecordOutcome,
  TransitionJobInput,
  TransitionRecordInput,
  TransitionRecordsInput,
} from './job.js';

/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call: it rejects with the signal's reason. A write in progress may still be applied. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that stores the outcome of work. */
export interface EndOptions extends CallOptions {
  /**
   * Remaining milliseconds of the caller, such as `ctx.remainingMs`. While the table is unavailable, the change is retried until one
   * second before their end, with one id, so that it is applied once. Default, and for 0: only the retries of the SDK.
   */
  readonly remainingMs?: number | undefined;
}

/** One page of a list. */
export interface Page<T> {
  /** The entries. A page may have fewer entries than the limit, even if there are more pages. */
  readonly items: readonly T[];
  /** Pass it to the next call for the next page. Only a missing cursor means the end. */
  readonly cursor?: string;
}

/** A held lease. */
export interface Lease {
  /** Name of the lease. */
  readonly name: string;
  /** Unique for this acquisition. */
  readonly id: string;
  /** A label for display. Two acquisitions by the same owner are independent. */
  readonly owner: string;
  /** The fencing token: it increases with every acquisition. The resource must reject a smaller token. */
  readonly token: number;
  /** End of the lease, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/** A held slot of a semaphore. */
export interface Slot {
  /** First part of the semaphore's name: the limited resource. */
  readonly scope: string;
  /** Second part of the semaphore's name: the user of the resource. */
  readonly subject: string;
  /** Its number, 0 to `limit` - 1. */
  readonly slot: number;
  /** Unique for this acquisition. */
  readonly id: string;
  /** A label for display. */
  readonly owner: string;
  /** End of the slot, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/**
 * A ledger for jobs, leases and idempotency keys. Each change is one conditional write. Expired items count as absent.
 *
 * Every method throws JobLedgerError `jobs.invalid_input`, and `jobs.internal_error` if the store fails.
 */
export interface JobLedger {
  /**
   * Loads the client and opens a connection, so that the first event does not wait. Call it in the init phase. Costs half a read
   * unit.
   */
  warm(options?: CallOptions): Promise<void>;
  /**
   * The clock for expiry. If clocks of instances differ, the end of leases, slots, claims and keys differs by the same time.
   * Fencing tokens, claim ids and attempts do not depend on clocks.
   */
  readonly clock: FullClock;
  /** Creates the ids of leases, slots and owners. */
  readonly ids: IdGenerator;
  /** Logs failures that no call throws, such as a lease that could not be released. */
  readonly log: Logger;
  /**
   * Creates a job.
   *
   * @throws JobLedgerError conflict `exists`
   */
  createJob(input: CreateJobInput, options?: CallOptions): Promise<Job>;
  /**
   * Changes the status of a job, according to `JOB_TRANSITIONS`.
   *
   * @throws JobLedgerError not_found; conflict `version` or `transition` with status and version in `details`
   */
  transitionJob(input: TransitionJobInput, options?: EndOptions): Promise<Job>;
  /** Reads a job; `undefined` if absent. With `tenantId`, a job of another tenant is absent. */
  getJob(
    input: { readonly jobId: string; readonly tenantId?: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<Job | undefined>;
  /** Reads one page of a tenant's jobs. */
  listJobs(input: ListJobsInput, options?: CallOptions): Promise<Page<Job>>;
  /**
   * Creates records. The outcomes are in input order. An invalid record does not reject the call. When the signal aborts, no
   * further write starts.
   */
  createRecords(input: CreateRecordsInput, options?: CallOptions): Promise<RecordOutcome[]>;
  /** Changes the status of records. Outcomes are as for {@link createRecords}. */
  transitionRecords(input: TransitionRecordsInput, options?: EndOptions): Promise<RecordOutcome[]>;
  /**
   * Changes the status of a record, according to `RECORD_TRANSITIONS`. Finishing a record of a job with `recordCount` also
   * counts it, in one transaction.
   *
   * @throws JobLedgerError not_found; conflict `transition` with the status in `details`, `claim_lost` with status and attempts
   */
  transitionRecord(input: TransitionRecordInput, options?: EndOptions): Promise<JobRecord>;
  /** Reads a record; `undefined` if absent. With `tenantId`, a record of another tenant's job is absent. */
  getRecord(
    input: {
      readonly jobId: string;
      readonly recordId: string;
      readonly tenantId?: string;
      readonly consistent?: boolean;
    },
    options?: CallOptions,
  ): Promise<JobRecord | undefined>;
  /**
   * Claims a waiting record, or a record with an expired claim, and counts an attempt; `undefined` if there is no such record.
   * Finishing it requires the claim's `id` or the number of attempts.
   */
  claimNext(input: ClaimNextInput, options?: CallOptions): Promise<ClaimedRecord | undefined>;
  /**
   * Extends a claim to `durationMs` from now (1,000 to 900,000, default 60,000).
   *
   * @throws JobLedgerError conflict `claim_lost` if the claim or the record has ended
   */
  heartbeatRecord(
    input: {
      readonly jobId: string;
      readonly recordId: string;
      readonly claimId: string;
      readonly durationMs?: number;
    },
    options?: CallOptions,
  ): Promise<ClaimedRecord>;
  /**
   * Releases records whose claim has expired, up to 1,000 records of the job in each call. A worker that continues later is
   * rejected with `claim_lost`.
   */
  reapRecords(input: ReapRecordsInput, options?: CallOptions): Promise<ReapedRecords>;
  /** Reads one page of a job's records, in the order of their ids. */
  listRecords(input: ListRecordsInput, options?: CallOptions): Promise<Page<JobRecord>>;
  /**
   * Acquires a lease for `durationMs`, 1,000 to 900,000, default 30,000.
   *
   * @throws JobLedgerError conflict `lease_held` with `retryAfterMs` in `details`
   */
  acquireLease(
    input: { readonly name: string; readonly owner: string; readonly durationMs?: number },
    options?: CallOptions,
  ): Promise<Lease>;
  /**
   * Extends a lease to `durationMs` from now. The token does not change.
   *
   * @throws JobLedgerError conflict `lease_lost`
   */
  refreshLease(lease: Lease, durationMs?: number, options?: CallOptions): Promise<Lease>;
  /**
   * Releases a lease. A missing, free or expired lease counts as released.
   *
   * @throws JobLedgerError conflict `lease_lost` if another acquisition holds it
   */
  releaseLease(lease: Lease, options?: CallOptions): Promise<void>;
  /** Reads the holder of a lease; `undefined` if it is free. The read is consistent (one read unit) unless `consistent` is false. */
  getLease(name: string, options?: CallOptions & { readonly consistent?: boolean }): Promise<Lease | undefined>;
  /**
   * Acquires one of `limit` slots (1 to 256) of a semaphore for `durationMs`, 1,000 to 900,000, default 30,000.
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
   * Extends a slot to `durationMs` from now.
   *
   * @throws JobLedgerError conflict `lease_lost`
   */
  refreshSlot(slot: Slot, durationMs?: number, options?: CallOptions): Promise<Slot>;
  /**
   * Releases a slot. A missing or expired slot counts as released.
   *
   * @throws JobLedgerError conflict `lease_lost` if another acquisition holds it
   */
  releaseSlot(slot: Slot, options?: CallOptions): Promise<void>;
  /** Reads the held slots of a semaphore. */
  inspectSemaphore(
    input: { readonly scope: string; readonly subject: string },
    options?: CallOptions,
  ): Promise<{ readonly occupancy: number; readonly slots: readonly Slot[] }>;
  /**
   * Acquires an idempotency key, or returns its state.
   *
   * @throws JobLedgerError conflict `payload_mismatch` if the key was started with another fingerprint
   */
  beginIdempotency(input: BeginIdempotencyInput, options?: CallOptions): Promise<IdempotencyStart>;
  /**
   * Extends the time for which a key is blocked by its owner to `inProgressMs` from now.
   *
   * @throws JobLedgerError conflict `already_completed`, `owner_lost`
   */
  renewIdempotency(handle: IdempotencyHandle, input: RenewIdempotencyInput, options?: CallOptions): Promise<void>;
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
   * Releases a key, so that the next call runs again.
   *
   * @throws JobLedgerError conflict `already_completed`, `owner_lost`
   */
  abandonIdempotency(handle: IdempotencyHandle, options?: CallOptions): Promise<void>;
  /** Reads the record of a key; `undefined` if absent. */
  getIdempotencyRecord(
    input: { readonly scope: string; readonly key: string },
    options?: CallOptions,
  ): Promise<IdempotencyRecord | undefined>;
}
