import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import {
  DescribeStreamCommand as DescribeKinesisCommand,
  KinesisClient,
  PutRecordCommand,
} from '@aws-sdk/client-kinesis';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { ManualClock } from '@sallyport/core/testing';
import type { AwsAccess } from '../src/internal/aws-access.js';
import type { Delivery } from '../src/redrive/internal/deliver.js';
import { Journal } from '../src/redrive/internal/journal.js';
import { createQueues } from '../src/redrive/internal/queues.js';
import { Redrive } from '../src/redrive/internal/run.js';
import { type DevRun, runIn, startDev } from './support/dev.js';

/** Handlers that write what they handle; `bad` fails until the file `fixed` exists. The filters of the streams match no record, so nothing is delivered automatically. */
const entry = (folder: string) => `
import { appendFileSync, existsSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
const app = createApp();
const handle = (text) => {
  if (text === 'bad' && !existsSync('${folder}/fixed')) throw new TypeError('no price');
  appendFileSync('${folder}/handled', text + '\\n');
};
app.kinesis('clicks', (_ctx, { kinesis }) => handle(Buffer.from(kinesis.data, 'base64').toString()));
app.tableStream('notes', (_ctx, { dynamodb }) => handle(dynamodb.NewImage.text.S));
app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (_ctx, { detail }) => handle(detail.text));
export const handler = app.handleLambda;
`;
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:service';

let dev: DevRun;
beforeAll(async () => {
  const streams = { clicks: { filters: [{ data: { never: ['sent'] } }] } };
  const tableStreams = { notes: { filters: [{ dynamodb: { never: ['sent'] } }] } };
  dev = await startDev(entry, { streams, tableStreams }, []);
});
afterAll(() => dev.stop());

beforeEach(() => {
  for (const file of ['fixed', 'handled']) rmSync(join(dev.folder, file), { force: true });
});

const clientSettings = () => {
  const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = '' } = dev.variables;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return { region: AWS_REGION, endpoint: AWS_ENDPOINT_URL, credentials };
};
const redrive = (...args: readonly string[]) => runIn(dev.folder, REDRIVE_COMMAND.run, [...args, '--dev', '--json']);
const handled = () => {
  const file = join(dev.folder, 'handled');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

async function send(QueueName: string, body: unknown, more: Partial<SendMessageCommandInput> = {}) {
  const { QueueUrl } = await dev.sqs.send(new GetQueueUrlCommand({ QueueName }));
  await dev.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body), ...more }));
}

async function left(QueueName: string) {
  const { QueueUrl } = await dev.sqs.send(new GetQueueUrlCommand({ QueueName }));
  const { Attributes } = await dev.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return Number(Attributes?.ApproximateNumberOfMessages) + Number(Attributes?.ApproximateNumberOfMessagesNotVisible);
}

/** The record that Lambda sends to the failure destination of a stream: https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html */
const givenUp = (info: object) => ({
  requestContext: {
    requestId: 'r-1',
    functionArn: FUNCTION,
    condition: 'RetryAttemptsExhausted',
    approximateInvokeCount: 3,
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: '2026-11-14T00:38:06.021Z',
  ...info,
});

const repair = () => writeFileSync(join(dev.folder, 'fixed'), '');
const actions = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => {
      const { type, action, why, end } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      return type === 'letter' ? [action, why] : end;
    });

const TEXTS = ['before', 'bad', 'good', 'after'];

/** A data stream with a record for each text. @returns the position of the records `bad` and `good` */
async function kinesisBatch(): Promise<object> {
  const kinesis = new KinesisClient(clientSettings());
  const positions: string[] = [];
  for (const text of TEXTS) {
    const command = new PutRecordCommand({ StreamName: 'clicks', PartitionKey: 'a', Data: Buffer.from(text) });
    positions.push((await kinesis.send(command)).SequenceNumber ?? '');
  }
  const { StreamDescription } = await kinesis.send(new DescribeKinesisCommand({ StreamName: 'clicks' }));
  const [, startSequenceNumber, endSequenceNumber] = positions;
  const streamArn = StreamDescription?.StreamARN;
  const shardId = 'shardId-000000000000';
  return { KinesisBatchInfo: { shardId, startSequenceNumber, endSequenceNumber, batchSize: 2, streamArn } };
}

