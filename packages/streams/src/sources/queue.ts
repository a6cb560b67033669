import { decodeBase64, decodeUtf8, encodeUtf8 } from '@sallyport/core';
import { firstTraceId, stringOf } from '@sallyport/core/internal';
import { boolean, defineOptions, integer } from '@sallyport/core/options';
import { refused, streamsError } from '../errors.js';
import type { StreamRecord } from './kinesis.js';
import { keyText, type RecordSource, type SourceDefinition } from './source.js';

/** The `Records` of an SQS event source mapping: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html. */
export interface QueueEvent {
  /** 1 to 10,000 messages of a queue. */
  readonly Records: QueueRecord[];
}

/** One message of an SQS queue: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html. */
export interface QueueRecord {
  /** The message's id in SQS; a failed message is reported by it. */
  readonly messageId: string;
  /** Identifies this delivery of the message, for calls of SQS such as `ChangeMessageVisibility`. */
  readonly receiptHandle: string;
  /** The message as its sender wrote it; `recordJson` parses it. */
  readonly body: string;
  /** SQS's data about the message. */
  readonly attributes: QueueRecordAttributes;
  /** Attributes that the sender added to the message, by name; empty if there are no attributes. */
  readonly messageAttributes: { [name: string]: QueueMessageAttribute };
  /** MD5 of the body, hexadecimal. */
  readonly md5OfBody: string;
  /** MD5 of the message attributes, hexadecimal; absent without message attributes. */
  readonly md5OfMessageAttributes?: string;
  /** `aws:sqs`. */
  readonly eventSource: string;
  /** The ARN of the queue. */
  readonly eventSourceARN: string;
  /** The region of the queue, as in `eu-central-1`. */
  readonly awsRegion: string;
}

/**
 * The system attributes of a message, all of them strings:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html.
 */
export interface QueueRecordAttributes {
  /** The trace header of X-Ray; absent if the sender did not trace. */
  readonly AWSTraceHeader?: string | undefined;
  /** Number of receptions without deletion, `1` the first time. */
  readonly ApproximateReceiveCount: string;
  /** Time at which the message was sent, in epoch milliseconds. */
  readonly SentTimestamp: string;
  /** Id of the user or role that sent the message. */
  readonly SenderId: string;
  /** Time of the first reception, in epoch milliseconds. */
  readonly ApproximateFirstReceiveTimestamp: string;
  /** The message's number in SQS; absent for standard queues. */
  readonly SequenceNumber?: string | undefined;
  /** The group within which messages keep their order; absent if the sender set no group. */
  readonly MessageGroupId?: string | undefined;
  /** Id by which SQS recognizes a repeated message; absent for standard queues. */
  readonly MessageDeduplicationId?: string | undefined;
  /** The queue from which the message was moved; absent unless it was redriven from a dead-letter queue. */
  readonly DeadLetterQueueSourceArn?: string | undefined;
}

/**
 * A value that the sender added to a message:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html.
 */
export interface QueueMessageAttribute {
  /** A string or number; absent for the type `Binary`. */
  readonly stringValue?: string | undefined;
  /** Bytes in base64; absent for other types than `Binary`. */
  readonly binaryValue?: string | undefined;
  /** Not used by SQS. */
  readonly stringListValues?: string[] | undefined;
  /** Not used by SQS. */
  readonly binaryListValues?: string[] | undefined;
  /** `String`, `Number` or `Binary`, perhaps with a label of the sender: `Number.float`. */
  readonly dataType: string;
}

/**
 * The answer to an invocation with a batch:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html.
 */
export interface BatchReport {
  /** The identifiers of the records that did not complete, each once. Empty when all completed. */
  batchItemFailures: { itemIdentifier: string }[];
}

