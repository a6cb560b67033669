import { decodeBase64 } from '@sallyport/core';
import { createMap, stringOf, trimmedText } from '@sallyport/core/internal';
import { streamsError } from '../errors.js';
import { assertNoWindow, streamRules } from './kinesis.js';
import { keyText, parseSourceArn, type RecordSource, safeLog } from './source.js';

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
  /** True if the item was added, changed or removed. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE' | undefined;
  /** `aws:dynamodb`. */
  readonly eventSource?: string | undefined;
  /** The ARN of the stream: the ARN of the table, followed by `/stream/` and a label. */
  readonly eventSourceARN?: string | undefined;
  /** Version of this shape, as in `1.1`. */
  readonly eventVersion?: string | undefined;
  /** Set when the table's time to live removed the item: `{ type: 'Service', principalId: 'dynamodb.amazonaws.com' }`. */
  readonly userIdentity?: unknown;
}

/** The change: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html. */
export interface TableStreamRecordData {
  /** Time of the change, in epoch seconds. */
  readonly ApproximateCreationDateTime?: number | undefined;
  /** The primary key of the item. */
  readonly Keys?: { [key: string]: AttributeValue } | undefined;
  /** The item after the change; absent for `REMOVE`, and if the stream's view type excludes it. */
  readonly NewImage?: { [key: string]: AttributeValue } | undefined;
  /** The item before the change; absent for `INSERT`, and if the stream's view type excludes it. */
  readonly OldImage?: { [key: string]: AttributeValue } | undefined;
  /** The number of the change within its shard, decimal digits; AWS accepts only this number in reports of failed records. */
  readonly SequenceNumber?: string | undefined;
  /** Size of the change in bytes. */
  readonly SizeBytes?: number | undefined;
  /** The images that the stream contains. */
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
 * A DynamoDB value: exactly one of the type keys, bytes in base64, numbers as strings:
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
  key: (record) => keyText(record.eventID),
  recordId: (record) => stringOf(record.eventID),
  facts: (record) => ({ eventName: stringOf(record.eventName) }),
  sentMs: ({ dynamodb }) => Number(dynamodb?.ApproximateCreationDateTime) * 1000,
  failureIdentifier: (record, identifier) =>
    identifier === 'eventID' ? record.eventID : record.dynamodb?.SequenceNumber,
  assertSupported: assertNoWindow,
  rules: streamRules,
};

/** The loggable part of a table's change, without keys and images. A string is `''` if the record lacks it. */
export interface TableStreamSummary {
  /** As in `eu-central-1`. */
  readonly aws_region: string;
  /** The id of the change. */
  readonly event_id: string;
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly event_name: string;
  /** The number of the change within its shard. */
  readonly sequence_number: string;
  /** Size of the change in bytes; 0 if the record does not contain it. */
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

/** The part of a change to read: the item after it, the item before it, or its primary key. */
export type ImageOf = 'new' | 'old' | 'keys';

/** DynamoDB nests values at most this deep. */
const MAX_DEPTH = 32;

/**
 * A part of a table's change as plain values: numbers as `number`, whole numbers beyond 2^53 as `bigint`, binary as bytes, sets as
 * `Set`, maps as objects. `undefined` if the change lacks that part: the stream's view type determines its images.
 *
 * @throws FrameworkError `streams.invalid_record` for a value with an unknown DynamoDB type
 * @example
 * events.tableStream('notes', (ctx, record) => index(tableImage<Note>(record)));
 */
export function tableImage<T = Record<string, unknown>>(
  { dynamodb }: Pick<TableStreamRecord, 'dynamodb'>,
  which: ImageOf = 'new',
): T | undefined {
  const part = { new: dynamodb?.NewImage, old: dynamodb?.OldImage, keys: dynamodb?.Keys }[which];
  return part && (mapOf(part, 0) as T);
}

function mapOf(map: Readonly<Record<string, AttributeValue>>, depth: number): Record<string, unknown> {
  const values = createMap<unknown>();
  for (const [name, value] of Object.entries(map)) values[name] = plainValue(value, depth);
  return values;
}

function plainValue(value: AttributeValue, depth: number): unknown {
  const [[type, held] = []] = Object.entries(value ?? {}) as [string, never][];
  const read = depth < MAX_DEPTH && type !== undefined && Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (!read) throw streamsError('streams.invalid_record', 'record has a value of no type that DynamoDB has');
  return read(held as never, depth + 1);
}

const READERS: Readonly<Record<string, (held: never, depth: number) => unknown>> = {
  S: (text: string) => text,
  N: numberOf,
  B: decodeBase64,
  BOOL: (flag: boolean) => flag,
  NULL: () => null,
  M: mapOf,
  L: (list: readonly AttributeValue[], depth) => list.map((value) => plainValue(value, depth)),
  SS: (texts: readonly string[]) => new Set(texts),
  NS: (texts: readonly string[]) => new Set(texts.map(numberOf)),
  BS: (texts: readonly string[]) => new Set(texts.map(decodeBase64)),
};

function numberOf(text: string): number | bigint {
  const number = Number(text);
  const isWhole = /^-?\d+$/.test(text);
  return isWhole && !Number.isSafeInteger(number) ? BigInt(text) : number;
}
