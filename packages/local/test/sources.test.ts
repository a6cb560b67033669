import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTestEnv, queue, simulate, type TestEnv } from '@sallyport/testkit';
import type { StateChange } from '../src/internal/journal/journal.js';
import { streams } from '../src/internal/services/kinesis/service.js';
import { LocalSources } from '../src/internal/sources/local-sources.js';
import { readSourceSettings } from '../src/internal/sources/settings.js';
import type { SourceKind } from '../src/internal/sources/source-types.js';
import type { SourceView } from '../src/internal/sources/sources.js';
import { createTestHost, type TestFunction, type TestHost, trigger } from './support/host.js';

interface Batch {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly dynamodb: { readonly SequenceNumber: string };
    readonly Sns: { readonly Message: string };
  }[];
}

const running: { readonly sources: LocalSources; readonly host: TestHost }[] = [];

afterEach(async () => {
  for (const { sources, host } of running.splice(0)) {
    await sources.stop();
    host.remove();
  }
});

async function startSources(run: TestFunction, options: Parameters<typeof createTestHost>[1] = {}) {
  const host = createTestHost(run, options);
  const sources = new LocalSources(host);
  running.push({ sources, host });
  await sources.start();
  const view = (kind: SourceKind, name: string) =>
    sources.list().find((each) => each.kind === kind && each.name === name) as SourceView;
  const advance = async (ms: number) => {
    await host.clock.advance(ms);
    await host.settleTurns();
  };
  return { host, sources, view, advance };
}

const bodiesOf = ({ host }: { host: TestHost }) =>
  host.invocations.map(({ event }) => (event as Batch).Records.map(({ body }) => body));
const reported = (event: Batch, failed: (body: string) => boolean) => ({
  batchItemFailures: event.Records.filter(({ body }) => failed(body)).map(({ messageId }) => ({
    itemIdentifier: messageId,
  })),
});

describe('a response that reports failed records', () => {
  const ORDERS = [trigger('queue', 'orders'), trigger('stream', 'clicks')];
  const fails = (event: Batch) => ({
    batchItemFailures: event.Records.map((record) => ({ itemIdentifier: record.messageId ?? 'x' })),
  });

  it('is relied upon aloud, once for each source, if no setting states it', async () => {
    const { host, sources } = await startSources(fails, { triggers: ORDERS });
    for (let time = 0; time < 2; time += 1) {
      sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'bad' }] });
      sources.send({ kind: 'stream', name: 'clicks', records: [{ json: {} }] });
      await host.settleTurns();
    }
    expect(host.notices).toEqual([
      expect.stringMatching(/^queue orders: .*ReportBatchItemFailures/),
      expect.stringMatching(/^stream clicks: .*ReportBatchItemFailures/),
    ]);
  });

  it('is not relied upon aloud in a CDK project, whose stack states it', async () => {
    const { host, sources } = await startSources(fails, { triggers: ORDERS });
    writeFileSync(join(host.config.folder, 'cdk.json'), '{}');
    sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'bad' }] });
    await host.settleTurns();
    expect(host.notices).toEqual([]);
  });

  it.each([[true], [false]])('reportBatchItemFailures: %s is a statement', async (reportBatchItemFailures) => {
    const settings = { queues: { orders: { reportBatchItemFailures } } };
    const { host, sources, view } = await startSources(fails, { triggers: ORDERS, config: { sources: settings } });
    sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'bad' }] });
    await host.settleTurns();
    expect(host.notices).toEqual([]);
    expect(view('queue', 'orders').done).toBe(reportBatchItemFailures ? 0 : 1);
  });
});

