/** The opt-in triggers in both directions: what the application registers, and what the stack attaches. */
import { fileURLToPath } from 'node:url';
import { createMcpServer } from '@sallyport/mcp';
import { agentCoreTools } from '@sallyport/mcp/agentcore';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  AppSyncDecision,
  appSyncAuthorizer,
  appSyncEvents,
  cognitoTrigger,
  deny,
  firehoseTransform,
  kafkaTrigger,
  s3Trigger,
  tokenAuthorizer,
} from '@sallyport/triggers';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type App, Duration, type Stack } from 'aws-cdk-lib/core';
import { GraphqlApi, RestApi, ServiceFunction, ServiceWiring, toInventory } from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, statementsOf, templateOf, variablesIn } from './support/synth.js';

type Surfaces = NonNullable<SecureOptions['surfaces']>;

const SCHEMA = fileURLToPath(new URL('judges/support/estate.graphql', import.meta.url));
const CLUSTER = 'arn:aws:kafka:eu-west-1:123456789012:cluster/shop/6f1f8e4c-5a3b-4d44-9d86-0123456789ab-1';
const nothing = () => undefined;

function newService(surfaces: Surfaces) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', {
    code: Code.fromInline('exports.handler = 1'),
    timeout: Duration.seconds(5),
  });
  const inventory = toInventory(new SecureApp({ principalResolver: () => null, surfaces }));
  return { stack, fn, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory }) };
}

type Service = ReturnType<typeof newService>;

const KINDS: readonly {
  readonly kind: string;
  readonly surface: () => Surfaces[number];
  readonly attach: (service: Service) => unknown;
  readonly label: string;
  readonly remedy: string;
  readonly made: string;
}[] = [
  {
    kind: 'a bucket',
    surface: () => s3Trigger().bucket('uploads', nothing),
    attach: ({ stack, wiring }) => wiring.s3('uploads', new Bucket(stack, 'B') as IBucket),
    label: 's3 "uploads"',
    remedy: 'wiring.s3("uploads", …)',
    made: 'Custom::S3BucketNotifications',
  },
  {
    kind: 'a token authorizer',
    surface: () => tokenAuthorizer(() => deny()),
    attach: ({ stack, wiring }) =>
      new RestApi(stack, 'Rest', { fn: newFn(stack, 'Answers'), authorization: wiring.authorizer() }).addRoutes([
        { method: 'GET', path: '/a' },
      ]),
    label: 'authorizer-token trigger',
    remedy: 'wiring.authorizer()',
    made: 'AWS::ApiGateway::Authorizer',
  },
  {
    kind: 'an AppSync authorizer',
    surface: () => appSyncAuthorizer(() => AppSyncDecision.deny()),
    attach: ({ stack, wiring }) =>
      new GraphqlApi(stack, 'Graph', {
        fn: newFn(stack, 'Answers'),
        schemaFile: SCHEMA,
        authorization: wiring.appSyncAuthorizer(),
      }),
    label: 'appsync-authorizer trigger',
    remedy: 'wiring.appSyncAuthorizer()',
    made: 'AWS::AppSync::GraphQLApi',
  },
  {
    kind: 'a topic of Kafka',
    surface: () => kafkaTrigger().topic('orders', nothing),
    attach: ({ wiring }) => wiring.kafka('orders', { clusterArn: CLUSTER, consumerGroup: 'shop' }),
    label: 'kafka "orders"',
    remedy: 'wiring.kafka("orders", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a user pool',
    surface: () => cognitoTrigger().on('PreSignUp_*', nothing),
    attach: ({ stack, wiring }) => wiring.cognito(new UserPool(stack, 'Pool')),
    label: 'cognito "PreSignUp_*"',
    remedy: 'wiring.cognito(…)',
    made: 'AWS::Cognito::UserPool',
  },
  {
    kind: 'a transformation of Firehose',
    surface: () => firehoseTransform((_ctx, { data }) => data),
    attach: ({ stack, wiring }) =>
      new DeliveryStream(stack, 'Clicks', {
        destination: new S3Bucket(new Bucket(stack, 'B') as IBucket, { processors: [wiring.firehose()] }),
      }),
    label: 'firehose trigger',
    remedy: 'wiring.firehose()',
    made: 'AWS::KinesisFirehose::DeliveryStream',
  },
  {
    kind: 'channels of an Event API',
    surface: () => appSyncEvents().publish('/news/*', (_ctx, { payload }) => payload, Authenticated('news:write')),
    attach: ({ wiring }) => wiring.appSyncEvents({ apiId: 'abc' }),
    label: 'appsync-events "/news/*"',
    remedy: 'wiring.appSyncEvents(…)',
    made: 'AWS::AppSync::ChannelNamespace',
  },
  {
    kind: 'tools of a gateway',
    surface: () => agentCoreTools(newServer(), { posture: Authenticated() }),
    attach: ({ stack, wiring }) => wiring.agentCore({ gatewayIdentifier: 'gateway-1', gatewayRole: newRole(stack) }),
    label: 'agentcore "find"',
    remedy: 'wiring.agentCore(…)',
    made: 'AWS::BedrockAgentCore::GatewayTarget',
  },
];

