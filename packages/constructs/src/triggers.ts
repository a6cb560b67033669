export { type CognitoMappingProps, CognitoTrigger, type CognitoTriggerProps } from './triggers/cognito-trigger.js';
export { DataStream, type DataStreamProps } from './triggers/data-stream.js';
export { ErrorNotifications, type ErrorNotificationsProps } from './triggers/error-notifications.js';
export { EventBus, type EventBusProps } from './triggers/event-bus.js';
export {
  type EventRuleMappingProps,
  EventRuleTrigger,
  type EventRuleTriggerProps,
} from './triggers/event-rule-trigger.js';
export {
  type FirehoseMappingProps,
  FirehoseTransform,
  type FirehoseTransformProps,
} from './triggers/firehose-transform.js';
export { type KafkaMappingProps, KafkaTrigger, type KafkaTriggerProps } from './triggers/kafka-trigger.js';
export { LogDestination, type LogDestinationProps } from './triggers/log-destination.js';
export { LogSubscription, type LogSubscriptionProps } from './triggers/log-subscription.js';
export type { QueueMappingProps } from './triggers/queue-trigger.js';
export { QueueTrigger, type QueueTriggerProps } from './triggers/queue-trigger.js';
export { type S3MappingProps, S3Trigger, type S3TriggerProps } from './triggers/s3-trigger.js';
export { ServiceQueue, type ServiceQueueProps } from './triggers/service-queue.js';
export type { StreamMappingProps } from './triggers/stream-mapping.js';
export {
  StreamTrigger,
  type StreamTriggerProps,
  TableStreamTrigger,
  type TableStreamTriggerProps,
} from './triggers/stream-triggers.js';
export { type TopicMappingProps, TopicTrigger, type TopicTriggerProps } from './triggers/topic-trigger.js';
