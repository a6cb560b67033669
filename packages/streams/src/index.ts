export type { EventContext, EventHandler, EventMiddleware, KeylessEventContext } from './batch/handler.js';
export type { StreamsErrorCode } from './errors.js';
export {
  decodeCloudWatchLogsSubscription,
  type LogSubscription,
  type LogSubscriptionEvent,
  type LogSubscriptionLimits,
  type LogSubscriptionRecord,
  type LogSubscriptionSummary,
} from './log-subscription/decode.js';
export {
  type PayloadHandler,
  type PayloadOptions,
  type PayloadPart,
  type PayloadRecord,
  payload,
  type WithBytes,
  type WithPayload,
} from './payload/payload.js';
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
export { EVENT_ROUTER_OPTION_KINDS, type EventRouterOptions, type StreamFailureIdentifier } from './router/options.js';
export type { Trigger } from './router/registry.js';
export type { EventBusEvent, EventBusSelector } from './sources/event-bus.js';
export type { StreamEvent, StreamOptions, StreamRecord, StreamRecordData } from './sources/kinesis.js';
export {
  type BatchReport,
  type QueueEvent,
  type QueueMessageAttribute,
  type QueueOptions,
  type QueueRecord,
  type QueueRecordAttributes,
  recordBytes,
  recordJson,
} from './sources/queue.js';
export type { EventSource } from './sources/source.js';
export {
  type AttributeValue,
  type ImageOf,
  type TableStreamEvent,
  type TableStreamRecord,
  type TableStreamRecordData,
  type TableStreamSummary,
  tableImage,
  tableStreamSummary,
} from './sources/table-stream.js';
export type { TopicEvent, TopicMessage, TopicMessageAttribute, TopicRecord } from './sources/topic.js';
export {
  type EventBusEnvelope,
  eventBusEnvelope,
  requireEventBusEnvelope,
  type ScheduledResult,
  type ScheduledSummary,
  scheduledSummary,
} from './workloads/event-bus.js';
