import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { type KafkaRecord, type KafkaTriggerOptions, kafkaJson, kafkaTrigger } from '@sallyport/triggers';
import { buildKafkaEvent, type KafkaEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const REPORT = { onFailure: 'report' } as const;
const at = (partition: string, offset: number) => ({ itemIdentifier: { partition, offset } });
const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());

/** A batch with these offsets in each partition; the value of a record is `<partition>:<offset>`. */
function batch(offsets: Readonly<Record<number, readonly number[]>>): KafkaEvent {
  return buildKafkaEvent(
    't',
    Object.entries(offsets).flatMap(([partition, list]) =>
      list.map((offset) => ({ partition: Number(partition), offset, value: `${partition}:${offset}` })),
    ),
  );
}

describe.each(HOSTS)('records of Kafka in %s', (name, host) => {
  it('reach the handler of their topic, decoded', async () => {
    const seen: KafkaRecord[] = [];
    const { handleLambda } = host(() => kafkaTrigger(REPORT).topic('orders', (_ctx, record) => void seen.push(record)));
    const event = buildKafkaEvent('orders', [{ key: 'k', value: 'v', headers: { trace: 'a' } }], {
      cluster: 'self-managed',
    });

    await expect(handleLambda(event)).resolves.toEqual({ batchItemFailures: [] });

    expect(seen).toEqual([
      {
        topic: 'orders',
        partition: 0,
        offset: 0,
        timestamp: 0,
        key: Buffer.from('k'),
        value: Buffer.from('v'),
        headers: [{ name: 'trace', value: Uint8Array.from([97]) }],
      },
    ]);
  });

  it.each<
    [string, Readonly<Record<number, readonly number[]>>, readonly string[], readonly object[], readonly string[]]
  >([
    ['nothing', { 0: [0, 1], 1: [0] }, [], [], ['0:0', '0:1', '1:0']],
    [
      'a failure in t-0, while t-1 runs on',
      { 0: [0, 1, 2], 1: [0, 1] },
      ['0:1'],
      [at('t-0', 1)],
      ['0:0', '0:1', '1:0', '1:1'],
    ],
    [
      'a failure in each partition',
      { 0: [4, 5], 1: [7, 8] },
      ['0:4', '1:8'],
      [at('t-0', 4), at('t-1', 8)],
      ['0:4', '1:7', '1:8'],
    ],
    ['offsets 9 and 10 as numbers', { 0: [9, 10] }, ['0:9'], [at('t-0', 9)], ['0:9']],
    ['the lowest offset that is not done, out of order too', { 0: [10, 9] }, ['0:10'], [at('t-0', 9)], ['0:10']],
  ])('are reported by an object with partition and offset: %s', async (_what, offsets, bad, failures, ran) => {
    const seen: string[] = [];
    const { handleLambda } = host(() =>
      kafkaTrigger(REPORT).topic('t', (_ctx, { value }) => {
        seen.push(textOf(value) ?? '');
        if (bad.includes(textOf(value) ?? '')) throw new Error('no');
      }),
    );
    await expect(handleLambda(batch(offsets))).resolves.toEqual({ batchItemFailures: failures });
    expect(seen).toEqual(ran);
  });

  it.each<[string, KafkaTriggerOptions | undefined, string | undefined, 'throws' | 'reports']>([
    ['nothing', undefined, undefined, 'throws'],
    ['the option throw', { onFailure: 'throw' }, undefined, 'throws'],
    ['the option report', { onFailure: 'report' }, undefined, 'reports'],
    ['the variable throw', {}, 'throw', 'throws'],
    ['the variable report', {}, 'report', 'reports'],
    ['the option before the variable', { onFailure: 'throw' }, 'report', 'throws'],
    ['a variable that is empty', {}, '', 'throws'],
  ])('with %s, a failed record is not taken for a success', async (_what, options, variable, expected) => {
    const environment = variable === undefined ? {} : { FRAMEWORK_KAFKA_ON_FAILURE: variable };
    const env = createTestEnv({ environment });
    const seen: string[] = [];
    const make = () =>
      kafkaTrigger(options).topic('t', (_ctx, { value }) => {
        seen.push(textOf(value) ?? '');
        if (textOf(value) === '0:1') throw new FrameworkError('app.conflict', 'taken');
      });
    const { handleLambda } = host(make, env);
    if (name === 'its own handler' && variable !== undefined) {
      // Without a container the surface reads the variables of the process.
      process.env.FRAMEWORK_KAFKA_ON_FAILURE = variable;
    }
    try {
      const answer = handleLambda(batch({ 0: [0, 1, 2], 1: [5] }));
      if (expected === 'reports') {
        await expect(answer).resolves.toEqual({ batchItemFailures: [at('t-0', 1)] });
        expect(seen).toEqual(['0:0', '0:1', '1:5']);
      } else {
        await expect(answer).rejects.toMatchObject({
          code: name === 'the secure container' ? 'streams.handler_failed' : 'app.conflict',
        });
        expect(seen).toEqual(['0:0', '0:1']);
      }
      await expect(handleLambda(batch({ 0: [7] }))).resolves.toEqual({ batchItemFailures: [] });
    } finally {
      delete process.env.FRAMEWORK_KAFKA_ON_FAILURE;
    }
  });

  it('a tombstone has the value null, and is not a failure', async () => {
    const seen: unknown[] = [];
    const { handleLambda } = host(() =>
      kafkaTrigger(REPORT).topic(
        't',
        (_ctx, record) => void seen.push([textOf(record.key), record.value, kafkaJson(record)]),
      ),
    );
    await expect(handleLambda(buildKafkaEvent('t', [{ key: 'k', value: null }]))).resolves.toEqual({
      batchItemFailures: [],
    });
    expect(seen).toEqual([['k', null, null]]);
  });

  it('an event without records answers an empty list', async () => {
    const { handleLambda } = host(() => kafkaTrigger(REPORT).topic('t', () => {}));
    await expect(handleLambda({ eventSource: 'aws:kafka', records: {} })).resolves.toEqual({ batchItemFailures: [] });
  });

  it('a record that is not base64 fails alone, in its turn', async () => {
    const event = batch({ 0: [0, 1, 2], 1: [0] });
    const [, broken] = event.records['t-0'] ?? [];
    Object.assign(broken as object, { value: '%%%' });
    const seen: string[] = [];
    const { handleLambda } = host(() =>
      kafkaTrigger(REPORT).topic('t', (_ctx, { value }) => void seen.push(textOf(value) ?? '')),
    );
    await expect(handleLambda(event)).resolves.toEqual({ batchItemFailures: [at('t-0', 1)] });
    expect(seen).toEqual(['0:0', '1:0']);
  });

  it.each<[string, object, string]>([
    ['a list that is none', { t: 5 }, 'triggers.invalid_event'],
    ['a record that is none', { 't-0': [5] }, 'triggers.invalid_event'],
    ['no topic', { 't-0': [{ partition: 0, offset: 0 }] }, 'triggers.invalid_event'],
    ['an empty topic', { 't-0': [{ topic: '', partition: 0, offset: 0 }] }, 'triggers.invalid_event'],
    ['no partition', { 't-0': [{ topic: 't', offset: 0 }] }, 'triggers.invalid_event'],
    ['a partition as text', { 't-0': [{ topic: 't', partition: '0', offset: 0 }] }, 'triggers.invalid_event'],
    ['a partition below 0', { 't-0': [{ topic: 't', partition: -1, offset: 0 }] }, 'triggers.invalid_event'],
    ['no offset', { 't-0': [{ topic: 't', partition: 0 }] }, 'triggers.invalid_event'],
    ['an offset as text', { 't-0': [{ topic: 't', partition: 0, offset: '5' }] }, 'triggers.invalid_event'],
    ['an offset below 0', { 't-0': [{ topic: 't', partition: 0, offset: -1 }] }, 'triggers.invalid_event'],
    ['half an offset', { 't-0': [{ topic: 't', partition: 0, offset: 0.5 }] }, 'triggers.invalid_event'],
    [
      '10,001 records',
      { 't-0': Array.from({ length: 10_001 }, (_, offset) => ({ topic: 't', partition: 0, offset })) },
      'triggers.invalid_event',
    ],
    ['another topic', { 'x-0': [{ topic: 'x', partition: 0, offset: 0, value: 'c2VjcmV0' }] }, 'triggers.no_handler'],
  ])('an event with %s runs nothing', async (_what, records, code) => {
    let calls = 0;
    const { handleLambda } = host(() =>
      kafkaTrigger(REPORT).topic('t', () => {
        calls += 1;
      }),
    );
    await expect(handleLambda({ eventSource: 'aws:kafka', records })).rejects.toMatchObject({ code });
    expect(calls).toBe(0);
  });
});

