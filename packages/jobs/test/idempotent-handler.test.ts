import { createDispatcher } from '@sallyport/dispatch';
import { idempotentHandler } from '@sallyport/jobs';
import { createFakeJobLedger, type FakeJobLedger } from '@sallyport/jobs/testing';
import { createEventRouter, scheduledSummary } from '@sallyport/streams';
import {
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
} from '@sallyport/testkit';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const START_MS = 1_700_000_000_000;
const clock = { ms: START_MS, now: () => new Date(clock.ms) };
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';
let ledger: FakeJobLedger;
let log: LogRecorder;
let seen: unknown[];

beforeEach(() => {
  clock.ms = START_MS;
  log = createLogRecorder();
  ledger = createFakeJobLedger({ clock, log });
  seen = [];
});

const begun = () =>
  ledger.calls
    .filter(({ operation }) => operation === 'beginIdempotency')
    .map(({ arguments: [input] }) => input as { scope: string; key: string; inProgressMs: number });

function createRouter(handle: (event: unknown) => unknown = () => ({ ok: true }), options = {}) {
  const events = createEventRouter({ clock, log, streamFailureIdentifier: 'eventID' });
  const handler = async (_: object, event: unknown) => {
    seen.push(event);
    return handle(event);
  };
  events.queue('orders', idempotentHandler(ledger, options, handler));
  events.topic('news', idempotentHandler(ledger, options, handler));
  events.kinesis('clicks', idempotentHandler(ledger, options, handler));
  events.tableStream('notes', idempotentHandler(ledger, options, handler));
  events.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, idempotentHandler(ledger, options, handler));
  events.eventBus({ detailType: 'Scheduled Event' }, idempotentHandler(ledger, options, handler));
  return createDispatcher(events);
}

const EVENTS: readonly (readonly [string, unknown, string, unknown])[] = [
  ['queue', buildQueueEvent(QUEUE, [{ body: '{}', messageId: 'm-1' }]), 'queue:orders', 'm-1'],
  [
    'topic',
    buildTopicEvent('arn:aws:sns:us-east-1:123456789012:news', [{ message: 'hi', messageId: 'n-1' }] as never),
    'topic:news',
    'n-1',
  ],
  [
    'event bus',
    buildEventBusEvent({ source: 'billing', detailType: 'InvoicePaid', id: 'e-1', detail: {} }),
    'event-bus:billing:InvoicePaid',
    'e-1',
  ],
];

