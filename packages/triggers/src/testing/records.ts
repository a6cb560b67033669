import { defineOptions, integer, kind, object, oneOf, string } from '@sallyport/core/options';
import { refused } from '../errors.js';

/** Text is sent as UTF-8. */
type Data = string | Uint8Array;

const DATA = /* @__PURE__ */ kind<Data>(
  'a string or bytes',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
);
const DATA_OR_NULL = /* @__PURE__ */ kind<Data | null>(
  'a string, bytes or null',
  (value) => value === null || typeof value === 'string' || value instanceof Uint8Array,
);

function toBase64(data: Data): string {
  return Buffer.from(data as string).toString('base64');
}

function assertRecords(builder: string, records: readonly unknown[]): void {
  if (!Array.isArray(records) || records.length === 0) throw refused(`${builder} needs records`);
}

/** Options of one record of {@link buildKafkaEvent}. */
export interface KafkaRecordOptions {
  /** Default 0. */
  readonly partition?: number;
  /** Default: the next of its partition, from 0. */
  readonly offset?: number;
  /** Default: none. */
  readonly key?: Data;
  /** `null` is a tombstone. Default `value-<n>`, by the record's place in the event, from 1. */
  readonly value?: Data | null;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, Data>>;
}

const KAFKA_RECORD = /* @__PURE__ */ defineOptions<KafkaRecordOptions>()({
  partition: integer(0).default(0),
  offset: integer(0),
  key: DATA,
  value: DATA_OR_NULL,
  headers: object<Readonly<Record<string, Data>>>(),
});

/** Options of {@link buildKafkaEvent}. */
export interface KafkaEventOptions {
  /** `msk`, or a cluster that is `self-managed`. Default `msk`. */
  readonly cluster?: 'msk' | 'self-managed';
}

const KAFKA_EVENT = /* @__PURE__ */ defineOptions<KafkaEventOptions>()({
  cluster: oneOf('msk', 'self-managed').default('msk'),
});

/** A batch of Kafka in the form of its documentation. */
export interface KafkaEvent {
  /** `aws:kafka` or `SelfManagedKafka`. */
  readonly eventSource: 'aws:kafka' | 'SelfManagedKafka';
  /** The ARN of the cluster of MSK. */
  readonly eventSourceArn?: string;
  /** The brokers, with commas between. */
  readonly bootstrapServers: string;
  /** Records by `<topic>-<partition>`. */
  readonly records: Record<string, KafkaEventRecord[]>;
}

/** One record of a {@link KafkaEvent}. */
export interface KafkaEventRecord {
  /** The topic. */
  readonly topic: string;
  /** The number of its partition. */
  readonly partition: number;
  /** Its place in the partition. */
  readonly offset: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** Kind of the timestamp. */
  readonly timestampType: 'CREATE_TIME' | 'LOG_APPEND_TIME';
  /** Base64; absent without a key. */
  readonly key?: string;
  /** Base64; `null` of a tombstone. */
  readonly value: string | null;
  /** Bytes by name. */
  readonly headers: { [name: string]: number[] }[];
}

/**
 * Builds a batch of records of one topic.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-msk.html
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 * @example buildKafkaEvent('orders', [{ value: '{"id":1}' }, { partition: 1, value: null }]);
 */
export function buildKafkaEvent(
  topic: string,
  records: readonly KafkaRecordOptions[],
  options: KafkaEventOptions = {},
): KafkaEvent {
  assertRecords('buildKafkaEvent', records);
  const isMsk = KAFKA_EVENT.parse(options).cluster === 'msk';
  const byPartition: Record<string, KafkaEventRecord[]> = {};
  for (const [index, given] of records.entries()) {
    const { partition, offset, key, value = `value-${index + 1}`, headers = {} } = KAFKA_RECORD.parse(given);
    byPartition[`${topic}-${partition}`] ??= [];
    const others = byPartition[`${topic}-${partition}`] as KafkaEventRecord[];
    others.push({
      topic,
      partition,
      offset: offset ?? (others.at(-1)?.offset ?? -1) + 1,
      timestamp: 0,
      timestampType: 'CREATE_TIME',
      ...(key !== undefined && { key: toBase64(key) }),
      value: value === null ? null : toBase64(value),
      headers: Object.entries(headers).map(([name, bytes]) => ({ [name]: [...Buffer.from(bytes as string)] })),
    });
  }
  return {
    eventSource: isMsk ? 'aws:kafka' : 'SelfManagedKafka',
    ...(isMsk && { eventSourceArn: 'arn:aws:kafka:us-east-1:123456789012:cluster/cluster-1/00000000' }),
    bootstrapServers: 'broker-1.example.com:9092,broker-2.example.com:9092',
    records: byPartition,
  };
}

