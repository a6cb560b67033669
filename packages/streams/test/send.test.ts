/**
 * Failures of a sender: the clients of the AWS SDK against a server that rejects entries and requests. The success of each service is
 * tested against the local AWS, in `packages/local/test/senders.test.ts`.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createSender, type SenderOptions } from '../src/send.js';

interface Contract {
  queue: { orders: { id: string }; 'bills.fifo': { id: string } };
  topic: { news: { text: string } };
  stream: { clicks: { page: string } };
  bus: { 'billing/InvoicePaid': { invoice: string } };
}
interface Entry {
  readonly Id: string;
  readonly MessageBody?: string;
}
type Reply = (entries: readonly Entry[], response: ServerResponse, request: IncomingMessage) => unknown;

let server: Server;
let replies: Reply[];
let requests: (readonly Entry[])[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const isJson = text.startsWith('{');
    const form = new URLSearchParams(text);
    const ids = [...form.entries()].filter(([name]) => name.endsWith('.Id')).map(([, Id]) => ({ Id }));
    const { Entries, Records } = isJson ? JSON.parse(text) : { Entries: ids, Records: undefined };
    const entries: readonly Entry[] = Entries ?? Records;
    requests.push(entries);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    const answer = reply?.(entries, response, request);
    if (typeof answer === 'string') response.setHeader('content-type', 'text/xml').end(answer);
    else if (answer) response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const senderWith = (options: Partial<SenderOptions<Contract>> = {}) => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    // SQS answers with the digest of each message, which this server does not calculate.
    md5: false as const,
  };
  const sqs = new SQSClient(config);
  // The client for Kinesis speaks HTTP/2, which this server does not.
  const { requestHandler } = sqs.config;
  return createSender<Contract>({
    queues: { orders: `${endpoint}/1/orders`, 'bills.fifo': `${endpoint}/1/bills.fifo` },
    topics: { news: 'arn:aws:sns:us-east-1:000000000000:news' },
    streams: { clicks: 'arn:aws:kinesis:us-east-1:000000000000:stream/clicks' },
    clients: {
      sqs,
      sns: new SNSClient(config),
      eventBridge: new EventBridgeClient(config),
      kinesis: new KinesisClient({ ...config, requestHandler }),
    },
    ...options,
  });
};

const ordersOf = (count: number) => Array.from({ length: count }, (_, place) => ({ id: `${place}` }));
const bodies = () => requests.map((entries) => entries.map(({ MessageBody }) => JSON.parse(MessageBody ?? '').id));
/** Accepts every message, except those at these places of the request. The answer is not in the order of the request. */
const queue =
  (places: readonly number[] = [], failure: object = { Code: 'InternalError', SenderFault: false }): Reply =>
  (entries) => ({
    Successful: entries
      .filter((_, place) => !places.includes(place))
      .map(({ Id, MessageBody }) => ({ Id, MessageId: JSON.parse(MessageBody ?? '').id }))
      .reverse(),
    Failed: entries.filter((_, place) => places.includes(place)).map(({ Id }) => ({ Id, ...failure })),
  });
const rejected =
  (status: number, type: string): Reply =>
  (_entries, response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: type, message: 'x' }));
  };
const drop: Reply = (_entries, _response, request) => void request.socket.destroy();
const hang: Reply = () => undefined;

