import { streamsError } from '../errors.js';
import { safeLog } from '../sources/source.js';
import type { KinesisJsonRecord } from './kinesis-record.js';

/**
 * An entry of the answer to `PutRecordsCommand`, as in the SDK or in snake_case:
 * https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecordsResultEntry.html.
 */
export interface PutRecordsResult {
  /** The number of the record within its shard; absent if Kinesis rejected the record. */
  readonly SequenceNumber?: string | null | undefined;
  /** The shard; absent if Kinesis rejected the record. */
  readonly ShardId?: string | null | undefined;
  /** The reason of the rejection; absent if Kinesis accepted the record. */
  readonly ErrorCode?: string | null | undefined;
  /** The reason in words; absent if Kinesis accepted the record. */
  readonly ErrorMessage?: string | null | undefined;
  /** Another spelling of `ErrorCode`. */
  readonly error_code?: string | null | undefined;
  /** Another spelling of `ErrorMessage`. */
  readonly error_message?: string | null | undefined;
}

/** The loggable part of a rejected record. The provider's message is measured, never copied. */
export interface PutRecordsFailure {
  /** The place of the record in the list, from 0. */
  readonly index: number;
  /** The partition key of the record. */
  readonly partition_key: string;
  /** Bytes of the record's data. */
  readonly data_byte_length: number;
  /** Kinesis's `ErrorCode`: 1 to 128 visible ASCII characters. */
  readonly error_code: string;
  /** True if Kinesis sent a message that is not empty. */
  readonly error_message_present: boolean;
  /** Bytes of that message in UTF-8, at most 4,096. */
  readonly error_message_byte_length: number;
  /** The explicit hash key of the record; absent if it has no such key. */
  readonly explicit_hash_key?: string;
  /** `name=value` pairs, each value encoded. Contains no data and no partition key. */
  readonly safe_log: string;
}

/** Report of the failed records of a put. */
export interface PutRecordsReport {
  /** Number of records in the put. */
  readonly record_count: number;
  /** Number of records that Kinesis rejected. */
  readonly failed_record_count: number;
  /** In the order of the records; their `index` identifies the records to send again. */
  readonly failures: readonly PutRecordsFailure[];
  /** Both counts, for logs. */
  readonly safe_summary: {
    /** The same value as in the report. */
    readonly record_count: number;
    /** The same value as in the report. */
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
 * Reports the failed records of a put, without quoting the provider's messages.
 *
 * @throws FrameworkError `streams.put_result_invalid`; its message never quotes the input
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
