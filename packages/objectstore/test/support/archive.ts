const BLOCK = 512;

/** One member of an archive, with the exact value of every field. */
export interface Member {
  readonly name?: string;
  readonly data?: string | Uint8Array;
  readonly mode?: string;
  /** The size field, where it is not that of the data. */
  readonly size?: string;
  readonly type?: string;
  readonly linkname?: string;
  readonly magic?: string;
  readonly prefix?: string;
  /** Added to the right sum. */
  readonly sumError?: number;
}

export const EMPTY_BLOCKS = new Uint8Array(2 * BLOCK);

/** One member: header, data, padding. */
export function member(options: Member = {}): Uint8Array {
  const { name = 'a.txt', data = 'hello', mode = '0000644\0', type = '0', linkname = '', prefix = '' } = options;
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, at: number) => header.write(text, at, 'latin1');
  header.write(name, 0);
  put(mode, 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(options.size ?? `${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put('        ', 148);
  put(type, 156);
  header.write(linkname, 157);
  put(options.magic ?? 'ustar\x0000', 257);
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0) + (options.sumError ?? 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** A pax header with these records, for the next member. */
export function pax(records: Readonly<Record<string, string>>): Uint8Array {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    if (String(length).length > String(rest).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return member({ name: 'PaxHeaders/x', type: 'x', data: lines.join('') });
}

/** A whole archive: the members, two blocks of zeros. */
export function archive(...members: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat([...members, EMPTY_BLOCKS]));
}

/** The archive whose digest is pinned. */
export const PINNED = archive(member(), member({ name: 'dir/b.sh', mode: '0000755\0', data: '#!/bin/sh\n' }));
export const PINNED_DIGEST = 'sha256:becc12eda8325af2bd4b48f18738f590377151c52356e91f2fe4b3df5b3a5b0e';
