// Events as AWS sends them, built for tests. Needs nothing of the other packages but `core`.
export {
  type AppSyncBatch,
  type AppSyncEvent,
  type AppSyncOptions,
  buildAppSyncBatch,
  buildAppSyncEvent,
} from './events/appsync.js';
export {
  buildEventBusEvent,
  buildScheduledEvent,
  type EventBusEvent,
  type EventBusOptions,
  type ScheduledOptions,
} from './events/event-bus.js';
export {
  buildAPIGatewayProxyRequest,
  type GatewayProxyEvent,
  type GatewayProxyOptions,
} from './events/gateway-proxy.js';
export {
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  type FunctionUrlEvent,
  type FunctionUrlOptions,
  type GatewayV2Event,
  type GatewayV2Options,
} from './events/gateway-v2.js';
export {
  buildKinesisEvent,
  type KinesisEvent,
  type KinesisRecord,
  type KinesisRecordOptions,
} from './events/kinesis.js';
export { buildLoadBalancerRequest, type LoadBalancerEvent, type LoadBalancerOptions } from './events/load-balancer.js';
export {
  cloudWatchLogsSubscriptionData,
  kinesisCloudWatchLogsSubscriptionRecord,
  type LogEventOptions,
  type LogSubscriptionOptions,
  type LogSubscriptionRecord,
  type LogSubscriptionRecordOptions,
} from './events/log-subscription.js';
export { buildQueueEvent, type QueueEvent, type QueueRecord, type QueueRecordOptions } from './events/queue.js';
export type {
  Answered,
  AnswerOf,
  BatchReport,
  GatewayV1Result,
  GatewayV2Result,
  LoadBalancerResult,
} from './events/shape.js';
export {
  buildTableStreamEvent,
  type TableStreamEvent,
  type TableStreamRecord,
  type TableStreamRecordOptions,
} from './events/table-stream.js';
export { buildTopicEvent, type TopicEvent, type TopicRecord, type TopicRecordOptions } from './events/topic.js';
export {
  buildWebSocketEvent,
  type WebSocketEvent,
  type WebSocketEventType,
  type WebSocketOptions,
} from './events/websocket.js';
export type { HttpOptions } from './internal/http-parts.js';