it('header bytes above 127 come as numbers or as negative ones', async () => {
  const event = buildKafkaEvent('t', [{}]);
  const [record] = event.records['t-0'] ?? [];
  Object.assign(record as object, { headers: [{ a: [195, 164] }, { a: [-61, -92] }] });
  const seen: [string, string][] = [];
  await kafkaTrigger(REPORT)
    .topic('t', (_ctx, { headers }) => {
      for (const { name, value } of headers) seen.push([name, Buffer.from(value).toString()]);
    })
    .handleLambda(event);
  expect(seen).toEqual([
    ['a', 'ä'],
    ['a', 'ä'],
  ]);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['5', 5],
])('kafkaJson of %s', (text, value) => {
  expect(kafkaJson({ value: Buffer.from(text) })).toEqual(value);
});

it.each([Buffer.from('{secret'), Uint8Array.from([34, 255, 34])])(
  'kafkaJson rejects invalid JSON, and quotes nothing',
  (value) => {
    expect(() => kafkaJson({ value })).toThrow(expect.failure('triggers.invalid_event', 'value'));
  },
);

it('at the deadline the partitions that have not ended are reported from their current offset', async () => {
  const env = createTestEnv();
  const app = createApp({
    ...env.options(),
    surfaces: [
      kafkaTrigger(REPORT).topic('t', (_ctx, { value }) =>
        textOf(value) === '0:1' ? new Promise(() => {}) : undefined,
      ),
    ],
  });
  const answer = app.handleLambda(batch({ 0: [0, 1, 2], 1: [5] }), env.lambdaContext({ remainingMs: 3_000 }));
  await env.clock.advance(3_000);
  await expect(answer).resolves.toEqual({ batchItemFailures: [at('t-0', 1), at('t-1', 5)] });
});

