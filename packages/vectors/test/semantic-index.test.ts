import type { S3VectorsService, Service } from '@sallyport/testkit/services';
import {
  createSemanticIndex,
  type SemanticIndexOptions,
  type SemanticRecord,
  type VectorStoreError,
} from '@sallyport/vectors';
import { createFakeEmbedder, createFakeVectorStore, type FakeVectorStore } from '@sallyport/vectors/testing';
import { indexName, startModel, startVectors, wireEmbedder, wireStore } from './support/wire.js';

const DIMENSION = 3;
const embedder = () =>
  createFakeEmbedder({
    dimensions: 3,
    vectors: { milk: [1, 0, 0], bread: [0.9, 0.1, 0], bicycle: [0, 0, 1] },
    fallback: 'fail',
  });
let store: FakeVectorStore;

beforeEach(() => {
  store = createFakeVectorStore({ dimension: DIMENSION, requiredMetadata: ['tenant'], nonFilterableKeys: ['text'] });
});

const record = (key: string, text = key, metadata: object = { tenant: 't' }) =>
  ({ key, text, metadata }) as unknown as SemanticRecord;

it('finds the texts that are near, and deletes', async () => {
  const index = createSemanticIndex({ store, embedder: embedder() });
  await index.putText([record('milk'), record('bread'), record('bicycle'), record('other', 'milk', { tenant: 'u' })]);
  const found = await index.queryText({ text: ' milk ', topK: 2, filter: { tenant: 't' }, returnMetadata: true });
  expect(found).toMatchObject([{ key: 'milk', distance: 0, metadata: { tenant: 't' } }, { key: 'bread' }]);
  await index.deleteText(['milk', 'other']);
  expect((await index.queryText({ text: 'milk' })).map(({ key }) => key)).toEqual(['bread', 'bicycle']);
});

it.each<readonly [string, unknown, string]>([
  ['no record', [], 'vectorstore: at least one semantic record is required'],
  ['no list', undefined, 'vectorstore: at least one semantic record is required'],
  ['a blank text', [record('a', ' ')], 'vectorstore: semantic text is required'],
  ['a text that is none', [{ key: 'a', text: 1, metadata: { tenant: 't' } }], 'vectorstore: semantic text is required'],
  ['no key', [record('')], 'vectorstore: vector key is required'],
  ['no required metadata of the store', [record('a', 'a', {})], 'vectorstore: required metadata missing: tenant'],
  [
    'no required metadata of the index',
    [record('a', 'a', { tenant: 't' })],
    'vectorstore: required metadata missing: lang',
  ],
  ['two records of one key', [record('a'), record('a')], 'vectorstore: two records of one call have the same key'],
  [
    'metadata over the limit',
    [record('a', 'a', { tenant: 'x'.repeat(3000) })],
    'vectorstore: filterable metadata is larger than 2 KB',
  ],
])('%s is refused before anything is embedded', async (_name, records, message) => {
  const fake = embedder();
  const index = createSemanticIndex({ store, embedder: fake, requiredMetadata: ['lang'] });
  const good = record('good', 'milk', { tenant: 't', lang: 'en' });
  const all = Array.isArray(records) && records.length > 0 ? [good, ...(records as SemanticRecord[])] : records;
  await expect(index.putText(all as SemanticRecord[])).rejects.toMatchObject({
    code: 'vectorstore.invalid_input',
    message,
  });
  expect(fake.calls).toEqual([]);
  expect(store.size).toBe(0);
});

it.each([
  [undefined, 'vectorstore: query must be an object'],
  [{ text: ' ' }, 'vectorstore: query text is required'],
  [
    { text: 'milk', filter: { tenant: undefined, lang: 'en' } },
    'vectorstore: filter of "tenant": $eq must be a text, a finite number or a boolean',
  ],
  [{ text: undefined }, 'vectorstore: query text is required'],
  [{ text: 'milk', topK: 'x' }, 'vectorstore: topK must be a number'],
  [{ text: 'milk', filter: { text: 'x' } }, 'vectorstore: filter names "text", which is not filterable'],
])('the query %j is refused before anything is embedded', async (query, message) => {
  const fake = embedder();
  const index = createSemanticIndex({ store, embedder: fake });
  await expect(index.queryText(query as never)).rejects.toMatchObject({ code: 'vectorstore.invalid_input', message });
  expect(fake.calls).toEqual([]);
});

