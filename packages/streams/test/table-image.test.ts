import { type AttributeValue, tableImage } from '@sallyport/streams';

const record = (NewImage: Record<string, AttributeValue>) => ({ dynamodb: { NewImage } });
const read = (value: unknown) => tableImage(record({ a: value as AttributeValue }))?.a;

describe('tableImage', () => {
  it.each<[unknown, unknown]>([
    [{ S: 'text' }, 'text'],
    [{ S: '' }, ''],
    [{ N: '42' }, 42],
    [{ N: '-1.5' }, -1.5],
    [{ N: '9007199254740991' }, 9007199254740991],
    [{ N: '9007199254740993' }, 9007199254740993n],
    [{ N: '-90071992547409930' }, -90071992547409930n],
    [{ N: '1E+2' }, 100],
    [{ B: 'AP8=' }, Buffer.from([0, 255])],
    [{ BOOL: false }, false],
    [{ NULL: true }, null],
    [{ L: [{ S: 'a' }, { L: [{ N: '1' }] }] }, ['a', [1]]],
    [{ M: { b: { M: {} } } }, { b: {} }],
    [{ SS: ['a', 'b'] }, new Set(['a', 'b'])],
    [{ NS: ['1', '9007199254740993'] }, new Set([1, 9007199254740993n])],
    [{ BS: ['AQ=='] }, new Set([Buffer.from([1])])],
  ])('reads %j', (attribute, value) => {
    expect(JSON.stringify(plain(read(attribute)))).toBe(JSON.stringify(plain(value)));
    expect(typeof read(attribute)).toBe(typeof value);
  });

  it('distinguishes the parts of a change, and reports a missing part', () => {
    const dynamodb = { Keys: { id: { S: 'k' } }, OldImage: { id: { S: 'old' } } };
    expect(tableImage<{ id: string }>({ dynamodb }, 'keys')?.id).toBe('k');
    expect(tableImage({ dynamodb }, 'old')).toEqual({ id: 'old' });
    expect(tableImage({ dynamodb })).toBeUndefined();
    expect(tableImage({})).toBeUndefined();
  });

  it('keeps a member named __proto__ as data', () => {
    const image = tableImage(
      JSON.parse('{"dynamodb":{"NewImage":{"__proto__":{"S":"x"},"b":{"M":{"__proto__":{"S":"y"}}}}}}'),
    );
    expect(Object.keys(image ?? {})).toEqual(['__proto__', 'b']);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ['no type', {}],
    ['an unknown type', { X: 1 }],
    ['a name of every object', { constructor: 'x' }],
    ['nothing', null],
    ['deeper nesting than DynamoDB has', Array.from({ length: 40 }).reduce((inner) => ({ L: [inner] }), { S: 'x' })],
  ])('rejects a value with %s', (_name, value) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'streams.invalid_record' }));
  });
});

function plain(value: unknown): unknown {
  if (value instanceof Set) return ['set', ...[...value].map(plain)];
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Uint8Array ? [...value] : value;
}
