import { createS3ObjectStore } from '@sallyport/objectstore';
import { createFakeObjectStore, objectStoreConformance } from '@sallyport/objectstore/testing';
import { startTestS3, type TestS3 } from './support/s3.js';

let s3: TestS3;

beforeAll(async () => {
  s3 = await startTestS3();
});

afterAll(() => s3.stop());

describe('the store in S3', () => {
  const cases = objectStoreConformance({
    create: async ({ versioning }) => ({
      store: createS3ObjectStore({ client: s3.client }),
      bucket: versioning === 'enabled' ? s3.versionedBucket : s3.bucket,
    }),
  });
  it.each(cases)('$name', ({ run }) => run());
});

describe('the fake', () => {
  const cases = objectStoreConformance({
    create: async ({ versioning }) => ({ store: createFakeObjectStore({ versioning }), bucket: 'bucket' }),
  });
  it.each(cases)('$name', ({ run }) => run());
});
