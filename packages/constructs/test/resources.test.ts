import { createMicrovmController, mountMicrovmController } from '@sallyport/microvm';
import { MICROVM_SWEEP_RULE_NAME } from '@sallyport/microvm/schema';
import { createFakeMicrovmProvider, createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnParameter, Stack } from 'aws-cdk-lib/core';
import {
  type Inventory,
  MicrovmController,
  MicrovmImage,
  ObjectBucket,
  ServiceFunction,
  ServiceWiring,
  toInventory,
  VectorIndex,
} from '../src/index.js';
import { actionsOn, newApp, newStack, propertiesOf, statementsOf, templateOf, variablesIn } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');
const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';

function newService(): { readonly stack: Stack; readonly fn: LambdaFunction } {
  const stack = newStack();
  return { stack, fn: new ServiceFunction(stack, 'Api', { code }).fn };
}

const BELOW = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.stringMatching(/^Files/), 'Arn'] }, '/inbox/*']] };

describe('ObjectBucket', () => {
  it('is private, encrypted, requires TLS 1.2, and is retained on deletion', () => {
    const { stack, fn } = newService();
    const files = new ObjectBucket(stack, 'Files', { uploadOrigins: ['https://app.example.com'] });
    files.bindTo(fn, { variable: 'NOTES_BUCKET', prefix: 'inbox/', remove: true });
    const template = templateOf(stack);
    const [bucket] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::S3::Bucket');
    expect(bucket).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        BucketEncryption: {},
        LifecycleConfiguration: { Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }] },
        CorsConfiguration: { CorsRules: [{ AllowedOrigins: ['https://app.example.com'], AllowedMethods: ['PUT'] }] },
      },
    });
    expect(bucket?.Properties).not.toHaveProperty('VersioningConfiguration');
    expect(JSON.stringify(propertiesOf(template, 'AWS::S3::BucketPolicy'))).toContain('s3:TlsVersion');
    expect(variablesIn(template).NOTES_BUCKET).toEqual({ Ref: expect.stringMatching(/^Files/) });
    const granted = statementsOf(template).filter(({ Action }) => String(Action).startsWith('s3:'));
    expect(granted).toEqual([
      { Action: 's3:PutObject', Effect: 'Allow', Resource: BELOW },
      { Action: 's3:GetObject', Effect: 'Allow', Resource: BELOW },
      { Action: 's3:DeleteObject', Effect: 'Allow', Resource: BELOW },
    ]);
  });

  it.each([
    ['versions', { versioned: true }, ['s3:GetObject', 's3:GetObjectVersion']],
    ['no versions', {}, ['s3:GetObject']],
  ])('with %s grants reading of what there is', (_name, props, expected) => {
    const { stack, fn } = newService();
    new ObjectBucket(stack, 'Files', props).grantRead(fn, 'inbox/');
    expect(actionsOn(templateOf(stack), 's3')).toEqual(expected);
  });

  // S3 decrypts the parts of a multipart upload, so an upload needs both: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html.
  it.each([
    ['grantRead', ['kms:Decrypt']],
    ['grantUpload', ['kms:Decrypt', 'kms:GenerateDataKey']],
    ['grantDelete', []],
  ] as const)('with a key, %s allows %j', (grant, expected) => {
    const { stack, fn } = newService();
    const encryptionKey = new Key(stack, 'Key') as IKey;
    new ObjectBucket(stack, 'Files', { encryptionKey })[grant](fn, 'inbox/');
    expect([...actionsOn(templateOf(stack), 'kms')].sort()).toEqual(expected);
  });
});

describe('VectorIndex', () => {
  it('is named by its ARN alone, and its function may query, write and embed', () => {
    const { stack, fn } = newService();
    const modelArn = 'arn:aws:bedrock:eu-west-1::foundation-model/amazon.titan-embed-text-v2:0';
    new VectorIndex(stack, 'Search', { dimension: 1024, modelArn }).bindTo(fn);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::S3Vectors::Index')).toMatchObject([
      {
        Dimension: 1024,
        DistanceMetric: 'cosine',
        DataType: 'float32',
        EncryptionConfiguration: { SseType: 'AES256' },
      },
    ]);
    const kept = Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::S3Vectors::'));
    expect(kept.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(['Retain', 'Retain']);
    const variables = Object.entries(variablesIn(template)).filter(([name]) => name.startsWith('FRAMEWORK_'));
    expect(variables.sort()).toEqual([
      ['FRAMEWORK_EMBEDDING_DIMENSIONS', '1024'],
      ['FRAMEWORK_EMBEDDING_MODEL_ID', 'amazon.titan-embed-text-v2:0'],
      ['FRAMEWORK_VECTOR_DIMENSION', '1024'],
      ['FRAMEWORK_VECTOR_INDEX_ARN', { 'Fn::GetAtt': [expect.stringMatching(/^Search/), 'IndexArn'] }],
    ]);
    expect(actionsOn(template, 's3vectors')).toEqual([
      's3vectors:DeleteVectors',
      's3vectors:GetVectors',
      's3vectors:ListVectors',
      's3vectors:PutVectors',
      's3vectors:QueryVectors',
    ]);
    const [embed] = statementsOf(template).filter(({ Action }) => Action === 'bedrock:InvokeModel');
    expect(embed?.Resource).toBe(modelArn);
  });
});

