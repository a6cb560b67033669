import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { CallOptions, ListKeysInput, Store, VectorRecordInput } from '../../store/store.js';
import type { CaseDefinition } from '../harness.js';

const X = [1, 0, 0] as const;
const Y = [0, 1, 0] as const;

/** Keys that a client or service could interpret in another way. */
const ODD_KEYS = [
  '__proto__',
  'constructor',
  '$and',
  'a/b',
  'a b',
  'A',
  'a',
  'ü',
  '😀',
  '%2F',
  "'; --",
  '\u0001',
  'a\u0000b',
];

const many = (count: number): VectorRecordInput[] =>
  Array.from({ length: count }, (_, at) => ({ key: `key-${at}`, data: [1, at, 0] }));

async function listed(store: Store, input?: ListKeysInput, options?: CallOptions): Promise<string[][]> {
  const pages: string[][] = [];
  for await (const page of store.listKeys(input, options)) pages.push(page);
  return pages;
}

export const RECORD_CASES: readonly CaseDefinition[] = [
  {
    name: 'a record is read with its numbers, rounded to 32 bits, and its metadata',
    async run({ filled }) {
      const metadata = { text: 'ü 😀', number: -1.5, yes: true, list: ['a', 1, false], empty: '' };
      const store = await filled([{ key: 'one', data: [0.1, -2.5e-8, 3e38], metadata }]);
      const { records, missing } = await store.get({ keys: ['one'] });
      const data = Float32Array.of(0.1, -2.5e-8, 3e38);
      deepEqual(records, [{ key: 'one', data, metadata }]);
      deepEqual(missing, []);
    },
  },
  {
    name: 'numbers that JSON clients convert to other types are returned as numbers',
    async run({ filled }) {
      const metadata = { big: 1e21, exact: 2 ** 60, small: 1e-7, list: [2 ** 60, -1e21] };
      const store = await filled([{ key: 'one', data: [2 ** 100, -(2 ** 60), 1e-7], metadata }]);
      const { records } = await store.get({ keys: ['one'] });
      deepEqual(records, [{ key: 'one', data: Float32Array.of(2 ** 100, -(2 ** 60), 1e-7), metadata }]);
      const filter = { exact: 2 ** 60 };
      deepEqual((await store.query({ vector: X, filter, returnMetadata: true }))[0]?.metadata, metadata);
    },
  },
  {
    name: 'a record without metadata, or with empty metadata, is read without metadata',
    async run({ filled }) {
      const store = await filled([
        { key: 'one', data: X },
        { key: 'two', data: X, metadata: {} },
      ]);
      const { records } = await store.get({ keys: ['one', 'two'] });
      deepEqual(
        records.map((record) => 'metadata' in record),
        [false, false],
      );
    },
  },
  {
    name: 'metadata is not returned when it is not requested',
    async run({ filled }) {
      const store = await filled([{ key: 'one', data: X, metadata: { a: 1 } }]);
      const { records } = await store.get({ keys: ['one'], returnMetadata: false });
      deepEqual(records, [{ key: 'one', data: Float32Array.from(X) }]);
    },
  },
  {
    name: 'a put replaces the whole record',
    async run({ filled }) {
      const store = await filled([{ key: 'one', data: X, metadata: { a: 1, b: 2 } }]);
      await store.put({ records: [{ key: 'one', data: Y, metadata: { c: 3 } }] });
      const { records } = await store.get({ keys: ['one'] });
      deepEqual(records, [{ key: 'one', data: Float32Array.from(Y), metadata: { c: 3 } }]);
    },
  },
  {
    name: 'records and missing keys are in the requested order, each key once',
    async run({ filled }) {
      const store = await filled([
        { key: 'a', data: X },
        { key: 'b', data: Y },
      ]);
      const { records, missing } = await store.get({ keys: ['z', 'b', 'y', 'a', 'b', 'z'] });
      deepEqual(
        records.map(({ key }) => key),
        ['b', 'a'],
      );
      deepEqual(missing, ['z', 'y']);
    },
  },
  {
    name: 'a missing key is an error when all are required',
    async run({ filled }) {
      const store = await filled([{ key: 'a', data: X }]);
      await rejects(store.get({ keys: ['a', 'z'], requireAll: true }), { code: 'vectorstore.not_found' });
      equal((await store.get({ keys: ['a'], requireAll: true })).records.length, 1);
    },
  },
  {
    name: 'a delete removes existing keys and ignores missing ones',
    async run({ filled }) {
      const store = await filled([
        { key: 'a', data: X },
        { key: 'b', data: Y },
      ]);
      await store.delete({ keys: ['a', 'z', 'a'] });
      await store.delete({ keys: ['a'] });
      deepEqual((await store.get({ keys: ['a', 'b'] })).missing, ['a']);
    },
  },
  {
    name: 'more records than fit into one request are written, read and removed',
    async run({ filled }) {
      const store = await filled(many(1001));
      const keys = many(1001).map(({ key }) => key);
      const { records } = await store.get({ keys });
      deepEqual(
        records.map(({ key }) => key),
        keys,
      );
      deepEqual(records[1000]?.data, Float32Array.of(1, 1000, 0));
      await store.delete({ keys });
      equal((await store.get({ keys })).missing.length, 1001);
    },
  },
  {
    name: 'keys with special characters are valid',
    async run({ filled }) {
      const store = await filled(ODD_KEYS.map((key, at) => ({ key, data: [1, at, 0], metadata: { at } })));
      const { records } = await store.get({ keys: ODD_KEYS });
      deepEqual(
        records.map(({ key, metadata }) => [key, metadata]),
        ODD_KEYS.map((key, at) => [key, { at }]),
      );
    },
  },
  {
    name: 'metadata keys with names of Object.prototype are valid',
    async run({ filled }) {
      const store = await filled([{ key: 'one', data: X, metadata: { constructor: 'a', toString: 'b' } }]);
      const { records } = await store.get({ keys: ['one'] });
      deepEqual(records[0]?.metadata, { constructor: 'a', toString: 'b' });
      equal((await store.query({ vector: X, filter: { constructor: 'a' } })).length, 1);
    },
  },
  {
    name: 'later changes by the caller have no effect on the store',
    async run({ store: create }) {
      const store = await create();
      const data = Float32Array.from(X);
      const metadata = { list: ['a'] };
      await store.put({ records: [{ key: 'one', data, metadata }] });
      data[0] = 9;
      metadata.list.push('b');
      const first = await store.get({ keys: ['one'] });
      (first.records[0]?.metadata?.list as string[] | undefined)?.push('c');
      (first.records[0] as { data: Float32Array }).data[0] = 7;
      const { records } = await store.get({ keys: ['one'] });
      deepEqual(records, [{ key: 'one', data: Float32Array.from(X), metadata: { list: ['a'] } }]);
    },
  },
  {
    name: 'all keys are listed once, page by page, and a prefix selects some of them',
    async run({ filled }) {
      const keys = Array.from({ length: 250 }, (_, at) => `${at % 5 === 0 ? 'a/' : 'b/'}${at}`);
      const store = await filled(keys.map((key) => ({ key, data: X })));
      deepEqual((await listed(store)).flat().sort(), [...keys].sort());
      const some = (await listed(store, { prefix: 'a/' })).flat();
      deepEqual(some.sort(), keys.filter((key) => key.startsWith('a/')).sort());
      await store.delete({ keys: some });
      equal((await listed(store)).flat().length, 200);
      deepEqual(await listed(store, { prefix: 'a/' }), []);
    },
  },
  {
    name: 'keys of an empty store are an empty listing, and an invalid prefix is rejected',
    async run({ store: create }) {
      const store = await create();
      deepEqual(await listed(store), []);
      await rejects(listed(store, { prefix: 1 as never }), { code: 'vectorstore.invalid_input' });
      await rejects(listed(store, null as never), { code: 'vectorstore.invalid_input' });
    },
  },
  {
    name: 'keys can be removed while they are listed',
    async run({ filled }) {
      const store = await filled(Array.from({ length: 250 }, (_, at) => ({ key: `k${at}`, data: X })));
      for await (const keys of store.listKeys()) await store.delete({ keys });
      deepEqual(await listed(store), []);
    },
  },
  {
    name: 'an aborted signal ends a call with its reason',
    async run({ store: create }) {
      const store = await create();
      const signal = AbortSignal.abort(new Error('enough'));
      const enough = { message: 'enough' };
      await rejects(store.put({ records: [{ key: 'a', data: X }] }, { signal }), enough);
      await rejects(store.get({ keys: ['a'] }, { signal }), enough);
      await rejects(store.delete({ keys: ['a'] }, { signal }), enough);
      await rejects(store.query({ vector: X }, { signal }), enough);
      await rejects(listed(store, {}, { signal }), enough);
      equal((await store.get({ keys: ['a'] })).records.length, 0);
    },
  },
];
