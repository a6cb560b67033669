/** Each construct that grants something to a role, with your key and without. */
import { fileURLToPath } from 'node:url';
import {
  Application,
  ConfigurationContent,
  ConfigurationType,
  Environment,
  HostedConfiguration,
  type IEnvironment,
} from 'aws-cdk-lib/aws-appconfig';
import { Alarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, type ITable, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { type IParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import {
  AgentCoreTarget,
  ApiAuthorization,
  ConnectionsTable,
  DataStream,
  DocumentDbTrigger,
  ErrorNotifications,
  EventBus,
  EventBusTable,
  EventChannels,
  EventRuleTrigger,
  FirehoseTransform,
  type FunctionFlags,
  FunctionUrl,
  GraphqlApi,
  HttpApi,
  JobsTable,
  KafkaTrigger,
  LogDestination,
  LogSubscription,
  ManagedConnectors,
  McpServer,
  McpTable,
  MicrovmController,
  MicrovmImage,
  MicrovmTable,
  MqTrigger,
  ObjectBucket,
  QueueTrigger,
  RateLimitTable,
  RestApi,
  S3Trigger,
  ScheduleTrigger,
  SecretRotationTrigger,
  type ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
  StreamTrigger,
  TableStreamTrigger,
  TopicTrigger,
  VectorIndex,
  VersionedArtifactBucket,
  WebSocketApi,
} from '../../../src/index.js';
import type { More } from './compare.js';
import type { RecordedAccesses } from './expected.js';
import type { Access } from './recorded.js';
import type { RequestList } from './requests.js';

type Key = IKey | undefined;

/** Requests of the application's own code, by the beginning of the role's id. */
type Uses = (recorded: RecordedAccesses) => Readonly<Record<string, More>>;

/** A construct that grants something. */
export interface GrantCase {
  readonly name: string;
  readonly attach: (stack: Stack, service: ServiceFunction, key: Key) => unknown;
  readonly uses?: Uses;
  readonly props?: (stack: Stack, key: Key) => Partial<ServiceFunctionProps>;
}

const keyed = (encryptionKey: Key) => (encryptionKey === undefined ? {} : { encryptionKey });
const failures = (stack: Stack, key: Key): IQueue =>
  new Queue(stack, 'Failures', key === undefined ? {} : { encryption: QueueEncryption.KMS, encryptionMasterKey: key });
const secretOf = (stack: Stack, key: Key, id = 'Credentials') => new Secret(stack, id, keyed(key)) as ISecret;
const alarmsOf = (stack: Stack, { fn }: ServiceFunction) => [
  new Alarm(stack, 'Alarm', { metric: fn.metricErrors(), threshold: 1, evaluationPeriods: 1 }) as IAlarm,
];

const MODEL = 'arn:aws:bedrock:eu-west-1::foundation-model/amazon.titan-embed-text-v2:0';
const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:sandbox';
const CLUSTER = 'arn:aws:kafka:eu-west-1:123456789012:cluster/shop/6f1f8e4c-5a3b-4d44-9d86-0123456789ab-1';
const SCHEMA = fileURLToPath(new URL('../../judges/support/estate.graphql', import.meta.url));

const METRICS = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http', method: 'GET', path: '/notes', posture: 'public' }],
  triggers: [],
  deployment: { metrics: { namespace: 'Notes' } },
} as const;
const SMOKE = { health: { rawPath: '/health' } };

/** The objects of a bucket that the application names. */
const objects =
  (bucket: string, pattern: RegExp): Uses =>
  (recorded) => ({
    ServiceRole: (list) => {
      const id = list.policies.ids('AWS::S3::Bucket').find((one) => one.startsWith(bucket)) ?? '';
      const used = (recorded.OBJECTS ?? []).filter(({ action }) => pattern.test(action));
      list.addRecorded(used, list.policies.arnOf(id));
    },
  });

/** The first resource of a type. */
const on =
  (type: string, name: string): Uses =>
  (recorded) => ({
    ServiceRole: (list) => list.addRecorded(recorded[name], list.policies.arnOf(list.policies.ids(type)[0] ?? '')),
  });

/** The function itself: `tasks: { start: invokeSelf() }`. */
const ITSELF: Uses = (recorded) => ({
  ServiceRole: (list) => {
    const fn = list.policies.ids('AWS::Lambda::Function').find((id) => id.startsWith('Service')) ?? '';
    list.addRecorded(recorded.SELF, list.policies.arnOf(fn));
  },
});

const TABLES: readonly GrantCase[] = [
  { name: 'JobsTable', attach: (stack, { fn }, key) => new JobsTable(stack, 'T', keyed(key)).bindTo(fn) },
  { name: 'EventBusTable', attach: (stack, { fn }, key) => new EventBusTable(stack, 'T', keyed(key)).bindTo(fn) },
  { name: 'RateLimitTable', attach: (stack, { fn }, key) => new RateLimitTable(stack, 'T', keyed(key)).bindTo(fn) },
  { name: 'ConnectionsTable', attach: (stack, { fn }, key) => new ConnectionsTable(stack, 'T', keyed(key)).bindTo(fn) },
  { name: 'McpTable', attach: (stack, { fn }, key) => new McpTable(stack, 'T', keyed(key)).bindTo(fn) },
  { name: 'MicrovmTable', attach: (stack, { fn }, key) => new MicrovmTable(stack, 'T', keyed(key)).bindTo(fn) },
];

const STORAGE: readonly GrantCase[] = [
  {
    name: 'ObjectBucket',
    attach: (stack, { fn }, key) =>
      new ObjectBucket(stack, 'Files', keyed(key)).bindTo(fn, { variable: 'FILES', prefix: 'notes/', remove: true }),
    uses: objects('Files', /^s3:(?!.*Version)/),
  },
  {
    name: 'ObjectBucket with versions',
    attach: (stack, { fn }, key) =>
      new ObjectBucket(stack, 'Files', { versioned: true, ...keyed(key) }).bindTo(fn, {
        variable: 'FILES',
        remove: true,
      }),
    uses: objects('Files', /^s3:/),
  },
  {
    name: 'VersionedArtifactBucket',
    attach: (stack, { fn }, key) => {
      const artifacts = new VersionedArtifactBucket(stack, 'Artifacts', keyed(key));
      artifacts.grantPublish(fn, 'notes/');
      artifacts.grantRead(fn, 'notes/');
    },
    uses: objects('Artifacts', /^s3:(Put|Get)/),
  },
  {
    name: 'VectorIndex',
    attach: (stack, { fn }, key) =>
      new VectorIndex(stack, 'V', { dimension: 1024, modelArn: MODEL, ...keyed(key) }).bindTo(fn),
  },
];

const network = (stack: Stack) => {
  const vpc = new Vpc(stack, 'Network', { maxAzs: 1, restrictDefaultSecurityGroup: false }) as IVpc;
  return { vpc, securityGroup: new SecurityGroup(stack, 'Pollers', { vpc }) as ISecurityGroup };
};
const BROKERS = { topic: 'orders', bootstrapServers: ['b1.example.com:9096'] };

const POLLED: readonly GrantCase[] = [
  {
    name: 'QueueTrigger',
    attach: (stack, { fn }, key) =>
      new QueueTrigger(stack, 'Q', { fn, queue: new ServiceQueue(stack, 'S', keyed(key)).queue }),
  },
  {
    name: 'StreamTrigger',
    attach: (stack, { fn }, key) => {
      const { stream } = new DataStream(stack, 'S', keyed(key));
      return new StreamTrigger(stack, 'K', { fn, stream, failureQueue: failures(stack, key) });
    },
  },
  {
    name: 'TableStreamTrigger',
    attach: (stack, { fn }, key) => {
      const encryption = key === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key };
      const table = new Table(stack, 'T', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        stream: StreamViewType.NEW_IMAGE,
        ...encryption,
      });
      return new TableStreamTrigger(stack, 'D', { fn, table: table as ITable, failureQueue: failures(stack, key) });
    },
  },
  {
    name: 'KafkaTrigger of Amazon MSK, which authenticates the role',
    attach: (stack, { fn }, key) =>
      new KafkaTrigger(stack, 'K', { fn, clusterArn: CLUSTER, topic: 'orders', failureQueue: failures(stack, key) }),
  },
  {
    name: 'KafkaTrigger of Amazon MSK with a secret',
    attach: (stack, { fn }, key) =>
      new KafkaTrigger(stack, 'K', { fn, clusterArn: CLUSTER, topic: 'orders', secret: secretOf(stack, key) }),
  },
  {
    name: 'KafkaTrigger of brokers in the internet',
    attach: (stack, { fn }, key) => new KafkaTrigger(stack, 'K', { fn, ...BROKERS, secret: secretOf(stack, key) }),
  },
  {
    name: 'KafkaTrigger of brokers in a network, with a certificate',
    attach: (stack, { fn }, key) => {
      const secrets = { secret: secretOf(stack, key), rootCertificate: secretOf(stack, key, 'Authority') };
      return new KafkaTrigger(stack, 'K', { fn, ...BROKERS, ...secrets, ...network(stack) });
    },
  },
  {
    name: 'MqTrigger',
    attach: (stack, { fn }, key) => {
      const brokerArn = 'arn:aws:mq:eu-west-1:123456789012:broker:shop:b-6f1f8e4c-5a3b-4d44-9d86-0123456789ab';
      return new MqTrigger(stack, 'M', { fn, brokerArn, queue: 'orders', secret: secretOf(stack, key) });
    },
  },
  {
    name: 'DocumentDbTrigger',
    attach: (stack, { fn }, key) => {
      const clusterArn = 'arn:aws:rds:eu-west-1:123456789012:cluster:shop';
      return new DocumentDbTrigger(stack, 'D', { fn, clusterArn, secret: secretOf(stack, key), database: 'shop' });
    },
  },
];

