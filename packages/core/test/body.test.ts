import fc from 'fast-check';
import {
  asBuffer,
  base64Size,
  decodeBase64,
  decodeUtf8,
  EMPTY_BYTES,
  encodeUtf8,
  isJsonMediaType,
} from '../src/request/encoding.js';

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, value) => value);

describe('decodeBase64', () => {
  it('returns all 256 byte values back', () => {
    expect([...decodeBase64(Buffer.from(ALL_BYTES).toString('base64'))]).toEqual([...ALL_BYTES]);
  });

  it.each([
    ['', []],
    ['AA==', [0]],
    ['AAE=', [0, 1]],
    ['AAEC', [0, 1, 2]],
    ['+/+/', [251, 255, 191]],
  ])('decodes %p', (text, bytes) => {
    expect([...decodeBase64(text)]).toEqual(bytes);
    expect(base64Size(text)).toBe(bytes.length);
  });

  it.each([
    ['A'],
    ['AA'],
    ['AAA'],
    ['AA='],
    ['AAAAA'],
    ['===='],
    ['A==='],
    ['AA=A'],
    ['=AAA'],
    ['AAAA===='],
    ['AA==AAAA'],
    ['-_-_'],
    ['AAA-'],
    ['AA A'],
    [' AAAA'],
    ['AAA\n'],
    ['AAAA\n'],
    ['AAAÄ'],
    ['QUJD*UJD'],
    ['data:;base64,AAAA'],
  ])('rejects %j', (text) => {
    expect(() => decodeBase64(text)).toThrow(expect.failure('app.bad_request', 'invalid base64'));
  });

  it.each<[string, string]>([
    ['at the start', '-AAA'],
    ['at the end', 'AAA_'],
  ])('rejects the URL alphabet %s up to 65,536 characters, and decodes it above', (_name, group) => {
    const text = group.startsWith('-') ? group + 'AAAA'.repeat(16_383) : 'AAAA'.repeat(16_383) + group;
    expect(() => decodeBase64(text)).toThrow('invalid base64');
    const longer = `${text}AAAA`;
    const standard = longer.replaceAll('-', '+').replaceAll('_', '/');
    expect(Buffer.compare(decodeBase64(longer), Buffer.from(standard, 'base64'))).toBe(0);
  });

  it.each([
    ['a length that is no multiple of four', 'A'],
    ['another character', 'AAA*'],
    ['white space', 'AAA\n'],
    ['padding inside', 'A=AA'],
  ])('rejects %s above 65,536 characters too', (_name, part) => {
    expect(() => decodeBase64('AAAA'.repeat(8_192) + part + 'AAAA'.repeat(8_192))).toThrow('invalid base64');
  });

  it('computes the decoded size before decoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(base64Size(text)).toBe(bytes.length);
        expect(Buffer.compare(decodeBase64(text), bytes)).toBe(0);
      }),
    );
  });
});

describe('text', () => {
  it('goes to UTF-8 and back, malformed parts as U+FFFD', () => {
    expect([...encodeUtf8('€\ud800')]).toEqual([0xe2, 0x82, 0xac, 0xef, 0xbf, 0xbd]);
    expect(decodeUtf8(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
    expect(encodeUtf8('')).toBe(EMPTY_BYTES);
  });

  it('views the same memory', () => {
    const bytes = Uint8Array.of(0, 1, 2, 3).subarray(1, 3);
    const buffer = asBuffer(bytes);
    expect([...buffer]).toEqual([1, 2]);
    bytes[0] = 9;
    expect(buffer[0]).toBe(9);
    expect(asBuffer(buffer)).toBe(buffer);
  });
});

describe('isJsonMediaType', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    [' application/json ', true],
    ['application/problem+json', true],
    ['application/vnd.api+json;ext="x"', true],
    ['application/jsonx', false],
    ['application/json+x', false],
    ['text/json', false],
    ['+json', false],
    ['a/+json', false],
    ['text/plain; application/json', false],
    ['', false],
  ])('describes %p as %p', (type, expected) => {
    expect(isJsonMediaType(type)).toBe(expected);
  });
});
