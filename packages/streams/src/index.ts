// Events and their handlers
export type { EventContext, EventHandler, EventMiddleware } from './batch/handler.js';
export type { StreamsErrorCode } from './errors.js';
// Log subscriptions
export {
  decodeCloudWatchLogsSubscription,
  type LogSubscription,
  type LogSubscriptionEvent,
  type LogSubscriptionRecord,
  type LogSubscriptionSummary,
} from './log-subscription/decode.js';
// Producers
export {
  createKinesisJsonRecord,
  type KinesisJsonRecord,
  type KinesisJsonRecordInput,
  type PutRecordsEntry,
  toPutRecordsEntry,
} from './producer/kinesis-record.js';
export {
  type PutRecordsFailure,
  type PutRecordsReport,
  type PutRecordsResult,
  reportKinesisPutRecordsFailures,
} from './producer/put-failures.js';
export { createEventRouter, type Entrypoint, type EventRouter } from './router/event-router.js';
export type { EventRouterOptions, StreamFailureIdentifier } from './router/options.js';
export type { QueueOptions, StreamOptions, Trigger } from './router/registration.js';
export type { EventBusSelector } from './sources/event-bus.js';
export type * from './sources/event-types.js';
export { recordBytes, recordJson } from './sources/records.js';
export type { EventSource } from './sources/source.js';
export { type TableStreamSummary, tableStreamSummary } from './sources/table-stream.js';
// Workload envelopes
export { type EventBusEnvelope, eventBusEnvelope, requireEventBusEnvelope } from './workloads/event-bus.js';
export { type ScheduledResult, type ScheduledSummary, scheduledSummary } from './workloads/scheduled.js';
