/** The model of CloudFormation against the cases that others measured or that AWS documents; each case names its finding of the examination. */
import { Account, type Deployable, type Outcome } from './lab/deployment/account.js';

type Properties = Readonly<Record<string, unknown>>;
type Resource = readonly [type: string, properties?: Properties, others?: object];

const template = (
  resources: Readonly<Record<string, Resource>>,
  exported: Readonly<Record<string, unknown>> = {},
): Deployable => ({
  Resources: Object.fromEntries(
    Object.entries(resources).map(([id, [Type, given = {}, others = {}]]) => [
      id,
      { Type, Properties: given, ...others },
    ]),
  ),
  Outputs: Object.fromEntries(Object.entries(exported).map(([Name, Value]) => [Name, { Value, Export: { Name } }])),
});
const arn = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] });
const Fn: Resource = ['AWS::Lambda::Function', { Code: {} }];
const Queue: Resource = ['AWS::SQS::Queue'];
const Topic: Resource = ['AWS::SNS::Topic'];
const kept = { DeletionPolicy: 'Retain' };
const mapping = (EventSourceArn: unknown, others: Properties = {}): Resource => [
  'AWS::Lambda::EventSourceMapping',
  { EventSourceArn, FunctionName: { Ref: 'Fn' }, ...others },
];
const subscription = (others: Properties = {}): Resource => [
  'AWS::SNS::Subscription',
  { TopicArn: { Ref: 'Topic' }, Protocol: 'lambda', Endpoint: arn('Fn'), ...others },
];
const table = (others: Properties = {}): Resource => ['AWS::DynamoDB::Table', { KeySchema: ['pk'], ...others }, kept];
const indexes = (...names: string[]) => ({ GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) });
const kafka = (ConsumerGroupId: string): Resource =>
  mapping('arn:aws:kafka:eu-west-1:1:cluster/a', {
    Topics: ['orders'],
    StartingPosition: 'TRIM_HORIZON',
    AmazonManagedKafkaEventSourceConfig: { ConsumerGroupId },
  });

function updated(before: Deployable, after: Deployable, account = new Account()): Outcome {
  expect(account.deploy('S', before)).toEqual({ failure: undefined, lost: [], replaced: [] });
  return account.deploy('S', after);
}

type Case = readonly [
  name: string,
  before: Readonly<Record<string, Resource>>,
  after: Readonly<Record<string, Resource>>,
  failure: RegExp | undefined,
  lost?: readonly RegExp[],
];

const stream: Resource = ['AWS::Kinesis::Stream', {}, kept];
const api: Resource = ['AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' }];
const route = (RouteKey: string): Resource => ['AWS::ApiGatewayV2::Route', { ApiId: { Ref: 'Api' }, RouteKey }];
const restApi: Resource = ['AWS::ApiGateway::RestApi'];
const resource = (PathPart: string): Resource => [
  'AWS::ApiGateway::Resource',
  { RestApiId: { Ref: 'Api' }, ParentId: arn('Api', 'RootResourceId'), PathPart },
];