const INVOKED: readonly GrantCase[] = [
  {
    name: 'TopicTrigger',
    attach: (stack, { fn }, key) =>
      new TopicTrigger(stack, 'N', { fn, topic: new Topic(stack, 'T'), failureQueue: failures(stack, key) }),
  },
  {
    name: 'EventRuleTrigger',
    attach: (stack, { fn }, key) =>
      new EventRuleTrigger(stack, 'R', { fn, pattern: { source: ['a'] }, failureQueue: failures(stack, key) }),
  },
  {
    name: 'S3Trigger',
    attach: (stack, { fn }, key) => {
      const { bucket } = new ObjectBucket(stack, 'B');
      return new S3Trigger(stack, 'E', { fn, bucket: bucket as IBucket, failureQueue: failures(stack, key) });
    },
  },
  {
    name: 'ScheduleTrigger',
    attach: (stack, { fn }, key) => {
      const schedule = ScheduleExpression.rate(Duration.days(1));
      return new ScheduleTrigger(stack, 'R', { fn, schedule, failureQueue: failures(stack, key) });
    },
  },
  {
    name: 'SecretRotationTrigger',
    attach: (stack, { fn }, key) => new SecretRotationTrigger(stack, 'R', { fn, secret: secretOf(stack, key) }),
  },
  {
    name: 'FirehoseTransform',
    attach: (stack, { fn }) => {
      const role = new Role(stack, 'Archive', { assumedBy: new ServicePrincipal('firehose.amazonaws.com') });
      const processor = new FirehoseTransform(stack, 'Clean', { fn }).bind(stack, { role });
      const { parameterName, parameterValue } = processor.processorIdentifier;
      const processors = [{ type: 'Lambda', parameters: [{ parameterName, parameterValue }] }];
      return new CfnDeliveryStream(stack, 'Clicks', {
        extendedS3DestinationConfiguration: {
          bucketArn: 'arn:aws:s3:::clicks',
          roleArn: role.roleArn,
          processingConfiguration: { enabled: true, processors },
        },
      });
    },
  },
  {
    name: 'LogSubscription to a data stream',
    attach: (stack, service, key) => {
      const { stream } = new DataStream(stack, 'Lines', keyed(key));
      return new LogSubscription(stack, 'L', { logGroup: service.logGroup, stream });
    },
  },
  {
    name: 'LogDestination',
    attach: (stack, _service, key) => {
      const { stream } = new DataStream(stack, 'Lines', keyed(key));
      return new LogDestination(stack, 'L', { stream, allowedAccounts: ['111122223333'] });
    },
  },
];

