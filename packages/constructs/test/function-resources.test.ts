/** Props of a function that connect it to other resources, over the synthesised template. */
import {
  Application,
  ConfigurationContent,
  ConfigurationType,
  Environment,
  HostedConfiguration,
} from 'aws-cdk-lib/aws-appconfig';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CapacityProvider, Code, type IFunction, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type ISecret, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { type IParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { type App, Duration, Size, Stack } from 'aws-cdk-lib/core';
import {
  ConstructError,
  EventRuleTrigger,
  HttpApi,
  QueueTrigger,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
} from '../src/index.js';
import { newProject } from './support/folders.js';
import { newApp, newStack, propertiesOf, statementsOf, templateOf, variablesIn } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');
// The types of the CDK are not written for `exactOptionalPropertyTypes`.
const newSecret = (at: Stack, id: string, props: SecretProps = {}) => new Secret(at, id, props) as ISecret;
const newVpc = (at: Stack) => new Vpc(at, 'Vpc', { maxAzs: 2 }) as IVpc;
const env = { account: '123456789012', region: 'eu-west-1' };

/** A stack with a function, whose props may need the stack. */
function newService(propsOf: (stack: Stack) => Partial<ServiceFunctionProps>) {
  const stack = newStack({ env });
  const service = new ServiceFunction(stack, 'Api', { code, ...propsOf(stack) });
  return { stack, service };
}

const functionIn = (stack: Stack) =>
  propertiesOf(templateOf(stack), 'AWS::Lambda::Function').find(({ Runtime: runtime }) => runtime === 'nodejs24.x');

it('sets a variable with the ARN of a secret and of a parameter, and the role may read both with their keys', () => {
  const { stack } = newService((at) => {
    const encryptionKey = new Key(at, 'Key');
    return {
      secrets: { PAYMENTS_SECRET: newSecret(at, 'Payments', { encryptionKey }) },
      parameters: { LIMITS: new StringParameter(at, 'Limits', { stringValue: '1' }) },
    };
  });
  const template = templateOf(stack);
  const arn = { Ref: expect.stringMatching(/^Payments/) };
  expect(variablesIn(template)).toEqual({ PAYMENTS_SECRET: arn, LIMITS: expect.objectContaining({}) });
  const granted = statementsOf(template).filter(({ Action }) => /secrets|ssm|kms/.test(String(Action)));
  expect(granted).toEqual([
    { Action: 'secretsmanager:GetSecretValue', Effect: 'Allow', Resource: arn },
    { Action: 'kms:Decrypt', Effect: 'Allow', Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] } },
    {
      Action: ['ssm:GetParameter', 'ssm:GetParameters'],
      Effect: 'Allow',
      Resource: expect.objectContaining({ 'Fn::Join': expect.anything() }),
    },
  ]);
});

it('reads a secret that is imported by its name, whose ARN ends in six further characters', () => {
  const { stack } = newService((at) => ({ secrets: { TOKEN: Secret.fromSecretNameV2(at, 'Imported', 'shop/token') } }));
  const [read] = statementsOf(templateOf(stack)).filter(({ Action }) => String(Action).startsWith('secretsmanager'));
  expect(JSON.stringify(read?.Resource)).toContain('secret:shop/token-??????');
});

it('reads an encrypted parameter with its key', () => {
  const { stack } = newService((at) => {
    const encryptionKey = new Key(at, 'Key');
    const given = { parameterName: '/shop/limits', encryptionKey };
    const limits = StringParameter.fromSecureStringParameterAttributes(at, 'Limits', given);
    return { parameters: { LIMITS: limits as IParameter } };
  });
  const actions = statementsOf(templateOf(stack)).flatMap(({ Action }) => Action);
  expect(actions).toEqual(expect.arrayContaining(['ssm:GetParameter', 'kms:Decrypt']));
});

it('runs in private subnets of a network, and may create only network interfaces', () => {
  const { stack } = newService((at) => {
    const vpc = newVpc(at);
    return { vpc, securityGroups: [new SecurityGroup(at, 'Group', { vpc })] };
  });
  expect(functionIn(stack)?.VpcConfig).toEqual({
    SecurityGroupIds: [{ 'Fn::GetAtt': [expect.stringMatching(/^Group/), 'GroupId'] }],
    SubnetIds: [
      { Ref: expect.stringMatching(/^VpcPrivateSubnet1/) },
      { Ref: expect.stringMatching(/^VpcPrivateSubnet2/) },
    ],
  });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::IAM::Role').flatMap(({ ManagedPolicyArns = [] }) => ManagedPolicyArns)).toEqual(
    [],
  );
  const actions = statementsOf(template).flatMap(({ Action }) => Action);
  expect(actions.filter((action) => action.startsWith('ec2:')).sort()).toEqual([
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ]);
});

