// Made from kinds/*.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type {
  EventContext,
  EventHandler,
  EventMiddleware,
  EventSource,
  KeylessEventContext,
} from '@sallyport/streams/delivery';
export type { TriggersErrorCode } from './errors.js';
export { type Drop, drop } from './internal/drop.js';
export type { AwsSender, SenderOptions } from './internal/sender.js';
export { type SurfaceCondition, type SurfaceRow, TriggerSurface } from './internal/surface.js';
export { type Alarm, AlarmAction, alarmAction } from './kinds/alarm.js';
export {
  type AlexaAnswer,
  type AlexaHandler,
  type AlexaRequest,
  AlexaSkill,
  type AlexaSkillOptions,
  alexaSkill,
} from './kinds/alexa-skill.js';
export {
  type AppSyncAllowance,
  AppSyncAuthorizer,
  type AppSyncAuthorizerAnswer,
  type AppSyncAuthorizerRequest,
  AppSyncDecision,
  appSyncAuthorizer,
} from './kinds/appsync-authorizer.js';
export {
  AppSyncEvents,
  appSyncEvents,
  type PublishedEvent,
  type PublishHandler,
  type PublishResult,
  type SubscribeHandler,
  type Subscription,
} from './kinds/appsync-events.js';
export {
  type AllowOptions,
  AuthorizerAnswer,
  type AuthorizerPolicy,
  type AuthorizerRequest,
  type AuthorizerValues,
  allow,
  type DenyOptions,
  deny,
  type RequestAuthorizer,
  type RequestAuthorizerOptions,
  requestAuthorizer,
  type SimpleAuthorizerAnswer,
  TokenAuthorizer,
  type TokenAuthorizerOptions,
  type TokenRequest,
  tokenAuthorizer,
  unauthorized,
} from './kinds/authorizer-token.js';
export {
  type AgentAction,
  type AgentActionHandler,
  type AgentAnswer,
  BedrockAgent,
  bedrockAgent,
} from './kinds/bedrock-agent.js';
export { BedrockFlow, bedrockFlow, type FlowNode, type FlowNodeHandler } from './kinds/bedrock-flow.js';
export { type CodeCommitPush, type CodeCommitReference, CodeCommitTrigger, codeCommit } from './kinds/codecommit.js';
export { CodeDeployHook, codeDeployHook, type DeploymentHook, type DeploymentHookHandler } from './kinds/codedeploy.js';
export {
  CodePipelineJob,
  codePipelineJob,
  type PipelineJob,
  type PipelineJobHandler,
  type PipelineResult,
} from './kinds/codepipeline.js';
export {
  type CognitoEvent,
  type CognitoHandler,
  CognitoTrigger,
  type CognitoTriggerSource,
  cognitoTrigger,
} from './kinds/cognito.js';
export {
  type ConfigCheck,
  type ConfigCompliance,
  type ConfigEvaluation,
  type ConfigRuleHandler,
  ConfigRules,
  configRules,
} from './kinds/config-rule.js';
export {
  type ConnectContact,
  ConnectFlow,
  type ConnectFlowOptions,
  type ConnectHandler,
  connectFlow,
} from './kinds/connect.js';
export {
  CustomResource,
  type CustomResourceOptions,
  customResource,
  type ResourceHandler,
  type ResourceHandlers,
  type ResourceRequest,
  type ResourceResult,
  type ResponseFetch,
} from './kinds/custom-resource.js';
export { type InvocationRecord, LambdaDestination, lambdaDestination } from './kinds/destination.js';
export { type DocumentChange, DocumentDbTrigger, documentDb } from './kinds/documentdb.js';
export {
  type FirehoseHandler,
  type FirehoseOutput,
  type FirehoseRecord,
  type FirehoseResult,
  FirehoseTransform,
  firehoseTransform,
} from './kinds/firehose.js';
export { ApiIntegration, apiIntegration, type MappedRequest, type MappedRequestHandler } from './kinds/integration.js';
export {
  buildInvocation,
  DirectInvoke,
  type DirectInvokeOptions,
  directInvoke,
  type InvocationPayload,
  type InvokeOptions,
} from './kinds/invoke.js';
export {
  connectDevice,
  type DeviceAuthorizer,
  type DeviceConnection,
  type DeviceOptions,
  IotAuthorizer,
  iotAuthorizer,
} from './kinds/iot-authorizer.js';
export { type IotMessage, type IotRuleOptions, IotRuleTrigger, iotRule } from './kinds/iot-rule.js';
export {
  type KafkaRecord,
  type KafkaReport,
  KafkaTrigger,
  type KafkaTriggerOptions,
  kafkaJson,
  kafkaTrigger,
} from './kinds/kafka.js';
export { LatticeDoor, latticeDoor } from './kinds/lattice.js';
export { type LexAnswer, LexBot, type LexHandler, type LexMessage, type LexTurn, lexBot } from './kinds/lex.js';
export { type LogSubscription, LogsTrigger, type LogsTriggerOptions, logsTrigger } from './kinds/logs.js';
export { type MqMessage, MqTrigger, mqTrigger } from './kinds/mq.js';
export { type PipeHandler, type PipeRecord, PipeTrigger, pipe } from './kinds/pipe.js';
export { compareSequencers, type S3Object, S3Trigger, s3Trigger } from './kinds/s3.js';
export {
  S3Batch,
  type S3BatchAnswer,
  type S3BatchHandler,
  type S3BatchResult,
  type S3BatchTask,
  s3Batch,
} from './kinds/s3-batch.js';
export {
  SecretRotation,
  type SecretRotationStep,
  type SecretRotationSteps,
  secretRotation,
} from './kinds/secret-rotation.js';
export {
  type SesDisposition,
  type SesHandler,
  type SesMessage,
  SesTrigger,
  type SesTriggerOptions,
  sesTrigger,
} from './kinds/ses.js';
export { type StateTask, type StateTaskHandler, StateTasks, stateTask, type TaskTokenOptions } from './kinds/task.js';
export {
  acceptUser,
  type TransferAuthenticator,
  TransferIdentity,
  type TransferSignIn,
  type TransferUser,
  transferIdentity,
} from './kinds/transfer.js';
export {
  type DashboardView,
  DashboardWidget,
  dashboardWidget,
  type WidgetHandler,
  type WidgetOptions,
} from './kinds/widget.js';
export {
  type TumblingWindow,
  tumblingWindow,
  type WindowAnswer,
  type WindowHandlers,
  WindowTrigger,
} from './kinds/window.js';
