import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FullClock } from '@sallyport/core';
import { isTransient, withDeadline } from '@sallyport/core/store';
import type { LedgerErrors } from './errors-of.js';
import { Expressions } from './expressions.js';
import type { Changes, Condition, Item, ItemStore, Key, StorePage, StoreQuery, WriteOutcome } from './item-store.js';
import { fromAttributes, toAttributes } from './marshal.js';
import { pause } from './pause.js';

type Sdk = typeof import('@aws-sdk/client-dynamodb');
type Attributes = Record<string, AttributeValue>;

export interface DynamoStoreOptions {
  readonly tableName: string;
  readonly client: Pick<DynamoDBClient, 'send'> | undefined;
  readonly clock: FullClock;
  /** Milliseconds for all attempts of one request. */
  readonly timeoutMs: number;
  readonly errors: LedgerErrors;
}

interface OpenTable {
  readonly sdk: Sdk;
  readonly client: Pick<DynamoDBClient, 'send'>;
}

/** Rounds in which keys that a busy table left out are asked for again. */
const BATCH_TRIES = 4;
const BATCH_WAIT_MS = 50;

/** A DynamoDB table. The AWS SDK is loaded at the first request. */
export class DynamoStore implements ItemStore {
  readonly #options: DynamoStoreOptions;
  #opening: Promise<OpenTable> | undefined;

  constructor(options: DynamoStoreOptions) {
    this.#options = options;
  }

  get(key: Key, consistent: boolean, signal?: AbortSignal): Promise<Item | undefined> {
    return this.#call(signal, async ({ sdk, client }, abortSignal) => {
      const command = new sdk.GetItemCommand({ ...this.#target(key), ConsistentRead: consistent });
      const { Item: attributes } = await client.send(command, { abortSignal });
      return attributes && fromAttributes(attributes);
    });
  }

