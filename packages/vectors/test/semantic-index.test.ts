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

it('finds the strings that are near, and deletes', async () => {
  const index = createSemanticIndex({ store, embedder: embedder(), tenant: false });
  await index.putText([record('milk'), record('bread'), record('bicycle'), record('other', 'milk', { tenant: 'u' })]);
  const found = await index.queryText({ text: ' milk ', topK: 2, filter: { tenant: 't' }, returnMetadata: true });
  expect(found).toMatchObject([{ key: 'milk', distance: 0, metadata: { tenant: 't' } }, { key: 'bread' }]);
  await index.deleteText(['milk', 'other']);
  await expect(index.deleteText(undefined as never)).rejects.toMatchObject({ code: 'vectorstore.invalid_input' });
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
])('%s is rejected before anything is embedded', async (_name, records, message) => {
  const fake = embedder();
  const index = createSemanticIndex({ store, embedder: fake, tenant: false, requiredMetadata: ['lang'] });
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
])('the query %j is rejected before anything is embedded', async (query, message) => {
  const fake = embedder();
  const index = createSemanticIndex({ store, embedder: fake, tenant: false });
  await expect(index.queryText(query as never)).rejects.toMatchObject({ code: 'vectorstore.invalid_input', message });
  expect(fake.calls).toEqual([]);
});

it.each<readonly [unknown, string]>([
  [null, 'vectorstore: input must be an object'],
  ['1', 'vectorstore: input must be an object'],
  [{ prefix: 1 }, 'vectorstore: prefix must be a string'],
  [{ prefix: null }, 'vectorstore: prefix must be a string'],
  [{ prefix: ['1'] }, 'vectorstore: prefix must be a string'],
])('the listing of %j is rejected, with a tenant and without', async (input, message) => {
  for (const tenant of ['acme', false] as const) {
    const pages = createSemanticIndex({ store, embedder: embedder(), tenant }).listKeys(input as never);
    await expect(pages[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'vectorstore.invalid_input',
      message,
    });
  }
  expect(store.calls()).toEqual([]);
});

it('an embedder that answers too few vectors, or wrong ones, fails the call', async () => {
  const wrong = (embedBatch: () => Promise<Float32Array[]>) =>
    createSemanticIndex({ store, tenant: false, embedder: { dimensions: 3, embed: embedBatch as never, embedBatch } });
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
  const index = createSemanticIndex({
    store,
    tenant: false,
    embedder: { dimensions: 3, embed: broken, embedBatch: broken },
  });
  const failed = await index.queryText({ text: 'milk' }).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', message: 'vectorstore: embedding failed' });
  expect((failed as VectorStoreError).cause).toMatchObject({ message: 'secret words' });
});

it.each([
  [{ embedder: createFakeEmbedder({ dimensions: 8 }) }, /the dimension is 3, and the embedder has 8/],
  [{ dimension: 8 }, /the dimension is 8, and the store has 3/],
  [{ dimension: 0 }, /dimension must be positive/],
  [{ store: {} }, /option "store"/],
  [{ embedder: {} }, /option "embedder"/],
  [{ other: 1 }, /unknown option "other"/],
  [{ tenant: undefined }, /option "tenant" must be the id of a tenant, or false/],
  [{ tenant: '' }, /option "tenant"/],
  [{ tenant: ' ' }, /option "tenant"/],
  [{ tenant: ' t' }, /option "tenant"/],
  [{ tenant: '\ud800' }, /option "tenant"/],
  [{ tenant: true }, /option "tenant"/],
  [
    { store: createFakeVectorStore({ dimension: 3, nonFilterableKeys: ['tenant'] }) },
    /nonFilterableKeys must not contain "tenant"/,
  ],
])('the options are rejected: %#', (options, message) => {
  const build = () =>
    createSemanticIndex({ store, embedder: embedder(), tenant: 't', ...options } as SemanticIndexOptions);
  expect(build).toThrow(
    expect.objectContaining({ code: 'vectorstore.invalid_config', message: expect.stringMatching(message) as string }),
  );
});

