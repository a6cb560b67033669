/** The opt-in triggers in both directions: what the application registers, and what the stack attaches. */
import { fileURLToPath } from 'node:url';
import { SecureApp, type SecureAppOptions } from '@sallyport/secure';
import { appSyncAuthorizer } from '@sallyport/triggers/appsync-authorizer';
import { deny, tokenAuthorizer } from '@sallyport/triggers/authorizer';
import { cognitoTrigger } from '@sallyport/triggers/cognito';
import { firehoseTransform } from '@sallyport/triggers/firehose';
import { s3Trigger } from '@sallyport/triggers/s3';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type App, Duration } from 'aws-cdk-lib/core';
import { ServiceFunction } from '../src/function.js';
import { GraphqlApi } from '../src/graphql.js';
import { RestApi } from '../src/http.js';
import { ServiceWiring, toInventory } from '../src/wiring.js';
import { messageOf, newStack, propertiesOf, templateOf, variablesIn } from './support/synth.js';

type Surfaces = NonNullable<SecureAppOptions['surfaces']>;

const SCHEMA = fileURLToPath(new URL('judges/support/estate.graphql', import.meta.url));
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
    attach: ({ stack, fn, wiring }) =>
      new RestApi(stack, 'Rest', { fn, authorization: wiring.authorizer() }).addRoutes([{ method: 'GET', path: '/a' }]),
    label: 'authorizer-token trigger',
    remedy: 'wiring.authorizer()',
    made: 'AWS::ApiGateway::Authorizer',
  },
  {
    kind: 'an AppSync authorizer',
    surface: () => appSyncAuthorizer(() => ({})),
    attach: ({ stack, fn, wiring }) =>
      new GraphqlApi(stack, 'Graph', { fn, schemaFile: SCHEMA, authorization: wiring.appSyncAuthorizer() }),
    label: 'appsync-authorizer trigger',
    remedy: 'wiring.appSyncAuthorizer()',
    made: 'AWS::AppSync::GraphQLApi',
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
];

const other = () => s3Trigger().bucket('others', nothing);

describe.each(KINDS)('$kind', ({ surface, attach, label, remedy, made }) => {
  it('is attached when both have it', () => {
    const service = newService([surface()]);
    attach(service);
    expect(propertiesOf(templateOf(service.stack), made)).toHaveLength(1);
  });

  it('fails at synth when the stack lacks it', () => {
    const { stack } = newService([surface()]);
    expect(messageOf(() => (stack.node.root as App).synth())).toContain(
      `framework: ServiceWiring: the application registers ${label}, the stack attaches none, expected ${remedy} (at Test/Wiring)`,
    );
  });

  it('fails at once when the application lacks it', () => {
    const service = newService([other()]);
    expect(messageOf(() => attach(service))).toMatch(
      /^framework: ServiceWiring: the stack attaches .*, and the application registers none, expected what it registers: s3 "others" \(at Test\/Wiring\)$/,
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
  const { stack, fn, wiring } = newService([tokenAuthorizer(() => deny(), options)]);
  const api = new RestApi(stack, 'Rest', { fn, authorization: wiring.authorizer() });
  api.addRoutes([{ method: 'GET', path: '/a' }]);
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::ApiGateway::Authorizer')).toMatchObject([
    { Type: 'TOKEN', IdentitySource: 'method.request.header.Authorization', AuthorizerResultTtlInSeconds: seconds },
  ]);
  expect(propertiesOf(template, 'AWS::ApiGateway::Method')).toMatchObject([{ AuthorizationType: 'CUSTOM' }]);
});

it('a cache of answers about one method is refused, whatever the stack says', () => {
  const { stack, fn, wiring } = newService([tokenAuthorizer(() => deny())]);
  const authorization = wiring.authorizer({ cacheTtl: Duration.minutes(1) });
  expect(messageOf(() => new RestApi(stack, 'Rest', { fn, authorization }))).toBe(
    "framework: RestApi: cacheTtl of an authorizer whose answers are about one method, got 1 minute, expected none, or scope: 'api' here and in the application: an Allow for one method that is reused denies the next (at Test/Rest)",
  );
});
