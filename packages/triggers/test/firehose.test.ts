import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { drop, type FirehoseHandler, type FirehoseRecord, firehoseTransform } from '@sallyport/triggers';
import { buildFirehoseEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const text = ({ data }: FirehoseRecord) => Buffer.from(data).toString();

describe.each(HOSTS)('a transformation in %s', (_name, host) => {
  it('answers each record once and in order, with the result of the handler', async () => {
    const { handleLambda } = host(() =>
      firehoseTransform((_ctx, record) => {
        if (text(record) === 'drop') return drop();
        if (text(record) === 'fail') throw new Error('no');
        if (text(record) === 'keys') return { data: record.data, partitionKeys: { day: '1' } };
        return Buffer.from(text(record).toUpperCase());
      }),
    );
    const event = buildFirehoseEvent('s', [{ data: 'a' }, { data: 'drop' }, { data: 'fail' }, { data: 'keys' }]);
    await expect(handleLambda(event)).resolves.toEqual({
      records: [
        { recordId: 'record-1', result: 'Ok', data: base64('A') },
        { recordId: 'record-2', result: 'Dropped' },
        { recordId: 'record-3', result: 'ProcessingFailed', data: base64('fail') },
        { recordId: 'record-4', result: 'Ok', data: base64('keys'), metadata: { partitionKeys: { day: '1' } } },
      ],
    });
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a text', 'x'],
    ['a copy of drop()', { ...drop() }],
    ['data that is a text', { data: 'x', partitionKeys: {} }],
    ['a key that is a number', { data: new Uint8Array(1), partitionKeys: { day: 1 } }],
  ])('%s is an error, not Dropped', async (_what, result) => {
    const { handleLambda } = host(() => firehoseTransform((() => result) as unknown as FirehoseHandler));
    await expect(handleLambda(buildFirehoseEvent('s', [{ data: 'a' }]))).resolves.toEqual({
      records: [{ recordId: 'record-1', result: 'ProcessingFailed', data: base64('a') }],
    });
  });

  it('a record that is not base64 fails alone', async () => {
    const event = buildFirehoseEvent('s', [{ data: 'a' }, { data: 'b' }]);
    Object.assign(event.records[0] as object, { data: '%%' });
    const { handleLambda } = host(() => firehoseTransform((_ctx, { data }) => data));
    await expect(handleLambda(event)).resolves.toEqual({
      records: [
        { recordId: 'record-1', result: 'ProcessingFailed', data: '%%' },
        { recordId: 'record-2', result: 'Ok', data: base64('b') },
      ],
    });
  });

  it.each<[string, readonly unknown[]]>([
    [
      'a repeated recordId',
      [
        { recordId: 'r', data: '' },
        { recordId: 'r', data: '' },
      ],
    ],
    ['no recordId', [{ data: '' }]],
    ['10,001 records', Array.from({ length: 10_001 }, (_, n) => ({ recordId: `r${n}`, data: '' }))],
  ])('an event with %s runs nothing', async (_what, records) => {
    let calls = 0;
    const { handleLambda } = host(() =>
      firehoseTransform((_ctx, { data }) => {
        calls += 1;
        return data;
      }),
    );
    const event = { deliveryStreamArn: 'a', invocationId: 'i', records };
    await expect(handleLambda(event)).rejects.toMatchObject({ code: 'triggers.invalid_event' });
    expect(calls).toBe(0);
  });
});

it('an answer past 6 MB: records that do not fit fail with their input and one warning', async () => {
  const env = createTestEnv();
  const big = Buffer.alloc(1_700_000, 'x');
  const app = createApp({ ...env.options(), surfaces: [firehoseTransform(() => big)] });
  const event = buildFirehoseEvent('s', [{ data: 'a' }, { data: 'b' }, { data: 'c' }, { data: 'd' }]);

  const answer = (await app.handleLambda(event)) as { records: { result: string; data: string }[] };

  expect(answer.records.map(({ result }) => result)).toEqual(['Ok', 'Ok', 'ProcessingFailed', 'ProcessingFailed']);
  expect(answer.records[2]?.data).toBe(base64('c'));
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(6_291_556);
  const warnings = env.records.logs.filter(({ level }) => level === 'warn');
  expect(warnings).toMatchObject([{ event: 'triggers.answer_too_large', records: 4, failed: 2 }]);
});

it('an answer of exactly the limit fits, one byte more does not', async () => {
  // {"records":[{"recordId":"record-1","result":"Ok","data":""}]} is 61 bytes, and the separator of one record is counted too.
  const fits = Math.floor((6_291_556 - 62) / 4) * 3;
  for (const [length, result] of [
    [fits, 'Ok'],
    [fits + 1, 'ProcessingFailed'],
  ] as const) {
    const { handleLambda } = firehoseTransform(() => new Uint8Array(length));
    await expect(handleLambda(buildFirehoseEvent('s', [{}]))).resolves.toMatchObject({ records: [{ result }] });
  }
});

it('records that do not start before the deadline fail with their input', async () => {
  const env = createTestEnv();
  const app = createApp({
    ...env.options(),
    surfaces: [
      firehoseTransform((_ctx, { recordId, data }) => (recordId === 'record-1' ? new Promise(() => {}) : data)),
    ],
  });
  const answer = app.handleLambda(buildFirehoseEvent('s', [{}, {}]), env.lambdaContext({ remainingMs: 3_000 }));
  await env.clock.advance(3_000);
  await expect(answer).resolves.toEqual({
    records: [
      { recordId: 'record-1', result: 'ProcessingFailed', data: base64('data-1') },
      { recordId: 'record-2', result: 'ProcessingFailed', data: base64('data-2') },
    ],
  });
});

it('a record is read, and the inventory has one line', async () => {
  const seen: unknown[] = [];
  const surface = firehoseTransform((ctx, record) => {
    seen.push(record, ctx.recordId, ctx.source.name);
    return record.data;
  });
  await surface.handleLambda({
    ...buildFirehoseEvent('clicks', [{}]),
    records: [
      { recordId: 'r', approximateArrivalTimestamp: 5, data: '', kinesisRecordMetadata: { partitionKey: 'p' } },
    ],
  });
  expect(seen).toEqual([
    { recordId: 'r', data: new Uint8Array(), arrivedAt: 5, kinesis: { partitionKey: 'p' } },
    'r',
    'clicks',
  ]);
  expect(surface.triggers()).toEqual([{ kind: 'firehose' }]);
});

it('a handler that is not a function is rejected', () => {
  expect(() => firehoseTransform(5 as never)).toThrow(expect.failure('app.invalid_configuration', 'handler'));
});

it('a record that does not fit does not fail the records after it', async () => {
  const sizes = [10, 4_000_000, 10, 1_000_000, 10];
  const surface = firehoseTransform((ctx) => new Uint8Array(sizes[ctx.batch.index] ?? 0));
  const answer = (await surface.handleLambda(
    buildFirehoseEvent(
      's',
      sizes.map(() => ({})),
    ),
  )) as {
    records: { result: string }[];
  };
  expect(answer.records.map(({ result }) => result)).toEqual(['Ok', 'Ok', 'Ok', 'ProcessingFailed', 'Ok']);
});
