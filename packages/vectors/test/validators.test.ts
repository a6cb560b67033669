import {
  cloneMetadata,
  cloneVector,
  DEFAULT_QUERY_TOP_K,
  embeddingErrorCode,
  MAX_PUT_DELETE_BATCH_SIZE,
  MAX_QUERY_TOP_K,
  type Metadata,
  normalizeTopK,
  VectorStoreError,
  validateDimension,
  validateKey,
  validateMetadata,
  validateRequiredMetadata,
  validateVector,
} from '@sallyport/vectors';

const failure = (code: string, message: string) =>
  expect.objectContaining({ code: `vectorstore.${code}`, message: `vectorstore: ${message}` });

it('the limits are the limits of the service', () => {
  expect([DEFAULT_QUERY_TOP_K, MAX_QUERY_TOP_K, MAX_PUT_DELETE_BATCH_SIZE]).toEqual([12, 10_000, 500]);
});

describe('validateDimension', () => {
  it.each([1, 1024, 4096])('accepts %d', (dimension) => expect(validateDimension(dimension)).toBeUndefined());

  it.each([0, -1, 1.5, Number.NaN, '3', undefined])('rejects %p as not positive', (dimension) => {
    expect(() => validateDimension(dimension as number)).toThrow(
      failure('invalid_config', 'dimension must be positive'),
    );
  });

  it('rejects 4,097 as too large', () => {
    expect(() => validateDimension(4097)).toThrow(failure('invalid_config', 'dimension exceeds 4096'));
  });
});

describe('validateVector', () => {
  it.each([
    [[], undefined, 'invalid_vector', 'vector is required'],
    [undefined, undefined, 'invalid_vector', 'vector is required'],
    [[1, 2], 3, 'dimension_mismatch', 'vector dimension mismatch: got 2 want 3'],
    [[1, Number.NaN], 2, 'invalid_vector', 'vector values must be finite'],
    [[1, Number.NEGATIVE_INFINITY], undefined, 'invalid_vector', 'vector values must be finite'],
    [[1e39], undefined, 'invalid_vector', 'vector values must be finite'],
    [[0, -0], undefined, 'invalid_vector', 'vector must not be zero'],
    [[1e-46], 1, 'invalid_vector', 'vector must not be zero'],
  ])('rejects %j for dimension %p: %s', (vector, dimension, code, message) => {
    expect(() => validateVector(vector as number[], dimension)).toThrow(failure(code, message));
  });

  it('accepts zeros for the Euclidean metric, and any length without a dimension', () => {
    expect(validateVector([0, 0], 2, 'euclidean')).toBeUndefined();
    expect(validateVector(Float32Array.of(1, 2, 3, 4))).toBeUndefined();
  });
});

describe('validateKey', () => {
  it.each([
    ['', 'vector key is required'],
    ['  ', 'vector key is required'],
    [7, 'vector key is required'],
    ['a ', 'vector key must not begin or end with blanks'],
    ['x'.repeat(1025), 'vector key is too long'],
  ])('rejects %p', (key, message) => {
    expect(() => validateKey(key as string)).toThrow(failure('invalid_input', message));
  });
});

describe('validateMetadata', () => {
  it('names the key and never the value', () => {
    const metadata = { ok: 1, secret: { token: 'hidden' } } as unknown as Metadata;
    const message = 'metadata "secret" must be a text, a finite number, a boolean or a list of them';
    expect(() => validateMetadata(metadata)).toThrow(failure('invalid_input', message));
  });

  it('counts only filterable metadata for the limit of 2 KB', () => {
    const metadata = { text: 'x'.repeat(3000) };
    expect(() => validateMetadata(metadata)).toThrow(
      failure('invalid_input', 'filterable metadata is larger than 2 KB'),
    );
    expect(validateMetadata(metadata, { nonFilterableKeys: ['text'] })).toBeUndefined();
  });

  it('has no arguments', () => expect(validateMetadata(undefined)).toBeUndefined());
});

describe('validateRequiredMetadata', () => {
  it.each([
    [undefined, 'a'],
    [{}, 'a'],
    [{ a: ' ' }, 'a'],
    [{ a: [] }, 'a'],
    [{ a: null }, 'a'],
    [{}, 'toString'],
  ])('%j lacks %s', (metadata, key) => {
    expect(() => validateRequiredMetadata(metadata as unknown as Metadata, ['', ' ', key])).toThrow(
      failure('invalid_input', `required metadata missing: ${key}`),
    );
  });

  it('takes 0, false and lists', () => {
    expect(validateRequiredMetadata({ a: 0, b: false, c: ['x'] }, ['a', 'b', 'c', ' '])).toBeUndefined();
  });
});

it.each([
  [undefined, 12],
  [0, 12],
  [-1, 12],
  [Number.NaN, 12],
  [0.5, 12],
  [1, 1],
  [7.9, 7],
  [10_000, 10_000],
  [10_001, 10_000],
  [Number.POSITIVE_INFINITY, 10_000],
])('topK %p is %d', (topK, expected) => {
  expect(normalizeTopK(topK)).toBe(expected);
});

it('a cloned vector is rounded to 32 bits and shares nothing', () => {
  const vector = Float32Array.of(1, 2);
  const copy = cloneVector(vector);
  vector[0] = 9;
  expect(copy).toEqual(Float32Array.of(1, 2));
  expect(cloneVector([0.1])[0]).toBe(Math.fround(0.1));
});

it('cloned metadata shares no list, and empty metadata becomes undefined', () => {
  const metadata = { list: ['a'], one: 1 };
  const copy = cloneMetadata(metadata);
  metadata.list.push('b');
  expect(copy).toEqual({ list: ['a'], one: 1 });
  expect(cloneMetadata({})).toBeUndefined();
  expect(cloneMetadata(undefined)).toBeUndefined();
});

it.each([
  [undefined, ''],
  [null, ''],
  [new VectorStoreError('vectorstore.invalid_input', 'x'), 'vectorstore.invalid_input'],
  [new Error('outer', { cause: new VectorStoreError('vectorstore.unavailable', 'x') }), 'vectorstore.unavailable'],
  [new TypeError('x'), 'vectorstore.embedding_failed'],
  ['a text', 'vectorstore.embedding_failed'],
])('the embedding error code of %p is %p', (error, code) => {
  expect(embeddingErrorCode(error)).toBe(code);
});