const newRole = (stack: Stack) =>
  new Role(stack, 'Gateway', { assumedBy: new ServicePrincipal('bedrock-agentcore.amazonaws.com') }) as IRole;

function newServer() {
  const server = createMcpServer({ name: 'notes', version: '1.0.0' });
  server.tool('find', { description: 'Finds notes.', inputJsonSchema: { type: 'object' } }, () => 'none');
  return server;
}

const other = () => s3Trigger().bucket('others', nothing);

describe.each(KINDS)('$kind', ({ surface, attach, label, remedy, made }) => {
  it('is attached when both have it', () => {
    const service = newService([surface()]);
    attach(service);
    expect(propertiesOf(templateOf(service.stack), made)).toHaveLength(1);
  });

  it('fails at synth when the stack lacks it', () => {
    const { stack } = newService([surface()]);
    expect(() => (stack.node.root as App).synth()).toThrow(
      expect.failure(undefined, `ServiceWiring: the application registers ${label}`, remedy, '(at Test/Wiring)'),
    );
  });

  it('fails immediately if the application lacks it', () => {
    const service = newService([other()]);
    expect(() => attach(service)).toThrow(
      expect.failure(
        'constructs.not_registered',
        'ServiceWiring: the stack attaches ',
        's3 "others"',
        '(at Test/Wiring)',
      ),
    );
  });
});

it('the application gets the deployed names of buckets', () => {
  const { stack, wiring } = newService([s3Trigger().bucket('uploads', nothing)]);
  wiring.s3('uploads', new Bucket(stack, 'B') as IBucket);
  expect(JSON.stringify(variablesIn(templateOf(stack)).FRAMEWORK_EVENT_SOURCES)).toMatch(
    /^\{"Fn::Join":\["",\["\{\\"s3\\":\{\\"uploads\\":\\"",\{"Ref":"B\w+"\},"\\"\}\}"\]\]\}$/,
  );
});

it.each<[string, Parameters<typeof tokenAuthorizer>[1], number]>([
  ['about one method is never reused', {}, 0],
  ['about the whole API is reused for 5 minutes', { scope: 'api' }, 300],
])('an answer %s', (_name, options, seconds) => {
  const { stack, wiring } = newService([tokenAuthorizer(() => deny(), options)]);
  const api = new RestApi(stack, 'Rest', { fn: newFn(stack, 'Answers'), authorization: wiring.authorizer() });
  api.addRoutes([{ method: 'GET', path: '/a' }]);
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::ApiGateway::Authorizer')).toMatchObject([
    { Type: 'TOKEN', IdentitySource: 'method.request.header.Authorization', AuthorizerResultTtlInSeconds: seconds },
  ]);
  expect(propertiesOf(template, 'AWS::ApiGateway::Method')).toMatchObject([{ AuthorizationType: 'CUSTOM' }]);
});

