import { fileURLToPath } from 'node:url';
import { authorizationDocuments } from '@sallyport/mcp/authorization';
import { ApiKey, type IApiKey } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Alarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { FeaturePlan, Mfa, StandardThreatProtectionMode, UserPool } from 'aws-cdk-lib/aws-cognito';
import { AttributeType, type ITable, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import {
  type IInterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { type App, Duration, Size, Stack } from 'aws-cdk-lib/core';
import {
  AgentCoreTarget,
  AlarmTrigger,
  AlbTarget,
  ApiAuthorization,
  ApiDomain,
  Challenge,
  ChallengeEdge,
  CognitoTrigger,
  ConnectionsTable,
  CustomResourceTrigger,
  DataStream,
  DocumentDbTrigger,
  ErrorNotifications,
  EventBus,
  EventBusTable,
  EventChannels,
  EventRuleTrigger,
  FirehoseTransform,
  FunctionUrl,
  GraphqlApi,
  HttpApi,
  type IHttpDoor,
  type Inventory,
  JobsTable,
  KafkaTrigger,
  LogDestination,
  LogSubscription,
  ManagedConnectors,
  McpAuthorization,
  McpServer,
  MicrovmController,
  MicrovmImage,
  MqTrigger,
  ObjectBucket,
  QueueTrigger,
  RateLimitTable,
  RestApi,
  RestEndpoint,
  S3Trigger,
  ScheduleTrigger,
  SecretRotationTrigger,
  ServiceAlarms,
  ServiceFunction,
  ServiceQueue,
  SesTrigger,
  SharedHttpApi,
  SharedRestApi,
  StreamTrigger,
  TableStreamTrigger,
  TopicTrigger,
  VectorIndex,
  VersionedArtifactBucket,
  WebAcl,
  WebSocketApi,
} from '../../../src/index.js';

const CERTIFICATE = 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c-5a3b-4d44-9d86-0123456789ab';

const DOCUMENTS = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes: ['notes:read'] });

const SCHEMA = fileURLToPath(new URL('estate.graphql', import.meta.url));

/** One stack with every construct, with defaults if there are any. */
export function createEstate(app: App): Stack {
  createEdge(app);
  const stack = new Stack(app, 'Estate');
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  new JobsTable(stack, 'Jobs').bindTo(fn);
  new EventBusTable(stack, 'Events').bindTo(fn);
  new RateLimitTable(stack, 'Limits').bindTo(fn);
  new ConnectionsTable(stack, 'Connections').bindTo(fn);
  addStorage(stack, fn);
  addTriggers(stack, fn);
  addDoors(stack, fn);
  addDurable(stack);
  addOperations(stack);
  addServices(stack);
  addProduction(app);
  return stack;
}

/** A durable function with asynchronous events. */
function addDurable(stack: Stack): void {
  const durable = { executionTimeout: Duration.days(2) };
  const { fn } = new ServiceFunction(stack, 'Exports', { code: Code.fromInline('exports.handler = 1'), durable });
  new EventRuleTrigger(stack, 'ExportRequests', { fn, pattern: { source: ['notes'] } });
}

/** A service that receives events of other accounts, with alarms that roll back its canary. */
function addOperations(stack: Stack): void {
  const service = new ServiceFunction(stack, 'Worker', { code: Code.fromInline('exports.handler = 1') });
  const { bus } = new EventBus(stack, 'Bus', { allowedAccounts: ['111122223333'] });
  const { stream } = new DataStream(stack, 'Lines', {
    encryptionKey: new Key(stack, 'LinesKey', { enableKeyRotation: true }),
  });
  new LogDestination(stack, 'Logs', { stream, allowedAccounts: ['111122223333'] });
  const quiet = new LogGroup(stack, 'Quiet', { retention: RetentionDays.ONE_MONTH });
  new LogSubscription(stack, 'WorkerLines', { logGroup: service.logGroup, stream });
  const encryptionKey = new Key(stack, 'AlarmKey', { enableKeyRotation: true });
  const { topic: actionTopic } = new ErrorNotifications(stack, 'OnCall', {
    encryptionKey,
    emails: ['on-call@example.com'],
  });
  const { deadLetterQueue } = new ServiceQueue(stack, 'Parcels');
  const maxIteratorAge = Duration.minutes(10);
  const deadLetterQueues = [deadLetterQueue as IQueue];
  const { alarms } = new ServiceAlarms(stack, 'Alarms', {
    fn: service.fn,
    actionTopic,
    deadLetterQueues,
    maxIteratorAge,
  });
  const live = service.addCanary({ alarms, inventory: METRICS, smoke: { health: { rawPath: '/health' } } });
  new LogSubscription(stack, 'QuietLines', { logGroup: quiet, fn: live });
  new StreamTrigger(stack, 'LinesTrigger', { fn: service.fn, stream });
  const clusterArn = 'arn:aws:kafka:eu-west-1:123456789012:cluster/shop/6f1f8e4c-5a3b-4d44-9d86-0123456789ab-1';
  new KafkaTrigger(stack, 'ShopTrigger', { fn: service.fn, clusterArn, topic: 'orders' });
  new EventRuleTrigger(stack, 'Shipped', { fn: live, bus, pattern: { source: ['parcels'] } });
}