describe('an event that is delivered twice', () => {
  it.each(EVENTS)('is handled once: %s', async (_, event, scope, key) => {
    const { handleLambda } = createRouter();
    const first = await handleLambda(event);
    expect(await handleLambda(event)).toEqual(first);
    expect(seen.length).toBe(1);
    expect(begun()[0]).toMatchObject({ scope, key, inProgressMs: 50_000 });
  });

  it.each([
    ['queue', 0, { scope: 'queue:orders', key: 'm-1' }, undefined],
    ['topic', 1, { scope: 'topic:news', key: 'n-1' }, { ok: true }],
    ['event bus', 2, { scope: 'event-bus:billing:InvoicePaid', key: 'e-1' }, { ok: true }],
  ])('has its result stored where a caller gets one: %s', async (_, place, key, result) => {
    await createRouter().handleLambda(EVENTS[place]?.[1]);
    expect(await ledger.getIdempotencyRecord(key)).toMatchObject({ status: 'COMPLETED', resultOmitted: false });
    expect((await ledger.getIdempotencyRecord(key))?.result).toEqual(result);
  });

  it('is reported to a hook, and errors of the hook are ignored', async () => {
    const told: string[] = [];
    const onReplay = (ctx: { triggerKind: string }, _: unknown, { key }: { key: string }) => {
      told.push(`${ctx.triggerKind} ${key}`);
      throw new Error('hook');
    };
    const { handleLambda } = createRouter(undefined, { onReplay });
    const event = EVENTS[0]?.[1];
    await handleLambda(event);
    expect(told).toEqual([]);
    expect(await handleLambda(event)).toEqual({ batchItemFailures: [] });
    expect(told).toEqual(['queue m-1']);
  });

  it('is handled once: streams by their event id', async () => {
    const { handleLambda } = createRouter();
    const stream = buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ data: 'x' }] as never);
    const table = buildTableStreamEvent('arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2024-01-01', [
      { eventName: 'INSERT', keys: { id: '1' } },
    ] as never);
    for (const event of [stream, stream, table, table]) {
      expect(await handleLambda(event)).toEqual({ batchItemFailures: [] });
    }
    expect(seen.length).toBe(2);
    const idOf = (event: unknown) => (event as { Records: { eventID: string }[] }).Records[0]?.eventID;
    expect(begun().map(({ scope, key }) => [scope, key])).toEqual([
      ['stream:clicks', idOf(stream)],
      ['stream:clicks', idOf(stream)],
      ['table-stream:notes', idOf(table)],
      ['table-stream:notes', idOf(table)],
    ]);
  });

  it('is handled once: a scheduled run by the key of its summary', async () => {
    const events = createEventRouter({ clock, log });
    let summary = '';
    events.eventBus(
      { detailType: 'Scheduled Event' },
      idempotentHandler(ledger, {}, async (ctx, event) => {
        summary = scheduledSummary(event, ctx).idempotency_key;
        return { processed: 3 };
      }),
    );
    const { handleLambda } = createDispatcher(events);
    const event = {
      ...buildScheduledEvent({}),
      resources: ['arn:aws:events:us-east-1:123456789012:rule/nightly'],
    };
    expect(await handleLambda(event)).toEqual({ processed: 3 });
    expect(await handleLambda(event)).toEqual({ processed: 3 });
    expect(begun()[0]).toMatchObject({ scope: 'schedule:nightly', key: summary });
    expect(summary).not.toBe('');
  });
});

describe('the key of a scheduled run', () => {
  const SCHEDULE = 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/nightly';
  const event = (parts: object) => ({ 'detail-type': 'Scheduled Event', resources: [SCHEDULE], ...parts });

  it('makes two events with one key in their JSON text one run', async () => {
    const { handleLambda } = createRouter();
    for (const id of ['e-1', 'e-2']) await handleLambda(event({ id, detail: '{"idempotency_key":"k1"}' }));
    expect(seen.length).toBe(1);
    expect(begun().map(({ scope, key }) => [scope, key])).toEqual([
      ['schedule:nightly', 'k1'],
      ['schedule:nightly', 'k1'],
    ]);
  });

  it.each([
    ['an object', { id: 'e-1', detail: { idempotency_key: ' k1 ' } }, 'k1'],
    ['JSON text', { id: 'e-1', detail: ' {"idempotency_key":"k1"} ' }, 'k1'],
    ['an empty object as text', { id: ' e-1 ', detail: '{}' }, 'event-bus:e-1'],
    ['text that is not JSON', { id: 'e-1', detail: '{"idempotency_key":' }, 'event-bus:e-1'],
    ['JSON text of a text', { id: 'e-1', detail: '"{\\"idempotency_key\\":\\"k1\\"}"' }, 'event-bus:e-1'],
    ['a list', { id: 'e-1', detail: [{ idempotency_key: 'k1' }] }, 'event-bus:e-1'],
    ['null as text', { id: 'e-1', detail: 'null' }, 'event-bus:e-1'],
    ['a blank key', { id: 'e-1', detail: '{"idempotency_key":" "}' }, 'event-bus:e-1'],
    ['a number', { id: 'e-1', detail: '{"idempotency_key":7}' }, 'event-bus:e-1'],
    ['neither detail nor id', {}, 'lambda:r-1'],
    ['a blank id', { id: ' ', detail: '{}' }, 'lambda:r-1'],
  ])('is the id of the summary, even from %s', async (_case, parts, expected) => {
    const { handleLambda } = createDispatcher(
      createEventRouter({ clock, log }).eventBus(
        { detailType: 'Scheduled Event' },
        idempotentHandler(ledger, {}, async (ctx, given) => scheduledSummary(given, ctx).idempotency_key),
      ),
    );
    expect(await handleLambda(event(parts), { awsRequestId: ' r-1 ' })).toBe(expected);
    expect(begun()[0]?.key).toBe(expected);
  });
});

