import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { logsTrigger } from '@sallyport/triggers';
import { RestApi as CdkRestApi, LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { UserPool, UserPoolOperation } from 'aws-cdk-lib/aws-cognito';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Code, FunctionUrlAuthType, type IFunction, type Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import { LambdaDestination } from 'aws-cdk-lib/aws-s3-notifications';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Duration, Stack } from 'aws-cdk-lib/core';
import {
  type ExternalAttachment,
  HttpApi,
  LogSubscription,
  McpServer,
  QueueTrigger,
  RestApi,
  ServiceAlarms,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { messageOf, newApp, newStack, templateOf } from './support/synth.js';

const nothing = () => undefined;
const ok = () => json(200, {});

function newService(
  register: (app: SecureApp) => unknown = nothing,
  external: readonly ExternalAttachment[] = [],
  options: SecureOptions = {},
) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const app = new SecureApp(options);
  register(app);
  return { stack, fn, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(app), external }) };
}

/** Ordinary CDK that leads to the function, and the paths that a finding names. */
const FOREIGN: readonly (readonly [string, (stack: Stack, fn: LambdaFn) => unknown, readonly string[]])[] = [
  [
    'a mapping',
    (stack, fn) =>
      fn.addEventSource(new SqsEventSource(new Queue(stack, 'Q', { visibilityTimeout: Duration.minutes(2) }))),
    ['Test/Api/Resource/SqsEventSource:TestQ'],
  ],
  [
    'a rule',
    (stack, fn) =>
      new Rule(stack, 'R', { schedule: Schedule.rate(Duration.hours(1)), targets: [new LambdaFunction(fn)] }),
    ['Test/R/Resource (AWS::Events::Rule)', 'Test/R/AllowEventRule'],
  ],
  [
    'a subscription',
    (stack, fn) => new Topic(stack, 'T').addSubscription(new LambdaSubscription(fn)),
    ['(AWS::SNS::Subscription)', '(AWS::Lambda::Permission)'],
  ],
  [
    'a function URL of an alias',
    (_stack, fn) => fn.addAlias('x').addFunctionUrl({ authType: FunctionUrlAuthType.NONE }),
    ['(AWS::Lambda::Url)'],
  ],
  [
    'an own door that is not attached',
    (stack, fn) => new HttpApi(stack, 'H', { fn }).addCatchAll(),
    ['Test/H/Integration', 'Test/H/Permission'],
  ],
  [
    'an own REST API that is not attached',
    (stack, fn) => new RestApi(stack, 'H', { fn }).addCatchAll(),
    ['(AWS::ApiGateway::Method)'],
  ],
  [
    'an own WebSocket API that is not attached',
    (stack, fn) => new WebSocketApi(stack, 'W', { fn }),
    ['Test/W/Integration'],
  ],
  [
    'a REST API',
    (stack, fn) => new CdkRestApi(stack, 'C').root.addMethod('GET', new LambdaIntegration(fn)),
    ['(AWS::ApiGateway::Method)'],
  ],
  [
    'a bucket',
    (stack, fn) => new Bucket(stack, 'B').addEventNotification(EventType.OBJECT_CREATED, new LambdaDestination(fn)),
    ['(Custom::S3BucketNotifications)'],
  ],
  [
    'a user pool',
    (stack, fn) => new UserPool(stack, 'P').addTrigger(UserPoolOperation.PRE_SIGN_UP, fn),
    ['(AWS::Cognito::UserPool)'],
  ],
  [
    'a permission',
    (_stack, fn) => fn.addPermission('P', { principal: new ServicePrincipal('iot.amazonaws.com') }),
    ['Test/Api/Resource/P (AWS::Lambda::Permission)'],
  ],
  [
    'a state machine',
    (stack, fn) =>
      new StateMachine(stack, 'M', {
        definitionBody: DefinitionBody.fromChainable(new LambdaInvoke(stack, 'I', { lambdaFunction: fn })),
      }),
    ['(AWS::StepFunctions::StateMachine)'],
  ],
  [
    'an IoT rule, a service that this package does not know',
    (stack, fn) =>
      new CfnTopicRule(stack, 'Iot', {
        topicRulePayload: { sql: 'SELECT 1', actions: [{ lambda: { functionArn: fn.functionArn } }] },
      }),
    ['Test/Iot (AWS::IoT::TopicRule)'],
  ],
  [
    'a resource of another stack',
    (stack, fn) =>
      new Rule(new Stack(stack.node.root as never, 'Other'), 'R', {
        schedule: Schedule.rate(Duration.hours(1)),
        targets: [new LambdaFunction(fn)],
      }),
    ['Other/R/Resource (AWS::Events::Rule)'],
  ],
  [
    'a log subscription that no handler serves',
    (stack, fn) => new LogSubscription(stack, 'L', { fn, logGroup: new LogGroup(stack, 'G') }),
    ['(AWS::Logs::SubscriptionFilter)'],
  ],
];