describe('a queue', () => {
  const ORDERS = { triggers: [trigger('queue', 'orders')] };

  it('delivers again after 30 s, three times, and then moves to its dead-letter queue, from where it can be sent back', async () => {
    let isBroken = true;
    const run = await startSources((event: Batch) => reported(event, (body) => isBroken && body === 'bad'), ORDERS);
    const [bad = ''] = run.sources.send({
      kind: 'queue',
      name: 'orders',
      records: [{ body: 'bad' }, { body: 'good' }],
    });
    await run.host.settleTurns();
    expect(run.view('queue', 'orders')).toMatchObject({
      hasHandler: true,
      maxDeliveries: 3,
      done: 1,
      records: [
        { id: bad, state: 'delayed', deliveries: 1, until: Date.parse('2026-11-22T10:00:30Z'), preview: 'bad' },
      ],
    });
    await run.advance(30_000);
    await run.advance(30_000);
    expect(run.host.invocations).toHaveLength(4);
    await run.advance(30_000);
    expect(run.view('queue', 'orders')).toMatchObject({
      records: [],
      deadLetterName: 'orders-dlq',
      deadLetters: [{ id: bad }],
    });
    expect(run.host.changes.map(({ state }) => state)).toContain('dead-letter');
    isBroken = false;
    run.sources.act('queue', 'orders', 'send-back', bad);
    await run.host.settleTurns();
    expect(run.view('queue', 'orders')).toMatchObject({ records: [], deadLetters: [], done: 2 });
    expect(run.host.invocations).toHaveLength(5);
  });

  it('skips a wait with now, and waits shorter with speed', async () => {
    const run = await startSources((event: Batch) => reported(event, () => true), ORDERS);
    const [id = ''] = run.sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'a' }] });
    await run.host.settleTurns();
    run.sources.act('queue', 'orders', 'now', id);
    await run.host.settleTurns();
    expect(run.host.invocations).toHaveLength(2);
    run.sources.setSpeed(10);
    expect(run.view('queue', 'orders').records[0]?.until).toBe(Date.parse('2026-11-22T10:00:03Z'));
    await run.advance(2_999);
    expect(run.view('queue', 'orders').records).toHaveLength(1);
    await run.advance(1);
    expect(run.host.invocations).toHaveLength(3);
    await run.advance(3_000);
    expect(run.view('queue', 'orders')).toMatchObject({ records: [], deadLetters: [{ id }] });
  });

  it('that is FIFO keeps one group in flight while others continue', async () => {
    const gates = new Map<string, () => void>();
    const run = await startSources(
      (event: Batch) => new Promise((resolve) => gates.set(event.Records[0]?.body ?? '', () => resolve({}))),
      {
        triggers: [trigger('queue', 'orders.fifo')],
        config: { sources: { ...NO_SOURCES, queues: { 'orders.fifo': { batchSize: 1 } } } },
      },
    );
    const send = (body: string, groupId: string) =>
      run.sources.send({ kind: 'queue', name: 'orders.fifo', records: [{ body, groupId }] });
    for (const [body, group] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
    ] as const)
      send(body, group);
    await run.host.settleTurns();
    expect([...gates.keys()]).toEqual(['a1', 'b1']);
    gates.get('b1')?.();
    await run.host.settleTurns();
    expect([...gates.keys()]).toEqual(['a1', 'b1']);
    gates.get('a1')?.();
    await run.host.settleTurns();
    expect([...gates.keys()]).toEqual(['a1', 'b1', 'a2']);
  });

  it('that is FIFO accepts a deduplication id once in five minutes', async () => {
    const run = await startSources(() => ({}), { triggers: [trigger('queue', 'q.fifo')] });
    const record = { body: 'a', groupId: 'g', attributes: { MessageDeduplicationId: 'd' } };
    const send = () => run.sources.send({ kind: 'queue', name: 'q.fifo', records: [record] })[0];
    const first = send();
    expect(send()).toBe(first);
    await run.advance(300_000);
    expect(send()).not.toBe(first);
  });

  it('keeps deliveries in flight during a reload, and passes the others to the new code', async () => {
    let finish = (_answer: unknown) => {};
    const run = await startSources(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      ORDERS,
    );
    run.sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'a' }] });
    run.host.reload([trigger('queue', 'orders'), trigger('queue', 'more')]);
    await run.host.settleTurns();
    expect(run.view('queue', 'orders').records).toMatchObject([{ state: 'in-flight', deliveries: 1 }]);
    finish({});
    await run.host.settleTurns();
    expect(run.view('queue', 'orders')).toMatchObject({ records: [], done: 1 });
    expect(run.view('queue', 'more').hasHandler).toBe(true);
  });

  it('without a handler keeps its messages until a handler is registered', async () => {
    const run = await startSources(() => ({}));
    run.sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'a' }] });
    expect(run.view('queue', 'orders')).toMatchObject({ hasHandler: false, records: [{ state: 'waiting' }] });
    run.host.reload([trigger('queue', 'orders')]);
    await run.host.settleTurns();
    expect(bodiesOf(run)).toEqual([['a']]);
  });

  it('continues with the trace of its sender', async () => {
    const run = await startSources(() => ({}), ORDERS);
    run.sources.send({ kind: 'queue', name: 'orders', records: [{ body: 'a' }], traceId: 'Root=1-a' });
    await run.host.settleTurns();
    expect(run.host.invocations[0]?.options).toMatchObject({
      traceId: 'Root=1-a',
      origin: { kind: 'queue', target: 'orders' },
      whenBusy: 'wait',
      asynchronous: false,
    });
  });
});

