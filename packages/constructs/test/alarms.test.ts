import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { ApplicationLoadBalancer } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Key, Alias as KeyAlias } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  DataStream,
  ErrorNotifications,
  type Inventory,
  QueueTrigger,
  ServiceAlarms,
  type ServiceAlarmsProps,
  ServiceFunction,
  ServiceQueue,
  StreamTrigger,
} from '../src/index.js';
import { newStack, propertiesOf, statementsOf, type Template, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

function newService() {
  const stack = newStack();
  const service = new ServiceFunction(stack, 'Api', { code });
  const { topic } = new ErrorNotifications(stack, 'OnCall', { encryptionKey: new Key(stack, 'Key') });
  const newAlarms = (props: Partial<ServiceAlarmsProps> = {}) =>
    new ServiceAlarms(stack, 'Alarms', { fn: service.fn, actionTopic: topic, ...props });
  return { stack, service, fn: service.fn, topic, newAlarms };
}

/** An application with one route that writes metrics. */
const INVENTORY: Inventory = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http', method: 'GET', path: '/notes', posture: 'public' }],
  triggers: [],
  deployment: { metrics: { namespace: 'Shop' } },
};

const alarmsOf = (template: Template) => propertiesOf(template, 'AWS::CloudWatch::Alarm');

const CONDITION = {
  StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
  ArnLike: {
    'aws:SourceArn': {
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ':cloudwatch:',
          { Ref: 'AWS::Region' },
          ':',
          { Ref: 'AWS::AccountId' },
          ':alarm:*',
        ],
      ],
    },
  },
};

