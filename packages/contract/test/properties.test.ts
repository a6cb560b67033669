import fc from 'fast-check';
import { canonicalJson, compare, type Json } from '../src/index.js';

/** Any JSON data, as parsed from the wire. Keys that begin with `$` would be forms. */
const data = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).replaceAll('"$', '"_')) as Json);

/** The same data with the keys of every object in the other order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member as Json)]));
}

describe('any JSON data', () => {
  it('is equal to itself in any order of keys, plain and as a literal', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(compare(value, reversed(value))).toEqual([]);
        expect(compare({ $literal: value }, reversed(value))).toEqual([]);
      }),
    );
  });

  it('is different exactly when its canonical text is', () => {
    fc.assert(
      fc.property(data, data, (one, other) => {
        expect(compare(one, other).length === 0).toBe(canonicalJson(one) === canonicalJson(other));
      }),
    );
  });

  it('is the same after it was written as canonical text and read again', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(canonicalJson(JSON.parse(canonicalJson(value)) as Json)).toBe(canonicalJson(reversed(value)));
      }),
    );
  });
});