const NO_SOURCES = { queues: {}, streams: {}, tableStreams: {}, topics: {}, buses: {}, schedules: {} };

describe('a stream', () => {
  it('of a table reports sequence numbers with leading zeros unchanged', async () => {
    const failing = '000000000000000000010';
    const run = await startSources(
      (event: Batch) => ({
        batchItemFailures: event.Records.some(({ dynamodb }) => dynamodb.SequenceNumber === failing)
          ? [{ itemIdentifier: failing }]
          : [],
      }),
      {
        triggers: [trigger('table-stream', 'notes')],
        state: { get: () => ({ endpoint: () => Promise.reject(new Error('off')) }) } as never,
      },
    );
    const change = (n: number) => ({
      dynamodb: { Keys: { id: { N: '1' } }, SequenceNumber: String(n).padStart(21, '0') },
    });
    run.sources.send({ kind: 'table-stream', name: 'notes', records: [change(9), change(10), change(11)] });
    await run.host.settleTurns();
    expect(run.view('table-stream', 'notes')).toMatchObject({
      done: 1,
      records: [{ deliveries: 1 }, { deliveries: 1 }],
    });
    for (let retry = 0; retry < 3; retry += 1) await run.advance(1000);
    const numbers = run.host.invocations.map(({ event }) =>
      (event as Batch).Records.map(({ dynamodb }) => dynamodb.SequenceNumber),
    );
    expect(numbers[1]).toEqual(['000000000000000000010', '000000000000000000011']);
  });

  it('keeps what was retried three times, and sends it back', async () => {
    let isBroken = true;
    const run = await startSources(
      () => {
        if (isBroken) throw new Error('broken');
      },
      { triggers: [trigger('stream', 'clicks')] },
    );
    const [id = ''] = run.sources.send({
      kind: 'stream',
      name: 'clicks',
      records: [{ json: { n: 1 }, partitionKey: 'a' }],
    });
    await run.host.settleTurns();
    for (let retry = 0; retry < 3; retry += 1) await run.advance(1000);
    expect(run.view('stream', 'clicks')).toMatchObject({
      maxDeliveries: 4,
      records: [],
      deadLetterName: 'clicks-failed',
      deadLetters: [{ id, deliveries: 4, preview: '{"n":1}' }],
    });
    isBroken = false;
    run.sources.act('stream', 'clicks', 'send-back', id);
    await run.host.settleTurns();
    expect(run.view('stream', 'clicks')).toMatchObject({ deadLetters: [], done: 1 });
  });
});

