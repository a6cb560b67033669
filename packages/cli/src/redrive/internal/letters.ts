import { fromJson, isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';

/** A message of SQS, as its client returns it. */
export interface QueueMessage {
  readonly MessageId?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
  readonly Body?: string | undefined;
  readonly Attributes?: Readonly<Record<string, string>> | undefined;
  readonly MessageAttributes?: Readonly<Record<string, MessageAttribute>> | undefined;
}

/** An attribute of a message. */
export interface MessageAttribute {
  readonly DataType: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
}

/** The records of a stream that Lambda gave up: positions, without the records. */
export interface StreamBatch {
  readonly source: 'stream' | 'table-stream';
  readonly streamArn: string;
  readonly shardId: string;
  readonly first: string;
  readonly last: string;
  readonly size: number;
}

/** The destination of a dead letter. */
export type Destination =
  /** Its source queue. */
  | { readonly kind: 'queue'; readonly arn: string }
  /** The function, with the event. */
  | { readonly kind: 'function'; readonly arn: string; readonly event: unknown }
  /** The function, with the records that are read again from the stream. */
  | { readonly kind: 'records'; readonly arn: string; readonly batch: StreamBatch }
  /** Nowhere: the message has an unknown format. */
  | { readonly kind: 'none'; readonly why: string };

/** A message of a failure queue. */
export interface DeadLetter {
  readonly id: string;
  /** The FIFO group, or the shard of a stream; `''` if the order does not matter. */
  readonly group: string;
  readonly reason: string;
  /** Receptions of the message, or attempts of the event. */
  readonly attempts: number | undefined;
  /** ISO 8601; the time of the first attempt, or of the failure if that is all that AWS records. */
  readonly firstFailure: string | undefined;
  /** The value that a filter reads as `body`. */
  readonly body: unknown;
  readonly destination: Destination;
  readonly message: QueueMessage;
}

/**
 * Reads a message of a failure queue: a message that SQS moved, the record of a destination of Lambda, or an event that EventBridge did not deliver.
 *
 * @param to the destination of messages that do not name their own
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html `DeadLetterQueueSourceArn`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
export function toDeadLetter(message: QueueMessage, to?: string): DeadLetter {
  const { Attributes: attributes = {}, Body: text = '' } = message;
  const body = fromJson(text) ?? text;
  const letter = {
    id: message.MessageId ?? '',
    group: attributes.MessageGroupId ?? '',
    attempts: numberIn(attributes.ApproximateReceiveCount),
    firstFailure: isoTime(attributes.ApproximateFirstReceiveTimestamp),
    body,
    message,
  };
  const source = attributes.DeadLetterQueueSourceArn;
  if (source !== undefined) {
    return { ...letter, reason: 'received too often', destination: { kind: 'queue', arn: source } };
  }
  return ofEventBridge(message, letter) ?? ofLambda(letter) ?? unknownFormat(letter, to);
}

type Common = Omit<DeadLetter, 'reason' | 'destination'>;

function ofEventBridge({ MessageAttributes = {} }: QueueMessage, letter: Common): DeadLetter | undefined {
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const target = attribute('TARGET_ARN');
  if (target === undefined) return undefined;
  const words = [attribute('ERROR_CODE'), attribute('ERROR_MESSAGE')].filter((word) => word !== undefined);
  const destination: Destination = isFunction(target)
    ? { kind: 'function', arn: target, event: letter.body }
    : { kind: 'none', why: `the target ${target} is not a function` };
  const attempts = numberIn(attribute('RETRY_ATTEMPTS'));
  const time = stringOf(membersOf(letter.body).time);
  return {
    ...letter,
    attempts,
    firstFailure: time === '' ? undefined : time,
    reason: words.join(': ') || 'not delivered',
    destination,
  };
}

function ofLambda(letter: Common): DeadLetter | undefined {
  const { requestContext, requestPayload, responsePayload, timestamp, ...more } = membersOf(letter.body);
  if (!isObject(requestContext)) return undefined;
  const { functionArn: arn, condition, approximateInvokeCount } = requestContext;
  if (typeof arn !== 'string') return undefined;
  const error = stringOf(membersOf(responsePayload).errorType);
  const known = {
    ...letter,
    reason: [stringOf(condition), error].filter((word) => word !== '').join(': '),
    attempts: typeof approximateInvokeCount === 'number' ? approximateInvokeCount : undefined,
    firstFailure: stringOf(timestamp) || undefined,
  };
  const batch = streamBatch(more);
  if (batch) return { ...known, group: batch.shardId, destination: { kind: 'records', arn, batch } };
  if (requestPayload === undefined) return undefined;
  return { ...known, body: requestPayload, destination: { kind: 'function', arn, event: requestPayload } };
}

function streamBatch({ KinesisBatchInfo, DDBStreamBatchInfo }: Members): StreamBatch | undefined {
  const info = membersOf(KinesisBatchInfo ?? DDBStreamBatchInfo);
  const { shardId, streamArn, startSequenceNumber: first, endSequenceNumber: last, batchSize } = info;
  if (![shardId, streamArn, first, last].every((one) => typeof one === 'string')) return undefined;
  return {
    source: KinesisBatchInfo === undefined ? 'table-stream' : 'stream',
    ...{ shardId: stringOf(shardId), streamArn: stringOf(streamArn), first: stringOf(first), last: stringOf(last) },
    size: typeof batchSize === 'number' ? batchSize : 1,
  };
}

/** A dead-letter queue of Lambda names neither its source nor its function: the event is the body, and the error is in the attributes. */
function unknownFormat(letter: Common, to: string | undefined): DeadLetter {
  const reason = letter.message.MessageAttributes?.ErrorMessage?.StringValue ?? 'unknown';
  if (to === undefined) {
    const why = 'the message does not name its source: pass --to with the ARN of a queue or a function';
    return { ...letter, reason, destination: { kind: 'none', why } };
  }
  const destination: Destination = isFunction(to)
    ? { kind: 'function', arn: to, event: letter.body }
    : { kind: 'queue', arn: to };
  return { ...letter, reason, destination };
}

const isFunction = (arn: string) => /^arn:[^:]+:lambda:/.test(arn);

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

function isoTime(epochMs: string | undefined): string | undefined {
  const ms = numberIn(epochMs);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
