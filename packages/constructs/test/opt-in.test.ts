/** Triggers of `@sallyport/triggers`: what is made, and what is rejected. */
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Alias, Code, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket, EventType, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Size, type Stack } from 'aws-cdk-lib/core';
import {
  CognitoTrigger,
  type CognitoTriggerProps,
  FirehoseTransform,
  type FirehoseTransformProps,
  KafkaTrigger,
  type KafkaTriggerProps,
  S3Trigger,
  ServiceFunction,
} from '../src/index.js';
import { newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

function newService(timeout?: Duration): { readonly stack: Stack; readonly fn: LambdaFunction } {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code, ...(timeout && { timeout }) });
  return { stack, fn };
}

const newBucket = (stack: Stack, id = 'Uploads') => new Bucket(stack, id) as IBucket;

describe('buckets', () => {
  it('notify the function, which this bucket of this account alone may invoke, and failed events are sent to a queue', () => {
    const { stack, fn } = newService();
    const bucket = newBucket(stack);
    const events = [EventType.OBJECT_CREATED, EventType.OBJECT_REMOVED];
    new S3Trigger(stack, 'T', { fn, bucket, events, filters: [{ prefix: 'a/' }, { prefix: 'b/', suffix: '.png' }] });
    const template = templateOf(stack);
    const arn = { 'Fn::GetAtt': [expect.stringMatching(/^Uploads/), 'Arn'] };
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toMatchObject([
      { Principal: 's3.amazonaws.com', SourceArn: arn, SourceAccount: { Ref: 'AWS::AccountId' } },
    ]);
    const rules = (...values: readonly (readonly [string, string])[]) => ({
      Key: { FilterRules: values.map(([Name, Value]) => ({ Name, Value })) },
    });
    const [a, b] = [rules(['prefix', 'a/']), rules(['suffix', '.png'], ['prefix', 'b/'])];
    expect(propertiesOf(template, 'Custom::S3BucketNotifications')).toMatchObject([
      {
        NotificationConfiguration: {
          LambdaFunctionConfigurations: [
            { Events: ['s3:ObjectCreated:*'], Filter: a },
            { Events: ['s3:ObjectCreated:*'], Filter: b },
            { Events: ['s3:ObjectRemoved:*'], Filter: a },
            { Events: ['s3:ObjectRemoved:*'], Filter: b },
          ],
        },
      },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      {
        DestinationConfig: {
          OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^ApiAsyncFailures/), 'Arn'] } },
        },
      },
    ]);
    expect(statementsOf(template)).toContainEqual({
      Action: 's3:PutBucketNotification',
      Effect: 'Allow',
      Resource: arn,
    });
    expect(propertiesOf(template, 'AWS::IAM::Role').filter((role) => 'ManagedPolicyArns' in role)).toEqual([]);
  });

  it('use the destination that the function has', () => {
    const { stack, fn } = newService();
    const first = new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack) });
    const second = new S3Trigger(stack, 'U', { fn, bucket: newBucket(stack, 'Others') });
    expect(first.failureQueue?.node.path).toBe('Test/Api/Resource/AsyncFailures');
    expect(second.failureQueue === first.failureQueue).toBe(true);
    expect(propertiesOf(templateOf(stack), 'AWS::SQS::Queue')).toHaveLength(1);
  });

  it.each<[string, (service: ReturnType<typeof newService>) => unknown, Error]>([
    [
      'filters that overlap',
      ({ stack, fn }) =>
        new S3Trigger(stack, 'T', {
          fn,
          bucket: newBucket(stack),
          filters: [{ prefix: 'a/', suffix: '.png' }, { prefix: 'b/' }, { prefix: 'a/b/' }],
        }),
      expect.failure(
        'constructs.invalid_prop',
        'S3Trigger: filters',
        '{"prefix":"a/","suffix":".png"}',
        '{"prefix":"a/b/"}',
        '(at Test/T)',
      ),
    ],
    [
      'no filters',
      ({ stack, fn }) => new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack), filters: [] }),
      expect.failure('constructs.invalid_prop', 'S3Trigger: filters', 'got a list of 0', '(at Test/T)'),
    ],
    [
      'an unknown event',
      ({ stack, fn }) => new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack), events: ['created' as EventType] }),
      expect.failure('constructs.invalid_prop', 'S3Trigger: events', 'got a list of 1', '(at Test/T)'),
    ],
    [
      'a second trigger of one bucket',
      ({ stack, fn }) => {
        const bucket = newBucket(stack);
        new S3Trigger(stack, 'First', { fn, bucket });
        new S3Trigger(stack, 'T', { fn, bucket });
      },
      expect.failure(
        'constructs.conflict',
        'S3Trigger: a second mapping',
        'Test/Api/Resource',
        'Test/First',
        '(at Test/T)',
      ),
    ],
    [
      'a second destination of one function',
      ({ stack, fn }) => {
        new S3Trigger(stack, 'First', { fn, bucket: newBucket(stack) });
        const failureQueue = new Queue(stack, 'Q') as IQueue;
        new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack, 'Others'), failureQueue });
      },
      expect.failure('constructs.conflict', 'S3Trigger: failureQueue', 'Test/Api/Resource', 'ownAlias', '(at Test/T)'),
    ],
    [
      'an alias of its own for an alias',
      ({ stack, fn }) => {
        const alias = new Alias(stack, 'A', { aliasName: 'live', version: fn.currentVersion as IVersion });
        new S3Trigger(stack, 'T', { fn: alias as IFunction, bucket: newBucket(stack), ownAlias: true });
      },
      expect.failure('constructs.invalid_prop', 'S3Trigger: ownAlias', 'Test/A', '(at Test/T)'),
    ],
  ])('reject %s', (_name, run, failure) => {
    const service = newService();
    expect(() => run(service)).toThrow(failure);
  });
});

