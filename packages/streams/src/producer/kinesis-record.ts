import { encodeUtf8, invalidOption } from '@sallyport/core';
import { trimmedText } from '@sallyport/core/pipeline';
import { streamsError } from '../errors.js';
import { safeLog } from '../internal/safe-log.js';
import { isCount } from '../router/options.js';
import { canonicalJson } from './internal/canonical-json.js';

export interface KinesisJsonRecordInput {
  /** Decides the shard; trimmed, 1 to 256 bytes. */
  readonly partitionKey: string;
  /** Plain JSON data; 1 to `maxDataBytes` bytes when encoded. */
  readonly payload: unknown;
  /** Decimal, at most 2^128 - 1; overrides the shard that the partition key gives. */
  readonly explicitHashKey?: string;
  /**
   * Bytes that the encoded payload may have: 1 to 10,485,760; default 1,048,576. A stream takes more than 1 MiB only where
   * its own `MaxRecordSizeInKiB` was raised, and counts the partition key too.
   */
  readonly maxDataBytes?: number;
}

/** A record ready for Kinesis, in the form that is the same in every runtime. */
export interface KinesisJsonRecord {
  readonly partition_key: string;
  /** Canonical JSON (RFC 8785) in UTF-8. */
  readonly data: Uint8Array;
  readonly explicit_hash_key?: string;
  readonly safe_summary: {
    readonly partition_key: string;
    readonly data_byte_length: number;
    readonly explicit_hash_key?: string;
    /** Holds neither data nor partition key. */
    readonly safe_log: string;
  };
}

/** An entry of the SDK's `PutRecordsCommand`. */
export interface PutRecordsEntry {
  PartitionKey: string;
  Data: Uint8Array;
  ExplicitHashKey?: string;
}

const MAX_KEY_BYTES = 256;
const DEFAULT_DATA_BYTES = 1_048_576;
/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateMaxRecordSize.html */
const MAX_DATA_BYTES = 10_485_760;
const MAX_HASH_KEY = 2n ** 128n - 1n;

/**
 * Makes a JSON record of which the same payload gives the same bytes.
 *
 * @throws FrameworkError `streams.record_invalid`, its text never quotes the input; `app.invalid_configuration` for a
 *   `maxDataBytes` that is out of its range
 */
export function createKinesisJsonRecord(input: KinesisJsonRecordInput): KinesisJsonRecord {
  const partition_key = parsePartitionKey(input.partitionKey);
  const data = encodePayload(input.payload, parseMaxDataBytes(input.maxDataBytes));
  const hashKey = input.explicitHashKey === undefined ? {} : { explicit_hash_key: parseHashKey(input.explicitHashKey) };
  const data_byte_length = data.length;
  return {
    partition_key,
    data,
    ...hashKey,
    safe_summary: { partition_key, data_byte_length, ...hashKey, safe_log: safeLog({ data_byte_length, ...hashKey }) },
  };
}

/** The record as the SDK takes it. */
export function toPutRecordsEntry(record: KinesisJsonRecord): PutRecordsEntry {
  const entry: PutRecordsEntry = { PartitionKey: record.partition_key, Data: record.data };
  if (record.explicit_hash_key !== undefined) entry.ExplicitHashKey = record.explicit_hash_key;
  return entry;
}

function invalid(tail: string) {
  return streamsError('streams.record_invalid', `kinesis record: ${tail}`);
}

function parsePartitionKey(value: unknown): string {
  const key = trimmedText(value);
  if (key === '') throw invalid('partition key is required');
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw invalid('partition key too long');
  return key;
}

function parseMaxDataBytes(value: number | undefined): number {
  if (value === undefined) return DEFAULT_DATA_BYTES;
  if (isCount(value) && value <= MAX_DATA_BYTES) return value;
  throw invalidOption('maxDataBytes', 'a whole number from 1 to 10,485,760');
}

function encodePayload(payload: unknown, maxBytes: number): Uint8Array {
  const data = encodeUtf8(canonicalPayload(payload));
  if (data.length > maxBytes) throw invalid('data too large');
  return data;
}

function canonicalPayload(payload: unknown): string {
  try {
    return canonicalJson(payload);
  } catch {
    // Also a getter of the payload's own that throws: there is no value to send.
    throw invalid('unsupported value');
  }
}

function parseHashKey(value: unknown): string {
  const digits = typeof value === 'string' && /^\d{1,256}$/.test(value) ? BigInt(value) : MAX_HASH_KEY + 1n;
  if (digits > MAX_HASH_KEY) throw invalid('invalid explicit hash key');
  return String(digits);
}