it('23 messages are requests of 10, 10 and 3, and the ids are in the order of the values', async () => {
  replies = [queue()];
  const { ids, failed } = await senderWith().sendBatch('orders', ordersOf(23));
  expect(requests.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect([ids, failed]).toEqual([ordersOf(23).map(({ id }) => id), []]);
});

it('an empty batch sends nothing', async () => {
  await expect(senderWith().sendBatch('orders', [])).resolves.toEqual({ ids: [], failed: [] });
  expect(requests).toEqual([]);
});

it('only the rejected messages are sent again, before the next request', async () => {
  replies = [queue([1, 3]), queue([1]), queue()];
  const { ids, failed } = await senderWith().sendBatch('orders', ordersOf(12));
  expect(bodies()).toEqual([['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], ['1', '3'], ['3'], ['10', '11']]);
  expect([ids, failed]).toEqual([ordersOf(12).map(({ id }) => id), []]);
});

it('a message that is rejected four times is returned with the code of the service', async () => {
  replies = [queue([0])];
  const { ids, failed } = await senderWith().sendBatch('orders', ordersOf(1));
  expect(requests.length).toBe(4);
  expect(ids).toEqual([undefined]);
  expect(failed).toMatchObject([
    { index: 0, value: { id: '0' }, error: { code: 'streams.send_failed', details: { reason: 'InternalError' } } },
  ]);
});

it('a message with a fault of the sender is not sent again, and a single call rejects', async () => {
  replies = [queue([0], { Code: 'InvalidMessageContents', SenderFault: true })];
  await expect(senderWith().send('orders', { id: '0' })).rejects.toMatchObject({
    code: 'streams.send_failed',
    message: 'framework: queue "orders" did not accept the entry: InvalidMessageContents',
  });
  expect(requests.length).toBe(1);
});

it.each<[string, Reply[], string, number]>([
  ['that has no permission fails', [rejected(403, 'AccessDeniedException')], 'AccessDeniedException', 1],
  ['whose answer is lost is not repeated: the messages may have arrived', [drop], 'Error', 1],
  ['that is throttled is repeated', [rejected(400, 'RequestThrottled')], 'RequestThrottled', 4],
])('a request %s', async (_case, given, reason, count) => {
  replies = given;
  const { failed } = await senderWith().sendBatch('orders', ordersOf(2));
  expect(failed.map(({ index, error }) => [index, error.details])).toEqual([
    [0, { reason }],
    [1, { reason }],
  ]);
  expect(requests.length).toBe(count);
});

it('the following messages of a group wait for a failed one, and are not sent if it fails finally', async () => {
  const fatal = { Code: 'Fatal', SenderFault: true };
  replies = [queue([9], fatal), queue()];
  const groups = [...'ababababab', ...'ababc'].map((group, place) => ({ id: `${place}`, group }));
  const { failed } = await senderWith().sendBatch('bills.fifo', groups, (order) => ({
    group: (order as { group?: string }).group ?? '',
  }));
  expect(bodies()).toEqual([
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    ['10', '12', '14'],
  ]);
  expect(failed.map(({ index, error }) => [index, error.details])).toEqual([
    [9, { reason: 'Fatal' }],
    [11, { reason: 'an earlier entry of the group failed' }],
    [13, { reason: 'an earlier entry of the group failed' }],
  ]);
});

it('a message of a group that cannot be sent stops its group', async () => {
  replies = [queue()];
  const values = [{ id: '0' }, { id: 1n }, { id: '2' }] as { id: string }[];
  const { failed } = await senderWith().sendBatch('bills.fifo', values, { group: 'a' });
  expect(bodies()).toEqual([['0']]);
  expect(failed.map(({ index, error }) => [index, error.code])).toEqual([
    [1, 'streams.record_invalid'],
    [2, 'streams.send_failed'],
  ]);
});

it('an aborted call returns the remaining messages', async () => {
  const end = new AbortController();
  replies = [queue(), () => end.abort()];
  const { ids, failed } = await senderWith().sendBatch('orders', ordersOf(22), { signal: end.signal });
  expect(ids.filter((id) => id !== undefined).length).toBe(10);
  expect(failed.map(({ error }) => error.details)).toEqual(Array(12).fill({ reason: 'aborted' }));
  expect(requests.length).toBe(2);
});

it('the time limit covers all requests', async () => {
  replies = [hang];
  const { failed } = await senderWith({ timeoutMs: 50 }).sendBatch('orders', ordersOf(11));
  expect(failed.length).toBe(11);
});

it('entries of the other services are sent again, each alone', async () => {
  const sender = senderWith();
  replies = [
    (entries) => ({
      Entries: entries.map((_, place) => (place ? { ErrorCode: 'ThrottlingException' } : { EventId: 'e0' })),
    }),
    () => ({ Entries: [{ EventId: 'e1' }] }),
  ];
  await expect(sender.putBatch('billing/InvoicePaid', [{ invoice: '0' }, { invoice: '1' }])).resolves.toEqual({
    ids: ['e0', 'e1'],
    failed: [],
  });
  replies = [
    () => ({ Records: [{ SequenceNumber: 's0' }, { ErrorCode: 'ProvisionedThroughputExceededException' }] }),
    () => ({ Records: [{ SequenceNumber: 's1' }] }),
  ];
  await expect(
    sender.putRecords('clicks', [{ page: '/' }, { page: '/a' }], ({ page }) => ({ key: page })),
  ).resolves.toEqual({
    ids: ['s0', 's1'],
    failed: [],
  });
  const xml = (members: string) =>
    `<PublishBatchResponse><PublishBatchResult>${members}</PublishBatchResult></PublishBatchResponse>`;
  replies = [
    () =>
      xml(
        '<Successful><member><Id>1</Id><MessageId>m1</MessageId></member></Successful>' +
          '<Failed><member><Id>0</Id><Code>InternalError</Code><SenderFault>false</SenderFault></member></Failed>',
      ),
    () => xml('<Successful><member><Id>0</Id><MessageId>m0</MessageId></member></Successful>'),
  ];
  await expect(sender.publishBatch('news', [{ text: '0' }, { text: '1' }])).resolves.toEqual({
    ids: ['m0', 'm1'],
    failed: [],
  });
});

it('501 records are two requests, and 11 MiB of records too', async () => {
  replies = [(entries) => ({ Records: entries.map(() => ({ SequenceNumber: 's' })) })];
  const sender = senderWith();
  await sender.putRecords(
    'clicks',
    Array.from({ length: 501 }, (_, place) => ({ page: `${place}` })),
    { key: 'k' },
  );
  expect(requests.map(({ length }) => length)).toEqual([500, 1]);
  requests = [];
  await sender.putRecords('clicks', Array(11).fill({ page: 'x'.repeat(1_000_000) }), { key: 'k' });
  expect(requests.map(({ length }) => length)).toEqual([10, 1]);
});

it.each<[string, () => unknown, string]>([
  [
    'a name without an address',
    () => senderWith({ queues: { orders: 'u' } }).send('bills.fifo', { id: '0' }),
    'bills.fifo',
  ],
  ['a FIFO queue without a group', () => senderWith().send('bills.fifo', { id: '0' }), 'group'],
  ['an event without a source', () => senderWith().put('InvoicePaid' as never, {} as never), 'InvoicePaid'],
  ['an empty address', () => senderWith({ queues: { orders: '' } }), 'option "queues"'],
  ['a schema that is not one', () => senderWith({ schemas: { queue: { orders: {} as never } } }), 'option "schemas"'],
  ['an unknown option', () => senderWith({ queue: {} } as never), 'queue'],
])('%s is rejected before anything is sent', async (_case, act, named) => {
  await expect(async () => act()).rejects.toMatchObject({
    code: 'app.invalid_configuration',
    message: expect.stringContaining(named),
  });
  expect(requests).toEqual([]);
});

it('the types come from the contract', () => {
  const sender = createSender<Contract>({});
  // Never called: the compiler checks the arguments.
  const typed = [
    () => sender.send('orders', { id: '0' }),
    // @ts-expect-error: no such queue
    () => sender.send('order', { id: '0' }),
    // @ts-expect-error: another type
    () => sender.send('orders', { id: 0 }),
    // @ts-expect-error: a record needs a key
    () => sender.putRecord('clicks', { page: '/' }),
    // @ts-expect-error: no such detail type
    () => sender.put('billing/InvoicePayed', { invoice: 'i' }),
    // @ts-expect-error: a queue that the contract does not have
    () => createSender<Contract>({ queues: { order: 'u' } }),
    // @ts-expect-error: a contract without topics
    () => createSender<Pick<Contract, 'queue'>>({}).publish('news', { text: '' }),
  ];
  expect(typed.length).toBe(7);
});

it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_SQS'])(
  'sends to the endpoint of %s instead of the host of the queue',
  async (variable) => {
    const { port } = server.address() as AddressInfo;
    const settings = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const before = { ...process.env };
    Object.assign(process.env, settings, { [variable]: `http://127.0.0.1:${port}` });
    try {
      replies = [queue()];
      const sender = createSender<Contract>({
        queues: { orders: 'https://sqs.us-east-1.amazonaws.com/123456789012/orders', 'bills.fifo': 'u' },
        topics: { news: 'arn:aws:sns:us-east-1:000000000000:news' },
        streams: { clicks: 'clicks' },
      });
      await sender.sendBatch('orders', ordersOf(1)).catch(() => undefined);
    } finally {
      process.env = before;
    }
    expect(bodies()).toEqual([['0']]);
  },
);