describe('ServiceAlarms', () => {
  it('watches errors and throttles, and notifies the topic', () => {
    const { stack, newAlarms } = newService();
    newAlarms();
    const common = {
      Namespace: 'AWS/Lambda',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^Api/) } }],
      Period: 300,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: expect.stringMatching(/^OnCall/) }],
    };
    const runbook = 'Test/Api. docs/operations.md';
    expect(alarmsOf(templateOf(stack))).toEqual([
      {
        ...common,
        MetricName: 'Errors',
        Statistic: 'Sum',
        Threshold: 1,
        AlarmDescription: `Invocations fail: ${runbook}#failed-invocations`,
      },
      {
        ...common,
        MetricName: 'Throttles',
        Statistic: 'Sum',
        Threshold: 1,
        AlarmDescription: `Invocations find no free environment: ${runbook}#throttled-invocations`,
      },
    ]);
  });

  it('watches late streams and the queues of failed events', () => {
    const { stack, fn, newAlarms } = newService();
    const { deadLetterQueue } = new ServiceQueue(stack, 'Orders');
    new StreamTrigger(stack, 'Clicks', { fn, stream: new DataStream(stack, 'Stream').stream });
    newAlarms({
      deadLetterQueues: [deadLetterQueue as IQueue],
      maxIteratorAge: Duration.minutes(10),
      errorThreshold: 5,
      throttleThreshold: 7,
    });
    expect(alarmsOf(templateOf(stack))).toMatchObject([
      { MetricName: 'Errors', Threshold: 5 },
      { MetricName: 'Throttles', Threshold: 7 },
      {
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [
          { Name: 'QueueName', Value: { 'Fn::GetAtt': [expect.stringMatching(/^OrdersDead/), 'QueueName'] } },
        ],
        Statistic: 'Maximum',
        Threshold: 1,
      },
      { Namespace: 'AWS/Lambda', MetricName: 'IteratorAge', Statistic: 'Maximum', Threshold: 600_000 },
      {
        Namespace: 'AWS/SQS',
        Dimensions: [
          { Name: 'QueueName', Value: { 'Fn::GetAtt': [expect.stringMatching(/^ClicksFailures/), 'QueueName'] } },
        ],
        Threshold: 1,
      },
    ]);
  });

  it.each([
    [false, 'LambdaUserError', ['TargetGroup']],
    [true, 'HTTPCode_Target_5XX_Count', ['LoadBalancer', 'TargetGroup']],
  ])('watches a load balancer; with its name: %s', (isNamed, metric, dimensions) => {
    const { stack, fn, newAlarms } = newService();
    const vpc = new Vpc(stack, 'Vpc', { natGateways: 0 });
    const loadBalancer = new ApplicationLoadBalancer(stack, 'Balancer', { vpc: vpc as IVpc });
    new AlbTarget(stack, 'Target', { fn, ...(isNamed && { loadBalancer }) });
    newAlarms();
    const alarms = alarmsOf(templateOf(stack)).filter(({ Namespace }) => Namespace === 'AWS/ApplicationELB');
    expect(alarms).toMatchObject([{ MetricName: metric, Statistic: 'Sum', Threshold: 5 }]);
    const found = alarms.flatMap(({ Dimensions }) => Dimensions as readonly { readonly Name: string }[]);
    expect(found.map(({ Name }) => Name)).toEqual(dimensions);
  });

  it('lets alarms of this account publish to the topic and use its key', () => {
    const { stack, newAlarms } = newService();
    newAlarms();
    const template = templateOf(stack);
    const cloudwatch = { Principal: { Service: 'cloudwatch.amazonaws.com' }, Effect: 'Allow', Condition: CONDITION };
    const onTopic = expect.objectContaining({ ...cloudwatch, Action: 'sns:Publish' });
    expect(propertiesOf(template, 'AWS::SNS::TopicPolicy')).toMatchObject([
      { PolicyDocument: { Statement: expect.arrayContaining([onTopic]) } },
    ]);
    const onKey = {
      ...cloudwatch,
      Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    expect(propertiesOf(template, 'AWS::KMS::Key')).toMatchObject([
      { KeyPolicy: { Statement: expect.arrayContaining([onKey]) } },
    ]);
  });

  it.each([
    [
      'an error topic without a key of its owner',
      (stack: Stack) => new ErrorNotifications(stack, 'Topic').topic,
      'Test/Topic/Resource',
    ],
    [
      'a topic with the key of SNS',
      (stack: Stack) => new Topic(stack, 'Topic', { masterKey: KeyAlias.fromAliasName(stack, 'K', 'alias/aws/sns') }),
      'Test/Topic',
    ],
  ])('rejects %s: CloudWatch may not use it', (_name, topicOf, path) => {
    const { stack, newAlarms } = newService();
    expect(() => newAlarms({ actionTopic: topicOf(stack) as ITopic })).toThrow(
      expect.failure(
        'constructs.invalid_prop',
        `ServiceAlarms: actionTopic ${path}`,
        'encryptionKey',
        '(at Test/Alarms)',
      ),
    );
  });

  it('rejects alarms without a topic', () => {
    const { stack, fn } = newService();
    expect(() => new ServiceAlarms(stack, 'T', { fn } as never)).toThrow(
      expect.failure('constructs.invalid_prop', 'ServiceAlarms: actionTopic', '(at Test/T)'),
    );
  });

  it.each<[string, Partial<ServiceAlarmsProps>, string]>([
    ['errorThreshold', { errorThreshold: 0 }, 'got 0'],
    ['throttleThreshold', { throttleThreshold: 1.5 }, 'got 1.5'],
    ['maxIteratorAge', { maxIteratorAge: Duration.seconds(0) }, 'got 0 seconds'],
    ['deadLetterQueues', { deadLetterQueues: ['orders'] as never }, 'got a list of 1'],
  ])('rejects a wrong %s', (name, props, problem) => {
    expect(() => newService().newAlarms(props)).toThrow(
      expect.failure('constructs.invalid_prop', `ServiceAlarms: ${name}, ${problem}`, '(at Test/Alarms)'),
    );
  });

  it('fails at synth for a stream that it does not watch, even if the trigger is created later', () => {
    const { stack, fn, newAlarms } = newService();
    newAlarms();
    new StreamTrigger(stack, 'Clicks', { fn, stream: new DataStream(stack, 'Stream').stream });
    expect(() => templateOf(stack)).toThrow(
      expect.failure(undefined, 'ServiceAlarms: ', 'Test/Clicks', 'maxIteratorAge', '(at Test/Alarms)'),
    );
  });
});

