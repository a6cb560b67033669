/** Triggers of `@sallyport/triggers`: what is made, and what is refused. */
import { Alias, Code, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket, EventType, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Duration, Stack } from 'aws-cdk-lib/core';
import { ServiceFunction } from '../src/function.js';
import { S3Trigger } from '../src/triggers.js';
import { messageOf, newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

function newService(timeout?: Duration): { readonly stack: Stack; readonly fn: LambdaFunction } {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code, ...(timeout && { timeout }) });
  return { stack, fn };
}

const newBucket = (stack: Stack, id = 'Uploads') => new Bucket(stack, id) as IBucket;

describe('buckets', () => {
  it('notify the function, which this bucket of this account alone may invoke, and what failed goes to a queue', () => {
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
          OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^TFailures/), 'Arn'] } },
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
    expect([first.failureQueue !== undefined, second.failureQueue]).toEqual([true, undefined]);
    expect(propertiesOf(templateOf(stack), 'AWS::SQS::Queue')).toHaveLength(1);
  });

  it.each<[string, (service: ReturnType<typeof newService>) => unknown, string]>([
    [
      'filters that overlap',
      ({ stack, fn }) =>
        new S3Trigger(stack, 'T', {
          fn,
          bucket: newBucket(stack),
          filters: [{ prefix: 'a/', suffix: '.png' }, { prefix: 'b/' }, { prefix: 'a/b/' }],
        }),
      'framework: S3Trigger: filters {"prefix":"a/","suffix":".png"} and {"prefix":"a/b/"} fit the same objects, expected filters that no object fits twice: S3 refuses others (at Test/T)',
    ],
    [
      'no filters',
      ({ stack, fn }) => new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack), filters: [] }),
      'framework: S3Trigger: filters, got a list of 0, expected a list of { prefix, suffix }, each with one of them or both (at Test/T)',
    ],
    [
      'an unknown event',
      ({ stack, fn }) => new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack), events: ['created' as EventType] }),
      'framework: S3Trigger: events, got a list of 1, expected a list of different EventTypes (at Test/T)',
    ],
    [
      'a second trigger of one bucket',
      ({ stack, fn }) => {
        const bucket = newBucket(stack);
        new S3Trigger(stack, 'First', { fn, bucket });
        new S3Trigger(stack, 'T', { fn, bucket });
      },
      'framework: S3Trigger: a second mapping of this bucket to Test/Api/Resource; the first is Test/First, expected one mapping: remove this one, or give the bucket to another function (at Test/T)',
    ],
    [
      'a second destination of one function',
      ({ stack, fn }) => {
        new S3Trigger(stack, 'First', { fn, bucket: newBucket(stack) });
        const failureQueue = new Queue(stack, 'Q') as IQueue;
        new S3Trigger(stack, 'T', { fn, bucket: newBucket(stack, 'Others'), failureQueue });
      },
      'framework: S3Trigger: failureQueue, and Test/Api/Resource has a destination for failed events already, expected none, ownAlias: true, or the queue at the first trigger of the function that AWS invokes asynchronously (at Test/T)',
    ],
    [
      'an alias of its own for an alias',
      ({ stack, fn }) => {
        const alias = new Alias(stack, 'A', { aliasName: 'live', version: fn.currentVersion as IVersion });
        new S3Trigger(stack, 'T', { fn: alias, bucket: newBucket(stack), ownAlias: true });
      },
      'framework: S3Trigger: ownAlias with Test/A, which is an alias, a version or an imported function, expected the function itself (at Test/T)',
    ],
  ])('refuse %s', (_name, run, message) => {
    const service = newService();
    expect(messageOf(() => run(service))).toBe(message);
  });
});
