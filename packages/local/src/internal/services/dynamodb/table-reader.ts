import { type Clock, type FullClock, isFrameworkError } from '@sallyport/core';
import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import { callEngine, type EngineAnswer, toRunArns } from './engine-client.js';

/** Milliseconds between two reads of a shard, and between two searches for new shards. */
const READ_MS = 250;
const SHARDS_EVERY = 8;

/** Options of a {@link TableReader}. */
export interface TableReaderOptions {
  readonly clock: FullClock & Clock;
  /** The address of DynamoDB. Resolves when the engine is ready; rejects while it is off. */
  readonly endpoint: () => Promise<string>;
  readonly table: string;
  /** The start of the run, in milliseconds since 1970: a stream that began after it is read from its first record. */
  readonly runStart: () => number;
  /** Receives the stream's ARN, before its first records. */
  readonly onStream: (arn: string) => void;
  readonly onRecords: (records: readonly ShardRecordOptions[], shardId: string) => void;
}

/** An open shard. */
interface OpenShard {
  /** `undefined` at its end. */
  iterator: string | undefined;
  /** True if the iterator is no longer valid. */
  isLost: boolean;
  /** The position of the first iterator. */
  readonly from: 'LATEST' | 'TRIM_HORIZON';
  /** Sequence number of the last delivered record. */
  after: string | undefined;
}

/** Reads the stream of a table and delivers its records. Enables the stream of a table without a stream, as a deployed mapping requires. */
export class TableReader {
  readonly #options: TableReaderOptions;
  readonly #shards = new Map<string, OpenShard>();
  #streamArn = '';
  /** True until the first search for shards has ended: only shards of that search can have records of an earlier run. */
  #isFirst = true;
  #rounds = 0;
  #isStopped = false;
  #cancel = () => {};
  #round: Promise<void> = Promise.resolve();

  constructor(options: TableReaderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#round = this.#read().catch(() => this.#forget());
    void this.#round.then(() => {
      if (!this.#isStopped) this.#cancel = this.#options.clock.after(READ_MS, () => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#round;
  }

  /** The engine was restarted, or the table deleted: the next round searches for the shards again. */
  #forget(): void {
    this.#rounds = 0;
  }

  async #read(): Promise<void> {
    const endpoint = await this.#options.endpoint();
    if (this.#rounds % SHARDS_EVERY === 0) await this.#findShards(endpoint);
    this.#rounds += 1;
    for (const [id, shard] of this.#shards) {
      if (shard.iterator !== undefined && !shard.isLost) await this.#readShard(endpoint, id, shard);
    }
  }

  async #findShards(endpoint: string): Promise<void> {
    const arn = await this.#findStream(endpoint);
    if (arn === undefined) return;
    if (arn !== this.#streamArn) {
      this.#shards.clear();
      this.#streamArn = arn;
      this.#options.onStream(toRunArns(arn));
    }
    const { StreamDescription } = await callEngine(endpoint, 'Streams.DescribeStream', { StreamArn: arn });
    const { Shards, CreationRequestDateTime } = StreamDescription as EngineAnswer;
    const shards = (Shards ?? []) as readonly { readonly ShardId: string }[];
    // In seconds. A client may create the table between the start of the run and the first search.
    const isEarlier = Number(CreationRequestDateTime) < Math.floor(this.#options.runStart() / 1000);
    const first = this.#isFirst && isEarlier ? 'LATEST' : 'TRIM_HORIZON';
    for (const { ShardId } of shards) {
      const known = this.#shards.get(ShardId);
      if (known && !known.isLost) continue;
      const { from, after } = known ?? { from: first, after: undefined };
      const place =
        after === undefined
          ? { ShardIteratorType: from }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
      const input = { StreamArn: arn, ShardId, ...place };
      const { ShardIterator } = await callEngine(endpoint, 'Streams.GetShardIterator', input);
      this.#shards.set(ShardId, { iterator: ShardIterator as string, isLost: false, from, after });
    }
    this.#isFirst = false;
  }

  /** The stream of the table; `undefined` while the table does not exist. */
  async #findStream(endpoint: string): Promise<string | undefined> {
    const TableName = this.#options.table;
    try {
      const { Table } = await callEngine(endpoint, 'DynamoDB.DescribeTable', { TableName });
      const { LatestStreamArn, StreamSpecification } = Table as EngineAnswer;
      const isOn = (StreamSpecification as { readonly StreamEnabled?: boolean } | undefined)?.StreamEnabled === true;
      if (isOn && typeof LatestStreamArn === 'string') return LatestStreamArn;
      const stream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
      const updated = await callEngine(endpoint, 'DynamoDB.UpdateTable', { TableName, StreamSpecification: stream });
      return (updated.TableDescription as EngineAnswer).LatestStreamArn as string | undefined;
    } catch (error) {
      if (!isFrameworkError(error) || error.code !== 'ResourceNotFoundException') throw error;
      return undefined;
    }
  }

  async #readShard(endpoint: string, shardId: string, shard: OpenShard): Promise<void> {
    try {
      const input = { ShardIterator: shard.iterator };
      const { Records, NextShardIterator } = await callEngine(endpoint, 'Streams.GetRecords', input);
      shard.iterator = NextShardIterator as string | undefined;
      const records = (Records ?? []) as readonly StreamRecord[];
      if (records.length === 0 || this.#isStopped) return;
      shard.after = records.at(-1)?.dynamodb.SequenceNumber;
      this.#options.onRecords(records.map(toRecordOptions), shardId);
    } catch (error) {
      if (!isFrameworkError(error)) throw error;
      // The iterator is no longer valid: a new iterator continues after the last record.
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

/** Sequence numbers are kept as strings: DynamoDB Local's numbers begin with zeros, and a report must contain them unchanged. */
function toRecordOptions({ eventID, eventName, dynamodb }: StreamRecord): DynamoOptions {
  return { eventID, eventName, dynamodb };
}