/** Options of one message of {@link buildMqEvent}. */
export interface MqMessageOptions {
  /** Default `message-<n>`, by its place in the event, from 1. */
  readonly data?: Data;
  /** Default `mq-<n>`. */
  readonly id?: string;
}

const MQ_MESSAGE = /* @__PURE__ */ defineOptions<MqMessageOptions>()({ data: DATA, id: string });

/** Options of {@link buildMqEvent}. */
export interface MqEventOptions {
  /** Default `activemq`. */
  readonly broker?: 'activemq' | 'rabbitmq';
  /** The virtual host of RabbitMQ. Default `/`. */
  readonly host?: string;
}

const MQ_EVENT = /* @__PURE__ */ defineOptions<MqEventOptions>()({
  broker: oneOf('activemq', 'rabbitmq').default('activemq'),
  host: string.default('/'),
});

/**
 * Builds a batch of messages of one queue of Amazon MQ.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-mq.html
 * @throws FrameworkError `app.invalid_configuration` for no messages, an unknown option or a wrong type
 * @example buildMqEvent('orders', [{ data: 'a' }], { broker: 'rabbitmq' });
 */
export function buildMqEvent(
  queue: string,
  messages: readonly MqMessageOptions[],
  options: MqEventOptions = {},
): Record<string, unknown> {
  assertRecords('buildMqEvent', messages);
  const { broker, host } = MQ_EVENT.parse(options);
  const given = messages.map((message, index) => {
    const { data = `message-${index + 1}`, id = `mq-${index + 1}` } = MQ_MESSAGE.parse(message);
    return { id, data: toBase64(data) };
  });
  const eventSourceArn = 'arn:aws:mq:us-east-1:123456789012:broker:broker-1:b-00000000';
  if (broker === 'rabbitmq') {
    return {
      eventSource: 'aws:rmq',
      eventSourceArn,
      rmqMessagesByQueue: { [`${queue}::${host}`]: given.map(toRabbit) },
    };
  }
  return { eventSource: 'aws:mq', eventSourceArn, messages: given.map((message) => toActive(queue, message)) };
}

function toActive(queue: string, { id, data }: { id: string; data: string }) {
  return {
    messageID: id,
    messageType: 'jms/text-message',
    deliveryMode: 1,
    replyTo: null,
    type: null,
    expiration: '60000',
    priority: 1,
    correlationId: 'correlation-1',
    redelivered: false,
    destination: { physicalName: queue },
    data,
    timestamp: 0,
    brokerInTime: 0,
    brokerOutTime: 0,
    properties: {},
  };
}

function toRabbit({ id, data }: { id: string; data: string }) {
  return {
    basicProperties: {
      contentType: 'text/plain',
      contentEncoding: null,
      headers: {},
      deliveryMode: 1,
      priority: 0,
      correlationId: null,
      replyTo: null,
      expiration: '60000',
      messageId: id,
      timestamp: 'Jan 1, 1970, 12:00:00 AM',
      type: null,
      userId: 'user',
      appId: null,
      clusterId: null,
      bodySize: Buffer.from(data, 'base64').length,
    },
    redelivered: false,
    data,
  };
}

/** Options of one change of {@link buildDocumentDbEvent}. */
export interface DocumentChangeOptions {
  /** Default `insert`. */
  readonly operation?: string;
  /** The document; absent of deletions. Default `{ _id: { $oid: '<n>' } }`. */
  readonly document?: Readonly<Record<string, unknown>>;
}

const DOCUMENT_CHANGE = /* @__PURE__ */ defineOptions<DocumentChangeOptions>()({
  operation: string.default('insert'),
  document: object<Readonly<Record<string, unknown>>>(),
});

/**
 * Builds a batch of changes of one collection of DocumentDB.
 *
 * @param namespace `database.collection`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html
 * @throws FrameworkError `app.invalid_configuration` for no changes, an unknown option or a wrong type
 * @example buildDocumentDbEvent('shop.orders', [{ document: { total: 5 } }, { operation: 'delete' }]);
 */
export function buildDocumentDbEvent(
  namespace: string,
  changes: readonly DocumentChangeOptions[],
): Record<string, unknown> {
  assertRecords('buildDocumentDbEvent', changes);
  const [db = '', ...rest] = namespace.split('.');
  return {
    eventSource: 'aws:docdb',
    eventSourceArn: 'arn:aws:rds:us-east-1:123456789012:cluster:cluster-1',
    events: changes.map((change, index) => {
      const { operation, document } = DOCUMENT_CHANGE.parse(change);
      const _id = { $oid: String(index + 1).padStart(24, '0') };
      return {
        event: {
          _id: { _data: String(index + 1).padStart(38, '0') },
          clusterTime: { $timestamp: { t: 0, i: index + 1 } },
          documentKey: { _id },
          ...(operation !== 'delete' && { fullDocument: { _id, ...document } }),
          ns: { db, coll: rest.join('.') },
          operationType: operation,
        },
      };
    }),
  };
}
