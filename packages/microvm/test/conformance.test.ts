import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import { type MicrovmHarness, microvmConformance } from '@sallyport/microvm/testing';
import { dynamoRegistry, fakeService, harness, memoryRegistry, wireService } from './support/harness.js';

let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, MICROVM_TABLE_SCHEMA);
}, 60_000);
afterAll(() => client.destroy());

const dynamo: Parameters<typeof harness>[1] = (clock) => dynamoRegistry(client, tableName)(clock);

const HARNESSES: readonly (readonly [string, MicrovmHarness])[] = [
  ['the fake, in memory', harness(fakeService, memoryRegistry)],
  ['the fake, in DynamoDB', harness(fakeService, dynamo)],
  ['the real client, in memory', harness(wireService, memoryRegistry)],
  ['the real client, in DynamoDB', harness(wireService, dynamo)],
];

describe.each(HARNESSES)('%s', (_name, one) => {
  it.each(microvmConformance(one))('$name', ({ run }) => run());
});
