/** Each option of a service has an effect in its template. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type App, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib/core';
import { ApiAuthorization, ApiDomain, Service, type ServiceProps, ServiceQueue, Source } from '../src/index.js';
import { CONDITIONS, newApplication } from './support/application.js';
import { messageOf, newStack, propertiesOf, type Template, templateOf, variablesIn } from './support/synth.js';

const notes = newApplication("app.get('/notes', () => json(200, []), Authenticated('notes'));");
const queues = newApplication("app.queue('orders', () => undefined); app.queue('reports', () => undefined);");

type Props = Partial<ServiceProps> | ((stack: Stack) => Partial<ServiceProps>);

function newService(entry: string, props: Props = {}): Service {
  const stack = newStack();
  const given = typeof props === 'function' ? props(stack) : props;
  return new Service(stack, 'Shop', { entry, stage: 'production', conditions: CONDITIONS, ...given });
}

const synth = (service: Service) => templateOf(service.node.scope as Stack);
const make = (entry: string, props: Props = {}) => synth(newService(entry, props));

describe('the HTTP API of a service', () => {
  it('has the domain and the authorization of the service, and the throttle of the stage', () => {
    const template = make(notes, (stack) => {
      const certificate = Certificate.fromCertificateArn(
        stack,
        'C',
        'arn:aws:acm:eu-west-1:123456789012:certificate/1',
      );
      const domain = new ApiDomain(stack, 'Domain', { domainName: 'shop.example', certificate });
      return { domain, authorization: ApiAuthorization.jwt('https://issuer.example', ['shop']) };
    });
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Route')).toMatchObject([{ AuthorizationType: 'JWT' }]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      { DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 } },
    ]);
    expect(Object.values(template.Outputs as object)).toEqual([{ Value: 'https://shop.example' }]);
  });

  it('accepts any caller at the function URL of a secure application, which checks them', () => {
    const template = make(notes, { doors: ['function-url'] });
    expect(propertiesOf(template, 'AWS::Lambda::Url')).toMatchObject([{ AuthType: 'NONE' }]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Api')).toEqual([]);
  });
});

it('webSocket has the props of the WebSocket API, whose address is an output', () => {
  const entry = newApplication("app.webSocket('typing', () => undefined, Authenticated('chat'));");
  const template = make(entry, { webSocket: { respond: true, throttleRate: 7 } });
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::RouteResponse')).toHaveLength(1);
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
    { DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 200 } },
  ]);
  expect(Object.keys(template.Outputs as object)).toEqual([expect.stringMatching(/^ShopWebSocketUrl/)]);
});

it('graphql.tokens makes AppSync accept the tokens of the issuer for this audience, and an empty issuer none', () => {
  const entry = newApplication("app.appSyncField('Query', 'note', () => ({}), Authenticated('notes'));", {
    'schema.graphql': 'type Query { note: String }',
  });
  const schemaFile = entry.replace('lambda.ts', 'schema.graphql');
  const apiOf = (issuer: string) =>
    propertiesOf(
      make(entry, { graphql: { schemaFile, tokens: { issuer, audience: 'shop.app' } } }),
      'AWS::AppSync::GraphQLApi',
    );
  expect(apiOf('https://issuer.example')).toMatchObject([
    {
      AuthenticationType: 'OPENID_CONNECT',
      OpenIDConnectConfig: { Issuer: 'https://issuer.example', ClientId: String.raw`^shop\.app$` },
    },
  ]);
  expect(apiOf('')).toMatchObject([{ AuthenticationType: 'AWS_IAM' }]);
});

it('an MCP server gets a secret if the application reads one', () => {
  const entry = newApplication(`
import { createMcpServer, mountMcp } from '@sallyport/mcp';
process.env.FRAMEWORK_MCP_SECRET_ARN;
mountMcp(app, createMcpServer({ name: 'shop', version: '1' }), { posture: Authenticated('mcp') });`);
  const template = make(entry);
  expect(propertiesOf(template, 'AWS::SecretsManager::Secret')).toHaveLength(1);
  expect(variablesIn(template)).toHaveProperty('FRAMEWORK_MCP_SECRET_ARN');
});

describe('alarms', () => {
  const countsIn = (template: Template) => [
    propertiesOf(template, 'AWS::CloudWatch::Alarm').length > 0,
    propertiesOf(template, 'AWS::CloudWatch::Dashboard').length,
    propertiesOf(template, 'AWS::SNS::Topic').length,
  ];

  it('can be turned off in production and on in a preview', () => {
    expect(countsIn(make(notes, { alarms: false }))).toEqual([false, 0, 0]);
    expect(countsIn(make(notes, { alarms: true, stage: 'preview' }))).toEqual([true, 1, 1]);
  });

  it('are sent to the given topic', () => {
    const template = make(notes, (stack) => ({ alarmTopic: new Topic(stack, 'Pager') }));
    expect(countsIn(template)).toEqual([true, 1, 1]);
    const actions = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmActions }) => AlarmActions);
    expect(new Set(actions.map((one) => JSON.stringify(one)))).toEqual(
      new Set([expect.stringMatching(/^\[\{"Ref":"Pager\w+"\}\]$/)]),
    );
  });
});

it('logRetention replaces the retention of the stage for the log of the function', () => {
  const days = propertiesOf(make(notes, { logRetention: RetentionDays.ONE_YEAR }), 'AWS::Logs::LogGroup');
  expect(days.map(({ RetentionInDays }) => RetentionInDays)).toEqual([365, 90]);
});

it.each(['production', 'preview'] as const)('logRemovalPolicy applies to the log of the function in %s', (stage) => {
  const policyOf = (logRemovalPolicy: RemovalPolicy) =>
    Object.entries(make(notes, { stage, logRemovalPolicy }).Resources)
      .filter(([id, { Type }]) => Type === 'AWS::Logs::LogGroup' && id.startsWith('ShopFunction'))
      .map(([, { DeletionPolicy }]) => DeletionPolicy);
  expect(policyOf(RemovalPolicy.RETAIN)).toEqual(['Retain']);
  expect(policyOf(RemovalPolicy.DESTROY)).toEqual(['Delete']);
});

it('external excuses a registration, and only that one', () => {
  const external = [{ kind: 'queue', name: 'reports', reason: 'the queue of another team' }];
  expect(messageOf(() => make(queues, { external, sources: [Source.queue('orders')] }))).toBe('');
  expect(messageOf(() => make(queues, { external }))).toContain('the application registers queue "orders"');
});

it('externalPackages are not in the bundle', () => {
  const entry = newApplication(
    `import { greeting } from 'greetings';
app.get('/', () => json(200, greeting), Public());`,
    {
      'node_modules/greetings/package.json': '{"name":"greetings","type":"module","exports":"./index.js"}',
      'node_modules/greetings/index.js': "export const greeting = 'good morning from the package';",
    },
  );
  const codeOf = (props: Partial<ServiceProps>) => {
    const service = newService(entry, props);
    const [{ Code } = {}] = propertiesOf(synth(service), 'AWS::Lambda::Function');
    const asset = (Code as { readonly S3Key: string }).S3Key.replace('.zip', '');
    const folder = join((service.node.root as App).outdir, `asset.${asset}`);
    const file = readdirSync(folder).find((name) => /^index\.m?js$/.test(name)) ?? '';
    return readFileSync(join(folder, file), 'utf8');
  };
  expect(codeOf({})).toContain('good morning from the package');
  expect(codeOf({ externalPackages: ['greetings'] })).not.toContain('good morning from the package');
});

describe('a function of split', () => {
  it('has the props of the service unless it has its own, and the tables that the application reads', () => {
    const entry = newApplication(`process.env.FRAMEWORK_JOBS_TABLE_NAME;
app.queue('orders', () => undefined); app.queue('reports', () => undefined);`);
    const template = make(entry, {
      memorySize: 512,
      timeout: Duration.seconds(20),
      environment: { CURRENCY: 'EUR' },
      sources: [Source.queue('orders')],
      split: { reports: { timeout: Duration.minutes(2), include: [Source.queue('reports')] } },
    });
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    expect(functions.map(({ MemorySize, Timeout }) => [MemorySize, Timeout])).toEqual([
      [512, 20],
      [512, 120],
    ]);
    const variables = { CURRENCY: 'EUR', FRAMEWORK_JOBS_TABLE_NAME: expect.anything() };
    expect(functions.map(({ Environment }) => Environment)).toEqual([
      { Variables: expect.objectContaining(variables) },
      { Variables: expect.objectContaining(variables) },
    ]);
  });

  it('is the only function that its sources invoke', () => {
    const service = newService(queues, {
      sources: [Source.queue('orders')],
      split: { reports: { include: [Source.queue('reports')] } },
    });
    expect(messageOf(() => synth(service))).toBe('');
    const triggers = Object.entries(service.wirings).map(([name, { inventory }]) => [
      name,
      inventory.triggers.map((trigger) => trigger.name),
    ]);
    expect(triggers).toEqual([
      ['main', ['orders']],
      ['reports', ['reports']],
    ]);
  });
});

describe('a source', () => {
  const orders = newApplication("app.queue('orders', () => undefined);");

  it('is a FIFO queue for a name that ends in .fifo', () => {
    const entry = newApplication("app.queue('ledger.fifo', () => undefined);");
    const fifo = propertiesOf(make(entry, { sources: [Source.queue('ledger.fifo')] }), 'AWS::SQS::Queue');
    expect(fifo.filter(({ FifoQueue }) => FifoQueue === true)).toHaveLength(2);
  });

  it('is the given queue, with the props of its mapping', () => {
    const template = make(orders, (stack) => {
      const { queue } = new ServiceQueue(stack, 'Given');
      return { sources: [Source.queue('orders', { queue: queue as IQueue, batchSize: 3 })] };
    });
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([
      { BatchSize: 3, EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^Given/), 'Arn'] } },
    ]);
    expect(propertiesOf(template, 'AWS::SQS::Queue').filter(({ RedrivePolicy }) => RedrivePolicy)).toHaveLength(1);
  });

  it('keeps the logical id of its resource if its handler is renamed and the id is the old name', () => {
    const renamed = newApplication("app.queue('purchases', () => undefined);");
    const idsIn = (template: Template) =>
      Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === 'AWS::SQS::Queue');
    const before = idsIn(make(orders, { sources: [Source.queue('orders')] }));
    expect(idsIn(make(renamed, { sources: [Source.queue('purchases', { id: 'orders' })] }))).toEqual(before);
    expect(idsIn(make(renamed, { sources: [Source.queue('purchases')] }))).not.toEqual(before);
  });

  it('of a schedule also serves a handler of all scheduled events, in the function that includes it', () => {
    const entry = newApplication(
      "app.queue('orders', () => undefined); app.eventBus({ source: 'aws.events', detailType: 'Scheduled Event' }, () => undefined);",
    );
    const nightly = Source.schedule('nightly', Schedule.rate(Duration.days(1)));
    const service = newService(entry, {
      sources: [Source.queue('orders')],
      split: { jobs: { include: [nightly] } },
    });
    const [rule] = propertiesOf(synth(service), 'AWS::Events::Rule');
    expect(rule?.Targets).toMatchObject([
      { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^ShopFunctionjobs/), 'Arn'] } },
    ]);
  });
});

it('a consumer group of Kafka contains the stack in a preview, and only the service in production', () => {
  const entry = newApplication(`import { kafkaTrigger } from '@sallyport/triggers';
const shop = new SecureApp({ principalResolver: () => null, surfaces: [kafkaTrigger().topic('orders', () => undefined)] });
globalThis.wrap = () => shop.handleLambda;`);
  const groupOf = (stage: ServiceProps['stage']) => {
    const service = newService(entry, { stage });
    const clusterArn = 'arn:aws:kafka:eu-west-1:123456789012:cluster/shop/6f1f8e4c-5a3b-4d44-9d86-0123456789ab-1';
    service.wiring.kafka('orders', { clusterArn });
    const [mapping] = propertiesOf(synth(service), 'AWS::Lambda::EventSourceMapping');
    return mapping?.AmazonManagedKafkaEventSourceConfig;
  };
  expect(groupOf('production')).toEqual({ ConsumerGroupId: 'Shop-orders' });
  expect(groupOf('preview')).toEqual({ ConsumerGroupId: 'Test-Shop-orders' });
});

it('the first function is the member fn, and all functions are members by their names', () => {
  const service = newService(queues, {
    sources: [Source.queue('orders')],
    split: { reports: { include: [Source.queue('reports')] } },
  });
  expect(Object.keys(service.functions)).toEqual(['main', 'reports']);
  expect(service.functions.main?.fn).toBe(service.fn as IFunction);
  expect(service.wirings.reports?.fn).toBe(service.functions.reports?.fn);
  expect(Object.keys(service.queues)).toEqual(['orders', 'reports']);
});
