import type { VectorStoreError } from '@sallyport/vectors';
import { createFakeEmbedder, createFakeVectorStore } from '@sallyport/vectors/testing';

const RECORDS = ['a', 'b', 'c'].map((key, at) => ({ key, data: [1, at, 0] }));

it('records the calls with valid arguments, and later failures', async () => {
  const store = createFakeVectorStore({ dimension: 3 });
  await store.put({ records: RECORDS });
  await store.get({ keys: ['a'] });
  await store.delete({ keys: ['a'] });
  await store.query({ vector: [1, 0, 0], topK: 3 });
  await expect(store.put({ records: [] })).rejects.toMatchObject({ code: 'vectorstore.invalid_input' });
  store.failNext('get');
  await expect(store.get({ keys: ['b'] })).rejects.toMatchObject({ code: 'vectorstore.unavailable', retryable: true });
  expect(store.calls().map(({ operation }) => operation)).toEqual(['put', 'get', 'delete', 'query', 'get']);
  expect(store.calls()[3]?.input).toEqual({ vector: [1, 0, 0], topK: 3 });
  expect(store.size).toBe(2);
});

it.each(['put', 'get', 'delete', 'query'] as const)(
  '%s fails as often as requested, with the given error',
  async (operation) => {
    const store = createFakeVectorStore({ dimension: 3 });
    const calls = {
      put: () => store.put({ records: RECORDS }),
      get: () => store.get({ keys: ['a'] }),
      delete: () => store.delete({ keys: ['a'] }),
      query: () => store.query({ vector: [1, 0, 0] }),
    };
    store.failNext(operation, new Error('mine'), { times: 2 });
    for (const _ of [1, 2]) {
      const failed = await calls[operation]().catch((thrown: unknown) => thrown);
      expect((failed as VectorStoreError).cause).toMatchObject({ message: 'mine' });
    }
    await calls[operation]();
  },
);

it('writes a part and fails, and reports that the part is unknown', async () => {
  const store = createFakeVectorStore({ dimension: 3 });
  store.partialAfter(2);
  const failed = await store.put({ records: RECORDS }).catch((thrown: unknown) => thrown);
  expect((failed as VectorStoreError).progress).toEqual({ total: 3, done: [], unknown: ['a', 'b', 'c'] });
  expect((await store.get({ keys: ['a', 'b', 'c'] })).missing).toEqual(['c']);
  await store.put({ records: RECORDS });
  expect(store.size).toBe(3);
});

it('the fake embedder has fixed vectors for given strings, and for others makes them from their words, or fails', async () => {
  const known = createFakeEmbedder({ dimensions: 3, vectors: { milk: [1, 0, 0] }, fallback: 'fail' });
  expect(await known.embed(' milk ')).toEqual(Float32Array.of(1, 0, 0));
  await expect(known.embedBatch(['milk', 'bread'])).rejects.toMatchObject({
    message: 'vectorstore: embedding not found',
  });
  await expect(known.embed('toString')).rejects.toMatchObject({ code: 'vectorstore.embedding_failed' });
  expect(known.calls).toEqual(['milk', 'milk', 'bread', 'toString']);
  const [first, second] = await createFakeEmbedder().embedBatch(['milk', 'milk']);
  expect(first).toEqual(second);
  expect(first).toHaveLength(256);
});
