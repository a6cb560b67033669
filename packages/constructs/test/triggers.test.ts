import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus, Schedule } from 'aws-cdk-lib/aws-events';
import { type IStream, Stream, StreamEncryption } from 'aws-cdk-lib/aws-kinesis';
import { Code, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { FilterOrPolicy, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import {
  DataStream,
  ErrorNotifications,
  EventRuleTrigger,
  QueueTrigger,
  S3Trigger,
  ServiceFunction,
  ServiceQueue,
  StreamTrigger,
  TableStreamTrigger,
  TopicTrigger,
} from '../src/index.js';
import { actionsOn, messageOf, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

function newService(timeout?: Duration): { readonly stack: Stack; readonly fn: LambdaFunction } {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code, ...(timeout && { timeout }) });
  return { stack, fn };
}

const newTable = (stack: Stack, stream?: StreamViewType) =>
  new Table(stack, 'Notes', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    ...(stream && { stream }),
  }) as ITable;

const mappingsOf = (template: Template) => propertiesOf(template, 'AWS::Lambda::EventSourceMapping');

describe('queues', () => {
  it('are encrypted, for TLS only, with a dead-letter queue, and their mapping reports partial failures', () => {
    const { stack, fn } = newService(Duration.seconds(20));
    const orders = new ServiceQueue(stack, 'Orders');
    new QueueTrigger(stack, 'OrdersTrigger', { fn, queue: orders.queue });
    const template = templateOf(stack);
    const [dead, queue] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::SQS::Queue');
    expect(dead).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true },
    });
    expect(queue?.Properties).toMatchObject({
      MessageRetentionPeriod: 345_600,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 120,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
    expect(JSON.stringify(propertiesOf(template, 'AWS::SQS::QueuePolicy')).match(/aws:SecureTransport/g)).toHaveLength(
      2,
    );
    expect(mappingsOf(template)).toMatchObject([{ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] }]);
    expect(mappingsOf(template)[0]).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(actionsOn(template, 'sqs')).toEqual(['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage']);
  });

  it('one function consumes several', () => {
    const { stack, fn } = newService();
    for (const name of ['Orders', 'Bills']) {
      const { queue } = new ServiceQueue(stack, name, { fifo: name === 'Bills' });
      new QueueTrigger(stack, `${name}Trigger`, { fn, queue });
    }
    const template = templateOf(stack);
    expect(mappingsOf(template)).toHaveLength(2);
    expect(propertiesOf(template, 'AWS::SQS::Queue').filter(({ FifoQueue }) => FifoQueue)).toHaveLength(2);
  });

  it('a trigger can have a separate alias', () => {
    const { stack, fn } = newService();
    const { queue } = new ServiceQueue(stack, 'Orders');
    new QueueTrigger(stack, 'OrdersTrigger', { fn, queue, ownAlias: true });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Lambda::Alias')).toMatchObject([{ Name: 'via-OrdersTrigger' }]);
    const [alias] = Object.keys(template.Resources).filter(
      (id) => template.Resources[id]?.Type === 'AWS::Lambda::Alias',
    );
    expect(JSON.stringify(mappingsOf(template))).toContain(`{"Ref":"${alias}"}`);
  });
});

