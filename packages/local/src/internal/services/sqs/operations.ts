import { createHash } from 'node:crypto';
import { SQS_MAX_VISIBILITY_SECONDS } from '@sallyport/core/internal';
import type { QueueMessageAttribute, QueueRecordOptions } from '@sallyport/testkit/events';
import { ACCOUNT, nameIn } from '../../aws/names.js';
import {
  type AwsService,
  type Call,
  defineService,
  entriesOf,
  type Input,
  numberOf,
  optionalText,
  textOf,
} from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { assertEntries, assertTotal, bodyOf, delayOf, invalid, missing } from './limits.js';
import type { LocalQueue, Sent } from './queue.js';
import type { StoredMessage } from './stored-queue.js';

const MAX_WAIT_S = 20;

/** Options of {@link createSqs}. */
export interface SqsOptions {
  readonly queue: (name: string) => LocalQueue;
  readonly names: () => readonly string[];
  /** The address of the port, for queue URLs. */
  readonly address: () => string;
}

/** SQS. A receiver gets no message from a queue with a handler: the messages are in flight, or wait for their next delivery. */
export function createSqs({ queue, names, address }: SqsOptions): AwsService {
  const urlOf = (name: string) => `${address()}/${ACCOUNT}/${name}`;
  const queueOf = (input: Input) => existing(queue, nameIn(textOf(input, 'QueueUrl')));
  return defineService(
    { protocol: 'json-1.0', resources: ['QueueUrl', 'QueueName'] },
    {
      SendMessage: (input, call) => send(queueOf(input), input, call),
      SendMessageBatch: (input, call) => batch(input, (entry) => send(queueOf(input), entry, call), assertTotal),
      ReceiveMessage: async (input) => receive(queueOf(input), input),
      DeleteMessage: (input) => remove(queueOf(input), input),
      DeleteMessageBatch: (input) => batch(input, (entry) => remove(queueOf(input), entry)),
      ChangeMessageVisibility: (input) => changeVisibility(queueOf(input), input),
      ChangeMessageVisibilityBatch: (input) => batch(input, (entry) => changeVisibility(queueOf(input), entry)),
      GetQueueUrl: (input) => ({ QueueUrl: urlOf(existing(queue, textOf(input, 'QueueName')).name) }),
      CreateQueue: (input) => ({ QueueUrl: urlOf(queue(textOf(input, 'QueueName')).name) }),
      GetQueueAttributes: (input) => ({ Attributes: attributesOf(queueOf(input), namesOf(input, 'AttributeNames')) }),
      PurgeQueue(input) {
        queueOf(input).purge();
        return {};
      },
      ListQueues(input) {
        const prefix = optionalText(input, 'QueueNamePrefix') ?? '';
        const found = names().filter((name) => name.startsWith(prefix));
        return found.length === 0 ? {} : { QueueUrls: found.map(urlOf) };
      },
    },
  );
}

/** An unknown queue is created by its first message: a queue of another service is not registered here. */
function existing(queue: SqsOptions['queue'], name: string): LocalQueue {
  if (!/^[A-Za-z0-9_-]{1,80}(\.fifo)?$/.test(name)) {
    const queueCode = 'AWS.SimpleQueueService.NonExistentQueue';
    throw new AwsFault(400, 'com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.', {
      queryCode: queueCode,
    });
  }
  return queue(name);
}

function send(queue: LocalQueue, input: Input, { traceId }: Call): Record<string, unknown> {
  const body = bodyOf(input);
  const attributes = messageAttributesOf(input.MessageAttributes);
  const delay = delayOf(numberOf(input, 'DelaySeconds', 0), queue.isFifo);
  const groupId = optionalText(input, 'MessageGroupId');
  if (queue.isFifo && groupId === undefined) throw missing('MessageGroupId');
  const record: QueueRecordOptions = {
    body,
    attributes: systemAttributesOf(input, traceId),
    ...(groupId !== undefined && { groupId }),
    ...(attributes !== undefined && { messageAttributes: attributes }),
  };
  return answerOf(queue.send(record, delay * 1000), body, attributes);
}

function systemAttributesOf(input: Input, traceId: string | undefined): Record<string, string> {
  const given = messageAttributesOf(input.MessageSystemAttributes)?.AWSTraceHeader?.stringValue;
  const trace = given ?? traceId;
  const key = optionalText(input, 'MessageDeduplicationId');
  return {
    ...(trace !== undefined && { AWSTraceHeader: trace }),
    ...(key !== undefined && { MessageDeduplicationId: key }),
  };
}

type Attributes = Readonly<Record<string, QueueMessageAttribute>>;

function answerOf(
  { id, sequenceNumber }: Sent,
  body: string,
  attributes: Attributes | undefined,
): Record<string, unknown> {
  return {
    MessageId: id,
    MD5OfMessageBody: md5(body),
    ...(attributes !== undefined && { MD5OfMessageAttributes: md5OfAttributes(attributes) }),
    ...(sequenceNumber !== undefined && { SequenceNumber: sequenceNumber }),
  };
}

