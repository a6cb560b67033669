import { randomUUID } from 'node:crypto';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';

/** One attribute of a key. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

export interface IndexSchema {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute | undefined;
  /** Projected attributes. Default: all attributes. */
  readonly projection?: 'ALL' | 'KEYS_ONLY' | readonly string[] | undefined;
}

/** Table schema, as the `/schema` entries of the packages export it. */
export interface TableSchema {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute | undefined;
  /** Attribute of the expiry, in Unix seconds. */
  readonly ttlAttribute?: string | undefined;
  readonly indexes?: readonly IndexSchema[] | undefined;
}

/**
 * Creates an on-demand table with a unique name, and returns the name.
 *
 * The server's expiry is off unless `ttl` is true: it would delete the rows of a test whose clock is in the past.
 */
export async function createTable(
  client: DynamoDBClient,
  schema: TableSchema,
  options: { readonly ttl?: boolean } = {},
): Promise<string> {
  const TableName = `test-${randomUUID()}`;
  const indexes = schema.indexes ?? [];
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributesOf([schema, ...indexes]),
      KeySchema: keyOf(schema),
      ...(indexes.length > 0 && {
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keyOf(index),
          Projection: projectionOf(index),
        })),
      }),
    }),
  );
  if (options.ttl && schema.ttlAttribute) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: schema.ttlAttribute };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  return TableName;
}

type Keyed = Pick<TableSchema, 'partitionKey' | 'sortKey'>;

function keysOf({ partitionKey, sortKey }: Keyed): KeyAttribute[] {
  return sortKey ? [partitionKey, sortKey] : [partitionKey];
}

function keyOf(keyed: Keyed): KeySchemaElement[] {
  return keysOf(keyed).map(({ name }, position) => ({
    AttributeName: name,
    KeyType: position === 0 ? 'HASH' : 'RANGE',
  }));
}

function attributesOf(keyed: readonly Keyed[]): AttributeDefinition[] {
  const types = new Map(keyed.flatMap(keysOf).map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

function projectionOf({ projection = 'ALL' }: IndexSchema): Projection {
  if (typeof projection === 'string') return { ProjectionType: projection };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projection] };
}