  put(item: Item & Key, condition: Condition | undefined, signal?: AbortSignal): Promise<WriteOutcome> {
    const { written, expressions } = this.#conditional(condition);
    return this.#write(item, signal, ({ sdk, client }, abortSignal) => {
      const input = {
        TableName: this.#options.tableName,
        Item: toAttributes(item),
        ...written,
        ...expressions.aliases(),
      };
      return client.send(new sdk.PutItemCommand({ ...input, ReturnValues: 'ALL_OLD' }), { abortSignal });
    });
  }

  update(key: Key, changes: Changes, condition: Condition, signal?: AbortSignal): Promise<WriteOutcome> {
    const { written, expressions } = this.#conditional(condition);
    const UpdateExpression = expressions.changes(changes);
    return this.#write(key, signal, ({ sdk, client }, abortSignal) => {
      const input = { ...this.#target(key), ...written, UpdateExpression, ...expressions.aliases() };
      return client.send(new sdk.UpdateItemCommand({ ...input, ReturnValues: 'ALL_NEW' }), { abortSignal });
    });
  }

  remove(key: Key, condition: Condition | undefined, signal?: AbortSignal): Promise<WriteOutcome> {
    const { written, expressions } = this.#conditional(condition);
    return this.#write(key, signal, ({ sdk, client }, abortSignal) => {
      const input = { ...this.#target(key), ...written, ...expressions.aliases() };
      return client.send(new sdk.DeleteItemCommand({ ...input, ReturnValues: 'ALL_OLD' }), { abortSignal });
    });
  }

  query(query: StoreQuery, signal?: AbortSignal): Promise<StorePage> {
    const expressions = new Expressions();
    const { partition, sort } = query;
    const parts = [`${expressions.name(partition.name)} = ${expressions.value(partition.value)}`];
    if (sort) {
      parts.push(
        `${expressions.name(sort.name)} BETWEEN ${expressions.value(sort.from)} AND ${expressions.value(sort.to)}`,
      );
    }
    return this.#call(signal, async ({ sdk, client }, abortSignal) => {
      const command = new sdk.QueryCommand({
        TableName: this.#options.tableName,
        ...(query.index !== undefined && { IndexName: query.index }),
        KeyConditionExpression: parts.join(' AND '),
        ...expressions.aliases(),
        ScanIndexForward: query.newestFirst !== true,
        ConsistentRead: query.consistent === true,
        ...(query.limit !== undefined && { Limit: query.limit }),
        ...(query.start && { ExclusiveStartKey: toAttributes(query.start) }),
      });
      const { Items = [], LastEvaluatedKey } = await client.send(command, { abortSignal });
      return { items: Items.map(fromAttributes), more: LastEvaluatedKey !== undefined };
    });
  }

  async getMany(keys: readonly Key[], signal?: AbortSignal): Promise<readonly Item[]> {
    const items: Item[] = [];
    let left: Attributes[] = keys.map(({ pk, sk }) => toAttributes({ pk, sk }));
    for (let tried = 0; left.length > 0; tried += 1) {
      if (tried === BATCH_TRIES) throw this.#options.errors.unavailable(true, new Error('keys were left unprocessed'));
      if (tried > 0) await this.#pause(Math.random() * BATCH_WAIT_MS * 2 ** tried, signal);
      const { found, unprocessed } = await this.#getBatch(left, signal);
      items.push(...found);
      left = unprocessed;
    }
    return items;
  }

  #getBatch(
    Keys: Attributes[],
    signal: AbortSignal | undefined,
  ): Promise<{ found: Item[]; unprocessed: Attributes[] }> {
    const { tableName } = this.#options;
    return this.#call(signal, async ({ sdk, client }, abortSignal) => {
      const command = new sdk.BatchGetItemCommand({ RequestItems: { [tableName]: { Keys } } });
      const { Responses, UnprocessedKeys } = await client.send(command, { abortSignal });
      // The service names the table by its ARN where it was asked so.
      const found = Object.values(Responses ?? {}).flat();
      const unprocessed = Object.values(UnprocessedKeys ?? {}).flatMap((part) => part.Keys ?? []);
      return { found: found.map(fromAttributes), unprocessed };
    });
  }

  #conditional(condition: Condition | undefined) {
    const expressions = new Expressions();
    if (!condition) return { expressions, written: {} };
    const ConditionExpression = expressions.condition(condition);
    return { expressions, written: { ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const } };
  }

  /** A server that does not tell which item refused is asked for it. */
  async #write(
    key: Key,
    signal: AbortSignal | undefined,
    send: (table: OpenTable, abortSignal: AbortSignal) => Promise<{ Attributes?: Attributes | undefined }>,
  ): Promise<WriteOutcome> {
    const outcome = await this.#call(signal, async (table, abortSignal): Promise<WriteOutcome | FailedCondition> => {
      try {
        const { Attributes } = await send(table, abortSignal);
        return { applied: true, item: Attributes && fromAttributes(Attributes) };
      } catch (error) {
        if (isFailedCondition(error)) return error;
        throw error;
      }
    });
    if ('applied' in outcome) return outcome;
    const retried = (outcome.$metadata?.attempts ?? 1) > 1;
    const item = outcome.Item ? fromAttributes(outcome.Item) : await this.get(key, true, signal);
    return { applied: false, item, retried };
  }

  /** Loading the SDK at the first request is a cold start's own time and not the store's. */
  async #call<T>(
    signal: AbortSignal | undefined,
    run: (table: OpenTable, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, timeoutMs, errors } = this.#options;
    signal?.throwIfAborted();
    try {
      const table = await this.#open();
      return await withDeadline({ ms: timeoutMs, clock, signal }, (within) => run(table, within));
    } catch (error) {
      signal?.throwIfAborted();
      throw errors.unavailable(isTransient(error), error);
    }
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return pause(this.#options.clock, ms, signal);
  }

  #open(): Promise<OpenTable> {
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<OpenTable> {
    const sdk = await import('@aws-sdk/client-dynamodb');
    return { sdk, client: this.#options.client ?? new sdk.DynamoDBClient({}) };
  }

  #target({ pk, sk }: Key): { TableName: string; Key: Attributes } {
    return { TableName: this.#options.tableName, Key: toAttributes({ pk, sk }) };
  }
}

interface FailedCondition {
  readonly Item?: Attributes;
  readonly $metadata?: { readonly attempts?: number };
}

/** By name, not by class: an injected client may come from another copy of the SDK. */
function isFailedCondition(error: unknown): error is FailedCondition {
  return ((error ?? {}) as { name?: unknown }).name === 'ConditionalCheckFailedException';
}
