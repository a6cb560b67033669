import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { adoptNetworkErrors, sharedServer } from '@sallyport/dynamodb-local';

/** The address of the S3 server that this run shares; `S3_ENDPOINT` replaces it. */
export const s3Endpoint = sharedServer({
  name: 's3',
  variable: 'S3_ENDPOINT',
  supervisor: new URL('./supervisor.mjs', import.meta.url),
});

/** The only user of the server; never the developer's credentials. */
export const S3_CREDENTIALS = { accessKeyId: 'AKIATESTACCESSKEY', secretAccessKey: 'testsecret0123456789' };

/** Keys for `aws:kms` that the server accepts. */
export const KMS_KEY_IDS = ['testkey-1', 'testkey-2'] as const;

/** The real client with the run's server, or the `endpoint` of a proxy in front of it. */
export async function createS3TestClient(config: S3ClientConfig = {}): Promise<S3Client> {
  const endpoint = config.endpoint ?? (await s3Endpoint());
  const client = new S3Client({
    region: 'us-east-1',
    credentials: S3_CREDENTIALS,
    forcePathStyle: true,
    ...config,
    endpoint,
  });
  adoptNetworkErrors(client);
  return client;
}

/** Creates a bucket with a unique name, and returns the name. */
export async function createBucket(client: S3Client, options: { readonly versioning?: boolean } = {}): Promise<string> {
  const Bucket = `test-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  if (options.versioning) {
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  }
  return Bucket;
}
