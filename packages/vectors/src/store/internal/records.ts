import { invalidInput } from '../../errors.js';
import type { PutInput, VectorIndexSettings, VectorRecordInput } from '../store.js';
import { cloneMetadata, toVector, validateKey, validateMetadata, validateRequiredMetadata } from '../validators.js';
import type { StoredVector } from './backend.js';

/** Rejects a value that is not an object before a member of it is read. */
export function assertInput(input: unknown, name: string): void {
  if (typeof input !== 'object' || input === null) throw invalidInput(`${name} must be an object`);
}

/** Creates checked copies of all records of a call, before the first record is written. */
export function toStoredVectors(input: PutInput, settings: VectorIndexSettings): readonly StoredVector[] {
  assertInput(input, 'input');
  const { records } = input;
  if (!Array.isArray(records) || records.length === 0) throw invalidInput('at least one record is required');
  assertDifferentKeys(records);
  return records.map((record: VectorRecordInput) => {
    assertRecord(record, settings);
    const data = toVector(record.data, settings.dimension, settings.metric);
    return { key: record.key, data, metadata: cloneMetadata(record.metadata) };
  });
}

/** Checks key and metadata of a record. */
export function assertRecord(record: Pick<VectorRecordInput, 'key' | 'metadata'>, settings: VectorIndexSettings): void {
  validateKey(record.key);
  validateMetadata(record.metadata, settings);
  validateRequiredMetadata(record.metadata, settings.requiredMetadata);
}

/** Rejects records without a key, and two records with the same key, because it is undefined which of the two would be stored. */
export function assertDifferentKeys(records: readonly { readonly key: string }[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at];
    assertInput(record, `record ${at}`);
    const { key } = record as { readonly key: string };
    if (seen.has(key)) throw invalidInput('two records of one call have the same key');
    seen.add(key);
  }
}
