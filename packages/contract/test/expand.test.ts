import { gunzipSync } from 'node:zlib';
import { canonicalJson, expand, type Json } from '../src/index.js';

describe('expansions', () => {
  it.each<[Json, Json]>([
    [{ $base64: 'ü' }, 'w7w='],
    [{ $base64: { hex: '00ff' } }, 'AP8='],
    [{ $base64: { $bytes: { hex: '00ff' } } }, 'AP8='],
    [{ $bytes: { hex: '00FF' } }, { base64: 'AP8=' }],
    [{ $repeat: ['ab', 3] }, 'ababab'],
    [{ $repeat: [{ a: 1 }, 2] }, [{ a: 1 }, { a: 1 }]],
    [{ $base64: { $repeat: ['a', 3] } }, 'YWFh'],
    [{ $literal: { $repeat: ['a', 3] } }, { $repeat: ['a', 3] }],
    [{ deep: [{ $base64: 'a' }] }, { deep: ['YQ=='] }],
    [{ $connect: 1 }, { $connect: 1 }],
  ])('%j becomes %j', (form, result) => {
    expect(expand(form)).toEqual(result);
  });

  it('compresses JSON and text with gzip', () => {
    const unpack = (form: Json) => gunzipSync(Buffer.from(String(expand(form)), 'base64')).toString();
    expect(unpack({ $gzip_base64: { a: 1 } })).toBe('{"a":1}');
    expect(unpack({ $gzip_base64: 'not json' })).toBe('not json');
  });

  it.each<[Json, string]>([
    [{ $base64: 'a', b: 1 }, '$base64 must be the only key'],
    [{ $repeat: 'a' }, '$repeat needs [value, times]'],
    [{ $bytes: { hex: '0' } }, 'bytes must be a string or { hex }'],
  ])('%j is rejected', (form, message) => {
    expect(() => expand(form)).toThrow(message);
  });
});

describe('canonical JSON', () => {
  it.each<[Json, string]>([
    [{ b: 1, a: [true, null, -0] }, '{"a":[true,null,0],"b":1}'],
    [{ '\u20ac': 1, '\r': 2, '\ud83d\ude00': 3, '\ufb33': 4 }, '{"\\r":2,"€":1,"😀":3,"\ufb33":4}'],
    [1e21, '1e+21'],
  ])('of %j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
