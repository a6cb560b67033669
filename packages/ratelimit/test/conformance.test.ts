import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import { createDynamoRateLimiter, createMemoryRateLimiter } from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { createFakeRateLimiter, rateLimiterConformance } from '@sallyport/ratelimit/testing';

let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, RATE_LIMIT_TABLE_SCHEMA);
});

afterAll(() => client.destroy());

describe('the memory limiter', () => {
  const harness = {
    create: async (options: Parameters<typeof createMemoryRateLimiter>[0]) => createMemoryRateLimiter(options),
  };
  it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
});

describe('the fake limiter', () => {
  const harness = {
    create: async (options: Parameters<typeof createFakeRateLimiter>[0]) => createFakeRateLimiter(options),
  };
  it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
});

describe('the DynamoDB limiter', () => {
  const harness = {
    create: async (options: Parameters<typeof createMemoryRateLimiter>[0]) =>
      createDynamoRateLimiter({
        ...options,
        client,
        tableName,
        onStoreError: 'deny',
        deniedCache: false,
        storeTimeoutMs: 10_000,
      }),
  };
  it.each(rateLimiterConformance(harness))('$name', ({ run }) => run());
});
