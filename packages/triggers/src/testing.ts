export {
  buildCognitoEvent,
  buildCustomResourceEvent,
  buildRequestAuthorizerEvent,
  buildS3Event,
  buildTokenAuthorizerEvent,
  type CognitoEventOptions,
  type CustomResourceEventOptions,
  type RequestAuthorizerEventOptions,
  type S3Event,
  type S3EventRecord,
  type S3RecordOptions,
  type TokenAuthorizerEvent,
  type TokenAuthorizerEventOptions,
} from './testing/builders.js';
export {
  type AlarmEventOptions,
  buildAlarmEvent,
  buildLogsEvent,
  buildSesEvent,
  type LogsEvent,
  type LogsEventOptions,
  type SesEventOptions,
} from './testing/operations.js';
