/** Records and events that `sallyport dev` gave up, with the messages that it writes about them, and a redrive that is killed at each step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { type DevRun, runIn, startDev } from './support/dev.js';
import { type Fault, type FaultProxy, startFaultProxy } from './support/killing-proxy.js';
import { writeRedrive } from './support/redrive-main.js';

/** Handlers that write what they handle; all fail until the file `fixed` exists. */
const entry = (folder: string) => `
import { appendFileSync, existsSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
const app = createApp();
const handle = (text) => {
  if (!existsSync('${folder}/fixed')) throw new TypeError('no price');
  appendFileSync('${folder}/handled', text + '\\n');
};
app.kinesis('clicks', (_ctx, { kinesis }) => handle(Buffer.from(kinesis.data, 'base64').toString()));
app.tableStream('notes', (_ctx, { dynamodb }) => handle(dynamodb.NewImage.text.S));
app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (_ctx, { detail }) => handle(detail.text));
export const handler = app.handleLambda;
`;

let dev: DevRun;
let proxy: FaultProxy;

beforeAll(async () => {
  const mapping = { maximumRetryAttempts: 1, reportBatchItemFailures: true };
  // The clock of the sources runs faster: two minutes are 0.12 s.
  const sources = { streams: { clicks: mapping }, tableStreams: { notes: mapping }, speed: 1000 };
  dev = await startDev(entry, sources, []);
  proxy = await startFaultProxy(dev.variables.AWS_ENDPOINT_URL ?? '');
  await writeRedrive(join(dev.folder, 'sallyport.mjs'));
  // The first call starts DynamoDB.
  repair();
  await putNote('first');
  while (!handled().includes('first')) await new Promise((resolve) => setTimeout(resolve, 10));
});
afterAll(async () => {
  await proxy.close();
  await dev.stop();
});
beforeEach(() => {
  for (const file of ['fixed', 'handled', '.sallyport/redrive']) {
    rmSync(join(dev.folder, file), { recursive: true, force: true });
  }
});

const repair = () => writeFileSync(join(dev.folder, 'fixed'), '');
const handled = () => {
  const file = join(dev.folder, 'handled');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

function clientSettings() {
  const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = '' } = dev.variables;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return { region: AWS_REGION, endpoint: AWS_ENDPOINT_URL, credentials };
}

