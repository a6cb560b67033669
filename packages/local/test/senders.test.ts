/** The senders of `@sallyport/streams/send` with the clients of the AWS SDK against the local AWS, up to the function's event. */
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@sallyport/core';
import { createSender, type SenderOptions } from '@sallyport/streams/send';
import { z } from 'zod';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

interface Order {
  id: string;
  cents: number;
}
interface Contract {
  queue: { orders: Order; 'bills.fifo': Order };
  topic: { news: { text: string } };
  stream: { clicks: { page: string } };
  bus: { 'billing/InvoicePaid': { invoice: string } };
}
interface Received {
  readonly source?: string;
  readonly 'detail-type'?: string;
  readonly detail?: unknown;
  readonly Records?: readonly {
    readonly body?: string;
    readonly attributes?: Readonly<Record<string, string>>;
    readonly messageAttributes?: Readonly<Record<string, { readonly stringValue: string }>>;
    readonly Sns?: {
      readonly Message: string;
      readonly Subject: string | null;
      readonly MessageAttributes: Readonly<Record<string, { readonly Value: string }>>;
    };
    readonly kinesis?: { readonly data: string; readonly partitionKey: string };
  }[];
}

let host: TestHost;
let port: TestPort;
const received: NonNullable<Received['Records']>[number][] = [];
const events: Received[] = [];
let wake = () => {};

/** Waits until so many records and events have reached the function. */
async function arrived(count: number): Promise<void> {
  while (received.length + events.length < count)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
}

beforeAll(async () => {
  const triggers = [
    trigger('queue', 'orders'),
    trigger('queue', 'bills.fifo'),
    trigger('topic', 'news'),
    trigger('stream', 'clicks'),
    trigger('event-bus', '', { source: 'billing' }),
  ];
  const run = (event: Received) => {
    if (event.Records) received.push(...event.Records);
    else events.push(event);
    wake();
    return {};
  };
  host = createTestHost(run, { triggers, clock: systemClock });
  port = await startPort(host);
  await port.sources.start();
});
afterAll(async () => {
  await port.stop();
  host.remove();
});
beforeEach(() => {
  received.length = 0;
  events.length = 0;
});

const senderWith = (options: Partial<SenderOptions<Contract>> = {}) => {
  const config = clientConfig(host);
  return createSender<Contract>({
    queues: {
      orders: `http://127.0.0.1:${host.ports.aws}/000000000000/orders`,
      'bills.fifo': `http://127.0.0.1:${host.ports.aws}/000000000000/bills.fifo`,
    },
    topics: { news: 'arn:aws:sns:us-east-1:000000000000:news' },
    streams: { clicks: 'clicks' },
    clients: {
      sqs: new SQSClient(config),
      sns: new SNSClient(config),
      eventBridge: new EventBridgeClient(config),
      kinesis: new KinesisClient(config),
    },
    ...options,
  });
};

it('a message reaches the consumer of its queue', async () => {
  const { id } = await senderWith().send('orders', { id: 'o1\uffff', cents: 5 }, { group: 'ada', delaySeconds: 0 });
  await arrived(1);
  expect(id).toMatch(/^[\w-]{36}$/);
  expect(received.map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ id: 'o1\uffff', cents: 5 }]);
});

it('23 messages are three requests, and each arrives once', async () => {
  const orders = Array.from({ length: 23 }, (_, cents) => ({ id: `o${cents}`, cents }));
  const { ids, failed } = await senderWith().sendBatch('orders', orders);
  await arrived(23);
  expect([ids.length, new Set(ids).size, failed]).toEqual([23, 23, []]);
  expect(received.map(({ body }) => JSON.parse(body ?? '').cents).sort((a, b) => a - b)).toEqual([...orders.keys()]);
});

it('messages of a FIFO queue have their group and their deduplication id, and keep their order', async () => {
  const orders = [3, 1, 2, 1].map((cents) => ({ id: 'o', cents }));
  await senderWith().sendBatch('bills.fifo', orders, ({ cents }) => ({ group: 'ada', dedupe: `d${cents}` }));
  await arrived(3);
  expect(
    received.map(({ body, attributes }) => [
      JSON.parse(body ?? '').cents,
      attributes?.MessageGroupId,
      attributes?.MessageDeduplicationId,
    ]),
  ).toEqual([
    [3, 'ada', 'd3'],
    [1, 'ada', 'd1'],
    [2, 'ada', 'd2'],
  ]);
});