describe('user pools', () => {
  const attach = (props: Partial<CognitoTriggerProps>, timeout = Duration.seconds(5)) => {
    const { stack, fn } = newService(timeout);
    const userPool = new UserPool(stack, 'Pool');
    const trigger = new CognitoTrigger(stack, 'T', { fn, userPool, sources: ['PreSignUp_SignUp'], ...props });
    return { stack, fn, userPool, trigger };
  };

  it('have one trigger for each operation, and alone may invoke the function', () => {
    const sources = ['PreSignUp_SignUp', 'PreSignUp_ExternalProvider', 'TokenGeneration_*'];
    const { stack, trigger } = attach({ sources });
    const template = templateOf(stack);
    const arn = { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] };
    expect(propertiesOf(template, 'AWS::Cognito::UserPool')).toMatchObject([
      { LambdaConfig: { PreSignUp: arn, PreTokenGeneration: arn } },
    ]);
    const permission = {
      Principal: 'cognito-idp.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^Pool/), 'Arn'] },
    };
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toMatchObject([permission, permission]);
    const warnings = trigger.node.metadata.map(({ data }) => String(data));
    expect(warnings).toEqual([
      expect.stringContaining(
        'Cognito invokes the function for PreSignUp_AdminCreateUser too, and the application rejects',
      ),
    ]);
  });

  it.each<[string, () => unknown, Error]>([
    [
      'a function that takes longer than Cognito waits',
      () => attach({}, Duration.seconds(6)),
      expect.failure(
        'constructs.invalid_prop',
        'CognitoTrigger: timeout',
        'Test/Api/Resource',
        'got 6',
        'at most 5',
        '(at Test/T)',
      ),
    ],
    [
      'an unknown source',
      () => attach({ sources: ['PreSignUp_Sign'] }),
      expect.failure(
        'constructs.invalid_prop',
        'CognitoTrigger: sources',
        'got "PreSignUp_Sign"',
        'PreSignUp_SignUp',
        '(at Test/T)',
      ),
    ],
    [
      'no sources',
      () => attach({ sources: [] }),
      expect.failure('constructs.invalid_prop', 'CognitoTrigger: sources', 'got a list of 0', '(at Test/T)'),
    ],
    [
      'an imported user pool, which takes no triggers',
      () => attach({ userPool: UserPool.fromUserPoolId(newStack(), 'P', 'eu-west-1_abc') as UserPool }),
      expect.failure(
        'constructs.invalid_prop',
        'CognitoTrigger: userPool',
        'got an object (ImportedUserPool)',
        '(at Test/T)',
      ),
    ],
  ])('reject %s', (_name, run, failure) => {
    expect(run).toThrow(failure);
  });
});

describe('transformations of Firehose', () => {
  const attach = (props: Partial<FirehoseTransformProps> = {}, timeout = Duration.minutes(5)) => {
    const { stack, fn } = newService(timeout);
    const processor = new FirehoseTransform(stack, 'T', { fn, ...props });
    new DeliveryStream(stack, 'Clicks', { destination: new S3Bucket(newBucket(stack), { processors: [processor] }) });
    return stack;
  };

  it('buffer what the function can answer, and the role of the destination may invoke the function alone', () => {
    const template = templateOf(attach({ bufferSize: Size.mebibytes(3), bufferInterval: Duration.seconds(90) }));
    const [stream] = propertiesOf(template, 'AWS::KinesisFirehose::DeliveryStream');
    const arn = { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] };
    expect(stream).toMatchObject({
      ExtendedS3DestinationConfiguration: {
        ProcessingConfiguration: {
          Enabled: true,
          Processors: [
            {
              Type: 'Lambda',
              Parameters: expect.arrayContaining([
                { ParameterName: 'LambdaArn', ParameterValue: arn },
                { ParameterName: 'BufferSizeInMBs', ParameterValue: '3' },
                { ParameterName: 'BufferIntervalInSeconds', ParameterValue: '90' },
                { ParameterName: 'NumberOfRetries', ParameterValue: '3' },
              ]),
            },
          ],
        },
      },
    });
    expect(statementsOf(template)).toContainEqual({
      Action: ['lambda:InvokeFunction', 'lambda:GetFunctionConfiguration'],
      Effect: 'Allow',
      Resource: arn,
    });
  });

  it.each<[string, () => unknown, Error]>([
    [
      'a buffer that the function could not answer',
      () => attach({ bufferSize: Size.mebibytes(4) }),
      expect.failure(
        'constructs.invalid_prop',
        'FirehoseTransform: bufferSize',
        'got an object (Size)',
        '0.2 to 3 MiB',
        '(at Test/T)',
      ),
    ],
    [
      'a function that takes longer than Firehose waits',
      () => attach({}, Duration.seconds(301)),
      expect.failure(
        'constructs.invalid_prop',
        'FirehoseTransform: timeout',
        'Test/Api/Resource',
        'got 301',
        'at most 300',
        '(at Test/T)',
      ),
    ],
    [
      'more retries than Firehose makes',
      () => attach({ retries: 301 }),
      expect.failure('constructs.invalid_prop', 'FirehoseTransform: retries', 'got 301', '0 to 300', '(at Test/T)'),
    ],
  ])('reject %s', (_name, run, failure) => {
    expect(run).toThrow(failure);
  });
});

