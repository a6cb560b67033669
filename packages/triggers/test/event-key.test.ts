import { createApp } from '@sallyport/dispatch/app';
import type { EventMiddleware } from '@sallyport/streams';
import * as build from '@sallyport/triggers/testing';
import { contextOf, EVENTS, KEYS, SURFACES } from './kinds.js';

/** The keys that the records of an event have, as a middleware reads them. */
async function keysOf(kind: string, event: unknown): Promise<unknown[]> {
  const keys: unknown[] = [];
  const app = createApp({ log: false, surfaces: [SURFACES[kind]?.(() => undefined) as never] });
  const read: EventMiddleware = (ctx, _event, next) => {
    keys.push(ctx.eventKey);
    return next();
  };
  app.useEvents(read);
  await app.handleLambda(event, contextOf(kind));
  return keys;
}

it('every event has the key of its kind, and the same one when it is delivered again', async () => {
  for (const [index, [kind, event]] of EVENTS.entries()) {
    // Requests of VPC Lattice reach the routes of the container, which have no keys.
    const expected = kind === 'lattice' ? [] : [KEYS[index]];
    expect([kind, await keysOf(kind, event), await keysOf(kind, structuredClone(event))]).toEqual([
      kind,
      expected,
      expected,
    ]);
  }
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
