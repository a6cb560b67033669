import fc from 'fast-check';
import type { StoredVector } from '../src/store/internal/backend.js';
import { chunkKeys, chunkRecords, recordBytes, toWireNumbers } from '../src/store/internal/chunks.js';
import { matches, parseFilter, toWireFilter } from '../src/store/internal/filters.js';

const PUT_BYTES = 19 * 1024 * 1024;

const record = fc.record({
  key: fc.string({ minLength: 1, maxLength: 20 }),
  data: fc.constantFrom(1, 500, 4096).map((length) => new Float32Array(length)),
  metadata: fc.option(fc.record({ text: fc.constantFrom('', 'ü'.repeat(5000)) }), { nil: undefined }),
}) as fc.Arbitrary<StoredVector>;

it('the chunks of a put are the records in their order, and each is within its limits', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (some, copies) => {
      const records = Array.from({ length: copies }, () => some).flat();
      const chunks = chunkRecords(records);
      expect(chunks.flat()).toEqual(records);
      for (const chunk of chunks) {
        expect(chunk.length).toBeGreaterThan(0);
        expect(chunk.length).toBeLessThanOrEqual(500);
        expect(chunk.reduce((sum, one) => sum + recordBytes(one), 0)).toBeLessThanOrEqual(PUT_BYTES);
      }
    }),
    { numRuns: 40 },
  );
});

it('a record is never larger on the wire than it is counted', () => {
  const numbers = fc.float32Array({ minLength: 1, maxLength: 40, noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.string(), numbers, fc.dictionary(fc.string(), fc.string()), (key, data, metadata) => {
      const wire = JSON.stringify({ key, data: { float32: toWireNumbers(data) }, metadata });
      expect(Buffer.byteLength(`${wire},`)).toBeLessThanOrEqual(recordBytes({ key, data, metadata }));
    }),
  );
});

it('nine digits restore every 32-bit float', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const [wire = Number.NaN] = toWireNumbers(Float32Array.of(value));
      expect(Math.fround(wire) === Math.fround(value)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('parts of keys are the keys in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), (keys, size) => {
      const parts = chunkKeys(keys, size);
      expect(parts.flat()).toEqual(keys);
      expect(parts.every((part) => part.length > 0 && part.length <= size)).toBe(true);
    }),
  );
});

const value = fc.constantFrom<string | number | boolean>('a', 'b', '1', 1, 2, true, false);
const key = fc.constantFrom('x', 'y', 'z');
const metadata = fc.dictionary(key, fc.oneof(value, fc.array(value, { maxLength: 3 })));
const operators = fc
  .record(
    {
      $eq: value,
      $ne: value,
      $gt: fc.constantFrom(0, 1, 2),
      $gte: fc.constantFrom(0, 1, 2),
      $lt: fc.constantFrom(0, 1, 2),
      $lte: fc.constantFrom(0, 1, 2),
      $in: fc.array(value, { minLength: 1, maxLength: 3 }),
      $nin: fc.array(value, { minLength: 1, maxLength: 3 }),
      $exists: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((given) => Object.keys(given).length > 0);
const { filter } = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.dictionary(key, fc.oneof(value, operators), { minKeys: 1, maxKeys: 2 }),
    fc.record({ $and: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) }),
  ),
}));

type Json = Readonly<Record<string, unknown>>;

/** The table of operators, read again and as plainly as can be. */
function naive(given: Json, of: Json): boolean {
  return Object.entries(given).every(([name, operand]) => {
    if (name === '$and') return (operand as Json[]).every((part) => naive(part, of));
    if (name === '$or') return (operand as Json[]).some((part) => naive(part, of));
    const tests = typeof operand === 'object' ? (operand as Json) : { $eq: operand };
    return Object.entries(tests).every(([operator, wanted]) => {
      const isThere = Object.hasOwn(of, name);
      const has = (one: unknown) => isThere && [of[name]].flat().includes(one);
      const number = typeof of[name] === 'number' ? (of[name] as number) : Number.NaN;
      if (operator === '$eq') return has(wanted);
      if (operator === '$ne') return !has(wanted);
      if (operator === '$in') return (wanted as unknown[]).some(has);
      if (operator === '$nin') return !(wanted as unknown[]).some(has);
      if (operator === '$exists') return isThere === wanted;
      if (operator === '$gt') return number > Number(wanted);
      if (operator === '$gte') return number >= Number(wanted);
      return operator === '$lt' ? number < Number(wanted) : number <= Number(wanted);
    });
  });
}

it('a filter matches what a simple evaluation of its operators matches, and so does the form that is sent', () => {
  fc.assert(
    fc.property(filter, metadata, (given, of) => {
      const parsed = parseFilter(given as never, []);
      const expected = naive(given as Json, of);
      expect(matches(parsed, of)).toBe(expected);
      expect(naive(parsed ? toWireFilter(parsed) : {}, of)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
