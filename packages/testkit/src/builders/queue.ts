import { createHash } from 'node:crypto';
import { defineOptions, group } from '@sallyport/core/options';
import { anyText, date, filled, object, positive, someOf, textMap, textOrObject } from '../internal/kinds.js';
import { type Answered, type BatchReport, EPOCH, regionOf } from './shape.js';

/** Options of one message of {@link buildQueueEvent}; `<n>` is its place in the batch, from 1. */
export interface QueueRecordOptions {
  /** The body; an object is sent as JSON. Default: `{}` as text. */
  readonly body?: string | object;
  /** The message's id; may be blank. Default: `msg-<n>`. */
  readonly messageId?: string;
  /** Message group, for FIFO queues and for fair queues. Default: none. */
  readonly groupId?: string;
  /** Number of receptions, including this one. Default: 1. */
  readonly receiveCount?: number;
  /** System attributes, in addition to or instead of the usual ones. Default: none. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Message attributes by name; a string represents an attribute of type `String`. Default: none. */
  readonly messageAttributes?: Readonly<Record<string, string | QueueMessageAttribute>>;
  /** Time at which the message was sent. Default: the epoch. */
  readonly time?: Date;
}

/** A message attribute of a queue. */
export interface QueueMessageAttribute {
  /** `String`, `Number` or `Binary`, optionally with a custom label after a dot. */
  readonly dataType: string;
  /** The value of a `String` or `Number`. */
  readonly stringValue?: string;
  /** The value of a `Binary`, in base64. */
  readonly binaryValue?: string;
  /** SQS sends an empty list: lists are reserved. */
  readonly stringListValues?: string[];
  /** SQS sends an empty list: lists are reserved. */
  readonly binaryListValues?: string[];
}

/** One message of a {@link QueueEvent}. */
export interface QueueRecord {
  /** The message's id, which a batch report names. */
  readonly messageId: string;
  /** Handle with which the message is deleted. */
  readonly receiptHandle: string;
  /** The body. */
  readonly body: string;
  /** System attributes. */
  readonly attributes: QueueAttributes;
  /** Message attributes by name. */
  readonly messageAttributes: Record<string, QueueMessageAttribute>;
  /** MD5 of the body, hexadecimal. */
  readonly md5OfBody: string;
  /** The service that sent it. */
  readonly eventSource: 'aws:sqs';
  /** The queue's ARN. */
  readonly eventSourceARN: string;
  /** The queue's region. */
  readonly awsRegion: string;
}

/** System attributes of a message. FIFO attributes are present if the ARN ends in `.fifo`. */
export interface QueueAttributes {
  /** Number of receptions, as a string. */
  readonly ApproximateReceiveCount: string;
  /** Time at which the message was sent, in milliseconds since the epoch, as a string. */
  readonly SentTimestamp: string;
  /** Sender of the message, `sender-1`. */
  readonly SenderId: string;
  /** Time of the first reception, in milliseconds since the epoch, as a string. */
  readonly ApproximateFirstReceiveTimestamp: string;
  readonly [name: string]: string;
}

/**
 * A batch of a queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export interface QueueEvent extends Answered<BatchReport> {
  /** The messages. */
  readonly Records: QueueRecord[];
}

const BATCH = defineOptions<{ arn: string; records: readonly QueueRecordOptions[] }>()({
  arn: filled.required(),
  records: someOf(
    group<QueueRecordOptions>()({
      body: textOrObject,
      messageId: anyText,
      groupId: filled,
      receiveCount: positive,
      attributes: textMap,
      messageAttributes: object<Readonly<Record<string, string | QueueMessageAttribute>>>(),
      time: date,
    }),
  ),
});

/**
 * Builds a batch of queue messages.
 *
 * @param arn the queue's ARN; an ARN that ends in `.fifo` adds FIFO attributes
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 */
export function buildQueueEvent(arn: string, records: readonly QueueRecordOptions[]): QueueEvent {
  const batch = BATCH.parse({ arn, records });
  return { Records: batch.records.map((options, index) => queueRecord(arn, options, index + 1)) };
}

function queueRecord(arn: string, options: QueueRecordOptions, n: number): QueueRecord {
  const { body: given = '{}' } = options;
  const body = typeof given === 'string' ? given : JSON.stringify(given);
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

function toAttribute(value: string | QueueMessageAttribute): QueueMessageAttribute {
  return typeof value === 'string' ? { dataType: 'String', stringValue: value } : structuredClone(value);
}

function messageAttributes(options: QueueRecordOptions): Record<string, QueueMessageAttribute> {
  const entries = Object.entries(options.messageAttributes ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, { stringListValues: [], binaryListValues: [], ...toAttribute(value) }]),
  );
}