it('an embedder that answers too few vectors, or wrong ones, fails the call', async () => {
  const wrong = (embedBatch: () => Promise<Float32Array[]>) =>
    createSemanticIndex({ store, embedder: { dimensions: 3, embed: embedBatch as never, embedBatch } });
  await expect(wrong(async () => []).putText([record('a')])).rejects.toMatchObject({
    code: 'vectorstore.embedding_failed',
    message: 'vectorstore: embedding count mismatch',
  });
  const short = wrong(async () => [Float32Array.of(1)]);
  await expect(short.putText([record('a')])).rejects.toMatchObject({ code: 'vectorstore.dimension_mismatch' });
  const broken = wrong(async () => [Float32Array.of(Number.NaN, 0, 0)]);
  await expect(broken.putText([record('a')])).rejects.toMatchObject({ code: 'vectorstore.invalid_vector' });
  expect(store.size).toBe(0);
});

it('an error of another embedder becomes embedding_failed, with its words in the cause alone', async () => {
  const broken = async () => Promise.reject(new Error('secret words'));
  const index = createSemanticIndex({ store, embedder: { dimensions: 3, embed: broken, embedBatch: broken } });
  const failed = await index.queryText({ text: 'milk' }).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', message: 'vectorstore: embedding failed' });
  expect((failed as VectorStoreError).cause).toMatchObject({ message: 'secret words' });
});

it.each([
  [{ embedder: createFakeEmbedder({ dimensions: 8 }) }, /the dimension is 3, and that of the embedder is 8/],
  [{ dimension: 8 }, /the dimension is 8, and that of the store is 3/],
  [{ dimension: 0 }, /dimension must be positive/],
  [{ store: {} }, /option "store"/],
  [{ embedder: {} }, /option "embedder"/],
  [{ other: 1 }, /unknown option "other"/],
])('the options are refused: %#', (options, message) => {
  const build = () => createSemanticIndex({ store, embedder: embedder(), ...options } as SemanticIndexOptions);
  expect(build).toThrow(
    expect.objectContaining({ code: 'vectorstore.invalid_config', message: expect.stringMatching(message) as string }),
  );
});

describe('over the wire', () => {
  let vectors: S3VectorsService;
  let model: Service;

  beforeAll(async () => {
    vectors = await startVectors();
    model = await startModel();
  });

  afterAll(() => Promise.all([vectors.stop(), model.stop()]));

  it('1,100 texts are embedded and written in slices of 500, and a failure tells how far it came', async () => {
    const words = createFakeEmbedder({ dimensions: 8 });
    let batches = 0;
    const failing = {
      ...words,
      embedBatch: (texts: readonly string[]) => {
        batches += 1;
        return batches === 2 ? Promise.reject(new Error('busy')) : words.embedBatch(texts);
      },
    };
    const records = Array.from({ length: 1100 }, (_, at) => ({ key: `k${at}`, text: `text ${at}` }));
    const target = wireStore(vectors, { dimension: 8 });
    const index = createSemanticIndex({ store: target, embedder: failing });
    const failed = (await index.putText(records).catch((thrown: unknown) => thrown)) as VectorStoreError;
    expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', details: { done: 500, total: 1100 } });
    expect(failed.progress).toEqual({ total: 1100, done: records.slice(0, 500).map(({ key }) => key), unknown: [] });
    expect(vectors.keysOf(indexName(8))).toHaveLength(500);
    vectors.clear();
    await index.putText(records);
    expect(vectors.requests.map(({ input }) => (input.vectors as unknown[]).length)).toEqual([500, 500, 100]);
  }, 60_000);

  it('texts are found by the vectors of the model', async () => {
    vectors.empty();
    const index = createSemanticIndex({
      store: wireStore(vectors, { dimension: 1024 }),
      embedder: wireEmbedder(model),
    });
    await index.putText(['milk', 'bread', 'a bicycle'].map((text) => ({ key: text.replace(' ', '-'), text })));
    expect((await index.queryText({ text: 'a bicycle', topK: 1 })).map(({ key }) => key)).toEqual(['a-bicycle']);
  });
});
