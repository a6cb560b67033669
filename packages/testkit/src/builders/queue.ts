import { createHash } from 'node:crypto';
import {
  type Checks,
  checkArgument,
  checkOptions,
  checkRecords,
  date,
  nonBlank,
  object,
  positive,
  text,
  textMap,
  textOrObject,
} from '../internal/check.js';
import { type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

export interface QueueRecordOptions {
  /** An object is sent as JSON; `{}` unless given. */
  readonly body?: string | object;
  /** `msg-<n>` unless given; may be blank. */
  readonly messageId?: string;
  readonly groupId?: string;
  /** 1 unless given. */
  readonly receiveCount?: number;
  /** System attributes beside or instead of the usual ones. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** A string stands for an attribute of type `String`. */
  readonly messageAttributes?: Readonly<Record<string, string | QueueMessageAttribute>>;
  /** When it was sent; the epoch unless given. */
  readonly time?: Date;
}

export interface QueueMessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: string;
}

export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  readonly messageAttributes: Record<string, QueueMessageAttribute>;
  readonly md5OfBody: string;
  readonly eventSource: 'aws:sqs';
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

export interface QueueAttributes {
  readonly ApproximateReceiveCount: string;
  readonly SentTimestamp: string;
  readonly SenderId: string;
  readonly ApproximateFirstReceiveTimestamp: string;
  readonly [name: string]: string;
}

export interface QueueEvent extends Answered<BatchReport> {
  readonly Records: QueueRecord[];
}

const CHECKS: Checks<QueueRecordOptions> = {
  body: textOrObject,
  messageId: text,
  groupId: nonBlank,
  receiveCount: positive,
  attributes: textMap,
  messageAttributes: object,
  time: date,
};

/**
 * A batch of queue messages.
 *
 * @param arn the queue's ARN; one that ends in `.fifo` gives FIFO attributes
 * @throws FrameworkError for no records, an unknown option or a wrong type
 */
export function buildQueueEvent(arn: string, records: readonly QueueRecordOptions[]): QueueEvent {
  checkArgument('arn', arn, nonBlank);
  checkRecords(records);
  return { Records: records.map((options, index) => queueRecord(arn, options, index + 1)) };
}

function queueRecord(arn: string, options: QueueRecordOptions, n: number): QueueRecord {
  checkOptions(options, CHECKS);
  const body = bodyText(options.body ?? '{}');
  return {
    messageId: options.messageId ?? `msg-${n}`,
    receiptHandle: `receipt-${n}`,
    body,
    attributes: attributes(arn, options, n),
    messageAttributes: messageAttributes(options),
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: regionOf(arn),
  };
}

function bodyText(body: string | object): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function attributes(arn: string, options: QueueRecordOptions, n: number): QueueAttributes {
  const { groupId, receiveCount = 1, time = EPOCH } = options;
  const timestamp = String(time.getTime());
  return {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: timestamp,
    SenderId: 'sender-1',
    ApproximateFirstReceiveTimestamp: timestamp,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(arn.endsWith('.fifo') && {
      MessageDeduplicationId: `dedup-${n}`,
      SequenceNumber: String(n).padStart(20, '0'),
    }),
    ...options.attributes,
  };
}

function messageAttributes(options: QueueRecordOptions): Record<string, QueueMessageAttribute> {
  const entries = Object.entries(options.messageAttributes ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? { dataType: 'String', stringValue: value } : structuredClone(value),
    ]),
  );
}