it('a message of a topic, an event and records arrive with their members', async () => {
  const sender = senderWith();
  await sender.publish('news', { text: 'hi' }, { subject: 'News' });
  await sender.put('billing/InvoicePaid', { invoice: 'i1' }, { resources: ['arn:aws:s3:::bills'] });
  await sender.putRecords('clicks', [{ page: '/' }, { page: '/a' }], ({ page }) => ({ key: `k${page}` }));
  await arrived(4);
  const [sns, ...clicks] = [...received].sort((a) => (a.Sns ? -1 : 1));
  expect([sns?.Sns?.Message, sns?.Sns?.Subject]).toEqual(['{"text":"hi"}', 'News']);
  expect(
    clicks.map(({ kinesis }) => [Buffer.from(kinesis?.data ?? '', 'base64').toString(), kinesis?.partitionKey]),
  ).toEqual(
    expect.arrayContaining([
      ['{"page":"/"}', 'k/'],
      ['{"page":"/a"}', 'k/a'],
    ]),
  );
  expect(events).toMatchObject([
    { source: 'billing', 'detail-type': 'InvoicePaid', detail: { invoice: 'i1' }, resources: ['arn:aws:s3:::bills'] },
  ]);
});

it('the trace is added to messages and events', async () => {
  // The form of withTrace, which needs an invocation.
  const attribute = { traceparent: { DataType: 'String', StringValue: '00-1-2-01' } };
  const traced = (entry: object) =>
    'Detail' in entry
      ? { ...entry, Detail: '{"traceparent":"00-1-2-01"}' }
      : { ...entry, MessageAttributes: attribute };
  const trace = <T extends object>(input: T): T =>
    Object.fromEntries(Object.entries(input).map(([name, list]) => [name, (list as object[]).map(traced)])) as T;
  const sender = senderWith({ trace });
  await sender.send('orders', { id: 'o1', cents: 1 });
  await sender.publish('news', { text: 'hi' });
  await sender.put('billing/InvoicePaid', { invoice: 'i1' });
  await arrived(3);
  const found = received.map(
    ({ messageAttributes, Sns }) =>
      messageAttributes?.traceparent?.stringValue ?? Sns?.MessageAttributes.traceparent?.Value,
  );
  expect([...found, ...events.map(({ detail }) => detail)]).toEqual([
    '00-1-2-01',
    '00-1-2-01',
    { traceparent: '00-1-2-01' },
  ]);
});

it('a value that does not fit its schema is reported with its place, and the others are sent', async () => {
  const Order = z.object({ id: z.string(), cents: z.int() });
  const sender = senderWith({ schemas: { queue: { orders: Order } } });
  const orders = [
    { id: 'o1', cents: 1 },
    { id: 'o2', cents: 1.5 },
    { id: 'o3', cents: 3 },
  ];
  const { ids, failed } = await sender.sendBatch('orders', orders);
  await arrived(2);
  expect(ids.map((id) => id !== undefined)).toEqual([true, false, true]);
  expect(failed).toMatchObject([{ index: 1, value: orders[1], error: { code: 'streams.payload_invalid' } }]);
  await expect(sender.send('orders', { id: 'o2', cents: 1.5 })).rejects.toMatchObject({
    code: 'streams.payload_invalid',
    message: 'framework: payload does not fit its schema at cents',
  });
});

it('an event whose detail the service rejects is reported with the reason', async () => {
  const sender = senderWith();
  const { failed } = await sender.putBatch('billing/InvoicePaid', [5 as never, { invoice: 'i1' }]);
  await arrived(1);
  expect(failed).toMatchObject([
    { index: 0, value: 5, error: { code: 'streams.send_failed', details: { reason: 'MalformedDetail' } } },
  ]);
});

it('messages of 1 MiB are one request each, and a larger one is not sent', async () => {
  const sized = (bytes: number) => ({ id: 'x'.repeat(bytes - '{"id":"","cents":1}'.length), cents: 1 });
  const { ids, failed } = await senderWith().sendBatch('orders', [
    sized(1_048_576),
    sized(1_048_576),
    sized(1_048_577),
  ]);
  await arrived(2);
  expect(ids.map((id) => id !== undefined)).toEqual([true, true, false]);
  expect(failed).toMatchObject([{ index: 2, error: { code: 'streams.entry_too_large' } }]);
});