describe('asynchronous events', () => {
  it('of a topic are retried after 60 and 120 s, and then kept', async () => {
    const run = await startSources(
      () => {
        throw new Error('broken');
      },
      { triggers: [trigger('topic', 'news')] },
    );
    const [id = ''] = run.sources.send({
      kind: 'topic',
      name: 'news',
      records: [{ message: { n: 1 } }],
      traceId: 'Root=1-b',
    });
    await run.host.settleTurns();
    await run.advance(59_999);
    expect(run.host.invocations).toHaveLength(1);
    await run.advance(1);
    await run.advance(120_000);
    expect(run.host.invocations).toHaveLength(3);
    expect(run.host.invocations[2]?.options).toMatchObject({ traceId: 'Root=1-b', asynchronous: true });
    expect(run.view('topic', 'news')).toMatchObject({
      records: [],
      deadLetterName: 'news-failed',
      deadLetters: [{ id, deliveries: 3 }],
    });
    run.sources.act('topic', 'news', 'delete', id);
    expect(run.view('topic', 'news').deadLetters).toEqual([]);
  });

  it('of a bus that no selector accepts are listed and reported, and nothing runs', async () => {
    const run = await startSources(() => null, { triggers: [trigger('event-bus', '', { source: 'billing' })] });
    const send = (source: string) =>
      run.sources.send({ kind: 'event-bus', name: 'default', records: [{ source, detailType: 'InvoicePaid' }] })[0];
    const lost = send('shipping');
    send('billing');
    await run.host.settleTurns();
    expect(run.host.invocations).toHaveLength(1);
    expect(run.view('event-bus', 'default')).toMatchObject({
      done: 1,
      deadLetters: [{ id: lost, state: 'no selector' }],
    });
    expect(run.host.notices).toEqual(['no selector matches the event shipping, InvoicePaid of the bus default']);
    run.host.reload([trigger('event-bus', '', { source: 'shipping' })]);
    run.sources.act('event-bus', 'default', 'send-back', lost);
    await run.host.settleTurns();
    expect(run.host.invocations).toHaveLength(2);
    expect(run.view('event-bus', 'default').deadLetters).toEqual([]);
  });

  it('of a schedule are sent by its rate, and on request', async () => {
    const schedules = { nightly: { expression: 'rate(5 minutes)', input: { full: true } } };
    const run = await startSources(() => null, {
      triggers: [
        trigger('event-bus', '', { scheduleName: 'nightly' }),
        trigger('event-bus', '', { ruleName: 'hourly' }),
      ],
      config: { sources: { ...NO_SOURCES, schedules } },
    });
    run.sources.act('schedule', 'hourly', 'fire');
    await run.advance(300_000);
    await run.advance(300_000);
    const events = run.host.invocations.map(({ event }) => event as { resources: string[]; detail: unknown });
    expect(events.map(({ resources }) => resources[0])).toEqual([
      'arn:aws:events:us-east-1:123456789012:rule/hourly',
      'arn:aws:scheduler:us-east-1:123456789012:schedule/default/nightly',
      'arn:aws:scheduler:us-east-1:123456789012:schedule/default/nightly',
    ]);
    expect(events[1]?.detail).toEqual({ full: true });
  });
});

describe('a schedule', () => {
  // The clock of these tests begins on Sunday, 22 November 2026, 10:00.
  const startCron = (expression: string, speed = 1) =>
    startSources(() => null, {
      triggers: [trigger('event-bus', '', { ruleName: 'nightly' })],
      config: { speed, sources: { ...NO_SOURCES, schedules: { nightly: { expression } } } },
    });

  it.each([
    ['cron(0 12 * * ? *)', 1, [7_199_999, 1, 86_399_999, 1], [0, 1, 1, 2]],
    ['cron(0 12 * * ? *)', 1000, [7_199, 1, 86_399, 1], [0, 1, 1, 2]],
    ['rate(40 days)', 1, [40 * 86_400_000 - 1, 1], [0, 1]],
    ['at(2026-11-22T10:00:01)', 1, [10_000], [0]],
  ])('%s at speed %i fires when it is due', async (expression, speed, waits, fired) => {
    const run = await startCron(expression, speed);
    const counts: number[] = [];
    for (const ms of waits) {
      await run.advance(ms);
      counts.push(run.host.invocations.length);
    }
    expect(counts).toEqual(fired);
  });

  it.each([
    [
      'cron(0 12 * * * *)',
      'schedules.nightly: cron(0 12 * * * *): exactly one of day-of-month and day-of-week must be ?',
    ],
    ['every day', 'schedules.nightly: every day must be rate(5 minutes) or cron(0 3 * * ? *)'],
  ])('%s ends the start with words', async (expression, message) => {
    await expect(startCron(expression)).rejects.toMatchObject({
      code: 'local.usage',
      message: expect.stringContaining(message),
    });
  });
});

