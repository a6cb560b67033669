import { defineOptions, oneOf } from '@sallyport/core/options';
import { trimmedText } from '@sallyport/core/pipeline';
import { windowUnsupported } from '../errors.js';
import { isObject, parseSourceArn, type RecordSource, type RunRules, safeLog, textOf } from './source.js';

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

/** What a producer wrote to a stream: https://docs.aws.amazon.com/kinesis/latest/APIReference/API_Record.html. */
export interface StreamRecordData {
  /** When the stream took the record, in epoch seconds with fractions. */
  readonly approximateArrivalTimestamp: number;
  /** The producer's bytes in base64; `recordBytes` decodes them, `recordJson` parses them. */
  readonly data: string;
  /** `1.0`. */
  readonly kinesisSchemaVersion: string;
  /** The producer's key, which chose the shard. */
  readonly partitionKey: string;
  /** The number of the record within its shard, decimal digits; AWS takes a failed record's report by it. */
  readonly sequenceNumber: string;
}

/** Options of `kinesis(name, handler, options)` and `tableStream(name, handler, options)`. An unknown key is refused. */
export interface StreamOptions {
  /**
   * What a failed record means for those behind it. `continue`, the default, tries every record; AWS delivers again from the
   * first that was reported, so that records which have succeeded run once more. `stop` tries none of them and reports them
   * all.
   */
  readonly onFailure?: 'continue' | 'stop';
}

const OPTIONS = defineOptions<StreamOptions>()({
  onFailure: oneOf('continue', 'stop'),
});

/** The rules of table streams and data streams: one record at a time. */
function streamRules(options: object | undefined): RunRules {
  return { concurrency: 1, stops: OPTIONS.parse(options).onFailure === 'stop' };
}

/** Refuses a batch of a tumbling window, whose answer would need the window's state. */
function assertNoWindow(event: unknown): void {
  if (isObject(event) && Object.hasOwn(event, 'window')) throw windowUnsupported();
}

export const KINESIS: RecordSource = {
  kind: 'stream',
  noun: 'stream',
  method: 'kinesis',
  answer: 'batch report',
  arn: /^(arn:[^:]+:kinesis:([^:]*):([^:]*):stream\/([^/]+))(?:\/consumer\/[^/:]+:[^/:]+)?$/,
  arnOf: (record) => (record?.eventSource === 'aws:kinesis' ? record.eventSourceARN : undefined),
  recordId: (record) => textOf(record.eventID),
  failureIdentifier: (record, identifier) =>
    identifier === 'eventID' ? record.eventID : record.kinesis?.sequenceNumber,
  assertSupported: assertNoWindow,
  rules: streamRules,
};

/** The `Records` of a DynamoDB event source mapping: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html. */
export interface TableStreamEvent {
  /** 1 to 10,000 changes of one shard, oldest first. */
  readonly Records: TableStreamRecord[];
}

/** One change of a DynamoDB table: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html. */
export interface TableStreamRecord {
  /** The region of the table, as in `eu-central-1`. */
  readonly awsRegion?: string | undefined;
  /** The change itself. */
  readonly dynamodb?: TableStreamRecordData | undefined;
  /** The id of the change, unique within the stream. */
  readonly eventID?: string | undefined;
  /** Whether the item was added, changed or removed. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE' | undefined;
  /** `aws:dynamodb`. */
  readonly eventSource?: string | undefined;
  /** The ARN of the stream: the table's with `/stream/` and a label behind it. */
  readonly eventSourceARN?: string | undefined;
  /** Version of this shape, as in `1.1`. */
  readonly eventVersion?: string | undefined;
  /** Set when the table's time to live removed the item: `{ type: 'Service', principalId: 'dynamodb.amazonaws.com' }`. */
  readonly userIdentity?: unknown;
}

