import type { S3VectorsService } from '@sallyport/testkit/services';
import {
  createS3VectorStore,
  embedderFromEnv,
  type S3VectorStoreOptions,
  type Store,
  vectorStoreFromEnv,
} from '@sallyport/vectors';
import { clientConfig, indexName, startVectors } from './support/wire.js';

const ARN = 'arn:aws:s3vectors:eu-west-1:123456789012:bucket/bucket/index/index-3-cosine';
const NAMES = { vectorBucketName: 'bucket', indexName: 'index-3-cosine' };
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'vectorstore.invalid_config', message: expect.stringMatching(message) as string });

describe('createS3VectorStore', () => {
  it.each<readonly [object, RegExp]>([
    [{}, /dimension/],
    [{ dimension: 3 }, /indexArn, or by vectorBucketName and indexName/],
    [{ dimension: 3, vectorBucketName: 'bucket' }, /indexArn, or by/],
    [{ dimension: 3, ...NAMES, indexArn: ARN }, /indexArn, or by/],
    [{ dimension: 0, ...NAMES }, /dimension must be positive/],
    [{ dimension: 4097, ...NAMES }, /dimension exceeds 4096/],
    [{ dimension: '3', ...NAMES }, /dimension must be positive/],
    [{ dimension: 3, ...NAMES, metric: 'dot' }, /"metric" must be "cosine" or "euclidean"/],
    [{ dimension: 3, ...NAMES, vectorBucketName: 'Bucket' }, /"vectorBucketName" must be the name of a vector bucket/],
    [{ dimension: 3, ...NAMES, vectorBucketName: 'a/b' }, /"vectorBucketName"/],
    [{ dimension: 3, ...NAMES, vectorBucketName: 'ab' }, /"vectorBucketName"/],
    [{ dimension: 3, ...NAMES, indexName: '-index' }, /"indexName" must be the name of a vector index/],
    [{ dimension: 3, ...NAMES, indexName: 'x'.repeat(64) }, /"indexName"/],
    [{ dimension: 3, indexArn: 'arn:aws:s3:::bucket' }, /"indexArn" must be the ARN of a vector index/],
    [{ dimension: 3, indexArn: `${ARN}/more` }, /"indexArn"/],
    [
      { dimension: 3, ...NAMES, nonFilterableKeys: Array(11).fill('a') },
      /"nonFilterableKeys" must be a list of at most 10/,
    ],
    [{ dimension: 3, ...NAMES, nonFilterableKeys: [' '] }, /"nonFilterableKeys"/],
    [{ dimension: 3, ...NAMES, requiredMetadata: [1] }, /"requiredMetadata\[0\]"/],
    [{ dimension: 3, ...NAMES, concurrency: 17 }, /"concurrency" must be a whole number from 1 to 16/],
    [{ dimension: 3, ...NAMES, requestTimeoutMs: 0 }, /"requestTimeoutMs"/],
    [{ dimension: 3, ...NAMES, client: {} }, /"client" must be an object with send\(\)/],
    [{ dimension: 3, ...NAMES, config: 5 }, /"config" must be an object/],
    [{ dimension: 3, ...NAMES, bucket: 'b' }, /unknown option "bucket"/],
  ])('rejects %j', (options, message) => {
    expect(() => createS3VectorStore(options as S3VectorStoreOptions)).toThrow(invalid(message));
  });

  it('returns the description of its index, frozen', () => {
    const { settings } = createS3VectorStore({ ...NAMES, dimension: 3, nonFilterableKeys: ['text'] });
    expect(settings).toEqual({ dimension: 3, metric: 'cosine', requiredMetadata: [], nonFilterableKeys: ['text'] });
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.nonFilterableKeys)).toBe(true);
  });
});