it('has layers, storage, a key for its variables and a description', () => {
  const layer = 'arn:aws:lambda:eu-west-1:123456789012:layer:insights:1';
  const { stack } = newService((at) => ({
    layers: [LayerVersion.fromLayerVersionArn(at, 'Layer', layer)],
    ephemeralStorage: Size.gibibytes(2),
    environmentKey: new Key(at, 'Key'),
    environment: { MODE: 'prod' },
    description: 'answers orders',
  }));
  expect(functionIn(stack)).toMatchObject({
    Layers: [layer],
    EphemeralStorage: { Size: 2048 },
    KmsKeyArn: { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] },
    Description: 'answers orders',
  });
});

describe('provisioned concurrency', () => {
  it('is on the alias "live", which doors and triggers invoke', () => {
    const { stack, service } = newService(() => ({ provisionedConcurrency: 2, maxProvisionedConcurrency: 10 }));
    const { fn } = service;
    new HttpApi(stack, 'Http', { fn }).addCatchAll();
    new QueueTrigger(stack, 'Orders', { fn, queue: new ServiceQueue(stack, 'Queue').queue });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Lambda::Alias')).toEqual([
      expect.objectContaining({ Name: 'live', ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 } }),
    ]);
    const alias = { Ref: expect.stringMatching(/^ApiAlias/) };
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Integration')[0]?.IntegrationUri).toEqual(alias);
    const { FunctionName } = propertiesOf(template, 'AWS::Lambda::EventSourceMapping')[0] ?? {};
    expect(JSON.stringify(FunctionName)).toMatch(/"Ref":"ApiAlias\w+".*":live"/);
    expect(propertiesOf(template, 'AWS::ApplicationAutoScaling::ScalableTarget')).toEqual([
      expect.objectContaining({ MinCapacity: 2, MaxCapacity: 10 }),
    ]);
    expect(propertiesOf(template, 'AWS::ApplicationAutoScaling::ScalingPolicy')[0]).toMatchObject({
      TargetTrackingScalingPolicyConfiguration: { TargetValue: 0.7 },
    });
  });

  it('is on the alias "doors" of separate doors, and not on "events"', () => {
    const { stack } = newService(() => ({ provisionedConcurrency: 2, separateDoors: true }));
    const aliases = propertiesOf(templateOf(stack), 'AWS::Lambda::Alias').map((one) => [
      one.Name,
      one.ProvisionedConcurrencyConfig,
    ]);
    expect(aliases).toEqual([
      ['doors', { ProvisionedConcurrentExecutions: 2 }],
      ['events', undefined],
    ]);
  });

  it('is on the alias that a canary moves', () => {
    const { stack, service } = newService(() => ({ provisionedConcurrency: 2 }));
    const metric = new Metric({ namespace: 'Shop', metricName: 'RequestErrors' });
    const alarm = new Alarm(stack, 'Alarm', { metric, threshold: 1, evaluationPeriods: 1 });
    const live = service.addCanary({ alarms: [alarm] });
    expect(live.node.path).toBe('Test/Api/Alias');
    expect(service.doors).toBe(live);
    new EventRuleTrigger(stack, 'Paid', { fn: live as IFunction, pattern: { source: ['billing'] } });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Alias')).toHaveLength(1);
  });

  it('rejects another name of the alias of a canary', () => {
    const { stack, service } = newService(() => ({ provisionedConcurrency: 2 }));
    const metric = new Metric({ namespace: 'Shop', metricName: 'RequestErrors' });
    const alarm = new Alarm(stack, 'Alarm', { metric, threshold: 1, evaluationPeriods: 1 });
    expect(() => service.addCanary({ alarms: [alarm], aliasName: 'blue' })).toThrow('aliasName');
  });
});

const foreign = (region: string, account = env.account) =>
  `arn:aws:secretsmanager:${region}:${account}:secret:a-AbCdEf`;
const keyArn = (region: string) => `arn:aws:kms:${region}:123456789012:key/6f1f8e4c-5a3b-4d44-9d86-0123456789ab`;

