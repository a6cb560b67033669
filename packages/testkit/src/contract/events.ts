import { buildEventBusEvent, type EventBusEvent, type EventBusOptions } from '../builders/event-bus.js';
import { buildKinesisEvent, type KinesisEvent, type KinesisRecordOptions } from '../builders/kinesis.js';
import { buildQueueEvent, type QueueEvent, type QueueRecordOptions } from '../builders/queue.js';
import { ACCOUNT, REGION } from '../builders/shape.js';
import { buildTopicEvent, type TopicEvent, type TopicRecordOptions } from '../builders/topic.js';

/** The messages of a kind in a contract, by name. */
export type Channel<C, Kind extends string> = C extends { readonly [K in Kind]: infer M } ? M : Record<never, never>;

type Names<M> = keyof M & string;
/** One message or a list. */
type Some<M> = M | readonly M[];

/** Builds the events of a contract. Names and payloads have its types; a list of payloads is a batch. */
export interface ContractEvents<C> {
  /** A batch of messages of a queue. */
  queue<K extends Names<Channel<C, 'queue'>>>(
    name: K,
    messages: Some<Channel<C, 'queue'>[K]>,
    options?: Omit<QueueRecordOptions, 'body' | 'messageId'>,
  ): QueueEvent;
  /** Messages of a topic. */
  topic<K extends Names<Channel<C, 'topic'>>>(
    name: K,
    messages: Some<Channel<C, 'topic'>[K]>,
    options?: Omit<TopicRecordOptions, 'message' | 'messageId'>,
  ): TopicEvent;
  /** Records of a data stream. */
  stream<K extends Names<Channel<C, 'stream'>>>(
    name: K,
    records: Some<Channel<C, 'stream'>[K]>,
    options?: Pick<KinesisRecordOptions, 'partitionKey' | 'time'>,
  ): KinesisEvent;
  /** An event of the bus, by source and detail type: `billing/InvoicePaid`. */
  bus<K extends Names<Channel<C, 'bus'>>>(
    name: K,
    detail: Channel<C, 'bus'>[K],
    options?: Omit<EventBusOptions, 'source' | 'detailType' | 'detail'>,
  ): EventBusEvent;
}

/**
 * Creates builders of events with the types of a contract.
 *
 * @typeParam C the contract, as `sallyport types` writes it
 * @example
 * const events = contractEvents<Contract>();
 * await env.invoke(app, events.queue('orders', [{ id: 'o1' }]));
 */
export function contractEvents<C>(): ContractEvents<C> {
  const arn = (service: string, name: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`;
  // A payload that is a list is wrapped in another list: as one message it would be ambiguous.
  const each = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);
  const builders = {
    queue: (name: string, messages: unknown, options?: object) =>
      buildQueueEvent(
        arn('sqs', name),
        each(messages).map((body) => ({ ...options, body: JSON.stringify(body) })),
      ),
    topic: (name: string, messages: unknown, options?: object) =>
      buildTopicEvent(
        arn('sns', name),
        each(messages).map((message) => ({ ...options, message: JSON.stringify(message) })),
      ),
    stream: (name: string, records: unknown, options?: object) =>
      buildKinesisEvent(
        arn('kinesis', `stream/${name}`),
        each(records).map((json) => ({ ...options, json })),
      ),
    bus(name: string, detail: unknown, options?: object) {
      const slash = name.indexOf('/');
      return buildEventBusEvent({
        ...options,
        source: name.slice(0, slash),
        detailType: name.slice(slash + 1),
        detail,
      });
    },
  };
  return builders as ContractEvents<C>;
}
