import { FrameworkError } from '@sallyport/core';
import { asBuffer } from '@sallyport/core/internal';
import { defineOptions, group, INVALID_CONFIGURATION } from '@sallyport/core/options';
import { anyNumber, anyText, anything, content, date, filled, someOf } from '../internal/kinds.js';
import { ACCOUNT, type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

/** Options of one record of {@link buildKinesisEvent}; `<n>` is its place in the batch, from 1. */
export interface KinesisRecordOptions {
  /** The payload: bytes or text, encoded to base64 here. Text is never taken for base64. Default: `{}` as text. */
  readonly data?: string | Uint8Array;
  /** A value whose JSON text is the payload. Only one of `data`, `json` and `kinesis.data` may be given. */
  readonly json?: unknown;
  /** Members of the record's payload, copied unchanged: `kinesis.data` must be base64. Default: none. */
  readonly kinesis?: Partial<KinesisPayload>;
  /** Key that determines the shard. Default: `kinesis.partitionKey`, else `pk-<n>`. */
  readonly partitionKey?: string;
  /** Place in the shard; may be blank. Default: `kinesis.sequenceNumber`, else `<n>`. */
  readonly sequenceNumber?: string;
  /** Shard and sequence number; may be blank. Default: `shardId-000000000000:<sequence number>`. */
  readonly eventID?: string;
  /** ARN of the stream. Default: the event's own. */
  readonly eventSourceARN?: string;
  /** Arrival time of the record. Default: the epoch. */
  readonly time?: Date;
}

/** Stored data of a record in a data stream. */
export interface KinesisPayload {
  /** Version of this form, `1.0`. */
  readonly kinesisSchemaVersion: string;
  /** Key that determines the shard. */
  readonly partitionKey: string;
  /** Place in the shard. */
  readonly sequenceNumber: string;
  /** The payload in base64. */
  readonly data: string;
  /** Arrival time of the record, in seconds since the epoch. */
  readonly approximateArrivalTimestamp: number;
}

/** One record of a {@link KinesisEvent}. */
export interface KinesisRecord {
  /** The service that sent it. */
  readonly eventSource: 'aws:kinesis';
  /** Version of this form, `1.0`. */
  readonly eventVersion: string;
  /** Shard and sequence number, `shardId-000000000000:1`. */
  readonly eventID: string;
  /** The kind of record. */
  readonly eventName: 'aws:kinesis:record';
  /** ARN of the role that reads the stream. */
  readonly invokeIdentityArn: string;
  /** The stream's region. */
  readonly awsRegion: string;
  /** The stream's ARN. */
  readonly eventSourceARN: string;
  /** Stored data of the record. */
  readonly kinesis: KinesisPayload;
}

/**
 * A batch of a data stream.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html
 */
export interface KinesisEvent extends Answered<BatchReport> {
  /** The records, all of one shard. */
  readonly Records: KinesisRecord[];
}

const BATCH = defineOptions<{ arn: string; records: readonly KinesisRecordOptions[] }>()({
  arn: filled.required(),
  records: someOf(
    group<KinesisRecordOptions>()({
      data: content,
      json: anything,
      kinesis: group<Partial<KinesisPayload>>()({
        kinesisSchemaVersion: anyText,
        partitionKey: anyText,
        sequenceNumber: anyText,
        data: anyText,
        approximateArrivalTimestamp: anyNumber,
      }),
      partitionKey: anyText,
      sequenceNumber: anyText,
      eventID: anyText,
      eventSourceARN: anyText,
      time: date,
    }),
  ),
});

/**
 * Builds a batch of a data stream's records.
 *
 * @param arn the stream's ARN
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option, a wrong type, or data given twice
 */
export function buildKinesisEvent(arn: string, records: readonly KinesisRecordOptions[]): KinesisEvent {
  const batch = BATCH.parse({ arn, records });
  return { Records: batch.records.map((options, index) => kinesisRecord(arn, options, index + 1)) };
}

function kinesisRecord(arn: string, options: KinesisRecordOptions, n: number): KinesisRecord {
  const { time = EPOCH, kinesis = {}, eventSourceARN = arn } = options;
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
      kinesisSchemaVersion: kinesis.kinesisSchemaVersion ?? '1.0',
      approximateArrivalTimestamp: kinesis.approximateArrivalTimestamp ?? time.getTime() / 1000,
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
  const text = json === undefined ? (data ?? '{}') : JSON.stringify(json);
  return (typeof text === 'string' ? Buffer.from(text) : asBuffer(text)).toString('base64');
}
