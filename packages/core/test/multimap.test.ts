import { append, appendHeader, createMap, type MultiMap, toHeaderMap, toStringList } from '../src/request/request.js';

describe('toHeaderMap', () => {
  it.each<[string, Record<string, unknown> | null | undefined, Record<string, string[]>]>([
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['names in any case', { 'Content-Type': 'a' }, { 'content-type': ['a'] }],
    ['names with blanks around', { ' X-A ': 'a' }, { 'x-a': ['a'] }],
    ['blank names, dropped', { '  ': 'a', '': 'b' }, {}],
    ['colliding names, in sorted order', { 'x-a': ['3'], 'X-A': ['1', '2'] }, { 'x-a': ['1', '2', '3'] }],
    ['values that are no strings, left out', { a: 1, b: null, c: ['x', 2, undefined, 'y'], d: [] }, { c: ['x', 'y'] }],
    ['empty values', { a: '', b: [''] }, { a: [''], b: [''] }],
    ['commas, which split nothing', { a: 'x, y' }, { a: ['x, y'] }],
  ])('accepts %s', (_, input, expected) => {
    expect(toHeaderMap(input)).toEqual(expected);
  });

  it('treats the names of Object.prototype as names', () => {
    const map = toHeaderMap(JSON.parse('{"__proto__":"p","Constructor":"c","toString":"t"}'));
    expect(Object.getPrototypeOf(map)).toBeNull();
    expect(Object.entries(map)).toEqual([
      ['constructor', ['c']],
      ['__proto__', ['p']],
      ['tostring', ['t']],
    ]);
    expect(({} as Record<string, unknown>).p).toBeUndefined();
  });

  it('copies lists, so that a caller cannot change the map later', () => {
    const values = ['a'];
    const map = toHeaderMap({ x: values });
    values.push('b');
    expect(map.x).toEqual(['a']);
  });
});

describe('append', () => {
  it('appends to existing values', () => {
    const map: MultiMap = createMap();
    append(map, 'a', '1');
    append(map, 'a', ['2', '3']);
    append(map, '__proto__', '4');
    appendHeader(map, ' A ', '5');
    appendHeader(map, ' ', '6');
    appendHeader(map, 'b', 7);
    expect(Object.entries(map)).toEqual([
      ['a', ['1', '2', '3', '5']],
      ['__proto__', ['4']],
    ]);
  });
});

describe('toStringList', () => {
  it.each([
    ['a', ['a']],
    [
      ['a', 1, 'b'],
      ['a', 'b'],
    ],
    [1, []],
    [null, []],
    [{ 0: 'a' }, []],
  ])('reads the strings of %j', (input, expected) => {
    expect(toStringList(input)).toEqual(expected);
  });
});
