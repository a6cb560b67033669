import type {
  AppSyncAuthorizerAnswer,
  AuthorizerPolicy,
  CognitoEvent,
  FirehoseResult,
  KafkaReport,
  S3BatchAnswer,
  SimpleAuthorizerAnswer,
} from '@sallyport/triggers';
import type * as build from '@sallyport/triggers/testing';
import type * as aws from 'aws-lambda';

/** True if `From` is assignable to `To`. */
type Fits<From, To> = From extends To ? true : false;

/** Checked by the compiler: each line names a pair, and whether theirs fits ours and ours theirs. */
const PAIRS: readonly [string, boolean, boolean][] = [
  ...both<Fits<aws.S3Event, build.S3Event>, Fits<Omit<build.S3EventRecord, 's3'>, Omit<aws.S3EventRecord, 's3'>>>('S3'),
  ...both<
    Fits<aws.APIGatewayTokenAuthorizerEvent, build.TokenAuthorizerEvent>,
    Fits<build.TokenAuthorizerEvent, aws.APIGatewayTokenAuthorizerEvent>
  >('TOKEN authorizer'),
  ...both<Fits<aws.PreSignUpTriggerEvent, CognitoEvent>, true>('Cognito'),
  ...both<Fits<aws.CustomSMSSenderTriggerEvent, CognitoEvent>, true>('Cognito, custom sender'),
  ...both<
    Fits<aws.CloudFormationCustomResourceEvent, build.CustomResourceEvent>,
    Fits<build.CustomResourceEvent, aws.CloudFormationCustomResourceEvent>
  >('custom resource'),
  ...both<
    Fits<Without<aws.SESEventRecord['ses']['receipt'], 'action'>, Without<Ses['receipt'], 'action'>>,
    Fits<build.SesEvent, aws.SESEvent>
  >('SES'),
  ...both<Fits<aws.CloudWatchLogsEvent, build.LogsEvent>, Fits<build.LogsEvent, aws.CloudWatchLogsEvent>>('logs'),
  ...both<
    Fits<
      Without<aws.CloudWatchAlarmEvent['alarmData'], 'configuration'>,
      Without<build.AlarmEvent['alarmData'], 'configuration'>
    >,
    Fits<build.AlarmEvent, aws.CloudWatchAlarmEvent>
  >('alarm'),
  ...both<Fits<aws.MSKEvent, build.KafkaEvent>, Fits<WithValues, aws.MSKEvent>>('MSK'),
  ...both<Fits<aws.SelfManagedKafkaEvent, build.KafkaEvent>, true>('self-managed Kafka'),
  ...both<
    Fits<aws.FirehoseTransformationEvent, build.FirehoseEvent>,
    Fits<build.FirehoseEvent, aws.FirehoseTransformationEvent>
  >('Firehose'),
  ...both<Fits<aws.S3BatchEvent, build.S3BatchEvent>, Fits<Schema1, aws.S3BatchEvent>>('S3 Batch'),
  ...both<
    Fits<aws.SecretsManagerRotationEvent, build.SecretRotationEvent>,
    Fits<build.SecretRotationEvent, aws.SecretsManagerRotationEvent>
  >('secret rotation'),
  ...both<Fits<GraphQl, build.AppSyncAuthorizerEvent>, Fits<build.AppSyncAuthorizerEvent, aws.AppSyncAuthorizerEvent>>(
    'AppSync authorizer',
  ),
  // Ours sends no transcriptions, and theirs no source of an interpretation.
  ...both<Fits<aws.LexV2Event['bot'], build.LexEvent['bot']>, Fits<build.LexEvent, aws.LexV2Event>>('Lex V2'),
  // Media streams are absent unless the flow starts them.
  ...both<
    Fits<aws.ConnectContactFlowEvent, build.ConnectEvent>,
    Fits<build.ConnectEvent['Details']['ContactData']['Channel'], aws.ConnectContactFlowChannel>
  >('Connect'),
  ...both<Fits<aws.CodePipelineEvent, build.CodePipelineEvent>, Fits<build.CodePipelineEvent, aws.CodePipelineEvent>>(
    'CodePipeline',
  ),
  ...both<
    Fits<aws.CodeCommitTriggerEvent, build.CodeCommitEvent>,
    Fits<build.CodeCommitEvent, aws.CodeCommitTriggerEvent>
  >('CodeCommit'),
  ...both<
    Fits<aws.IoTCustomAuthorizerEvent, build.IotAuthorizerEvent>,
    Fits<build.IotAuthorizerEvent, aws.IoTCustomAuthorizerEvent>
  >('IoT authorizer'),
  ...both<
    Fits<aws.TransferFamilyAuthorizerEvent, build.TransferEvent>,
    Fits<build.TransferEvent, aws.TransferFamilyAuthorizerEvent>
  >('Transfer Family'),
  // Answers.
  ...both<Fits<AuthorizerPolicy, aws.APIGatewayAuthorizerResult>, true>('policy'),
  ...both<
    Fits<SimpleAuthorizerAnswer, aws.APIGatewaySimpleAuthorizerResult>,
    Fits<aws.APIGatewaySimpleAuthorizerResult, SimpleAuthorizerAnswer>
  >('simple answer'),
  ...both<Fits<{ records: FirehoseResult[] }, aws.FirehoseTransformationResult>, true>('Firehose result'),
  ...both<Fits<S3BatchAnswer, aws.S3BatchResult>, true>('S3 Batch result'),
  ...both<Fits<AppSyncAuthorizerAnswer, aws.AppSyncAuthorizerResult<Record<string, unknown>>>, true>(
    'AppSync authorizer result',
  ),
];

