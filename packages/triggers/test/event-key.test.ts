import { createApp } from '@sallyport/dispatch/app';
import type { EventMiddleware } from '@sallyport/streams';
import * as build from '@sallyport/triggers/testing';
import { EVENTS, SURFACES } from './kinds.js';

/** The keys that the records of an event have, as a middleware reads them. */
async function keysOf(kind: string, event: unknown): Promise<unknown[]> {
  const keys: unknown[] = [];
  const app = createApp({ log: false, surfaces: [SURFACES[kind]?.(() => undefined) as never] });
  const read: EventMiddleware = (ctx, _event, next) => {
    keys.push(ctx.eventKey);
    return next();
  };
  app.useEvents(read);
  await app.handleLambda(event);
  return keys;
}

const STACK = 'arn:aws:cloudformation:us-east-1:123456789012:stack/notes/00000000-0000-0000-0000-000000000000';
const BROKER = 'arn:aws:mq:us-east-1:123456789012:broker:broker-1:b-00000000';
const SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:database-AbCdEf';

/** The keys of the events of `kinds.ts`, in their order. */
const KEYS: readonly (string | undefined)[] = [
  'uploads|a|ObjectCreated:Put||000000000000000001',
  'uploads|a|ObjectRemoved:Delete||000000000000000001',
  'recipient@example.com|mail-1',
  'recipient@example.com|mail-1',
  undefined,
  undefined,
  undefined,
  `${STACK}|request-1`,
  `${STACK}|request-1`,
  `${STACK}|request-1`,
  '123456789012|/aws/lambda/orders|stream-1|filter-1|log-1|log-1',
  undefined,
  undefined,
  undefined,
  undefined,
  'arn:aws:kafka:us-east-1:123456789012:cluster/cluster-1/00000000|orders-0-0',
  'broker-1.example.com:9092,broker-2.example.com:9092|orders-0-0',
  `${BROKER}||orders|mq-1`,
  `${BROKER}|/|orders|mq-1`,
  'arn:aws:rds:us-east-1:123456789012:cluster:cluster-1|00000000000000000000000000000000000001',
  'arn:aws:firehose:us-east-1:123456789012:deliverystream/clicks|record-1',
  'arn:aws:cloudwatch:us-east-1:123456789012:alarm:alarm-1|ALARM|1970-01-01T00:00:00.000+0000',
  'job-1|task-1',
  'job-1|task-1',
  `${SECRET}|createSecret|version-1`,
  `${SECRET}|finishSecret|version-1`,
];
const ITEMS = EVENTS.filter(([kind]) => kind !== 'lattice' && kind !== 'invoke');

it('every event has the key of its kind, and the same one when it is delivered again', async () => {
  const keys: unknown[] = [];
  for (const [kind, event] of ITEMS) {
    const [key, ...more] = await keysOf(kind, event);
    expect([kind, more, await keysOf(kind, structuredClone(event))]).toEqual([kind, [], [key]]);
    keys.push(key);
  }
  expect(keys).toEqual(KEYS);
});

describe('events that differ in one part have different keys', () => {
  const s3 = (object: object) => build.buildS3Event('uploads', [{ key: 'a', ...object } as never]);

  it.each<[string, string, readonly object[]]>([
    ['versions of an object', 's3', [s3({ versionId: '1' }), s3({ versionId: '2' })]],
    ['writes of an object', 's3', [s3({ sequencer: '01' }), s3({ sequencer: '02' })]],
    ['events of an object', 's3', [s3({}), s3({ event: 'ObjectCreated:Copy' })]],
    ['an object whose name contains the separator', 's3', [s3({ key: 'a|b' }), s3({ key: 'a%7Cb' })]],
    [
      'records of a partition',
      'kafka',
      [build.buildKafkaEvent('orders', [{ offset: 1 }]), build.buildKafkaEvent('orders', [{ offset: 2 }])],
    ],
    [
      'messages of brokers',
      'mq',
      [build.buildMqEvent('orders', [{}]), { ...build.buildMqEvent('orders', [{}]), eventSourceArn: 'arn:aws:mq:::b' }],
    ],
  ])('%s', async (_name, kind, events) => {
    const keys = await Promise.all(events.map((event) => keysOf(kind, event)));
    expect(new Set(keys.flat()).size).toBe(events.length);
    expect(keys.flat()).not.toContain(undefined);
  });
});

it('an event of an object without a sequencer has the id of its request in its key', async () => {
  const event = JSON.parse(JSON.stringify(build.buildS3Event('uploads', [{ key: 'a', event: 'ObjectTagging:Put' }])));
  event.Records[0].s3.object.sequencer = undefined;
  event.Records[0].responseElements = { 'x-amz-request-id': 'C3D13FE58DE4C810' };
  expect(await keysOf('s3', event)).toEqual(['uploads|a|ObjectTagging:Put||C3D13FE58DE4C810']);
});

it('a message without an id has no key', async () => {
  const event = JSON.parse(JSON.stringify(build.buildMqEvent('orders', [{}], { broker: 'rabbitmq' })));
  event.rmqMessagesByQueue['orders::/'][0].basicProperties.messageId = null;
  expect(await keysOf('mq', event)).toEqual([undefined]);
});
