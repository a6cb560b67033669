import { Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Stack } from 'aws-cdk-lib/core';
import {
  DataStream,
  EventRuleTrigger,
  KafkaTrigger,
  McpServer,
  ObjectBucket,
  S3Trigger,
  ServiceQueue,
  StreamTrigger,
  TopicTrigger,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { actionsOn, messageOf, newStack, propertiesOf, templateOf } from './support/synth.js';

type Attach = (stack: Stack, fn: IFunction, failureQueue: IQueue) => unknown;

const clusterArn = 'arn:aws:kafka:eu-west-1:123456789012:cluster/demo/6357e0b2-0e6a-4b86-a0b4-70df934c2e31-5';

/** Triggers with a failure queue, and the services that write to it with a service principal. */
const WRITERS: readonly (readonly [string, Attach, readonly string[]])[] = [
  [
    'a stream',
    (stack, fn, failureQueue) =>
      new StreamTrigger(stack, 'T', { fn, stream: new DataStream(stack, 'S').stream, failureQueue }),
    [],
  ],
  [
    'Kafka',
    (stack, fn, failureQueue) => new KafkaTrigger(stack, 'T', { fn, clusterArn, topic: 'orders', failureQueue }),
    [],
  ],
  [
    'a bucket',
    (stack, fn, failureQueue) =>
      new S3Trigger(stack, 'T', { fn, bucket: new ObjectBucket(stack, 'B').bucket as IBucket, failureQueue }),
    [],
  ],
  [
    'a topic',
    (stack, fn, failureQueue) => new TopicTrigger(stack, 'T', { fn, topic: new Topic(stack, 'To'), failureQueue }),
    ['sns.amazonaws.com'],
  ],
  [
    'a rule',
    (stack, fn, failureQueue) => new EventRuleTrigger(stack, 'T', { fn, pattern: { source: ['a'] }, failureQueue }),
    ['events.amazonaws.com'],
  ],
];

const servicesOf = (stack: Stack) =>
  propertiesOf(templateOf(stack), 'AWS::KMS::Key')
    .flatMap(({ KeyPolicy }) => (KeyPolicy as { Statement: Record<string, unknown>[] }).Statement)
    .filter(({ Principal }) => 'Service' in (Principal as object));

describe.each(WRITERS)('a failure queue with your key, for %s', (_name, attach, services) => {
  it('lets the function and the service use the key', () => {
    const stack = newStack();
    const queue = new ServiceQueue(stack, 'Q', { encryptionKey: new Key(stack, 'K') }).deadLetterQueue;
    attach(stack, newFn(stack), queue);
    expect(actionsOn(templateOf(stack), 'kms')).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(servicesOf(stack)).toEqual(
      services.map((Service) => ({
        Effect: 'Allow',
        Principal: { Service },
        Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
        Resource: '*',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      })),
    );
  });

  it('without a key of yours needs nothing', () => {
    const stack = newStack();
    attach(stack, newFn(stack), new ServiceQueue(stack, 'Q').deadLetterQueue);
    expect(actionsOn(templateOf(stack), 'kms')).toEqual([]);
  });

  it('is rejected for a service if the policy of the key cannot be changed', () => {
    const stack = newStack();
    const encryptionMasterKey = Key.fromKeyArn(stack, 'K', 'arn:aws:kms:eu-west-1:123456789012:key/1');
    const queue = new Queue(stack, 'Q', { encryptionMasterKey });
    const run = () => attach(stack, newFn(stack), queue);
    const [service] = services;
    if (!service) return expect(run).not.toThrow();
    const name = service === 'sns.amazonaws.com' ? 'TopicTrigger' : 'EventRuleTrigger';
    const statement =
      '{"Action":["kms:GenerateDataKey","kms:Decrypt"],"Condition":{"StringEquals":{"aws:SourceAccount":{"Ref":"AWS::AccountId"}}},' +
      `"Effect":"Allow","Principal":{"Service":"${service}"},"Resource":"*"}`;
    expect(run).toThrow(
      expect.failure('constructs.invalid_prop', `${name}: the key of Test/Q`, statement, 'keyArn', '(at Test/T)'),
    );
  });

  it('with the key that AWS manages is rejected for a service, which may not use it', () => {
    const stack = newStack();
    const queue = new Queue(stack, 'Q', { encryption: QueueEncryption.KMS_MANAGED });
    const message = messageOf(() => attach(stack, newFn(stack), queue));
    expect(message.includes('must allow')).toBe(services.length > 0);
    if (services.length === 0) expect(actionsOn(templateOf(stack), 'kms')).toEqual([]);
  });
});

it('a bucket with your key for large values of an MCP server', () => {
  const stack = newStack();
  const spillBucket = new ObjectBucket(stack, 'B', { encryptionKey: new Key(stack, 'K') }).bucket as IBucket;
  new McpServer(stack, 'Mcp', { fn: newFn(stack), spillBucket });
  expect(actionsOn(templateOf(stack), 'kms')).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
});
