import { loadedModules } from '@sallyport/dynamodb-local';

it.each([
  [
    '@sallyport/vectors',
    [
      'DEFAULT_QUERY_TOP_K',
      'ERROR_CODE_DIMENSION_MISMATCH',
      'ERROR_CODE_EMBEDDING_FAILED',
      'ERROR_CODE_INVALID_CONFIG',
      'ERROR_CODE_INVALID_INPUT',
      'ERROR_CODE_INVALID_VECTOR',
      'ERROR_CODE_NOT_FOUND',
      'ERROR_CODE_UNSUPPORTED_OPERATION',
      'ERR_DIMENSION_MISMATCH',
      'ERR_EMBEDDING_FAILED',
      'ERR_INVALID_CONFIG',
      'ERR_INVALID_INPUT',
      'ERR_INVALID_VECTOR',
      'ERR_NOT_FOUND',
      'ERR_UNSUPPORTED_OPERATION',
      'MAX_PUT_DELETE_BATCH_SIZE',
      'MAX_QUERY_TOP_K',
      'VECTOR_STORE_CODES',
      'VectorStoreError',
      'cloneMetadata',
      'cloneVector',
      'createS3VectorStore',
      'createSemanticIndex',
      'createTitanEmbedder',
      'embedderFromEnv',
      'embeddingErrorCode',
      'isVectorStoreError',
      'normalizeTopK',
      'validateDimension',
      'validateKey',
      'validateMetadata',
      'validateRequiredMetadata',
      'validateVector',
      'vectorStoreFromEnv',
    ],
  ],
  ['@sallyport/vectors/local', ['createLocalEmbedder', 'createLocalVectorStore']],
  ['@sallyport/vectors/testing', ['createFakeEmbedder', 'createFakeVectorStore', 'vectorStoreConformance']],
])('%s exports what is documented and no more', async (entry, names) => {
  expect(Object.keys((await import(entry)) as object).sort()).toEqual(names);
});

it.each(['@sallyport/vectors', '@sallyport/vectors/local'])('%s loads no AWS client and no database', (entry) => {
  const modules = loadedModules(entry, import.meta.url);
  expect(modules.some((url) => url.includes('/vectors/src/'))).toBe(true);
  expect(modules.filter((url) => /aws-sdk|smithy|node:sqlite/.test(url))).toEqual([]);
});

it('@sallyport/vectors/schema imports nothing', () => {
  const modules = loadedModules('@sallyport/vectors/schema', import.meta.url);
  expect(modules.filter((url) => /sallyport|packages/.test(url))).toHaveLength(1);
});
