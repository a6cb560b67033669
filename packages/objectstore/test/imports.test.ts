import { loadedModules } from '@sallyport/dynamodb-local';

describe('imports', () => {
  it.each([
    [
      '@sallyport/objectstore',
      [
        'ARTIFACT_CODES',
        'ArtifactError',
        'MAX_PRESIGN_PUT_EXPIRES_IN',
        'MAX_VERSIONED_ARTIFACT_BYTES',
        'MAX_VERSIONED_ARTIFACT_ENTRIES',
        'OBJECT_STORE_CODES',
        'ObjectStoreError',
        'artifactDigest',
        'createS3ObjectStore',
        'createUploadGrants',
        'fetchVersionedArtifact',
        'formatObjectRef',
        'parseObjectRef',
      ],
    ],
    ['@sallyport/objectstore/account', ['ACCOUNT_CODES', 'AccountError', 'assertAccount', 'assumeFirst']],
    ['@sallyport/objectstore/testing', ['createFakeObjectStore', 'objectStoreConformance']],
  ])('%s exports what is documented and no more', async (entry, names) => {
    expect(Object.keys((await import(entry)) as object).sort()).toEqual(names);
  });

  it.each(['@sallyport/objectstore', '@sallyport/objectstore/account', '@sallyport/objectstore/testing'])(
    '%s loads no AWS client',
    (entry) => {
      const modules = loadedModules(entry, import.meta.url);
      expect(modules.some((url) => url.includes('/objectstore/src/'))).toBe(true);
      expect(modules.filter((url) => /aws-sdk|smithy/.test(url))).toEqual([]);
    },
  );

  it('a store has only put, get and delete, a signer only presignPut', async () => {
    const { createS3ObjectStore, createUploadGrants } = await import('@sallyport/objectstore');
    const methods = (value: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(value)).sort();
    expect(methods(createS3ObjectStore())).toEqual(['constructor', 'delete', 'get', 'put']);
    expect(methods(createUploadGrants())).toEqual(['constructor', 'presignPut']);
  });
});
