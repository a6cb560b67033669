import {
  bundleFunction,
  FunctionUrl,
  type Inventory,
  MicrovmController,
  MicrovmImage,
  ServiceFunction,
  ServiceWiring,
  toInventory,
} from '@sallyport/constructs';
import { createAwsMicrovmProvider } from '@sallyport/microvm';
import { createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { iamPrincipal } from '@sallyport/secure/authorizers';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { createSandbox } from '../src/app.js';

/** The values that differ between deployments. */
export interface SandboxStackProps extends StackProps {
  /** The bucket with the archive of the program. */
  readonly codeBucketName: string;
  /** The key of the archive. */
  readonly codeKey: string;
  /** The base image that the service provides. */
  readonly baseImageArn: string;
  readonly baseImageVersion: string;
  /**
   * The registrations of the service.
   *
   * @default - those of its code
   */
  readonly inventory?: Inventory;
}

/** The registrations of the service. Provider and registry are only passed, never called. */
export function sandboxInventory(): Inventory {
  return toInventory(
    createSandbox({
      secure: { principalResolver: iamPrincipal() },
      microvms: {
        provider: createAwsMicrovmProvider(),
        registry: createMemoryMicrovmRegistry(),
        images: [{ ref: IMAGE }],
      },
    }),
  );
}

const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:sandbox';

/** The service, its image, and the schedule of the sweep. */
export class SandboxStack extends Stack {
  constructor(scope: Construct, id: string, props: SandboxStackProps) {
    super(scope, id, props);
    const { codeBucketName, codeKey, baseImageArn, baseImageVersion, inventory = sandboxInventory() } = props;
    const codeBucket = Bucket.fromBucketName(this, 'Code', codeBucketName) as IBucket;
    const image = new MicrovmImage(this, 'Image', {
      codeBucket,
      codeKey,
      baseImageArn,
      baseImageVersion,
      hookPort: 9000,
    });
    const { fn } = new ServiceFunction(this, 'Service', {
      // `entry: 'src/lambda.ts'` if the packages are installed; this workspace runs on their sources.
      code: bundleFunction(this, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'] }),
      timeout: Duration.minutes(1),
    });
    const url = new FunctionUrl(this, 'Url', { fn, streaming: true });
    const wiring = new ServiceWiring(this, 'Wiring', { fn, inventory });
    wiring.http(url);
    new MicrovmController(this, 'Machines', { fn, images: [image], inventory, wiring, sweepRuleName: 'sandbox-sweep' });
    new CfnOutput(this, 'Address', { value: url.url });
  }
}
