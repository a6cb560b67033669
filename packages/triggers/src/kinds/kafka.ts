import {
  decodeUtf8,
  type Environment,
  type LambdaContext,
  type SurfaceHost,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import { isWhole, type Members, membersOf, parseTraceparent, stringOf } from '@sallyport/core/internal';
import { defineOptions, oneOf } from '@sallyport/core/options';
import { type Delivered, type EventHandler, settle } from '@sallyport/streams/delivery';
import { KAFKA_ON_FAILURE_ENV } from '@sallyport/streams/schema';
import { invalidEvent, refused, triggersError } from '../errors.js';
import { bytesOf, readable } from '../internal/bytes.js';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A record of a topic: https://docs.aws.amazon.com/lambda/latest/dg/with-msk.html. */
export interface KafkaRecord {
  /** The topic. */
  readonly topic: string;
  /** The number of its partition. */
  readonly partition: number;
  /** Its place in the partition. */
  readonly offset: number;
  /** Milliseconds since 1970; 0 if the event does not contain a timestamp. */
  readonly timestamp: number;
  /** The key; `null` if absent. */
  readonly key: Uint8Array | null;
  /** The value; `null` is a tombstone, which deletes records with the same key. */
  readonly value: Uint8Array | null;
  /** The headers in order; a name may be repeated. */
  readonly headers: readonly { readonly name: string; readonly value: Uint8Array }[];
}

/** Options of `kafkaTrigger`. An unknown key is rejected. */
export interface KafkaTriggerOptions {
  /**
   * Reaction to a failed record. `throw` fails the invocation: Lambda delivers the whole batch again in any mode of the event source
   * mapping. `report` answers the lowest failed offset of each partition. Lambda reads that answer only from a mapping with provisioned
   * mode and `ReportBatchItemFailures`; any other mapping treats it as a success, and the failed records are lost.
   * Default: the variable `FRAMEWORK_KAFKA_ON_FAILURE`, which the construct `KafkaTrigger` sets to `report`; else `throw`.
   */
  readonly onFailure?: 'throw' | 'report';
}

const ON_FAILURE = oneOf('throw', 'report');

/** Validators and defaults for {@link KafkaTriggerOptions}. @internal */
export const KAFKA_TRIGGER_OPTIONS = /* @__PURE__ */ defineOptions<KafkaTriggerOptions>()({ onFailure: ON_FAILURE });

/** The answer: the first record of each partition to deliver again. */
export interface KafkaReport {
  /** Empty when all records are done. The identifier is an object: a string makes Lambda deliver the whole batch again. */
  readonly batchItemFailures: {
    readonly itemIdentifier: { readonly partition: string; readonly offset: number };
  }[];
}

/** Row, natural key and answer of topics of Kafka. @internal */
export const KAFKA_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'kafka',
  // `aws:SelfManagedKafka` is in older pages of the Lambda guide and in events of Powertools.
  anyOf: ['aws:kafka', 'SelfManagedKafka', 'aws:SelfManagedKafka'].map((value) => [
    { path: 'eventSource', test: 'equals', value },
    { path: 'records', test: 'object' },
  ]),
  sample: { eventSource: 'aws:kafka', records: {} },
  key: ({ keyPart = '', id }: Delivered) => keyOf(keyPart, id),
  traces: { carrier: headerOf, traceId: (record: unknown) => parseTraceparent(headerOf(record, 'traceparent')) },
  isBatch: true,
  sentMs: ({ record }: Delivered) => (record as KafkaRecord).timestamp,
  answer: 'an empty report, or an error after a failed record',
});

/** The last value of a header, as the propagation of trace contexts reads it. */
function headerOf(record: unknown, name: string): string {
  const found = (record as Partial<KafkaRecord>).headers?.findLast((header) => header.name === name);
  return found ? decodeUtf8(found.value) : '';
}

/** Place of a record. */
interface Place {
  readonly partition: string;
  readonly offset: number;
}

/** Handlers of topics of Kafka, of MSK or self-managed. */
export class KafkaTrigger extends NamedTrigger {
  readonly #option: KafkaTriggerOptions['onFailure'];

  constructor(options: KafkaTriggerOptions = {}) {
    super(KAFKA_TRIGGER, 'topic', 'kafka');
    this.#option = KAFKA_TRIGGER_OPTIONS.parse(options).onFailure;
  }

  /**
   * Registers the handler of a topic. It is called for each record, one at a time and in the order of each partition. By default the
   * first failure is thrown, and Lambda delivers the whole batch again. With `onFailure: 'report'` only the partition stops, and Lambda
   * delivers it again from the failed record; other partitions continue.
   *
   * @param name of the topic, or a name that `FRAMEWORK_EVENT_SOURCES` maps under `kafka`
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example kafkaTrigger().topic('orders', (ctx, record) => book(kafkaJson(record)));
   */
  topic(name: string, handler: EventHandler<KafkaRecord>): this {
    return this.add(name, handler);
  }

