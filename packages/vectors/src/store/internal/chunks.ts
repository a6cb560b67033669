import { MAX_PUT_DELETE_BATCH_SIZE, VECTOR_LIMITS } from '../../schema.js';
import type { Metadata, VectorData } from '../store.js';
import type { StoredVector } from './backend.js';

/** The most bytes that one number takes: sign, nine digits, zeros or exponent, and a comma. */
const NUMBER_BYTES = 18;
/** Names, braces and quotes of one record. */
const RECORD_BYTES = 64;

/**
 * How many bytes a record may take in a request, never too few. Numbers are not written for it, so that the same records make the
 * same chunks in every runtime.
 */
export function recordBytes({ key, data, metadata }: StoredVector): number {
  return RECORD_BYTES + jsonBytes(key) + data.length * NUMBER_BYTES + (metadata ? jsonBytes(metadata) : 0);
}

function jsonBytes(value: string | Metadata): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Cuts a put into requests: a chunk closes at 500 records, or before it passes the bytes that a request may have. */
export function chunkRecords(records: readonly StoredVector[]): readonly (readonly StoredVector[])[] {
  const chunks: StoredVector[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = recordBytes(record);
    const open = chunks.at(-1);
    if (open && open.length < MAX_PUT_DELETE_BATCH_SIZE && bytes + size <= VECTOR_LIMITS.putBytes) {
      open.push(record);
      bytes += size;
    } else {
      chunks.push([record]);
      bytes = size;
    }
  }
  return chunks;
}

/** Cuts a list into parts of at most so many. */
export function chunkKeys<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Numbers that restore every 32-bit float and are half as long as their exact decimals: nine digits are enough. */
export function toWireNumbers(data: VectorData): number[] {
  return Array.from(data, (value) => Number(value.toPrecision(9)));
}
