/** Sources that are not in every stack: what they create, what the function may do, and what is rejected. */
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  alarmAction,
  customResource,
  documentDb,
  iotRule,
  kafkaTrigger,
  mqTrigger,
  secretRotation,
  sesTrigger,
} from '@sallyport/triggers';
import { Alarm, type IAlarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type ISecret, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Duration, type Stack, TimeZone } from 'aws-cdk-lib/core';
import {
  AlarmTrigger,
  ConstructError,
  CustomResourceTrigger,
  DocumentDbTrigger,
  KafkaTrigger,
  MqTrigger,
  ScheduleTrigger,
  SecretRotationTrigger,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceWiring,
  SesTrigger,
  toInventory,
} from '../src/index.js';
import {
  actionsOn,
  messageOf,
  newStack,
  propertiesOf,
  statementsOf,
  templateOf,
  variablesIn,
} from './support/synth.js';

type Surfaces = NonNullable<SecureOptions['surfaces']>;

const BROKER = 'arn:aws:mq:eu-west-1:123456789012:broker:shop:b-6f1f8e4c-5a3b-4d44-9d86-0123456789ab';
const CLUSTER = 'arn:aws:rds:eu-west-1:123456789012:cluster:shop';
const env = { account: '123456789012', region: 'eu-west-1' };
const nothing = () => undefined;
const newSecret = (at: Stack, id = 'Credentials', props: SecretProps = {}) => new Secret(at, id, props) as ISecret;
const newAlarm = (at: Stack, id = 'Alarm') =>
  new Alarm(at, id, {
    metric: new Metric({ namespace: 'Shop', metricName: 'Errors' }),
    threshold: 1,
    evaluationPeriods: 1,
  }) as IAlarm;
const steps = { createSecret: nothing, setSecret: nothing, testSecret: nothing, finishSecret: nothing };
const operations = { create: nothing, update: nothing, delete: nothing };

function newService(
  surfaces: Surfaces,
  register: (app: SecureApp) => unknown = nothing,
  props: Partial<ServiceFunctionProps> = {},
) {
  const stack = newStack({ env });
  const code = Code.fromInline('exports.handler = 1');
  const service = new ServiceFunction(stack, 'Api', { code, timeout: Duration.seconds(20), ...props });
  const app = new SecureApp({ principalResolver: () => null, surfaces });
  register(app);
  const wiring = new ServiceWiring(stack, 'Wiring', { fn: service.fn, inventory: toInventory(app) });
  return { stack, service, fn: service.fn, wiring };
}

/** A function without a wiring. */
function newFunction() {
  const stack = newStack({ env });
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  return { stack, fn };
}

type Service = ReturnType<typeof newService>;

const daily = ScheduleExpression.cron({ hour: '8', minute: '0', timeZone: TimeZone.EUROPE_BERLIN });

const KINDS: readonly {
  readonly kind: string;
  readonly surfaces: () => Surfaces;
  readonly register?: (app: SecureApp) => unknown;
  readonly attach: (service: Service) => unknown;
  readonly remedy: string;
  readonly made: string;
}[] = [
  {
    kind: 'a schedule',
    surfaces: () => [],
    register: (app) => app.eventBus({ scheduleName: 'report' }, nothing),
    attach: ({ wiring }) => wiring.scheduler('report', daily),
    remedy: 'wiring.scheduler("report", …)',
    made: 'AWS::Scheduler::Schedule',
  },
  {
    kind: 'a queue of a broker',
    surfaces: () => [mqTrigger().queue('orders', nothing)],
    attach: ({ stack, wiring }) => wiring.mq('orders', { brokerArn: BROKER, secret: newSecret(stack) }),
    remedy: 'wiring.mq("orders", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a change stream',
    surfaces: () => [documentDb().collection('shop.orders', nothing)],
    attach: ({ stack, wiring }) => wiring.documentDb('shop.orders', { clusterArn: CLUSTER, secret: newSecret(stack) }),
    remedy: 'wiring.documentDb("shop.orders", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a receipt rule',
    surfaces: () => [sesTrigger({ onError: 'stop' }).rule(() => 'continue')],
    attach: ({ stack, wiring }) => wiring.ses('Support', { ruleSet: new ReceiptRuleSet(stack, 'Rules') }),
    remedy: 'wiring.ses(…)',
    made: 'AWS::SES::ReceiptRule',
  },
  {
    kind: 'a rotation',
    surfaces: () => [secretRotation().secret('database', steps)],
    attach: ({ stack, wiring }) => wiring.secret('database', newSecret(stack)),
    remedy: 'wiring.secret("database", …)',
    made: 'AWS::SecretsManager::RotationSchedule',
  },
  {
    kind: 'a custom resource',
    surfaces: () => [customResource(operations)],
    attach: ({ wiring }) => wiring.customResource('Seed', { resourceType: 'Custom::Seed' }),
    remedy: 'wiring.customResource(…)',
    made: 'Custom::Seed',
  },
  {
    kind: 'an alarm',
    surfaces: () => [alarmAction(nothing)],
    attach: ({ stack, wiring }) => wiring.alarms({ alarms: [newAlarm(stack)] }),
    remedy: 'wiring.alarms(…)',
    made: 'AWS::CloudWatch::Alarm',
  },
  {
    kind: 'a payload of a device',
    surfaces: () => [iotRule({ key: 'id' }).rule('cellar', nothing)],
    attach: ({ wiring }) => wiring.payload('cellar'),
    remedy: 'wiring.payload("cellar")',
    made: 'AWS::Lambda::Alias',
  },
];