describe('a tenant', () => {
  const of = (tenant: string | false) => createSemanticIndex({ store, embedder: embedder(), tenant });
  const put = (tenant: string, key: string, text = 'milk') => of(tenant).putText([{ key, text }]);
  const keysOf = async (tenant: string | false) => {
    const keys: string[] = [];
    for await (const page of of(tenant).listKeys()) keys.push(...page);
    return keys.sort();
  };

  it('is in the key and in the metadata of its records', async () => {
    await put('acme', '1');
    const { records } = await store.get({ keys: ['acme#1'] });
    expect(records).toMatchObject([{ key: 'acme#1', metadata: { tenant: 'acme' } }]);
  });

  it('does not replace, find, list or remove a record of another with the same key', async () => {
    await put('acme', '1');
    await put('globex', '1', 'bread');
    const query = { text: 'milk', returnMetadata: true };
    expect(await of('acme').queryText(query)).toEqual([{ key: '1', distance: 0, metadata: { tenant: 'acme' } }]);
    expect(await of('globex').queryText(query)).toMatchObject([{ key: '1', metadata: { tenant: 'globex' } }]);
    await of('globex').deleteText(['1']);
    expect(await of('globex').deleteByPrefix('1')).toBe(0);
    expect([await keysOf('acme'), await keysOf('globex')]).toEqual([['1'], []]);
  });

  it.each([
    ['acme', 'b#1', 'acme#b', '1'],
    ['a%23b', '1', 'a#b', '1'],
    ['a', '#1', 'a#', '1'],
    ['%', '1', '%25', '1'],
  ])('%s with the key %s is not %s with the key %s', async (one, key, other, otherKey) => {
    await put(one, key);
    await put(other, otherKey);
    expect(store.size).toBe(2);
    expect([await keysOf(one), await keysOf(other)]).toEqual([[key], [otherKey]]);
  });

  it.each([
    [{ tenant: 'globex' }],
    [{ tenant: { $ne: 'acme' } }],
    [{ tenant: { $exists: true } }],
    [{ $or: [{ tenant: 'globex' }, { lang: { $exists: false } }] }],
  ])('cannot be overruled by the filter %j', async (filter) => {
    await put('acme', '1');
    await put('globex', '2');
    const hits = await of('acme').queryText({ text: 'milk', filter });
    expect(hits.filter(({ key }) => key !== '1')).toEqual([]);
  });

  it('is in the filter as well, so nearer records of another tenant replace no hit', async () => {
    await put('acme', '1', 'bread');
    await put('globex', '1', 'milk');
    const query = { text: 'milk', topK: 1, filter: { lang: { $exists: false } } };
    expect((await of('acme').queryText(query)).map(({ key }) => key)).toEqual(['1']);
    expect((await of('acme').queryText({ text: 'milk', topK: 1 })).map(({ key }) => key)).toEqual(['1']);
  });

  it('cannot be overruled by metadata, nor by a record with another key', async () => {
    const forged = of('acme').putText([{ key: '1', text: 'milk', metadata: { tenant: 'globex' } }]);
    await expect(forged).rejects.toMatchObject({
      code: 'vectorstore.invalid_input',
      message: 'vectorstore: metadata "tenant" must be left out, or be the tenant of the index',
    });
    await of('acme').putText([{ key: '1', text: 'milk', metadata: { tenant: 'acme' } }]);
    await store.put({ records: [{ key: 'x#2', data: Float32Array.of(1, 0, 0), metadata: { tenant: 'acme' } }] });
    expect((await of('acme').queryText({ text: 'milk' })).map(({ key }) => key)).toEqual(['1']);
  });

  it('removes only the parts of a document that is indexed again', async () => {
    await put('acme', 'doc/1');
    await put('acme', 'doc/2');
    await put('acme', 'other/1');
    await put('globex', 'doc/1');
    expect(await of('acme').deleteByPrefix('doc/')).toBe(2);
    expect([await keysOf('acme'), await keysOf('globex')]).toEqual([['other/1'], ['doc/1']]);
    for (const prefix of ['', ' ', undefined]) {
      await expect(of('acme').deleteByPrefix(prefix as string)).rejects.toMatchObject({
        message: 'vectorstore: prefix is required',
      });
    }
  });

  it('reports the progress of a failed call with the keys of the caller', async () => {
    store.failNext('delete');
    await expect(of('acme').deleteText(['1'])).rejects.toMatchObject({ progress: { total: 1, done: [], unknown: [] } });
    store.partialAfter(1);
    const failed = of('acme').putText([
      { key: '1', text: 'milk' },
      { key: '2', text: 'bread' },
    ]);
    await expect(failed).rejects.toMatchObject({ progress: { total: 2, done: [], unknown: ['1', '2'] } });
  });
});

describe('over the wire', () => {
  let vectors: S3VectorsService;
  let model: Service;

  beforeAll(async () => {
    vectors = await startVectors();
    model = await startModel();
  });

  afterAll(() => Promise.all([vectors.stop(), model.stop()]));

  it('1,100 strings are embedded and written in slices of 500, and a failure reports the progress', async () => {
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
    const index = createSemanticIndex({ store: target, embedder: failing, tenant: false });
    const failed = (await index.putText(records).catch((thrown: unknown) => thrown)) as VectorStoreError;
    expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', details: { done: 500, total: 1100 } });
    expect(failed.progress).toEqual({ total: 1100, done: records.slice(0, 500).map(({ key }) => key), unknown: [] });
    expect(vectors.keysOf(indexName(8))).toHaveLength(500);
    vectors.clear();
    await index.putText(records);
    expect(vectors.requests.map(({ input }) => (input.vectors as unknown[]).length)).toEqual([500, 500, 100]);
  });

  it('strings are found by the vectors of the model', async () => {
    vectors.empty();
    const index = createSemanticIndex({
      store: wireStore(vectors, { dimension: 1024 }),
      embedder: wireEmbedder(model),
      tenant: false,
    });
    await index.putText(['milk', 'bread', 'a bicycle'].map((text) => ({ key: text.replace(' ', '-'), text })));
    expect((await index.queryText({ text: 'a bicycle', topK: 1 })).map(({ key }) => key)).toEqual(['a-bicycle']);
  });
});