it('names are mapped, and the inventory has them', async () => {
  const env = createTestEnv({ environment: { FRAMEWORK_EVENT_SOURCES: '{"kafka":{"orders":"prod.orders"}}' } });
  const seen: string[] = [];
  const surface = kafkaTrigger(REPORT).topic(
    'orders',
    (ctx) => void seen.push(`${ctx.recordId} ${ctx.source.account}`),
  );
  const app = createApp({ ...env.options(), surfaces: [surface] });
  await app.handleLambda(buildKafkaEvent('prod.orders', [{ partition: 3, offset: 7 }]));
  expect(seen).toEqual(['prod.orders-3-7 123456789012']);
  expect(app.triggers()).toEqual([{ kind: 'kafka', name: 'orders' }]);
  expect(app.explain(buildKafkaEvent('prod.orders', [{}]))).toMatchObject({ kind: 'kafka', error: null });
});

it.each<[string, () => unknown, string]>([
  ['a blank topic', () => kafkaTrigger(REPORT).topic(' ', () => {}), 'topic name is empty'],
  ['no function', () => kafkaTrigger(REPORT).topic('t', 5 as never), 'must be a function'],
  [
    'a topic twice',
    () =>
      kafkaTrigger(REPORT)
        .topic('t', () => {})
        .topic('t', () => {}),
    'duplicate handler for topic "t"',
  ],
])('registration rejects %s', (_what, register, text) => {
  expect(register).toThrow(expect.failure('app.invalid_configuration', text));
});

it('a wrong variable is rejected when the container is made, even if an option overrides it', () => {
  const env = createTestEnv({ environment: { FRAMEWORK_KAFKA_ON_FAILURE: 'retry' } });
  const make = () => createApp({ ...env.options(), surfaces: [kafkaTrigger({ onFailure: 'report' })] });
  expect(make).toThrow(expect.failure('app.invalid_configuration', 'FRAMEWORK_KAFKA_ON_FAILURE', '"retry"'));
});

it.each<[string, object]>([
  ['an unknown option', { on_failure: 'throw' }],
  ['a wrong value', { onFailure: 'stop' }],
])('%s is rejected', (_what, options) => {
  expect(() => kafkaTrigger(options as never)).toThrow(expect.failure('app.invalid_configuration', 'option "'));
});

it('explain shows the answer that the mapping receives', () => {
  const projectionOf = (options: KafkaTriggerOptions) =>
    createApp({ log: false, surfaces: [kafkaTrigger(options).topic('t', () => {})] }).explain(batch({ 0: [0] })).target
      ?.projection;
  expect(projectionOf({})).toBe('an empty report, or an error after a failed record');
  expect(projectionOf({ onFailure: 'report' })).toBe(
    'the lowest failed offset of each partition, for a mapping in provisioned mode with ReportBatchItemFailures',
  );
});

it.each([
  ['report', { batchItemFailures: [at('t-0', 5), at('t-1', 7)] }],
  ['throw', 'no'],
] as const)(
  'with onFailure %s the failed records of a batch are counted, and each is one error line',
  async (onFailure, expected) => {
    const env = createTestEnv({ now: new Date(90_000) });
    const surface = kafkaTrigger({ onFailure }).topic('t', (_ctx, { offset }) => {
      if (offset >= 5) throw new Error('no');
    });
    const app = createApp({ ...env.options(), surfaces: [surface] });
    const { records, ...rest } = batch({ 0: [4, 5], 1: [7] });
    const sent = Object.entries(records).map(([key, list]) => [
      key,
      list.map((one) => ({ ...one, timestamp: 30_000 })),
    ]);
    const event = { ...rest, records: Object.fromEntries(sent) };
    const answer = await app.handleLambda(event).catch((error: Error) => error.message);
    expect(answer).toEqual(expected);
    const failed = onFailure === 'report' ? 2 : 1;
    expect(env.records.logs.filter((log) => 'message' in log && log.level === 'ERROR')).toHaveLength(failed);
    expect(env.records.metrics).toMatchObject([
      {
        name: 'framework.event',
        // In the mode `throw`, the last record is not tried, and is delivered again.
        tags: { trigger: 'kafka', source: 't', outcome: 'error', records: '3', failed: '2' },
        measures: { oldest_record_ms: 60_000 },
      },
    ]);
  },
);
