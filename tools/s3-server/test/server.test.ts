import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { createBucket, createS3TestClient, type S3Proxy, s3Endpoint, startS3Proxy } from '@sallyport/s3-server';

// The first test of a run starts the server.
let proxy: S3Proxy;

beforeAll(async () => {
  proxy = await startS3Proxy(await s3Endpoint());
});

afterAll(() => proxy.stop());

it('rejects an invalid signature', async () => {
  const credentials = { accessKeyId: 'AKIATESTACCESSKEY', secretAccessKey: 'another' };
  const client = await createS3TestClient({ endpoint: proxy.endpoint, credentials });
  await expect(createBucket(client)).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
});

it('keeps versions, and names a missing version', async () => {
  const client = await createS3TestClient({ endpoint: proxy.endpoint });
  const Bucket = await createBucket(client, { versioning: true });
  const { VersionId } = await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'one' }));
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'two' }));
  const first = await client.send(new GetObjectCommand({ Bucket, Key: 'a', VersionId }));
  expect(await first.Body?.transformToString()).toBe('one');
  const missing = client.send(new GetObjectCommand({ Bucket, Key: 'a', VersionId: 'nonsense' }));
  await expect(missing).rejects.toMatchObject({ name: 'NoSuchVersion' });
});

it('rejects a body whose SHA-256 is not the announced one', async () => {
  const client = await createS3TestClient({ endpoint: proxy.endpoint });
  const Bucket = await createBucket(client);
  const ChecksumSHA256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'hello', ChecksumSHA256 }));
  const other = client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'hullo', ChecksumSHA256 }));
  await expect(other).rejects.toMatchObject({ name: 'BadDigest' });
});