describe.each(KINDS)('$kind', ({ surfaces, register, attach, remedy, made }) => {
  it('is attached to its handler', () => {
    const service = newService(surfaces(), register);
    attach(service);
    expect(propertiesOf(templateOf(service.stack), made)).toHaveLength(1);
  });

  it('is required at synth, with the call that attaches it', () => {
    const { stack } = newService(surfaces(), register);
    expect(messageOf(() => templateOf(stack))).toContain(`expected ${remedy}`);
  });

  it('is rejected without a handler', () => {
    const service = newService([]);
    expect(() => attach(service)).toThrow(expect.objectContaining({ code: 'constructs.not_registered' }));
  });
});

it('schedules in a time zone, with a role for one group and a queue for discarded events', () => {
  const { stack, fn } = newFunction();
  new ScheduleTrigger(stack, 'Report', { fn, schedule: daily, flexibleWindow: Duration.minutes(15) });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Scheduler::Schedule')).toEqual([
    {
      GroupName: 'default',
      ScheduleExpression: 'cron(0 8 * * ? *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
      Target: {
        Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] },
        RoleArn: { 'Fn::GetAtt': [expect.stringMatching(/^ReportRole/), 'Arn'] },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^ReportFailures/), 'Arn'] } },
        RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 86_400 },
      },
    },
  ]);
  const roles = propertiesOf(template, 'AWS::IAM::Role').map((one) => JSON.stringify(one.AssumeRolePolicyDocument));
  const own = roles.find((one) => one.includes('scheduler.amazonaws.com'));
  expect(own).toContain('"aws:SourceAccount":"123456789012"');
  expect(own).toContain(':scheduler:eu-west-1:123456789012:schedule-group/default');
  expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toHaveLength(1);
});

it('schedules a single time', () => {
  const { stack, fn } = newFunction();
  const schedule = ScheduleExpression.at(new Date('2027-01-01T06:30:00Z'), TimeZone.ETC_UTC);
  new ScheduleTrigger(stack, 'Once', { fn, schedule });
  expect(propertiesOf(templateOf(stack), 'AWS::Scheduler::Schedule')[0]).toMatchObject({
    ScheduleExpression: 'at(2027-01-01T06:30:00)',
    ScheduleExpressionTimezone: 'Etc/UTC',
  });
});

it('maps the name of a handler to the deployed name of its schedule, which contains the stack', () => {
  const { stack, wiring } = newService([], (app) => app.eventBus({ scheduleName: 'report' }, nothing));
  wiring.scheduler('report', daily);
  const template = templateOf(stack);
  const [{ Name } = { Name: undefined }] = propertiesOf(template, 'AWS::Scheduler::Schedule');
  expect(Name).toMatch(/^Test-Wiring/);
  expect(variablesIn(template).FRAMEWORK_EVENT_SOURCES).toBe(JSON.stringify({ schedule: { report: Name } }));
});