const REJECTED: readonly (readonly [string, string, string, (stack: Stack) => Partial<ServiceFunctionProps>])[] = [
  [
    'six layers',
    'constructs.invalid_prop',
    'layers',
    (at) => ({
      layers: Array.from({ length: 6 }, (_, n) =>
        LayerVersion.fromLayerVersionArn(at, `L${n}`, `arn:aws:lambda:eu-west-1:123456789012:layer:l:${n}`),
      ),
    }),
  ],
  [
    'a layer for another runtime',
    'constructs.invalid_prop',
    'layer Test/Layer is for python3.13',
    (at) => ({
      layers: [
        new LayerVersion(at, 'Layer', {
          code: Code.fromAsset(newProject({ 'a.py': '' })),
          compatibleRuntimes: [Runtime.PYTHON_3_13],
        }),
      ],
    }),
  ],
  [
    'storage below the least',
    'constructs.invalid_prop',
    'ephemeralStorage',
    () => ({ ephemeralStorage: Size.mebibytes(256) }),
  ],
  [
    'storage above the most',
    'constructs.invalid_prop',
    'ephemeralStorage',
    () => ({ ephemeralStorage: Size.gibibytes(11) }),
  ],
  [
    'a description of 300 characters',
    'constructs.invalid_prop',
    'description',
    () => ({ description: 'x'.repeat(300) }),
  ],
  ['subnets without a network', 'constructs.invalid_prop', 'vpcSubnets without vpc', () => ({ vpcSubnets: {} })],
  ['groups without a network', 'constructs.invalid_prop', 'securityGroups without vpc', () => ({ securityGroups: [] })],
  [
    'public subnets',
    'constructs.invalid_prop',
    'public subnet',
    (at) => ({ vpc: newVpc(at), vpcSubnets: { subnetType: SubnetType.PUBLIC } }),
  ],
  [
    'subnets that do not exist',
    'constructs.invalid_prop',
    'vpcSubnets selects no subnet',
    (at) => ({ vpc: newVpc(at), vpcSubnets: { subnetGroupName: 'none' } }),
  ],
  [
    'more environments than reserved',
    'constructs.invalid_prop',
    'provisionedConcurrency',
    () => ({ provisionedConcurrency: 5, reservedConcurrency: 4 }),
  ],
  [
    'a maximum above the reserved',
    'constructs.invalid_prop',
    'maxProvisionedConcurrency',
    () => ({ provisionedConcurrency: 2, maxProvisionedConcurrency: 9, reservedConcurrency: 4 }),
  ],
  [
    'a maximum below the least',
    'constructs.invalid_prop',
    'maxProvisionedConcurrency',
    () => ({ provisionedConcurrency: 5, maxProvisionedConcurrency: 4 }),
  ],
  [
    'a maximum alone',
    'constructs.invalid_prop',
    'maxProvisionedConcurrency without',
    () => ({ maxProvisionedConcurrency: 4 }),
  ],
  [
    'snapshots too',
    'constructs.invalid_prop',
    'provisionedConcurrency with',
    () => ({ provisionedConcurrency: 1, tenantIsolation: true }),
  ],
  [
    'a utilization of 95%',
    'constructs.invalid_prop',
    'provisionedUtilization',
    () => ({ provisionedConcurrency: 1, provisionedUtilization: 0.95 }),
  ],
  [
    'a variable for two resources',
    'constructs.conflict',
    'variable MODE',
    (at) => ({ environment: { MODE: 'a' }, secrets: { MODE: newSecret(at, 'S') } }),
  ],
  [
    'one variable for a secret and a parameter',
    'constructs.conflict',
    'variable SHARED',
    (at) => ({
      secrets: { SHARED: newSecret(at, 'S') },
      parameters: { SHARED: new StringParameter(at, 'P', { stringValue: '1' }) },
    }),
  ],
  [
    'a reserved variable',
    'constructs.reserved_variable',
    'variable AWS_REGION',
    (at) => ({ secrets: { AWS_REGION: newSecret(at, 'S') } }),
  ],
  [
    'a bad name of a variable',
    'constructs.invalid_prop',
    'name of a variable',
    (at) => ({ secrets: { 'a-b': newSecret(at, 'S') } }),
  ],
  ['a secret as a string', 'constructs.invalid_prop', 'secrets', () => ({ secrets: { TOKEN: 'abc' as never } })],
  [
    'a secret of another region',
    'constructs.invalid_prop',
    'secrets.TOKEN is in the region us-east-1',
    (at) => ({
      secrets: { TOKEN: Secret.fromSecretCompleteArn(at, 'S', foreign('us-east-1')) },
    }),
  ],
  [
    'a secret of another account with an unknown key',
    'constructs.invalid_prop',
    'secrets.TOKEN is in the account',
    (at) => ({
      secrets: { TOKEN: Secret.fromSecretCompleteArn(at, 'S', foreign('eu-west-1', '999999999999')) },
    }),
  ],
  [
    'a key of another region',
    'constructs.invalid_prop',
    'environmentKey is in the region us-east-1',
    (at) => ({
      environmentKey: Key.fromKeyArn(at, 'K', keyArn('us-east-1')),
    }),
  ],
  [
    'a managed instance',
    'constructs.invalid_prop',
    'provisionedConcurrency with computeProvider',
    (at) => ({
      provisionedConcurrency: 1,
      computeProvider: CapacityProvider.fromCapacityProviderName(at, 'C', 'shared'),
    }),
  ],
];