function newSandbox(): Inventory {
  const app = new SecureApp({ principalResolver: () => null });
  const controller = createMicrovmController({
    provider: createFakeMicrovmProvider(),
    registry: createMemoryMicrovmRegistry(),
    images: [{ ref: IMAGE }],
  });
  mountMicrovmController(app, controller, {
    posture: Authenticated('microvm:use'),
    shellPosture: Authenticated('microvm:shell'),
  });
  app.eventBus({ ruleName: MICROVM_SWEEP_RULE_NAME }, () => controller.sweep());
  return toInventory(app);
}

describe('MicrovmController', () => {
  it('grants machines of its images, and * only where AWS has no resource', () => {
    const { stack, fn } = newService();
    const executionRole = new Role(stack, 'Machine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    new MicrovmController(stack, 'Machines', {
      fn,
      images: [`${IMAGE}@3.0`, IMAGE],
      inventory: newSandbox(),
      egressConnectors: ['arn:aws:lambda:eu-west-1:123456789012:network-connector:nc-1'],
      executionRole,
      logGroup: new LogGroup(stack, 'MachineLogs'),
    });
    const template = templateOf(stack);
    const granted = statementsOf(template);
    const machines = granted.find(({ Action }) => Action.includes('lambda:RunMicrovm'));
    expect(machines?.Resource).toBe(IMAGE);
    expect(machines?.Action).toHaveLength(7);
    const open = granted.filter(({ Resource }) => Resource === '*').flatMap(({ Action }) => Action);
    expect(open.sort()).toEqual([
      'lambda:ListMicrovms',
      'lambda:PassNetworkConnector',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
    expect(granted.find(({ Action }) => Action === 'iam:PassRole')).toMatchObject({
      Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    });
    expect(variablesIn(template)).toMatchObject({
      FRAMEWORK_MICROVM_IMAGE_REF: `${IMAGE}@3.0,${IMAGE}`,
      FRAMEWORK_MICROVM_EGRESS_NETWORK_CONNECTOR_REFS: 'arn:aws:lambda:eu-west-1:123456789012:network-connector:nc-1',
      FRAMEWORK_MICROVM_LOGGING: { 'Fn::Join': ['', ['{"cloudWatch":{"logGroup":"', expect.anything(), '"}}']] },
    });
    expect(variablesIn(template)).not.toHaveProperty('FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS');
  });

  it('without connectors, role and sweep grants no more than machines', () => {
    const { stack, fn } = newService();
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE], sweep: false });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::Events::Rule')).toEqual([]);
    expect(actionsOn(template, 'iam')).toEqual([]);
    expect(actionsOn(template, 'lambda')).not.toContain('lambda:ListMicrovms');
    expect(variablesIn(template).FRAMEWORK_MICROVM_LOGGING).toBe('{"disabled":{}}');
  });

  it('leaves a role whose policies others manage unchanged', () => {
    const stack = newStack();
    const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::123456789012:role/api', { mutable: false });
    const runtime = Runtime.NODEJS_24_X;
    const fn = new LambdaFunction(stack, 'Api', { code, role: role as IRole, runtime, handler: 'index.handler' });
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE] });
    expect(propertiesOf(templateOf(stack), 'AWS::IAM::Policy')).toEqual([]);
  });
});

