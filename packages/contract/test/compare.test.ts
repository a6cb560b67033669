import { compare, type Json } from '../src/index.js';

const paths = (expected: Json, found: Json | undefined) => compare(expected, found).map(({ path }) => path);

describe('comparison', () => {
  it.each<[string, Json, Json | undefined]>([
    ['equal data in another order of keys', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }],
    ['-0 and 0', { n: 0 }, { n: -0 }],
    ['a type', { $any: 'string' }, 'x'],
    ['a list as a type', { a: { $any: 'array' } }, { a: [] }],
    ['null as a type', { $any: 'null' }, null],
    ['a pattern', { $match: '^a+$' }, 'aaa'],
    ['an absent key', { a: 1, b: { $absent: true } }, { a: 1 }],
    ['an absent key that every object inherits', { constructor: { $absent: true } }, {}],
    ['text that parses to data', { $json: { a: { $any: 'number' } } }, '{"a":1}'],
    ['data that looks like a matcher', { $literal: { $any: 'string' } }, { $any: 'string' }],
    ['further keys of an open object', { a: 1, $open: true }, { a: 1, b: 2 }],
    ['a key named __proto__', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('accepts %s', (_name, expected, found) => {
    expect(compare(expected, found)).toEqual([]);
  });

  it.each<[string, Json, Json | undefined, string[]]>([
    ['another value', { a: 1 }, { a: '1' }, ['.a']],
    ['an extra key', { a: 1 }, { a: 1, 'x-b': 2 }, ['["x-b"]']],
    ['a missing key', { a: 1 }, {}, ['.a']],
    ['null for a missing key', { a: null }, {}, ['.a']],
    ['another order of a list', [1, 2], [2, 1], ['[0]', '[1]']],
    ['a longer list', [1], [1, 2], ['[1]']],
    ['a shorter list', [1, 2], [1], ['[1]']],
    ['a list for an object', {}, [], ['']],
    ['null for an object', {}, null, ['']],
    ['another type', { $any: 'string' }, 1, ['']],
    ['a pattern on a number', { $match: '1' }, 1, ['']],
    ['a key that should be absent', { a: { $absent: true } }, { a: null }, ['.a']],
    ['text that is no JSON', { $json: 1 }, 'x', ['']],
    ['parsed data of another value', { $json: { a: 1 } }, '{"a":2}', ['{json}.a']],
    ['a matcher inside a literal', { $literal: { a: { $any: 'string' } } }, { a: 'x' }, ['.a']],
    ['an open key in a literal', { $literal: { $open: true } }, { a: 1 }, ['["$open"]', '.a']],
    ['an inherited name', { a: 1 }, JSON.parse('{"a":1,"__proto__":2}'), ['["__proto__"]'].map(() => '.__proto__')],
  ])('rejects %s', (_name, expected, found, where) => {
    expect(paths(expected, found)).toEqual(where);
  });

  it('does not fail on objects without a prototype', () => {
    const found = Object.assign(Object.create(null), { a: 1 }) as Json;
    expect(compare({ a: 1 }, found)).toEqual([]);
  });

  it('rejects an object with $ that is not a matcher', () => {
    expect(() => compare({ $anything: 1 }, {})).toThrow('unknown matcher $anything; protect data by $literal');
    expect(() => compare({ $any: 'string', a: 1 }, {})).toThrow('$any must be the only key');
  });

  it('shows what it found with bounded length and without control characters', () => {
    const [difference] = compare('', `\u202e\u001b[2J${'x'.repeat(300)}`);
    expect(difference?.expected).toBe('""');
    expect(difference?.found).toMatch(/^"\\u202e\\u001b\[2Jx{184}… \(317 characters\)$/);
  });
});
