import { type Clock, type FullClock, isFrameworkError } from '@sallyport/core';
import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import { REGION } from '../aws/wire.js';
import { ACCOUNT } from '../host/host.js';
import { callEngine, type EngineAnswer } from '../state/engine-client.js';

/** Between two reads of a shard, and between two looks for new shards. */
const READ_MS = 250;
const SHARDS_EVERY = 8;
/** DynamoDB Local names this region and account in its ARNs. */
const ENGINE_ARN = /^arn:aws:dynamodb:ddblocal:000000000000:/;

/** What a reader needs. */
export interface TableReaderParts {
  readonly clock: FullClock & Clock;
  /** The address of DynamoDB once it is up; rejects while there is none. */
  readonly endpoint: () => Promise<string>;
  readonly table: string;
  /** Told of the stream's ARN, before its first records. */
  readonly onStream: (arn: string) => void;
  readonly onRecords: (records: readonly ShardRecordOptions[]) => void;
}

/** One shard that is read. */
interface OpenShard {
  /** `undefined` at its end. */
  iterator: string | undefined;
  /** True if the iterator is not valid any more. */
  isLost: boolean;
  /** Where it began. */
  readonly from: 'LATEST' | 'TRIM_HORIZON';
  /** Of the last record that was passed on. */
  after: string | undefined;
}

/** Reads the stream of a table and hands its records on. A table without a stream gets one, as a deployed mapping has it. */
export class TableReader {
  readonly #parts: TableReaderParts;
  readonly #shards = new Map<string, OpenShard>();
  #streamArn = '';
  /** True if the table was there when the reader began: what is in its stream is of earlier runs. */
  #startsAtEnd = true;
  #rounds = 0;
  #isStopped = false;
  #cancel = () => {};
  #round: Promise<void> = Promise.resolve();

  constructor(parts: TableReaderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#round = this.#read().catch(() => this.#forget());
    void this.#round.then(() => {
      if (!this.#isStopped) this.#cancel = this.#parts.clock.after(READ_MS, () => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#round;
  }

  /** The engine was restarted, or the table deleted: everything is looked up again. */
  #forget(): void {
    this.#rounds = 0;
  }

  async #read(): Promise<void> {
    const endpoint = await this.#parts.endpoint();
    if (this.#rounds % SHARDS_EVERY === 0) await this.#findShards(endpoint);
    this.#rounds += 1;
    for (const shard of this.#shards.values()) {
      if (shard.iterator !== undefined && !shard.isLost) await this.#readShard(endpoint, shard);
    }
  }

  async #findShards(endpoint: string): Promise<void> {
    const arn = await this.#findStream(endpoint);
    if (arn === undefined) return;
    if (arn !== this.#streamArn) {
      this.#shards.clear();
      this.#streamArn = arn;
      this.#parts.onStream(toRunArn(arn));
    }
    const { StreamDescription } = await callEngine(endpoint, 'Streams.DescribeStream', { StreamArn: arn });
    const shards = ((StreamDescription as EngineAnswer).Shards ?? []) as readonly { readonly ShardId: string }[];
    for (const { ShardId } of shards) {
      const known = this.#shards.get(ShardId);
      if (known && !known.isLost) continue;
      const { from, after } = known ?? { from: this.#startsAtEnd ? 'LATEST' : 'TRIM_HORIZON', after: undefined };
      const place =
        after === undefined
          ? { ShardIteratorType: from }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
      const input = { StreamArn: arn, ShardId, ...place };
      const { ShardIterator } = await callEngine(endpoint, 'Streams.GetShardIterator', input);
      this.#shards.set(ShardId, { iterator: ShardIterator as string, isLost: false, from, after });
    }
    this.#startsAtEnd = false;
  }

  /** The stream of the table; `undefined` while there is no such table. */
  async #findStream(endpoint: string): Promise<string | undefined> {
    const TableName = this.#parts.table;
    try {
      const { Table } = await callEngine(endpoint, 'DynamoDB.DescribeTable', { TableName });
      const { LatestStreamArn, StreamSpecification } = Table as EngineAnswer;
      const isOn = (StreamSpecification as { readonly StreamEnabled?: boolean } | undefined)?.StreamEnabled === true;
      if (isOn && typeof LatestStreamArn === 'string') return LatestStreamArn;
      const stream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
      const updated = await callEngine(endpoint, 'DynamoDB.UpdateTable', { TableName, StreamSpecification: stream });
      // Nothing of earlier runs is in a stream that begins now.
      this.#startsAtEnd = false;
      return (updated.TableDescription as EngineAnswer).LatestStreamArn as string | undefined;
    } catch (error) {
      if (!isFrameworkError(error) || error.code !== 'ResourceNotFoundException') throw error;
      // A table that is made later is read from its first change on.
      this.#startsAtEnd = false;
      return undefined;
    }
  }

  async #readShard(endpoint: string, shard: OpenShard): Promise<void> {
    try {
      const input = { ShardIterator: shard.iterator };
      const { Records, NextShardIterator } = await callEngine(endpoint, 'Streams.GetRecords', input);
      shard.iterator = NextShardIterator as string | undefined;
      const records = (Records ?? []) as readonly StreamRecord[];
      if (records.length === 0 || this.#isStopped) return;
      shard.after = records.at(-1)?.dynamodb.SequenceNumber;
      this.#parts.onRecords(records.map(toRecordOptions));
    } catch (error) {
      if (!isFrameworkError(error)) throw error;
      // The iterator is not valid any more: another one continues behind the last record.
      shard.isLost = true;
      this.#forget();
    }
  }
}

interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb: NonNullable<DynamoOptions['dynamodb']>;
}

type DynamoOptions = Extract<ShardRecordOptions, { readonly dynamodb?: unknown }>;

/** Sequence numbers stay strings: those of DynamoDB Local begin with zeros, and a report must name them as they came. */
function toRecordOptions({ eventID, eventName, dynamodb }: StreamRecord): DynamoOptions {
  return { eventID, eventName, dynamodb };
}

/** An ARN of the engine as one of this run. */
export function toRunArn(arn: string): string {
  return arn.replace(ENGINE_ARN, `arn:aws:dynamodb:${REGION}:${ACCOUNT}:`);
}
