import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CapacityProvider,
  Code,
  type IFunction,
  Function as PlainFunction,
  Runtime,
  RuntimeFamily,
} from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type App, CfnParameter, Duration, type Stack } from 'aws-cdk-lib/core';
import {
  ConstructError,
  FunctionUrl,
  inventoryFromEntry,
  inventoryFromFile,
  JobsTable,
  QueueTrigger,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
} from '../src/index.js';
import { newProject } from './support/folders.js';
import { messageOf, newApp, newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

it('makes a function, a role and a log group with secure defaults', () => {
  const stack = newStack();
  new ServiceFunction(stack, 'Api', { code, environment: { MODE: 'prod' } });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Lambda::Function')).toEqual([
    {
      Architectures: ['arm64'],
      Code: { ZipFile: 'exports.handler = 1' },
      Environment: { Variables: { MODE: 'prod' } },
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.stringMatching(/^ApiLogGroup/) } },
      MemorySize: 256,
      Role: { 'Fn::GetAtt': [expect.stringMatching(/^ApiRole/), 'Arn'] },
      Runtime: 'nodejs24.x',
      Timeout: 10,
      TracingConfig: { Mode: 'Active' },
    },
  ]);
  expect(propertiesOf(template, 'AWS::IAM::Role')[0]).not.toHaveProperty('ManagedPolicyArns');
  expect(statementsOf(template)).toEqual([
    {
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Effect: 'Allow',
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^ApiLogGroup/), 'Arn'] },
    },
    { Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Effect: 'Allow', Resource: '*' },
  ]);
  const groups = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Logs::LogGroup');
  expect(groups).toEqual([expect.objectContaining({ DeletionPolicy: 'Retain', Properties: { RetentionInDays: 30 } })]);
});

it('has one log group under the recommended flags too, and the same resources', () => {
  const flags = new URL('../node_modules/aws-cdk-lib/recommended-feature-flags.json', import.meta.url);
  const context = JSON.parse(readFileSync(flags, 'utf8')) as Record<string, unknown>;
  const types = (app: App) => {
    const stack = newStack({}, app);
    new ServiceFunction(stack, 'Api', { code });
    return Object.values(templateOf(stack).Resources).map(({ Type }) => Type);
  };
  expect(types(newApp({ context }))).toEqual(types(newApp()));
});

it.each<[string, Partial<ServiceFunctionProps>, object]>([
  ['reserved environments', { reservedConcurrency: 0 }, { ReservedConcurrentExecutions: 0 }],
  ['tenant isolation', { tenantIsolation: true }, { TenancyConfig: { TenantIsolationMode: 'PER_TENANT' } }],
])('passes %s on', (_name, props, expected) => {
  const stack = newStack();
  new ServiceFunction(stack, 'Api', { code, ...props });
  expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')).toMatchObject([expected]);
});

it('accepts a token where its value is not needed at synth', () => {
  const stack = newStack();
  const memorySize = new CfnParameter(stack, 'Memory', { type: 'Number' }).valueAsNumber;
  new ServiceFunction(stack, 'Api', { code, memorySize });
  expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')).toMatchObject([{ MemorySize: { Ref: 'Memory' } }]);
});

it('runs on Managed Instances with enough memory', () => {
  const stack = newStack();
  const computeProvider = CapacityProvider.fromCapacityProviderName(stack, 'Capacity', 'shared');
  new ServiceFunction(stack, 'Api', { code, computeProvider, computeConcurrency: 32 });
  expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')).toMatchObject([
    {
      MemorySize: 2048,
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: {
          CapacityProviderArn: expect.anything(),
          PerExecutionEnvironmentMaxConcurrency: 32,
        },
      },
    },
  ]);
});

it('starts from a snapshot where the runtime can', () => {
  const stack = newStack();
  const runtime = new Runtime('nodejs24.x', RuntimeFamily.NODEJS, {
    supportsSnapStart: true,
    supportsInlineCode: true,
  });
  new ServiceFunction(stack, 'Api', { code, runtime, snapStart: true });
  expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')).toMatchObject([
    { SnapStart: { ApplyOn: 'PublishedVersions' } },
  ]);
});