describe('numbers', () => {
  it('come from the manifest of the constructs, and sallyport.json counts more', async () => {
    const host = createTestHost(() => ({}));
    const manifest = join(host.config.folder, 'cdk.out/sallyport.json');
    mkdirSync(dirname(manifest));
    const source = { kind: 'queue', name: 'orders', settings: { maxReceiveCount: 5, batchSize: 1 } };
    writeFileSync(manifest, JSON.stringify({ version: 1, functions: [{ entry: 'src/lambda.ts', sources: [source] }] }));
    const queues = { orders: { batchSize: 3 } };
    const config = { ...host.config, manifest, sources: { ...NO_SOURCES, queues } };
    const sources = new LocalSources({ ...host, config });
    running.push({ sources, host });
    await sources.start();
    expect(sources.list()).toMatchObject([
      { name: 'orders', maxDeliveries: 5, settings: { batchSize: 3, invocations: 2 } },
    ]);
  });

  it.each([
    ['{', 'manifest: the contents, got invalid JSON, expected the file that synth writes'],
    ['{"version":1,"functions":[{"sources":[7]}]}', 'manifest: functions[0].sources[0], got 7, expected an object'],
  ])('of the manifest %s are rejected', (text, message) => {
    const host = createTestHost(() => ({}));
    const manifest = join(host.config.folder, 'sallyport.json');
    writeFileSync(manifest, text);
    expect(() => new LocalSources({ ...host, config: { ...host.config, manifest } })).toThrow(
      expect.failure('local.usage', message),
    );
    host.remove();
  });

  it('of an unknown kind, and of a schedule with an unknown expression, are skipped', () => {
    const host = createTestHost(() => ({}));
    const manifest = join(host.config.folder, 'sallyport.json');
    const sources = [
      { kind: 'constructor', name: 'orders', settings: {} },
      { kind: 'schedule', name: 'nightly', settings: {} },
    ];
    writeFileSync(manifest, JSON.stringify({ version: 1, functions: [{ sources }] }));
    expect(readSourceSettings({ ...host.config, manifest }).schedules).toEqual({});
    host.remove();
  });

  it.each<[string, () => SourceKind, string]>([
    ['an unknown source', () => 'queue', 'local.unknown_source'],
    ['an unknown record', () => 'topic', 'local.unknown_record'],
  ])('%s is named', async (_name, kind, code) => {
    const run = await startSources(() => null, { triggers: [trigger('topic', 'orders')] });
    expect(() => run.sources.act(kind(), 'orders', 'send-back', 'm-1')).toThrow(expect.objectContaining({ code }));
  });
});

it('at a speed of 1,000 records meet the same fates as in a simulation', async () => {
  const messages = ['a', 'bad', 'b', 'worse', 'c', 'd'].map((body) => ({ body, messageId: body }));
  const buildApp = (env: TestEnv) =>
    env.app().queue('orders', (_ctx, { body, attributes }) => {
      const isFirst = attributes?.ApproximateReceiveCount === '1';
      if (body === 'worse' || (body === 'bad' && isFirst)) throw new Error('as asked');
    });
  const settings = { batchSize: 2, visibilityTimeoutMs: 30_000, maxReceiveCount: 3, invocations: 1, seed: 7 };
  const { records } = await simulate(buildApp, queue.standard('orders', messages), settings);
  const simulated = Object.entries(records)
    .map(([id, { deliveries, end }]) => [id, deliveries, end])
    .sort();
  const app = buildApp(createTestEnv());
  const run = await startSources((event) => app.handleLambda(event), {
    triggers: [trigger('queue', 'orders')],
    config: { speed: 1000, sources: { ...NO_SOURCES, queues: { orders: settings } } },
  });
  const ends = new Map<string, [number, string]>();
  const append = run.host.journal.append.bind(run.host.journal);
  run.host.journal.append = ((id: number, list: 'changes', entry: StateChange) => {
    if (list === 'changes') ends.set(entry.recordId, [entry.deliveries, entry.state]);
    append(id, list, entry);
  }) as typeof append;
  run.sources.send({ kind: 'queue', name: 'orders', records: messages });
  for (let wait = 0; wait < 4; wait += 1) await run.advance(30);
  expect([...ends].map(([id, [deliveries, end]]) => [id, deliveries, end]).sort()).toEqual(simulated);
  expect(simulated).toContainEqual(['worse', 3, 'dead-letter']);
});

