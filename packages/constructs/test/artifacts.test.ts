import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Duration } from 'aws-cdk-lib/core';
import { ManagedConnectors, MicrovmController, MicrovmImage, VersionedArtifactBucket } from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, statementsOf, templateOf, variablesIn } from './support/synth.js';

const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';
const env = { account: '123456789012', region: 'eu-west-1' };

describe('VersionedArtifactBucket', () => {
  it('keeps every version, is private, encrypted, requires TLS 1.2, and is retained on deletion', () => {
    const stack = newStack();
    new VersionedArtifactBucket(stack, 'Artifacts');
    const template = templateOf(stack);
    const [bucket] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::S3::Bucket');
    expect(bucket).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        BucketEncryption: {},
        LifecycleConfiguration: { Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }] },
      },
    });
    expect(JSON.stringify(bucket)).not.toContain('Noncurrent');
    expect(JSON.stringify(propertiesOf(template, 'AWS::S3::BucketPolicy'))).toContain('s3:TlsVersion');
  });

  it('drops old versions when that is stated, and grants publishing and reading, never deleting', () => {
    const stack = newStack();
    const artifacts = new VersionedArtifactBucket(stack, 'Artifacts', {
      oldVersionRetention: Duration.days(90),
      accessLogBucket: Bucket.fromBucketName(stack, 'Log', 'log') as IBucket,
      bucketName: 'artifacts',
    });
    const role = new Role(stack, 'Pipeline', { assumedBy: new ServicePrincipal('codebuild.amazonaws.com') });
    artifacts.grantPublish(role, 'images/');
    artifacts.grantRead(role, 'images/');
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::S3::Bucket')).toMatchObject([
      {
        BucketName: 'artifacts',
        LoggingConfiguration: { DestinationBucketName: 'log' },
        LifecycleConfiguration: { Rules: [{}, { NoncurrentVersionExpiration: { NoncurrentDays: 90 } }] },
      },
    ]);
    expect(statementsOf(template).map(({ Action }) => Action)).toEqual([
      's3:PutObject',
      ['s3:GetObject', 's3:GetObjectVersion'],
    ]);
  });

  it('is where the archive of an image may be', () => {
    const stack = newStack();
    const { bucket } = new VersionedArtifactBucket(stack, 'Artifacts');
    new MicrovmImage(stack, 'Image', {
      name: 'notebook',
      codeBucket: bucket as IBucket,
      codeKey: 'notebook.zip',
      baseImageArn: IMAGE,
      baseImageVersion: '1',
      egressConnector: ManagedConnectors.internetEgress(stack),
    });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::MicrovmImage')).toMatchObject([
      {
        EgressNetworkConnectors: [
          { 'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(/INTERNET_EGRESS$/)])] },
        ],
      },
    ]);
  });

  it.each([
    ['an unknown prop', { versioned: false }, 'unknown prop "versioned"'],
    ['a day and a half', { oldVersionRetention: Duration.hours(36) }, 'oldVersionRetention, got 1 day 12 hours'],
    ['less than a day', { oldVersionRetention: Duration.hours(1) }, 'oldVersionRetention, got 1 hour'],
  ])('rejects %s', (_name, props, problem) => {
    expect(() => new VersionedArtifactBucket(newStack(), 'T', props as object)).toThrow(
      expect.failure('constructs.invalid_prop', `VersionedArtifactBucket: ${problem}`, '(at Test/T)'),
    );
  });
});

describe('ManagedConnectors', () => {
  // https://docs.aws.amazon.com/lambda/latest/dg/microvms-networking.html
  it.each([
    [ManagedConnectors.noIngress, 'NO_INGRESS'],
    [ManagedConnectors.httpIngress, 'HTTP_INGRESS'],
    [ManagedConnectors.shellIngress, 'SHELL_INGRESS'],
    [ManagedConnectors.allIngress, 'ALL_INGRESS'],
    [ManagedConnectors.internetEgress, 'INTERNET_EGRESS'],
  ])('%# belongs to AWS and is in the region of the stack', (arnOf, name) => {
    const stack = newStack({ env });
    expect(stack.resolve(arnOf(stack))).toEqual({
      'Fn::Join': [
        '',
        ['arn:', { Ref: 'AWS::Partition' }, `:lambda:eu-west-1:aws:network-connector:aws-network-connector:${name}`],
      ],
    });
  });

  it('are taken by a controller', () => {
    const stack = newStack({ env });
    const ingressConnectors = [ManagedConnectors.httpIngress(stack), ManagedConnectors.shellIngress(stack)];
    new MicrovmController(stack, 'Machines', { fn: newFn(stack), images: [IMAGE], ingressConnectors });
    const prefix = ':lambda:eu-west-1:aws:network-connector:aws-network-connector:';
    expect(variablesIn(templateOf(stack)).FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS).toEqual({
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          `${prefix}HTTP_INGRESS,arn:`,
          { Ref: 'AWS::Partition' },
          `${prefix}SHELL_INGRESS`,
        ],
      ],
    });
  });
});