type Ses = build.SesEvent['Records'][number]['ses'];
type Without<T, K extends keyof T> = Omit<T, K>;

// AWS sends more than @types/aws-lambda 8.10.164 declares: each type below is ours, narrowed to theirs.

/** Theirs has a key and a value in every record; the value of a tombstone is `null`, and the key is optional. */
type WithValues = Omit<build.KafkaEvent, 'records' | 'eventSource' | 'eventSourceArn'> & {
  eventSource: 'aws:kafka';
  eventSourceArn: string;
  records: Record<string, (Omit<build.KafkaEventRecord, 'value' | 'key'> & { value: string; key: string })[]>;
};

/** Theirs covers only schema 1.0; schema 2.0 has the name of the bucket instead of its ARN. */
type Schema1 = Omit<build.S3BatchEvent, 'tasks'> & {
  tasks: (build.S3BatchEvent['tasks'][number] & { s3BucketArn: string })[];
};

/** Theirs is an interface, which has no index signature. */
type GraphQl = {
  [K in keyof aws.AppSyncAuthorizerEvent]: K extends 'requestContext'
    ? aws.AppSyncAuthorizerEvent[K] & Record<string, unknown>
    : K extends 'requestHeaders'
      ? Record<string, string>
      : aws.AppSyncAuthorizerEvent[K];
};

function both<Theirs extends true, Ours extends true>(name: string): [[string, Theirs, Ours]] {
  return [[name, true as Theirs, true as Ours]];
}

it('events and answers fit those of @types/aws-lambda both ways, but for the listed exceptions', () => {
  expect(PAIRS.every(([, theirs, ours]) => theirs && ours)).toBe(true);
});

it('the types of Kafka and of deletions are narrower there than what AWS sends', () => {
  // If one of these lines does not compile any more, the exception above can go.
  const kafka: Fits<build.KafkaEvent, aws.MSKEvent> = false;
  const answer: Fits<KafkaReport, aws.MSKHandler extends aws.Handler<never, infer R> ? R : never> = false;
  const deleted: Fits<build.S3Event, aws.S3Event> = false;
  const batch: Fits<build.S3BatchEvent, aws.S3BatchEvent> = false;
  expect([kafka, answer, deleted, batch]).toEqual([false, false, false, false]);
});