describe('the sweep of MicrovmController', () => {
  const newImage = (stack: Stack, id = 'Notebook') =>
    new MicrovmImage(stack, id, {
      name: id,
      codeBucket: Bucket.fromBucketName(stack, `${id}Code`, 'code'),
      codeKey: 'notebook.zip',
      baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
      baseImageVersion: '1',
    });

  it('has a schedule by default, whose name a variable maps to the name that the handler selects', () => {
    const { stack, fn } = newService();
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE], inventory: newSandbox() });
    const template = templateOf(stack);
    const [rule] = propertiesOf(template, 'AWS::Events::Rule');
    expect(rule).toMatchObject({
      Name: expect.stringMatching(/^Test-Machines-Sweep-/),
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
    });
    expect(JSON.parse(String(variablesIn(template).FRAMEWORK_EVENT_SOURCES))).toEqual({
      rule: { 'microvm-sweep': rule?.Name },
    });
    expect(variablesIn(template)).not.toHaveProperty('FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS');
  });

  it('of two controllers in one stack has two names', () => {
    const { stack, fn } = newService();
    const other = new LambdaFunction(stack, 'Other', {
      ...{ runtime: Runtime.NODEJS_22_X, handler: 'index.handler', code: Code.fromInline('exports.handler = 1') },
    });
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE] });
    new MicrovmController(stack, 'Others', { fn: other, images: [IMAGE] });
    const names = propertiesOf(templateOf(stack), 'AWS::Events::Rule').map(({ Name }) => Name);
    expect(names).toEqual([
      expect.stringMatching(/^Test-Machines-Sweep-/),
      expect.stringMatching(/^Test-Others-Sweep-/),
    ]);
  });

  it('has the name that the prop states', () => {
    const { stack, fn } = newService();
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE], sweepRuleName: 'sweep-of-notes' });
    expect(propertiesOf(templateOf(stack), 'AWS::Events::Rule')).toMatchObject([{ Name: 'sweep-of-notes' }]);
  });

  it('is attached through the wiring of the function', () => {
    const { stack, fn } = newService();
    const inventory = newSandbox();
    const external = inventory.routes.map(({ method, path }) => ({
      kind: 'http',
      name: `${method} ${path}`,
      reason: 'an API of another stack',
    }));
    const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory, external });
    new MicrovmController(stack, 'Machines', { fn, images: [IMAGE], inventory, wiring });
    const rules = propertiesOf(templateOf(stack), 'AWS::Events::Rule');
    expect(rules).toMatchObject([
      { Name: expect.stringMatching(/^Test-Wiring-Schedule-/), ScheduleExpression: 'rate(5 minutes)' },
    ]);
  });

  it('needs a handler for its rule', () => {
    const { stack, fn } = newService();
    const props = { fn, images: [IMAGE], inventory: newSandbox(), sweepRuleName: 'another' };
    expect(() => new MicrovmController(stack, 'Machines', props)).toThrow(
      'the inventory has no handler for the sweep, eventBus({ ruleName: "another" })',
    );
  });

  it('may end machines that no session names only of images that were made for its table', () => {
    const { stack, fn } = newService();
    const image = newImage(stack);
    const { table } = new MicrovmController(stack, 'Machines', { fn, images: [image] });
    expect(variablesIn(templateOf(stack)).FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS).toBe('true');

    const other = newService();
    const own = newImage(other.stack);
    new MicrovmController(other.stack, 'Machines', { fn: other.fn, images: [own, IMAGE] });
    expect(variablesIn(templateOf(other.stack))).not.toHaveProperty('FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS');

    const again = { images: [image], sweep: false };
    const newFn = (id: string) => new ServiceFunction(stack, id, { code }).fn;
    const same = { ...again, fn: newFn('Second'), table };
    expect(() => new MicrovmController(stack, 'Again', same)).not.toThrow();
    expect(() => new MicrovmController(stack, 'Other', { ...again, fn: newFn('Third') })).toThrow(
      'whose machines belong to the table of another controller, expected the same table, or an ARN: imageArn',
    );
  });
});

it('MicrovmImage builds for arm64 with one form of logging, hooks and a role for its archive alone', () => {
  const stack = newStack();
  const codeBucket = Bucket.fromBucketName(stack, 'Code', 'code');
  new MicrovmImage(stack, 'Notebook', {
    name: 'notebook',
    codeBucket,
    codeKey: 'notebook.zip',
    baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
    baseImageVersion: '1',
    environment: { MODE: 'prod' },
    hookPort: 9000,
  });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Lambda::MicrovmImage')).toMatchObject([
    {
      Name: 'notebook',
      CodeArtifact: { Uri: 's3://code/notebook.zip' },
      CpuConfigurations: [{ Architecture: 'ARM_64' }],
      Resources: [{ MinimumMemoryInMiB: 2048 }],
      EnvironmentVariables: [{ Key: 'MODE', Value: 'prod' }],
      Logging: { Disabled: true },
      Hooks: { Port: 9000, MicrovmImageHooks: { Ready: 'ENABLED' }, MicrovmHooks: { Run: 'ENABLED' } },
    },
  ]);
  expect(statementsOf(template)).toMatchObject([{ Action: 's3:GetObject' }]);
});

