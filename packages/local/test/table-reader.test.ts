import { systemClock } from '@sallyport/core';
import { dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { callEngine } from '../src/internal/services/dynamodb/engine-client.js';
import { TableReader } from '../src/internal/services/dynamodb/table-reader.js';

/** The engine starts in two seconds, on a busy machine in twenty. */

const HOUR_MS = 3_600_000;

it.each([
  ['all records of a stream that began in this run, before the first search', -HOUR_MS, ['before', 'after']],
  ['no record that a stream of an earlier run had at the start', HOUR_MS, ['after']],
] as const)('delivers %s', async (_title, offsetMs, expected) => {
  const endpoint = await dynamodbEndpoint();
  const table = `reader-${process.pid}-${expected.length}`;
  const put = (id: string) => callEngine(endpoint, 'DynamoDB.PutItem', { TableName: table, Item: { id: { S: id } } });
  await callEngine(endpoint, 'DynamoDB.CreateTable', {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await put('before');
  const ids: (string | undefined)[] = [];
  let rounds = 0;
  await new Promise<void>((resolve, reject) => {
    const reader = new TableReader({
      clock: systemClock,
      // The second round begins when the first search has ended.
      endpoint: async () => {
        rounds += 1;
        if (rounds === 2) await put('after').catch(reject);
        return endpoint;
      },
      table,
      runStart: () => Date.now() + offsetMs,
      onStream: () => {},
      onRecords: (records) => {
        for (const { dynamodb } of records as readonly { dynamodb: { Keys: { id: { S: string } } } }[])
          ids.push(dynamodb.Keys.id.S);
        if (ids.includes('after')) void reader.stop().then(resolve);
      },
    });
    reader.start();
  });
  expect(ids).toEqual(expected);
});
