// Made from catalogue/*.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export { type AlarmEvent, type AlarmEventOptions, buildAlarmEvent } from './catalogue/alarm.js';
export { type AlexaEvent, type AlexaEventOptions, buildAlexaEvent } from './catalogue/alexa-skill.js';
export {
  type AppSyncAuthorizerEvent,
  type AppSyncAuthorizerEventOptions,
  buildAppSyncAuthorizerEvent,
} from './catalogue/appsync-authorizer.js';
export { type AppSyncEventsEventOptions, buildAppSyncEventsEvent } from './catalogue/appsync-events.js';
export {
  buildRequestAuthorizerEvent,
  buildTokenAuthorizerEvent,
  type RequestAuthorizerEventOptions,
  type TokenAuthorizerEvent,
  type TokenAuthorizerEventOptions,
} from './catalogue/authorizer-token.js';
export {
  type BedrockAgentEvent,
  type BedrockAgentEventOptions,
  buildBedrockAgentEvent,
} from './catalogue/bedrock-agent.js';
export {
  type BedrockFlowEvent,
  type BedrockFlowEventOptions,
  buildBedrockFlowEvent,
} from './catalogue/bedrock-flow.js';
export { buildCodeCommitEvent, type CodeCommitEvent, type CodeCommitEventOptions } from './catalogue/codecommit.js';
export { buildCodeDeployEvent, type CodeDeployEvent, type CodeDeployEventOptions } from './catalogue/codedeploy.js';
export {
  buildCodePipelineEvent,
  type CodePipelineEvent,
  type CodePipelineEventOptions,
} from './catalogue/codepipeline.js';
export { buildCognitoEvent, type CognitoEventOptions } from './catalogue/cognito.js';
export { buildConfigEvent, type ConfigEvent, type ConfigEventOptions } from './catalogue/config-rule.js';
export { buildConnectEvent, type ConnectEvent, type ConnectEventOptions } from './catalogue/connect.js';
export {
  buildCustomResourceEvent,
  type CustomResourceEvent,
  type CustomResourceEventOptions,
} from './catalogue/custom-resource.js';
export { buildDestinationEvent, type DestinationEvent, type DestinationEventOptions } from './catalogue/destination.js';
export { buildDocumentDbEvent, type DocumentChangeOptions } from './catalogue/documentdb.js';
export { buildFirehoseEvent, type FirehoseEvent, type FirehoseRecordOptions } from './catalogue/firehose.js';
export { buildIntegrationEvent } from './catalogue/integration.js';
export {
  buildIotAuthorizerEvent,
  type IotAuthorizerEvent,
  type IotAuthorizerEventOptions,
} from './catalogue/iot-authorizer.js';
export { buildIotRuleEvent, type IotRuleEventOptions } from './catalogue/iot-rule.js';
export {
  buildKafkaEvent,
  type KafkaEvent,
  type KafkaEventOptions,
  type KafkaEventRecord,
  type KafkaRecordOptions,
} from './catalogue/kafka.js';
export { buildLatticeRequest, type LatticeRequestOptions } from './catalogue/lattice.js';
export { buildLexEvent, type LexEvent, type LexEventOptions } from './catalogue/lex.js';
export { buildLogsEvent, type LogsEvent, type LogsEventOptions } from './catalogue/logs.js';
export { buildMqEvent, type MqEventOptions, type MqMessageOptions } from './catalogue/mq.js';
export { buildPipeEvent } from './catalogue/pipe.js';
export { buildS3Event, type S3Event, type S3EventRecord, type S3RecordOptions } from './catalogue/s3.js';
export { buildS3BatchEvent, type S3BatchEvent, type S3BatchEventOptions } from './catalogue/s3-batch.js';
export {
  buildSecretRotationEvent,
  type SecretRotationEvent,
  type SecretRotationEventOptions,
} from './catalogue/secret-rotation.js';
export { buildSesEvent, type SesEvent, type SesEventOptions, type SesVerdict } from './catalogue/ses.js';
export { buildTaskEvent } from './catalogue/task.js';
export { buildTransferEvent, type TransferEvent, type TransferEventOptions } from './catalogue/transfer.js';
export { buildWidgetEvent, type WidgetEvent, type WidgetEventOptions } from './catalogue/widget.js';
export { buildWindowEvent, type WindowEvent, type WindowEventOptions } from './catalogue/window.js';