describe('filters of a mapping', () => {
  const PAID = { filters: [{ body: { state: ['paid'] } }] };

  it('delete the messages of a queue that match no filter, even waiting messages', async () => {
    const sources = { ...NO_SOURCES, queues: { orders: PAID } };
    const run = await startSources((event: Batch) => reported(event, () => false), { config: { sources } });
    const records = ['{"state":"open"}', '{"state":"paid"}', 'text'].map((body) => ({ body }));
    const [open, , text] = run.sources.send({ kind: 'queue', name: 'orders', records });
    expect(run.view('queue', 'orders')).toMatchObject({ filtered: { count: 0 }, records: [{}, {}, {}] });
    run.host.reload([trigger('queue', 'orders')]);
    await run.host.settleTurns();
    expect(bodiesOf(run)).toEqual([['{"state":"paid"}']]);
    expect(run.view('queue', 'orders')).toMatchObject({
      records: [],
      deadLetters: [],
      done: 1,
      filtered: {
        count: 2,
        latest: [
          { id: text, state: 'filtered', preview: 'text' },
          { id: open, state: 'filtered', preview: '{"state":"open"}' },
        ],
      },
    });
    expect(run.host.notes).toContainEqual(expect.objectContaining({ topic: 'sources', text: 'queue orders' }));
  });

  it('go past the records of a stream that match none, which other consumers still read', async () => {
    const sources = { ...NO_SOURCES, streams: { clicks: { filters: [{ data: { path: [{ prefix: '/a' }] } }] } } };
    const run = await startSources(() => ({}), { triggers: [trigger('stream', 'clicks')], config: { sources } });
    const records = ['/b', '/a/1', '/c', '/a/2'].map((path) => ({ json: { path }, partitionKey: 'k' }));
    const ids = run.sources.send({ kind: 'stream', name: 'clicks', records });
    await run.host.settleTurns();
    const [{ event } = { event: {} }] = run.host.invocations;
    const delivered = (event as { Records: { eventID: string }[] }).Records.map(({ eventID }) => eventID);
    expect(delivered).toEqual([ids[1], ids[3]]);
    expect(new Set(ids).size).toBe(4);
    expect(run.view('stream', 'clicks')).toMatchObject({ done: 2, filtered: { count: 2 } });
    expect(run.sources.get(streams, 'clicks').log.records).toHaveLength(4);
  });

  it('go past the changes of a table that match none', async () => {
    const sources = { ...NO_SOURCES, tableStreams: { notes: { filters: [{ eventName: ['REMOVE'] }] } } };
    const run = await startSources(() => ({}), {
      triggers: [trigger('table-stream', 'notes')],
      config: { sources },
      state: { get: () => ({ endpoint: () => Promise.reject(new Error('off')) }) } as never,
    });
    const change = (eventName: string, SequenceNumber: string) => ({
      eventName,
      dynamodb: { Keys: { id: { N: '1' } }, SequenceNumber },
    });
    run.sources.send({ kind: 'table-stream', name: 'notes', records: [change('INSERT', '1'), change('REMOVE', '2')] });
    await run.host.settleTurns();
    expect(run.host.invocations.map(({ event }) => (event as Batch).Records.length)).toEqual([1]);
    expect(run.view('table-stream', 'notes')).toMatchObject({ done: 1, filtered: { count: 1 } });
  });

  it('that Lambda rejects end the start with words', async () => {
    const sources = { ...NO_SOURCES, queues: { orders: { filters: [{ messageId: ['1'] }] } } };
    const host = createTestHost(() => ({}), { config: { sources } });
    await expect(new LocalSources(host).start()).rejects.toMatchObject({
      code: 'local.usage',
      message: expect.stringContaining('queues.orders: filters[0] must be { "body"'),
    });
    host.remove();
  });
});