it('reads a queue of RabbitMQ in its virtual host, and reports no partial failures', () => {
  const { stack, wiring } = newService([mqTrigger().queue('orders::/shop', nothing)]);
  const encryptionKey = new Key(stack, 'Key');
  wiring.mq('orders::/shop', { brokerArn: BROKER, secret: newSecret(stack, 'Credentials', { encryptionKey }) });
  const template = templateOf(stack);
  const [mapping] = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  expect(mapping).toMatchObject({
    EventSourceArn: BROKER,
    Queues: ['orders'],
    SourceAccessConfigurations: [
      { Type: 'BASIC_AUTH', URI: { Ref: expect.stringMatching(/^Credentials/) } },
      { Type: 'VIRTUAL_HOST', URI: '/shop' },
    ],
  });
  expect(mapping).not.toHaveProperty('FunctionResponseTypes');
  expect(propertiesOf(template, 'AWS::Lambda::Function')[0]).not.toHaveProperty('Environment');
  expect(actionsOn(template, 'mq')).toEqual(['mq:DescribeBroker']);
  expect(actionsOn(template, 'secretsmanager')).toEqual(['secretsmanager:GetSecretValue']);
  expect(actionsOn(template, 'kms')).toEqual(['kms:Decrypt']);
  expect(actionsOn(template, 'ec2')).toHaveLength(6);
});

it('reads the changes of a whole database for a handler of all changes', () => {
  const { stack, wiring } = newService([documentDb().collection('*', nothing)]);
  wiring.documentDb('*', { clusterArn: CLUSTER, secret: newSecret(stack), database: 'shop', fullDocument: true });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')[0]).toMatchObject({
    StartingPosition: 'TRIM_HORIZON',
    DocumentDBEventSourceConfig: { DatabaseName: 'shop', FullDocument: 'UpdateLookup' },
  });
  expect(actionsOn(template, 'rds')).toEqual([
    'rds:DescribeDBClusterParameters',
    'rds:DescribeDBClusters',
    'rds:DescribeDBSubnetGroups',
  ]);
});

it('reads your own Kafka in its network, with partial failures and a queue for discarded records', () => {
  const { stack, wiring } = newService([kafkaTrigger().topic('orders', nothing)]);
  const vpc = new Vpc(stack, 'Vpc', { maxAzs: 1 }) as IVpc;
  wiring.kafka('orders', {
    bootstrapServers: ['b1.example.com:9096'],
    secret: newSecret(stack),
    rootCertificate: newSecret(stack, 'Authority'),
    vpc,
    securityGroup: new SecurityGroup(stack, 'Group', { vpc }) as ISecurityGroup,
    consumerGroup: 'shop',
  });
  const template = templateOf(stack);
  const [mapping] = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  expect(mapping).toMatchObject({
    SelfManagedEventSource: { Endpoints: { KafkaBootstrapServers: ['b1.example.com:9096'] } },
    SelfManagedKafkaEventSourceConfig: { ConsumerGroupId: 'shop' },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    Topics: ['orders'],
  });
  const { SourceAccessConfigurations: given = [] } = mapping ?? {};
  const access = (given as { Type: string }[]).map(({ Type }) => Type);
  expect(access).toEqual(['SASL_SCRAM_512_AUTH', 'SERVER_ROOT_CA_CERTIFICATE', 'VPC_SUBNET', 'VPC_SECURITY_GROUP']);
  expect(mapping).toHaveProperty('DestinationConfig.OnFailure');
  expect(actionsOn(template, 'kafka')).toEqual([]);
});

it('lets only the rules of the rule set invoke the function, before SES tests it', () => {
  const { stack, fn } = newFunction();
  const ruleSet = new ReceiptRuleSet(stack, 'Rules', { receiptRuleSetName: 'mail' });
  new SesTrigger(stack, 'Support', { fn, ruleSet, recipients: ['support@example.com'], waits: true });
  const template = templateOf(stack);
  const [rule] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::SES::ReceiptRule');
  expect(rule).toMatchObject({
    DependsOn: [expect.stringMatching(/^SupportInvoke/)],
    Properties: {
      Rule: {
        Recipients: ['support@example.com'],
        ScanEnabled: true,
        TlsPolicy: 'Require',
        Actions: [{ LambdaAction: { InvocationType: 'RequestResponse' } }],
      },
    },
  });
  const [permission] = propertiesOf(template, 'AWS::Lambda::Permission');
  expect(permission).toMatchObject({ Principal: 'ses.amazonaws.com', SourceAccount: '123456789012' });
  expect(JSON.stringify(permission?.SourceArn)).toContain('receipt-rule/*');
  expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toEqual([]);
});

