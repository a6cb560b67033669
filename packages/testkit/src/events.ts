// Builders of events as AWS sends them, and the clients' view of the answers. Depends only on `core`.
export {
  GRAPHQL_PROFILE,
  type GraphQLExchange,
  graphqlDifferences,
  type WebSocketExchange,
  webSocketDifferences,
} from './answers/api-differences.js';
export {
  type ClientAnswer,
  type ClientAnswerOptions,
  clientAnswer,
  clientFailure,
} from './answers/client-answer.js';
export {
  batchDifferences,
  type Difference,
  type DifferenceTopic,
  toDifference,
} from './answers/differences.js';
export { type DoorDifferenceOptions, type DoorExchange, doorDifferences } from './answers/door-differences.js';
export {
  DOOR_PROFILES,
  type DoorFailure,
  type DoorProfile,
  type HttpDoorKind,
  isBinaryType,
  isTextBody,
  remapHeaders,
  type SentBody,
  WEBSOCKET_PROFILE,
} from './answers/door-profile.js';
export {
  STREAM_PROFILES,
  type StreamExchange,
  type StreamingDoorKind,
  type StreamProfile,
  streamDifferences,
} from './answers/stream-differences.js';
export {
  type AppSyncBatch,
  type AppSyncEvent,
  type AppSyncInfo,
  type AppSyncOptions,
  buildAppSyncBatch,
  buildAppSyncEvent,
} from './builders/appsync.js';
export {
  buildEventBusEvent,
  buildScheduledEvent,
  type EventBusEvent,
  type EventBusOptions,
  type ScheduledOptions,
} from './builders/event-bus.js';
export {
  buildAPIGatewayProxyRequest,
  type GatewayProxyEvent,
  type GatewayProxyOptions,
} from './builders/gateway-proxy.js';
export {
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  type FunctionUrlEvent,
  type FunctionUrlOptions,
  type GatewayV2Event,
  type GatewayV2Options,
  type PayloadV2,
  type RequestContextV2,
} from './builders/gateway-v2.js';
export type { HttpOptions } from './builders/http.js';
export {
  buildKinesisEvent,
  type KinesisEvent,
  type KinesisPayload,
  type KinesisRecord,
  type KinesisRecordOptions,
} from './builders/kinesis.js';
export {
  buildLoadBalancerRequest,
  type LoadBalancerEvent,
  type LoadBalancerOptions,
} from './builders/load-balancer.js';
export {
  cloudWatchLogsSubscriptionData,
  kinesisCloudWatchLogsSubscriptionRecord,
  type LogEventOptions,
  type LogSubscriptionOptions,
  type LogSubscriptionRecord,
  type LogSubscriptionRecordOptions,
} from './builders/log-subscription.js';
export {
  buildQueueEvent,
  type QueueAttributes,
  type QueueEvent,
  type QueueMessageAttribute,
  type QueueRecord,
  type QueueRecordOptions,
} from './builders/queue.js';
export type {
  Answered,
  AnswerOf,
  BatchReport,
  BodyResult,
  GatewayV1Result,
  GatewayV2Result,
  LoadBalancerResult,
} from './builders/shape.js';
export {
  type AttributeValue,
  buildTableStreamEvent,
  type TableStreamChange,
  type TableStreamEvent,
  type TableStreamRecord,
  type TableStreamRecordOptions,
} from './builders/table-stream.js';
export {
  buildTopicEvent,
  type TopicEvent,
  type TopicMessageAttribute,
  type TopicNotification,
  type TopicRecord,
  type TopicRecordOptions,
} from './builders/topic.js';
export {
  buildWebSocketEvent,
  type WebSocketEvent,
  type WebSocketEventType,
  type WebSocketOptions,
} from './builders/websocket.js';