const channels = [{ pattern: '/news/*', operation: 'PUBLISH' }] as const;

const DOORS: readonly GrantCase[] = [
  { name: 'HttpApi', attach: (stack, { fn }) => new HttpApi(stack, 'H', { fn }).addCatchAll() },
  { name: 'FunctionUrl', attach: (stack, { fn }) => new FunctionUrl(stack, 'U', { fn, streaming: false }) },
  {
    name: 'RestApi, whose log needs the setting of the account',
    attach: (stack, { fn }) => new RestApi(stack, 'R', { fn }).addCatchAll(),
  },
  { name: 'WebSocketApi', attach: (stack, { fn }) => new WebSocketApi(stack, 'W', { fn }) },
  { name: 'GraphqlApi', attach: (stack, { fn }) => new GraphqlApi(stack, 'G', { fn, schemaFile: SCHEMA }) },
  {
    name: 'RestApi with a function that authorizes',
    attach: (stack, { fn }) =>
      new RestApi(stack, 'R', { fn, authorization: ApiAuthorization.token({ fn }) }).addCatchAll(),
  },
  {
    name: 'EventChannels',
    attach: (stack, { fn }) => new EventChannels(stack, 'E', { fn, apiId: 'abcdefghijklmnopqrstuvwxyz', channels }),
  },
  {
    name: 'AgentCoreTarget',
    attach: (stack, { fn }) => {
      const gatewayRole = new Role(stack, 'Gateway', {
        assumedBy: new ServicePrincipal('bedrock-agentcore.amazonaws.com'),
      });
      const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
      const tools = [{ name: 'find', description: 'Finds notes.', inputSchema }];
      return new AgentCoreTarget(stack, 'T', { fn, gatewayIdentifier: 'notes-abcdefghij', gatewayRole, tools });
    },
    // https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-prerequisites-permissions.html; the role is of the gateway, which another stack has
    uses: () => ({
      Gateway: (list) => {
        const [alias = ''] = list.policies.ids('AWS::Lambda::Alias');
        list.add('lambda:InvokeFunction', list.policies.arnOf(alias));
      },
    }),
  },
];

