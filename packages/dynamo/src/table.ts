import { type FullClock, isFrameworkError } from '@sallyport/core';
import {
  isTransient,
  lazily,
  MISSING_PACKAGE,
  StoreTimeout,
  throwMissing,
  withDeadline,
} from '@sallyport/core/internal';
import type {
  CallOptions,
  Changes,
  Item,
  ItemPage,
  ItemQuery,
  ItemTable,
  Key,
  PutOptions,
  ReadOptions,
  RemoveOptions,
  TransactedChange,
  TransactOutcome,
  UpdateOptions,
  WriteOutcome,
} from './item-table.js';
import { type CallReport, type Client, Requests } from './requests.js';

/** Options of {@link DynamoTable}. They are not validated; packages that create tables validate their options. */
export interface DynamoTableOptions {
  /** Name or ARN of the table. */
  readonly tableName: string;
  /** The DynamoDB client. Default: a client of the framework with `maxAttempts`, created at the first call. */
  readonly client?: Client | undefined;
  /** Its timers limit the time of calls. */
  readonly clock: FullClock;
  /** Timeout in milliseconds for all attempts of one call. Loading the SDK is not counted. */
  readonly timeoutMs: number;
  /**
   * Timeout in milliseconds for all attempts of one call before the first response of the table: opening the first connection and
   * fetching credentials takes longer on a small function. At least `timeoutMs`, the default.
   */
  readonly coldTimeoutMs?: number | undefined;
  /** Attempts of the framework client for one request. Default: 3, the default of the SDK. */
  readonly maxAttempts?: number;
  /** Creates the error of a failed call. `transient`: the same call may succeed later. */
  readonly toError: (cause: unknown, transient: boolean) => Error;
  /** Called after every answered request. Its errors are ignored. */
  readonly onCall?: ((call: CallReport) => void) | undefined;
}

/** True if the SDK is not installed: an error in the deployment, which stores must not report as a failure of the table. */
function isMissing(error: unknown): error is Error {
  return isFrameworkError(error) && error.code === MISSING_PACKAGE;
}

/** True if a failure came from the server; then the connection is open. */
function isAnswer(error: unknown): boolean {
  if (error instanceof StoreTimeout) return false;
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: unknown } };
  return typeof $metadata?.httpStatusCode === 'number';
}

/**
 * A DynamoDB table with a string partition key `pk` and a string sort key `sk`. The AWS SDK is loaded at the first call. Every
 * call ends within its deadline, even if the client ignores its signal. A failed call rejects with the error that `toError`
 * returns, or with the reason of the caller's signal; without the package `@aws-sdk/client-dynamodb` with FrameworkError
 * `app.missing_package`.
 *
 * @example
 * const table = new DynamoTable({ tableName: 'sessions', clock, timeoutMs: 5000, toError: (cause) => new Error('failed', { cause }) });
 * const item = await table.get({ pk: 'SESSION#1', sk: 'META' }, { consistent: true });
 */
export class DynamoTable implements ItemTable {
  readonly #options: DynamoTableOptions;
  /** Loads the SDK and creates the client once. After a failure, the next call tries again. */
  readonly open = lazily(() => this.#load());
  #hasAnswered = false;

  /** Creates no client and sends no request. */
  constructor(options: DynamoTableOptions) {
    this.#options = options;
  }

  /** Loads the SDK and creates the client. Sends no request. */
  async ready(): Promise<void> {
    if (this.#hasAnswered) return;
    try {
      await this.open();
    } catch (error) {
      throw this.#toError(error);
    }
  }

  /**
   * Loads the SDK and reads an item that does not exist, so that credentials and connection are ready before the first event: for
   * the init phase of a function, which has more CPU than a small function's invocations. Costs half a read unit.
   */
  async warm({ signal }: CallOptions = {}): Promise<void> {
    await this.within(signal, (requests, inner) => requests.warm({ signal: inner }));
  }

  /** Reads one item; `undefined` if absent. */
  get(key: Key, { signal, ...options }: ReadOptions = {}): Promise<Item | undefined> {
    return this.within(signal, (requests, inner) => requests.get(key, { ...options, signal: inner }));
  }

  /** Replaces a whole item. */
  put(item: Item & Key, options: PutOptions): Promise<WriteOutcome> {
    return this.within(options.signal, (requests, inner) => requests.put(item, { ...options, signal: inner }));
  }

  /** Changes some attributes of an item, and creates it if absent. */
  update(key: Key, changes: Changes, options: UpdateOptions): Promise<WriteOutcome> {
    return this.within(options.signal, (requests, inner) =>
      requests.update(key, changes, { ...options, signal: inner }),
    );
  }

  /** Removes an item. */
  remove(key: Key, options: RemoveOptions): Promise<WriteOutcome> {
    return this.within(options.signal, (requests, inner) => requests.remove(key, { ...options, signal: inner }));
  }

  /** Reads one page of a partition. */
  query(query: ItemQuery, { signal }: CallOptions = {}): Promise<ItemPage> {
    return this.within(signal, (requests, inner) => requests.query(query, { signal: inner }));
  }

  /** Reads up to 100 items, in any order, without absent items. */
  getMany(keys: readonly Key[], { signal, ...options }: ReadOptions = {}): Promise<readonly Item[]> {
    return this.within(signal, (requests, inner) => requests.getMany(keys, { ...options, signal: inner }));
  }

  /** Changes up to 100 items in one transaction. Costs twice the units of single updates. */
  transact(changes: readonly TransactedChange[], { signal }: CallOptions = {}): Promise<TransactOutcome> {
    return this.within(signal, (requests, inner) => requests.transact(changes, { signal: inner }));
  }

  /**
   * Runs several requests with one deadline. After `commit` was called with an answer, the call returns that answer even if the
   * deadline is exceeded.
   */
  async within<T>(
    signal: AbortSignal | undefined,
    run: (requests: ItemTable, signal: AbortSignal, commit: (answer: T) => void) => Promise<T>,
  ): Promise<T> {
    const { clock, timeoutMs, coldTimeoutMs = 0 } = this.#options;
    signal?.throwIfAborted();
    try {
      const requests = await this.open();
      const ms = this.#hasAnswered ? timeoutMs : Math.max(timeoutMs, coldTimeoutMs);
      const answer = await withDeadline<T>({ ms, clock, signal }, (inner, commit) => run(requests, inner, commit));
      this.#hasAnswered = true;
      return answer;
    } catch (error) {
      if (isAnswer(error)) this.#hasAnswered = true;
      signal?.throwIfAborted();
      throw this.#toError(error);
    }
  }

  #toError(error: unknown): Error {
    return isMissing(error) ? error : this.#options.toError(error, isTransient(error));
  }

  async #load(): Promise<Requests> {
    const { client, maxAttempts, tableName, clock, onCall } = this.#options;
    const sdk = await import('@aws-sdk/client-dynamodb').catch(throwMissing('@aws-sdk/client-dynamodb'));
    const own = () => new sdk.DynamoDBClient(maxAttempts === undefined ? {} : { maxAttempts });
    return new Requests(sdk, client ?? own(), { tableName, clock, onCall });
  }
}