describe('a filter policy and the rules of a bus', () => {
  it('keep messages of a topic from the function', async () => {
    const news = { filterPolicy: { place: ['home'] }, maximumRetryAttempts: 1 };
    const config = { sources: { ...NO_SOURCES, topics: { news } } };
    const run = await startSources(() => null, { triggers: [trigger('topic', 'news')], config });
    const records = ['home', 'abroad'].map((place) => ({ message: place, messageAttributes: { place } }));
    const [, abroad] = run.sources.send({ kind: 'topic', name: 'news', records });
    await run.host.settleTurns();
    const messages = run.host.invocations.map(({ event }) => (event as Batch).Records[0]?.Sns.Message);
    expect(messages).toEqual(['home']);
    expect(run.view('topic', 'news')).toMatchObject({
      done: 1,
      deadLetters: [],
      maxDeliveries: 2,
      filtered: { count: 1, latest: [{ id: abroad, state: 'filtered', preview: expect.stringContaining('aws:sns') }] },
      settings: news,
    });
    expect(run.host.notes).toContainEqual(expect.objectContaining({ topic: 'sources', text: 'topic news' }));
  });

  const LARGE = { detail: { total: [{ numeric: ['>', 100] }] } };
  const billed = (total: number) => ({ source: 'billing', detailType: 'InvoicePaid', detail: { total } });

  it('keep events of a bus from the function', async () => {
    const config = { sources: { ...NO_SOURCES, buses: { default: { rules: [{ pattern: LARGE }] } } } };
    const triggers = [trigger('event-bus', '', { source: 'billing' })];
    const run = await startSources(() => null, { triggers, config });
    const [small] = run.sources.send({ kind: 'event-bus', name: 'default', records: [billed(12), billed(120)] });
    await run.host.settleTurns();
    expect(run.host.invocations).toMatchObject([{ event: { detail: { total: 120 } } }]);
    expect(run.view('event-bus', 'default')).toMatchObject({
      done: 1,
      deadLetters: [],
      filtered: { count: 1, latest: [{ id: small, state: 'filtered' }] },
    });
    expect(run.host.notices).toEqual([]);
  });

  it('apply to a handler with unknown selectors', async () => {
    const config = { sources: { ...NO_SOURCES, buses: { default: { rules: [{ pattern: LARGE }] } } } };
    const run = await startSources(() => null, { config });
    run.host.reload([], false);
    run.sources.send({ kind: 'event-bus', name: 'default', records: [billed(12), billed(120)] });
    await run.host.settleTurns();
    expect(run.host.invocations).toMatchObject([{ event: { detail: { total: 120 } } }]);
  });

  it('are read from the manifest of the constructs, and replaced by filters of sallyport.json', async () => {
    const rows = [
      { kind: 'topic', name: 'news', settings: { onFailure: true, filterPolicy: { place: ['home'] } } },
      { kind: 'event-bus', name: 'default', selector: { source: 'billing' }, pattern: LARGE, settings: {} },
      { kind: 'event-bus', name: 'default', selector: { source: 'x' }, pattern: { source: ['x'] }, settings: {} },
    ];
    const triggers = [trigger('topic', 'news'), trigger('event-bus', '', { source: 'billing' })];
    const host = createTestHost(() => null, { triggers });
    const manifest = join(host.config.folder, 'sallyport.json');
    writeFileSync(manifest, JSON.stringify({ version: 1, functions: [{ sources: rows }] }));
    const topics = { news: { filterPolicy: { place: ['abroad'] } } };
    const sources = new LocalSources({
      ...host,
      config: { ...host.config, manifest, sources: { ...NO_SOURCES, topics } },
    });
    running.push({ sources, host });
    await sources.start();
    sources.send({ kind: 'event-bus', name: 'default', records: [billed(12)] });
    sources.send({ kind: 'topic', name: 'news', records: [{ messageAttributes: { place: 'home' } }] });
    const filtered = sources.list().map(({ kind, filtered: { count } }) => [kind, count]);
    expect(filtered).toEqual([
      ['topic', 1],
      ['event-bus', 1],
    ]);
  });

  it.each<[string, object, string]>([
    [
      'SNS',
      { topics: { news: { filterPolicy: { place: 'home' } } } },
      'topics.news: filterPolicy.place must be an object',
    ],
    [
      'EventBridge',
      { buses: { shop: { rules: [{ pattern: { source: 'billing' } }] } } },
      'buses.shop: rules[0].pattern.source must be an object',
    ],
  ])('that %s rejects end the start with words', async (_name, own, message) => {
    const host = createTestHost(() => null, { config: { sources: { ...NO_SOURCES, ...own } } });
    const error = { code: 'local.usage', message: expect.stringContaining(message) };
    await expect(new LocalSources(host).start()).rejects.toMatchObject(error);
    host.remove();
  });
});