const MCP: readonly GrantCase[] = [
  {
    name: 'McpServer with a secret and a bucket',
    attach: (stack, { fn }, key) => {
      const spillBucket = new ObjectBucket(stack, 'B', keyed(key)).bucket as IBucket;
      return new McpServer(stack, 'M', { fn, generateSecret: true, spillBucket });
    },
  },
  {
    name: 'McpServer with tasks',
    attach: (stack, { fn }) => new McpServer(stack, 'M', { fn, tasks: true }),
    uses: ITSELF,
  },
  {
    name: 'McpServer with tasks behind the alias of a canary',
    attach: (stack, service) => {
      const live = service.addCanary({ alarms: alarmsOf(stack, service), inventory: METRICS });
      return new McpServer(stack, 'M', { fn: live, tasks: true });
    },
    uses: ITSELF,
  },
];

const DURABLE: readonly GrantCase[] = [
  {
    name: 'ServiceFunction that is durable, with a dead-letter queue and callers',
    props: () => ({ durable: { executionTimeout: Duration.hours(1) } }),
    attach: (stack, service, key) => {
      const role = (id: string) => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      service.grantStart(role('Starter'));
      service.grantComplete(role('Answerer'));
      service.grantCancel(role('Canceller'));
      service.grantStop(role('Stopper'));
      return new TopicTrigger(stack, 'N', {
        fn: service.fn,
        topic: new Topic(stack, 'T'),
        failureQueue: failures(stack, key),
      });
    },
    uses: ({ EXECUTION_START, EXECUTION_ANSWER, EXECUTION_CANCEL, EXECUTION_STOP }) => ({
      // A delivery of the kind handoff starts an execution of the running version.
      ServiceRole: (list) => list.add('lambda:InvokeFunction', `${functionOf(list)}:1`),
      Starter: onExecution(EXECUTION_START),
      Answerer: onExecution(EXECUTION_ANSWER),
      Canceller: onExecution(EXECUTION_CANCEL),
      Stopper: onExecution(EXECUTION_STOP),
    }),
  },
];

/** Requests on an execution of the function; an invocation is of its alias. */
export const onExecution =
  (accesses: readonly Access[] = []): More =>
  (list) => {
    for (const { action } of accesses) {
      const part = action === 'lambda:InvokeFunction' ? 'live' : '1/durable-execution/n/i';
      list.add(action, `${functionOf(list)}:${part}`);
    }
  };

const functionOf = ({ policies }: RequestList) =>
  policies.arnOf(policies.ids('AWS::Lambda::Function').find((id) => id.startsWith('Service')) ?? '');