it.each(REJECTED)('rejects %s', (_name, errorCode, text, propsOf) => {
  let thrown: unknown;
  try {
    newService(propsOf);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConstructError);
  const { code: found, path, message } = thrown as ConstructError;
  expect({ found, path, message }).toEqual({
    found: errorCode,
    path: 'Test/Api',
    message: expect.stringContaining(text),
  });
});

it('accepts a secret of another account that is imported with its key', () => {
  const { stack } = newService((at) => ({
    secrets: {
      TOKEN: Secret.fromSecretAttributes(at, 'S', {
        secretCompleteArn: foreign('eu-west-1', '999999999999'),
        encryptionKey: Key.fromKeyArn(at, 'K', keyArn('eu-west-1').replace('123456789012', '999999999999')),
      }),
    },
  }));
  expect(statementsOf(templateOf(stack)).flatMap(({ Action }) => Action)).toContain('kms:Decrypt');
});

it('accepts a secret of another stack of the same app', () => {
  const app: App = newApp();
  const data = new Stack(app, 'Data', { env });
  const stack = newStack({ env }, app);
  const secret = newSecret(data, 'Payments');
  new ServiceFunction(stack, 'Api', { code, timeout: Duration.seconds(5), secrets: { PAYMENTS: secret } });
  expect(JSON.stringify(variablesIn(templateOf(stack)))).toContain('Fn::ImportValue');
});

it('reports variables of more than 4 KB at synth, those of secrets included', () => {
  const long = Array.from({ length: 45 }, (_, n) => [`SECRET_${n}`, n] as const);
  const { stack } = newService((at) => ({
    secrets: Object.fromEntries(
      long.map(([name, n]) => [
        name,
        Secret.fromSecretCompleteArn(at, `S${n}`, `${foreign('eu-west-1').slice(0, -7)}${'n'.repeat(40)}-AbCdEf`),
      ]),
    ),
  }));
  expect(() => templateOf(stack)).toThrow('variables of at least');
});

it('sets the profile of feature flags, and the role may read this configuration only', () => {
  const { stack } = newService((at) => {
    const application = new Application(at, 'Shop');
    const environment = new Environment(at, 'Live', { application });
    const configuration = new HostedConfiguration(at, 'Flags', {
      application,
      type: ConfigurationType.FEATURE_FLAGS,
      content: ConfigurationContent.fromInlineJson('{}'),
    });
    return { flags: { configuration, environment } };
  });
  const template = templateOf(stack);
  const ids = [/^Shop/, /^Live/, /^Flags/].map((name) => ({ Ref: expect.stringMatching(name) }));
  expect(variablesIn(template)).toEqual({
    FRAMEWORK_FLAGS_PROFILE: { 'Fn::Join': ['', [ids[0], '/', ids[1], '/', ids[2]]] },
  });
  expect(statementsOf(template).filter(({ Action }) => /appconfig/.test(String(Action)))).toEqual([
    {
      Action: ['appconfig:StartConfigurationSession', 'appconfig:GetLatestConfiguration'],
      Effect: 'Allow',
      Resource: {
        'Fn::Join': ['', expect.arrayContaining([ids[0], '/environment/', ids[1], '/configuration/', ids[2]])],
      },
    },
  ]);
});

it.each([
  ['the key that the flags state', true],
  ['the key of the deployments', false],
])('may decrypt flags with %s', (_, isStated) => {
  const { stack } = newService((at) => {
    const application = new Application(at, 'Shop');
    const environment = new Environment(at, 'Live', { application });
    const key = new Key(at, 'Key');
    const configuration = new HostedConfiguration(at, 'Flags', {
      ...{ application, type: ConfigurationType.FEATURE_FLAGS, content: ConfigurationContent.fromInlineJson('{}') },
      ...(!isStated && { deploymentKey: key }),
    });
    return { flags: { configuration, environment, ...(isStated && { encryptionKey: key }) } };
  });
  expect(statementsOf(templateOf(stack)).filter(({ Action }) => /kms/.test(String(Action)))).toEqual([
    { Action: 'kms:Decrypt', Effect: 'Allow', Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] } },
  ]);
});

it('may read several secrets with one call', () => {
  const { stack } = newService((at) => ({ secrets: { A: newSecret(at, 'A'), B: newSecret(at, 'B') } }));
  const statements = statementsOf(templateOf(stack)).filter(({ Action }) => /secrets/.test(String(Action)));
  expect(statements).toEqual([
    { Action: 'secretsmanager:BatchGetSecretValue', Effect: 'Allow', Resource: '*' },
    ...[/^A/, /^B/].map((name) => ({
      Action: 'secretsmanager:GetSecretValue',
      Effect: 'Allow',
      Resource: { Ref: expect.stringMatching(name) },
    })),
  ]);
});
