import { fileURLToPath } from 'node:url';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type App, Duration } from 'aws-cdk-lib/core';
import {
  HttpApi,
  type Inventory,
  inventoryFromEntry,
  QueueTrigger,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
  ServiceWiring,
  TopicTrigger,
  toInventory,
} from '../src/index.js';
import { app as durableApp } from './support/durable-app.js';
import { newApp, newStack, propertiesOf, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');
const DURABLE_APP = fileURLToPath(new URL('support/durable-app.ts', import.meta.url));
const MINUTES = { executionTimeout: Duration.minutes(10) };

function durableFn(props: Partial<ServiceFunctionProps> = {}, stack = newStack()) {
  return { stack, service: new ServiceFunction(stack, 'Exports', { code, durable: MINUTES, ...props }) };
}

describe('a durable function', () => {
  const { stack, service } = durableFn();
  new QueueTrigger(stack, 'Orders', { fn: service.fn, queue: new ServiceQueue(stack, 'Queue').queue });
  new TopicTrigger(stack, 'News', { fn: service.fn, topic: new Topic(stack, 'Topic') });
  const reviewer = new Role(stack, 'Reviewer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  service.grantComplete(reviewer);
  service.grantStart(reviewer);
  service.grantCancel(reviewer);
  service.grantStop(reviewer);
  const template = templateOf(stack);
  const [fnId = ''] = Object.entries(template.Resources).flatMap(([id, { Type }]) =>
    Type === 'AWS::Lambda::Function' ? [id] : [],
  );
  const executions = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [fnId, 'Arn'] }, ':*']] };
  const alias = { Ref: expect.stringMatching(/^ExportsAlias/) };
  const live = { 'Fn::Join': ['', [expect.anything(), ':live']] };
  const statements = (role: RegExp) =>
    propertiesOf(template, 'AWS::IAM::Policy')
      .filter(({ Roles }) => (Roles as readonly { readonly Ref: string }[]).some(({ Ref }) => role.test(Ref)))
      .flatMap(({ PolicyDocument }) => (PolicyDocument as { readonly Statement: readonly object[] }).Statement);

  it('has the configuration, the variable, and a dead-letter queue instead of a destination', () => {
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
      {
        DurableConfig: { ExecutionTimeout: 600, RetentionPeriodInDays: 14 },
        Environment: { Variables: { FRAMEWORK_DURABLE: '1' } },
        DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': [expect.stringMatching(/AsyncFailures/), 'Arn'] } },
      },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toEqual([]);
  });

  it('keeps each version, and is invoked through the alias live', () => {
    const versions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Version');
    expect(versions).toEqual([expect.objectContaining({ DeletionPolicy: 'Retain' })]);
    expect(propertiesOf(template, 'AWS::Lambda::Alias')).toMatchObject([{ Name: 'live' }]);
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([{ FunctionName: live }]);
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([{ Endpoint: alias }]);
  });

  it('may write and read checkpoints of its executions, and start them', () => {
    expect(statements(/^ExportsRole/)).toContainEqual({
      Action: ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState', 'lambda:InvokeFunction'],
      Effect: 'Allow',
      Resource: executions,
    });
  });

  it('grants others to start, answer, cancel and stop executions', () => {
    expect(statements(/^Reviewer/)).toEqual([
      {
        Action: [
          'lambda:SendDurableExecutionCallbackSuccess',
          'lambda:SendDurableExecutionCallbackFailure',
          'lambda:SendDurableExecutionCallbackHeartbeat',
        ],
        Effect: 'Allow',
        Resource: executions,
      },
      { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: alias },
      { Action: 'lambda:GetDurableExecution', Effect: 'Allow', Resource: executions },
      {
        Action: [
          'lambda:GetDurableExecution',
          'lambda:GetDurableExecutionHistory',
          'lambda:SendDurableExecutionCallbackSuccess',
        ],
        Effect: 'Allow',
        Resource: executions,
      },
      { Action: 'lambda:StopDurableExecution', Effect: 'Allow', Resource: executions },
    ]);
  });
});

