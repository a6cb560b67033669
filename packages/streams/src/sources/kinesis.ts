import { stringOf } from '@sallyport/core/internal';
import { boolean, defineOptions, oneOf } from '@sallyport/core/options';
import { windowUnsupported } from '../errors.js';
import { isLooseRecord, keyText, type RecordSource, type RunRules } from './source.js';

/** The `Records` of a Kinesis event source mapping: https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html. */
export interface StreamEvent {
  /** 1 to 10,000 records of one shard, oldest first. */
  readonly Records: StreamRecord[];
}

/** One record of a Kinesis data stream: https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html. */
export interface StreamRecord {
  /** The region of the stream, as in `eu-central-1`. */
  readonly awsRegion: string;
  /** Shard id and sequence number, joined by a colon. */
  readonly eventID: string;
  /** `aws:kinesis:record`. */
  readonly eventName: string;
  /** `aws:kinesis`. */
  readonly eventSource: string;
  /** The ARN of the stream, or of its consumer with enhanced fan-out. */
  readonly eventSourceARN: string;
  /** Version of this shape, `1.0`. */
  readonly eventVersion: string;
  /** The ARN of the function's role. */
  readonly invokeIdentityArn: string;
  /** The record itself. */
  readonly kinesis: StreamRecordData;
}

/** A producer's record in a stream: https://docs.aws.amazon.com/kinesis/latest/APIReference/API_Record.html. */
export interface StreamRecordData {
  /** Arrival time of the record, in epoch seconds with fractions. */
  readonly approximateArrivalTimestamp: number;
  /** The producer's bytes in base64; `recordBytes` decodes them, `recordJson` parses them. */
  readonly data: string;
  /** `1.0`. */
  readonly kinesisSchemaVersion: string;
  /** The producer's key, which chose the shard. */
  readonly partitionKey: string;
  /** The number of the record within its shard, decimal digits; AWS accepts only this number in reports of failed records. */
  readonly sequenceNumber: string;
}

/** Options of `kinesis(name, handler, options)` and `tableStream(name, handler, options)`. An unknown key is rejected. */
export interface StreamOptions {
  /**
   * Treatment of the records after a failed record. `continue`, the default, runs every record; AWS delivers again from the first
   * reported record, so that records which have succeeded run again. `stop` runs no later record and reports all of them.
   */
  readonly onFailure?: 'continue' | 'stop';
  /**
   * True if a batch in which no record was handled fails the invocation, instead of reporting every record. Lambda retries the same records in
   * both cases; a mapping with `BisectBatchOnFunctionError` halves the batch first. A failed invocation also counts in Lambda's metric
   * `Errors`, so alarms on `Errors` fire. Default `false`.
   */
  readonly failWhole?: boolean;
}

/** Validators and defaults for {@link StreamOptions}. */
export const STREAM_OPTIONS = defineOptions<StreamOptions>()({
  onFailure: oneOf('continue', 'stop'),
  failWhole: boolean,
});

/** The rules of table streams and data streams: one record at a time. */
export function streamRules(options: object | undefined): RunRules {
  const { onFailure, failWhole: failsWhole = false } = STREAM_OPTIONS.parse(options);
  return { concurrency: 1, stops: onFailure === 'stop', failsWhole };
}

/** Rejects a batch of a tumbling window, whose answer would need the window's state. */
export function assertNoWindow(event: unknown): void {
  if (isLooseRecord(event) && Object.hasOwn(event, 'window')) throw windowUnsupported();
}

export const KINESIS: RecordSource = {
  kind: 'stream',
  noun: 'stream',
  method: 'kinesis',
  answer: 'batch report',
  arn: /^(arn:[^:]+:kinesis:([^:]*):([^:]*):stream\/([^/]+))(?:\/consumer\/[^/:]+:[^/:]+)?$/,
  arnOf: (record) => (record?.eventSource === 'aws:kinesis' ? record.eventSourceARN : undefined),
  key: (record) => keyText(record.eventID),
  recordId: (record) => stringOf(record.eventID),
  sentMs: ({ kinesis }) => Number(kinesis?.approximateArrivalTimestamp) * 1000,
  failureIdentifier: (record, identifier) =>
    identifier === 'eventID' ? record.eventID : record.kinesis?.sequenceNumber,
  assertSupported: assertNoWindow,
  rules: streamRules,
};