it('a cache of answers about one method is rejected, regardless of the stack', () => {
  const { stack, fn, wiring } = newService([tokenAuthorizer(() => deny())]);
  const authorization = wiring.authorizer({ cacheTtl: Duration.minutes(1) });
  expect(() => new RestApi(stack, 'Rest', { fn, authorization })).toThrow(
    expect.failure('constructs.invalid_prop', 'RestApi: cacheTtl', 'got 1 minute', 'scope', '(at Test/Rest)'),
  );
});

it('tools of a gateway have their schemas in the target, and the gateway may invoke one alias that has no other use', () => {
  const { stack, wiring } = newService([agentCoreTools(newServer(), { target: 'notes', posture: Authenticated() })]);
  wiring.agentCore({ gatewayIdentifier: 'gateway-1', gatewayRole: newRole(stack) });
  const template = templateOf(stack);
  const [alias] = Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === 'AWS::Lambda::Alias');
  expect(propertiesOf(template, 'AWS::BedrockAgentCore::GatewayTarget')).toEqual([
    {
      Name: 'notes',
      GatewayIdentifier: 'gateway-1',
      CredentialProviderConfigurations: [{ CredentialProviderType: 'GATEWAY_IAM_ROLE' }],
      TargetConfiguration: {
        Mcp: {
          Lambda: {
            LambdaArn: { Ref: alias },
            ToolSchema: {
              InlinePayload: [{ Name: 'find', Description: 'Finds notes.', InputSchema: { Type: 'object' } }],
            },
          },
        },
      },
    },
  ]);
  expect(statementsOf(template)).toContainEqual({
    Action: 'lambda:InvokeFunction',
    Effect: 'Allow',
    Resource: { Ref: alias },
  });
});

it('a target name other than in the application is rejected', () => {
  const { stack, wiring } = newService([agentCoreTools(newServer(), { target: 'notes', posture: Authenticated() })]);
  const gatewayRole = newRole(stack);
  expect(() => wiring.agentCore({ gatewayIdentifier: 'g', gatewayRole, targetName: 'other' })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: targetName',
      'got "other"',
      '"notes"',
      'agentCoreTools',
      '(at Test/Wiring)',
    ),
  );
});

it('an Event API waits for the answers, and authorizes only the operations that the application handles', () => {
  const channels = appSyncEvents()
    .publish('/news/*', (_ctx, { payload }) => payload, Authenticated())
    .subscribe('/news/*', nothing, Authenticated())
    .subscribe('/alerts/*', nothing, Authenticated());
  const { stack, wiring } = newService([channels]);
  wiring.appSyncEvents({ apiId: 'abc' });
  const template = templateOf(stack);
  const handler = {
    Behavior: 'DIRECT',
    Integration: { DataSourceName: 'function', LambdaConfig: { InvokeType: 'REQUEST_RESPONSE' } },
  };
  expect(propertiesOf(template, 'AWS::AppSync::ChannelNamespace')).toEqual([
    { ApiId: 'abc', Name: 'news', HandlerConfigs: { OnPublish: handler, OnSubscribe: handler } },
    { ApiId: 'abc', Name: 'alerts', HandlerConfigs: { OnSubscribe: handler } },
  ]);
  expect(statementsOf(template)).toContainEqual({
    Action: 'lambda:InvokeFunction',
    Effect: 'Allow',
    Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Api/), 'Arn'] },
  });
});

it('a handler of subscriptions whose answer would be ignored is rejected', () => {
  const { wiring } = newService([appSyncEvents().subscribe('/news/*', nothing, Authenticated())]);
  expect(() => wiring.appSyncEvents({ apiId: 'abc', invokeType: 'EVENT' })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'EventChannels: invokeType EVENT',
      '/news/*',
      'REQUEST_RESPONSE',
      '(at Test/Wiring/EventChannels)',
    ),
  );
});

it('a pattern for all namespaces is rejected, because the namespaces are not known', () => {
  const { wiring } = newService([appSyncEvents().publish('/*', (_ctx, { payload }) => payload, Authenticated())]);
  expect(() => wiring.appSyncEvents({ apiId: 'abc' })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'EventChannels: namespace',
      'channel /*',
      'got "*"',
      'at most 50',
      '(at Test/Wiring/EventChannels)',
    ),
  );
});
