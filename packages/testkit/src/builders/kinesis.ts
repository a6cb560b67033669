import { asBuffer, FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';
import {
  anything,
  type Checks,
  checkArgument,
  checkOptions,
  checkRecords,
  content,
  date,
  nonBlank,
  object,
  text,
} from '../internal/check.js';
import { ACCOUNT, type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

export interface KinesisRecordOptions {
  /** Bytes or text, encoded here: text is never taken for base64. `{}` unless given. */
  readonly data?: string | Uint8Array;
  readonly json?: unknown;
  /** Parts of the record's own payload, taken as they are: `kinesis.data` is base64. */
  readonly kinesis?: Partial<KinesisPayload>;
  /** `pk-<n>` unless given. */
  readonly partitionKey?: string;
  /** `<n>` unless given; may be blank. */
  readonly sequenceNumber?: string;
  /** `shardId-000000000000:<sequence number>` unless given; may be blank. */
  readonly eventID?: string;
  /** The event's own ARN unless given. */
  readonly eventSourceARN?: string;
  readonly time?: Date;
}

export interface KinesisPayload {
  readonly kinesisSchemaVersion: string;
  readonly partitionKey: string;
  readonly sequenceNumber: string;
  /** Base64. */
  readonly data: string;
  /** Seconds. */
  readonly approximateArrivalTimestamp: number;
}

export interface KinesisRecord {
  readonly eventSource: 'aws:kinesis';
  readonly eventVersion: string;
  readonly eventID: string;
  readonly eventName: 'aws:kinesis:record';
  readonly invokeIdentityArn: string;
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly kinesis: KinesisPayload;
}

export interface KinesisEvent extends Answered<BatchReport> {
  readonly Records: KinesisRecord[];
}

const CHECKS: Checks<KinesisRecordOptions> = {
  data: content,
  json: anything,
  kinesis: object,
  partitionKey: text,
  sequenceNumber: text,
  eventID: text,
  eventSourceARN: text,
  time: date,
};

const PAYLOAD_CHECKS: Checks<KinesisPayload> = {
  kinesisSchemaVersion: text,
  partitionKey: text,
  sequenceNumber: text,
  data: text,
  approximateArrivalTimestamp: anything,
};

/**
 * A batch of a data stream's records.
 *
 * @param arn the stream's ARN
 * @throws FrameworkError for no records, an unknown option, a wrong type, or data given twice
 */
export function buildKinesisEvent(arn: string, records: readonly KinesisRecordOptions[]): KinesisEvent {
  checkArgument('arn', arn, nonBlank);
  checkRecords(records);
  return { Records: records.map((options, index) => kinesisRecord(arn, options, index + 1)) };
}

function kinesisRecord(arn: string, options: KinesisRecordOptions, n: number): KinesisRecord {
  checkOptions(options, CHECKS);
  const { time = EPOCH, kinesis = {}, eventSourceARN = arn } = options;
  checkOptions(kinesis as KinesisPayload, PAYLOAD_CHECKS);
  const sequenceNumber = options.sequenceNumber ?? kinesis.sequenceNumber ?? String(n);
  return {
    eventSource: 'aws:kinesis',
    eventVersion: '1.0',
    eventID: options.eventID ?? `shardId-000000000000:${sequenceNumber}`,
    eventName: 'aws:kinesis:record',
    invokeIdentityArn: `arn:aws:iam::${ACCOUNT}:role/test`,
    awsRegion: regionOf(eventSourceARN),
    eventSourceARN,
    kinesis: {
      kinesisSchemaVersion: '1.0',
      approximateArrivalTimestamp: time.getTime() / 1000,
      ...kinesis,
      partitionKey: options.partitionKey ?? kinesis.partitionKey ?? `pk-${n}`,
      sequenceNumber,
      data: encodedData(options),
    },
  };
}

function encodedData({ data, json, kinesis }: KinesisRecordOptions): string {
  const given = [data, json, kinesis?.data].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new FrameworkError(INVALID_CONFIGURATION, 'framework: only one of data, json and kinesis.data may be given');
  }
  if (kinesis?.data !== undefined) return kinesis.data;
  if (json !== undefined) return toBase64(JSON.stringify(json));
  return toBase64(data ?? '{}');
}

function toBase64(data: string | Uint8Array): string {
  return (typeof data === 'string' ? Buffer.from(data) : asBuffer(data)).toString('base64');
}
