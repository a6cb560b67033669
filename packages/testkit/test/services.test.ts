import * as bedrockSdk from '@aws-sdk/client-bedrock-runtime';
import * as vectorsSdk from '@aws-sdk/client-s3vectors';
import {
  type S3VectorsService,
  type Service,
  ServiceError,
  startBedrock,
  startS3Vectors,
  startService,
} from '@sallyport/testkit/services';

const CONFIG = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 };
const ADDRESS = { vectorBucketName: 'bucket', indexName: 'index' };
let vectors: S3VectorsService;
let client: vectorsSdk.S3VectorsClient;

beforeAll(async () => {
  vectors = await startS3Vectors({ sdk: vectorsSdk, indexes: [{ ...ADDRESS, dimension: 2 }], pageSize: 2 });
  client = new vectorsSdk.S3VectorsClient({ ...CONFIG, endpoint: vectors.endpoint });
});

beforeEach(() => {
  vectors.clear();
  vectors.empty();
});

afterAll(() => vectors.stop());

const put = (...items: vectorsSdk.PutInputVector[]) =>
  client.send(new vectorsSdk.PutVectorsCommand({ ...ADDRESS, vectors: items }));
const vector = (key: string, float32 = [1, 0], metadata?: object): vectorsSdk.PutInputVector =>
  ({ key, data: { float32 }, ...(metadata && { metadata }) }) as vectorsSdk.PutInputVector;

async function post(service: Service, path: string, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(service.endpoint + path, { method: 'POST', body: text });
  return [
    answer.status,
    answer.headers.get('x-amzn-errortype'),
    ((await answer.json()) as { message?: string }).message,
  ];
}

describe('a service from the schemas of its SDK', () => {
  it.each([
    [
      'an operation that the model does not have',
      '/PutNotes',
      {},
      [404, 'UnknownOperationException', 'no such operation'],
    ],
    ['one that is not served', '/ListIndexes', {}, [501, 'NotImplemented', 'ListIndexes is not served here']],
    ['a body that is no JSON', '/GetVectors', '{', [400, 'ValidationException', 'the body must be an object']],
    ['a missing member', '/GetVectors', ADDRESS, [400, 'ValidationException', 'keys is required']],
    [
      'an unknown member',
      '/GetVectors',
      { keys: ['a'], key: 1 },
      [400, 'ValidationException', 'key is not in the model'],
    ],
    ['a wrong type', '/GetVectors', { keys: 'a' }, [400, 'ValidationException', 'keys must be a list']],
    [
      'a wrong type in a list',
      '/GetVectors',
      { keys: ['a', 1] },
      [400, 'ValidationException', 'keys[1] must be a string'],
    ],
    [
      'a wrong type deep inside',
      '/PutVectors',
      { ...ADDRESS, vectors: [{ key: 'a', data: { float32: [1, 'NaN'] } }] },
      [400, 'ValidationException', 'vectors[0].data.float32[1] must be a number'],
    ],
  ])('rejects %s', async (_name, path, body, expected) => {
    expect(await post(vectors, path, body)).toEqual(expected);
  });

  it('reads labels and queries of a path, and a raw body', async () => {
    const service = await startService({
      sdk: { ...vectorsSdk, ...bedrockSdk },
      handlers: {
        UntagResource: (input) => ({ seen: input }),
        InvokeModel: ({ modelId, body }) => Buffer.from(`${String(modelId)} ${String(body)}`),
      },
    });
    const untagged = await fetch(`${service.endpoint}/tags/arn%3Aa%2Fb?tagKeys=one`, { method: 'DELETE' });
    expect(await untagged.json()).toEqual({ seen: { resourceArn: 'arn:a/b', tagKeys: 'one' } });
    const invoked = await fetch(`${service.endpoint}/model/a%3A0/invoke`, { method: 'POST', body: 'text' });
    expect(await invoked.text()).toBe('a:0 text');
    await service.stop();
  });

  it('answers what a handler throws as an error of the service', async () => {
    const fail = () => {
      throw new ServiceError('ConflictException', 409, 'twice');
    };
    const service = await startService({ sdk: vectorsSdk, handlers: { CreateIndex: fail } });
    const body = { indexName: 'a', dataType: 'float32', dimension: 1, distanceMetric: 'cosine' };
    expect(await post(service, '/CreateIndex', body)).toEqual([409, 'ConflictException', 'twice']);
    await service.stop();
  });
});

