import type { FullClock } from '@sallyport/core';
import type { KinesisRecordOptions } from '../../builders/kinesis.js';
import type { TableStreamRecordOptions } from '../../builders/table-stream.js';
import type { Entry } from './book.js';

/** Builder options for a record of a data stream or of a table's stream. */
export type ShardRecordOptions = KinesisRecordOptions | TableStreamRecordOptions;

/** A record in a shard. */
export interface StreamEntry extends Entry<ShardRecordOptions> {
  readonly sequenceNumber: string;
  /** The sequence number as a number, so that 9 is less than 10. */
  readonly place: bigint;
  readonly arrivedAt: number;
}

/** The stream that a record is put into. */
interface Stream {
  /** Number of records that were put into it, including this record. */
  readonly n: number;
  readonly shards: number;
  /** A data stream; else a table's stream. */
  readonly isData: boolean;
  readonly clock: FullClock;
}

export function toStreamEntry(
  given: KinesisRecordOptions & TableStreamRecordOptions,
  { n, shards, isData, clock }: Stream,
): StreamEntry {
  const sequenceNumber =
    given.sequenceNumber ?? given.kinesis?.sequenceNumber ?? given.dynamodb?.SequenceNumber ?? String(n);
  const key = isData ? dataKey(given, n) : JSON.stringify(given.dynamodb?.Keys ?? given.keys ?? { id: String(n) });
  const shard = hash(key) % shards;
  const ownId = isData ? `shardId-${String(shard).padStart(12, '0')}:${sequenceNumber}` : `evt-${n}`;
  const id = given.eventID ?? ownId;
  return {
    id,
    lane: `shard:${shard}`,
    record: {
      time: clock.now(),
      ...given,
      eventID: id,
      ...(given.kinesis || given.dynamodb ? {} : { sequenceNumber }),
    },
    sequenceNumber,
    place: /^\d+$/.test(sequenceNumber) ? BigInt(sequenceNumber) : 0n,
    arrivedAt: clock.monotonicMs(),
    deliveries: 0,
    state: 'waiting',
    until: undefined,
  };
}

function dataKey({ partitionKey, kinesis }: KinesisRecordOptions, n: number): string {
  return partitionKey ?? kinesis?.partitionKey ?? `pk-${n}`;
}

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
