import { Service } from '@sallyport/constructs';
import { type App, Stack } from 'aws-cdk-lib/core';

/** Doors, tables and permissions follow from the registrations in src/app.ts. */
export function createStack(app: App, { STAGE, JWT_ISSUER = '', JWT_AUDIENCE = '', JWT_JWKS_URI = '' } = process.env) {
  return new Service(new Stack(app, '__CLASS_NAME__'), 'Service', {
    entry: 'src/lambda.ts',
    stage: STAGE === 'preview' ? 'preview' : 'production',
    environment: { JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URI },
    // startCache: true, // a faster first answer; synth then needs Docker
  });
}