const urlOf = async (QueueName: string) => (await dev.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;

async function counts(queue: string): Promise<readonly [visible: number, all: number]> {
  const QueueUrl = await urlOf(queue);
  const { Attributes = {} } = await dev.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  const visible = Number(Attributes.ApproximateNumberOfMessages);
  return [visible, visible + Number(Attributes.ApproximateNumberOfMessagesNotVisible)];
}

/** Resolves when this number of messages is visible; the test times out otherwise. */
async function visible(queue: string, count: number): Promise<void> {
  while ((await counts(queue))[0] !== count) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function putClicks(...texts: readonly string[]) {
  const kinesis = new KinesisClient(clientSettings());
  const Records = texts.map((one) => ({ PartitionKey: 'a', Data: Buffer.from(one) }));
  await kinesis.send(new PutRecordsCommand({ StreamName: 'clicks', Records }));
}

async function putNote(name: string) {
  const dynamo = new DynamoDBClient(clientSettings());
  const table = new CreateTableCommand({
    TableName: 'notes',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await dynamo.send(table).catch(() => {});
  await dynamo.send(new PutItemCommand({ TableName: 'notes', Item: { id: { S: name }, text: { S: name } } }));
}

async function putInvoice(name: string) {
  const options = { source: 'billing', detailType: 'InvoicePaid', detail: { text: name } };
  const sent = await dev.local('send', 'event-bus', 'default', '--options', JSON.stringify(options));
  expect(sent.err).toBe('');
}

/** Runs `sallyport redrive` as a process, through the proxy. */
async function child(queue: string, fault?: Omit<Fault, 'act'>) {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION } = dev.variables;
  const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL: proxy.endpoint };
  proxy.arm(undefined);
  const args = [join(dev.folder, 'sallyport.mjs'), queue, '--rate', '1000', '--json'];
  const running = spawn(process.execPath, args, {
    cwd: dev.folder,
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...keys },
  });
  const act = () => {
    running.kill('SIGKILL');
    return undefined;
  };
  proxy.arm(fault && { act, ...fault });
  const [out, err, [code, signal]] = await Promise.all([
    text(running.stdout),
    text(running.stderr),
    once(running, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return { out, err, code, signal };
}

test('a batch that was given up is a message with its position, as AWS sends it', async () => {
  await putClicks('A-1', 'A-2');
  await visible('clicks-failed', 1);
  const QueueUrl = await urlOf('clicks-failed');
  const { Messages = [] } = await dev.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 1 }));
  expect(JSON.parse(Messages[0]?.Body ?? '')).toEqual({
    version: '1.0',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    requestContext: {
      requestId: expect.any(String),
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:service',
      condition: 'RetryAttemptsExhausted',
      approximateInvokeCount: 2,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST' },
    KinesisBatchInfo: {
      shardId: 'shardId-000000000000',
      startSequenceNumber: expect.stringMatching(/^\d+$/),
      endSequenceNumber: expect.stringMatching(/^\d+$/),
      approximateArrivalOfFirstRecord: expect.any(String),
      approximateArrivalOfLastRecord: expect.any(String),
      batchSize: 2,
      streamArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks',
    },
  });
  repair();
  await visible('clicks-failed', 1);
  expect(await runIn(dev.folder, REDRIVE_COMMAND.run, ['clicks-failed', '--dev'])).toMatchObject({ code: 0, err: '' });
  expect([handled(), await counts('clicks-failed')]).toEqual([
    ['A-1', 'A-2'],
    [0, 0],
  ]);
});

test.each<readonly [queue: string, put: (name: string) => Promise<void>]>([
  ['notes-failed', putNote],
  ['default-failed', putInvoice],
])('%s has the records that the function failed, and a redrive handles them', async (queue, put) => {
  await put('N-1');
  await visible(queue, 1);
  repair();
  expect(await child(queue)).toMatchObject({ code: 0, err: '' });
  expect([handled(), await counts(queue)]).toEqual([['N-1'], [0, 0]]);
});

const INVOKE = '/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A123456789012%3Afunction%3Aservice/invocations';

/** An item that is stored unchanged is not in the stream of its table. */
let names = 0;

const READS = ['GetShardIterator', 'GetRecords'];
const ALL = ['ReceiveMessage', 'ChangeMessageVisibility', INVOKE, 'DeleteMessage'];

// Table streams differ from Kinesis in how records are read.
describe.each<readonly [queue: string, put: (name: string) => Promise<void>, steps: readonly string[]]>([
  ['clicks-failed', putClicks, [...ALL, ...READS]],
  ['notes-failed', putNote, READS],
  ['default-failed', putInvoice, ALL],
])('a redrive of %s that is killed', (queue, put, steps) => {
  const rows = steps.flatMap((operation) => (['before', 'after'] as const).map((when) => [operation, when] as const));

  test.each(rows)('at %s, %s the service sees it: the next run loses nothing', async (operation, when) => {
    names += 1;
    const name = `K-${names}`;
    await put(name);
    await visible(queue, 1);
    repair();
    expect(await child(queue, { operation, nth: 1, when })).toMatchObject({ signal: 'SIGKILL' });
    const [, left] = await counts(queue);
    // The message that the killed process hid, for two minutes at most.
    await visible(queue, left);
    const next = await child(queue);
    expect(next).toMatchObject({ code: 0, err: expect.stringContaining('continuing a run that did not end\n') });
    // The function had handled it, and the journal does not have the line: only here the function is invoked again.
    expect(handled()).toEqual(operation === INVOKE && when === 'after' ? [name, name] : [name]);
    expect(await counts(queue)).toEqual([0, 0]);
    const isReported = next.err.includes('was sent to its function, and may be hidden until ');
    expect(isReported).toBe([...READS, INVOKE].includes(operation));
  });
});
