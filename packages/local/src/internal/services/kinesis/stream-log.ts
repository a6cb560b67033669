import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import { buildKinesisEvent, type KinesisRecordOptions } from '@sallyport/testkit/events';

/** Number of records that are kept for consumers that read shards with the API. */
const KEPT = 10_000;

/** One record as a consumer reads it. */
export interface LoggedRecord {
  readonly shardId: string;
  readonly sequenceNumber: string;
  readonly partitionKey: string;
  /** Base64. */
  readonly data: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The records of a data stream in the order of their arrival. */
export class StreamLog {
  readonly shardIds: readonly string[];
  readonly #records: LoggedRecord[] = [];
  readonly #startedAt: number;
  #count = 0;

  constructor(shards: number, startedAt: number) {
    this.shardIds = Array.from({ length: shards }, (_, shard) => `shardId-${String(shard).padStart(12, '0')}`);
    this.#startedAt = startedAt;
  }

  get records(): readonly LoggedRecord[] {
    return this.#records;
  }

  /** The record with a sequence number higher than all earlier numbers, including earlier runs. */
  stamp(record: ShardRecordOptions, now: Date): ShardRecordOptions {
    this.#count += 1;
    const place = String(this.#count).padStart(39, '0');
    return {
      time: now,
      ...record,
      sequenceNumber: record.sequenceNumber ?? `49${String(this.#startedAt).padStart(15, '0')}${place}`,
    };
  }

  /** The id of a record that is not delivered by an engine. */
  idOf({ sequenceNumber = '' }: ShardRecordOptions): string {
    return `${this.shardIds[0]}:${sequenceNumber}`;
  }

  /** @param id the event id, which begins with the id of the shard */
  add(id: string, record: ShardRecordOptions): void {
    const [built] = buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/log', [
      record as KinesisRecordOptions,
    ]).Records;
    if (!built) return;
    const { sequenceNumber, partitionKey, data, approximateArrivalTimestamp } = built.kinesis;
    const shardId = id.split(':')[0] ?? '';
    this.#records.push({ shardId, sequenceNumber, partitionKey, data, at: approximateArrivalTimestamp * 1000 });
    if (this.#records.length > KEPT) this.#records.shift();
  }
}