  /** @throws FrameworkError `app.invalid_configuration` for a wrong value of `FRAMEWORK_KAFKA_ON_FAILURE` */
  override attach(host: SurfaceHost): void {
    onFailureOf(this.#option, host.environment);
    super.attach(host);
  }

  override explainTarget(kind: TriggerKind, event: unknown): Target {
    const target = super.explainTarget(kind, event);
    return this.#reports ? { ...target, projection: REPORT } : target;
  }

  get #reports(): boolean {
    return onFailureOf(this.#option, this.delivery.settings.environment) === 'report';
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { records, eventSourceArn, bootstrapServers } = membersOf(event);
    // A cluster outside MSK has no ARN.
    const cluster = stringOf(eventSourceArn) || stringOf(bootstrapServers);
    const lists = Object.entries(membersOf(records));
    const all = lists.flatMap(([key, list]) => {
      const place = `records[${JSON.stringify(key.slice(0, 256))}]`;
      return recordsOf(this.kind, place, list).map((record, index) => ({ record, place: `${place}[${index}]` }));
    });
    recordsOf(this.kind, 'records', all);
    return all.map(({ record, place }) => ({ ...this.#readRecord(record, place, eventSourceArn), keyPart: cluster }));
  }

  #readRecord(record: Members, place: string, arn: unknown): Delivered {
    const { topic, partition, offset } = record;
    const name = stringOf(topic);
    if (name === '' || !isWhole(partition) || !isWhole(offset)) {
      throw invalidEvent(this.kind, `${place} must have a topic, a partition and an offset`);
    }
    const item = { ...this.handlerOf(name, name), id: `${name}-${partition}-${offset}`, source: sourceOf(name, arn) };
    return readable(item, () => toRecord(record, { topic: name, partition, offset }, place));
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<KafkaReport> {
    if (!this.#reports) {
      await super.answer(items, lambdaContext, event);
      return { batchItemFailures: [] };
    }
    const placeOf = ({ id }: Delivered): Place => {
      const dash = id.lastIndexOf('-');
      return { partition: id.slice(0, dash), offset: Number(id.slice(dash + 1)) };
    };
    const outcomes = await settle(this.delivery, items, lambdaContext, (item) => placeOf(item).partition);
    const lowest = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const outcome = outcomes[index];
      if (outcome && 'value' in outcome) continue;
      const { partition, offset } = placeOf(item);
      lowest.set(partition, Math.min(offset, lowest.get(partition) ?? offset));
    }
    return {
      batchItemFailures: Array.from(lowest, ([partition, offset]) => ({ itemIdentifier: { partition, offset } })),
    };
  }
}

const REPORT =
  'the lowest failed offset of each partition, for a mapping in provisioned mode with ReportBatchItemFailures';

/**
 * Reaction to a failed record: the option, else the variable, else `throw`. AWS reads the report only in provisioned mode
 * (https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html), which an event does not show. A wrong variable is
 * rejected even if an option overrides it.
 */
function onFailureOf(option: KafkaTriggerOptions['onFailure'], environment: Environment): 'throw' | 'report' {
  const variable = environment[KAFKA_ON_FAILURE_ENV] || undefined;
  if (variable !== undefined && variable !== 'throw' && variable !== 'report') {
    throw refused(
      `${KAFKA_ON_FAILURE_ENV} must be ${ON_FAILURE.wanted} (got ${JSON.stringify(variable.slice(0, 64))})`,
    );
  }
  return option ?? variable ?? 'throw';
}

function toRecord(
  { timestamp, key, value, headers }: Members,
  at: Pick<KafkaRecord, 'topic' | 'partition' | 'offset'>,
  place: string,
): KafkaRecord {
  const bytes = (name: string, text: unknown) =>
    text === null || text === undefined ? null : bytesOf('kafka', `${place}.${name}`, text);
  return {
    ...at,
    timestamp: typeof timestamp === 'number' ? timestamp : 0,
    key: bytes('key', key),
    value: bytes('value', value),
    headers: readHeaders(headers ?? [], place),
  };
}

/** Lambda writes the bytes of a header as numbers; bytes above 127 may be negative numbers. */
function readHeaders(headers: unknown, place: string): KafkaRecord['headers'] {
  return recordsOf('kafka', `${place}.headers`, headers).flatMap((header) =>
    Object.entries(header).map(([name, value]) => {
      if (!Array.isArray(value) || !value.every(Number.isInteger))
        throw invalidEvent('kafka', `${place}.headers must be lists of bytes`);
      return { name, value: Uint8Array.from(value as number[]) };
    }),
  );
}

/**
 * The value of a record as JSON; `null` for a tombstone. The type is only asserted: validate untrusted input with a schema.
 *
 * @throws FrameworkError `triggers.invalid_event` for a value that is not JSON; the error does not quote it
 * @example kafkaTrigger().topic('orders', (ctx, record) => book(kafkaJson<Order>(record)));
 */
export function kafkaJson<T = unknown>({ value }: Pick<KafkaRecord, 'value'>): T | null {
  if (value === null) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)) as T;
  } catch {
    throw triggersError('triggers.invalid_event', 'kafka event: the value is not JSON');
  }
}

/**
 * Makes the surface for topics of Kafka, in MSK or in a self-managed cluster. A failed record fails the invocation, unless the option
 * or the variable is `report`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option
 * @example
 * const topics = kafkaTrigger().topic('orders', (ctx, record) => book(kafkaJson(record)));
 * const app = new SecureApp({ principalResolver, surfaces: [topics] });
 */
export function kafkaTrigger(options: KafkaTriggerOptions = {}): KafkaTrigger {
  return new KafkaTrigger(options);
}