/** Options of `queue(name, handler, options)`. An unknown key is rejected. */
export interface QueueOptions {
  /**
   * Concurrent messages of one invocation: a whole number, at least 1. Default: the option `queueConcurrency` of the
   * router, which is 1. Only for standard queues: the messages of a FIFO queue run one at a time.
   */
  readonly concurrency?: number;
  /**
   * True if a batch in which no message was handled fails the invocation, instead of reporting every message. SQS redelivers the same
   * messages in both cases. A failed invocation also counts in Lambda's metric `Errors`, so alarms on `Errors` fire. Default `false`.
   */
  readonly failWhole?: boolean;
}

/** Validators and defaults for {@link QueueOptions}. */
export const QUEUE_OPTIONS = defineOptions<QueueOptions>()({ concurrency: integer(1), failWhole: boolean });

/** Recognized only by the queue's name: messages of standard queues carry group ids too. */
function isFifo(queue: string): boolean {
  return queue.endsWith('.fifo');
}

/** A member of the trace context. */
const messageMember: NonNullable<SourceDefinition['carrier']> = ({ attributes, messageAttributes }, name) =>
  stringOf(name === 'x-amzn-trace-id' ? attributes?.AWSTraceHeader : messageAttributes?.[name]?.stringValue);

export const QUEUE: RecordSource = {
  kind: 'queue',
  noun: 'queue',
  method: 'queue',
  answer: 'batch report',
  arn: /^(arn:[^:]+:sqs:([^:]*):([^:]*):(.+))$/,
  arnOf: (record) => (record?.eventSource === 'aws:sqs' ? record.eventSourceARN : undefined),
  key: (record) => keyText(record.messageId),
  recordId: (record) => stringOf(record.messageId),
  traceId: (record) => firstTraceId(messageMember(record, 'traceparent'), messageMember(record, 'x-amzn-trace-id')),
  carrier: messageMember,
  sentMs: ({ attributes }) => Number(attributes?.SentTimestamp),
  failureIdentifier: (record) => record.messageId,
  orderedGroup: ({ attributes }, { name, arn }) =>
    isFifo(name) ? `${arn} ${stringOf(attributes?.MessageGroupId)}` : undefined,
  rules(options, place, standard) {
    const { concurrency, failWhole: failsWhole = false } = QUEUE_OPTIONS.parse(options);
    if (!isFifo(place)) return { concurrency: concurrency ?? standard, asked: concurrency, stops: false, failsWhole };
    if (concurrency === undefined) return { concurrency: 1, stops: false, failsWhole };
    throw refused('concurrency needs a standard queue: the messages of a FIFO queue run one at a time');
  },
};

/**
 * The bytes that a record contains: a queue message's body in UTF-8, or the data of a Kinesis record decoded from base64.
 *
 * @throws FrameworkError `streams.invalid_record` for a record without body and data, `app.bad_request` for data that is not
 *   valid base64
 */
export function recordBytes(record: Pick<QueueRecord, 'body'> | Pick<StreamRecord, 'kinesis'>): Uint8Array {
  const { body, kinesis } = record as { readonly body?: unknown; readonly kinesis?: { readonly data?: unknown } };
  if (typeof body === 'string') return encodeUtf8(body);
  if (typeof kinesis?.data === 'string') return decodeBase64(kinesis.data);
  throw streamsError('streams.invalid_record', 'record has no body or data');
}

/**
 * The JSON value that a record contains. It is not checked against `T`.
 *
 * @throws FrameworkError `streams.invalid_record` for data that is not JSON; the message does not quote the record
 * @example
 * events.queue('orders', (ctx, message) => fulfil(recordJson<Order>(message)));
 */
export function recordJson<T = unknown>(record: Pick<QueueRecord, 'body'> | Pick<StreamRecord, 'kinesis'>): T {
  const text = 'body' in record && typeof record.body === 'string' ? record.body : decodeUtf8(recordBytes(record));
  try {
    return JSON.parse(text) as T;
  } catch {
    throw streamsError('streams.invalid_record', 'record is not JSON');
  }
}
