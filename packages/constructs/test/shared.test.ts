/** Resources that other accounts reach: event buses and log destinations; and subscriptions of log groups. */
import { Key } from 'aws-cdk-lib/aws-kms';
import { Alias, Code, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnParameter, type Stack, Token } from 'aws-cdk-lib/core';
import {
  DataStream,
  EventBus,
  EventRuleTrigger,
  LogDestination,
  LogSubscription,
  ServiceFunction,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, type Resource, statementsOf, templateOf } from './support/synth.js';

const OTHER = '111122223333';
const DESTINATION = 'arn:aws:logs:eu-west-1:111122223333:destination:lines';

describe('EventBus', () => {
  it('accepts events only from the same account, under a name from its path', () => {
    const stack = newStack();
    new EventBus(stack, 'Orders');
    const { Resources } = templateOf(stack);
    expect(Object.values(Resources)).toMatchObject([
      { Type: 'AWS::Events::EventBus', Properties: { Name: expect.stringMatching(/^Test-Orders-/) } },
    ]);
  });

  it('accepts events of listed accounts, one statement for each, and grants them no other action', () => {
    const stack = newStack();
    const { bus } = new EventBus(stack, 'Orders', { allowedAccounts: [OTHER, '444455556666'], busName: 'orders' });
    new EventRuleTrigger(stack, 'Paid', { fn: newFn(stack), bus, pattern: { source: ['billing'] } });
    const template = templateOf(stack);
    const principal = (account: string) => ({
      AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${account}:root`]] },
    });
    const expected = (account: string) => ({
      EventBusName: { Ref: expect.stringMatching(/^Orders/) },
      StatementId: `cdk-Account${account}`,
      Statement: {
        Action: 'events:PutEvents',
        Effect: 'Allow',
        Principal: principal(account),
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Orders/), 'Arn'] },
      },
    });
    expect(propertiesOf(template, 'AWS::Events::EventBusPolicy')).toMatchObject([
      expected(OTHER),
      expected('444455556666'),
    ]);
    expect(propertiesOf(template, 'AWS::Events::EventBus')).toMatchObject([{ Name: 'orders' }]);
    expect(propertiesOf(template, 'AWS::Events::Rule')).toMatchObject([{ EventBusName: expect.anything() }]);
  });

  it('grants sending, and accepts a key', () => {
    const stack = newStack();
    const bus = new EventBus(stack, 'Orders', { encryptionKey: new Key(stack, 'Key') });
    bus.grantPutEvents(newFn(stack));
    const template = templateOf(stack);
    expect(statementsOf(template)).toEqual([
      {
        Action: 'events:PutEvents',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Orders/), 'Arn'] },
      },
    ]);
    expect(propertiesOf(template, 'AWS::Events::EventBus')).toMatchObject([{ KmsKeyIdentifier: expect.anything() }]);
  });
});

const trustOf = (template: ReturnType<typeof templateOf>, id: RegExp) => {
  const [, role] = Object.entries<Resource>(template.Resources).find(
    ([name, { Type }]) => Type === 'AWS::IAM::Role' && id.test(name),
  ) ?? [undefined, undefined];
  return role?.Properties.AssumeRolePolicyDocument;
};

const logsOf = (account: unknown) => ({
  'Fn::Join': [
    '',
    ['arn:', { Ref: 'AWS::Partition' }, ':logs:', { Ref: 'AWS::Region' }, ...(account as readonly unknown[])],
  ],
});

const joinOf = (made: Readonly<Record<string, unknown>> = {}) =>
  (made.DestinationPolicy as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'];

describe('LogDestination', () => {
  it('lets listed accounts subscribe, and CloudWatch Logs write to this stream for them alone', () => {
    const stack = newStack();
    const { stream } = new DataStream(stack, 'Lines');
    const destination = new LogDestination(stack, 'Logs', { stream, allowedAccounts: [OTHER] });
    const template = templateOf(stack);
    const [made] = propertiesOf(template, 'AWS::Logs::Destination');
    expect(made).toMatchObject({
      DestinationName: expect.stringMatching(/^Test-Logs-/),
      TargetArn: { 'Fn::GetAtt': [expect.stringMatching(/^Lines/), 'Arn'] },
    });
    const [, parts] = joinOf(made);
    const policy = parts.map((part) => (typeof part === 'string' ? part : 'X')).join('');
    expect(JSON.parse(policy)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'logs:PutSubscriptionFilter',
          Effect: 'Allow',
          Principal: { AWS: OTHER },
          Resource: expect.stringMatching(/^arn:X:logs:X:X:destination:Test-Logs-/),
        },
      ],
    });
    expect(statementsOf(template)).toEqual([
      {
        Action: 'kinesis:PutRecord',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Lines/), 'Arn'] },
      },
    ]);
    expect(trustOf(template, /^LogsRole/)).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'logs.amazonaws.com' },
          Condition: {
            StringLike: {
              'aws:SourceArn': [logsOf([':', { Ref: 'AWS::AccountId' }, ':*']), logsOf([`:${OTHER}:*`])],
            },
          },
        },
      ],
    });
    // CloudWatch Logs tests the permission when the destination is created.
    const [resource] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Logs::Destination');
    expect(resource?.DependsOn).toContainEqual(expect.stringMatching(/^LogsRoleDefaultPolicy/));
    expect(Token.isUnresolved(destination.destinationArn)).toBe(true);
  });

  it('may use the key of a stream', () => {
    const stack = newStack();
    const { stream } = new DataStream(stack, 'Lines', { encryptionKey: new Key(stack, 'Key') });
    new LogDestination(stack, 'Logs', { stream, allowedAccounts: [OTHER], destinationName: 'lines' });
    expect(statementsOf(templateOf(stack)).map(({ Action }) => Action)).toEqual([
      'kms:GenerateDataKey',
      'kinesis:PutRecord',
    ]);
  });
});

describe('LogSubscription', () => {
  it('sends all lines to a stream, with a role for that stream', () => {
    const stack = newStack();
    const { stream } = new DataStream(stack, 'Lines');
    new LogSubscription(stack, 'Logs', { logGroup: new LogGroup(stack, 'Group'), stream });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Logs::SubscriptionFilter')).toEqual([
      {
        DestinationArn: { 'Fn::GetAtt': [expect.stringMatching(/^Lines/), 'Arn'] },
        FilterPattern: '',
        LogGroupName: { Ref: expect.stringMatching(/^Group/) },
        RoleArn: { 'Fn::GetAtt': [expect.stringMatching(/^LogsRole/), 'Arn'] },
      },
    ]);
    expect(statementsOf(template)).toMatchObject([{ Action: 'kinesis:PutRecord' }]);
    const [made] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Logs::SubscriptionFilter');
    expect(made?.DependsOn).toContainEqual(expect.stringMatching(/^LogsRoleDefaultPolicy/));
  });

  it('sends lines that fit to a function, which only this log group may invoke', () => {
    const stack = newStack();
    const logGroup = new LogGroup(stack, 'Group');
    new LogSubscription(stack, 'Logs', { logGroup, fn: newFn(stack), filterPattern: '{ $.level = "error" }' });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Logs::SubscriptionFilter')).toMatchObject([
      { FilterPattern: '{ $.level = "error" }', DestinationArn: { 'Fn::GetAtt': [expect.anything(), 'Arn'] } },
    ]);
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toMatchObject([
      {
        Action: 'lambda:InvokeFunction',
        Principal: 'logs.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^Group/), 'Arn'] },
        SourceAccount: { Ref: 'AWS::AccountId' },
      },
    ]);
    const [made] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Logs::SubscriptionFilter');
    expect(made?.DependsOn).toContainEqual(expect.stringMatching(/^Logs.*Invoke/));
  });

  it('sends lines to another account without a role', () => {
    const stack = newStack();
    new LogSubscription(stack, 'Logs', { logGroup: new LogGroup(stack, 'Group'), destinationArn: DESTINATION });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Logs::SubscriptionFilter')).toEqual([
      { DestinationArn: DESTINATION, FilterPattern: '', LogGroupName: { Ref: expect.stringMatching(/^Group/) } },
    ]);
    expect(propertiesOf(template, 'AWS::IAM::Role')).toEqual([]);
  });
});

const groupOf = (stack: Stack) => new LogGroup(stack, 'Group');
const streamOf = (stack: Stack) => new DataStream(stack, 'Lines').stream;

const REFUSED: readonly [string, (stack: Stack) => unknown, Error][] = [
  ...['*', 'arn:aws:iam::111122223333:root', '11112222333', '1111222233334'].map(
    (account): [string, (stack: Stack) => unknown, Error] => [
      `the account ${account} on a bus`,
      (stack) => new EventBus(stack, 'T', { allowedAccounts: [account] }),
      expect.failure('constructs.invalid_prop', 'EventBus: allowedAccounts', 'got a list of 1', '(at Test/T)'),
    ],
  ),
  [
    'an account twice',
    (stack) => new EventBus(stack, 'T', { allowedAccounts: [OTHER, OTHER] }),
    expect.failure('constructs.invalid_prop', 'EventBus: allowedAccounts', 'got a list of 2', '(at Test/T)'),
  ],
  [
    'a list of accounts that is a token',
    (stack) =>
      new EventBus(stack, 'T', {
        allowedAccounts: new CfnParameter(stack, 'P', { type: 'CommaDelimitedList' }).valueAsList,
      }),
    expect.failure('constructs.literal_needed', 'EventBus: allowedAccounts', 'got a token', '(at Test/T)'),
  ],
  [
    'the name of the default bus',
    (stack) => new EventBus(stack, 'T', { busName: 'default' }),
    expect.failure('constructs.invalid_prop', 'EventBus: busName', 'got "default"', '1 to 256', '(at Test/T)'),
  ],
  [
    'a destination for nobody',
    (stack) => new LogDestination(stack, 'T', { stream: streamOf(stack), allowedAccounts: [] }),
    expect.failure('constructs.invalid_prop', 'LogDestination: allowedAccounts', 'got a list of 0', '(at Test/T)'),
  ],
  [
    'a destination for all',
    (stack) => new LogDestination(stack, 'T', { stream: streamOf(stack), allowedAccounts: ['*'] }),
    expect.failure('constructs.invalid_prop', 'LogDestination: allowedAccounts', 'got a list of 1', '(at Test/T)'),
  ],
  [
    'a destination whose name has a colon',
    (stack) =>
      new LogDestination(stack, 'T', { stream: streamOf(stack), allowedAccounts: [OTHER], destinationName: 'a:b' }),
    expect.failure(
      'constructs.invalid_prop',
      'LogDestination: destinationName',
      'got "a:b"',
      '1 to 512',
      '(at Test/T)',
    ),
  ],
  [
    'a subscription without a target',
    (stack) => new LogSubscription(stack, 'T', { logGroup: groupOf(stack) }),
    expect.failure(
      'constructs.invalid_prop',
      'LogSubscription: no target',
      '"fn"',
      '"stream"',
      '"destinationArn"',
      '(at Test/T)',
    ),
  ],
  [
    'a subscription with two targets',
    (stack) => new LogSubscription(stack, 'T', { logGroup: groupOf(stack), fn: newFn(stack), stream: streamOf(stack) }),
    expect.failure(
      'constructs.invalid_prop',
      'LogSubscription: fn and stream',
      '"fn"',
      '"stream"',
      '"destinationArn"',
      '(at Test/T)',
    ),
  ],
  [
    'an ARN of something else',
    (stack) =>
      new LogSubscription(stack, 'T', { logGroup: groupOf(stack), destinationArn: 'arn:aws:kinesis:a:1:stream/a' }),
    expect.failure(
      'constructs.invalid_prop',
      'LogSubscription: destinationArn',
      'got "arn:aws:kinesis:a:1:stream/a"',
      '(at Test/T)',
    ),
  ],
];

it.each(REFUSED)('rejects %s', (_name, run, failure) => {
  expect(() => run(newStack())).toThrow(failure);
});

it.each<[string, (stack: Stack, fn: LambdaFunction) => unknown]>([
  ['the function', (_stack, fn) => fn],
  [
    'its alias',
    (stack, fn) => new Alias(stack, 'Alias', { aliasName: 'live', version: fn.currentVersion as IVersion }),
  ],
])('rejects connections that form a loop: %s', (_name, target) => {
  const stack = newStack();
  const { fn, logGroup } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  expect(() => new LogSubscription(stack, 'T', { logGroup, fn: target(stack, fn) as LambdaFunction })).toThrow(
    expect.failure('constructs.invalid_prop', 'LogSubscription: the log group of Test/Api/Resource', '(at Test/T)'),
  );
});