/** Production props, brokers, schedules, mail, rotations, and APIs of several functions, in a separate stack. */
function addProduction(app: App): void {
  const stack = new Stack(app, 'Production');
  const code = Code.fromInline('exports.handler = 1');
  const key = new Key(stack, 'Key', { enableKeyRotation: true });
  const secret = new Secret(stack, 'Credentials', { encryptionKey: key }) as ISecret;
  const vpc = new Vpc(stack, 'Network', {
    maxAzs: 2,
    flowLogs: { all: {} },
    restrictDefaultSecurityGroup: false,
    natGateways: 0,
    subnetConfiguration: [{ name: 'Inside', subnetType: SubnetType.PRIVATE_ISOLATED }],
  }) as IVpc;
  const { fn } = new ServiceFunction(stack, 'Shop', {
    code,
    vpc,
    secrets: { CREDENTIALS: secret },
    parameters: { LIMITS: StringParameter.fromStringParameterName(stack, 'Limits', '/shop/limits') },
    environmentKey: key,
    ephemeralStorage: Size.gibibytes(1),
    description: 'sells',
    provisionedConcurrency: 1,
    maxProvisionedConcurrency: 4,
  });
  const brokerArn = 'arn:aws:mq:eu-west-1:123456789012:broker:shop:b-6f1f8e4c-5a3b-4d44-9d86-0123456789ab';
  new MqTrigger(stack, 'Broker', { fn, brokerArn, queue: 'orders', secret });
  const clusterArn = 'arn:aws:rds:eu-west-1:123456789012:cluster:shop';
  new DocumentDbTrigger(stack, 'Changes', { fn, clusterArn, secret, database: 'shop', collection: 'orders' });
  const securityGroup = new SecurityGroup(stack, 'Pollers', { vpc }) as ISecurityGroup;
  const bootstrapServers = ['b1.example.com:9096'];
  new KafkaTrigger(stack, 'OwnKafka', {
    fn,
    topic: 'orders',
    bootstrapServers,
    secret,
    vpc,
    vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    securityGroup,
  });
  new ScheduleTrigger(stack, 'Report', { fn, schedule: ScheduleExpression.rate(Duration.days(1)) });
  new SesTrigger(stack, 'Mail', { fn, ruleSet: new ReceiptRuleSet(stack, 'Rules') });
  new SecretRotationTrigger(stack, 'Rotation', { fn, secret });
  new CustomResourceTrigger(stack, 'Seed', { fn, resourceType: 'Custom::Seed' });
  const errors = new Alarm(stack, 'Errors', { metric: fn.metricErrors(), threshold: 1, evaluationPeriods: 1 });
  new AlarmTrigger(stack, 'Alarmed', { fn, alarms: [errors as IAlarm] });
  addProductionDoors(stack, vpc);
}

