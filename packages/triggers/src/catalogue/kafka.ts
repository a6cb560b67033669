import { defineOptions, integer, kind, object, oneOf } from '@sallyport/core/options';
import { KAFKA_TRIGGER, type KafkaTriggerOptions, kafkaTrigger } from '../kinds/kafka.js';
import { describeTrigger } from './entry.js';
import { assertRecords, DATA, type Data, toBase64 } from './internal/build.js';

const DATA_OR_NULL = /* @__PURE__ */ kind<Data | null>(
  'a string, bytes or null',
  (value) => value === null || typeof value === 'string' || value instanceof Uint8Array,
);

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

/** Kafka in the catalogue. @internal */
export const KAFKA = /* @__PURE__ */ describeTrigger(KAFKA_TRIGGER, {
  sample: {
    build: buildKafkaEvent,
    events: [
      [buildKafkaEvent('orders', [{}]), 'arn:aws:kafka:us-east-1:123456789012:cluster/cluster-1/00000000|orders-0-0'],
      [
        buildKafkaEvent('orders', [{}], { cluster: 'self-managed' }),
        'broker-1.example.com:9092,broker-2.example.com:9092|orders-0-0',
      ],
    ],
    names: ['orders'],
    register: (handlers, options?: KafkaTriggerOptions) =>
      handlers.reduce((trigger, one) => trigger.topic(...one), kafkaTrigger(options)),
  },
  docs: {
    section: 'Kafka',
    rows: [
      [
        '`kafkaTrigger({ onFailure })` with `topic(name, handler)`; `kafkaJson(record)`; `KafkaTrigger`, `KafkaTriggerOptions`, `KafkaRecord`, `KafkaReport`',
        'topics of MSK and of self-managed clusters',
      ],
    ],
  },
  construct: 'kafka',
  simulate: 'kafka',
  aws: {
    author: 'Lambda; a producer wrote keys, values and headers',
    failure: 'Lambda retries the batch, or from the reported offsets',
    limit: '6 MB',
  },
  hint: ['stream', 'a Kafka batch', 'eventSource', 'aws:kafka', 'SelfManagedKafka'],
  sizes: { factory: 'kafkaTrigger', gzipBytes: 12_950 },
});