describe('S3 Vectors', () => {
  it('keeps vectors and searches them page by page', async () => {
    await put(vector('a'), vector('b', [1, 1], { n: 1 }), vector('c', [0, 1]));
    const query = { ...ADDRESS, topK: 3, queryVector: { float32: [1, 0] }, returnDistance: true, returnMetadata: true };
    const first = await client.send(new vectorsSdk.QueryVectorsCommand(query));
    expect(first.vectors).toMatchObject([
      { key: 'a', distance: 0 },
      { key: 'b', metadata: { n: 1 } },
    ]);
    const { nextToken } = first;
    const second = await client.send(new vectorsSdk.QueryVectorsCommand({ ...query, nextToken }));
    expect(second).toMatchObject({ vectors: [{ key: 'c' }], distanceMetric: 'cosine' });
    expect(second.nextToken).toBeUndefined();
    vectors.expireTokens();
    const late = client.send(new vectorsSdk.QueryVectorsCommand({ ...query, nextToken }));
    await expect(late).rejects.toMatchObject({ name: 'ValidationException' });
    expect(vectors.keysOf('index')).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['501 vectors', Array.from({ length: 501 }, (_, at) => vector(`k${at}`))],
    ['no vector', []],
    ['a key of 1,025 characters', [vector('x'.repeat(1025))]],
    ['a vector of another length', [vector('a', [1])]],
    ['a vector of zeros', [vector('a', [0, 0])]],
    ['a number that is infinite in 32 bits', [vector('a', [1e39, 0])]],
    [
      '51 metadata keys',
      [vector('a', [1, 0], Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 1])))],
    ],
    ['2 KB of filterable metadata', [vector('a', [1, 0], { a: 'x'.repeat(2048) })]],
    ['an object in metadata', [vector('a', [1, 0], { a: { b: 1 } })]],
    ['a body over 20 MiB', [vector('a', [1, 0], { a: 'x'.repeat(21 * 1024 * 1024) })]],
  ])('rejects %s', async (_name, items) => {
    await expect(put(...items)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(vectors.keysOf('index')).toEqual([]);
  });

  it('sorts by distance, then by key', async () => {
    await put(vector('far', [0, 1]), vector('c', [2, 1]), vector('a', [2, 1]), vector('near'));
    const found: (string | undefined)[] = [];
    let nextToken: string | undefined;
    do {
      const query = { ...ADDRESS, topK: 4, queryVector: { float32: [1, 0] }, nextToken };
      const page = await client.send(new vectorsSdk.QueryVectorsCommand(query));
      found.push(...(page.vectors ?? []).map(({ key }) => key));
      ({ nextToken } = page);
    } while (nextToken !== undefined);
    expect(found).toEqual(['near', 'a', 'c', 'far']);
  });

  it.each([
    [true, ['a']],
    [false, ['b']],
  ])('filters by $exists: %s', async ($exists, keys) => {
    await put(vector('a', [1, 0], { n: 1 }), vector('b', [1, 0], { m: 1 }));
    const query = { ...ADDRESS, topK: 2, queryVector: { float32: [1, 0] }, filter: { n: { $exists } } };
    const { vectors: found } = await client.send(new vectorsSdk.QueryVectorsCommand(query));
    expect(found?.map(({ key }) => key)).toEqual(keys);
  });

  it('rejects another index', async () => {
    const read = client.send(new vectorsSdk.GetVectorsCommand({ ...ADDRESS, indexName: 'other', keys: ['a'] }));
    await expect(read).rejects.toMatchObject({ name: 'NotFoundException', $metadata: { httpStatusCode: 404 } });
  });

  it('fails the given requests', async () => {
    vectors.inject(
      { kind: 'error', name: 'TooManyRequestsException', status: 429 },
      { operation: 'PutVectors', after: 1, times: 1 },
    );
    await put(vector('a'));
    await expect(put(vector('b'))).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await put(vector('c'));
    expect(vectors.keysOf('index')).toEqual(['a', 'c']);
    vectors.inject({ kind: 'lost-answer' });
    await expect(put(vector('d'))).rejects.toThrow();
    expect(vectors.keysOf('index')).toEqual(['a', 'c', 'd']);
  });
});

it('Bedrock embeds over HTTP/2, and rejects what the model would', async () => {
  const service = await startBedrock({ sdk: bedrockSdk });
  const model = new bedrockSdk.BedrockRuntimeClient({ ...CONFIG, endpoint: service.endpoint });
  const invoke = (body: object, modelId = 'amazon.titan-embed-text-v2:0') =>
    model.send(new bedrockSdk.InvokeModelCommand({ modelId, body: JSON.stringify(body) }));
  const { body } = await invoke({ inputText: 'milk', dimensions: 256 });
  expect((JSON.parse(new TextDecoder().decode(body)) as { embedding: number[] }).embedding).toHaveLength(256);
  for (const wrong of [{}, { inputText: '' }, { inputText: 'a', dimensions: 3 }, { inputText: 'a', other: 1 }]) {
    await expect(invoke(wrong)).rejects.toMatchObject({ name: 'ValidationException' });
  }
  await expect(invoke({ inputText: 'a' }, 'other.model')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await service.stop();
});
