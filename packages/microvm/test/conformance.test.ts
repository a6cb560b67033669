import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient } from '@sallyport/dynamodb-local';
import { type MicrovmHarness, microvmConformance } from '@sallyport/microvm/testing';
import { dynamoRegistry, fakeService, harness, memoryRegistry, wireService } from './support/harness.js';

let client: DynamoDBClient;

beforeAll(async () => {
  client = await createLocalClient();
});
afterAll(() => client.destroy());

const dynamo: Parameters<typeof harness>[1] = (clock) => dynamoRegistry(client)(clock);

const HARNESSES: readonly (readonly [string, MicrovmHarness])[] = [
  ['the fake, in memory', harness(fakeService, memoryRegistry)],
  ['the fake, in DynamoDB', harness(fakeService, dynamo)],
  ['the real client, in memory', harness(wireService, memoryRegistry)],
  ['the real client, in DynamoDB', harness(wireService, dynamo)],
];

describe.each(HARNESSES)('%s', (_name, one) => {
  it.each(microvmConformance(one))('$name', ({ run }) => run());
});
