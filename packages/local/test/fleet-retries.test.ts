import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { loadConfig } from '../src/internal/config/load.js';
import { type RunningHost, startHost } from '../src/internal/host/create-host.js';
import { createProject, type Project } from './support/run.js';

// Each mapping, subscription and target retries alone: only the function that failed receives a record again.

const SERVICE = (answer: string) => `export const handler = async () => { ${answer} };`;
const bus = (settings = {}) => ({ kind: 'event-bus', name: 'default', pattern: { source: ['shop'] }, settings });
const topic = (settings = {}) => ({ kind: 'topic', name: 'news', settings });
const stream = (settings = {}) => ({ kind: 'stream', name: 'clicks', settings });
const table = (settings = {}) => ({ kind: 'table-stream', name: 'notes', settings });

const MANIFEST = {
  version: 1,
  functions: [
    { path: 'App/Works', entry: 'src/works.mjs', doors: [], sources: [topic(), bus(), stream(), table()] },
    {
      path: 'App/Fails',
      entry: 'src/fails.mjs',
      doors: [],
      sources: [
        topic(),
        bus({ maximumRetryAttempts: 1 }),
        stream({ maximumRetryAttempts: 1 }),
        table({ maximumRetryAttempts: 0 }),
      ],
    },
    {
      path: 'App/Filters',
      entry: 'src/works.mjs',
      doors: [],
      sources: [
        topic({ filterPolicy: { color: ['red'] } }),
        { ...bus(), pattern: { source: ['bank'] } },
        stream({ filters: [{ data: { color: ['red'] } }] }),
        table({ filters: [{ eventName: ['REMOVE'] }] }),
      ],
    },
  ],
};

let project: Project;
let host: RunningHost;
beforeAll(async () => {
  project = createProject({
    'src/works.mjs': SERVICE(''),
    'src/fails.mjs': SERVICE("throw new TypeError('as asked')"),
    'cdk.out/sallyport.json': JSON.stringify(MANIFEST),
  });
  const config = loadConfig(project.folder, { all: true, port: 0, state: false, timeout: 55, speed: 1000 });
  host = await startHost(config, { watch: false });
});
afterAll(async () => {
  await host.stop();
  project.remove();
});

/** Resolves when the condition is true after a change of the journal. */
const until = (isTrue: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!isTrue()) return;
      stop();
      resolve();
    };
    const stop = host.journal.subscribe(() => setImmediate(look));
    look();
  });

const deliveriesOf = (kind: string) => {
  const names = host.journal
    .list()
    .filter(({ origin, status }) => origin.kind === kind && (status === 'ok' || status === 'failed'))
    .map(({ origin }) => origin.function ?? '');
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((one) => one === name).length]),
  );
};

test.each<[string, string, Record<string, unknown>, number]>([
  ['topic', 'news', { message: 'hi' }, 3],
  ['event-bus', 'default', { source: 'shop', detailType: 'Paid', detail: {} }, 2],
  ['stream', 'clicks', { json: { color: 'blue' }, partitionKey: 'a' }, 2],
  ['table-stream', 'notes', { eventName: 'INSERT', keys: { id: 'n-1' } }, 1],
])('a record of a %s is retried only for the function that failed', async (kind, name, record, deliveries) => {
  const source = () => host.sources.list().find((one) => one.kind === kind && one.name === name);
  host.sources.send({ kind, name, records: [record] });
  await until(() => source()?.deadLetters.length === 1 && deliveriesOf(kind).Works === 1);
  expect(deliveriesOf(kind)).toEqual({ Fails: deliveries, Works: 1 });
  expect(source()).toMatchObject({ deadLetters: [{ function: 'Fails', deliveries }], records: [], done: 1 });

  const [id = ''] = source()?.deadLetters.map((one) => one.id) ?? [];
  expect(() => host.sources.act(kind, name, 'send-back', id, 'Works')).toThrow(
    expect.failure('local.unknown_record', id),
  );
  host.sources.act(kind, name, 'send-back', id, 'Fails');
  await until(() => source()?.deadLetters.length === 1);
  expect(deliveriesOf(kind)).toEqual({ Fails: 2 * deliveries, Works: 1 });
});

test('the message about a failure is in the queue of the function that failed, and names it', async () => {
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${host.ports.aws}`,
    region: 'us-east-1',
    credentials: { accessKeyId: host.keys.accessKeyId, secretAccessKey: host.keys.secretAccessKey },
  });
  const QueueUrl = `http://127.0.0.1:${host.ports.aws}/123456789012/news-Fails-failed`;
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(Messages.map(({ Body = '' }) => JSON.parse(Body).requestContext.functionArn)).toEqual([
    'arn:aws:lambda:us-east-1:123456789012:function:Fails',
  ]);
  expect(host.sources.list().find(({ name }) => name === 'news')?.deadLetterName).toBe(
    'news-Works-failed, news-Fails-failed, news-Filters-failed',
  );
});

test('a record that the filters of all functions drop is delivered to no function', async () => {
  const before = host.journal.list().length;
  host.sources.send({ kind: 'event-bus', name: 'default', records: [{ source: 'other', detail: {} }] });
  expect(host.sources.list().find(({ kind }) => kind === 'event-bus')).toMatchObject({ filtered: { count: 1 } });
  expect(host.journal.list().length).toBe(before);
});
