export { ChallengeEdge, type ChallengeEdgeProps } from './edge/challenge-edge.js';
export { CONSTRUCT_CODES, ConstructError, type ConstructErrorCode } from './errors.js';
export { type BundleFunctionProps, bundleFunction } from './function/bundle-function.js';
export type { CanaryProps } from './function/canary.js';
export type { FunctionFlags, FunctionResourceProps } from './function/function-resources.js';
export type { DurableFunctionProps } from './function/internal/durable.js';
export type { WatchedWiring } from './function/internal/watched.js';
export { ServiceAlarms, type ServiceAlarmsProps } from './function/service-alarms.js';
export { ServiceDashboard, type ServiceDashboardProps } from './function/service-dashboard.js';
export { ServiceFunction } from './function/service-function.js';
export type { ServiceFunctionProps } from './function/service-function-props.js';
export {
  type EventChannel,
  EventChannels,
  type EventChannelsMappingProps,
  type EventChannelsProps,
} from './graphql/event-channels.js';
export { GraphqlApi, type GraphqlApiProps, type GraphqlField, GraphqlResolvers } from './graphql/graphql-api.js';
export { AlbTarget, type AlbTargetProps } from './http/alb-target.js';
export { ApiDomain, type ApiDomainProps, type ApiDomainTarget } from './http/api-domain.js';
export { ApiGatewayAccount } from './http/api-gateway-account.js';
export { ApiAuthorization } from './http/authorization.js';
export type { CatchAllOptions, ContainerKind, DoorRoute, IHttpDoor } from './http/door.js';
export { FunctionUrl, FunctionUrlAuth, type FunctionUrlProps } from './http/function-url.js';
export { HttpApi, type HttpApiProps } from './http/http-api.js';
export type { LambdaAuthorizerProps } from './http/lambda-authorizer.js';
export { RestApi, type RestApiProps } from './http/rest-api.js';
export { RestEndpoint } from './http/rest-endpoint.js';
export { SharedHttpApi, type SharedHttpApiProps } from './http/shared-http-api.js';
export { SharedRestApi, type SharedRestApiProps } from './http/shared-rest-api.js';
export type { ApiUsagePlan } from './http/usage-plan.js';
export { WebAcl, type WebAclProps } from './http/web-acl.js';
export { WebSocketApi, type WebSocketApiProps } from './http/websocket-api.js';
export {
  type AgentCoreMappingProps,
  AgentCoreTarget,
  type AgentCoreTargetProps,
  type AgentCoreTool,
} from './mcp/agent-core-target.js';
export { McpAuthorization, type McpAuthorizationProps } from './mcp/mcp-authorization.js';
export { McpServer, type McpServerProps } from './mcp/mcp-server.js';
export { Challenge, McpSessions } from './mcp/sessions.js';
export { ManagedConnectors } from './microvm/managed-connectors.js';
export { MicrovmController, type MicrovmControllerProps } from './microvm/microvm-controller.js';
export { MicrovmImage, type MicrovmImageProps } from './microvm/microvm-image.js';
export type { HttpDoorKind, ServiceDoors, ServiceGraphql, ServiceWebSocket } from './service/internal/doors.js';
export type { ServiceTables } from './service/internal/tables.js';
export { Routes } from './service/routes.js';
export { Service } from './service/service.js';
export type { ServiceProps, ServiceSplit } from './service/service-props.js';
export { type CreatedSources, Source } from './service/source.js';
export type { ServiceStage } from './service/stage.js';
export {
  type BindTableProps,
  StateTable,
  type StateTableProps,
  TableAccess,
  type TableDefinition,
  type TableSchema,
} from './state/state-table.js';
export { ConnectionsTable, EventBusTable, JobsTable, McpTable, MicrovmTable, RateLimitTable } from './state/tables.js';
export { type BindBucketProps, ObjectBucket, type ObjectBucketProps } from './storage/object-bucket.js';
export { VectorIndex, type VectorIndexProps } from './storage/vector-index.js';
export {
  VersionedArtifactBucket,
  type VersionedArtifactBucketProps,
} from './storage/versioned-artifact-bucket.js';
export { type AlarmMappingProps, AlarmTrigger, type AlarmTriggerProps } from './triggers/alarm-trigger.js';
export { type CognitoMappingProps, CognitoTrigger, type CognitoTriggerProps } from './triggers/cognito-trigger.js';
export {
  type CustomResourceMappingProps,
  CustomResourceTrigger,
  type CustomResourceTriggerProps,
} from './triggers/custom-resource-trigger.js';
export { DataStream, type DataStreamProps } from './triggers/data-stream.js';
export {
  type DocumentDbMappingProps,
  DocumentDbTrigger,
  type DocumentDbTriggerProps,
} from './triggers/documentdb-trigger.js';
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
export { type MqMappingProps, MqTrigger, type MqTriggerProps } from './triggers/mq-trigger.js';
export type { QueueMappingProps } from './triggers/queue-trigger.js';
export { QueueTrigger, type QueueTriggerProps } from './triggers/queue-trigger.js';
export { type S3MappingProps, S3Trigger, type S3TriggerProps } from './triggers/s3-trigger.js';
export { type ScheduleMappingProps, ScheduleTrigger, type ScheduleTriggerProps } from './triggers/schedule-trigger.js';
export {
  type SecretRotationMappingProps,
  SecretRotationTrigger,
  type SecretRotationTriggerProps,
} from './triggers/secret-rotation-trigger.js';
export { ServiceQueue, type ServiceQueueProps } from './triggers/service-queue.js';
export { type SesMappingProps, SesTrigger, type SesTriggerProps } from './triggers/ses-trigger.js';
export type { StreamMappingProps } from './triggers/stream-mapping.js';
export {
  StreamTrigger,
  type StreamTriggerProps,
  TableStreamTrigger,
  type TableStreamTriggerProps,
} from './triggers/stream-triggers.js';
export { type TopicMappingProps, TopicTrigger, type TopicTriggerProps } from './triggers/topic-trigger.js';
export type { ExternalAttachment } from './wiring/external.js';
export type { ContractCheck } from './wiring/internal/contract-check.js';
export {
  type EventSelector,
  type Inventoried,
  type Inventory,
  type InventoryDeployment,
  type InventoryMetrics,
  type InventoryRoute,
  type InventoryTrigger,
  type InventoryVariable,
  inventoryFromFile,
  parseInventory,
  toInventory,
} from './wiring/inventory.js';
export { type InventoryFromEntryProps, inventoryFromEntry } from './wiring/inventory-from-entry.js';
export { recordContract } from './wiring/record-contract.js';
export { type HttpWiringProps, ServiceWiring, type ServiceWiringProps } from './wiring/service-wiring.js';
