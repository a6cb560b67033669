import { formatObjectRef, type ObjectRef, parseObjectRef } from '@sallyport/objectstore';
import fc from 'fast-check';

const code = 'objectstore.invalid_ref';

describe('a reference as text', () => {
  it.each<[string, ObjectRef]>([
    ['s3://releases/app/1.tar', { bucket: 'releases', key: 'app/1.tar' }],
    ['s3://b/k', { bucket: 'b', key: 'k' }],
    ['s3://b//k/', { bucket: 'b', key: '/k/' }],
    ['s3://b/a%2Fb%20c+d', { bucket: 'b', key: 'a%2Fb%20c+d' }],
    ['s3://b/../x/./y', { bucket: 'b', key: '../x/./y' }],
    ['s3://B_1.x/é', { bucket: 'B_1.x', key: 'é' }],
    ['s3://b/ k', { bucket: 'b', key: ' k' }],
    [`s3://${'b'.repeat(63)}/${'é'.repeat(512)}`, { bucket: 'b'.repeat(63), key: 'é'.repeat(512) }],
  ])('%s is read, its key verbatim', (uri, ref) => {
    expect(parseObjectRef(uri)).toEqual(ref);
    expect(formatObjectRef(ref)).toBe(uri);
  });

  it.each<[string, unknown]>([
    ['no text', 5],
    ['nothing', undefined],
    ['an empty text', ''],
    ['a bare key', 'bucket/key'],
    ['another scheme', 'https://bucket/key'],
    ['the scheme in upper case', 'S3://bucket/key'],
    ['one slash behind the scheme', 's3:/bucket/key'],
    ['a space in front', ' s3://bucket/key'],
    ['a space behind', 's3://bucket/key '],
    ['a line feed behind', 's3://bucket/key\n'],
    ['no bucket', 's3:///key'],
    ['no key', 's3://bucket'],
    ['an empty key', 's3://bucket/'],
    ['a query', 's3://bucket/key?versionId=1'],
    ['a fragment', 's3://bucket/key#part'],
    ['a space in the bucket', 's3://buc ket/key'],
    ['a no-break space in the bucket', 's3://buc\u00a0ket/key'],
    ['a control character in the bucket', 's3://buc\u0007ket/key'],
    ['a control character in the key', 's3://bucket/ke\u0000y'],
    ['a delete character in the key', 's3://bucket/ke\u007fy'],
    ['a C1 control in the key', 's3://bucket/ke\u009fy'],
    ['half a surrogate pair', 's3://bucket/\ud83d'],
    ['a bucket of 64 characters', `s3://${'b'.repeat(64)}/key`],
    ['a key of 1,025 bytes', `s3://bucket/${'k'.repeat(1025)}`],
    ['a key of 1,026 bytes in 513 characters', `s3://bucket/${'é'.repeat(513)}`],
  ])('%s is rejected', (_name, uri) => {
    expect(() => parseObjectRef(uri as string)).toThrow(expect.objectContaining({ code, details: { field: 'ref' } }));
  });

  it('is unchanged after writing and reading, for every valid key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        let ref: ObjectRef;
        try {
          ref = parseObjectRef(`s3://bucket/${key}`);
        } catch {
          return;
        }
        expect(ref.key).toBe(key);
        expect(parseObjectRef(formatObjectRef(ref))).toEqual(ref);
      }),
    );
  });
});

describe('a reference as object', () => {
  it('omits its version from the text', () => {
    expect(formatObjectRef({ bucket: 'b', key: 'k', versionId: 'v1' })).toBe('s3://b/k');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', ['b', 'k']],
    ['without bucket', { key: 'k' }],
    ['without key', { bucket: 'b' }],
    ['with a slash in the bucket', { bucket: 'b/c', key: 'k' }],
    ['with an empty version', { bucket: 'b', key: 'k', versionId: '' }],
    ['with a version that is no text', { bucket: 'b', key: 'k', versionId: 1 }],
    ['with a query in the version', { bucket: 'b', key: 'k', versionId: 'v?x' }],
    ['with a fragment in the version', { bucket: 'b', key: 'k', versionId: 'v#x' }],
    ['with a control character in the version', { bucket: 'b', key: 'k', versionId: 'v\r\n' }],
    ['with a version of 1,025 characters', { bucket: 'b', key: 'k', versionId: 'v'.repeat(1025) }],
    ['with another member', { bucket: 'b', key: 'k', region: 'eu-west-1' }],
  ])('is rejected %s', (_name, ref) => {
    expect(() => formatObjectRef(ref as ObjectRef)).toThrow(expect.objectContaining({ code }));
  });
});
