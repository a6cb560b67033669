import { deepEqual, rejects } from 'node:assert/strict';
import type { Filter, Metadata, Store, VectorInput, VectorRecordInput } from '../../store/store.js';
import type { Bench, CaseDefinition } from '../harness.js';

type Code = 'invalid_input' | 'invalid_vector' | 'dimension_mismatch';

const GOOD: VectorRecordInput = { key: 'good', data: [1, 0, 0] };

const BAD_VECTORS: readonly (readonly [string, unknown, Code])[] = [
  ['nothing', undefined, 'invalid_vector'],
  ['an empty list', [], 'invalid_vector'],
  ['a text', '1,0,0', 'invalid_vector'],
  ['too few numbers', [1, 0], 'dimension_mismatch'],
  ['too many numbers', [1, 0, 0, 0], 'dimension_mismatch'],
  ['NaN', [1, Number.NaN, 0], 'invalid_vector'],
  ['Infinity', [1, Number.POSITIVE_INFINITY, 0], 'invalid_vector'],
  ['a number that is infinite in 32 bits', [1e39, 0, 0], 'invalid_vector'],
  ['a string among numbers', [1, '0', 0], 'invalid_vector'],
  ['a hole', Object.assign([], { 0: 1, 2: 1, length: 3 }), 'invalid_vector'],
  ['zeros', [0, 0, 0], 'invalid_vector'],
  ['a number that is zero in 32 bits', [1e-46, 0, 0], 'invalid_vector'],
];

const BAD_KEYS: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a number', 1],
  ['an empty string', ''],
  ['a blank string', ' '],
  ['blanks at its ends', ' a'],
  ['1,025 characters', 'x'.repeat(1025)],
  ['half of a surrogate pair', 'a\ud800'],
];

const BAD_METADATA: readonly (readonly [string, unknown])[] = [
  ['a list', ['a']],
  ['a text', 'a'],
  ['null as a value', { a: null }],
  ['undefined as a value', { a: undefined }],
  ['an object as a value', { a: { b: 1 } }],
  ['a date', { a: new Date(0) }],
  ['a BigInt', { a: 1n }],
  ['NaN', { a: Number.NaN }],
  ['Infinity in a list', { a: [Number.POSITIVE_INFINITY] }],
  ['a list in a list', { a: [['b']] }],
  ['a function', { a: () => 1 }],
  ['a key that begins with $', { $and: 'a' }],
  ['a blank key', { ' ': 'a' }],
  ['a key that the client would leave out', JSON.parse('{"__proto__":"a"}')],
  ['51 keys', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 1]))],
  ['more than 2 KB that filters see', { a: 'x'.repeat(2046) }],
  ['more than 2 KB in UTF-8', { a: 'ü'.repeat(1100) }],
  ['more than 40 KB in all', { text: 'x'.repeat(40 * 1024) }],
];

const BAD_FILTERS: readonly (readonly [string, unknown])[] = [
  ['a text', 'genre'],
  ['a list', []],
  ['an empty filter', {}],
  ['an unknown operator', { a: { $regex: 'x' } }],
  ['an unknown operator at the top', { $not: [{ a: 1 }] }],
  ['no operator', { a: {} }],
  ['null', { a: null }],
  ['a key without a value, with another key', { tenant: undefined, a: 1 }],
  ['an operator without a value, with another operator', { a: { $gt: undefined, $lt: 1 } }],
  ['$and without a value, with a key', { $and: undefined, a: 1 }],
  ['a bare list', { a: ['x'] }],
  ['an operand of $gt that is a string', { a: { $gt: '1' } }],
  ['NaN', { a: { $lt: Number.NaN } }],
  ['an empty $in', { a: { $in: [] } }],
  ['an object in $in', { a: { $in: [{}] } }],
  ['$exists of a string', { a: { $exists: 'yes' } }],
  ['an empty $and', { $and: [] }],
  ['$or that is an object', { $or: { a: 1 } }],
  ['a filter in $and that is a string', { $and: ['a'] }],
  ['a key that is not filterable', { text: 'x' }],
  ['a key that is not filterable, deep inside', { $or: [{ $and: [{ text: { $exists: true } }] }] }],
  ['a blank key', { ' ': 1 }],
  ['a key that the client would leave out', JSON.parse('{"__proto__":1}')],
  ['101 conditions', { $or: Array.from({ length: 101 }, (_, at) => ({ a: at })) }],
  ['11 levels', Array.from({ length: 10 }).reduce<object>((inner) => ({ $and: [inner] }), { a: 1 })],
];