describe('an event that is in progress elsewhere', () => {
  it('is reported, so that the queue delivers it again, and is never swallowed', async () => {
    await ledger.beginIdempotency({ scope: 'queue:orders', key: 'm-1', inProgressMs: 5000 });
    const { handleLambda } = createRouter();
    expect(await handleLambda(EVENTS[0]?.[1])).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
    clock.ms += 5000;
    expect(await handleLambda(EVENTS[0]?.[1])).toEqual({ batchItemFailures: [] });
    expect(seen.length).toBe(1);
  });

  it('throws on topics and buses, so that the service tries again', async () => {
    await ledger.beginIdempotency({ scope: 'topic:news', key: 'n-1', inProgressMs: 5000 });
    await ledger.beginIdempotency({ scope: 'event-bus:billing:InvoicePaid', key: 'e-1', inProgressMs: 5000 });
    const { handleLambda } = createRouter();
    for (const [, event] of EVENTS.slice(1)) {
      await expect(handleLambda(event)).rejects.toMatchObject({ reason: 'in_progress' });
    }
    expect(seen).toEqual([]);
  });
});

it('a handler that throws releases the key', async () => {
  let failures = 1;
  const { handleLambda } = createRouter(() => {
    if (failures-- > 0) throw new Error('busy');
    return undefined;
  });
  expect(await handleLambda(EVENTS[0]?.[1])).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(await handleLambda(EVENTS[0]?.[1])).toEqual({ batchItemFailures: [] });
});

it('a result that is not JSON is left out; the event counts as handled', async () => {
  const { handleLambda } = createRouter(() => 10n);
  await handleLambda(EVENTS[1]?.[1]);
  await handleLambda(EVENTS[1]?.[1]);
  expect(seen.length).toBe(1);
});

it('a custom key finds events that producers sent twice, and a custom fingerprint finds different events with one key', async () => {
  const options = {
    key: (_: unknown, message: { body: string }) => JSON.parse(message.body).order as string,
    fingerprint: (_: unknown, message: { body: string }) => message.body,
  };
  const { handleLambda } = createRouter(undefined, options);
  const send = (messageId: string, body: object) =>
    handleLambda(buildQueueEvent(QUEUE, [{ messageId, body: JSON.stringify(body) }]));
  await send('m-1', { order: 'o-1' });
  await send('m-2', { order: 'o-1' });
  expect(seen.length).toBe(1);
  expect(await send('m-3', { order: 'o-1', changed: true })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm-3' }],
  });
});

it('an owner that does not finish blocks for the remaining time of the invocation plus one second', async () => {
  const { handleLambda } = createRouter();
  await handleLambda(EVENTS[0]?.[1], { getRemainingTimeInMillis: () => 12_345.5 });
  expect(begun()[0]?.inProgressMs).toBe(13_346);
});

it('a durable execution gets its own event back, and needs its time limit', async () => {
  const lambda = { getRemainingTimeInMillis: () => 5000, executionContext: { durableExecutionArn: 'arn:exec-1' } };
  const without = createRouter();
  expect(await without.handleLambda(EVENTS[0]?.[1], lambda)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm-1' }],
  });
  const start = { scope: 'queue:orders', key: 'm-1', inProgressMs: 3_600_000, executionId: 'arn:exec-1' };
  await ledger.beginIdempotency(start);
  const { handleLambda } = createRouter(undefined, { inProgressMs: 3_600_000 });
  expect(await handleLambda(EVENTS[0]?.[1], lambda)).toEqual({ batchItemFailures: [] });
  expect(seen.length).toBe(1);
});

it.each([{ ttl: 1 }, { key: 'id' }, { fingerprint: 'x' }])('rejects the options %j', (options) => {
  expect(() => idempotentHandler(ledger, options as never, async () => 1)).toThrow(
    expect.failure('app.invalid_configuration'),
  );
});
