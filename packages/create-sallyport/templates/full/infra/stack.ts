import { Service, Source } from '@sallyport/constructs';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { type App, Stack } from 'aws-cdk-lib/core';

/** Doors, tables and permissions follow from the registrations in src/app.ts. */
export function createStack(app: App, { STAGE, JWT_ISSUER = '', JWT_AUDIENCE = '', JWT_JWKS_URI = '' } = process.env) {
  const nightly = Source.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
  return new Service(new Stack(app, '__CLASS_NAME__'), 'Service', {
    entry: 'src/lambda.ts',
    stage: STAGE === 'preview' ? 'preview' : 'production',
    environment: { JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URI },
    // startCache: true, // a faster first answer; synth then needs Docker
    doors: ['http-api', 'function-url'],
    graphql: { schemaFile: 'src/schema.graphql', tokens: { issuer: JWT_ISSUER, audience: JWT_AUDIENCE } },
    sources: [Source.queue('orders'), Source.queue('bills.fifo'), Source.kinesis('clicks'), nightly],
  });
}