describe('every trigger of the function is attached by the wiring or named in external', () => {
  it.each(FOREIGN)('%s is found', (_name, attach, paths) => {
    const { stack, fn } = newService();
    attach(stack, fn);
    const message = messageOf(() => templateOf(stack));
    for (const path of paths) expect(message).toContain(path);
    expect(message).toContain(
      'outside the wiring, expected a method of the wiring, or an entry of "external" with path: "',
    );
  });

  it.each(FOREIGN)('%s is accepted when external names every path', (_name, attach) => {
    const probe = newService();
    attach(probe.stack, probe.fn);
    const found = [...messageOf(() => templateOf(probe.stack)).matchAll(/with path: "(.+?)" and a reason/g)].map(
      ([, path = '']) => path,
    );
    const { stack, fn } = newService(
      nothing,
      found.map((path) => ({ path, reason: 'the platform team owns it' })),
    );
    attach(stack, fn);
    expect(messageOf(() => templateOf(stack))).toBe('');
  });

  it('a trigger of this package next to the wiring is found once', () => {
    const { stack, fn } = newService();
    new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue });
    const message = messageOf(() => templateOf(stack));
    expect(message).toContain('Test/T attaches a queue outside the wiring');
    expect(message).not.toContain('leads to');
  });

  it('grants, alarms, aliases and names in other functions are not reported', () => {
    const { stack, fn } = newService();
    const other = new ServiceFunction(stack, 'Other', {
      code: Code.fromInline('x'),
      environment: { API: fn.functionName },
    });
    fn.grantInvoke(other.fn);
    fn.addAlias('live');
    new ServiceAlarms(stack, 'Alarms', { fn, actionTopic: new Topic(stack, 'T') });
    expect(messageOf(() => templateOf(stack))).toBe('');
  });

  it('a log subscription is attached for the handler of logsTrigger', () => {
    const { stack, fn } = newService(nothing, [], { surfaces: [logsTrigger().group('/app', nothing)] });
    new LogSubscription(stack, 'L', { fn, logGroup: new LogGroup(stack, 'G') });
    expect(messageOf(() => templateOf(stack))).toBe('');
  });
});

describe('routes of an attached door', () => {
  const register = (app: SecureApp) => app.get('/a', ok, Public());

  it.each([
    ['HTTP API', (stack: Stack, fn: IFunction) => new HttpApi(stack, 'H', { fn })],
    ['REST API', (stack: Stack, fn: IFunction) => new RestApi(stack, 'H', { fn })],
  ])('of an %s that the application does not register are found', (_name, make) => {
    const { stack, fn, wiring } = newService(register);
    const api = make(stack, fn);
    api.addRoutes([{ method: 'GET', path: '/ghost' }]);
    wiring.http(api);
    expect(() => templateOf(stack)).toThrow(
      expect.failure(undefined, 'ServiceWiring: ', 'Test/H', 'GET /ghost', 'addRoutes', '(at Test/Wiring)'),
    );
  });

  it('of an MCP server are known', () => {
    const { stack, fn, wiring } = newService((app) => app.handle('POST', '/mcp', ok, Authenticated()));
    wiring.http(new McpServer(stack, 'Mcp', { fn }).door);
    expect(messageOf(() => templateOf(stack))).toBe('');
  });
});

