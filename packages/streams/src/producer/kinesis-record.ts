import { encodeUtf8 } from '@sallyport/core';
import { canonicalJson, isPlainObject, KINESIS_MAX_RECORD_BYTES, trimmedText } from '@sallyport/core/internal';
import { defineOptions, integer, kind } from '@sallyport/core/options';
import { streamsError } from '../errors.js';
import { safeLog } from '../sources/source.js';

/** Input of `createKinesisJsonRecord`. An unknown key is rejected. */
export interface KinesisJsonRecordInput {
  /** Determines the shard; trimmed, 1 to 256 bytes. */
  readonly partitionKey: string;
  /** Plain JSON data; 1 to `maxDataBytes` bytes when encoded. */
  readonly payload: unknown;
  /** Decimal, at most 2^128 - 1; overrides the shard that the partition key selects. */
  readonly explicitHashKey?: string;
  /**
   * Limit of the encoded payload in bytes: 1 to 10,485,760; default 1,048,576. A stream accepts more than 1 MiB only if its
   * `MaxRecordSizeInKiB` was raised, and counts the partition key too.
   */
  readonly maxDataBytes?: number;
}

/** A record ready for Kinesis, in the same form in every runtime. */
export interface KinesisJsonRecord {
  /** Trimmed, 1 to 256 bytes. */
  readonly partition_key: string;
  /** Canonical JSON (RFC 8785) in UTF-8. */
  readonly data: Uint8Array;
  /** Decimal digits; absent if the input contains no explicit hash key. */
  readonly explicit_hash_key?: string;
  /** The loggable part of the record. */
  readonly safe_summary: {
    /** The same value as in the record. */
    readonly partition_key: string;
    /** Bytes of `data`. */
    readonly data_byte_length: number;
    /** The same value as in the record. */
    readonly explicit_hash_key?: string;
    /** `name=value` pairs, each value encoded. Contains no data and no partition key. */
    readonly safe_log: string;
  };
}

/**
 * An entry of the SDK's `PutRecordsCommand`:
 * https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecordsRequestEntry.html.
 */
export interface PutRecordsEntry {
  /** Chooses the shard. */
  PartitionKey: string;
  /** The record's bytes; the SDK encodes them. */
  Data: Uint8Array;
  /** Overrides the shard that the partition key selects; absent if the record contains no explicit hash key. */
  ExplicitHashKey?: string;
}

const MAX_KEY_BYTES = 256;
const DEFAULT_DATA_BYTES = 1_048_576;
const MAX_HASH_KEY = 2n ** 128n - 1n;

/** Any value. The functions below check it and throw `streams.record_invalid`: invalid data is not an invalid configuration. */
const anyData = () => kind<never>('data', () => true);

/** Validators and defaults for {@link KinesisJsonRecordInput}. */
export const KINESIS_RECORD_INPUT = defineOptions<KinesisJsonRecordInput>()({
  partitionKey: anyData(),
  payload: anyData(),
  explicitHashKey: anyData(),
  maxDataBytes: integer(1, KINESIS_MAX_RECORD_BYTES).default(DEFAULT_DATA_BYTES),
});

/**
 * Makes a JSON record: equal payloads have equal bytes.
 *
 * @throws FrameworkError `streams.record_invalid`, its message never quotes the input; `app.invalid_configuration` for an
 *   unknown key or a `maxDataBytes` that is out of range
 * @example
 * const record = createKinesisJsonRecord({ partitionKey: order.id, payload: order });
 * await kinesis.send(new PutRecordsCommand({ StreamName, Records: [toPutRecordsEntry(record)] }));
 */
export function createKinesisJsonRecord(input: KinesisJsonRecordInput): KinesisJsonRecord {
  const { partitionKey, payload, explicitHashKey, maxDataBytes } = KINESIS_RECORD_INPUT.parse(input);
  const partition_key = parsePartitionKey(partitionKey);
  const data = encodePayload(payload, maxDataBytes);
  const hashKey = explicitHashKey === undefined ? {} : { explicit_hash_key: parseHashKey(explicitHashKey) };
  const data_byte_length = data.length;
  return {
    partition_key,
    data,
    ...hashKey,
    safe_summary: { partition_key, data_byte_length, ...hashKey, safe_log: safeLog({ data_byte_length, ...hashKey }) },
  };
}

/** Converts the record for the SDK. */
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

function encodePayload(payload: unknown, maxBytes: number): Uint8Array {
  const data = encodeUtf8(canonicalPayload(payload));
  if (data.length > maxBytes) throw invalid('data too large');
  return data;
}

function canonicalPayload(payload: unknown): string {
  try {
    return canonicalJson(payload, assertData);
  } catch {
    // A throwing getter of the payload is also caught here: there is no value to send.
    throw invalid('unsupported value');
  }
}

function parseHashKey(value: unknown): string {
  const digits = typeof value === 'string' && /^\d{1,256}$/.test(value) ? BigInt(value) : MAX_HASH_KEY + 1n;
  if (digits > MAX_HASH_KEY) throw invalid('invalid explicit hash key');
  return String(digits);
}

/**
 * Rejects values without a JSON form, for which `JSON.stringify` would write `null` or an escape. A lone surrogate has no UTF-8
 * form (RFC 8785 section 3.2.2.2).
 */
function assertData(part: unknown): void {
  switch (typeof part) {
    case 'string':
      if (part.isWellFormed()) return;
      break;
    case 'number':
      if (Number.isFinite(part)) return;
      break;
    case 'boolean':
      return;
    case 'object':
      if (part === null || Array.isArray(part) || isPlainObject(part)) return;
  }
  throw new TypeError('no JSON form');
}
