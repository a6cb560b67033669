import { createHash } from 'node:crypto';

/** An incremental checksum. */
export interface Checksum {
  update(bytes: Uint8Array): void;
  /** Base64, as S3's headers have it. */
  digest(): string;
}

/** The algorithms of S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html. */
export const ALGORITHMS = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export function isAlgorithm(name: string): name is Algorithm {
  return (ALGORITHMS as readonly string[]).includes(name);
}

export function createChecksum(algorithm: Algorithm): Checksum {
  if (algorithm === 'sha1' || algorithm === 'sha256') {
    const hash = createHash(algorithm);
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('base64') };
  }
  return new Crc(TABLES[algorithm]);
}

/** The checksum of a buffer. */
export function checksumOf(algorithm: Algorithm, bytes: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(bytes);
  return checksum.digest();
}

/** The halves of the 256 entries of a reflected polynomial; `high` is 0 for 32 bits. */
interface Table {
  readonly bytes: 4 | 8;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

function tableOf(bytes: 4 | 8, polynomial: bigint): Table {
  const high = new Uint32Array(256);
  const low = new Uint32Array(256);
  for (let index = 0; index < 256; index += 1) {
    let value = BigInt(index);
    for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n;
    high[index] = Number(value >> 32n);
    low[index] = Number(value & 0xffffffffn);
  }
  return { bytes, high, low };
}

const TABLES: Readonly<Record<'crc32' | 'crc32c' | 'crc64nvme', Table>> = {
  crc32: tableOf(4, 0xedb88320n),
  crc32c: tableOf(4, 0x82f63b78n),
  crc64nvme: tableOf(8, 0x9a6c9329ac4bc9b5n),
};

class Crc implements Checksum {
  readonly #table: Table;
  #high = 0xffffffff;
  #low = 0xffffffff;

  constructor(table: Table) {
    this.#table = table;
    if (table.bytes === 4) this.#high = 0;
  }

  update(bytes: Uint8Array): void {
    const { high, low } = this.#table;
    let [h, l] = [this.#high, this.#low];
    for (const byte of bytes) {
      const index = (l ^ byte) & 0xff;
      l = ((l >>> 8) | (h << 24)) ^ (low[index] as number);
      h = (h >>> 8) ^ (high[index] as number);
    }
    [this.#high, this.#low] = [h, l];
  }

  digest(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes.subarray(8 - this.#table.bytes).toString('base64');
  }
}
