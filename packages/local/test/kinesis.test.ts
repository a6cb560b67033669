import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  PutRecordCommand,
  type ShardIteratorType,
} from '@aws-sdk/client-kinesis';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

const StreamName = 'clicks';
const ShardId = 'shardId-000000000000';
const MINUTE = 60_000;

let host: TestHost;
let port: TestPort;

beforeEach(async () => {
  host = createTestHost(() => null);
  port = await startPort(host);
});

afterEach(async () => {
  await port.stop();
  host.remove();
});

/** Runs calls with a client whose clock is the clock of the run: signatures of another time are rejected. */
async function withClient<T>(use: (client: KinesisClient) => Promise<T>): Promise<T> {
  const systemClockOffset = host.clock.now().getTime() - Date.now();
  const client = new KinesisClient({ ...clientConfig(host), systemClockOffset });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}

const put = (text: string) =>
  withClient((client) => client.send(new PutRecordCommand({ StreamName, Data: Buffer.from(text), PartitionKey: 'a' })));

const iteratorOf = async (type: string) => {
  const input = { StreamName, ShardId, ShardIteratorType: type as ShardIteratorType };
  const { ShardIterator = '' } = await withClient((client) => client.send(new GetShardIteratorCommand(input)));
  return ShardIterator;
};

const read = async (ShardIterator: string, Limit?: number) => {
  const { Records = [], ...answer } = await withClient((client) =>
    client.send(new GetRecordsCommand({ ShardIterator, ...(Limit !== undefined && { Limit }) })),
  );
  return { ...answer, texts: Records.map(({ Data }) => Buffer.from(Data ?? []).toString()) };
};

it('an unknown type of a shard iterator is rejected with the types and the given value', async () => {
  await expect(iteratorOf('NEWEST')).rejects.toMatchObject({
    name: 'InvalidArgumentException',
    message: expect.stringMatching(/ShardIteratorType.*LATEST.*"NEWEST"/),
  });
});

// "A shard iterator expires 5 minutes after it is returned to the requester."
// https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetShardIterator.html
it('a shard iterator is valid for five minutes, and the next iterator again', async () => {
  await put('one');
  const first = await iteratorOf('TRIM_HORIZON');
  await host.clock.advance(5 * MINUTE);
  const { texts, NextShardIterator: next = '' } = await read(first);
  expect(texts).toEqual(['one']);
  await host.clock.advance(1);
  await expect(read(first)).rejects.toMatchObject({ name: 'ExpiredIteratorException' });
  await host.clock.advance(5 * MINUTE - 1);
  expect((await read(next)).texts).toEqual([]);
  await host.clock.advance(1);
  await expect(read(next)).rejects.toMatchObject({ name: 'ExpiredIteratorException' });
});

it('an iterator that no call returned is rejected', async () => {
  await expect(read(Buffer.from('{}').toString('base64'))).rejects.toMatchObject({ name: 'InvalidArgumentException' });
});

// MillisBehindLatest is the distance of the response from the tip of the stream in milliseconds; 0 at the tip.
// https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetRecords.html
it('a reader receives its distance from the tip of the stream', async () => {
  await put('one');
  await host.clock.advance(2000);
  await put('two');
  await host.clock.advance(1000);
  const behind = await read(await iteratorOf('TRIM_HORIZON'), 1);
  expect(behind).toMatchObject({ texts: ['one'], MillisBehindLatest: 3000 });
  const last = await read(behind.NextShardIterator ?? '');
  expect(last).toMatchObject({ texts: ['two'], MillisBehindLatest: 0 });
  expect(await read(last.NextShardIterator ?? '')).toMatchObject({ texts: [], MillisBehindLatest: 0 });
});
