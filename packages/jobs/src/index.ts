export { type ErrorEnvelope, StoredError, toErrorEnvelope } from './error-envelope.js';
export {
  type ConflictReason,
  JOB_LEDGER_ERROR_TYPES,
  type JobErrorCode,
  JobLedgerError,
  type JobLedgerErrorCode,
  type JobLedgerErrorInit,
  type JobLedgerErrorType,
  type JobLedgerReason,
} from './errors.js';
export type { EventBusStore, EventQuery, PublishInput, StoredEvent } from './event-bus/event-bus.js';
export { createEventBusStore, type EventBusStoreOptions } from './event-bus/event-store.js';
export {
  type IdempotentContext,
  type IdempotentHandlerOptions,
  type IdempotentHandlerOptionsFor,
  idempotentHandler,
} from './idempotency/idempotent-handler.js';
export {
  type BeginIdempotencyInput,
  type CompleteIdempotencyInput,
  IDEMPOTENCY_STATUSES,
  type IdempotencyHandle,
  type IdempotencyRecord,
  type IdempotencyStart,
  type IdempotencyStatus,
  type RenewIdempotencyInput,
} from './idempotency/record.js';
export {
  type IdempotentRun,
  type RunIdempotentOptions,
  runIdempotent,
  type Stored,
} from './idempotency/run-idempotent.js';
export { type HttpIdempotencyOptions, withIdempotency } from './idempotency/with-idempotency.js';
export {
  type HeldLease,
  type HeldSlot,
  type HoldOptions,
  type WithLeaseOptions,
  type WithSlotOptions,
  withLease,
  withSlot,
} from './leases/with-lease.js';
export { createJobLedger, type JobLedgerOptions } from './ledger/create-job-ledger.js';
export {
  type ClaimedRecord,
  type ClaimNextInput,
  type CreateJobInput,
  type CreateRecordsInput,
  JOB_STATUSES,
  JOB_TRANSITIONS,
  type Job,
  type JobProgress,
  type JobRecord,
  type JobStatus,
  type ListJobsInput,
  type ListRecordsInput,
  RECORD_STATUSES,
  RECORD_TRANSITIONS,
  type ReapedRecords,
  type ReapRecordsInput,
  type RecordChange,
  type RecordClaim,
  type RecordOutcome,
  type RecordStatus,
  type TransitionJobInput,
  type TransitionOutcome,
  type TransitionRecordInput,
  type TransitionRecordsInput,
} from './ledger/job.js';
export type { CallOptions, EndOptions, JobLedger, JsonValue, Lease, Page, Slot } from './ledger/ledger.js';
export {
  createMemoryEventBusStore,
  createMemoryJobLedger,
  createMemoryTable,
  type MemoryLedgerOptions,
  type MemoryTable,
} from './ledger/memory-ledger.js';
