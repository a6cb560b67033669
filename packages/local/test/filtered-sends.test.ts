import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { systemClock } from '@sallyport/core';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

const SOURCES = {
  ...{ queues: {}, streams: {}, tableStreams: {}, schedules: {} },
  topics: {
    news: { filterPolicy: { place: ['home'], price: [{ numeric: ['>', 100] }], tags: [{ prefix: 'a' }] } },
    orders: { filterPolicyScope: 'MessageBody', filterPolicy: { lines: { sku: ['a'] } } },
  },
  buses: { shop: { rules: [{ pattern: { detail: { path: [{ wildcard: 'in/*.png' }] } } }] } },
} as const;

let host: TestHost;
let port: TestPort;

beforeAll(async () => {
  const triggers = [
    trigger('topic', 'news'),
    trigger('topic', 'orders'),
    trigger('event-bus', '', { source: 'files' }),
  ];
  host = createTestHost(() => null, { triggers, clock: systemClock, config: { sources: SOURCES } });
  port = await startPort(host);
  await port.sources.start();
});

afterAll(async () => {
  await port.stop();
  host.remove();
});

const filteredOf = (name: string) => port.sources.list().find((source) => source.name === name)?.filtered.count;

it("a client's messages meet the filter policy with the attributes that it sends", async () => {
  const client = new SNSClient(clientConfig(host));
  const publish = (price: string, tags: string) =>
    client.send(
      new PublishCommand({
        TopicArn: 'arn:aws:sns:us-east-1:123456789012:news',
        Message: price,
        MessageAttributes: {
          place: { DataType: 'String', StringValue: 'home' },
          price: { DataType: 'Number', StringValue: price },
          tags: { DataType: 'String.Array', StringValue: tags },
        },
      }),
    );
  for (const [price, tags] of [
    ['101', '["x","ab"]'],
    ['99', '["ab"]'],
    ['102', '["x"]'],
  ] as const)
    await publish(price, tags);
  await host.settleTurns();
  expect(host.invocations.splice(0)).toMatchObject([{ event: { Records: [{ Sns: { Message: '101' } }] } }]);
  expect(filteredOf('news')).toBe(2);
});

it('messages of a client are filtered by their attributes', async () => {
  const client = new SNSClient(clientConfig(host));
  const TopicArn = 'arn:aws:sns:us-east-1:123456789012:orders';
  for (const Message of ['{"lines":[{"sku":"b"},{"sku":"a"}]}', '{"lines":[]}', 'a'])
    await client.send(new PublishCommand({ TopicArn, Message }));
  await host.settleTurns();
  expect(host.invocations.splice(0)).toHaveLength(1);
  expect(filteredOf('orders')).toBe(2);
});

it("a client's events meet the rules of the bus", async () => {
  const client = new EventBridgeClient(clientConfig(host));
  const Entries = ['in/a.png', 'out/a.png'].map((path) => ({
    ...{ EventBusName: 'shop', Source: 'files', DetailType: 'Created' },
    Detail: JSON.stringify({ path }),
  }));
  expect(await client.send(new PutEventsCommand({ Entries }))).toMatchObject({ FailedEntryCount: 0 });
  await host.settleTurns();
  expect(host.invocations.splice(0)).toMatchObject([{ event: { detail: { path: 'in/a.png' } } }]);
  expect(filteredOf('shop')).toBe(1);
});