/** A table with an item for each text. @returns the position of the changes of `bad` and `good` */
async function tableBatch(): Promise<object> {
  const dynamo = new DynamoDBClient(clientSettings());
  const { TableDescription } = await dynamo.send(
    new CreateTableCommand({
      TableName: 'notes',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  for (const text of TEXTS) {
    const Item = { id: { S: text }, text: { S: text }, bytes: { B: Buffer.from([1, 2]) } };
    await dynamo.send(new PutItemCommand({ TableName: 'notes', Item }));
  }
  const streams = new DynamoDBStreamsClient(clientSettings());
  const StreamArn = TableDescription?.LatestStreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const iterator = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
  const { ShardIterator } = await streams.send(iterator);
  const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  const [, start, end] = Records.map(({ dynamodb }) => dynamodb?.SequenceNumber);
  const batch = { shardId: ShardId, startSequenceNumber: start, endSequenceNumber: end, batchSize: 2 };
  return { DDBStreamBatchInfo: { ...batch, streamArn: StreamArn } };
}

describe('records that Lambda gave up', () => {
  test.each([
    ['clicks-failed', kinesisBatch],
    ['notes-failed', tableBatch],
  ])('of %s are read again, and sent to the function until it handles them', async (queue, batch) => {
    await send(queue, givenUp(await batch()));
    const first = await redrive(queue);
    expect({ code: first.code, steps: actions(first.out) }).toEqual({
      code: 1,
      steps: [['failed', expect.stringMatching(/^(?:\d of the records failed|the function failed: )/)], 'failed-again'],
    });
    expect(await left(queue)).toBe(1);
    rmSync(join(dev.folder, 'handled'), { force: true });
    repair();
    expect(actions((await redrive(queue)).out)).toEqual([['sent', undefined], 'complete']);
    expect(handled()).toEqual(['bad', 'good']);
    expect(await left(queue)).toBe(0);
  });

  test('are kept if the stream no longer has them', async () => {
    const { KinesisBatchInfo } = (await kinesisBatch()) as { readonly KinesisBatchInfo: object };
    const info = { ...KinesisBatchInfo, startSequenceNumber: '1' };
    await send('clicks-failed', givenUp({ KinesisBatchInfo: info }));
    const { code, out } = await redrive('clicks-failed');
    expect({ code, steps: actions(out) }).toEqual({
      code: 1,
      steps: [['kept', 'the records are no longer in the stream'], 'complete'],
    });
    expect(await left('clicks-failed')).toBe(1);
  });
});

describe('an event that was given up', () => {
  const event = {
    ...{ version: '0', id: 'e-1', 'detail-type': 'InvoicePaid', source: 'billing', account: '123456789012' },
    ...{ time: '2026-11-14T00:38:06Z', region: 'us-east-1', resources: [], detail: { text: 'bad' } },
  };
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });

  test.each<
    readonly [what: string, body: unknown, attributes: SendMessageCommandInput['MessageAttributes'], reason: string]
  >([
    [
      'by a rule of an event bus',
      event,
      {
        TARGET_ARN: text(FUNCTION),
        ERROR_CODE: text('NO_PERMISSIONS'),
        ERROR_MESSAGE: text('no policy allows the call'),
        RETRY_ATTEMPTS: text('0'),
      },
      'NO_PERMISSIONS: no policy allows the call',
    ],
    [
      'by Lambda after its attempts',
      givenUp({ requestPayload: event, responsePayload: { errorType: 'TypeError', errorMessage: 'no price' } }),
      undefined,
      'RetryAttemptsExhausted: TypeError',
    ],
  ])('%s is sent to the function', async (_what, body, MessageAttributes, reason) => {
    await send('bus-failed', body, { MessageAttributes });
    const first = await redrive('bus-failed');
    expect(first.code).toBe(1);
    expect(JSON.parse(first.out.split('\n')[0] ?? '')).toMatchObject({
      action: 'failed',
      reason,
      why: 'the function failed: TypeError',
    });
    expect(await left('bus-failed')).toBe(1);
    repair();
    expect(await redrive('bus-failed')).toMatchObject({ code: 0 });
    expect(handled()).toEqual(['bad']);
    expect(await left('bus-failed')).toBe(0);
  });
});

test('a message remains hidden while its function runs, and the journal names the end of the time', async () => {
  const START = Date.parse('2026-11-14T00:00:00Z');
  const clock = new ManualClock(START);
  const calls: string[] = [];
  const note = (what: string) => calls.push(`${(clock.now().getTime() - START) / 1000} s: ${what}`);
  const access: AwsAccess = {
    settings: clientSettings(),
    load: <M>(name: string) => import(name) as Promise<M>,
    call: (_what, run) => run({ abortSignal: AbortSignal.timeout(10_000) }),
  };
  await send('slow-failed', givenUp({ requestPayload: { id: 'e-1' } }));
  const queues = await createQueues(access);
  const local = await queues.failureQueue('slow-failed');
  const queue: typeof local = {
    ...local,
    receive(seconds) {
      note(`receive, hidden for ${seconds} s`);
      return local.receive(seconds);
    },
    hide(message, seconds) {
      note(`hide for ${seconds} s`);
      return local.hide(message, seconds);
    },
    delete(message) {
      note('delete');
      return local.delete(message);
    },
  };
  const path = join(dev.folder, 'journal.jsonl');
  const journal = new Journal(path, local.arn, clock.now());
  const settings = {
    ...{ filter: () => true, rate: 1000, limit: 1, watchSeconds: 0, unhandled: () => undefined, report: () => {} },
    ...{ signal: new AbortController().signal, clock },
  };
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  let end = (_: Delivery) => {};
  const deliver = () => {
    start();
    return new Promise<Delivery>((resolve) => {
      end = resolve;
    });
  };
  const run = new Redrive(queue, queues, deliver, journal, settings).run();
  await started;
  await clock.advance(100_000);
  expect(calls).toEqual([
    '0 s: receive, hidden for 120 s',
    '0 s: hide for 120 s',
    '40 s: hide for 120 s',
    '80 s: hide for 120 s',
  ]);
  const hiddenUntil = '2026-11-14T00:03:20.000Z';
  while (!readFileSync(path, 'utf8').includes(hiddenUntil)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await local.counts()).toEqual({ visible: 0, hidden: 1 });
  // A process that is killed here leaves this journal.
  const killed = join(dev.folder, 'killed.jsonl');
  writeFileSync(killed, readFileSync(path));
  end({ kind: 'accepted' });
  await run;
  expect([calls.at(-1), clock.pendingTimers, await left('slow-failed')]).toEqual(['100 s: delete', 0, 0]);
  journal.close();
  const next = new Journal(killed, local.arn, clock.now());
  expect([next.isResumed, next.interrupted()]).toEqual([true, [{ id: expect.any(String), hiddenUntil }]]);
  next.close();
});
