import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Filter, Metadata, VectorRecordInput } from '../../store/store.js';
import type { Bench, CaseDefinition } from '../harness.js';

/** Metadata by key; all keys are at different distances from the first. */
const FILMS: Readonly<Record<string, Metadata>> = {
  a: { genre: 'drama', year: 1999, colour: true },
  b: { genre: ['drama', 'war'], year: 2005, colour: false },
  c: { genre: 'comedy', year: 2020 },
  d: { genre: 'Drama', year: '2020', rating: 0 },
  e: { other: 1 },
};

/** Each filter with the matching keys. */
const FILTERS: readonly (readonly [string, Filter, string])[] = [
  ['a bare value', { genre: 'drama' }, 'ab'],
  ['$eq of a list element', { genre: { $eq: 'war' } }, 'b'],
  ['$eq of a boolean', { colour: false }, 'b'],
  ['$eq of a number that is a string in the metadata', { year: 2020 }, 'c'],
  ['$eq of 0', { rating: 0 }, 'd'],
  ['$ne, which a missing key passes', { genre: { $ne: 'drama' } }, 'cde'],
  ['$gt', { year: { $gt: 1999 } }, 'bc'],
  ['$gte', { year: { $gte: 1999 } }, 'abc'],
  ['$lt', { year: { $lt: 2005 } }, 'a'],
  ['$lte', { year: { $lte: 2005 } }, 'ab'],
  ['several operators on one key', { year: { $gte: 2000, $lt: 2010 } }, 'b'],
  ['$in', { genre: { $in: ['war', 'comedy'] } }, 'bc'],
  ['$in of several kinds', { year: { $in: [1999, '2020', true] } }, 'ad'],
  ['$nin, which a missing key passes', { genre: { $nin: ['war', 'comedy'] } }, 'ade'],
  ['$exists', { rating: { $exists: true } }, 'd'],
  ['$exists false', { genre: { $exists: false } }, 'e'],
  ['several keys', { genre: 'drama', colour: true }, 'a'],
  ['$and', { $and: [{ genre: 'drama' }, { year: { $gt: 2000 } }] }, 'b'],
  ['$or', { $or: [{ genre: 'comedy' }, { other: 1 }] }, 'ce'],
  ['$or with a key', { genre: 'drama', $or: [{ year: 1999 }, { year: 2020 }] }, 'a'],
  ['$or in $and in $or', { $or: [{ $and: [{ $or: [{ other: 1 }] }, { other: { $exists: true } }] }] }, 'e'],
  ['no matching vector', { genre: 'western' }, ''],
  ['a key that every object has', { toString: { $exists: true } }, ''],
];

function films(): VectorRecordInput[] {
  return Object.entries(FILMS).map(([key, metadata], at) => ({ key, data: [1, at / 10, 0], metadata }));
}

async function assertFilter({ filled }: Bench, filter: Filter, keys: string): Promise<void> {
  const store = await filled(films());
  const hits = await store.query({ vector: [1, 0, 0], filter });
  deepEqual(
    hits.map(({ key }) => key),
    [...keys],
  );
}

function assertNear(actual: number | undefined, expected: number): void {
  ok(actual !== undefined && Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);
}

const COSINES: readonly (readonly [readonly number[], number])[] = [
  [[2, 0, 0], 0],
  [[1, 1, 0], 1 - Math.SQRT1_2],
  [[0, 5, 0], 1],
  [[-3, 0, 0], 2],
];

export const QUERY_CASES: readonly CaseDefinition[] = [
  ...FILTERS.map(([name, filter, keys]) => ({
    name: `filter: ${name}`,
    run: (bench: Bench) => assertFilter(bench, filter, keys),
  })),
  {
    name: 'the cosine distance is 1 − cos: 0 in the same direction, 1 at a right angle, 2 in the opposite direction',
    async run({ filled }) {
      const store = await filled(COSINES.map(([data], at) => ({ key: `k${at}`, data })));
      const hits = await store.query({ vector: [1, 0, 0] });
      deepEqual(
        hits.map(({ key }) => key),
        ['k0', 'k1', 'k2', 'k3'],
      );
      for (const [at, [, distance]] of COSINES.entries()) assertNear(hits[at]?.distance, distance);
    },
  },
  {
    name: 'the Euclidean metric orders by the length of the difference, and accepts a vector of zeros',
    async run({ filled }) {
      const records = [
        { key: 'far', data: [9, 0, 0] },
        { key: 'zero', data: [0, 0, 0] },
        { key: 'near', data: [1, 1, 0] },
      ];
      const store = await filled(records, { metric: 'euclidean' });
      const hits = await store.query({ vector: [1, 0.5, 0] });
      deepEqual(
        hits.map(({ key }) => key),
        ['near', 'zero', 'far'],
      );
      ok(hits.every(({ distance }, at) => at === 0 || distance > (hits[at - 1]?.distance ?? Number.NaN)));
      deepEqual(
        (await store.query({ vector: [0, 0, 0], topK: 1 })).map(({ key }) => key),
        ['zero'],
      );
    },
  },
  {
    name: 'hits have metadata only when it is requested',
    async run({ filled }) {
      const store = await filled([{ key: 'a', data: [1, 0, 0], metadata: { list: ['x'] } }]);
      const [plain] = await store.query({ vector: [1, 0, 0] });
      equal(plain && 'metadata' in plain, false);
      const [full] = await store.query({ vector: [1, 0, 0], returnMetadata: true });
      deepEqual(full?.metadata, { list: ['x'] });
    },
  },
  {
    name: 'a query of an empty index has no hits',
    async run({ store }) {
      deepEqual(await (await store()).query({ vector: [1, 0, 0] }), []);
    },
  },
  ...(
    [
      [undefined, 12],
      [0, 12],
      [-5, 12],
      [Number.NaN, 12],
      [3.9, 3],
      [250, 250],
      [1e9, 260],
    ] as const
  ).map(([topK, expected]) => ({
    name: `topK ${topK} of 260 vectors returns ${expected} hits, page after page, the nearest first`,
    async run({ filled }: Bench) {
      const store = await filled(Array.from({ length: 260 }, (_, at) => ({ key: `k${at}`, data: [1, at / 100, 0] })));
      const hits = await store.query({ vector: [1, 0, 0], ...(topK !== undefined && { topK }) });
      deepEqual(
        hits.map(({ key }) => key),
        Array.from({ length: expected }, (_, at) => `k${at}`),
      );
    },
  })),
  {
    name: 'a consumer of pages that stops gets no further page',
    async run({ filled }) {
      const store = await filled(Array.from({ length: 260 }, (_, at) => ({ key: `k${at}`, data: [1, at / 100, 0] })));
      let seen = 0;
      for await (const page of store.queryPages({ vector: [1, 0, 0], topK: 260 })) {
        seen += page.length;
        break;
      }
      ok(seen > 0 && seen < 260);
    },
  },
  {
    name: 'a filter applies to all pages',
    async run({ filled }) {
      const records = Array.from({ length: 240 }, (_, at) => ({
        key: `k${at}`,
        data: [1, at / 100, 0],
        metadata: { even: at % 2 === 0 },
      }));
      const hits = await (await filled(records)).query({ vector: [1, 0, 0], topK: 500, filter: { even: true } });
      deepEqual(
        hits.map(({ key }) => key),
        Array.from({ length: 120 }, (_, at) => `k${2 * at}`),
      );
    },
  },
];