describe('streams', () => {
  it('report sequence numbers, in parts, and send discarded records to a queue', () => {
    const { stack, fn } = newService();
    const table = newTable(stack, StreamViewType.NEW_IMAGE);
    new TableStreamTrigger(stack, 'Changes', { fn, table });
    new StreamTrigger(stack, 'ClicksTrigger', { fn, stream: new DataStream(stack, 'Clicks').stream });
    const template = templateOf(stack);
    const expected = {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: 86_400,
      ParallelizationFactor: 1,
      DestinationConfig: { OnFailure: {} },
    };
    expect(mappingsOf(template)).toMatchObject([expected, expected]);
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
      { Environment: { Variables: { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' } } },
    ]);
    expect(propertiesOf(template, 'AWS::Kinesis::Stream')).toMatchObject([
      {
        RetentionPeriodHours: 24,
        StreamModeDetails: { StreamMode: 'ON_DEMAND' },
        StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' },
      },
    ]);
    expect(actionsOn(template, 'dynamodb')).toEqual([
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    ]);
    expect(actionsOn(template, 'sqs')).toEqual(['sqs:SendMessage']);
  });
});

describe('topics and rules', () => {
  it('a subscription has a permission for its topic alone, a filter and queues for failures', () => {
    const { stack, fn } = newService();
    const topic = new Topic(stack, 'News');
    const filterPolicy = { kind: SubscriptionFilter.stringFilter({ allowlist: ['note'] }) };
    new TopicTrigger(stack, 'NewsTrigger', { fn, topic, filterPolicy });
    const template = templateOf(stack);
    const [topicId] = Object.keys(template.Resources).filter(
      (id) => template.Resources[id]?.Type === 'AWS::SNS::Topic',
    );
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toMatchObject([
      { Principal: 'sns.amazonaws.com', SourceArn: { Ref: topicId } },
    ]);
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'lambda', FilterPolicy: { kind: ['note'] }, RedrivePolicy: {} },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { DestinationConfig: { OnFailure: {} } },
    ]);
  });

  it.each([
    [
      'a schedule',
      { schedule: Schedule.rate(Duration.hours(1)), ruleName: 'hourly' },
      { Name: 'hourly', ScheduleExpression: 'rate(1 hour)' },
    ],
    ['a pattern', { pattern: { source: ['billing'] } }, { EventPattern: { source: ['billing'] } }],
  ])('a rule with %s retries and keeps failed events', (_name, props, expected) => {
    const { stack, fn } = newService();
    new EventRuleTrigger(stack, 'Nightly', { fn, ...props });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Events::Rule')).toMatchObject([
      {
        ...expected,
        Targets: [
          { RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 86_400 }, DeadLetterConfig: {} },
        ],
      },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toMatchObject([
      { Principal: 'events.amazonaws.com', SourceArn: { 'Fn::GetAtt': [expect.any(String), 'Arn'] } },
    ]);
  });

  it('the topic of errors is encrypted and may only be published to', () => {
    const { stack, fn } = newService();
    new ErrorNotifications(stack, 'Errors', { emails: ['on-call@example.com'] }).bindTo(fn);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::SNS::Topic')[0]).toHaveProperty('KmsMasterKeyId');
    expect(JSON.stringify(propertiesOf(template, 'AWS::SNS::TopicPolicy'))).toContain('aws:SecureTransport');
    expect(actionsOn(template, 'sns')).toEqual(['sns:Publish']);
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([{ Protocol: 'email' }]);
  });
});

/** Asynchronous event sources, with or without a separate failure queue. */
const ASYNCHRONOUS: readonly [string, (stack: Stack, fn: IFunction, props: { failureQueue?: IQueue }) => unknown][] = [
  ['TopicTrigger', (stack, fn, props) => new TopicTrigger(stack, 'T', { fn, topic: new Topic(stack, 'N'), ...props })],
  [
    'EventRuleTrigger',
    (stack, fn, props) => new EventRuleTrigger(stack, 'T', { fn, pattern: { source: ['billing'] }, ...props }),
  ],
  [
    'S3Trigger',
    (stack, fn, props) => new S3Trigger(stack, 'T', { fn, bucket: new Bucket(stack, 'B') as IBucket, ...props }),
  ],
];

describe.each(ASYNCHRONOUS)('the destination of failed events: %s', (name, attach) => {
  const newFirst = () => {
    const { stack, fn } = newService();
    const failureQueue = new Queue(stack, 'First-Failures') as IQueue;
    new TopicTrigger(stack, 'First', { fn, topic: new Topic(stack, 'FirstTopic'), failureQueue });
    return { stack, fn, failureQueue };
  };

  it('a second one is rejected', () => {
    const { stack, fn } = newFirst();
    const failureQueue = new Queue(stack, 'Q') as IQueue;
    expect(() => attach(stack, fn, { failureQueue })).toThrow(
      expect.failure('constructs.conflict', `${name}: failureQueue`, 'Test/Api/Resource', 'ownAlias', '(at Test/T)'),
    );
  });

  it('a queue that the application configured is not replaced', () => {
    const { stack, fn } = newService();
    fn.configureAsyncInvoke({ retryAttempts: 0 });
    const failureQueue = new Queue(stack, 'Q') as IQueue;
    expect(messageOf(() => attach(stack, fn, { failureQueue }))).toContain(
      'failureQueue, and Test/Api/Resource has settings for such events without a destination already',
    );
  });

  it.each(['the same queue', 'none'])('a second trigger may state %s', (which) => {
    const { stack, fn, failureQueue } = newFirst();
    attach(stack, fn, which === 'none' ? {} : { failureQueue });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::EventInvokeConfig')).toHaveLength(1);
  });

  it('a separate alias has a separate queue', () => {
    const { stack, fn } = newFirst();
    const failureQueue = new Queue(stack, 'Q') as IQueue;
    const props: { failureQueue: IQueue; ownAlias: boolean } = { failureQueue, ownAlias: true };
    attach(stack, fn, props);
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::EventInvokeConfig')).toHaveLength(2);
  });
});