it('lets a function rotate one secret with its key', () => {
  const { stack, wiring } = newService([secretRotation().secret('database', steps)]);
  const secret = newSecret(stack, 'Database', { encryptionKey: new Key(stack, 'Key') });
  wiring.secret('database', secret, { every: Duration.days(7) });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::SecretsManager::RotationSchedule')).toEqual([
    {
      SecretId: { Ref: expect.stringMatching(/^Database/) },
      RotationLambdaARN: { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] },
      RotateImmediatelyOnUpdate: false,
      RotationRules: { ScheduleExpression: 'rate(7 days)' },
    },
  ]);
  expect(actionsOn(template, 'secretsmanager')).toEqual([
    'secretsmanager:DescribeSecret',
    'secretsmanager:GetRandomPassword',
    'secretsmanager:GetSecretValue',
    'secretsmanager:PutSecretValue',
    'secretsmanager:UpdateSecretVersionStage',
  ]);
  expect(actionsOn(template, 'kms')).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
  expect(propertiesOf(template, 'AWS::Lambda::Permission')).toEqual([
    expect.objectContaining({
      Principal: 'secretsmanager.amazonaws.com',
      SourceAccount: '123456789012',
      SourceArn: { Ref: expect.stringMatching(/^Database/) },
    }),
  ]);
  expect(JSON.stringify(variablesIn(template).FRAMEWORK_EVENT_SOURCES)).toContain('secret');
});

it('fails a custom resource without an answer after the retries of Lambda, and keeps the permissions of the function until then', () => {
  const { stack, fn } = newFunction();
  new CustomResourceTrigger(stack, 'Seed', { fn, resourceType: 'Custom::Seed', properties: { table: 'notes' } });
  const template = templateOf(stack);
  const [resource] = Object.values(template.Resources).filter(({ Type }) => Type === 'Custom::Seed');
  expect(resource?.Properties).toEqual({
    ServiceToken: { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] },
    ServiceTimeout: '270',
    table: 'notes',
  });
  expect(resource?.DependsOn).toEqual(
    expect.arrayContaining([expect.stringMatching(/^ApiRole\w+$/), expect.stringMatching(/^ApiRoleDefaultPolicy/)]),
  );
});