describe('over the wire', () => {
  let service: S3VectorsService;

  beforeAll(async () => {
    service = await startVectors();
  });

  beforeEach(() => {
    service.clear();
    service.empty();
  });

  afterAll(() => service.stop());

  async function putOne(store: Store): Promise<void> {
    await store.put({ records: [{ key: 'a', data: [1, 0, 0] }] });
  }

  it('the installed AWS package is loaded at the first call, and the index is named by its names', async () => {
    await putOne(createS3VectorStore({ ...NAMES, dimension: 3, config: clientConfig(service) }));
    expect(service.keysOf(indexName(3))).toEqual(['a']);
    expect(service.requests[0]?.input).toMatchObject(NAMES);
  });

  it('the index is named by its ARN alone', async () => {
    await putOne(createS3VectorStore({ indexArn: ARN, dimension: 3, config: clientConfig(service) }));
    expect(service.requests[0]?.input).toMatchObject({ indexArn: ARN });
    expect(service.requests[0]?.input).not.toHaveProperty('indexName');
  });

  it('uses the client of the application', async () => {
    const { S3VectorsClient } = await import('@aws-sdk/client-s3vectors');
    const client = new S3VectorsClient(clientConfig(service));
    await putOne(createS3VectorStore({ ...NAMES, dimension: 3, client }));
    expect(service.keysOf(indexName(3))).toEqual(['a']);
  });

  it('a package that cannot be loaded is invalid_config, and the next call tries again', async () => {
    let loads = 0;
    const loadSdk = async () => {
      loads += 1;
      if (loads === 1) throw new Error('Cannot find package');
      return import('@aws-sdk/client-s3vectors');
    };
    const store = createS3VectorStore({ ...NAMES, dimension: 3, loadSdk, config: clientConfig(service) });
    await expect(putOne(store)).rejects.toMatchObject({ code: 'vectorstore.invalid_config' });
    await putOne(store);
    expect(loads).toBe(2);
  });

  it('the environment names the index', async () => {
    const config = clientConfig(service);
    const names = { FRAMEWORK_VECTOR_BUCKET_NAME: 'bucket', FRAMEWORK_VECTOR_INDEX_NAME: ' index-3-cosine ' };
    await putOne(vectorStoreFromEnv({ ...names, FRAMEWORK_VECTOR_DIMENSION: '3' }, { config }));
    await putOne(vectorStoreFromEnv({ FRAMEWORK_VECTOR_INDEX_ARN: ARN, FRAMEWORK_VECTOR_DIMENSION: '3' }, { config }));
    await putOne(vectorStoreFromEnv({ FRAMEWORK_VECTOR_INDEX_ARN: 'wrong' }, { config, dimension: 3, ...NAMES }));
    expect(service.requests.map(({ input }) => input.indexArn ?? input.indexName)).toEqual([
      'index-3-cosine',
      ARN,
      'index-3-cosine',
    ]);
  });
});

describe('vectorStoreFromEnv', () => {
  const whole = { FRAMEWORK_VECTOR_BUCKET_NAME: 'bucket', FRAMEWORK_VECTOR_INDEX_NAME: 'index' };
  it.each([
    [{}, /FRAMEWORK_VECTOR_DIMENSION must be set/],
    [{ FRAMEWORK_VECTOR_DIMENSION: '3' }, /indexArn, or by/],
    [{ ...whole }, /FRAMEWORK_VECTOR_DIMENSION must be set/],
    [{ ...whole, FRAMEWORK_VECTOR_DIMENSION: 'three' }, /FRAMEWORK_VECTOR_DIMENSION must be a whole number/],
    [{ ...whole, FRAMEWORK_VECTOR_DIMENSION: '3', FRAMEWORK_VECTOR_INDEX_ARN: ARN }, /indexArn, or by/],
  ])('rejects %j', (environment, message) => {
    expect(() => vectorStoreFromEnv(environment)).toThrow(invalid(message));
  });
});

describe('embedderFromEnv', () => {
  it('reads its variables, and options take precedence', () => {
    const environment = {
      FRAMEWORK_EMBEDDING_PROVIDER: 'bedrock',
      FRAMEWORK_EMBEDDING_MODEL_ID: 'amazon.titan-embed-text-v2:0',
      FRAMEWORK_EMBEDDING_DIMENSIONS: '512',
      FRAMEWORK_EMBEDDING_NORMALIZE: 'false',
    };
    expect(embedderFromEnv({}).dimensions).toBe(1024);
    expect(embedderFromEnv(environment).dimensions).toBe(512);
    expect(embedderFromEnv(environment, { dimensions: 256 }).dimensions).toBe(256);
  });

  it.each([
    [{ FRAMEWORK_EMBEDDING_PROVIDER: 'openai' }, /FRAMEWORK_EMBEDDING_PROVIDER must be bedrock/],
    [{ FRAMEWORK_EMBEDDING_DIMENSIONS: '100' }, /256, 512 or 1024/],
    [{ FRAMEWORK_EMBEDDING_DIMENSIONS: 'many' }, /must be a whole number/],
    [{ FRAMEWORK_EMBEDDING_NORMALIZE: 'yes' }, /must be true or false/],
  ])('rejects %j', (environment, message) => {
    expect(() => embedderFromEnv(environment)).toThrow(invalid(message));
  });
});
