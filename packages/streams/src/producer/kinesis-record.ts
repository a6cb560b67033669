import { encodeUtf8 } from '@sallyport/core';
import { defineOptions, integer, kind } from '@sallyport/core/options';
import { trimmedText } from '@sallyport/core/pipeline';
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
/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateMaxRecordSize.html */
const MAX_DATA_BYTES = 10_485_760;
const MAX_HASH_KEY = 2n ** 128n - 1n;

/** Any value. The functions below check it and throw `streams.record_invalid`: invalid data is not an invalid configuration. */
const anyData = () => kind<never>('data', () => true);

/** Validators and defaults for {@link KinesisJsonRecordInput}. */
export const KINESIS_RECORD_INPUT = defineOptions<KinesisJsonRecordInput>()({
  partitionKey: anyData(),
  payload: anyData(),
  explicitHashKey: anyData(),
  maxDataBytes: integer(1, MAX_DATA_BYTES).default(DEFAULT_DATA_BYTES),
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
    return canonicalJson(payload);
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

/** Thrown for a value that has no JSON form. */
class UnsupportedValue extends Error {}

/** Deeper nesting would end in a stack overflow. */
const MAX_DEPTH = 1_000;

/**
 * JSON in its canonical form (RFC 8785): keys sorted by UTF-16 units, no blanks, numbers as ECMAScript writes them. Equal
 * values have equal JSON in every runtime.
 *
 * @throws UnsupportedValue for a value other than plain objects, arrays, well-formed strings, booleans, finite numbers and `null`;
 * for a cycle; for more than 1,000 levels
 */
function canonicalJson(value: unknown): string {
  return write(value, new Set());
}

/** @param path the containers that hold the value */
function write(value: unknown, path: Set<unknown>): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      break;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, path);
  }
  throw new UnsupportedValue();
}

/** A lone surrogate has no UTF-8 form (RFC 8785 section 3.2.2.2). */
function writeString(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new UnsupportedValue();
  return JSON.stringify(text);
}

function writeContainer(container: object, path: Set<unknown>): string {
  if (path.has(container) || path.size >= MAX_DEPTH) throw new UnsupportedValue();
  path.add(container);
  const text = Array.isArray(container)
    ? `[${Array.from(container, (item) => write(item, path)).join(',')}]`
    : `{${writeMembers(container, path)}}`;
  path.delete(container);
  return text;
}

function writeMembers(object: object, path: Set<unknown>): string {
  if (!isPlain(object)) throw new UnsupportedValue();
  return Object.keys(object)
    .sort()
    .map((key) => `${writeString(key)}:${write((object as Record<string, unknown>)[key], path)}`)
    .join(',');
}

/** True for an object whose prototype is `Object.prototype` of any realm, or `null`. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