it('MicrovmImage without a name has one for each stack, so that two stacks, or a new stack after a removed one, do not collide', () => {
  const app = newApp();
  const nameIn = (id: string) => {
    const stack = new Stack(app, id);
    new MicrovmImage(stack, 'Notebook', {
      codeBucket: Bucket.fromBucketName(stack, 'Code', 'code'),
      codeKey: 'notebook.zip',
      baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
      baseImageVersion: '1',
    });
    return stack;
  };
  const stacks = [nameIn('Preview'), nameIn('Production')];
  const assembly = app.synth();
  const made = stacks.flatMap(({ stackName }) =>
    propertiesOf(assembly.getStackByName(stackName).template, 'AWS::Lambda::MicrovmImage'),
  );
  const ofStack = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  const part = { 'Fn::Select': [0, { 'Fn::Split': ['-', ofStack] }] };
  expect(made).toMatchObject([
    { Name: { 'Fn::Join': ['', ['Preview-Notebook-F153E50D-', part]] }, Description: 'Preview/Notebook' },
    { Name: { 'Fn::Join': ['', ['Production-Notebook-F65C52CA-', part]] }, Description: 'Production/Notebook' },
  ]);
});

const OPEN: Inventory = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http', method: 'POST', path: '/microvms', posture: 'public' }],
  triggers: [],
};

const REFUSED: readonly [string, (stack: Stack, fn: LambdaFunction) => unknown, Error][] = [
  [
    'CORS for every origin',
    (stack) => new ObjectBucket(stack, 'T', { uploadOrigins: ['*'] }),
    expect.failure(
      'constructs.invalid_prop',
      'ObjectBucket: uploadOrigins',
      'got a list of 1',
      '"https://app.example.com"',
      '(at Test/T)',
    ),
  ],
  [
    'a prefix that is a pattern',
    (stack, fn) => new ObjectBucket(stack, 'T').grantRead(fn, 'a*/'),
    expect.failure('constructs.invalid_prop', 'ObjectBucket: prefix', 'got "a*/"', '(at Test/T)'),
  ],
  [
    'a token as the dimension of an index',
    (stack) =>
      new VectorIndex(stack, 'T', { dimension: new CfnParameter(stack, 'P', { type: 'Number' }).valueAsNumber }),
    expect.failure('constructs.literal_needed', 'VectorIndex: dimension', 'got a token', '1 to 4096', '(at Test/T)'),
  ],
  [
    'an index without a dimension',
    (stack) => new VectorIndex(stack, 'T', {} as never),
    expect.failure('constructs.invalid_prop', 'VectorIndex: dimension', '1 to 4096', '(at Test/T)'),
  ],
  [
    'embedding without a model',
    (stack, fn) => new VectorIndex(stack, 'T', { dimension: 2 }).grantEmbed(fn),
    expect.failure('constructs.invalid_prop', 'VectorIndex: ', 'modelArn', '(at Test/T)'),
  ],
  [
    'machines without an image',
    (stack, fn) => new MicrovmController(stack, 'T', { fn, images: [] }),
    expect.failure('constructs.invalid_prop', 'MicrovmController: images', 'got a list of 0', '(at Test/T)'),
  ],
  [
    'routes of machines that are public',
    (stack, fn) => new MicrovmController(stack, 'T', { fn, images: [IMAGE], inventory: OPEN }),
    expect.failure('constructs.invalid_prop', 'MicrovmController: route POST /microvms', '(at Test/T)'),
  ],
  [
    'an application without routes of machines',
    (stack, fn) => new MicrovmController(stack, 'T', { fn, images: [IMAGE], inventory: { ...OPEN, routes: [] } }),
    expect.failure(
      'constructs.not_registered',
      'MicrovmController: ',
      '/microvms',
      'mountMicrovmController',
      '(at Test/T)',
    ),
  ],
  [
    'hooks of an image without a port',
    (stack) =>
      new MicrovmImage(stack, 'T', {
        name: 'n',
        codeBucket: Bucket.fromBucketName(stack, 'C', 'code'),
        codeKey: 'k',
        baseImageArn: IMAGE,
        baseImageVersion: '1',
        hooks: ['run'],
      }),
    expect.failure('constructs.invalid_prop', 'MicrovmImage: hooks', 'hookPort', '(at Test/T)'),
  ],
];

it.each(REFUSED)('rejects %s', (_name, run, failure) => {
  const { stack, fn } = newService();
  expect(() => run(stack, fn)).toThrow(failure);
});
