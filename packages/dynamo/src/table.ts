import type { FullClock } from '@sallyport/core';
import type { Client } from './client.js';
import { withDeadline } from './deadline.js';
import { isTransient } from './errors.js';
import type {
  CallOptions,
  Changes,
  Item,
  ItemPage,
  ItemQuery,
  ItemTable,
  Key,
  ReadOptions,
  WriteOptions,
  WriteOutcome,
} from './item-table.js';
import { type CallReport, Requests } from './requests.js';

export interface DynamoTableOptions {
  readonly tableName: string;
  /** Default: a client of our own with `maxAttempts`, made at the first call. */
  readonly client?: Client | undefined;
  readonly clock: FullClock;
  /** Milliseconds for all attempts of one call. Loading the SDK is not counted. */
  readonly timeoutMs: number;
  /** Attempts of our own client at one request. Default: the SDK's, 3. */
  readonly maxAttempts?: number;
  /** Makes the error of a call that failed. `transient`: the same call may succeed later. */
  readonly toError: (cause: unknown, transient: boolean) => Error;
  /** Told of every request that was answered. What it throws is dropped. */
  readonly onCall?: ((call: CallReport) => void) | undefined;
}

/**
 * A DynamoDB table with a string partition key `pk` and a string sort key `sk`. The AWS SDK is loaded at the first call. Every
 * call ends within its deadline, also when the client heeds no signal, and rejects with what `toError` makes or with the
 * reason of the caller's signal.
 */
export class DynamoTable implements ItemTable {
  readonly #options: DynamoTableOptions;
  #opening: Promise<Requests> | undefined;

  constructor(options: DynamoTableOptions) {
    this.#options = options;
  }

  get(key: Key, { signal, ...options }: ReadOptions = {}): Promise<Item | undefined> {
    return this.within(signal, (requests, inner) => requests.get(key, { ...options, signal: inner }));
  }

  put(item: Item & Key, { signal, ...options }: WriteOptions = {}): Promise<WriteOutcome> {
    return this.within(signal, (requests, inner) => requests.put(item, { ...options, signal: inner }));
  }

  update(key: Key, changes: Changes, { signal, ...options }: WriteOptions = {}): Promise<WriteOutcome> {
    return this.within(signal, (requests, inner) => requests.update(key, changes, { ...options, signal: inner }));
  }

  remove(key: Key, { signal, ...options }: WriteOptions = {}): Promise<WriteOutcome> {
    return this.within(signal, (requests, inner) => requests.remove(key, { ...options, signal: inner }));
  }

  query(query: ItemQuery, { signal }: CallOptions = {}): Promise<ItemPage> {
    return this.within(signal, (requests, inner) => requests.query(query, { signal: inner }));
  }

  getMany(keys: readonly Key[], { signal }: CallOptions = {}): Promise<readonly Item[]> {
    return this.within(signal, (requests, inner) => requests.getMany(keys, { signal: inner }));
  }

  /**
   * Runs several requests under one deadline. `commit` fixes the answer: when time runs out afterwards, it stands.
   */
  async within<T>(
    signal: AbortSignal | undefined,
    run: (requests: ItemTable, signal: AbortSignal, commit: (answer: T) => void) => Promise<T>,
  ): Promise<T> {
    const { clock, timeoutMs: ms, toError } = this.#options;
    signal?.throwIfAborted();
    try {
      const requests = await this.open();
      return await withDeadline<T>({ ms, clock, signal }, (inner, commit) => run(requests, inner, commit));
    } catch (error) {
      signal?.throwIfAborted();
      throw toError(error, isTransient(error));
    }
  }

  /** Loads the SDK and makes the client, once; a failure is tried again at the next call. */
  open(): Promise<Requests> {
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<Requests> {
    const { client, maxAttempts, tableName, clock, onCall } = this.#options;
    const sdk = await import('@aws-sdk/client-dynamodb');
    const own = () => new sdk.DynamoDBClient(maxAttempts === undefined ? {} : { maxAttempts });
    return new Requests(sdk, client ?? own(), { tableName, clock, onCall });
  }
}
