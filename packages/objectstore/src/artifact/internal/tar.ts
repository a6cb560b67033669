/** The reason for rejecting an archive; its message becomes part of the artifact's error. */
export class ArchiveFault extends Error {}

/** One regular file of an archive, as a range of its bytes. */
export interface TarFile {
  readonly path: string;
  /** The twelve permission bits. */
  readonly mode: number;
  readonly start: number;
  readonly size: number;
}

export interface TarLimits {
  readonly maxMembers: number;
  readonly maxMemberBytes: number;
}

const BLOCK = 512;
const MAX_TRAILING_BYTES = 10_240;
const COMPRESSED: readonly (readonly [string, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

/** Name and size from an extended header; they replace the name and size of the next member. */
interface Extension {
  readonly path?: string;
  readonly size?: number;
}

/**
 * Lists the regular files of a tar archive, and rejects all content that two readers could understand differently: links, devices,
 * sparse and global headers, paths that leave their folder, the same path twice, data after the end. Nothing is copied.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
 * @throws ArchiveFault
 */
export function readTar(archive: Uint8Array, { maxMembers, maxMemberBytes }: TarLimits): readonly TarFile[] {
  assertPlain(archive);
  const files: TarFile[] = [];
  const seen = new Set<string>();
  let extension: Extension | undefined;
  let at = 0;
  for (;;) {
    const block = blockAt(archive, at);
    if (isZero(block)) {
      if (extension) throw new ArchiveFault('ends after an extended header');
      assertEnd(archive, at);
      break;
    }
    const header = new Header(block);
    const size = extension?.size ?? header.size;
    if (size > maxMemberBytes) throw new ArchiveFault('has a member that is too large');
    const start = at + BLOCK;
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (header.isExtension) {
      if (extension) throw new ArchiveFault('has two extended headers for one member');
      extension = header.readExtension(archive.subarray(start, start + size));
      continue;
    }
    const name = extension?.path ?? header.name;
    extension = undefined;
    if (!header.isFile && !header.isFolder) throw new ArchiveFault('has a member that is not a regular file');
    const isFolder = header.isFolder || name.endsWith('/');
    if (isFolder && size > 0) throw new ArchiveFault('has a directory with data');
    const path = checkPath(isFolder ? name.replace(/\/$/, '') : name);
    if (seen.has(path)) throw new ArchiveFault('has the same path twice');
    seen.add(path);
    if (seen.size > maxMembers) throw new ArchiveFault(`has more than ${maxMembers} members`);
    if (!isFolder) files.push({ path, mode: header.mode, start, size });
  }
  if (files.length === 0) throw new ArchiveFault('has no regular file');
  return files;
}

/** A header block whose checksum is right. */
class Header {
  readonly #block: Uint8Array;
  readonly #type: string;
  readonly #format: 'ustar' | 'gnu' | 'v7';

  constructor(block: Uint8Array) {
    this.#block = block;
    if (readOctal(block.subarray(148, 156)) !== sumOf(block))
      throw new ArchiveFault('has a header with a wrong checksum');
    this.#format = formatOf(block.subarray(257, 265));
    this.#type = String.fromCharCode(block[156] ?? 0);
  }

  get isFile(): boolean {
    return this.#type === '0' || this.#type === '\0';
  }

  get isFolder(): boolean {
    return this.#type === '5';
  }

  /** A pax header of one member, or a long name of GNU. Global headers are rejected like links. */
  get isExtension(): boolean {
    return this.#type === 'x' || this.#type === 'L';
  }

  get mode(): number {
    return readOctal(this.#block.subarray(100, 108)) & 0o7777;
  }

  get size(): number {
    const field = this.#block.subarray(124, 136);
    return ((field[0] ?? 0) & 0x80) === 0 ? readOctal(field) : readBinary(field);
  }

  get name(): string {
    const name = decodeName(untilNul(this.#block.subarray(0, 100)));
    const prefix = this.#format === 'ustar' ? decodeName(untilNul(this.#block.subarray(345, 500))) : '';
    return prefix === '' ? name : `${prefix}/${name}`;
  }

  readExtension(data: Uint8Array): Extension {
    return this.#type === 'x' ? readPax(data) : { path: decodeName(untilNul(data)) };
  }
}

function formatOf(magic: Uint8Array): 'ustar' | 'gnu' | 'v7' {
  const text = String.fromCharCode(...magic);
  if (text === 'ustar\x0000') return 'ustar';
  if (text === 'ustar  \0') return 'gnu';
  if (isZero(magic)) return 'v7';
  throw new ArchiveFault('is not a tar archive');
}

/** Parses records of the form `<length> <key>=<value>\n`, where the length includes the whole record. */
function readPax(data: Uint8Array): Extension {
  const records = new Map<string, string>();
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(0x20, at);
    const digits = space < 0 ? '' : String.fromCharCode(...data.subarray(at, Math.min(space, at + 9)));
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,7}$/.test(digits) || end > data.length || end < space + 3 || data[end - 1] !== 0x0a)
      throw badPax();
    const record = decodeName(data.subarray(space + 1, end - 1));
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (equals < 1 || records.has(key) || key.startsWith('GNU.sparse.') || key === 'hdrcharset') throw badPax();
    records.set(key, record.slice(equals + 1));
    at = end;
  }
  const [path, size] = [records.get('path'), records.get('size')];
  if (path?.includes('\0') || (size !== undefined && !/^\d{1,15}$/.test(size))) throw badPax();
  return { ...(path !== undefined && { path }), ...(size !== undefined && { size: Number(size) }) };
}

function badPax(): ArchiveFault {
  return new ArchiveFault('has an extended header that cannot be read');
}

/** The path without one leading `./`. */
function checkPath(name: string): string {
  const path = name.startsWith('./') ? name.slice(2) : name;
  const isBad =
    name !== name.trim() ||
    name.includes('  ') ||
    /[\p{Cc}\\]/u.test(name) ||
    /^[A-Za-z]:/.test(path) ||
    path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  if (isBad) throw new ArchiveFault('has a path that is not allowed');
  return path;
}

function assertPlain(archive: Uint8Array): void {
  if (archive.length === 0) throw new ArchiveFault('is empty');
  for (const [name, magic] of COMPRESSED) {
    if (magic.every((byte, index) => archive[index] === byte)) throw new ArchiveFault(`is compressed (${name})`);
  }
}

/** Checks the end: two blocks of zeros, then only zeros, at most up to the end of a tar record. */
function assertEnd(archive: Uint8Array, at: number): void {
  if (!isZero(blockAt(archive, at + BLOCK))) throw new ArchiveFault('has one block of zeros instead of two');
  const rest = archive.subarray(at + 2 * BLOCK);
  if (rest.length > MAX_TRAILING_BYTES || !isZero(rest)) throw new ArchiveFault('has data after its end');
}

function blockAt(archive: Uint8Array, at: number): Uint8Array {
  if (at + BLOCK > archive.length) throw new ArchiveFault('is truncated');
  return archive.subarray(at, at + BLOCK);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** The sum of a header's bytes, with its checksum field counted as spaces. */
function sumOf(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (const byte of block) sum += byte;
  for (const byte of block.subarray(148, 156)) sum -= byte;
  return sum;
}

/** Parses octal digits, with optional spaces before them and a space or a zero byte after them. */
function readOctal(field: Uint8Array): number {
  const match = /^ *([0-7]+)[ \0]*$/.exec(String.fromCharCode(...field));
  if (!match?.[1]) throw new ArchiveFault('has a header field that is not an octal number');
  return Number.parseInt(match[1], 8);
}

/** GNU's form for large numbers: base 256, marked by the first bit. */
function readBinary(field: Uint8Array): number {
  let value = (field[0] ?? 0) & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return value;
}

function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ArchiveFault('has a name that is not UTF-8');
  }
}