function addProductionDoors(stack: Stack, vpc: IVpc): void {
  const { fn } = new ServiceFunction(stack, 'Front', { code: Code.fromInline('exports.handler = 1') });
  const hostedZone = HostedZone.fromHostedZoneAttributes(stack, 'Zone', {
    hostedZoneId: 'Z1',
    zoneName: 'shop.example',
  });
  const { bucket } = new VersionedArtifactBucket(stack, 'Trust');
  const domain = new ApiDomain(stack, 'Domain', {
    domainName: 'api.shop.example',
    hostedZone,
    truststoreBucket: bucket as IBucket,
    truststoreKey: 'clients.pem',
  });
  const shared = new SharedHttpApi(stack, 'Shared', { domain });
  const http = new HttpApi(stack, 'Orders', { fn, shared });
  http.addRoutes([{ method: 'GET', path: '/orders' }]);
  const acl = new WebAcl(stack, 'Acl');
  const keys = [new ApiKey(stack, 'Partner') as IApiKey];
  const plans = [{ keys, rate: 5, quota: 100 }];
  const sharedRest = new SharedRestApi(stack, 'SharedRest', { webAclArn: acl.arn, usagePlans: plans });
  const rest = new RestApi(stack, 'Partners', { fn, shared: sharedRest });
  rest.addRoutes([{ method: 'GET', path: '/partners' }]);
  const endpoint = vpc.addInterfaceEndpoint('ExecuteApi', {
    service: InterfaceVpcEndpointAwsService.APIGATEWAY,
    securityGroups: [new SecurityGroup(stack, 'Endpoint', { vpc }) as ISecurityGroup],
    open: false,
  });
  const inside = new RestApi(stack, 'Inside', {
    fn,
    endpoint: RestEndpoint.private([endpoint as IInterfaceVpcEndpoint]),
  });
  inside.addRoutes([{ method: 'GET', path: '/inside' }]);
  const decides = new ServiceFunction(stack, 'Decides', { code: Code.fromInline('exports.handler = 1') });
  const authorization = ApiAuthorization.request({ fn: decides.fn, queryParameter: 'ticket' });
  const sockets = new WebSocketApi(stack, 'Sockets', {
    fn,
    authorization,
    domain: new ApiDomain(stack, 'SocketDomain', { domainName: 'ws.shop.example', hostedZone }),
  });
  for (const key of ['$connect', 'say']) sockets.addRouteKey(key);
  for (const door of [http, rest, inside, sockets]) door.attachContainer('secure');
}

/** Services with a separate function: their time limits are shorter. */
/** Two registrations, whose failures two alarms of the canary see. */
const METRICS: Inventory = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http', method: 'GET', path: '/notes', posture: 'public' }],
  triggers: [{ kind: 'queue', name: 'orders' }],
  deployment: { metrics: { namespace: 'Notes' } },
};

function addServices(stack: Stack): void {
  const code = Code.fromInline('exports.handler = 1');
  const { fn } = new ServiceFunction(stack, 'Answers', { code, timeout: Duration.seconds(5) });
  const userPool = new UserPool(stack, 'Users', {
    passwordPolicy: {
      minLength: 12,
      requireDigits: true,
      requireLowercase: true,
      requireSymbols: true,
      requireUppercase: true,
    },
    mfa: Mfa.REQUIRED,
    mfaSecondFactor: { sms: false, otp: true },
    featurePlan: FeaturePlan.PLUS,
    standardThreatProtectionMode: StandardThreatProtectionMode.FULL_FUNCTION,
  });
  new CognitoTrigger(stack, 'UsersTrigger', { fn, userPool, sources: ['PreSignUp_*'] });
  new EventChannels(stack, 'NewsChannels', {
    fn,
    apiId: 'abcdefghijklmnopqrstuvwxyz',
    channels: [{ pattern: '/news/*', operation: 'SUBSCRIBE' }],
  });
  const gatewayRole = new Role(stack, 'GatewayRole', {
    assumedBy: new ServicePrincipal('bedrock-agentcore.amazonaws.com'),
  });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const tools = new ServiceFunction(stack, 'Agents', { code });
  new AgentCoreTarget(stack, 'Tools', {
    fn: tools.fn,
    gatewayIdentifier: 'notes-abcdefghij',
    gatewayRole,
    tools: [{ name: 'find', description: 'Finds notes.', inputSchema }],
  });
  const { bucket } = new ObjectBucket(stack, 'Archive');
  // The CDK's destinations grant whole groups of actions, so the role is created here.
  const role = new Role(stack, 'ArchiveRole', { assumedBy: new ServicePrincipal('firehose.amazonaws.com') });
  const { processorType: type, processorIdentifier } = new FirehoseTransform(stack, 'Clean', { fn }).bind(stack, {
    role,
  });
  const { parameterName, parameterValue } = processorIdentifier;
  new CfnDeliveryStream(stack, 'ClicksArchive', {
    deliveryStreamEncryptionConfigurationInput: { keyType: 'AWS_OWNED_CMK' },
    extendedS3DestinationConfiguration: {
      bucketArn: bucket.bucketArn,
      roleArn: role.roleArn,
      processingConfiguration: {
        enabled: true,
        processors: [{ type, parameters: [{ parameterName, parameterValue }] }],
      },
    },
  });
}

