// Errors
export { type ErrorEnvelope, toErrorEnvelope } from './error-envelope.js';
export {
  type ConflictReason,
  JOB_LEDGER_ERROR_TYPES,
  JobLedgerError,
  type JobLedgerErrorCode,
  type JobLedgerErrorInit,
  type JobLedgerErrorType,
  type JobLedgerReason,
} from './errors.js';
// Event store
export {
  createEventBusStore,
  type EventBusStore,
  type EventBusStoreOptions,
  type EventQuery,
  type PublishInput,
  type StoredEvent,
} from './event-bus/event-bus.js';
export {
  type IdempotentContext,
  type IdempotentHandlerOptions,
  idempotentHandler,
} from './idempotency/idempotent-handler.js';
export { type RunIdempotentOptions, runIdempotent } from './idempotency/run-idempotent.js';
// Work
export {
  type HttpIdempotencyOptions,
  withIdempotency,
} from './idempotency/with-idempotency.js';
export {
  type HeldLease,
  type HeldSlot,
  type HoldOptions,
  type WithLeaseOptions,
  type WithSlotOptions,
  withLease,
  withSlot,
} from './leases/with-lease.js';
export { createJobLedger, type JobLedgerOptions } from './ledger/job-ledger.js';
export type * from './ledger/ledger.js';
// States
export {
  IDEMPOTENCY_STATUSES,
  type IdempotencyStatus,
  JOB_STATUSES,
  JOB_TRANSITIONS,
  type JobStatus,
  RECORD_STATUSES,
  RECORD_TRANSITIONS,
  type RecordStatus,
} from './ledger/states.js';
export { StoredError } from './stored-error.js';
