import { DescribeTableCommand, DescribeTimeToLiveCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';

const SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'at', type: 'N' },
  ttlAttribute: 'ttl',
  indexes: [
    { name: 'by-owner', partitionKey: { name: 'owner', type: 'S' }, sortKey: { name: 'at', type: 'N' } },
    { name: 'by-state', partitionKey: { name: 'state', type: 'S' }, projection: 'KEYS_ONLY' },
    { name: 'by-kind', partitionKey: { name: 'kind', type: 'B' }, projection: ['title'] },
  ],
} as const;

let client: DynamoDBClient;

beforeAll(async () => {
  client = await createLocalClient();
});

afterAll(() => client.destroy());

const ttlOf = async (TableName: string) => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  return [TimeToLiveDescription?.TimeToLiveStatus, TimeToLiveDescription?.AttributeName];
};

describe('tables for tests', () => {
  it('have the keys and indexes of their schema', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: await createTable(client, SCHEMA) }));
    expect(Table?.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ]);
    const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName, Projection }) => [IndexName, Projection]);
    expect(new Map(indexes as [string, object][])).toEqual(
      new Map<string, object>([
        ['by-owner', { ProjectionType: 'ALL' }],
        ['by-state', { ProjectionType: 'KEYS_ONLY' }],
        ['by-kind', { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] }],
      ]),
    );
  });

  it('have separate names', async () => {
    const names = await Promise.all([createTable(client, SCHEMA), createTable(client, SCHEMA)]);
    expect(new Set(names).size).toBe(2);
  });

  it('let items expire only if enabled', async () => {
    expect(await ttlOf(await createTable(client, SCHEMA))).toEqual(['DISABLED', undefined]);
    expect(await ttlOf(await createTable(client, SCHEMA, { ttl: true }))).toEqual(['ENABLED', 'ttl']);
  });
});

describe('the endpoint', () => {
  it('is the table of the environment if present', async () => {
    expect(await dynamodbEndpoint({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' })).toBe('http://127.0.0.1:8000');
  });

  it('is the same for the whole run', async () => {
    expect(await dynamodbEndpoint()).toBe(await dynamodbEndpoint());
  });
});
