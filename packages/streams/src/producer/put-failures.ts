import { streamsError } from '../errors.js';
import { safeLog } from '../sources/source.js';
import type { KinesisJsonRecord } from './kinesis-record.js';

/**
 * An entry of the answer to `PutRecordsCommand`, as the SDK gives it or in snake_case:
 * https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecordsResultEntry.html.
 */
export interface PutRecordsResult {
  /** The number of the record within its shard; absent when Kinesis did not take it. */
  readonly SequenceNumber?: string | null | undefined;
  /** The shard; absent when Kinesis did not take the record. */
  readonly ShardId?: string | null | undefined;
  /** Why Kinesis did not take the record; absent when it did. */
  readonly ErrorCode?: string | null | undefined;
  /** Says the same in words; absent when Kinesis took the record. */
  readonly ErrorMessage?: string | null | undefined;
  /** Another spelling of `ErrorCode`. */
  readonly error_code?: string | null | undefined;
  /** Another spelling of `ErrorMessage`. */
  readonly error_message?: string | null | undefined;
}

/** What may be logged of a record that Kinesis did not take. The provider's message is measured, never copied. */
export interface PutRecordsFailure {
  /** The place of the record in the list, from 0. */
  readonly index: number;
  /** The record's. */
  readonly partition_key: string;
  /** Bytes of the record's data. */
  readonly data_byte_length: number;
  /** What Kinesis gave as `ErrorCode`: 1 to 128 visible ASCII characters. */
  readonly error_code: string;
  /** True if Kinesis gave a message that is not empty. */
  readonly error_message_present: boolean;
  /** Bytes of that message in UTF-8, at most 4,096. */
  readonly error_message_byte_length: number;
  /** The record's; absent when it has none. */
  readonly explicit_hash_key?: string;
  /** `name=value` pairs, each value encoded. Holds neither data nor partition key. */
  readonly safe_log: string;
}

/** Which records of a put failed. */
export interface PutRecordsReport {
  /** How many records were put. */
  readonly record_count: number;
  /** How many of them Kinesis did not take. */
  readonly failed_record_count: number;
  /** In the order of the records; their `index` says which to send again. */
  readonly failures: readonly PutRecordsFailure[];
  /** Both counts, for logs. */
  readonly safe_summary: {
    /** The same as outside. */
    readonly record_count: number;
    /** The same as outside. */
    readonly failed_record_count: number;
    /** Both as `name=value` pairs. */
    readonly safe_log: string;
  };
}

const MAX_RECORDS = 500;
const MAX_MESSAGE_BYTES = 4_096;
/** Visible ASCII. */
const ERROR_CODE = /^[!-~]{1,128}$/;

/**
 * Says which records of a put failed, without repeating what the provider wrote.
 *
 * @throws FrameworkError `streams.put_result_invalid`; its text never quotes the input
 */
export function reportKinesisPutRecordsFailures(
  records: readonly KinesisJsonRecord[],
  results: readonly PutRecordsResult[],
): PutRecordsReport {
  if (records.length > MAX_RECORDS) throw invalid('too many records');
  if (records.length !== results.length) throw invalid('records and results differ in length');
  const failures = records.flatMap((record, index) => toFailure(record, results[index], index) ?? []);
  const counts = { record_count: records.length, failed_record_count: failures.length };
  return { ...counts, failures, safe_summary: { ...counts, safe_log: safeLog(counts) } };
}

function toFailure(record: KinesisJsonRecord, result: PutRecordsResult | undefined, index: number) {
  const code: unknown = result?.ErrorCode ?? result?.error_code ?? '';
  const message: unknown = result?.ErrorMessage ?? result?.error_message ?? '';
  if (typeof result !== 'object' || result === null) throw invalid(`invalid error code at ${index}`);
  if (code === '' && message === '') return undefined;
  if (typeof code !== 'string' || !ERROR_CODE.test(code)) throw invalid(`invalid error code at ${index}`);
  const messageBytes = typeof message === 'string' ? Buffer.byteLength(message) : Number.POSITIVE_INFINITY;
  if (messageBytes > MAX_MESSAGE_BYTES) throw invalid(`error message too long at ${index}`);
  const facts = {
    data_byte_length: record.data.length,
    error_code: code,
    error_message_present: messageBytes > 0,
    error_message_byte_length: messageBytes,
    ...(record.explicit_hash_key === undefined ? {} : { explicit_hash_key: record.explicit_hash_key }),
  };
  return {
    index,
    partition_key: record.partition_key,
    ...facts,
    safe_log: safeLog({ index, ...facts }),
  };
}

function invalid(tail: string) {
  return streamsError('streams.put_result_invalid', `put-records result: ${tail}`);
}
