import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createDynamoConnectionRegistry,
  createMemoryGroupedRegistry,
  type GroupedConnectionRegistry,
} from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { connectionConformance } from '@sallyport/connections/testing';
import type { Clock } from '@sallyport/core';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';

let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
});
afterAll(() => client.destroy());

describe('the registry in DynamoDB', () => {
  const create = async (options: { readonly clock: Clock }) =>
    createDynamoConnectionRegistry({ ...options, client, tableName });
  it.each(connectionConformance({ create }))('$name', ({ run }) => run());
});

describe('the registry in memory', () => {
  // One registry for each case, because the rows in memory are part of the registry.
  const made = new WeakMap<Clock, GroupedConnectionRegistry>();
  const create = async ({ clock }: { readonly clock: Clock }) => {
    const registry = made.get(clock) ?? createMemoryGroupedRegistry({ clock });
    made.set(clock, registry);
    return registry;
  };
  it.each(connectionConformance({ create }))('$name', ({ run }) => run());
});
