import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOORS_ENV } from '@sallyport/http/schema';
import { CfnMethod, CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnIntegration } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, type IAlarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CfnOutput, Duration, NestedStack, type Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import {
  AgentCoreTarget,
  AlbTarget,
  EventChannels,
  EventRuleTrigger,
  FunctionUrl,
  GraphqlApi,
  HttpApi,
  LogSubscription,
  QueueTrigger,
  RestApi,
  ServiceFunction,
  WebSocketApi,
} from '../src/index.js';
import { newFolder } from './support/folders.js';
import { messageOf, newApp, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const schemaFile = join(newFolder(), 'schema.graphql');
writeFileSync(schemaFile, 'schema { query: Query }\ntype Query { op: String }\n');

function newService(stack: Stack, separateDoors = true) {
  return new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1'), separateDoors });
}

const queueOf = (stack: Stack) => new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(60) });

/** All front doors of this package. */
const DOORS: readonly (readonly [string, (stack: Stack, fn: IFunction) => Construct, string])[] = [
  [
    'HttpApi',
    (stack, fn) => {
      const api = new HttpApi(stack, 'Door', { fn });
      api.addCatchAll();
      return api;
    },
    'AWS::ApiGatewayV2::Integration',
  ],
  [
    'RestApi',
    (stack, fn) => {
      const api = new RestApi(stack, 'Door', { fn });
      api.addCatchAll();
      return api;
    },
    'AWS::ApiGateway::Method',
  ],
  [
    'FunctionUrl',
    (stack, fn) => {
      const url = new FunctionUrl(stack, 'Door', { fn });
      url.addCatchAll();
      return url;
    },
    'AWS::Lambda::Url',
  ],
  ['AlbTarget', (stack, fn) => new AlbTarget(stack, 'Door', { fn }), 'AWS::ElasticLoadBalancingV2::TargetGroup'],
  ['WebSocketApi', (stack, fn) => new WebSocketApi(stack, 'Door', { fn }), 'AWS::ApiGatewayV2::Integration'],
  ['GraphqlApi', (stack, fn) => new GraphqlApi(stack, 'Door', { fn, schemaFile }), 'AWS::AppSync::DataSource'],
  [
    'EventChannels',
    (stack, fn) =>
      new EventChannels(stack, 'Door', { fn, apiId: 'a', channels: [{ pattern: '/news/*', operation: 'PUBLISH' }] }),
    'AWS::AppSync::DataSource',
  ],
];

/** A trigger of each way in which this package attaches triggers. */
const TRIGGERS: readonly (readonly [string, (stack: Stack, fn: IFunction) => Construct, string])[] = [
  [
    'QueueTrigger',
    (stack, fn) => new QueueTrigger(stack, 'Trigger', { fn, queue: queueOf(stack) as never }),
    'AWS::Lambda::EventSourceMapping',
  ],
  [
    'EventRuleTrigger',
    (stack, fn) => new EventRuleTrigger(stack, 'Trigger', { fn, schedule: Schedule.rate(Duration.hours(1)) }),
    'AWS::Events::Rule',
  ],
  [
    'LogSubscription',
    (stack, fn) => new LogSubscription(stack, 'Trigger', { fn, logGroup: new LogGroup(stack, 'Lines') as never }),
    'AWS::Logs::SubscriptionFilter',
  ],
];

/** By reference; a function URL has the name. */
const isAlias = (name: 'Doors' | 'Events') =>
  new RegExp(`\\{"Ref":"Api${name}[0-9A-F]{8}"\\}|"Qualifier":"${name.toLowerCase()}"`);
const textsOf = (template: Template, type: string) => propertiesOf(template, type).map((one) => JSON.stringify(one));

it('makes two aliases of one version, and sets the variable', () => {
  const stack = newStack();
  newService(stack);
  const template = templateOf(stack);
  const version = { 'Fn::GetAtt': [expect.stringMatching(/^ApiCurrentVersion/), 'Version'] };
  expect(propertiesOf(template, 'AWS::Lambda::Alias')).toMatchObject([
    { Name: 'doors', FunctionVersion: version },
    { Name: 'events', FunctionVersion: version },
  ]);
  expect(propertiesOf(template, 'AWS::Lambda::Version')).toHaveLength(1);
  expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
    { Environment: { Variables: { FRAMEWORK_DOORS: '{"qualifier":"doors"}' } } },
  ]);
  expect(DOORS_ENV).toBe('FRAMEWORK_DOORS');
});

it('makes no alias and no variable without separateDoors', () => {
  const stack = newStack();
  const service = newService(stack, false);
  expect([service.doors, service.events]).toEqual([service.fn, service.fn]);
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Lambda::Alias')).toEqual([]);
  expect(JSON.stringify(template)).not.toContain('FRAMEWORK_DOORS');
});

