import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { createS3ObjectStore, createUploadGrants, type Encryption } from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { startTestS3, type TestS3 } from './support/s3.js';

const CREATORS = [
  ['createS3ObjectStore', createS3ObjectStore as (options: object) => unknown],
  ['createUploadGrants', createUploadGrants as (options: object) => unknown],
] as const;

describe.each(CREATORS)('%s', (_name, create) => {
  it.each<[string, object]>([
    ['an unknown option', { bucket: 'b' }],
    ['a client without send', { client: {} }],
    ['a blank region', { region: ' ' }],
    ['client and region together', { client: { send() {} }, region: 'eu-west-1' }],
    ['a time-out of zero', { timeoutMs: 0 }],
    ['a time-out that is no number', { timeoutMs: '5' }],
    ['a clock that tells no time', { clock: {} }],
  ])('rejects %s', (_case, options) => {
    expect(() => create(options)).toThrow(expect.objectContaining({ code: 'objectstore.invalid_store_config' }));
  });

  it.each<[string, unknown]>([
    ['no object', 'kms'],
    ['null', null],
    ['no mode', {}],
    ['an unknown mode', { mode: 'none' }],
    ['the mode of a header', { mode: 'aws:kms', kmsKeyId: 'k' }],
    ['kms without a key', { mode: 'kms' }],
    ['kms with an empty key', { mode: 'kms', kmsKeyId: '' }],
    ['kms with a key that is undefined', { mode: 'kms', kmsKeyId: undefined }],
    ['kms with spaces round the key', { mode: 'kms', kmsKeyId: ' k' }],
    ['kms with a key that is no text', { mode: 'kms', kmsKeyId: 7 }],
    ['a key for s3-managed', { mode: 's3-managed', kmsKeyId: 'k' }],
    ['a key for bucket-default', { mode: 'bucket-default', kmsKeyId: 'k' }],
    ['a key without a mode', { kmsKeyId: 'k' }],
    ['another member', { mode: 'kms', kmsKeyId: 'k', bucketKeyEnabled: true }],
  ])('rejects an encryption with %s', (_case, encryption) => {
    expect(() => create({ encryption })).toThrow(
      expect.objectContaining({ code: 'objectstore.invalid_encryption_config' }),
    );
  });
});

it.each([{}, { versioning: 'on' }, { versioning: 'off', ids: 'v' }])('the fake rejects %j', (options) => {
  expect(() => createFakeObjectStore(options as never)).toThrow(
    expect.objectContaining({ code: 'objectstore.invalid_store_config' }),
  );
});

describe('the arguments of a put', () => {
  let s3: TestS3;

  beforeAll(async () => {
    s3 = await startTestS3();
  });

  afterAll(() => s3.stop());

  it.each<[string, Encryption | undefined, string | undefined, string | undefined]>([
    ['nothing', undefined, undefined, undefined],
    ['the bucket’s default', { mode: 'bucket-default' }, undefined, undefined],
    ['keys of S3', { mode: 's3-managed' }, 'AES256', undefined],
    ['a key of KMS', { mode: 'kms', kmsKeyId: 'testkey-1' }, 'aws:kms', 'testkey-1'],
  ])('states %s about encryption', async (_name, encryption, algorithm, keyId) => {
    const store = createS3ObjectStore({ client: s3.client, ...(encryption && { encryption }) });
    s3.proxy.clear();
    await store.put({ ref: { bucket: s3.bucket, key: 'secret' }, payload: new Uint8Array([1]) });
    const headers = s3.proxy.requests[0]?.headers ?? {};
    expect([headers['x-amz-server-side-encryption'], headers['x-amz-server-side-encryption-aws-kms-key-id']]).toEqual([
      algorithm,
      keyId,
    ]);
    const stored = await s3.client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: 'secret' }));
    // The server stores no header for S3-managed keys.
    if (algorithm === 'aws:kms') expect(stored.SSEKMSKeyId).toBe('testkey-1');
    expect((await store.get({ ref: { bucket: s3.bucket, key: 'secret' }, maxBytes: 1 })).payload).toEqual(
      new Uint8Array([1]),
    );
  });
});
