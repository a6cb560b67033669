import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import {
  createEventBusStore,
  createJobLedger,
  createMemoryEventBusStore,
  createMemoryJobLedger,
  createMemoryTable,
} from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { eventBusConformance, jobLedgerConformance } from '@sallyport/jobs/testing';

let client: DynamoDBClient;
let jobs: string;
let events: string;

beforeAll(async () => {
  client = await createLocalClient();
  jobs = await createTable(client, JOBS_TABLE_SCHEMA);
  events = await createTable(client, EVENTBUS_TABLE_SCHEMA);
});

afterAll(() => client.destroy());

describe('the memory ledger', () => {
  const table = createMemoryTable();
  const create = async (options: object) => createMemoryJobLedger({ ...options, table });
  it.each(jobLedgerConformance({ create }))('$name', ({ run }) => run());
});

describe('the DynamoDB ledger', () => {
  const create = async (options: object) => createJobLedger({ ...options, client, tableName: jobs });
  it.each(jobLedgerConformance({ create }))('$name', ({ run }) => run());
});

describe('the memory event store', () => {
  const table = createMemoryTable();
  const create = async (options: object) => createMemoryEventBusStore({ ...options, table });
  it.each(eventBusConformance({ create }))('$name', ({ run }) => run());
});

describe('the DynamoDB event store', () => {
  const create = async (options: object) => createEventBusStore({ ...options, client, tableName: events });
  it.each(eventBusConformance({ create }))('$name', ({ run }) => run());
});