type Refusal = (stack: Stack, fn: LambdaFunction) => unknown;

const REFUSED: readonly [string, Refusal, Error][] = [
  [
    'a FIFO queue with a window',
    (stack, fn) =>
      new QueueTrigger(stack, 'T', {
        fn,
        queue: new ServiceQueue(stack, 'Q', { fifo: true }).queue,
        maxBatchingWindow: Duration.seconds(1),
      }),
    expect.failure('constructs.invalid_prop', 'QueueTrigger: maxBatchingWindow', 'FIFO queue', '(at Test/T)'),
  ],
  [
    'a batch above 10 without a window',
    (stack, fn) => new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue, batchSize: 11 }),
    expect.failure(
      'constructs.invalid_prop',
      'QueueTrigger: batchSize',
      'maxBatchingWindow',
      'at least 1',
      '(at Test/T)',
    ),
  ],
  [
    'a batch of 11 from a FIFO queue',
    (stack, fn) =>
      new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q', { fifo: true }).queue, batchSize: 11 }),
    expect.failure('constructs.invalid_prop', 'QueueTrigger: batchSize', 'got 11', 'at most 10', '(at Test/T)'),
  ],
  [
    'a stated visibility timeout below six times the function timeout',
    (stack, fn) =>
      new QueueTrigger(stack, 'T', {
        fn,
        queue: new ServiceQueue(stack, 'Q', { visibilityTimeout: Duration.seconds(59) }).queue,
      }),
    expect.failure(
      'constructs.invalid_prop',
      'QueueTrigger: visibilityTimeout',
      'Test/Q',
      'got 59',
      'at least 60',
      '(at Test/T)',
    ),
  ],
  [
    'a queue of somebody else with a short visibility timeout',
    (stack, fn) => new QueueTrigger(stack, 'T', { fn, queue: new Queue(stack, 'Q') }),
    expect.failure(
      'constructs.invalid_prop',
      'QueueTrigger: visibilityTimeout',
      'Test/Q',
      'got 30',
      'at least 60',
      '(at Test/T)',
    ),
  ],
  [
    'an imported queue whose visibility timeout nobody states',
    (stack, fn) =>
      new QueueTrigger(stack, 'T', {
        fn,
        queue: Queue.fromQueueArn(stack, 'Q', 'arn:aws:sqs:eu-west-1:123456789012:orders') as IQueue,
      }),
    expect.failure(
      'constructs.invalid_prop',
      'QueueTrigger: visibilityTimeout',
      'Test/Q',
      'got undefined',
      'at least 60',
      'prop visibilityTimeout',
      '(at Test/T)',
    ),
  ],
  [
    'two mappings for one queue',
    (stack, fn) => {
      const { queue } = new ServiceQueue(stack, 'Q');
      new QueueTrigger(stack, 'First', { fn, queue });
      new QueueTrigger(stack, 'T', { fn, queue });
    },
    expect.failure(
      'constructs.conflict',
      'QueueTrigger: a second mapping',
      'Test/Api/Resource',
      'Test/First',
      '(at Test/T)',
    ),
  ],
  [
    'two mappings for one stream, one of them through an alias',
    (stack, fn) => {
      const { stream } = new DataStream(stack, 'S');
      new StreamTrigger(stack, 'First', { fn, stream });
      new StreamTrigger(stack, 'T', { fn, stream, ownAlias: true });
    },
    expect.failure(
      'constructs.conflict',
      'StreamTrigger: a second mapping',
      'Test/Api/Resource',
      'Test/First',
      '(at Test/T)',
    ),
  ],
  [
    'a table without a stream',
    (stack, fn) => new TableStreamTrigger(stack, 'T', { fn, table: newTable(stack) }),
    expect.failure('constructs.invalid_prop', 'TableStreamTrigger: ', 'Test/Notes', 'tableStreamArn', '(at Test/T)'),
  ],
  [
    'a stream without encryption',
    (stack) =>
      new DataStream(stack, 'T', {
        stream: new Stream(stack, 'S', { encryption: StreamEncryption.UNENCRYPTED }) as IStream,
      }),
    expect.failure('constructs.invalid_prop', 'DataStream: ', 'Test/S', 'StreamEncryption.MANAGED', '(at Test/T)'),
  ],
  [
    'a stream on an imported function, which cannot take the variable',
    (stack) =>
      new StreamTrigger(stack, 'T', {
        fn: LambdaFunction.fromFunctionArn(stack, 'F', 'arn:aws:lambda:eu-west-1:123456789012:function:f') as IFunction,
        stream: new DataStream(stack, 'S').stream,
      }),
    expect.failure(
      'constructs.fixed_environment',
      'StreamTrigger: ',
      'FRAMEWORK_STREAM_FAILURE_IDENTIFIER',
      'Test/F',
      '(at Test/T)',
    ),
  ],
  [
    'another failure identifier on the function',
    (stack, fn) => {
      fn.addEnvironment('FRAMEWORK_STREAM_FAILURE_IDENTIFIER', 'eventID');
      new StreamTrigger(stack, 'T', { fn, stream: new DataStream(stack, 'S').stream });
    },
    expect.failure(
      'constructs.conflict',
      'StreamTrigger: ',
      'FRAMEWORK_STREAM_FAILURE_IDENTIFIER',
      'Test/Api/Resource',
      '(at Test/T)',
    ),
  ],
  [
    'a FIFO topic',
    (stack, fn) => new TopicTrigger(stack, 'T', { fn, topic: new Topic(stack, 'N', { fifo: true }) }),
    expect.failure('constructs.invalid_prop', 'TopicTrigger: ', 'FIFO topic', '(at Test/T)'),
  ],
  [
    'two filter policies',
    (stack, fn) => {
      const filter = SubscriptionFilter.existsFilter();
      const filterPolicyWithMessageBody = { a: FilterOrPolicy.filter(filter) };
      new TopicTrigger(stack, 'T', {
        fn,
        topic: new Topic(stack, 'N'),
        filterPolicy: { a: filter },
        filterPolicyWithMessageBody,
      });
    },
    expect.failure(
      'constructs.invalid_prop',
      'TopicTrigger: filterPolicy',
      'filterPolicyWithMessageBody',
      '(at Test/T)',
    ),
  ],
  [
    'a rule without pattern and schedule',
    (stack, fn) => new EventRuleTrigger(stack, 'T', { fn }),
    expect.failure('constructs.invalid_prop', 'EventRuleTrigger: ', 'pattern', 'schedule', '(at Test/T)'),
  ],
  [
    'a schedule on a bus of its own',
    (stack, fn) =>
      new EventRuleTrigger(stack, 'T', {
        fn,
        schedule: Schedule.rate(Duration.hours(1)),
        bus: new EventBus(stack, 'B') as IEventBus,
      }),
    expect.failure('constructs.invalid_prop', 'EventRuleTrigger: bus', 'schedule', '(at Test/T)'),
  ],
  [
    'an unknown prop',
    (stack, fn) =>
      new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue, batchsize: 5 } as never),
    expect.failure('constructs.invalid_prop', 'QueueTrigger: ', '"batchsize"', '(at Test/T)'),
  ],
  [
    'a value out of its bounds',
    (stack, fn) => new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue, maxConcurrency: 1 }),
    expect.failure('constructs.invalid_prop', 'QueueTrigger: maxConcurrency', 'got 1', '2 to 1000', '(at Test/T)'),
  ],
];

it.each(REFUSED)('rejects %s', (_name, run, failure) => {
  const { stack, fn } = newService();
  expect(() => run(stack, fn)).toThrow(failure);
});