describe('external', () => {
  const register = (app: SecureApp) => app.queue('a', nothing).queue('b', nothing);
  it.each<[string, ExternalAttachment, string]>([
    [
      'a misspelt kind',
      { kind: 'quueue', reason: 'r' },
      'external {"kind":"quueue"} excuses no registration that is not attached',
    ],
    [
      'a name that is attached',
      { kind: 'queue', name: 'a', reason: 'r' },
      'external {"kind":"queue","name":"a"} excuses no registration that is not attached',
    ],
    [
      'a kind that is attached in part',
      { kind: 'queue', reason: 'r' },
      'external {"kind":"queue"} also covers 1 attached registrations',
    ],
    [
      'a path without such a resource',
      { path: 'Test/None', reason: 'r' },
      'external {"path":"Test/None"}: no resource under this path leads to the function',
    ],
  ])('%s is found', (_name, entry, problem) => {
    const { stack, wiring } = newService(register, [entry]);
    wiring.queue('a', new ServiceQueue(stack, 'A').queue);
    expect(() => templateOf(stack)).toThrow(expect.failure(undefined, `ServiceWiring: ${problem}`));
  });

  it.each([
    ['http', '"GET /a", "GET /b"'],
    ['websocket', String.raw`"\"$default\""`],
    ['appsync', '"Query.note"'],
  ])('of the kind %s must have a name, because it would excuse every operation', (kind, names) => {
    const operations = (app: SecureApp) => {
      for (const path of ['/a', '/b']) app.get(path, ok, Authenticated('a'));
      app.webSocket('$default', ok, Authenticated('a')).appSyncField('Query', 'note', ok, Authenticated('a'));
    };
    const { stack } = newService(operations, [{ kind, reason: 'r' }]);
    expect(messageOf(() => templateOf(stack))).toContain(
      `external {"kind":"${kind}"} covers all registrations, and every later one, expected an entry with a name for each of ${names} (at Test/Wiring)`,
    );
  });

  it('of one kind or name is accepted', () => {
    const whole = newService(register, [{ kind: 'queue', reason: 'another function' }]);
    expect(messageOf(() => templateOf(whole.stack))).toBe('');
    const { stack, wiring } = newService(register, [{ kind: 'queue', name: 'b', reason: 'another function' }]);
    wiring.queue('a', new ServiceQueue(stack, 'A').queue);
    expect(messageOf(() => templateOf(stack))).toBe('');
  });

  it.each([
    { reason: 'r' },
    { path: ' ', reason: 'r' },
    { path: 'a', name: 'b', reason: 'r' },
    { kind: 'queue', reason: '' },
  ])('%j is rejected', (entry) => {
    expect(messageOf(() => newService(register, [entry]))).toContain('external, got a list of 1, expected');
  });

  it('of two wirings of one application must not excuse the same registration', () => {
    const stack = new Stack(newApp(), 'Test');
    const functions = ['A', 'B'].map((id) => new ServiceFunction(stack, id, { code: Code.fromInline('x') }).fn);
    const app = new SecureApp();
    register(app);
    const external = [{ kind: 'queue', reason: 'the other function' }];
    for (const fn of functions) new ServiceWiring(fn, 'Wiring', { fn, inventory: toInventory(app), external });
    expect(messageOf(() => templateOf(stack))).toContain(
      'queue "a" is external for every wiring of the application, expected wiring.queue("a", …) in one of them, or an entry with its name',
    );
  });
});
