import { ApiDomain, ObjectBucket, type ServiceProps, type ServiceStage, Source } from '@sallyport/constructs';
import { DEFAULT_EMBEDDING_DIMENSIONS, DEFAULT_TITAN_EMBED_TEXT_MODEL_ID } from '@sallyport/vectors/schema';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Duration, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { NotesTable } from './notes-table.js';

export { addExports } from './exports.js';

/** The values that differ between deployments. */
export interface NotesStackProps extends StackProps {
  readonly stage: ServiceStage;
  /** The variables of the function. */
  readonly environment: Readonly<Record<string, string>>;
  /** The public name of the service. */
  readonly domainName: string;
  /** The ARN of the certificate for the name. */
  readonly certificateArn: string;
}

/** The settings of every deployment. */
export const SERVICE = {
  entry: 'src/lambda.ts',
  // Only in this workspace, which runs on the sources of its packages.
  conditions: ['@sallyport/source'],
  memorySize: 512,
  timeout: Duration.seconds(20),
  graphql: { schemaFile: 'infra/schema.graphql' },
  webSocket: { respond: true },
  external: [
    {
      kind: 'invoke',
      reason: 'Other functions call it by name; they are granted lambda:InvokeFunction where they are made.',
    },
    {
      kind: 'agentcore',
      reason: 'The gateway and its target are made by their owner, whose role is granted lambda:InvokeFunction there.',
    },
  ],
} as const satisfies Partial<ServiceProps>;

/** The bucket of attachments with its uploads, and the table of the notes. */
export function createState(scope: Construct, domainName: string) {
  const attachments = new ObjectBucket(scope, 'Attachments', { uploadOrigins: [`https://${domainName}`] });
  const uploads = Source.s3('uploads', { bucket: attachments.bucket as IBucket, filters: [{ prefix: 'notes/' }] });
  return { attachments, uploads, notes: new NotesTable(scope, 'Notes') };
}

/** The public name of the service, with its certificate. */
export function createDomain(scope: Construct, domainName: string, certificateArn: string): ApiDomain {
  const certificate = Certificate.fromCertificateArn(scope, 'Certificate', certificateArn);
  return new ApiDomain(scope, 'Domain', { domainName, certificate });
}

/** The index of the search, in a region with the embedding model. */
export const searchIn = (region: string) => ({
  dimension: DEFAULT_EMBEDDING_DIMENSIONS,
  modelArn: `arn:aws:bedrock:${region}::foundation-model/${DEFAULT_TITAN_EMBED_TEXT_MODEL_ID}`,
});
