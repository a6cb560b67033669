// Events and their handlers
export type { EventContext, EventHandler, EventMiddleware } from './context.js';
// Workload envelopes
export { type EventBusEnvelope, eventBusEnvelope, requireEventBusEnvelope } from './envelope.js';
export type { StreamsErrorCode } from './errors.js';
export type * from './event-types.js';
// Producers
export {
  createKinesisJsonRecord,
  type KinesisJsonRecord,
  type KinesisJsonRecordInput,
  type PutRecordsEntry,
  toPutRecordsEntry,
} from './kinesis-record.js';
// Log subscriptions
export {
  decodeCloudWatchLogsSubscription,
  type LogSubscription,
  type LogSubscriptionEvent,
  type LogSubscriptionRecord,
  type LogSubscriptionSummary,
} from './log-subscription.js';
export type { EventRouterOptions, StreamFailureIdentifier } from './options.js';
export {
  type PutRecordsFailure,
  type PutRecordsReport,
  type PutRecordsResult,
  reportKinesisPutRecordsFailures,
} from './put-records.js';
export { recordBytes, recordJson } from './records.js';
export type { QueueOptions, StreamOptions, Trigger } from './registration.js';
export { createEventRouter, type Entrypoint, type EventRouter } from './router.js';
export { type ScheduledResult, type ScheduledSummary, scheduledSummary } from './scheduled.js';
export type { EventBusSelector } from './selectors.js';
export type { EventSource } from './sources.js';
export { type TableStreamSummary, tableStreamSummary } from './table-summary.js';