describe.each(DOORS)('%s', (_name, make, type) => {
  it.each(['fn', 'doors'] as const)('invokes the alias of the doors, given %s', (given) => {
    const stack = newStack();
    make(stack, newService(stack)[given] as IFunction);
    const template = templateOf(stack);
    for (const text of textsOf(template, type)) {
      expect(text).toMatch(isAlias('Doors'));
      expect(text).not.toMatch(isAlias('Events'));
    }
    // The permission, or the role's policy, names the alias too.
    const allowed = [...textsOf(template, 'AWS::Lambda::Permission'), ...textsOf(template, 'AWS::IAM::Policy')];
    const grants = allowed.filter((text) => text.includes('lambda:InvokeFunction'));
    for (const text of grants) expect(text).toMatch(isAlias('Doors'));
  });

  it('rejects the alias of events', () => {
    const stack = newStack();
    const { events } = newService(stack);
    expect(messageOf(() => make(stack, events))).toContain('a front door of the alias "events" of Test/Api/Resource');
  });
});

describe.each(TRIGGERS)('%s', (_name, make, type) => {
  it.each(['fn', 'events'] as const)('invokes the alias of events, given %s', (given) => {
    const stack = newStack();
    make(stack, newService(stack)[given] as IFunction);
    const template = templateOf(stack);
    for (const text of textsOf(template, type)) {
      expect(text).toMatch(isAlias('Events'));
      expect(text).not.toMatch(isAlias('Doors'));
    }
  });

  it('rejects the alias of the doors', () => {
    const stack = newStack();
    const { doors } = newService(stack);
    expect(messageOf(() => make(stack, doors))).toContain('a trigger of the alias "doors" of Test/Api/Resource');
  });
});

it.each([true, false])('an Event API has a separate alias only without separate doors: %s', (separateDoors) => {
  const stack = newStack();
  const { fn } = newService(stack, separateDoors);
  const channels = [{ pattern: '/news/*', operation: 'PUBLISH' as const }];
  const make = () => new EventChannels(stack, 'Door', { fn, apiId: 'a', channels, ownAlias: true });
  if (!separateDoors) return expect(make).not.toThrow();
  expect(make).toThrow(expect.failure('constructs.invalid_prop', 'EventChannels: ownAlias', '(at Test/Door)'));
});

it('an agent gateway keeps its separate alias', () => {
  const stack = newStack();
  const { fn } = newService(stack);
  const tools = [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }];
  expect(() => new AgentCoreTarget(stack, 'Agent', { fn, gatewayIdentifier: 'g', tools } as never)).not.toThrow(
    /alias "/,
  );
});

const attachIotRule = (stack: Construct, { functionArn }: IFunction) =>
  new CfnTopicRule(stack, 'Source', { topicRulePayload: { sql: 'SELECT *', actions: [{ lambda: { functionArn } }] } });

/** Services that pass a payload unchanged, attached to an alias. */
const SOURCES: readonly (readonly [string, string, (stack: Construct, fn: IFunction) => unknown])[] = [
  ['an IoT rule', 'AWS::IoT::TopicRule', attachIotRule],
  [
    'a pipe',
    'AWS::Pipes::Pipe',
    (stack, { functionArn }) => new CfnPipe(stack, 'Source', { roleArn: 'r', source: 's', target: functionArn }),
  ],
  [
    'a schedule with an input',
    'AWS::Scheduler::Schedule',
    (stack, { functionArn }) =>
      new CfnSchedule(stack, 'Source', {
        flexibleTimeWindow: { mode: 'OFF' },
        scheduleExpression: 'rate(1 hour)',
        target: { arn: functionArn, roleArn: 'r', input: '{}' },
      }),
  ],
  [
    'a state machine',
    'AWS::StepFunctions::StateMachine',
    (stack, { functionArn }) =>
      new CfnStateMachine(stack, 'Source', { roleArn: 'r', definitionString: `{"Resource":"${functionArn}"}` }),
  ],
  [
    'a REST integration without proxy',
    'AWS::ApiGateway::Method',
    (stack, { functionArn }) => {
      const api = new CfnRestApi(stack, 'Api2', { name: 'n' });
      return new CfnMethod(stack, 'Source', {
        httpMethod: 'POST',
        resourceId: api.attrRootResourceId,
        restApiId: api.ref,
        integration: { type: 'AWS', uri: `arn:aws:apigateway:eu-west-1:lambda:path/${functionArn}/invocations` },
      });
    },
  ],
  [
    'an HTTP integration without proxy',
    'AWS::ApiGatewayV2::Integration',
    (stack, { functionArn }) =>
      new CfnIntegration(stack, 'Source', { apiId: 'a', integrationType: 'AWS', integrationUri: functionArn }),
  ],
  [
    'a topic',
    'AWS::SNS::Subscription',
    (stack, fn) => new Topic(stack, 'Source').addSubscription(new LambdaSubscription(fn) as never),
  ],
  [
    'a permission of a service that is not a door',
    'AWS::Lambda::Permission',
    (_stack, fn) => fn.addPermission('Source', { principal: new ServicePrincipal('iot.amazonaws.com') }),
  ],
];