describe('a canary', () => {
  it('moves an alias in steps, ends with an alarm, and may do no more', () => {
    const { stack, service, newAlarms } = newService();
    const { queue } = new ServiceQueue(stack, 'Orders');
    const live = service.addCanary({ alarms: newAlarms().alarms, inventory: INVENTORY });
    new QueueTrigger(stack, 'OrdersTrigger', { fn: live, queue: queue as IQueue });
    const template = templateOf(stack);
    const [alias] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Alias');
    expect(alias).toMatchObject({
      Properties: { Name: 'live', FunctionVersion: { 'Fn::GetAtt': [expect.anything(), 'Version'] } },
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: { Ref: expect.stringMatching(/^ApiApplication/) },
          DeploymentGroupName: { Ref: expect.stringMatching(/^ApiDeployment/) },
        },
      },
    });
    expect(propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup')).toMatchObject([
      {
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: {
          Enabled: true,
          Alarms: [{ Name: expect.anything() }, { Name: expect.anything() }, { Name: expect.anything() }],
        },
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      },
    ]);
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) expect(role).not.toHaveProperty('ManagedPolicyArns');
    const granted = statementsOf(template).filter(({ Action }) => /Alias|Alarms|Provisioned/.test(String(Action)));
    expect(granted).toEqual([
      {
        Action: ['lambda:GetAlias', 'lambda:UpdateAlias'],
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] },
      },
      {
        Action: 'lambda:GetProvisionedConcurrencyConfig',
        Effect: 'Allow',
        Resource: { Ref: expect.stringMatching(/^ApiAlias/) },
      },
      {
        Action: 'cloudwatch:DescribeAlarms',
        Effect: 'Allow',
        Resource: [
          { 'Fn::GetAtt': [expect.stringMatching(/^AlarmsErrors/), 'Arn'] },
          { 'Fn::GetAtt': [expect.stringMatching(/^AlarmsThrottles/), 'Arn'] },
          { 'Fn::GetAtt': [expect.stringMatching(/^ApiCanaryRequestErrors/), 'Arn'] },
        ],
      },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([
      { FunctionName: { 'Fn::Join': ['', [expect.anything(), ':live']] } },
    ]);
  });

  it('accepts another name and other steps', () => {
    const { stack, service, newAlarms } = newService();
    service.addCanary({
      alarms: newAlarms().alarms,
      inventory: INVENTORY,
      aliasName: 'prod',
      deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
    });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Lambda::Alias')).toMatchObject([{ Name: 'prod' }]);
    expect(propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup')).toMatchObject([
      { DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute' },
    ]);
  });

  it.each<[string, (service: ReturnType<typeof newService>) => unknown, string, string]>([
    [
      'no alarm',
      ({ service }) => service.addCanary({ alarms: [] }),
      'constructs.invalid_prop',
      'alarms, got a list of 0',
    ],
    [
      'a name of digits',
      ({ service, newAlarms }) => service.addCanary({ alarms: newAlarms().alarms, aliasName: '12' }),
      'constructs.invalid_prop',
      'aliasName, got "12"',
    ],
    [
      'a second one',
      ({ service, newAlarms }) => {
        const { alarms } = newAlarms();
        service.addCanary({ alarms, inventory: INVENTORY });
        service.addCanary({ alarms, inventory: INVENTORY });
      },
      'constructs.conflict',
      'a second canary',
    ],
  ])('is rejected with %s', (_name, run, code, problem) => {
    expect(() => run(newService())).toThrow(expect.failure(code, `ServiceFunction: ${problem}`, '(at Test/Api)'));
  });
});