describe('topics of Kafka', () => {
  const cluster = 'arn:aws:kafka:eu-west-1:123456789012:cluster/shop/6f1f8e4c-1';
  const attach = (props: Partial<KafkaTriggerProps> = {}, timeout = Duration.seconds(60)) => {
    const { stack, fn } = newService(timeout);
    new KafkaTrigger(stack, 'T', { fn, clusterArn: cluster, topic: 'orders', consumerGroup: 'shop', ...props });
    return { stack, fn };
  };

  it('have provisioned pollers, report partial failures, and send discarded records to a queue', () => {
    const template = templateOf(attach().stack);
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([
      {
        EventSourceArn: cluster,
        Topics: ['orders'],
        AmazonManagedKafkaEventSourceConfig: { ConsumerGroupId: 'shop' },
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 100,
        ProvisionedPollerConfig: { MinimumPollers: 1, MaximumPollers: 10 },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 10,
        MaximumRecordAgeInSeconds: 86_400,
        DestinationConfig: {
          OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^TFailures/), 'Arn'] } },
        },
      },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
      { Environment: { Variables: { FRAMEWORK_KAFKA_ON_FAILURE: 'report' } } },
    ]);
    const [topic, group] = ['topic/shop/6f1f8e4c-1/orders', 'group/shop/6f1f8e4c-1/shop'];
    const statements = statementsOf(template).map(({ Action, Resource }) => ({ Action, Resource }));
    const here = 'arn:aws:kafka:eu-west-1:123456789012';
    for (const expected of [
      { Action: 'kafka-cluster:Connect', Resource: cluster },
      { Action: ['kafka-cluster:DescribeTopic', 'kafka-cluster:ReadData'], Resource: `${here}:${topic}` },
      { Action: ['kafka-cluster:AlterGroup', 'kafka-cluster:DescribeGroup'], Resource: `${here}:${group}` },
      { Action: ['kafka:DescribeClusterV2', 'kafka:GetBootstrapBrokers'], Resource: cluster },
    ])
      expect(statements).toContainEqual(expected);
  });

  it('are read with a name and a password if the cluster requires them', () => {
    const { stack, fn } = newService();
    const secret = new Secret(stack, 'Credentials') as ISecret;
    new KafkaTrigger(stack, 'T', { fn, clusterArn: cluster, topic: 'orders', secret });
    const template = templateOf(stack);
    const uri = { Ref: expect.stringMatching(/^Credentials/) };
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([
      { SourceAccessConfigurations: [{ Type: 'SASL_SCRAM_512_AUTH', URI: uri }] },
    ]);
    expect(JSON.stringify(statementsOf(template))).not.toContain('kafka-cluster:');
  });

  it.each<[string, () => unknown, Error]>([
    [
      'a cluster that is not one of MSK',
      () => attach({ clusterArn: 'b-1.shop.kafka:9092' }),
      expect.failure('constructs.invalid_prop', 'KafkaTrigger: clusterArn', 'got "b-1.shop.kafka:9092"', '(at Test/T)'),
    ],
    [
      'fewer pollers at most than at least',
      () => attach({ minPollers: 5, maxPollers: 2 }),
      expect.failure('constructs.invalid_prop', 'KafkaTrigger: minPollers', 'got 5', 'maxPollers', '(at Test/T)'),
    ],
    [
      'a function that takes longer than AWS lets it',
      () => attach({}, Duration.minutes(15)),
      expect.failure(
        'constructs.invalid_prop',
        'KafkaTrigger: timeout',
        'Test/Api/Resource',
        'got 900',
        'at most 840',
        '(at Test/T)',
      ),
    ],
    [
      'a second trigger of one topic',
      () => {
        const { stack, fn } = attach();
        new KafkaTrigger(stack, 'U', { fn, clusterArn: cluster, topic: 'orders' });
      },
      expect.failure(
        'constructs.conflict',
        'KafkaTrigger: a second mapping',
        'Test/Api/Resource',
        'Test/T',
        '(at Test/U)',
      ),
    ],
  ])('reject %s', (_name, run, failure) => {
    expect(run).toThrow(failure);
  });
});