const REFUSED: readonly [string, (stack: Stack) => unknown, Error][] = [
  [
    'no code',
    (stack) => new ServiceFunction(stack, 'T', {}),
    expect.failure('constructs.invalid_prop', 'ServiceFunction: ', '"entry"', '"code"', '(at Test/T)'),
  ],
  [
    'SnapStart on a runtime that AWS gives no snapshots',
    (stack) => new ServiceFunction(stack, 'T', { code, snapStart: true }),
    expect.failure('constructs.invalid_prop', 'ServiceFunction: snapStart', 'nodejs24.x', '(at Test/T)'),
  ],
  [
    'a capacity provider with tenant isolation',
    (stack) =>
      new ServiceFunction(stack, 'T', {
        code,
        tenantIsolation: true,
        computeProvider: CapacityProvider.fromCapacityProviderName(stack, 'C', 'shared'),
      }),
    expect.failure('constructs.invalid_prop', 'ServiceFunction: tenantIsolation', 'computeProvider', '(at Test/T)'),
  ],
  [
    'a capacity provider with little memory',
    (stack) =>
      new ServiceFunction(stack, 'T', {
        code,
        memorySize: 512,
        computeProvider: CapacityProvider.fromCapacityProviderName(stack, 'C', 'shared'),
      }),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceFunction: memorySize',
      'computeProvider',
      'got 512',
      'at least 2048',
      '(at Test/T)',
    ),
  ],
  [
    'a queue in front of a function with tenant isolation',
    (stack) => {
      const { fn } = new ServiceFunction(stack, 'F', { code, tenantIsolation: true });
      new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue });
    },
    expect.failure('constructs.invalid_prop', 'QueueTrigger: ', 'Test/F/Resource', 'tenant isolation', '(at Test/T)'),
  ],
  [
    'a URL of a function with tenant isolation',
    (stack) => {
      const { fn } = new ServiceFunction(stack, 'F', { code, tenantIsolation: true });
      new FunctionUrl(stack, 'T', { fn });
    },
    expect.failure('constructs.invalid_prop', 'FunctionUrl: ', 'Test/F/Resource', 'tenant isolation', '(at Test/T)'),
  ],
  [
    'another language',
    (stack) => new ServiceFunction(stack, 'T', { code, runtime: Runtime.PYTHON_3_13 }),
    expect.failure('constructs.invalid_prop', 'ServiceFunction: runtime', 'got "python3.13"', 'Node 20', '(at Test/T)'),
  ],
  [
    'a name that AWS Lambda keeps',
    (stack) => new ServiceFunction(stack, 'T', { code, environment: { AWS_REGION: 'eu-west-1' } }),
    expect.failure('constructs.reserved_variable', 'ServiceFunction: ', 'AWS_REGION', '(at Test/T)'),
  ],
  [
    'a secret as a literal value, whose text is not in the error',
    (stack) => new ServiceFunction(stack, 'T', { code, environment: { SIGNING_SECRET: 'hunter2' } }),
    expect.failure(
      'constructs.reserved_variable',
      'ServiceFunction: ',
      'SIGNING_SECRET',
      '_ARN',
      'notSecret',
      '(at Test/T)',
    ),
  ],
  [
    'a table for an imported function, which cannot take variables',
    (stack) => {
      const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
      new JobsTable(stack, 'T').bindTo(PlainFunction.fromFunctionArn(stack, 'F', arn) as IFunction);
    },
    expect.failure('constructs.fixed_environment', 'JobsTable: ', 'FRAMEWORK_JOBS_TABLE_NAME', 'Test/F', '(at Test/T)'),
  ],
  [
    'two tables for one variable',
    (stack) => {
      const { fn } = new ServiceFunction(stack, 'F', { code });
      new JobsTable(stack, 'First').bindTo(fn).bindTo(fn);
      new JobsTable(stack, 'T').bindTo(fn);
    },
    expect.failure('constructs.conflict', 'JobsTable: ', 'FRAMEWORK_JOBS_TABLE_NAME', 'Test/F/Resource', '(at Test/T)'),
  ],
  [
    'a retention that is a token',
    (stack) => {
      const logRetention = new CfnParameter(stack, 'P', { type: 'Number' }).valueAsNumber as RetentionDays;
      new ServiceFunction(stack, 'T', { code, logRetention });
    },
    expect.failure('constructs.literal_needed', 'ServiceFunction: logRetention', 'got a token', '(at Test/T)'),
  ],
  [
    'a timeout of 16 minutes',
    (stack) => new ServiceFunction(stack, 'T', { code, timeout: Duration.minutes(16) }),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceFunction: timeout',
      'got 16 minutes',
      '15 minutes',
      '(at Test/T)',
    ),
  ],
];

it.each(REFUSED)('rejects %s', (_name, run, failure) => {
  const stack = newStack();
  expect(() => run(stack)).toThrow(failure);
});

it('an error has a code and the path of its construct', () => {
  const error = (() => {
    try {
      return new ServiceFunction(newStack(), 'T', { code, memorySize: 64 });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(ConstructError);
  expect(error).toMatchObject({ code: 'constructs.invalid_prop', path: 'Test/T' });
});

describe('inventories of an entry', () => {
  const APP = `
    const routes = [{ surface: 'http', method: 'GET', path: '/health', posture: 'public' }];
    export const app = { routes: () => routes, triggers: () => [{ kind: 'queue', name: Object.keys(process.env).join() || 'none' }] };
    console.log('a line of the application');
  `;

  it('are read in a process without variables, regardless of the output of the application', () => {
    const entry = join(newProject({ 'app.ts': APP }), 'app.ts');
    expect(inventoryFromEntry({ entry })).toEqual({
      version: 1,
      container: 'secure',
      routes: [{ surface: 'http', method: 'GET', path: '/health', posture: 'public' }],
      triggers: [{ kind: 'queue', name: 'none' }],
    });
  });

  it.each([
    [
      'throws',
      "throw new Error('the environment variable ISSUER is not set');",
      'throws when it is loaded: Error: the environment variable ISSUER is not set',
    ],
    ['exports something else', 'export const app = 5;', 'the export "app" is not an application'],
  ])('of a file that %s fail with its message', (_name, source, expected) => {
    const entry = join(newProject({ 'app.ts': source }), 'app.ts');
    expect(messageOf(() => inventoryFromEntry({ entry }))).toContain(expected);
  });

  it('of a file are checked', () => {
    const file = join(
      newProject({ 'inventory.json': '{"version":1,"container":"secure","routes":[5],"triggers":[]}' }),
      'inventory.json',
    );
    expect(() => inventoryFromFile(file)).toThrow(
      expect.failure('constructs.invalid_inventory', 'inventory: routes[0]', 'got 5'),
    );
    expect(messageOf(() => inventoryFromFile(`${file}.none`))).toContain('cannot be read as JSON');
  });
});
