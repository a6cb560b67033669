import { streamsError } from '../errors.js';
import { safeLog } from '../internal/safe-log.js';
import type { KinesisJsonRecord } from './kinesis-record.js';

/** An entry of the answer to `PutRecordsCommand`, as the SDK gives it or in snake_case. */
export interface PutRecordsResult {
  readonly SequenceNumber?: string | null | undefined;
  readonly ShardId?: string | null | undefined;
  readonly ErrorCode?: string | null | undefined;
  readonly ErrorMessage?: string | null | undefined;
  readonly error_code?: string | null | undefined;
  readonly error_message?: string | null | undefined;
}

/** What may be written down of a record that Kinesis did not take. The provider's message is measured, never copied. */
export interface PutRecordsFailure {
  readonly index: number;
  readonly partition_key: string;
  readonly data_byte_length: number;
  readonly error_code: string;
  readonly error_message_present: boolean;
  readonly error_message_byte_length: number;
  readonly explicit_hash_key?: string;
  /** Holds neither data nor partition key. */
  readonly safe_log: string;
}

export interface PutRecordsReport {
  readonly record_count: number;
  readonly failed_record_count: number;
  /** In the order of the records; their `index` says which to send again. */
  readonly failures: readonly PutRecordsFailure[];
  readonly safe_summary: {
    readonly record_count: number;
    readonly failed_record_count: number;
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
