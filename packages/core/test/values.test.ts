import { sha256, sha256Url } from '../src/values/digests.js';
import { bytesOfJson, canonicalJson } from '../src/values/json.js';
import { Lru } from '../src/values/lru.js';
import {
  decodeEscapes,
  fromJson,
  isObject,
  isPromise,
  isScalar,
  isStringMap,
  isText,
  isWhole,
  membersOf,
  objectPart,
  stringOf,
  trimmedText,
} from '../src/values/read.js';

const EMPTY = Object.freeze(Object.create(null) as object);
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('an untrusted value', () => {
  const list = [{ a: 1 }];
  const object = { a: 1 };
  it.each<[string, (value: unknown) => unknown, unknown, unknown]>([
    ['an object', isObject, object, true],
    ['a list', isObject, list, false],
    ['null', isObject, null, false],
    ['a function', isObject, () => {}, false],
    ['the members of an object', membersOf, object, object],
    ['the members of a list', membersOf, list, EMPTY],
    ['the members of null', membersOf, null, EMPTY],
    ['an object as JSON text', objectPart, '{"a":1}', object],
    ['an object as such', objectPart, object, object],
    ['a list as JSON text', objectPart, '[1]', EMPTY],
    ['text that is not JSON', objectPart, '{', EMPTY],
    ['a string', stringOf, ' a ', ' a '],
    ['a number', stringOf, 7, ''],
    ['a string with blanks around it', trimmedText, ' a\n', 'a'],
    ['undefined', trimmedText, undefined, ''],
    ['a string with a character', isText, ' a', true],
    ['a string of a letter outside ASCII', isText, 'é', true],
    ['a blank string', isText, ' \n\u2003', false],
    ['an empty string', isText, '', false],
    ['a number', isText, 7, false],
    ['zero', isWhole, 0, true],
    ['a negative number', isWhole, -1, false],
    ['a number above the safe integers', isWhole, 2 ** 53, false],
    ['digits', isWhole, '1', false],
    ['an object of strings', isStringMap, { a: 'b' }, true],
    ['an empty object', isStringMap, {}, true],
    ['an object with a number', isStringMap, { a: 'b', c: 1 }, false],
    ['a list of strings', isStringMap, ['a'], false],
    ['null', isScalar, null, true],
    ['a boolean', isScalar, false, true],
    ['undefined', isScalar, undefined, false],
    ['a bigint', isScalar, 1n, false],
    ['JSON text', fromJson, '[1]', [1]],
    ['JSON text of null', fromJson, 'null', null],
    ['text that is not JSON', fromJson, '[', undefined],
    ['an object in place of JSON text', fromJson, object, undefined],
    ['a promise', isPromise, Promise.resolve(), true],
    ['an object with a method then', isPromise, Object.fromEntries([['then', () => {}]]), true],
    ['an object with a member then', isPromise, JSON.parse('{"then":1}'), false],
    ['a function', isPromise, () => {}, false],
  ])('%s: %p of %p', (_, read, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it('has no members that it does not own', () => {
    expect(membersOf(undefined).constructor).toBeUndefined();
  });

  it('is percent-decoded as a whole or not at all', () => {
    expect(['%41%C3%A9', '%41%ff', '%4'].map(decodeEscapes)).toEqual(['Aé', '%41%ff', '%4']);
  });

  it('is a whole number within bounds that count too', () => {
    expect([0, 1, 3, 4].filter((value) => isWhole(value, 1, 3))).toEqual([1, 3]);
  });
});

describe('canonical JSON', () => {
  // RFC 8785, sections 3.2.2.2 to 3.2.3, and what JSON.stringify does with values that JSON does not have.
  it.each<[string, unknown, string]>([
    ['names like integers in the order of strings', { 9: 2, 10: 1, a: 3 }, '{"10":1,"9":2,"a":3}'],
    ['names in the order of UTF-16 code units', { '\ufb33': 1, '\u{1f600}': 2, é: 3 }, '{"é":3,"😀":2,"\ufb33":1}'],
    ['numbers as ECMAScript writes them', [1e30, 4.5, 0.002, -0, 1e-27], '[1e+30,4.5,0.002,0,1e-27]'],
    ['escapes of controls alone', '\u20ac$\u000f\nA\'B"\\/', '"€$\\u000f\\nA\'B\\"\\\\/"'],
    ['nested objects and lists', { b: [{ d: 1, c: [] }], a: {} }, '{"a":{},"b":[{"c":[],"d":1}]}'],
    ['an undefined member', { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ['a hole, NaN and a function', [Object.assign([], { length: 1 }), Number.NaN, () => {}], '[[null],null,null]'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['undefined', undefined, 'null'],
    ['a date, without toJSON', new Date(0), '{}'],
    ['1,000 levels', nested(1_000), '['.repeat(1_000) + ']'.repeat(1_000)],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('rejects a value with more levels, and a value that contains itself, by name', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [nested(1_001), nested(12_000), circle]) {
      expect(() => canonicalJson(value)).toThrow(new TypeError('the value has more than 1,000 levels'));
    }
  });

  it('passes every value and every name to the check, before it is written', () => {
    const seen: unknown[] = [];
    canonicalJson({ b: [1, undefined], a: undefined }, (part) => seen.push(part));
    expect(seen).toEqual([{ b: [1, undefined], a: undefined }, 'a', undefined, 'b', [1, undefined], 1, undefined]);
  });
});

it.each<[string, unknown, number]>([
  ['a string', 'é', 4],
  ['undefined', undefined, 4],
  ['a bigint', 1n, Number.POSITIVE_INFINITY],
  ['a function', () => {}, Number.POSITIVE_INFINITY],
])('the bytes of %s as JSON', (_, value, bytes) => {
  expect(bytesOfJson(value)).toBe(bytes);
});

it('digests of strings are digests of their UTF-8', () => {
  // FIPS 180-2, appendix B.1.
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256('abc'), sha256(Buffer.from('abc'))]).toEqual([abc, abc]);
  expect(sha256Url('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});

describe('a map of limited size', () => {
  it('removes the entry that was used longest ago', () => {
    const removed: number[] = [];
    const entries = new Lru<number>(2, (value) => removed.push(value));
    entries.set('a', 1);
    entries.set('b', 2);
    expect(entries.get('a')).toBe(1);
    entries.set('c', 3);
    expect([...entries.keys()]).toEqual(['a', 'c']);
    expect([...entries.values()]).toEqual([1, 3]);
    expect([entries.size, removed]).toEqual([2, [2]]);
  });

  it('keeps an entry that is written again, and discards a deleted entry', () => {
    const entries = new Lru<number>(2);
    for (const [name, value] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['c', 4],
    ] as const)
      entries.set(name, value);
    expect([entries.get('a'), entries.get('b'), entries.get('c')]).toEqual([3, undefined, 4]);
    entries.delete('a');
    expect([entries.get('a'), entries.size]).toEqual([undefined, 1]);
  });
});
