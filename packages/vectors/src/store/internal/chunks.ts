import { MAX_PUT_DELETE_BATCH_SIZE, VECTOR_LIMITS } from '../../schema.js';
import type { Metadata, VectorData } from '../store.js';
import type { StoredVector } from './backend.js';

/** The most bytes of a number with nine digits, including sign and comma: `-0.00000123456789,`, and `-123456789000000000000,`. */
const NUMBER_BYTES = 18;
const LARGE_NUMBER_BYTES = 23;
const LARGE = 1e9;
/** Names, braces and quotes of one record. */
const RECORD_BYTES = 64;

/**
 * An upper bound for the bytes of a record in a request: 18 for a number, 23 for a number from 1e9 on. It does not depend on the
 * number format of a runtime, so that equal records are split into equal chunks in every runtime.
 */
export function recordBytes({ key, data, metadata }: StoredVector): number {
  return RECORD_BYTES + jsonBytes(key) + numberBytes(data) + (metadata ? jsonBytes(metadata) : 0);
}

function numberBytes(data: VectorData): number {
  let large = 0;
  for (const value of data) if (Math.abs(value) >= LARGE) large += 1;
  return data.length * NUMBER_BYTES + large * (LARGE_NUMBER_BYTES - NUMBER_BYTES);
}

function jsonBytes(value: string | Metadata): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Splits a put into requests. A chunk ends at 500 records, or before it exceeds the maximum bytes of a request. */
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

/** Splits a list into parts of limited length. */
export function chunkKeys<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Numbers that restore every 32-bit float and are half as long as their exact decimals: nine digits are enough. */
export function toWireNumbers(data: VectorData): number[] {
  return Array.from(data, (value) => Number(value.toPrecision(9)));
}