describe('settings that AWS would reject', () => {
  it.each<[string, Partial<ServiceFunctionProps>, string]>([
    ['no executionTimeout', { durable: {} as never }, 'executionTimeout'],
    ['an execution of 367 days', { durable: { executionTimeout: Duration.days(367) } }, 'executionTimeout'],
    ['a retention of 36 hours', { durable: { ...MINUTES, retention: Duration.hours(36) } }, 'retention'],
    ['a retention of 91 days', { durable: { ...MINUTES, retention: Duration.days(91) } }, 'retention'],
    ['an unknown member', { durable: { ...MINUTES, timeout: 1 } as never }, 'timeout'],
    ['Node 20', { runtime: Runtime.NODEJS_20_X }, 'runtime of a durable function'],
  ])('%s', (_name, props, text) => {
    expect(() => durableFn(props)).toThrow(text);
  });

  it('the variable without the prop', () => {
    const props = { environment: { FRAMEWORK_DURABLE: '1' } };
    expect(() => new ServiceFunction(newStack(), 'Plain', { code, ...props })).toThrow(
      'FRAMEWORK_DURABLE without durable',
    );
  });

  it('a mapping of an execution above 15 minutes, or a batch with more records than an execution has operations', () => {
    const long = durableFn({ durable: { executionTimeout: Duration.minutes(16) } });
    const queue = (at = long.stack) => new ServiceQueue(at, 'Queue').queue;
    const fn = long.service.fn;
    expect(() => new QueueTrigger(long.stack, 'Q', { fn, queue: queue() })).toThrow('executionTimeout is 16 minutes');
    const { stack, service } = durableFn();
    const batch = { batchSize: 2801, maxBatchingWindow: Duration.seconds(1) };
    expect(() => new QueueTrigger(stack, 'Q', { fn: service.fn, queue: queue(stack), ...batch })).toThrow('got 2801');
  });

  it('a destination for failed events', () => {
    const { stack, service } = durableFn();
    const { queue } = new ServiceQueue(stack, 'Queue');
    service.fn.configureAsyncInvoke({ onFailure: { bind: () => ({ destination: queue.queueArn }) } });
    expect(() => templateOf(stack)).toThrow('AWS Lambda has no destinations for durable functions');
  });
});

const record = { surface: 'http', method: 'POST', path: '/exports', posture: 'authenticated', durable: true } as const;
const inventory = (route: object): Inventory =>
  ({ version: 1, container: 'secure', routes: [{ ...record, ...route }], triggers: [] }) as Inventory;

it.each([
  ['an imported application', () => toInventory(durableApp)],
  ['a file', () => inventoryFromEntry({ entry: DURABLE_APP, conditions: ['@sallyport/source'] })],
])('the inventory of %s names the handlers that durable wraps', (_name, read) => {
  const { routes, triggers } = read();
  expect([...routes, ...triggers].map(({ durable }) => durable)).toEqual([true, undefined, true]);
});

describe('findings at synth', () => {
  const messagesOf = (app: App) =>
    app.synth().stacks.flatMap(({ messages }) => messages.map(({ entry }) => String(entry.data)));

  it('warns of a door whose callers would not receive an answer, and of a wrapped handler in another function', () => {
    const app = newApp();
    const stack = newStack({}, app);
    const { service } = durableFn({}, stack);
    new HttpApi(stack, 'Api', { fn: service.fn }).addCatchAll();
    const plain = new ServiceFunction(stack, 'Plain', { code });
    const wiring = new ServiceWiring(stack, 'Wiring', { fn: plain.fn, inventory: inventory({}) });
    wiring.http(new HttpApi(stack, 'PlainApi', { fn: plain.fn }));
    const messages = messagesOf(app);
    expect(messages).toContainEqual(expect.stringContaining('API Gateway answers 504 after 29 s'));
    expect(messages).toContainEqual(expect.stringContaining('1 handlers are wrapped by durable'));
    expect(messages).toContainEqual(expect.stringContaining('CloudFormation replaces it'));
  });

  it.each<[string, string, object, number, string[]]>([
    ['no rate', 'eu-central-1', {}, 10, []],
    ['a rate within the quotas', 'eu-central-1', { peakRecordsPerSecond: 272 }, 10, []],
    [
      'records that are handed off',
      'eu-central-1',
      { peakRecordsPerSecond: 273 },
      10,
      ['273 records a second need 301 starts'],
    ],
    ['batches', 'eu-central-1', { peakRecordsPerSecond: 2_500, handoff: false }, 10, []],
    [
      'small batches',
      'eu-central-1',
      { peakRecordsPerSecond: 301, handoff: false },
      1,
      ['need 301 starts of executions a second'],
    ],
    [
      'checkpoints',
      'eu-central-1',
      { peakRecordsPerSecond: 2_501, handoff: false },
      10,
      [
        'need 10004 requests of CheckpointDurableExecution a second, and the default quota of an account in this region is 10000',
      ],
    ],
    ['checkpoints in a large region', 'us-east-1', { peakRecordsPerSecond: 2_501, handoff: false }, 10, []],
    ['few steps', 'eu-central-1', { peakRecordsPerSecond: 2_501, checkpointsPerRecord: 1, handoff: false }, 10, []],
  ])('compares the rate of a queue with the quotas of AWS: %s', (_name, region, durable, batchSize, expected) => {
    const app = newApp();
    const stack = newStack({ env: { region, account: '123456789012' } }, app);
    const { service } = durableFn({ durable: { ...MINUTES, ...durable } }, stack);
    new QueueTrigger(stack, 'Orders', { fn: service.fn, queue: new ServiceQueue(stack, 'Queue').queue, batchSize });
    const found = messagesOf(app).filter((text) => text.includes('records a second'));
    expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('rejects a durable route that streams', () => {
    const { stack, service } = durableFn();
    const wiring = new ServiceWiring(stack, 'Wiring', { fn: service.fn, inventory: inventory({ streaming: true }) });
    wiring.http(new HttpApi(stack, 'Api', { fn: service.fn }));
    expect(() => templateOf(stack)).toThrow('POST /exports is durable and streams');
  });
});
