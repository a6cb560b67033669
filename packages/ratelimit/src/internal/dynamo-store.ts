import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Address, ConditionalWrite, CounterStore, Counters, WriteOutcome } from './counter-store.js';
import { toCounters, toExpressions } from './expressions.js';

type Sdk = typeof import('@aws-sdk/client-dynamodb');
type Client = Pick<DynamoDBClient, 'send'>;

/** Attempts of our own client: a retry after a lost answer may count twice, which is strict and never lax. */
const MAX_ATTEMPTS = 2;

/** Loads the AWS SDK and, where none is given, makes the client. */
export async function openDynamoStore(tableName: string, client: Client | undefined): Promise<CounterStore> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  return new DynamoStore(sdk, client ?? new sdk.DynamoDBClient({ maxAttempts: MAX_ATTEMPTS }), tableName);
}

class DynamoStore implements CounterStore {
  readonly #sdk: Sdk;
  readonly #client: Client;
  readonly #tableName: string;

  constructor(sdk: Sdk, client: Client, tableName: string) {
    this.#sdk = sdk;
    this.#client = client;
    this.#tableName = tableName;
  }

  async write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome> {
    const command = new this.#sdk.UpdateItemCommand({
      ...this.#target(address),
      ...toExpressions(write),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes } = await this.#client.send(command, options(signal));
      return { applied: true, counters: toCounters(Attributes) };
    } catch (error) {
      if (!isFailedCondition(error)) throw error;
      return { applied: false, counters: error.Item && toCounters(error.Item) };
    }
  }

  async read(address: Address, signal?: AbortSignal): Promise<Counters> {
    const command = new this.#sdk.GetItemCommand({ ...this.#target(address), ConsistentRead: true });
    const { Item } = await this.#client.send(command, options(signal));
    return toCounters(Item);
  }

  async remove(address: Address, signal?: AbortSignal): Promise<void> {
    await this.#client.send(new this.#sdk.DeleteItemCommand(this.#target(address)), options(signal));
  }

  #target({ pk, sk }: Address): { TableName: string; Key: Record<string, AttributeValue> } {
    return { TableName: this.#tableName, Key: { pk: { S: pk }, sk: { S: sk } } };
  }
}

function options(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

/** By name, not by class: an injected client may come from another copy of the SDK. */
function isFailedCondition(error: unknown): error is { readonly Item?: Record<string, AttributeValue> } {
  const { name } = (error ?? {}) as { name?: unknown };
  return name === 'ConditionalCheckFailedException';
}
