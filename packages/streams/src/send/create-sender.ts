import type { StandardSchema } from '@sallyport/core';
import { lazily } from '@sallyport/core/internal';
import { createKinesisJsonRecord, toPutRecordsEntry } from '../producer/kinesis-record.js';
import { addressOf, eventNameOf, groupOf, jsonOf } from './internal/entries.js';
import type { Lane } from './internal/lane.js';
import {
  busLane,
  loadEvents,
  loadKinesis,
  loadSns,
  loadSqs,
  queueLane,
  streamLane,
  topicLane,
} from './internal/lanes.js';
import { onlyOf, sendAll } from './internal/send-all.js';
import { SENDER_OPTIONS, type SenderOptions } from './options.js';
import type { SendReport, Sent } from './report.js';
import type { Details, EventOptions, MessageOptions, Messages, NoticeOptions, RecordOptions } from './types.js';

/** The options of a batch, for all values or for each. */
type Each<T, O> = O | ((value: T, index: number) => O);
type Names<M> = keyof M & string;

/**
 * Sends the messages, events and records of a contract. Values are sent as JSON. A single call rejects with the error of a
 * {@link SendReport}; a batch returns it and sends as many requests as it needs, one after the other.
 */
export interface Sender<C> {
  /** Sends a message to a queue. @throws FrameworkError as in `SendFailure.error` */
  send<K extends Names<Messages<C, 'queue'>>>(
    queue: K,
    message: Messages<C, 'queue'>[K],
    options?: MessageOptions,
  ): Promise<Sent>;
  /** Sends messages to a queue. After a failed message the following messages of its group are not sent. */
  sendBatch<K extends Names<Messages<C, 'queue'>>>(
    queue: K,
    messages: readonly Messages<C, 'queue'>[K][],
    options?: Each<Messages<C, 'queue'>[K], MessageOptions>,
  ): Promise<SendReport<Messages<C, 'queue'>[K]>>;
  /** Publishes a message to a topic. @throws FrameworkError as in `SendFailure.error` */
  publish<K extends Names<Messages<C, 'topic'>>>(
    topic: K,
    message: Messages<C, 'topic'>[K],
    options?: NoticeOptions,
  ): Promise<Sent>;
  /** Publishes messages to a topic. After a failed message the following messages of its group are not sent. */
  publishBatch<K extends Names<Messages<C, 'topic'>>>(
    topic: K,
    messages: readonly Messages<C, 'topic'>[K][],
    options?: Each<Messages<C, 'topic'>[K], NoticeOptions>,
  ): Promise<SendReport<Messages<C, 'topic'>[K]>>;
  /** Puts an event on the bus: `put('billing/InvoicePaid', detail)`. @throws FrameworkError as in `SendFailure.error` */
  put<K extends Names<Details<C>>>(event: K, detail: Details<C>[K], options?: EventOptions): Promise<Sent>;
  /** Puts events of one type on the bus. */
  putBatch<K extends Names<Details<C>>>(
    event: K,
    details: readonly Details<C>[K][],
    options?: Each<Details<C>[K], EventOptions>,
  ): Promise<SendReport<Details<C>[K]>>;
  /** Puts a record into a data stream. @throws FrameworkError as in `SendFailure.error` */
  putRecord<K extends Names<Messages<C, 'stream'>>>(
    stream: K,
    record: Messages<C, 'stream'>[K],
    options: RecordOptions,
  ): Promise<Sent>;
  /** Puts records into a data stream. After a failed record the following records of its key are not sent. */
  putRecords<K extends Names<Messages<C, 'stream'>>>(
    stream: K,
    records: readonly Messages<C, 'stream'>[K][],
    options: Each<Messages<C, 'stream'>[K], RecordOptions>,
  ): Promise<SendReport<Messages<C, 'stream'>[K]>>;
}

/** The SQS client sends to the host of a queue's URL, even if another endpoint is configured, as by `sallyport dev`. */
const sqsConfig = () => {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_SQS } = process.env;
  return { useQueueUrlAsEndpoint: !(AWS_ENDPOINT_URL_SQS ?? AWS_ENDPOINT_URL) };
};

/**
 * Creates a sender. The AWS clients are optional peers, loaded with the first call that needs them.
 *
 * @typeParam C the contract, as `sallyport types` writes it
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, a name without an address, and a FIFO queue or topic without
 *   a group
 * @example
 * const sender = createSender<Contract>({ queues: { orders: process.env.ORDERS_URL } });
 * await sender.send('orders', { id: 'o1' });
 */
