import { asBuffer, isPlainObject } from '@sallyport/core/internal';
import { defineOptions, group, invalidOption, oneOf } from '@sallyport/core/options';
import { anyText, count, date, filled, object, someOf } from '../internal/kinds.js';
import { type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

type Item = Readonly<Record<string, unknown>>;
type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';
type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

/** Options of one record of {@link buildTableStreamEvent}; `<n>` is its place in the batch, from 1. */
export interface TableStreamRecordOptions {
  /** The record's id; may be blank. Default: `evt-<n>`. */
  readonly eventID?: string;
  /** Kind of change. Default: `MODIFY`. */
  readonly eventName?: EventName;
  /** The item's key, as plain values. Default: `{ id: '<n>' }`. */
  readonly keys?: Item;
  /** The item afterwards, as plain values. Default: left out. */
  readonly newImage?: Item;
  /** The item before, as plain values. Default: left out. */
  readonly oldImage?: Item;
  /** Place in the shard; may be blank. Default: `<n>`. */
  readonly sequenceNumber?: string;
  /** The view type of the stream. Only a label: the images of a record are given separately. Default: `NEW_AND_OLD_IMAGES`. */
  readonly streamViewType?: StreamViewType;
  /** Size of the record in bytes. Default: 0. */
  readonly sizeBytes?: number;
  /** Time of the change. Default: the epoch. */
  readonly time?: Date;
  /** Members of the record's change, copied unchanged: keys and images must be attribute values. Default: none. */
  readonly dynamodb?: Partial<TableStreamChange>;
}

/** One record of a {@link TableStreamEvent}. */
export interface TableStreamRecord {
  /** The record's id. */
  readonly eventID: string;
  /** Kind of change. */
  readonly eventName: EventName;
  /** Version of this form, `1.1`. */
  readonly eventVersion: string;
  /** The service that sent it. */
  readonly eventSource: 'aws:dynamodb';
  /** The table's region. */
  readonly awsRegion: string;
  /** The stream's ARN. */
  readonly eventSourceARN: string;
  /** Stored data of the change. */
  readonly dynamodb: TableStreamChange;
}

/** Stored data of a change in a table's stream. */
export interface TableStreamChange {
  /** Time of the change, in seconds since the epoch. */
  readonly ApproximateCreationDateTime: number;
  /** The item's key. */
  readonly Keys: Record<string, AttributeValue>;
  /** The item afterwards; absent unless it was given. */
  readonly NewImage?: Record<string, AttributeValue>;
  /** The item before; absent unless it was given. */
  readonly OldImage?: Record<string, AttributeValue>;
  /** Place in the shard. */
  readonly SequenceNumber: string;
  /** Size of the record in bytes. */
  readonly SizeBytes: number;
  /** The view type of the stream. */
  readonly StreamViewType: StreamViewType;
}

/**
 * A batch of a table's stream.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export interface TableStreamEvent extends Answered<BatchReport> {
  /** The records, all of one shard. */
  readonly Records: TableStreamRecord[];
}

const BATCH = defineOptions<{ arn: string; records: readonly TableStreamRecordOptions[] }>()({
  arn: filled.required(),
  records: someOf(
    group<TableStreamRecordOptions>()({
      eventID: anyText,
      eventName: oneOf('INSERT', 'MODIFY', 'REMOVE'),
      keys: object(),
      newImage: object(),
      oldImage: object(),
      sequenceNumber: anyText,
      streamViewType: oneOf('KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'),
      sizeBytes: count,
      time: date,
      dynamodb: object<Partial<TableStreamChange>>(),
    }),
  ),
});

/**
 * Builds a batch of a table's change records. Keys and images are plain values, marshalled here.
 *
 * @param arn the stream's ARN
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option, a wrong type, or a value that DynamoDB cannot store
 */
export function buildTableStreamEvent(arn: string, records: readonly TableStreamRecordOptions[]): TableStreamEvent {
  const batch = BATCH.parse({ arn, records });
  return { Records: batch.records.map((options, index) => tableStreamRecord(arn, options, index + 1)) };
}

function tableStreamRecord(arn: string, options: TableStreamRecordOptions, n: number): TableStreamRecord {
  const { newImage, oldImage, time = EPOCH } = options;
  return {
    eventID: options.eventID ?? `evt-${n}`,
    eventName: options.eventName ?? 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: regionOf(arn),
    dynamodb: {
      ApproximateCreationDateTime: time.getTime() / 1000,
      Keys: toAttributes(options.keys ?? { id: String(n) }),
      ...(newImage && { NewImage: toAttributes(newImage) }),
      ...(oldImage && { OldImage: toAttributes(oldImage) }),
      SequenceNumber: options.sequenceNumber ?? String(n),
      SizeBytes: options.sizeBytes ?? 0,
      StreamViewType: options.streamViewType ?? 'NEW_AND_OLD_IMAGES',
      ...structuredClone(options.dynamodb),
    },
    eventSourceARN: arn,
  };
}

/** A DynamoDB attribute value in its JSON form; bytes are base64 text. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue[] }
  | { M: Record<string, AttributeValue> }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };

/** The attributes of an item of plain values. */
function toAttributes(item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  const entries = Object.entries(item).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, toAttributeValue(value)]));
}

/** @throws FrameworkError for a value that DynamoDB cannot store */
function toAttributeValue(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: asBuffer(value).toString('base64') };
  if (value instanceof Set) return toSet([...value]);
  if (Array.isArray(value)) return { L: value.map(toAttributeValue) };
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'bigint':
      return { N: String(value) };
    case 'number':
      if (Number.isFinite(value)) return { N: String(value) };
      break;
    case 'object':
      if (isPlainObject(value)) return { M: toAttributes(value) };
  }
  throw unsupported();
}

function toSet(items: readonly unknown[]): AttributeValue {
  if (items.length === 0) throw unsupported();
  if (items.every((item) => typeof item === 'string')) return { SS: [...items] };
  if (items.every((item) => typeof item === 'number' || typeof item === 'bigint')) return { NS: items.map(String) };
  if (items.every((item) => item instanceof Uint8Array)) {
    return { BS: items.map((item) => asBuffer(item).toString('base64')) };
  }
  throw unsupported();
}

const unsupported = () => invalidOption('item', 'strings, finite numbers, booleans, null, bytes, lists, sets and maps');
