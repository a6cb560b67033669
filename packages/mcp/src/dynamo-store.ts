import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { assertKnownOptions, type Clock, type Environment, FrameworkError, systemClock } from '@sallyport/core';
import { MCP_TABLE_NAME_ENV } from './schema.js';
import type { McpStore, PutCondition, Row, RowKey } from './store.js';

export interface DynamoMcpStoreOptions {
  /** Default: the variable `FRAMEWORK_MCP_TABLE_NAME`. */
  readonly tableName?: string;
  /** Default: a client of this region, made at the first call. */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  readonly clock?: Clock;
  readonly environment?: Environment;
}

type Sdk = typeof import('@aws-sdk/client-dynamodb');
type Item = Record<string, AttributeValue>;

/**
 * A store in a DynamoDB table with the keys of `@sallyport/mcp/schema`. The AWS client loads at the first call.
 *
 * @throws FrameworkError when neither option nor variable names the table
 */
export function dynamoMcpStore(options: DynamoMcpStoreOptions = {}): McpStore {
  assertKnownOptions(options, ['tableName', 'client', 'clock', 'environment']);
  const tableName = options.tableName ?? (options.environment ?? process.env)[MCP_TABLE_NAME_ENV] ?? '';
  if (tableName === '') {
    throw new FrameworkError(
      'app.invalid_configuration',
      `framework: option "tableName" or ${MCP_TABLE_NAME_ENV} must be set`,
    );
  }
  return new DynamoStore(tableName, options.client, options.clock ?? systemClock);
}

class DynamoStore implements McpStore {
  readonly #table: string;
  readonly #clock: Clock;
  #client: Pick<DynamoDBClient, 'send'> | undefined;

  constructor(table: string, client: Pick<DynamoDBClient, 'send'> | undefined, clock: Clock) {
    this.#table = table;
    this.#client = client;
    this.#clock = clock;
  }

  async get(key: RowKey): Promise<Row | undefined> {
    return this.#call(async (sdk, client) => {
      const command = new sdk.GetItemCommand({ TableName: this.#table, Key: keyOf(key), ConsistentRead: true });
      return this.#live((await client.send(command)).Item);
    });
  }

  async put(row: Row, when?: PutCondition): Promise<boolean> {
    return this.#call(async (sdk, client) => {
      try {
        await client.send(
          new sdk.PutItemCommand({ TableName: this.#table, Item: toItem(row), ...this.#condition(when) }),
        );
        return true;
      } catch (error) {
        if (error instanceof sdk.ConditionalCheckFailedException) return false;
        throw error;
      }
    });
  }

  async take(key: RowKey): Promise<Row | undefined> {
    return this.#call(async (sdk, client) => {
      const only = { ConditionExpression: 'attribute_exists(pk)', ReturnValues: 'ALL_OLD' } as const;
      try {
        const command = new sdk.DeleteItemCommand({ TableName: this.#table, Key: keyOf(key), ...only });
        return this.#live((await client.send(command)).Attributes);
      } catch (error) {
        if (error instanceof sdk.ConditionalCheckFailedException) return undefined;
        throw error;
      }
    });
  }

  async list(partition: string, after: string, limit: number): Promise<readonly Row[]> {
    return this.#call(async (sdk, client) => {
      const rows: Row[] = [];
      let start: Item | undefined;
      do {
        const command = new sdk.QueryCommand(this.#query(partition, after, limit - rows.length, start));
        const page = await client.send(command);
        for (const item of page.Items ?? []) {
          const row = this.#live(item);
          if (row) rows.push(row);
        }
        start = page.LastEvaluatedKey;
      } while (start && rows.length < limit);
      return rows;
    });
  }

  #query(partition: string, after: string, limit: number, start: Item | undefined) {
    return {
      TableName: this.#table,
      ConsistentRead: true,
      // A key is never empty, and cannot be compared with an empty one.
      ...(after === ''
        ? { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: partition } } }
        : {
            KeyConditionExpression: 'pk = :p AND sk > :a',
            ExpressionAttributeValues: { ':p': { S: partition }, ':a': { S: after } },
          }),
      Limit: limit,
      ExclusiveStartKey: start,
    };
  }

  /** Rows that outlived their TTL stay for a while and count as absent. */
  #condition(when: PutCondition | undefined) {
    if (when === undefined) return {};
    const now: AttributeValue = { N: String(this.#nowSeconds()) };
    const names = { '#ttl': 'ttl' };
    if (when === 'absent') {
      return {
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':now': now },
      };
    }
    return {
      ConditionExpression: 'v = :version AND #ttl > :now',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':now': now, ':version': { N: String(when.version) } },
    };
  }

  #live(item: Item | undefined): Row | undefined {
    const row = item && toRow(item);
    return row && row.ttl > this.#nowSeconds() ? row : undefined;
  }

  #nowSeconds(): number {
    return this.#clock.now().getTime() / 1000;
  }

  async #call<T>(run: (sdk: Sdk, client: Pick<DynamoDBClient, 'send'>) => Promise<T>): Promise<T> {
    try {
      const sdk = await import('@aws-sdk/client-dynamodb');
      this.#client ??= new sdk.DynamoDBClient({});
      return await run(sdk, this.#client);
    } catch (cause) {
      throw new FrameworkError('mcp.store', 'framework: the MCP store failed', { statusCode: 503, cause });
    }
  }
}

function keyOf({ partition, sort }: RowKey): Item {
  return { pk: { S: partition }, sk: { S: sort } };
}

function toItem(row: Row): Item {
  return { ...keyOf(row), v: { N: String(row.version) }, ttl: { N: String(row.ttl) }, d: { B: row.data } };
}

function toRow(item: Item): Row | undefined {
  const { pk, sk, v, ttl, d } = item;
  if (pk?.S === undefined || sk?.S === undefined || d?.B === undefined) return undefined;
  return { partition: pk.S, sort: sk.S, version: Number(v?.N), ttl: Number(ttl?.N), data: d.B };
}