export function createSender<C>(options: SenderOptions<C>): Sender<C> {
  const { queues, topics, streams, bus, schemas, trace, clients, timeoutMs, maxMessageBytes, maxRecordBytes } =
    SENDER_OPTIONS.parse(options as SenderOptions);
  const sqs = lazily(async () => clients.sqs ?? new (await loadSqs()).SQSClient(sqsConfig()));
  const sns = lazily(async () => clients.sns ?? new (await loadSns()).SNSClient({}));
  const eventBridge = lazily(async () => clients.eventBridge ?? new (await loadEvents()).EventBridgeClient({}));
  const kinesis = lazily(async () => clients.kinesis ?? new (await loadKinesis()).KinesisClient({}));
  const traced = trace ?? (<T>(input: T) => input);
  const run = <Entry, O extends { readonly signal?: AbortSignal }>(
    place: string,
    values: readonly unknown[],
    each: Each<unknown, O> | undefined,
    schema: StandardSchema | undefined,
    lane: Lane<Entry>,
    groupOf: (options: O) => string | undefined,
    make: (value: unknown, options: O) => Entry,
  ): Promise<SendReport<never>> => sendAll({ place, values, each, schema, lane, groupOf, make, timeoutMs });
  // A group of a standard queue is about a fair share, not about order.
  const orderOf = (address: string) => (options?: { readonly group?: string }) =>
    address.endsWith('.fifo') ? options?.group : undefined;

  const sender = {
    sendBatch(name: string, values: readonly unknown[], each?: Each<unknown, MessageOptions>) {
      const address = addressOf('queues', queues, name);
      return run(
        `queue "${name}"`,
        values,
        each,
        schemas.queue?.[name],
        queueLane(address, sqs),
        orderOf(address),
        (value, given) => {
          const { group, dedupe, delaySeconds } = given ?? {};
          const entry = {
            MessageBody: jsonOf(value),
            ...groupOf('queue', name, address, group, dedupe),
            ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
          };
          return traced({ Entries: [entry] }).Entries[0] ?? entry;
        },
      );
    },
    publishBatch(name: string, values: readonly unknown[], each?: Each<unknown, NoticeOptions>) {
      const address = addressOf('topics', topics, name);
      const lane = topicLane(address, maxMessageBytes, sns);
      return run(`topic "${name}"`, values, each, schemas.topic?.[name], lane, orderOf(address), (value, given) => {
        const { group, dedupe, subject } = given ?? {};
        const entry = {
          Message: jsonOf(value),
          ...groupOf('topic', name, address, group, dedupe),
          ...(subject !== undefined && { Subject: subject }),
        };
        return traced({ PublishBatchRequestEntries: [entry] }).PublishBatchRequestEntries[0] ?? entry;
      });
    },
    putBatch(name: string, values: readonly unknown[], each?: Each<unknown, EventOptions>) {
      const [Source, DetailType] = eventNameOf(name);
      return run(
        `event "${name}"`,
        values,
        each,
        schemas.bus?.[name],
        busLane(eventBridge),
        () => undefined,
        (value, given) => {
          const { resources, time } = given ?? {};
          const entry = {
            EventBusName: bus,
            Source,
            DetailType,
            Detail: jsonOf(value),
            ...(resources && { Resources: [...resources] }),
            ...(time && { Time: time }),
          };
          return traced({ Entries: [entry] }).Entries[0] ?? entry;
        },
      );
    },
    putRecords(name: string, values: readonly unknown[], each: Each<unknown, RecordOptions>) {
      const lane = streamLane(addressOf('streams', streams, name), kinesis);
      return run(
        `stream "${name}"`,
        values,
        each,
        schemas.stream?.[name],
        lane,
        ({ key }) => key,
        (payload, { key }) => {
          const record = createKinesisJsonRecord({ partitionKey: key, payload, maxDataBytes: maxRecordBytes });
          return toPutRecordsEntry(record);
        },
      );
    },
  };
  return {
    ...sender,
    send: async (name, value, given) => onlyOf(await sender.sendBatch(name, [value], given)),
    publish: async (name, value, given) => onlyOf(await sender.publishBatch(name, [value], given)),
    put: async (name, value, given) => onlyOf(await sender.putBatch(name, [value], given)),
    putRecord: async (name, value, given) => onlyOf(await sender.putRecords(name, [value], given)),
  } as Sender<C>;
}
