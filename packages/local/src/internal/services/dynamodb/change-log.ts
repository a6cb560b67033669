import { isFrameworkError } from '@sallyport/core';
import { sizeOf } from '../../journal/changes.js';
import { callEngine, type EngineAnswer } from './engine-client.js';

/** Attributes by name, in the format of DynamoDB. */
export type Item = Readonly<Record<string, unknown>>;

/** One change of a table. */
export interface Change {
  readonly keys: Item;
  /** Milliseconds since the epoch, in whole seconds; DynamoDB Local has whole minutes. */
  readonly createdAt: number;
  /** `null` if the item did not exist. */
  readonly before: Item | null;
  /** `null` if the item was deleted. */
  readonly after: Item | null;
}

/** The known changes of a table. */
export interface Changes {
  readonly keyNames: readonly string[];
  /** The changes of an item are in their order; other changes nearly so. */
  readonly changes: readonly Change[];
  /** Changes before this time are not known; milliseconds since the epoch. */
  readonly since: number;
}

/** A stream keeps its records for a day: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_CHANGES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Maximum number of reads for one request. */
const MAX_READS = 200;

/** The changes of one table, read from its stream when they are needed. */
export class ChangeLog {
  readonly #table: string;
  readonly #now: () => number;
  #stream = '';
  readonly #shards = new Map<string, string | undefined>();
  #changes: readonly (Change & { readonly sequence: bigint })[] = [];
  #since: number;
  #reading: Promise<unknown> = Promise.resolve();

  /** @param begunAt when the stream was enabled; `undefined` for a stream of an earlier run */
  constructor(table: string, now: () => number, begunAt: number | undefined) {
    this.#table = table;
    this.#now = now;
    this.#since = begunAt ?? 0;
  }

  /** All changes until now. */
  read(endpoint: string): Promise<Changes> {
    const reading = this.#reading.catch(() => {}).then(() => this.#read(endpoint));
    this.#reading = reading;
    return reading;
  }

  async #read(endpoint: string): Promise<Changes> {
    const { Table } = await callEngine(endpoint, 'DynamoDB.DescribeTable', { TableName: this.#table });
    const { KeySchema, LatestStreamArn } = Table as EngineAnswer;
    const keyNames = (KeySchema as readonly { readonly AttributeName: string }[]).map(
      ({ AttributeName }) => AttributeName,
    );
    if (typeof LatestStreamArn !== 'string') {
      if (await beginStream(endpoint, this.#table)) this.#since = this.#now();
      return { keyNames, changes: [], since: this.#since };
    }
    if (LatestStreamArn !== this.#stream) {
      this.#shards.clear();
      this.#changes = [];
      this.#stream = LatestStreamArn;
    }
    const { StreamDescription } = await callEngine(endpoint, 'Streams.DescribeStream', { StreamArn: this.#stream });
    const shards = ((StreamDescription as EngineAnswer).Shards ?? []) as readonly { readonly ShardId: string }[];
    const added: (Change & { readonly sequence: bigint })[] = [];
    for (const { ShardId } of shards) added.push(...(await this.#readShard(endpoint, ShardId)));
    if (added.length > 0)
      this.#changes = [...this.#changes, ...added].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
    this.#limit();
    return { keyNames, changes: this.#changes, since: Math.max(this.#since, this.#now() - KEPT_MS) };
  }

  async #readShard(endpoint: string, ShardId: string) {
    const after = this.#shards.get(ShardId);
    const place =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
    const first = await callEngine(endpoint, 'Streams.GetShardIterator', {
      StreamArn: this.#stream,
      ShardId,
      ...place,
    });
    const found: (Change & { readonly sequence: bigint })[] = [];
    let ShardIterator = first.ShardIterator;
    for (let reads = 0; reads < MAX_READS && typeof ShardIterator === 'string'; reads += 1) {
      const answer: EngineAnswer = await callEngine(endpoint, 'Streams.GetRecords', { ShardIterator });
      const records = (answer.Records ?? []) as readonly { readonly dynamodb: EngineAnswer }[];
      if (records.length === 0) break;
      found.push(...records.map(({ dynamodb }) => toChange(dynamodb)));
      this.#shards.set(ShardId, String(records.at(-1)?.dynamodb.SequenceNumber));
      ShardIterator = answer.NextShardIterator;
    }
    return found;
  }

  /** Removes the oldest changes. */
  #limit(): void {
    let bytes = 0;
    const from = this.#changes.findLastIndex((change, at) => {
      bytes += sizeOf(change.before) + sizeOf(change.after);
      return bytes > MAX_BYTES || this.#changes.length - at > MAX_CHANGES;
    });
    const last = this.#changes[from];
    if (!last) return;
    this.#since = Math.max(this.#since, last.createdAt + 60_000);
    this.#changes = this.#changes.slice(from + 1);
  }
}

function toChange({ Keys, OldImage, NewImage, ApproximateCreationDateTime, SequenceNumber }: EngineAnswer) {
  return {
    sequence: BigInt(String(SequenceNumber)),
    keys: Keys as Item,
    createdAt: Math.floor(Number(ApproximateCreationDateTime)) * 1000,
    before: (OldImage as Item | undefined) ?? null,
    after: (NewImage as Item | undefined) ?? null,
  };
}

/**
 * Enables the stream of a table, with the items before and after each change.
 *
 * @returns false if it has a stream
 */
export async function beginStream(endpoint: string, TableName: string): Promise<boolean> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  try {
    await callEngine(endpoint, 'DynamoDB.UpdateTable', { TableName, StreamSpecification });
    return true;
  } catch (error) {
    if (isFrameworkError(error) && error.code === 'ValidationException') return false;
    throw error;
  }
}
