import { App } from 'aws-cdk-lib/core';
import { SandboxStack } from './sandbox-stack.js';

/** The service with the values of one deployment. */
export function createSandboxApp(): App {
  const app = new App({ outdir: process.env.CDK_OUTDIR ?? 'cdk.out', analyticsReporting: false });
  new SandboxStack(app, 'Sandbox', {
    codeBucketName: 'sandbox-images',
    codeKey: 'program.zip',
    baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
    baseImageVersion: '1',
  });
  return app;
}