const MICROVM: readonly GrantCase[] = [
  { name: 'MicrovmController', attach: (stack, { fn }) => new MicrovmController(stack, 'C', { fn, images: [IMAGE] }) },
  {
    name: 'MicrovmController with a role, a log and connectors',
    attach: (stack, { fn }) =>
      new MicrovmController(stack, 'C', {
        fn,
        images: [IMAGE],
        executionRole: new Role(stack, 'Machines', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
        logGroup: new LogGroup(stack, 'Lines'),
        ingressConnectors: [ManagedConnectors.httpIngress(stack)],
        egressConnectors: [ManagedConnectors.internetEgress(stack)],
      }),
    // https://docs.aws.amazon.com/lambda/latest/dg/microvms-logging.html
    uses: () => ({
      Machines: (list) => {
        const group = list.policies.ids('AWS::Logs::LogGroup').find((id) => id.startsWith('Lines')) ?? '';
        list.addAll(['logs:CreateLogStream', 'logs:PutLogEvents'], list.policies.arnOf(group));
      },
    }),
  },
  {
    name: 'MicrovmImage with a log',
    attach: (stack, _service, key) =>
      new MicrovmImage(stack, 'I', {
        name: 'sandbox',
        codeBucket: new ObjectBucket(stack, 'B', keyed(key)).bucket as IBucket,
        codeKey: 'program.zip',
        baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
        baseImageVersion: '1',
        logGroup: new LogGroup(stack, 'Lines'),
      }),
  },
];

const PRODUCERS: readonly GrantCase[] = [
  {
    name: 'DataStream for records of the application',
    attach: (stack, { fn }, key) => new DataStream(stack, 'S', keyed(key)).grantWrite(fn),
    uses: on('AWS::Kinesis::Stream', 'STREAM'),
  },
  {
    name: 'ErrorNotifications',
    attach: (stack, { fn }, key) => new ErrorNotifications(stack, 'E', keyed(key)).bindTo(fn),
  },
  {
    name: 'EventBus for events of the application',
    attach: (stack, { fn }) => new EventBus(stack, 'B').grantPutEvents(fn),
    // https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
    uses: () => ({
      ServiceRole: (list) =>
        list.add('events:PutEvents', list.policies.arnOf(list.policies.ids('AWS::Events::EventBus')[0] ?? '')),
    }),
  },
];

function flagsIn(stack: Stack): FunctionFlags {
  const application = new Application(stack, 'Shop');
  const content = ConfigurationContent.fromInlineJson('{}');
  const configuration = new HostedConfiguration(stack, 'Flags', {
    application,
    type: ConfigurationType.FEATURE_FLAGS,
    content,
  });
  return { configuration, environment: new Environment(stack, 'Live', { application }) as IEnvironment };
}

const FUNCTIONS: readonly GrantCase[] = [
  { name: 'a function alone', attach: () => undefined },
  {
    name: 'a function with secrets, parameters and a key for its variables',
    attach: () => undefined,
    props: (stack, key) => ({
      secrets: { PAYMENTS: secretOf(stack, key), PARTNER: Secret.fromSecretNameV2(stack, 'Partner', 'partner') },
      parameters: { LIMITS: StringParameter.fromStringParameterName(stack, 'Limits', '/shop/limits') as IParameter },
      ...(key && { environmentKey: key }),
    }),
  },
  {
    name: 'a function with one secret',
    attach: () => undefined,
    props: (stack, key) => ({ secrets: { ONE: secretOf(stack, key) } }),
  },
  { name: 'a function with feature flags', attach: () => undefined, props: (stack) => ({ flags: flagsIn(stack) }) },
  {
    name: 'a function in a network',
    attach: () => undefined,
    props: (stack) => ({ vpc: network(stack).vpc }),
  },
  {
    name: 'a canary',
    attach: (stack, service) => service.addCanary({ alarms: alarmsOf(stack, service), inventory: METRICS }),
  },
  {
    name: 'a canary that sends events to the new version first',
    attach: (stack, service) =>
      service.addCanary({ alarms: alarmsOf(stack, service), inventory: METRICS, smoke: SMOKE }),
  },
  {
    name: 'a canary of two aliases, for doors and events',
    attach: (stack, service) => service.addCanary({ alarms: alarmsOf(stack, service), inventory: METRICS }),
    props: () => ({ separateDoors: true }),
  },
  {
    name: 'a canary with environments that are kept ready',
    attach: (stack, service) => service.addCanary({ alarms: alarmsOf(stack, service), inventory: METRICS }),
    props: () => ({ provisionedConcurrency: 1, maxProvisionedConcurrency: 3 }),
  },
];

export const GRANTS: readonly GrantCase[] = [
  ...FUNCTIONS,
  ...TABLES,
  ...STORAGE,
  ...MCP,
  ...DURABLE,
  ...MICROVM,
  ...DOORS,
  ...POLLED,
  ...INVOKED,
  ...PRODUCERS,
];
