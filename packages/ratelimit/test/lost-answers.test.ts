import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { createLocalClient, dynamodbEndpoint, type FaultProxy, startFaultProxy } from '@sallyport/dynamodb-local';
import { fixedWindow } from '@sallyport/ratelimit';
import { rateLimitItemKey } from '@sallyport/ratelimit/testing';
import { type Bench, createBench, KEY, START_MS } from './support/dynamo.js';
import { everyStrategy } from './support/strategies.js';

let proxy: FaultProxy;
let bench: Bench;
let direct: DynamoDBClient;

beforeAll(async () => {
  proxy = await startFaultProxy(await dynamodbEndpoint());
  direct = await createLocalClient();
});

beforeEach(async () => {
  bench = await createBench(proxy.endpoint);
  proxy.clear();
});

afterEach(() => bench.client.destroy());
afterAll(async () => {
  direct.destroy();
  await proxy.stop();
});

const STRATEGIES = everyStrategy(2);

describe('a lost response to a write', () => {
  it.each(STRATEGIES)(
    'is counted once, and its decision is the decision of the first attempt: %s',
    async (_, strategy) => {
      const limiter = bench.limiter({ strategy });
      for (const count of [1, 2]) {
        proxy.inject({ kind: 'lost-answer' }, { operation: 'UpdateItem', times: 1 });
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, source: 'store', currentCount: count });
      }
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, currentCount: 2 });
    },
  );

  it.each(STRATEGIES)('is never taken for the write of another instance: %s', async (_, strategy) => {
    const other = bench.limiter({ strategy, client: direct });
    const limiter = bench.limiter({ strategy });
    await limiter.consume(KEY);
    const meanwhile = () => other.consume(KEY);
    proxy.inject({ kind: 'lost-answer', meanwhile }, { operation: 'UpdateItem', times: 1 });
    const decisions = [await limiter.consume(KEY), await other.consume(KEY)];
    // The lost attempt used the last unit, so the other instance is denied: the limit is not exceeded.
    expect(decisions.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(1);
  });

  it.each(STRATEGIES)('leaves an id on the item that no other write has: %s', async (_, strategy) => {
    const ids = new Set<string | undefined>();
    const limiter = bench.limiter({ strategy });
    for (let write = 0; write < 2; write += 1) {
      await limiter.consume(KEY);
      const { Items = [] } = await direct.send(new ScanCommand({ TableName: bench.tableName }));
      ids.add(Items[0]?.w?.S);
    }
    expect(ids.size).toBe(2);
    expect(ids.has(undefined)).toBe(false);
  });

  it.each<[string, object]>([
    ['of an older version, without an id', {}],
    ['with an id that is not ours', { w: { S: 'somebody' } }],
    ['with an id of another type', { w: { N: '7' } }],
  ])('does not hinder counting on an item %s', async (_, extra) => {
    const strategy = fixedWindow({ limit: 3, windowMs: 60_000 });
    const { pk, sk } = rateLimitItemKey(strategy, KEY, new Date(START_MS));
    const Item = { pk: { S: pk }, sk: { S: sk }, n: { N: '1' }, ...extra };
    await direct.send(new PutItemCommand({ TableName: bench.tableName, Item }));
    proxy.inject({ kind: 'lost-answer' }, { operation: 'UpdateItem', times: 1 });
    expect(await bench.limiter({ strategy }).consume(KEY)).toMatchObject({ allowed: true, currentCount: 2 });
  });
});
