import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import {
  createLocalClient,
  createTable,
  dynamodbEndpoint,
  type Fault,
  type FaultProxy,
  SERVER_ERROR,
  startFaultProxy,
  THROTTLED,
} from '@sallyport/dynamodb-local';

const SCHEMA = { partitionKey: { name: 'pk', type: 'S' } } as const;

let direct: DynamoDBClient;
let client: DynamoDBClient;
let proxy: FaultProxy;
let TableName: string;

beforeAll(async () => {
  proxy = await startFaultProxy(await dynamodbEndpoint());
  direct = await createLocalClient();
  client = await createLocalClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
});

beforeEach(async () => {
  TableName = await createTable(direct, SCHEMA);
  proxy.clear();
});

afterAll(async () => {
  client.destroy();
  direct.destroy();
  await proxy.stop();
});

const Key = { pk: { S: 'a' } };

function increment(through: DynamoDBClient, condition?: string, signal?: AbortSignal) {
  const command = new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
    ConditionExpression: condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return through.send(command, { abortSignal: signal as AbortSignal });
}

async function stored(): Promise<string | undefined> {
  const { Item } = await direct.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item?.n?.N;
}

describe('the fault proxy', () => {
  it('passes requests on for which it has no rule', async () => {
    await increment(client);
    expect(await stored()).toBe('1');
    expect(proxy.operations).toEqual(['UpdateItem']);
  });

  it.each<[string, Fault, string]>([
    ['throttling', THROTTLED, 'ProvisionedThroughputExceededException'],
    ['an error of the service', SERVER_ERROR, 'InternalServerError'],
    ['a reset', { kind: 'reset' }, 'TimeoutError'],
  ])('answers with %s and applies nothing', async (_, fault, name) => {
    proxy.inject(fault);
    await expect(increment(client)).rejects.toMatchObject({ name });
    expect(await stored()).toBeUndefined();
  });

  it('loses the answer of a write that was applied', async () => {
    proxy.inject({ kind: 'lost-answer' });
    await expect(increment(client)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await stored()).toBe('1');
  });

  it.each<[Fault['kind'], string | undefined]>([
    ['silence', undefined],
    ['silence-after', '1'],
  ])('never answers: %s', async (kind, applied) => {
    proxy.inject({ kind } as Fault);
    const abort = new AbortController();
    const pending = increment(client, undefined, abort.signal);
    const settled = await Promise.race([pending.then(String, String), until(async () => proxy.operations.length > 0)]);
    expect(settled).toBe('true');
    if (applied) await until(async () => (await stored()) === applied);
    abort.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    expect(await stored()).toBe(applied);
  });

  it('removes the old item from a failed condition', async () => {
    await increment(client);
    await expect(increment(client, 'n > :one')).rejects.toMatchObject({ Item: { n: { N: '1' } } });
    proxy.inject({ kind: 'no-old-item' });
    const refused = await increment(client, 'n > :one').catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect((refused as { Item?: unknown }).Item).toBeUndefined();
  });

  it('answers late', async () => {
    proxy.inject({ kind: 'slow', ms: 5 });
    await increment(client);
    expect(await stored()).toBe('1');
  });

  it('hits only the requests that the rule names', async () => {
    proxy.inject(THROTTLED, { operation: 'UpdateItem', after: 1, times: 1 });
    await client.send(new GetItemCommand({ TableName, Key }));
    await increment(client);
    await expect(increment(client)).rejects.toThrow('injected');
    await increment(client);
    expect(await stored()).toBe('2');
  });
});

/** Polls without a deadline; the test's time-out stops it. */
async function until(holds: () => Promise<boolean>): Promise<string> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
  return 'true';
}
