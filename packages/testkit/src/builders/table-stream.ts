import { type AttributeValue, toAttributes } from '../internal/attribute-values.js';
import {
  type Checks,
  checkArgument,
  checkOptions,
  checkRecords,
  count,
  date,
  nonBlank,
  object,
  oneOf,
  text,
} from '../internal/check.js';
import { type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

type Item = Readonly<Record<string, unknown>>;
type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';
type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

export interface TableStreamRecordOptions {
  /** `evt-<n>` unless given; may be blank. */
  readonly eventID?: string;
  /** `MODIFY` unless given. */
  readonly eventName?: EventName;
  /** Plain values; `{ id: '<n>' }` unless given. */
  readonly keys?: Item;
  /** Plain values; left out unless given. */
  readonly newImage?: Item;
  readonly oldImage?: Item;
  /** `<n>` unless given; may be blank. */
  readonly sequenceNumber?: string;
  /** `NEW_AND_OLD_IMAGES` unless given. */
  readonly streamViewType?: StreamViewType;
  /** 0 unless given. */
  readonly sizeBytes?: number;
  readonly time?: Date;
}

export interface TableStreamRecord {
  readonly eventID: string;
  readonly eventName: EventName;
  readonly eventVersion: string;
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Record<string, AttributeValue>;
    readonly NewImage?: Record<string, AttributeValue>;
    readonly OldImage?: Record<string, AttributeValue>;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: StreamViewType;
  };
}

export interface TableStreamEvent extends Answered<BatchReport> {
  readonly Records: TableStreamRecord[];
}

const CHECKS: Checks<TableStreamRecordOptions> = {
  eventID: text,
  eventName: oneOf('INSERT', 'MODIFY', 'REMOVE'),
  keys: object,
  newImage: object,
  oldImage: object,
  sequenceNumber: text,
  streamViewType: oneOf('KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'),
  sizeBytes: count,
  time: date,
};

/**
 * A batch of a table's change records. Keys and images are plain values, marshalled here.
 *
 * @param arn the stream's ARN
 * @throws FrameworkError for no records, an unknown option, a wrong type, or a value that no table holds
 */
export function buildTableStreamEvent(arn: string, records: readonly TableStreamRecordOptions[]): TableStreamEvent {
  checkArgument('arn', arn, nonBlank);
  checkRecords(records);
  return { Records: records.map((options, index) => tableStreamRecord(arn, options, index + 1)) };
}

function tableStreamRecord(arn: string, options: TableStreamRecordOptions, n: number): TableStreamRecord {
  checkOptions(options, CHECKS);
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
    },
    eventSourceARN: arn,
  };
}