function addStorage(stack: Stack, fn: ServiceFunction['fn']): void {
  const uploads = new ObjectBucket(stack, 'Uploads').bindTo(fn, { variable: 'UPLOADS_BUCKET', prefix: 'a/' });
  new S3Trigger(stack, 'UploadsTrigger', { fn, bucket: uploads.bucket as IBucket, filters: [{ prefix: 'a/' }] });
  const modelArn = 'arn:aws:bedrock:eu-west-1::foundation-model/amazon.titan-embed-text-v2:0';
  new VectorIndex(stack, 'Search', { dimension: 1024, modelArn }).bindTo(fn);
  const { bucket } = new VersionedArtifactBucket(stack, 'Artifacts');
  const image = new MicrovmImage(stack, 'Image', {
    name: 'sandbox',
    codeBucket: bucket as IBucket,
    codeKey: 'program.zip',
    baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
    baseImageVersion: '1',
    egressConnector: ManagedConnectors.internetEgress(stack),
  });
  const ingressConnectors = [ManagedConnectors.httpIngress(stack)];
  new MicrovmController(stack, 'Machines', { fn, images: [image], ingressConnectors });
}

function addTriggers(stack: Stack, fn: ServiceFunction['fn']): void {
  const { queue } = new ServiceQueue(stack, 'Orders');
  new QueueTrigger(stack, 'OrdersTrigger', { fn, queue: queue as IQueue });
  const fifo = new ServiceQueue(stack, 'Payments', { fifo: true });
  new QueueTrigger(stack, 'PaymentsTrigger', { fn, queue: fifo.queue as IQueue });
  const { stream } = new DataStream(stack, 'Clicks');
  new StreamTrigger(stack, 'ClicksTrigger', { fn, stream });
  const table = new Table(stack, 'Notes', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    stream: StreamViewType.NEW_IMAGE,
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  });
  new TableStreamTrigger(stack, 'NotesTrigger', { fn, table: table as ITable });
  const { topic } = new ErrorNotifications(stack, 'Errors').bindTo(fn);
  new TopicTrigger(stack, 'News', { fn, topic });
  new EventRuleTrigger(stack, 'Paid', { fn, pattern: { source: ['billing'] } });
  new EventRuleTrigger(stack, 'Nightly', { fn, schedule: Schedule.rate(Duration.days(1)) });
}

function addDoors(stack: Stack, fn: ServiceFunction['fn']): void {
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', CERTIFICATE);
  const domain = new ApiDomain(stack, 'Domain', { domainName: 'notes.example.com', certificate });
  const http = new HttpApi(stack, 'Http', { fn, domain });
  const rest = new RestApi(stack, 'Rest', { fn });
  const url = new FunctionUrl(stack, 'Url', { fn, streaming: false });
  const server = new McpServer(stack, 'Mcp', { fn, api: rest, generateSecret: true });
  new McpAuthorization(stack, 'SignIn', { server, documents: DOCUMENTS });
  for (const door of [http, rest, url] as readonly IHttpDoor[]) {
    door.addRoutes([
      { method: 'GET', path: '/notes/{id}' },
      { method: 'GET', path: '/progress', streaming: door.canStream },
    ]);
    door.attachContainer('secure');
  }
  const decides = new ServiceFunction(stack, 'Decides', { code: Code.fromInline('exports.handler = 1') });
  const authorization = ApiAuthorization.token({ fn: decides.fn });
  new RestApi(stack, 'Reports', { fn, authorization }).addRoutes([{ method: 'GET', path: '/reports' }]);
  const request = ApiAuthorization.request({ fn: decides.fn });
  new HttpApi(stack, 'Partners', { fn, authorization: request }).addRoutes([{ method: 'GET', path: '/orders' }]);
  new AlbTarget(stack, 'Target', { fn }).addCatchAll();
  const sockets = new WebSocketApi(stack, 'Sockets', { fn, respond: true });
  for (const key of ['$connect', '$disconnect', 'say']) sockets.addRouteKey(key);
  sockets.attachContainer('secure');
  const graphql = new GraphqlApi(stack, 'GraphQl', { fn, schemaFile: SCHEMA });
  graphql.addField({ parentType: 'Query', field: 'note' });
  graphql.addField({ parentType: 'Note', field: 'author', batch: true });
}

/** The resources that must be in us-east-1. */
function createEdge(app: App): void {
  const stack = new Stack(app, 'Edge', { env: { region: 'us-east-1' } });
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const server = new McpServer(stack, 'Mcp', { fn, challenge: Challenge.EDGE });
  server.door.attachContainer('secure');
  const certificate = Certificate.fromCertificateArn(
    stack,
    'Certificate',
    CERTIFICATE.replace('eu-west-1', 'us-east-1'),
  );
  const edge = new ChallengeEdge(stack, 'Edge', { server, domainName: 'mcp.example.com', certificate });
  new McpAuthorization(stack, 'SignIn', { server, documents: DOCUMENTS, edge });
}