/** Runs each entry; failed entries are reported next to the successful entries. */
function batch(
  input: Input,
  run: (entry: Input) => Record<string, unknown>,
  check: (entries: readonly Input[]) => void = () => {},
): Record<string, unknown> {
  const entries = entriesOf(input, 'Entries');
  assertEntries(entries);
  check(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsFault)) throw error;
      Failed.push({ Id: entry.Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}

async function receive(queue: LocalQueue, input: Input): Promise<Record<string, unknown>> {
  const most = numberOf(input, 'MaxNumberOfMessages', 1);
  if (most < 1 || most > 10) throw invalid('MaxNumberOfMessages must be 1 to 10');
  const hiddenMs = numberOf(input, 'VisibilityTimeout', (queue.settings.visibilityTimeoutMs ?? 30_000) / 1000) * 1000;
  const waitMs = numberOf(input, 'WaitTimeSeconds', 0) * 1000;
  if (waitMs < 0 || waitMs > MAX_WAIT_S * 1000) throw invalid(`WaitTimeSeconds must be 0 to ${MAX_WAIT_S}`);
  const take = () => queue.stored.take(most, hiddenMs, queue.isFifo);
  let taken = take();
  if (taken.length === 0 && waitMs > 0) {
    await queue.stored.changed(waitMs);
    taken = take();
  }
  if (taken.length === 0) return {};
  const system = [...namesOf(input, 'AttributeNames'), ...namesOf(input, 'MessageSystemAttributeNames')];
  return { Messages: taken.map((message) => messageOf(message, system, namesOf(input, 'MessageAttributeNames'))) };
}

function messageOf(
  message: StoredMessage,
  system: readonly string[],
  names: readonly string[],
): Record<string, unknown> {
  const { record, id, receipt, received, group } = message;
  const body = typeof record.body === 'string' ? record.body : JSON.stringify(record.body ?? {});
  const timestamp = String((record.time ?? new Date(0)).getTime());
  const attributes: Record<string, string> = {
    SenderId: 'AROALOCAL',
    SentTimestamp: timestamp,
    ApproximateFirstReceiveTimestamp: timestamp,
    ApproximateReceiveCount: String(received),
    ...(group !== '' && { MessageGroupId: group }),
    ...record.attributes,
  };
  const asked = Object.entries(attributes).filter(([name]) => system.includes('All') || system.includes(name));
  const given = Object.entries(withTypes(record.messageAttributes ?? {})).filter(([name]) => isAsked(name, names));
  const own = Object.fromEntries(given);
  return {
    MessageId: id,
    ReceiptHandle: receipt,
    Body: body,
    MD5OfBody: md5(body),
    ...(asked.length > 0 && { Attributes: Object.fromEntries(asked) }),
    ...(given.length > 0 && { MessageAttributes: toWire(own), MD5OfMessageAttributes: md5OfAttributes(own) }),
  };
}

function isAsked(name: string, names: readonly string[]): boolean {
  return names.some(
    (asked) => ['All', '.*', name].includes(asked) || (asked.endsWith('.*') && name.startsWith(asked.slice(0, -2))),
  );
}

function remove(queue: LocalQueue, input: Input): Record<string, unknown> {
  // Deleting a deleted message succeeds, as in SQS.
  queue.deleteMessage(textOf(input, 'ReceiptHandle'));
  return {};
}

function changeVisibility(queue: LocalQueue, input: Input): Record<string, unknown> {
  const seconds = numberOf(input, 'VisibilityTimeout', -1);
  if (seconds < 0 || seconds > SQS_MAX_VISIBILITY_SECONDS) throw invalid('VisibilityTimeout must be 0 to 43200');
  if (!queue.changeVisibility(textOf(input, 'ReceiptHandle'), seconds * 1000)) {
    throw new AwsFault(400, 'ReceiptHandleIsInvalid', 'The receipt handle does not belong to a message.');
  }
  return {};
}

function attributesOf(queue: LocalQueue, names: readonly string[]): Record<string, string> {
  const { visible, hidden, delayed } = queue.counts();
  const all: Record<string, string> = {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(hidden),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    VisibilityTimeout: String((queue.settings.visibilityTimeoutMs ?? 30_000) / 1000),
    ...(queue.isFifo && { FifoQueue: 'true' }),
    ...(queue.redrivePolicy && { RedrivePolicy: JSON.stringify(queue.redrivePolicy) }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
}

function namesOf(input: Input, member: string): readonly string[] {
  const value = input[member];
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** Converts attributes of the API, `{ DataType, StringValue }`, to attributes of the event. */
function messageAttributesOf(given: unknown): Attributes | undefined {
  if (typeof given !== 'object' || given === null || Object.keys(given).length === 0) return undefined;
  const entries = Object.entries(given as Record<string, Input>).map(
    ([name, value]): [string, QueueMessageAttribute] => {
      const [stringValue, binaryValue] = [optionalText(value, 'StringValue'), optionalText(value, 'BinaryValue')];
      return [
        name,
        {
          dataType: textOf(value, 'DataType'),
          ...(stringValue !== undefined && { stringValue }),
          ...(binaryValue !== undefined && { binaryValue }),
        },
      ];
    },
  );
  return Object.fromEntries(entries);
}

function withTypes(attributes: NonNullable<QueueRecordOptions['messageAttributes']>): Attributes {
  const entries = Object.entries(attributes).map(([name, value]): [string, QueueMessageAttribute] => [
    name,
    typeof value === 'string' ? { dataType: 'String', stringValue: value } : value,
  ]);
  return Object.fromEntries(entries);
}

function toWire(attributes: Attributes): Record<string, object> {
  const entries = Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]): [string, object] => [
    name,
    {
      DataType: dataType,
      ...(stringValue !== undefined && { StringValue: stringValue }),
      ...(binaryValue !== undefined && { BinaryValue: binaryValue }),
    },
  ]);
  return Object.fromEntries(entries);
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation */
function md5OfAttributes(attributes: Attributes): string {
  const hash = createHash('md5');
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const [name, { dataType, stringValue, binaryValue }] of Object.entries(attributes).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    add(Buffer.from(name));
    add(Buffer.from(dataType));
    hash.update(Buffer.from([stringValue === undefined ? 2 : 1]));
    add(stringValue === undefined ? Buffer.from(binaryValue ?? '', 'base64') : Buffer.from(stringValue));
  }
  return hash.digest('hex');
}