const CASES: readonly Case[] = [
  [
    'S2-8: a renamed mapping of a queue',
    { Fn, Queue, Old: mapping(arn('Queue')) },
    { Fn, Queue, New: mapping(arn('Queue')) },
    /^New: An event source mapping .*already exists/,
  ],
  [
    'a mapping that moves to an alias',
    { Fn, Queue, Map: mapping(arn('Queue')) },
    {
      Fn,
      Queue,
      Live: ['AWS::Lambda::Alias', { Name: 'live', FunctionName: { Ref: 'Fn' } }],
      Map: mapping(arn('Queue'), { FunctionName: { Ref: 'Live' } }),
    },
    undefined,
  ],
  [
    'S2-8: a renamed subscription with another queue for failures',
    { Fn, Topic, Old: subscription({ RedrivePolicy: 'a' }) },
    { Fn, Topic, New: subscription({ RedrivePolicy: 'b' }) },
    /^New: .*already exists with different attributes/,
  ],
  [
    'S2-8: a renamed subscription with equal attributes',
    { Fn, Topic, Old: subscription() },
    { Fn, Topic, New: subscription() },
    undefined,
    [/^New: the clean-up removed it$/],
  ],
  [
    'a changed filter of a subscription',
    { Fn, Topic, Sub: subscription() },
    { Fn, Topic, Sub: subscription({ FilterPolicy: {} }) },
    undefined,
  ],
  [
    'S2-8: another consumer group',
    { Fn, Map: kafka('a') },
    { Fn, Map: kafka('b') },
    undefined,
    [/another consumer group reads the topic again/],
  ],
  [
    'another starting position of a stream',
    { Fn, stream, Map: mapping(arn('stream'), { StartingPosition: 'LATEST' }) },
    { Fn, stream, Map: mapping(arn('stream'), { StartingPosition: 'TRIM_HORIZON' }) },
    /already exists/,
  ],
  [
    'a replaced stream of a table',
    {
      Fn,
      table: table({ StreamSpecification: { StreamViewType: 'KEYS_ONLY' } }),
      Map: mapping(arn('table', 'StreamArn'), { StartingPosition: 'LATEST' }),
    },
    {
      Fn,
      table: table({ StreamSpecification: { StreamViewType: 'NEW_IMAGE' } }),
      Map: mapping(arn('table', 'StreamArn'), { StartingPosition: 'LATEST' }),
    },
    undefined,
    [/a new mapping reads its stream from LATEST/],
  ],
  [
    'a rule whose fixed name moves to another resource',
    { Old: ['AWS::Events::Rule', { Name: 'nightly' }] },
    { New: ['AWS::Events::Rule', { Name: 'nightly' }] },
    /already exists/,
  ],
  ['two indexes of a table at once', { table: table() }, { table: table(indexes('a', 'b')) }, /more than one GSI/],
  ['one index of a table', { table: table(indexes('a')) }, { table: table(indexes('a', 'b')) }, undefined],
  [
    'another key of a table that is not kept',
    { table: ['AWS::DynamoDB::Table', { KeySchema: ['pk'] }] },
    { table: ['AWS::DynamoDB::Table', { KeySchema: ['id'] }] },
    undefined,
    [/the data of table/],
  ],
  ['a removed queue that is not kept', { Queue }, {}, undefined, [/the data of Queue/]],
  ['a removed queue that is kept', { Queue: ['AWS::SQS::Queue', {}, kept] }, {}, undefined],
  ['another type under one logical id', { Thing: Queue }, { Thing: Topic }, /Update of resource type is not permitted/],
  [
    'a route under a new id',
    { Api: api, Old: route('GET /a') },
    { Api: api, New: route('GET /a') },
    /^New: Route with this key already exists/,
  ],
  [
    'a renamed parameter of an HTTP API',
    { Api: api, Old: route('GET /a/{id}'), Other: route('PUT /b') },
    { Api: api, New: route('GET /a/{key}'), Other: route('PUT /b') },
    /^New: /,
  ],
  [
    'a parameter with another name at one position',
    { Api: api, One: route('GET /a/{id}') },
    { Api: api, One: route('GET /a/{id}'), Two: route('GET /a/{key}/b') },
    /conflicting variable/,
  ],
  [
    'a renamed parameter of a REST API',
    { Api: restApi, Old: resource('{id}') },
    { Api: restApi, New: resource('{key}') },
    /already has a variable path part/,
  ],
  [
    'a policy of a queue under a new id',
    { Queue: ['AWS::SQS::Queue', {}, kept], Old: ['AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'Queue' }] }] },
    { Queue: ['AWS::SQS::Queue', {}, kept], New: ['AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'Queue' }] }] },
    undefined,
    [/^New: the setting of .* is gone/],
  ],
  [
    'notifications of a bucket under a new id',
    {
      Bucket: ['AWS::S3::Bucket', {}, kept],
      Old: ['Custom::S3BucketNotifications', { BucketName: { Ref: 'Bucket' } }],
    },
    {
      Bucket: ['AWS::S3::Bucket', {}, kept],
      New: ['Custom::S3BucketNotifications', { BucketName: { Ref: 'Bucket' } }],
    },
    undefined,
    [/^New: the bucket has no notifications/],
  ],
  [
    'a version of unchanged code',
    { Fn, Old: ['AWS::Lambda::Version', { FunctionName: { Ref: 'Fn' } }] },
    { Fn, New: ['AWS::Lambda::Version', { FunctionName: { Ref: 'Fn' } }] },
    /A version for this Lambda function exists/,
  ],
  [
    'a version of changed code',
    { Fn, Old: ['AWS::Lambda::Version', { FunctionName: { Ref: 'Fn' } }] },
    {
      Fn: ['AWS::Lambda::Function', { Code: { S3Key: 'b' } }],
      New: ['AWS::Lambda::Version', { FunctionName: { Ref: 'Fn' } }],
    },
    undefined,
  ],
];

it.each(CASES.map(([name, ...rest]) => ({ name, rest })))('$name', ({ rest: [before, after, failure, lost = []] }) => {
  const outcome = updated(template(before), template(after));
  if (failure === undefined) expect(outcome.failure).toBeUndefined();
  else expect(outcome.failure).toMatch(failure);
  expect(outcome.lost).toEqual(lost.map((one) => expect.stringMatching(one)));
});

it('S2-9: two stages with a rule of one fixed name do not fit into one account', () => {
  const account = new Account();
  const rule = template({ Rule: ['AWS::Events::Rule', { Name: 'nightly' }] });
  expect(account.deploy('Live', rule).failure).toBeUndefined();
  expect(account.deploy('Preview', rule).failure).toMatch(/^Rule: already exists/);
});

const SOCKETS = template({
  Api: ['AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET' }],
  Log: ['AWS::Logs::LogGroup', {}],
  Stage: ['AWS::ApiGatewayV2::Stage', { ApiId: { Ref: 'Api' }, AccessLogSettings: { DestinationArn: arn('Log') } }],
});

it('S1-2a: an access log of a WebSocket API needs the role of the account, which a fresh account does not have', () => {
  expect(new Account().deploy('S', SOCKETS).failure).toMatch(/^Stage: CloudWatch Logs role ARN must be set/);
  expect(new Account('arn:aws:iam::123456789012:role/logs').deploy('S', SOCKETS).failure).toBeUndefined();
});

it('S1-2a: a removed stack that owns the role of the account leaves the others without it', () => {
  const account = new Account();
  const owner = template({
    Role: ['AWS::IAM::Role'],
    Account: ['AWS::ApiGateway::Account', { CloudWatchRoleArn: arn('Role') }],
  });
  expect(account.deploy('Owner', owner).failure).toBeUndefined();
  expect(account.deploy('S', SOCKETS).failure).toBeUndefined();
  account.remove('Owner');
  expect(account.deploy('T', SOCKETS).failure).toMatch(/role ARN must be set/);
});

it('S2-18: logs outside /aws/vendedlogs/ fill the policy of CloudWatch Logs after some dozens of stacks', () => {
  const http = (name: (stack: number) => string) => {
    const account = new Account();
    for (let stack = 1; stack <= 100; stack += 1) {
      const { failure } = account.deploy(
        `S${stack}`,
        template({
          Api: api,
          Log: ['AWS::Logs::LogGroup', { LogGroupName: name(stack) }],
          Stage: [
            'AWS::ApiGatewayV2::Stage',
            { ApiId: { Ref: 'Api' }, AccessLogSettings: { DestinationArn: arn('Log') } },
          ],
        }),
      );
      if (failure !== undefined) return stack;
    }
    return 'never';
  };
  expect(http((stack) => `service-${stack}-access-log`)).toBe(64);
  expect(http((stack) => `/aws/vendedlogs/service-${stack}`)).toBe('never');
});

it('rejects an eleventh resource policy of CloudWatch Logs', () => {
  const account = new Account();
  const policy = (name: number) => template({ Policy: ['AWS::Logs::ResourcePolicy', { PolicyName: String(name) }] });
  const failures = Array.from({ length: 11 }, (_, name) => account.deploy(`S${name}`, policy(name)).failure);
  expect(failures.slice(0, 10)).toEqual(Array(10).fill(undefined));
  expect(failures[10]).toMatch(/^Policy: Resource limit exceeded/);
});

it('rejects the change and the removal of an export that another stack imports', () => {
  const account = new Account();
  const exporting = (value: unknown) => template({ Queue, Other: Queue }, { queue: value });
  account.deploy('Base', exporting(arn('Queue')));
  expect(
    account.deploy('User', template({ Rule: ['AWS::Events::Rule', { Targets: [{ 'Fn::ImportValue': 'queue' }] }] }))
      .failure,
  ).toBeUndefined();
  expect(account.deploy('Base', exporting(arn('Other'))).failure).toBe(
    'Export queue cannot be updated as it is in use by User',
  );
  expect(account.deploy('Base', template({ Queue, Other: Queue })).failure).toBe(
    'Export queue cannot be deleted as it is in use by User',
  );
  expect(account.remove('Base').failure).toMatch(/in use by User/);
});

it('a failure rolls back: the next update starts from the last successful deployment', () => {
  const account = new Account();
  const good = template({ Fn, Queue, Old: mapping(arn('Queue')) });
  expect(
    updated(good, template({ Fn, Queue, Added: Topic, New: mapping(arn('Queue')) }), account).failure,
  ).toBeDefined();
  expect(account.deploy('S', good)).toEqual({ failure: undefined, lost: [], replaced: [] });
  account.remove('S');
  expect(account.orphans()).toEqual([]);
});

it('a kept resource with a fixed name stops the stack from being created again', () => {
  const account = new Account();
  const log = template({ Log: ['AWS::Logs::LogGroup', { LogGroupName: '/service' }, kept] });
  expect(account.deploy('S', log).failure).toBeUndefined();
  account.remove('S');
  expect(account.orphans()).toEqual(['AWS::Logs::LogGroup Log']);
  expect(account.deploy('S', log).failure).toMatch(/already exists/);
});

it('names a circle, a type without facts and more than 500 resources', () => {
  const account = new Account();
  const circle = template({
    A: ['AWS::SQS::Queue', { Name: { Ref: 'B' } }],
    B: ['AWS::SQS::Queue', { Name: { Ref: 'A' } }],
  });
  expect(() => account.deploy('S', circle)).toThrow('Circular dependency');
  expect(() => account.deploy('S', template({ A: ['AWS::Other::Thing'] }))).toThrow('no facts of AWS::Other::Thing');
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`Q${index}`, Queue] as const));
  expect(account.deploy('S', template(many)).failure).toMatch(/Number of resources, 501/);
});