/** Asserts that a put of a valid and an invalid record is rejected with a code, and that the valid record is not written. */
async function assertRefused(store: Store, bad: object, code: string): Promise<void> {
  await rejects(store.put({ records: [GOOD, bad as VectorRecordInput] }), { code: `vectorstore.${code}` });
  deepEqual((await store.get({ keys: ['good'] })).missing, ['good']);
}

const withText = ({ store }: Bench) => store({ nonFilterableKeys: ['text'] });

export const REFUSAL_CASES: readonly CaseDefinition[] = [
  ...BAD_VECTORS.map(([name, data, code]) => ({
    name: `an invalid vector is rejected before anything is written: ${name}`,
    async run({ store: create }: Bench) {
      const store = await create();
      await assertRefused(store, { key: 'bad', data }, code);
      await rejects(store.query({ vector: data as VectorInput }), { code: `vectorstore.${code}` });
    },
  })),
  ...BAD_KEYS.map(([name, key]) => ({
    name: `an invalid key is rejected before anything is written: ${name}`,
    async run({ store: create }: Bench) {
      const store = await create();
      const code = 'vectorstore.invalid_input';
      await assertRefused(store, { key, data: [1, 0, 0] }, 'invalid_input');
      await rejects(store.get({ keys: ['good', key as string] }), { code });
      await rejects(store.delete({ keys: ['good', key as string] }), { code });
    },
  })),
  ...BAD_METADATA.map(([name, metadata]) => ({
    name: `invalid metadata is rejected before anything is written: ${name}`,
    run: async (bench: Bench) =>
      assertRefused(
        await withText(bench),
        { key: 'bad', data: [1, 0, 0], metadata: metadata as Metadata },
        'invalid_input',
      ),
  })),
  ...BAD_FILTERS.map(([name, filter]) => ({
    name: `an invalid filter is rejected: ${name}`,
    run: async (bench: Bench) =>
      rejects((await withText(bench)).query({ vector: [1, 0, 0], filter: filter as Filter }), {
        code: 'vectorstore.invalid_input',
      }),
  })),
  {
    name: 'metadata at its limits is accepted: 2 KB for filters, 40 KB in all, 50 keys, 1,024 characters of a key',
    async run(bench) {
      const store = await withText(bench);
      const metadata = { a: 'x'.repeat(2045), text: 'x'.repeat(40 * 1024 - 2048 - 6) };
      const keys = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, true]));
      const records = [
        { key: 'wide', data: [1, 0, 0], metadata },
        { key: 'many', data: [1, 0, 0], metadata: keys },
        { key: '😀'.repeat(1024), data: [1, 0, 0] },
      ];
      await store.put({ records });
      deepEqual((await store.get({ keys: records.map(({ key }) => key) })).missing, []);
    },
  },
  ...[[], [{ k: 1 }], [{ k: ' ' }], [{ k: [] }], [{ K: 'a' }]].map(([metadata]) => ({
    name: `missing required metadata is rejected: ${JSON.stringify(metadata)}`,
    async run({ store: create }: Bench) {
      const store = await create({ requiredMetadata: ['k', 'tenant'] });
      await assertRefused(store, { key: 'bad', data: [1, 0, 0], ...(metadata && { metadata }) }, 'invalid_input');
    },
  })),
  {
    name: 'two records with the same key in one call are rejected',
    async run({ store }) {
      await assertRefused(await store(), GOOD, 'invalid_input');
    },
  },
  ...([{}, { records: [] }, { records: 'a' }, { records: [null] }, null] as const).map((input) => ({
    name: `an invalid put is rejected: ${JSON.stringify(input)}`,
    async run({ store }: Bench) {
      await rejects((await store()).put(input as never), { code: 'vectorstore.invalid_input' });
    },
  })),
  ...([{}, { keys: [] }, { keys: 'a' }, null] as const).map((input) => ({
    name: `invalid reads and deletes are rejected: ${JSON.stringify(input)}`,
    async run({ store: create }: Bench) {
      const store = await create();
      await rejects(store.get(input as never), { code: 'vectorstore.invalid_input' });
      await rejects(store.delete(input as never), { code: 'vectorstore.invalid_input' });
    },
  })),
  {
    name: 'a topK that is not a number is rejected',
    async run({ store }) {
      const query = { vector: [1, 0, 0], topK: '5' as never };
      await rejects((await store()).query(query), { code: 'vectorstore.invalid_input' });
    },
  },
];