it('lets only the alarms invoke the function, once for each of the states', () => {
  const { stack, fn } = newFunction();
  const alarms = [newAlarm(stack, 'One'), newAlarm(stack, 'Two')];
  new AlarmTrigger(stack, 'Alarms', { fn, alarms, states: ['ALARM', 'OK'] });
  const template = templateOf(stack);
  for (const alarm of propertiesOf(template, 'AWS::CloudWatch::Alarm')) {
    const target = { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] };
    expect(alarm).toMatchObject({ AlarmActions: [target], OKActions: [target] });
  }
  expect(propertiesOf(template, 'AWS::Lambda::Permission')).toEqual(
    ['One', 'Two'].map((id) =>
      expect.objectContaining({
        Principal: 'lambda.alarms.cloudwatch.amazonaws.com',
        SourceAccount: '123456789012',
        SourceArn: { 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${id}`)), 'Arn'] },
      }),
    ),
  );
});

describe('the alias of a payload', () => {
  const cellar = () => iotRule({ key: 'id' }).rule('cellar', nothing);
  const withDoor = (app: SecureApp) => app.get('/a', nothing as never, Authenticated());

  it('accepts an IoT rule without an entry in "external"', () => {
    const { stack, wiring } = newService([cellar()]);
    const { functionArn } = wiring.payload('cellar');
    new CfnTopicRule(stack, 'Rule', {
      topicRulePayload: { sql: "SELECT * FROM 'a'", actions: [{ lambda: { functionArn } }] },
    });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Alias')).toEqual([
      expect.objectContaining({ Name: 'cellar' }),
    ]);
  });

  it('is rejected for a function with doors, which have no separate alias', () => {
    const { wiring } = newService([cellar()], withDoor);
    expect(() => wiring.payload('cellar')).toThrow('separateDoors: true');
  });

  it('is accepted for a function with separate doors', () => {
    const { wiring } = newService([cellar()], withDoor, { separateDoors: true });
    expect(wiring.payload('cellar').node.path).toBe('Test/Wiring/Payload-cellar');
  });
});

const REJECTED: readonly (readonly [string, string, (service: Service) => unknown])[] = [
  [
    'the start of a schedule that runs once',
    'start',
    ({ stack, fn }) =>
      new ScheduleTrigger(stack, 'T', { fn, schedule: ScheduleExpression.at(new Date(0)), start: new Date() }),
  ],
  [
    'an end before the start',
    'end',
    ({ stack, fn }) => new ScheduleTrigger(stack, 'T', { fn, schedule: daily, start: new Date(2), end: new Date(1) }),
  ],
  [
    'the name of a schedule with 300 characters',
    'scheduleName',
    ({ stack, fn }) => new ScheduleTrigger(stack, 'T', { fn, schedule: daily, scheduleName: 'x'.repeat(300) }),
  ],
  [
    'a schedule of EventBridge rules',
    'schedule',
    ({ stack, fn }) => new ScheduleTrigger(stack, 'T', { fn, schedule: 'rate(1 day)' as never }),
  ],
  [
    'a broker that is a cluster',
    'brokerArn',
    ({ stack, fn }) => new MqTrigger(stack, 'T', { fn, brokerArn: CLUSTER, queue: 'a', secret: newSecret(stack) }),
  ],
  [
    'a broker without credentials',
    'secret',
    ({ stack, fn }) => new MqTrigger(stack, 'T', { fn, brokerArn: BROKER, queue: 'a' } as never),
  ],
  [
    'a queue with a name of 1,001 characters',
    'queue',
    ({ stack, fn }) =>
      new MqTrigger(stack, 'T', { fn, brokerArn: BROKER, queue: 'q'.repeat(1001), secret: newSecret(stack) }),
  ],
  [
    'a second trigger of a queue',
    'second mapping',
    ({ stack, fn }) => {
      const props = { fn, brokerArn: BROKER, queue: 'a', secret: newSecret(stack) };
      new MqTrigger(stack, 'T', props);
      new MqTrigger(stack, 'U', props);
    },
  ],
  [
    'a database with a dot',
    'database',
    ({ stack, fn }) =>
      new DocumentDbTrigger(stack, 'T', { fn, clusterArn: CLUSTER, database: 'a.b', secret: newSecret(stack) }),
  ],
  [
    'all changes without a database',
    'documentDb("*") without database',
    ({ stack, wiring }) => wiring.documentDb('*', { clusterArn: CLUSTER, secret: newSecret(stack) }),
  ],
  [
    'two clusters',
    'clusterArn and bootstrapServers',
    ({ stack, fn }) =>
      new KafkaTrigger(stack, 'T', {
        fn,
        topic: 'a',
        clusterArn: 'arn:aws:kafka:eu-west-1:123456789012:cluster/a/b',
        bootstrapServers: ['a:1'],
      }),
  ],
  ['no cluster', 'no cluster', ({ stack, fn }) => new KafkaTrigger(stack, 'T', { fn, topic: 'a' })],
  [
    '11 brokers',
    'bootstrapServers',
    ({ stack, fn }) =>
      new KafkaTrigger(stack, 'T', {
        fn,
        topic: 'a',
        secret: newSecret(stack),
        bootstrapServers: Array.from({ length: 11 }, (_, n) => `b${n}:9092`),
      }),
  ],
  [
    'brokers without credentials',
    'bootstrapServers without secret',
    ({ stack, fn }) => new KafkaTrigger(stack, 'T', { fn, topic: 'a', bootstrapServers: ['a.example:9092'] }),
  ],
  [
    'brokers in a network without a security group',
    'vpc and securityGroup',
    ({ stack, fn }) =>
      new KafkaTrigger(stack, 'T', {
        fn,
        topic: 'a',
        secret: newSecret(stack),
        bootstrapServers: ['a:1'],
        vpc: new Vpc(stack, 'V') as IVpc,
      }),
  ],
  [
    'the network of an MSK cluster',
    'vpc with clusterArn',
    ({ stack, fn }) =>
      new KafkaTrigger(stack, 'T', {
        fn,
        topic: 'a',
        clusterArn: 'arn:aws:kafka:eu-west-1:123456789012:cluster/a/b',
        vpc: new Vpc(stack, 'V') as IVpc,
      }),
  ],
  [
    '10 actions before the function',
    'before',
    ({ stack, fn }) =>
      new SesTrigger(stack, 'T', {
        fn,
        ruleSet: new ReceiptRuleSet(stack, 'R'),
        before: Array.from({ length: 10 }, () => ({ bind: () => ({}) })),
      }),
  ],
  [
    '501 recipients',
    'recipients',
    ({ stack, fn }) =>
      new SesTrigger(stack, 'T', {
        fn,
        ruleSet: new ReceiptRuleSet(stack, 'R'),
        recipients: Array.from({ length: 501 }, (_, n) => `a${n}@b.example`),
      }),
  ],
  [
    'a rotation every 3 hours',
    'every',
    ({ stack, fn }) =>
      new SecretRotationTrigger(stack, 'T', { fn, secret: newSecret(stack), every: Duration.hours(3) }),
  ],
  [
    'a rotation every 270 minutes',
    'every',
    ({ stack, fn }) =>
      new SecretRotationTrigger(stack, 'T', { fn, secret: newSecret(stack), every: Duration.minutes(270) }),
  ],
  [
    'a second rotation',
    'second mapping',
    ({ stack, fn }) => {
      const secret = newSecret(stack);
      new SecretRotationTrigger(stack, 'T', { fn, secret });
      new SecretRotationTrigger(stack, 'U', { fn, secret });
    },
  ],
  [
    'the token of another function',
    'properties',
    ({ stack, fn }) => new CustomResourceTrigger(stack, 'T', { fn, properties: { ServiceToken: 'a' } }),
  ],
  [
    'a type of a resource of AWS',
    'resourceType',
    ({ stack, fn }) => new CustomResourceTrigger(stack, 'T', { fn, resourceType: 'AWS::S3::Bucket' }),
  ],
  [
    'an imported alarm',
    'imported',
    ({ stack, fn }) => new AlarmTrigger(stack, 'T', { fn, alarms: [Alarm.fromAlarmName(stack, 'A', 'a')] }),
  ],
  ['no alarm', 'alarms', ({ stack, fn }) => new AlarmTrigger(stack, 'T', { fn, alarms: [] })],
  [
    'an unknown state',
    'states',
    ({ stack, fn }) => new AlarmTrigger(stack, 'T', { fn, alarms: [newAlarm(stack)], states: ['RED' as never] }),
  ],
];

it.each(REJECTED)('rejects %s', (_name, text, act) => {
  const service = newService([documentDb().collection('*', nothing)]);
  let thrown: unknown;
  try {
    act(service);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConstructError);
  expect((thrown as Error).message).toContain(text);
});

it('rejects a timeout of 15 minutes for a source that Lambda polls', () => {
  const { stack, fn } = newService([], nothing, { timeout: Duration.minutes(15) });
  const secret = newSecret(stack);
  expect(() => new MqTrigger(stack, 'T', { fn, brokerArn: BROKER, queue: 'a', secret })).toThrow('timeout of Test/Api');
  expect(() => new DocumentDbTrigger(stack, 'U', { fn, clusterArn: CLUSTER, database: 'a', secret })).toThrow('840 s');
  const ruleSet = new ReceiptRuleSet(stack, 'R');
  expect(() => new SesTrigger(stack, 'V', { fn, ruleSet, waits: true })).toThrow('30 s');
});

it('rejects the provider framework of the CDK, which answers CloudFormation itself', () => {
  const { wiring } = newService([customResource(operations, { cdkProvider: true })]);
  expect(() => wiring.customResource('Seed')).toThrow('cdkProvider');
});

it('grants actions on named resources, except actions without resource-level permissions', () => {
  const { stack, fn } = newFunction();
  new SecretRotationTrigger(stack, 'T', { fn, secret: newSecret(stack) });
  const wide = statementsOf(templateOf(stack)).filter(({ Resource }) => Resource === '*');
  expect(wide.flatMap(({ Action }) => Action)).toEqual([
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'secretsmanager:GetRandomPassword',
  ]);
});