describe.each(SOURCES)('%s', (_name, type, attach) => {
  it('fails the synthesis at the alias of the doors', () => {
    const stack = newStack();
    attach(stack, newService(stack).doors);
    const message = messageOf(() => templateOf(stack));
    expect(message).toContain(`(${type}) is attached to the alias "doors"`);
    expect(message).toContain('service.events');
  });

  it('passes at the alias of events, and at a function without aliases', () => {
    const stack = newStack();
    attach(stack, newService(stack).events);
    expect(messageOf(() => templateOf(stack))).toBe('');
    const plain = newStack();
    attach(plain, newService(plain, false).doors);
    expect(messageOf(() => templateOf(plain))).toBe('');
  });
});

it('finds a source in another stack, and one in a nested stack', () => {
  const app = newApp();
  const stack = newStack({}, app);
  const other = new (stack.constructor as typeof Stack)(app, 'Other');
  attachIotRule(other, newService(stack).doors);
  expect(messageOf(() => templateOf(stack))).toContain('Other/Source (AWS::IoT::TopicRule)');
  const outer = newStack();
  attachIotRule(new NestedStack(outer, 'Inner'), newService(outer).doors);
  expect(messageOf(() => templateOf(outer))).toContain('Test/Inner/Source (AWS::IoT::TopicRule)');
});

it('accepts a source with the same name on another function', () => {
  const app = newApp();
  const Stacks = newStack({}, app).constructor as typeof Stack;
  const [live, test] = ['Live', 'Staging'].map((name) => new Stacks(app, name)) as [Stack, Stack];
  newService(live);
  attachIotRule(test, newService(test).events);
  expect(messageOf(() => app.synth())).toBe('');
});

it('leaves doors, grants, alarms and outputs at the alias of the doors alone', () => {
  const stack = newStack();
  const service = newService(stack);
  for (const [index, [, make]] of DOORS.entries()) {
    if (index !== 4 && index !== 5) make(new NestedStack(stack, `Of${index}`) as never, service.fn as IFunction);
  }
  service.doors.grantInvoke(new ServicePrincipal('apigateway.amazonaws.com'));
  new CfnOutput(stack, 'Arn', { value: service.doors.functionArn });
  expect(messageOf(() => templateOf(stack))).toBe('');
});

describe('a canary of a function with separate doors', () => {
  const alarmOf = (stack: Stack) =>
    new Alarm(stack, 'Alarm', {
      metric: new Metric({ namespace: 'n', metricName: 'm' }),
      threshold: 1,
      evaluationPeriods: 1,
    }) as IAlarm;

  it('moves both aliases, each with a group of one application', () => {
    const stack = newStack();
    const service = newService(stack);
    const fn = service.addCanary({ alarms: [alarmOf(stack)] });
    new QueueTrigger(stack, 'Trigger', { fn, queue: queueOf(stack) as never });
    new AlbTarget(stack, 'Target', { fn });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Lambda::Alias')).toMatchObject([{ Name: 'doors' }, { Name: 'events' }]);
    expect(propertiesOf(template, 'AWS::CodeDeploy::Application')).toHaveLength(1);
    expect(propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(2);
    const policies = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Alias');
    expect(policies.map(({ UpdatePolicy }) => JSON.stringify(UpdatePolicy))).toEqual([
      expect.stringMatching(/ApiDoorsDeployment/),
      expect.stringMatching(/ApiEventsDeployment/),
    ]);
    expect(textsOf(template, 'AWS::Lambda::EventSourceMapping')[0]).toMatch(isAlias('Events'));
    expect(textsOf(template, 'AWS::ElasticLoadBalancingV2::TargetGroup')[0]).toMatch(isAlias('Doors'));
  });

  it('rejects a name for the alias, and a second canary', () => {
    const stack = newStack();
    const service = newService(stack);
    const alarms = [alarmOf(stack)];
    expect(messageOf(() => service.addCanary({ alarms, aliasName: 'live' }))).toContain('aliasName with separateDoors');
    service.addCanary({ alarms });
    expect(messageOf(() => service.addCanary({ alarms }))).toContain('a second canary');
  });
});

it('sets the variables of triggers and doors at the function', () => {
  const stack = newStack();
  const service = newService(stack);
  new WebSocketApi(stack, 'Sockets', { fn: service.doors });
  const [{ Environment } = {}] = propertiesOf(templateOf(stack), 'AWS::Lambda::Function');
  expect(Object.keys((Environment as { Variables: object }).Variables)).toEqual([
    'FRAMEWORK_DOORS',
    'FRAMEWORK_WEBSOCKET_ENDPOINT',
  ]);
});
