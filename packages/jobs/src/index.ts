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
} from './event-bus.js';
export { type IdempotentContext, type IdempotentHandlerOptions, idempotentHandler } from './idempotent-handler.js';
export { createJobLedger, type JobLedgerOptions } from './job-ledger.js';
export type * from './ledger.js';
export { type RunIdempotentOptions, runIdempotent } from './run-idempotent.js';
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
} from './states.js';
export { StoredError } from './stored-error.js';
// Work
export {
  type HttpIdempotencyOptions,
  withIdempotency,
} from './with-idempotency.js';
export {
  type HeldLease,
  type HeldSlot,
  type HoldOptions,
  type WithLeaseOptions,
  type WithSlotOptions,
  withLease,
  withSlot,
} from './with-lease.js';
