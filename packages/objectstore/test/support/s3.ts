import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { createBucket, createS3TestClient, type S3Proxy, s3Endpoint, startS3Proxy } from '@sallyport/s3-server';

/** The run's server behind a proxy of this test file, with a bucket of each kind. */
export interface TestS3 {
  readonly proxy: S3Proxy;
  readonly client: S3Client;
  /** Keeps no versions. */
  readonly bucket: string;
  readonly versionedBucket: string;
  /** Another client at the same address. */
  clientWith(config: S3ClientConfig): Promise<S3Client>;
  stop(): Promise<void>;
}

export async function startTestS3(): Promise<TestS3> {
  const proxy = await startS3Proxy(await s3Endpoint());
  const clientWith = (config: S3ClientConfig) => createS3TestClient({ endpoint: proxy.endpoint, ...config });
  const client = await clientWith({});
  const [bucket, versionedBucket] = [await createBucket(client), await createBucket(client, { versioning: true })];
  return { proxy, client, bucket, versionedBucket, clientWith, stop: () => proxy.stop() };
}
