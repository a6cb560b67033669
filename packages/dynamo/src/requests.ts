import type { AttributeValue, DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { FullClock } from '@sallyport/core';
import { guardHook, isTransient, pause, randomFraction } from '@sallyport/core/internal';
import { type FailedCondition, isFailedCondition } from './errors.js';
import { Expressions } from './internal/expressions.js';
import {
  type CallOptions,
  type Changes,
  type Condition,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  isWrittenBy,
  type Key,
  notWrittenBy,
  type PutOptions,
  type ReadOptions,
  type RemoveOptions,
  type TransactedChange,
  type TransactOutcome,
  type UpdateOptions,
  WRITER_ATTRIBUTE,
  type WriteOutcome,
} from './item-table.js';
import { fromAttributes, toAttributes } from './items.js';

type Attributes = Record<string, AttributeValue>;

/** The module of the AWS SDK. It is loaded at the first call. */
export type Sdk = typeof import('@aws-sdk/client-dynamodb');

/** The part of the AWS client that is used, so that a caller can pass a wrapped or shared client. */
export type Client = Pick<DynamoDBClient, 'send'>;

/** One request with a response of DynamoDB, even if its condition was false. */
export interface CallReport {
  /** The operation's name in DynamoDB's API, such as `UpdateItem`. */
  readonly operation: string;
  /** Number of attempts of the client, at least 1. */
  readonly attempts: number;
}

/** The parts of one update. */
interface UpdateParts extends TransactedChange {
  readonly changes: Changes;
  readonly history?: boolean | undefined;
}

interface Answered {
  readonly $metadata?: { readonly attempts?: number };
}

/** Maximum number of requests for keys that a throttled table did not process. */
const BATCH_TRIES = 4;
const BATCH_WAIT_MS = 50;
/** The key of an item that no store has. */
const WARM_KEY: Key = { pk: 'WARM', sk: 'WARM' };

/** The requests of one table. They have no deadline; the caller's signal aborts them. */
export class Requests implements ItemTable {
  readonly #sdk: Sdk;
  readonly #client: Client;
  readonly #table: string;
  readonly #clock: FullClock;
  readonly #onCall: ((call: CallReport) => void) | undefined;

  constructor(
    sdk: Sdk,
    client: Client,
    options: { tableName: string; clock: FullClock; onCall?: ((call: CallReport) => void) | undefined },
  ) {
    this.#sdk = sdk;
    this.#client = client;
    this.#table = options.tableName;
    this.#clock = options.clock;
    this.#onCall = options.onCall;
  }

  async ready(): Promise<void> {}

  async warm(options: CallOptions = {}): Promise<void> {
    await this.get(WARM_KEY, options);
  }

  async get(key: Key, { consistent = false, attributes: names, signal }: ReadOptions = {}): Promise<Item | undefined> {
    const expressions = new Expressions();
    const command = new this.#sdk.GetItemCommand({
      ...this.#target(key),
      ConsistentRead: consistent,
      ...(names && { ProjectionExpression: names.map((name) => expressions.name(name)).join(', ') }),
      ...expressions.aliases(),
    });
    const { Item: attributes } = await this.#counted('GetItem', this.#client.send(command, abortable(signal)));
    return attributes && fromAttributes(attributes);
  }

  put(item: Item & Key, { condition, ...options }: PutOptions): Promise<WriteOutcome> {
    const expressions = new Expressions();
    const command = new this.#sdk.PutItemCommand({
      TableName: this.#table,
      Item: toAttributes({ ...item, [WRITER_ATTRIBUTE]: options.writer }),
      ...this.#conditional(condition, expressions),
      ...expressions.aliases(),
      ReturnValues: 'ALL_OLD',
    });
    const send = () => this.#counted('PutItem', this.#client.send(command, abortable(options.signal)));
    return this.#write(item, options, send, () => undefined);
  }

  update(key: Key, changes: Changes, { condition, ...options }: UpdateOptions): Promise<WriteOutcome> {
    const { writer, history } = options;
    const command = new this.#sdk.UpdateItemCommand({
      ...this.#change({ key, changes, condition, writer, history }),
      ReturnValues: 'ALL_NEW',
    });
    if (options.once === true) sendOnce(command);
    const send = () => this.#counted('UpdateItem', this.#client.send(command, abortable(options.signal)));
    return this.#write(key, options, send, (current) => current);
  }

  remove(key: Key, { condition, ...options }: RemoveOptions): Promise<WriteOutcome> {
    const expressions = new Expressions();
    const command = new this.#sdk.DeleteItemCommand({
      ...this.#target(key),
      ...this.#conditional(condition, expressions),
      ...expressions.aliases(),
      ReturnValues: 'ALL_OLD',
    });
    if (options.once === true) sendOnce(command);
    const send = () => this.#counted('DeleteItem', this.#client.send(command, abortable(options.signal)));
    return this.#write(key, options, send, () => undefined);
  }

  async query(query: ItemQuery, { signal }: CallOptions = {}): Promise<ItemPage> {
    const expressions = new Expressions();
    const command = new this.#sdk.QueryCommand({
      TableName: this.#table,
      ...(query.index !== undefined && { IndexName: query.index }),
      KeyConditionExpression: expressions.keys(query),
      ...expressions.aliases(),
      ScanIndexForward: query.newestFirst !== true,
      ConsistentRead: query.consistent === true,
      ...(query.limit !== undefined && { Limit: query.limit }),
      ...(query.start && { ExclusiveStartKey: toAttributes({ ...query.start }) }),
    });
    const answer = await this.#counted('Query', this.#client.send(command, abortable(signal)));
    return { items: (answer.Items ?? []).map(fromAttributes), more: answer.LastEvaluatedKey !== undefined };
  }

  async transact(changes: readonly TransactedChange[], { signal }: CallOptions = {}): Promise<TransactOutcome> {
    const TransactItems = changes.map(({ changes: one, ...change }) =>
      one === undefined
        ? { ConditionCheck: this.#check(change) }
        : { Update: this.#change({ ...change, changes: one, history: true }) },
    );
    const command = new this.#sdk.TransactWriteItemsCommand({ TransactItems });
    try {
      await this.#counted('TransactWriteItems', this.#client.send(command, abortable(signal)));
      return { applied: true, repeated: false };
    } catch (error) {
      const refusals = refusalsOf(error);
      if (refusals.some(({ item }, place) => isWrittenBy(item, changes[place]?.writer)))
        return { applied: true, repeated: true };
      return { applied: false, refusals };
    }
  }

  async getMany(keys: readonly Key[], { consistent = false, signal }: ReadOptions = {}): Promise<readonly Item[]> {
    const items: Item[] = [];
    let left: Attributes[] = keys.map(({ pk, sk }) => toAttributes({ pk, sk }));
    for (let tried = 0; left.length > 0; tried += 1) {
      if (tried === BATCH_TRIES) throw new UnprocessedKeys();
      if (tried > 0) await pause(this.#clock, randomFraction() * BATCH_WAIT_MS * 2 ** tried, signal);
      const command = new this.#sdk.BatchGetItemCommand({
        RequestItems: { [this.#table]: { Keys: left, ...(consistent && { ConsistentRead: true }) } },
      });
      const answer = await this.#counted('BatchGetItem', this.#client.send(command, abortable(signal)));
      // The response contains the table's ARN if the request did.
      items.push(...Object.values(answer.Responses ?? {}).flatMap((found) => found.map(fromAttributes)));
      left = Object.values(answer.UnprocessedKeys ?? {}).flatMap((part) => part.Keys ?? []);
    }
    return items;
  }

  /** One update, alone or within a transaction. With `history` it is not applied to an item that has its id. */
  #change({ key, changes, condition, writer, history = false }: UpdateParts) {
    const expressions = new Expressions();
    const isTraced = history && writer !== undefined;
    const parts = [...(condition === undefined ? [] : [condition]), ...(isTraced ? [notWrittenBy(writer)] : [])];
    const conditional = this.#conditional(parts.length > 1 ? { all: parts } : parts[0], expressions);
    const signed = writer === undefined ? changes : { ...changes, set: { ...changes.set, [WRITER_ATTRIBUTE]: writer } };
    const UpdateExpression = expressions.changes(signed, isTraced);
    return { ...this.#target(key), ...conditional, UpdateExpression, ...expressions.aliases() };
  }

  /** A condition check of a transaction, for an unchanged item. */
  #check({ key, condition = { present: 'pk' } }: Omit<TransactedChange, 'changes'>) {
    const expressions = new Expressions();
    const ConditionExpression = expressions.condition(condition);
    const ReturnValuesOnConditionCheckFailure = 'ALL_OLD' as const;
    return { ...this.#target(key), ConditionExpression, ReturnValuesOnConditionCheckFailure, ...expressions.aliases() };
  }

  #conditional(condition: Condition | undefined, expressions: Expressions) {
    if (condition === undefined) return {};
    const ConditionExpression = expressions.condition(condition);
    return { ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  }

  /** Sends a write. A rejection contains the item that did not match the condition. If the server sent no item, it is read. */
  async #write(
    key: Key,
    { writer, reread = true, signal }: { writer?: string; reread?: boolean | undefined } & CallOptions,
    send: () => Promise<{ readonly Attributes?: Attributes | undefined }>,
    repeatedItem: (current: Item | undefined) => Item | undefined,
  ): Promise<WriteOutcome> {
    let refusal: FailedCondition;
    try {
      const { Attributes: attributes } = await send();
      return { applied: true, item: attributes && fromAttributes(attributes), repeated: false };
    } catch (error) {
      if (!isFailedCondition(error)) throw error;
      refusal = error;
    }
    let item = refusal.Item && fromAttributes(refusal.Item);
    if (item === undefined && reread) item = await this.get(key, { consistent: true, signal });
    if (isWrittenBy(item, writer)) {
      return { applied: true, item: repeatedItem(item), repeated: true };
    }
    return { applied: false, item, retried: (refusal.$metadata?.attempts ?? 1) > 1 };
  }

  async #counted<T extends Answered>(operation: string, answer: Promise<T>): Promise<T> {
    const report = (metadata: Answered['$metadata']) =>
      guardHook(this.#onCall, { operation, attempts: metadata?.attempts ?? 1 });
    try {
      const settled = await answer;
      report(settled.$metadata);
      return settled;
    } catch (error) {
      if (isFailedCondition(error)) report(error.$metadata);
      throw error;
    }
  }

  #target({ pk, sk }: Key): { TableName: string; Key: Attributes } {
    return { TableName: this.#table, Key: { pk: { S: pk }, sk: { S: sk } } };
  }
}

function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

/** Makes further attempts of the client fail with the first error, without sending them. */
function sendOnce(command: { readonly middlewareStack: object }): void {
  let failure: { readonly reason: unknown } | undefined;
  // Every command of the SDK has this stack; its type differs from command to command.
  (command as Pick<UpdateItemCommand, 'middlewareStack'>).middlewareStack.add(
    (next) => async (args) => {
      if (failure !== undefined) throw failure.reason;
      try {
        return await next(args);
      } catch (reason) {
        failure = { reason };
        throw reason;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'sendOnce' },
  );
}

/** The part of a `TransactionCanceledException` that no other error has. */
interface Cancellation {
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Attributes }[];
}

/**
 * The conditions that rejected a transaction.
 *
 * @throws the given error if no condition was false; a throttling error if the reason was another transaction or a throttled
 * table
 */
function refusalsOf(error: unknown): { held: boolean; item: Item | undefined }[] {
  const { CancellationReasons: reasons = [] } = (error ?? {}) as Cancellation;
  const busy = reasons.find(({ Code }) => Code !== undefined && isTransient({ name: BUSY_REASONS[Code] }));
  if (busy) throw new BusyTransaction();
  if (!reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
  return reasons.map(({ Code, Item: item }) => ({
    held: Code !== 'ConditionalCheckFailed',
    item: item && fromAttributes(item),
  }));
}

/** The errors in the reasons of a cancelled transaction. */
const BUSY_REASONS: Readonly<Record<string, string>> = {
  TransactionConflict: 'TransactionConflictException',
  ProvisionedThroughputExceeded: 'ProvisionedThroughputExceededException',
  ThrottlingError: 'ThrottlingException',
};

/** The error for a conflict with another transaction, or for a throttled table. The same transaction may succeed later. */
class BusyTransaction extends Error {
  override readonly name = 'TransactionConflictException';
  override readonly message = 'the transaction conflicted with another transaction, or the table is throttled';
}

/** The error for keys that a throttled table did not process in any attempt. A later call may succeed. */
class UnprocessedKeys extends Error {
  override readonly name = 'ThrottlingException';
  override readonly message = 'keys were left unprocessed';
}
