import type { EventBridgeClient, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { KinesisClient } from '@aws-sdk/client-kinesis';
import type { PublishBatchRequestEntry, SNSClient } from '@aws-sdk/client-sns';
import type { SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { KINESIS_MAX_RECORD_BYTES, throwMissing } from '@sallyport/core/internal';
import type { PutRecordsEntry } from '../../producer/kinesis-record.js';
import type { Lane, Outcome } from './lane.js';

type MessageEntry = Omit<SendMessageBatchRequestEntry, 'Id'>;
type NoticeEntry = Omit<PublishBatchRequestEntry, 'Id'>;
type Attributes = SendMessageBatchRequestEntry['MessageAttributes'];

/** 10 entries, 1 MiB: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
export function queueLane(QueueUrl: string, client: () => Promise<Pick<SQSClient, 'send'>>): Lane<MessageEntry> {
  return {
    maxEntries: 10,
    maxBytes: 1_048_576,
    sizeOf: ({ MessageBody = '', MessageAttributes }) => Buffer.byteLength(MessageBody) + bytesOf(MessageAttributes),
    async submit(entries, abortSignal) {
      const [{ SendMessageBatchCommand }, sqs] = await Promise.all([loadSqs(), client()]);
      const command = new SendMessageBatchCommand({ QueueUrl, Entries: entries.map(withId) });
      return outcomesOf(entries, await sqs.send(command, { abortSignal }));
    },
  };
}

/** 10 entries, the size of the topic: https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html */
export function topicLane(
  TopicArn: string,
  maxBytes: number,
  client: () => Promise<Pick<SNSClient, 'send'>>,
): Lane<NoticeEntry> {
  return {
    maxEntries: 10,
    maxBytes,
    sizeOf: ({ Message = '', Subject = '', MessageAttributes }) =>
      Buffer.byteLength(Message) + Buffer.byteLength(Subject) + bytesOf(MessageAttributes),
    async submit(entries, abortSignal) {
      const [{ PublishBatchCommand }, sns] = await Promise.all([loadSns(), client()]);
      const command = new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: entries.map(withId) });
      return outcomesOf(entries, await sns.send(command, { abortSignal }));
    },
  };
}

/** 10 entries, less than 1 MB: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
export function busLane(client: () => Promise<Pick<EventBridgeClient, 'send'>>): Lane<PutEventsRequestEntry> {
  return {
    maxEntries: 10,
    maxBytes: 999_999,
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size
    sizeOf: ({ Source, DetailType, Detail, Resources = [], Time }) =>
      [Source, DetailType, Detail, ...Resources].reduce(
        (sum, part = '') => sum + Buffer.byteLength(part),
        Time ? 14 : 0,
      ),
    async submit(entries, abortSignal) {
      const [{ PutEventsCommand }, events] = await Promise.all([loadEvents(), client()]);
      const { Entries = [] } = await events.send(new PutEventsCommand({ Entries: [...entries] }), { abortSignal });
      return Entries.map(({ EventId, ErrorCode }) => ofEntry(EventId, ErrorCode));
    },
  };
}

/** 500 records, 10 MiB with their keys: https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html */
export function streamLane(stream: string, client: () => Promise<Pick<KinesisClient, 'send'>>): Lane<PutRecordsEntry> {
  const target = stream.startsWith('arn:') ? { StreamARN: stream } : { StreamName: stream };
  return {
    maxEntries: 500,
    maxBytes: KINESIS_MAX_RECORD_BYTES,
    sizeOf: ({ PartitionKey, Data }) => Buffer.byteLength(PartitionKey) + Data.length,
    async submit(entries, abortSignal) {
      const [{ PutRecordsCommand }, kinesis] = await Promise.all([loadKinesis(), client()]);
      const command = new PutRecordsCommand({ ...target, Records: [...entries] });
      const { Records = [] } = await kinesis.send(command, { abortSignal });
      return Records.map(({ SequenceNumber, ErrorCode }) => ofEntry(SequenceNumber, ErrorCode));
    },
  };
}

export const loadSqs = (): Promise<typeof import('@aws-sdk/client-sqs')> =>
  import('@aws-sdk/client-sqs').catch(throwMissing('@aws-sdk/client-sqs'));
export const loadSns = (): Promise<typeof import('@aws-sdk/client-sns')> =>
  import('@aws-sdk/client-sns').catch(throwMissing('@aws-sdk/client-sns'));
export const loadEvents = (): Promise<typeof import('@aws-sdk/client-eventbridge')> =>
  import('@aws-sdk/client-eventbridge').catch(throwMissing('@aws-sdk/client-eventbridge'));
export const loadKinesis = (): Promise<typeof import('@aws-sdk/client-kinesis')> =>
  import('@aws-sdk/client-kinesis').catch(throwMissing('@aws-sdk/client-kinesis'));

/** The attributes count with name, type and value; the trace header of SQS does not. */
function bytesOf(attributes: Attributes): number {
  return Object.entries(attributes ?? {}).reduce(
    (sum, [name, { DataType = '', StringValue = '' }]) => sum + Buffer.byteLength(name + DataType + StringValue),
    0,
  );
}

function withId<T extends object>(entry: T, place: number): T & { readonly Id: string } {
  return { ...entry, Id: `${place}` };
}

interface BatchAnswer {
  readonly Successful?:
    | readonly { readonly Id?: string | undefined; readonly MessageId?: string | undefined }[]
    | undefined;
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined;
        readonly Code?: string | undefined;
        readonly SenderFault?: boolean | undefined;
      }[]
    | undefined;
}

/** The outcomes in the order of the entries; a service answers in any order. */
function outcomesOf(entries: readonly object[], { Successful = [], Failed = [] }: BatchAnswer): readonly Outcome[] {
  const outcomes = new Map<string | undefined, Outcome>();
  for (const { Id, MessageId = '' } of Successful) outcomes.set(Id, { id: MessageId });
  for (const { Id, Code = 'Unknown', SenderFault } of Failed)
    outcomes.set(Id, { reason: Code, isPassing: SenderFault !== true });
  return entries.map((_, place) => outcomes.get(`${place}`) ?? { reason: 'no answer for the entry', isPassing: false });
}

/** EventBridge and Kinesis name the reason: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html */
function ofEntry(id: string | undefined, code: string | undefined): Outcome {
  return id !== undefined && !code
    ? { id }
    : { reason: code ?? 'Unknown', isPassing: /Throttl|Internal|ThroughputExceeded|LimitExceeded/.test(code ?? '') };
}
