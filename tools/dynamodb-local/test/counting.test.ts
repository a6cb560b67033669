import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type CallCounter, countCalls, createLocalClient, createTable } from '@sallyport/dynamodb-local';

const SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  indexes: [{ name: 'by-owner', partitionKey: { name: 'owner', type: 'S' } }],
} as const;
const KEY = { pk: { S: 'a' }, sk: { S: 'b' } };

let client: DynamoDBClient;
let counter: CallCounter;
let TableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  counter = countCalls(client);
});

beforeEach(async () => {
  TableName = await createTable(client, SCHEMA);
  counter.take();
});

afterAll(() => client.destroy());

const increment = {
  Key: KEY,
  UpdateExpression: 'ADD n :one',
  ExpressionAttributeValues: { ':one': { N: '1' } },
};

describe('the counter of calls', () => {
  it('counts a write with what its index costs', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...KEY, owner: { S: 'me' } } }));
    expect(counter.take()).toEqual({ PutItem: { calls: 1, readUnits: 0, writeUnits: 2 } });
  });

  it('distinguishes consistent reads from others', async () => {
    await client.send(new PutItemCommand({ TableName, Item: KEY }));
    counter.take();
    await client.send(new GetItemCommand({ TableName, Key: KEY, ConsistentRead: true }));
    await client.send(new GetItemCommand({ TableName, Key: KEY }));
    await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :a',
        ExpressionAttributeValues: { ':a': { S: 'a' } },
      }),
    );
    expect(counter.take()).toEqual({
      GetItem: { calls: 2, readUnits: 1.5, writeUnits: 0 },
      Query: { calls: 1, readUnits: 0.5, writeUnits: 0 },
    });
  });

  it('counts a failed condition as a write', async () => {
    const refused = client.send(
      new UpdateItemCommand({ TableName, ...increment, ConditionExpression: 'attribute_exists(pk)' }),
    );
    await expect(refused).rejects.toThrow('The conditional request failed');
    expect(counter.take()).toEqual({ UpdateItem: { calls: 1, readUnits: 0, writeUnits: 1 } });
  });

  it('bills a failed condition by the size of the existing item, or of the item to put', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...KEY, text: { S: 'x'.repeat(20_000) } } }));
    counter.take();
    const condition = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    await expect(client.send(new UpdateItemCommand({ TableName, ...increment, ...condition }))).rejects.toThrow();
    expect(counter.take()).toEqual({ UpdateItem: { calls: 1, readUnits: 0, writeUnits: 20 } });
    const larger = { ...KEY, text: { S: 'x'.repeat(30_000) } };
    await expect(client.send(new PutItemCommand({ TableName, Item: larger, ...condition }))).rejects.toThrow();
    expect(counter.take()).toEqual({ PutItem: { calls: 1, readUnits: 0, writeUnits: 30 } });
    const within = { Update: { TableName, ...increment, ...condition } };
    await expect(client.send(new TransactWriteItemsCommand({ TransactItems: [within] }))).rejects.toThrow();
    expect(counter.take()).toEqual({ TransactWriteItems: { calls: 1, readUnits: 0, writeUnits: 40 } });
  });

  it('counts a transaction at twice the price, failed or not', async () => {
    const refused = { TableName, ...increment, ConditionExpression: 'attribute_not_exists(pk)' };
    await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Update: refused }] }));
    expect(counter.of('TransactWriteItems')).toEqual({ calls: 1, readUnits: 0, writeUnits: 2 });
    await expect(
      client.send(new TransactWriteItemsCommand({ TransactItems: [{ Update: refused }] })),
    ).rejects.toThrow();
    expect(counter.total()).toEqual({ calls: 2, readUnits: 0, writeUnits: 4 });
    counter.take();
    const other = { Update: { TableName, ...increment, Key: { ...KEY, sk: { S: 'other' } } } };
    await client.send(
      new TransactWriteItemsCommand({ TransactItems: [{ Update: { TableName, ...increment } }, other] }),
    );
    expect(counter.total()).toEqual({ calls: 1, readUnits: 0, writeUnits: 4 });
  });

  it('restarts after each `take()`', async () => {
    await client.send(new GetItemCommand({ TableName, Key: KEY }));
    counter.take();
    expect(counter.take()).toEqual({});
    expect(counter.total()).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
  });
});