/** The change: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html. */
export interface TableStreamRecordData {
  /** When the change was made, in epoch seconds. */
  readonly ApproximateCreationDateTime?: number | undefined;
  /** The primary key of the item. */
  readonly Keys?: { [key: string]: AttributeValue } | undefined;
  /** The item after the change; absent for `REMOVE`, and where the stream's view type leaves it out. */
  readonly NewImage?: { [key: string]: AttributeValue } | undefined;
  /** The item before the change; absent for `INSERT`, and where the stream's view type leaves it out. */
  readonly OldImage?: { [key: string]: AttributeValue } | undefined;
  /** The number of the change within its shard, decimal digits; AWS takes a failed record's report by it. */
  readonly SequenceNumber?: string | undefined;
  /** Size of the change in bytes. */
  readonly SizeBytes?: number | undefined;
  /** Which images the stream carries. */
  readonly StreamViewType?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' | undefined;
}

interface AttributeValues {
  B: string;
  BOOL: boolean;
  BS: string[];
  L: AttributeValue[];
  M: Record<string, AttributeValue>;
  N: string;
  NS: string[];
  NULL: boolean;
  S: string;
  SS: string[];
}

/**
 * A DynamoDB value: exactly one of the type keys, bytes in base64, numbers as texts:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html.
 */
export type AttributeValue = {
  [K in keyof AttributeValues]: { [P in K]: AttributeValues[P] } & { [P in Exclude<keyof AttributeValues, K>]?: never };
}[keyof AttributeValues];

export const TABLE_STREAM: RecordSource = {
  kind: 'table-stream',
  noun: 'table',
  method: 'tableStream',
  answer: 'batch report',
  arn: /^(arn:[^:]+:dynamodb:([^:]*):([^:]*):table\/([^/]+))\/stream\/.+$/,
  arnOf: (record) => (record?.eventSource === 'aws:dynamodb' ? record.eventSourceARN : undefined),
  recordId: (record) => textOf(record.eventID),
  facts: (record) => ({ eventName: textOf(record.eventName) }),
  failureIdentifier: (record, identifier) =>
    identifier === 'eventID' ? record.eventID : record.dynamodb?.SequenceNumber,
  assertSupported: assertNoWindow,
  rules: streamRules,
};

/** What may be logged of a table's change: neither keys nor images. A text is `''` when the record lacks it. */
export interface TableStreamSummary {
  /** As in `eu-central-1`. */
  readonly aws_region: string;
  /** The id of the change. */
  readonly event_id: string;
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly event_name: string;
  /** The number of the change within its shard. */
  readonly sequence_number: string;
  /** Size of the change in bytes; 0 when the record does not say. */
  readonly size_bytes: number;
  /** As in `NEW_AND_OLD_IMAGES`. */
  readonly stream_view_type: string;
  /** The table's name, from the ARN. */
  readonly table_name: string;
  /** `table=… event_id=… event_name=… sequence_number=…`, each value encoded. */
  readonly safe_log: string;
}

/** The summary of a table-stream record, the same in every runtime. Never throws. */
export function tableStreamSummary(record: TableStreamRecord): TableStreamSummary {
  const { dynamodb } = record;
  const size: unknown = dynamodb?.SizeBytes;
  const table = parseSourceArn(TABLE_STREAM, trimmedText(record.eventSourceARN))?.name ?? '';
  const eventId = trimmedText(record.eventID);
  const eventName = trimmedText(record.eventName);
  const sequenceNumber = trimmedText(dynamodb?.SequenceNumber);
  return {
    aws_region: trimmedText(record.awsRegion),
    event_id: eventId,
    event_name: eventName,
    sequence_number: sequenceNumber,
    size_bytes: Number.isFinite(size) ? (size as number) : 0,
    stream_view_type: trimmedText(dynamodb?.StreamViewType),
    table_name: table,
    safe_log: safeLog({ table, event_id: eventId, event_name: eventName, sequence_number: sequenceNumber }),
  };
}
