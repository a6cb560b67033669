import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artifactDigest, MAX_VERSIONED_ARTIFACT_BYTES, MAX_VERSIONED_ARTIFACT_ENTRIES } from '@sallyport/objectstore';
import fc from 'fast-check';
import { archive, EMPTY_BLOCKS, member, PINNED, PINNED_DIGEST, pax } from './support/archive.js';

const refused = (problem: string) => expect.failure('artifact.archive_invalid', problem);

describe('the limits', () => {
  it('are 32 MiB and 512 members', () => {
    expect([MAX_VERSIONED_ARTIFACT_BYTES, MAX_VERSIONED_ARTIFACT_ENTRIES]).toEqual([33_554_432, 512]);
  });
});

describe('the digest of an archive', () => {
  it('is the pinned one', () => {
    expect(artifactDigest(PINNED)).toBe(PINNED_DIGEST);
  });

  it.each<[string, Uint8Array]>([
    [
      'the members in another order',
      archive(member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }), member()),
    ],
    [
      'a leading ./',
      archive(member({ name: './a.txt' }), member({ name: './dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' })),
    ],
    [
      'directories',
      archive(
        member({ name: 'dir/', type: '5', data: '' }),
        member(),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
    [
      'bits of the file type in the mode',
      archive(member({ mode: '0100644\0' }), member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' })),
    ],
    [
      'names from pax headers',
      archive(
        pax({ path: 'a.txt', mtime: '1.5' }),
        member({ name: 'cut' }),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
    [
      'names from long-name headers of GNU',
      archive(
        member({ name: '././@LongLink', type: 'L', data: 'a.txt\0', magic: 'ustar  \0' }),
        member({ name: 'cut', magic: 'ustar  \0' }),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
    ['a prefix', archive(member(), member({ name: 'b.sh', prefix: 'dir', mode: '0000755\0', data: '#!/bin/sh\n' }))],
    [
      'headers of the oldest form',
      archive(
        member({ magic: '\0\0\0\0\0\0\0\0', type: '\0' }),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
    ['a record that is filled up', new Uint8Array(Buffer.concat([PINNED, Buffer.alloc(10_240)]))],
    [
      'a size in base 256',
      archive(
        member({ size: '\x80\0\0\0\0\0\0\0\0\0\0\x05' }),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
    [
      'a size from a pax header',
      archive(
        pax({ size: '5' }),
        member({ size: '00000000000\0' }),
        member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }),
      ),
    ],
  ])('is the same with %s', (_name, bytes) => {
    expect(artifactDigest(bytes)).toBe(PINNED_DIGEST);
  });

  it.each<[string, Uint8Array]>([
    [
      'another byte',
      archive(member({ data: 'hellO' }), member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' })),
    ],
    [
      'another mode',
      archive(member({ mode: '0000600\0' }), member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' })),
    ],
    [
      'another path',
      archive(member({ name: 'A.txt' }), member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' })),
    ],
    ['one file less', archive(member())],
  ])('is another with %s', (_name, bytes) => {
    expect(artifactDigest(bytes)).not.toBe(PINNED_DIGEST);
  });
});

describe('an archive', () => {
  const gzip = Buffer.from('1f8b0800', 'hex');
  const many = Array.from({ length: 512 }, (_, index) => member({ name: `f${index}`, data: '' }));
  const path = 'has a path that is not allowed';
  const noFile = 'has a member that is not a regular file';
  const badPax = 'has an extended header that cannot be read';

  it.each<[string, string, Uint8Array]>([
    ['is empty', 'is empty', new Uint8Array(0)],
    ['is gzip', 'is compressed (gzip)', gzip],
    ['is bzip2', 'is compressed (bzip2)', Buffer.from('BZh91AY')],
    ['is xz', 'is compressed (xz)', Buffer.from('fd377a585a00', 'hex')],
    ['is zstd', 'is compressed (zstd)', Buffer.from('28b52ffd00', 'hex')],
    ['is zip', 'is compressed (zip)', Buffer.from('504b030414', 'hex')],
    ['is text', 'is truncated', Buffer.from('hello')],
    ['is noise', 'has a header field that is not an octal number', Buffer.alloc(1024, 'x')],
    ['has no member', 'has no regular file', EMPTY_BLOCKS],
    ['has directories only', 'has no regular file', archive(member({ name: 'd/', type: '5', data: '' }))],
    ['has a hard link', noFile, archive(member(), member({ name: 'l', type: '1', linkname: 'a.txt', data: '' }))],
    [
      'has a symbolic link',
      noFile,
      archive(member(), member({ name: 'l', type: '2', linkname: '/etc/passwd', data: '' })),
    ],
    [
      'has a link that ends like a directory',
      noFile,
      archive(member(), member({ name: 'l/', type: '2', linkname: '..', data: '' })),
    ],
    ['has a character device', noFile, archive(member(), member({ name: 'd', type: '3', data: '' }))],
    ['has a block device', noFile, archive(member(), member({ name: 'd', type: '4', data: '' }))],
    ['has a fifo', noFile, archive(member(), member({ name: 'd', type: '6', data: '' }))],
    ['has a contiguous file', noFile, archive(member({ type: '7' }))],
    ['has a sparse file of GNU', noFile, archive(member({ type: 'S' }))],
    ['has a sparse file of pax', badPax, archive(pax({ 'GNU.sparse.major': '1' }), member())],
    ['has a global pax header', noFile, archive(member({ type: 'g', data: '16 path=a/b.txt\n' }), member())],
    ['has a long link name of GNU', noFile, archive(member({ type: 'K', data: 'x\0' }), member())],
    ['has an absolute path', path, archive(member({ name: '/etc/passwd' }))],
    ['has an absolute path behind ./', path, archive(member({ name: './/etc/passwd' }))],
    ['has an absolute path in a pax header', path, archive(pax({ path: '/etc/passwd' }), member())],
    ['has an absolute path as long name', path, archive(member({ type: 'L', data: '/etc/passwd\0' }), member())],
    ['has .. in a path', path, archive(member({ name: 'a/../../b' }))],
    ['has .. behind ./', path, archive(member({ name: './../b' }))],
    ['has .. in a pax header', path, archive(pax({ path: '../b' }), member())],
    ['has .. in a prefix', path, archive(member({ name: 'b', prefix: '..' }))],
    ['has .. in a directory', path, archive(member(), member({ name: '../', type: '5', data: '' }))],
    ['has . in a path', path, archive(member({ name: 'a/./b' }))],
    ['has two leading ./', path, archive(member({ name: '././b' }))],
    ['has an empty segment', path, archive(member({ name: 'a//b' }))],
    ['has an empty path', path, archive(member({ name: '' }))],
    ['has the folder itself', path, archive(member({ name: './', type: '5', data: '' }), member())],
    ['has a drive letter', path, archive(member({ name: 'C:x' }))],
    ['has a backslash', path, archive(member({ name: 'a\\b' }))],
    ['has a space at the start', path, archive(member({ name: ' a' }))],
    ['has a space at the end', path, archive(member({ name: 'a ' }))],
    ['has two spaces in a row', path, archive(member({ name: 'a  b' }))],
    ['has a line feed in a path', path, archive(member({ name: 'a\nb' }))],
    ['has a C1 control in a path', path, archive(member({ name: 'a\u0085b' }))],
    ['has a path that is no UTF-8', 'has a name that is not UTF-8', archive(withByte(member(), 0, 0xff))],
    ['has a path twice', 'has the same path twice', archive(member(), member())],
    ['has a path twice, once with ./', 'has the same path twice', archive(member(), member({ name: './a.txt' }))],
    [
      'has a file and a directory of one path',
      'has the same path twice',
      archive(member({ name: 'd' }), member({ name: 'd/', type: '5', data: '' })),
    ],
    ['has 513 members', 'has more than 512 members', archive(...many, member())],
    [
      'has 513 members with a directory',
      'has more than 512 members',
      archive(...many, member({ name: 'd/', type: '5', data: '' })),
    ],
    ['has a directory with data', 'has a directory with data', archive(member({ name: 'd/', type: '5' }), member())],
    ['has a member over the limit', 'has a member that is too large', archive(member({ size: '00200000001\0' }))],
    [
      'has a member of 2^63 bytes',
      'has a member that is too large',
      archive(member({ size: '\x80\0\0\0\x80\0\0\0\0\0\0\0' })),
    ],
    ['has a negative size', 'has a member that is too large', archive(member({ size: '\xff'.repeat(12) }))],
    [
      'has a size that is no number',
      'has a header field that is not an octal number',
      archive(member({ size: '0000000000x\0' })),
    ],
    [
      'has a mode that is no number',
      'has a header field that is not an octal number',
      archive(member({ mode: 'rw-r--r-' })),
    ],
    ['has a wrong header sum', 'has a header with a wrong checksum', archive(member({ sumError: 1 }))],
    ['has another magic', 'is not a tar archive', archive(member({ magic: 'ustar\x0001' }))],
    ['is cut in a header', 'is truncated', PINNED.subarray(0, 700)],
    ['is cut in the data of its last member', 'is truncated', member().subarray(0, 514)],
    ['is cut in a long name', 'is truncated', member({ type: 'L', data: 'a.txt\0' }).subarray(0, 515)],
    ['is cut in the data', 'is truncated', PINNED.subarray(0, 1024 + 600)],
    ['is cut before its end', 'is truncated', PINNED.subarray(0, 2048)],
    ['has one block of zeros at its end', 'is truncated', PINNED.subarray(0, 2048 + 512)],
    [
      'has one block of zeros before a member',
      'has one block of zeros instead of two',
      Buffer.concat([member(), Buffer.alloc(512), member({ name: 'b' }), EMPTY_BLOCKS]),
    ],
    ['has bytes behind its end', 'has data after its end', Buffer.concat([PINNED, Buffer.from('x')])],
    [
      'has a member behind its end',
      'has data after its end',
      Buffer.concat([PINNED, member({ name: 'b' }), EMPTY_BLOCKS]),
    ],
    ['has too many zeros behind its end', 'has data after its end', Buffer.concat([PINNED, Buffer.alloc(10_241)])],
    ['ends behind a pax header', 'ends after an extended header', archive(member(), pax({ path: 'b' }))],
    [
      'has two pax headers for a member',
      'has two extended headers for one member',
      archive(pax({ path: 'b' }), pax({ path: 'c' }), member()),
    ],
    ['has a pax record of a wrong length', badPax, archive(member({ type: 'x', data: '99 path=b\n' }), member())],
    ['has a pax record without length', badPax, archive(member({ type: 'x', data: 'path=b\n' }), member())],
    ['has a pax path twice', badPax, archive(member({ type: 'x', data: '10 path=b\n10 path=c\n' }), member())],
    ['has a pax path with a zero byte', badPax, archive(member({ type: 'x', data: '12 path=b\0c\n' }), member())],
    ['has a pax size that is no number', badPax, archive(pax({ size: '-5' }), member())],
    ['has a pax header in another character set', badPax, archive(pax({ hdrcharset: 'BINARY' }), member())],
  ])('that %s is rejected', (_name, problem, bytes) => {
    expect(() => artifactDigest(bytes)).toThrow(refused(problem));
  });

  it('of more than 32 MiB is rejected', () => {
    expect(() => artifactDigest(new Uint8Array(33_554_433))).toThrow(refused('is too large'));
  });

  it('with 512 members is taken', () => {
    expect(artifactDigest(archive(...many))).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('that was changed anywhere never crashes the reader', () => {
    const rich = archive(
      pax({ path: 'x/y.txt' }),
      member(),
      member({ name: 'd/', type: '5', data: '' }),
      member({ name: 'd/z' }),
    );
    let outcomes = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(rich.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(rich.length),
        (changes, length) => {
          const mutated = rich.slice(0, length % 3 === 0 ? length : undefined);
          for (const [at, byte] of changes) if (at < mutated.length) mutated[at] = byte;
          outcomes += 1;
          try {
            expect(artifactDigest(mutated)).toMatch(/^sha256:/);
          } catch (error) {
            expect(error).toMatchObject({ code: 'artifact.archive_invalid' });
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(outcomes).toBeGreaterThanOrEqual(300);
  });
});

describe('archives of the tar program', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'archives-'));
    mkdirSync(join(folder, 'in', 'dir'), { recursive: true });
    writeFileSync(join(folder, 'in', 'a.txt'), 'hello');
    writeFileSync(join(folder, 'in', 'dir', 'b.sh'), '#!/bin/sh\n');
    chmodSync(join(folder, 'in', 'a.txt'), 0o644);
    chmodSync(join(folder, 'in', 'dir', 'b.sh'), 0o755);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['ustar', 'pax', 'gnu', 'v7', 'oldgnu'])('of format %s have the digest of their files', (format) => {
    const file = join(folder, `${format}.tar`);
    const { status } = spawnSync('tar', [`--format=${format}`, '-C', join(folder, 'in'), '-cf', file, 'a.txt', 'dir']);
    expect(status).toBe(0);
    expect(artifactDigest(readFileSync(file))).toBe(PINNED_DIGEST);
  });
});

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = Buffer.from(bytes);
  const old = changed[at] ?? 0;
  changed[at] = byte;
  const sum = Number.parseInt(changed.toString('latin1', 148, 154), 8) - old + byte;
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}
