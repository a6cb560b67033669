import { detect } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { recordJson } from '@sallyport/streams';
import {
  codeCommit,
  dashboardWidget,
  lambdaDestination,
  type TumblingWindow,
  tumblingWindow,
} from '@sallyport/triggers';
import {
  buildCodeCommitEvent,
  buildDestinationEvent,
  buildWidgetEvent,
  buildWindowEvent,
} from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

describe.each(HOSTS)('in %s', (_host, host) => {
  it('a change of a repository has its references and parsed data', async () => {
    const seen: unknown[] = [];
    const app = host(() => codeCommit().repository('shop', (ctx, push) => void seen.push(push, ctx.eventKey)));
    const event = buildCodeCommitEvent('shop', { ref: 'refs/tags/v1', customData: '{"stage":"live"}' });
    const [record] = event.Records;
    const references = [
      { ...record?.codecommit.references[0], created: true },
      { ref: 'a', commit: 'c', deleted: true },
    ];
    await expect(app.handleLambda({ Records: [{ ...record, codecommit: { references } }] })).resolves.toBeNull();
    expect(seen).toEqual([
      {
        repository: 'shop',
        references: [
          { ref: 'refs/tags/v1', commit: '5c4ef1049f1d27deadbeeff313e0730018be182b', change: 'created' },
          { ref: 'a', commit: 'c', change: 'deleted' },
        ],
        event: 'ReferenceChanges',
        payload: { stage: 'live' },
        userArn: 'arn:aws:iam::123456789012:user/ann',
      },
      'arn:aws:codecommit:us-east-1:123456789012:shop|event-1|1',
    ]);
  });

  it('a record of an invocation reaches the handler of its function', async () => {
    const seen: unknown[] = [];
    const app = host(() => lambdaDestination().function('charge', (_ctx, record) => void seen.push(record)));
    await expect(app.handleLambda(buildDestinationEvent('charge', { payload: [1] }))).resolves.toBeNull();
    await expect(app.handleLambda(buildDestinationEvent('refund'))).rejects.toMatchObject({
      code: 'triggers.no_handler',
    });
    expect(seen).toEqual([
      {
        functionName: 'charge',
        functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:charge:$LATEST',
        condition: 'RetriesExhausted',
        requestId: 'request-1',
        attempts: 3,
        payload: [1],
        response: { errorType: 'Error', errorMessage: 'no' },
        functionError: 'Unhandled',
      },
    ]);
  });

  it('a widget has parameters and forms, and its documentation', async () => {
    const app = host(() =>
      dashboardWidget((_ctx, { payload, forms, dashboard }) => `${dashboard} ${payload.a} ${forms.b}`, {
        describe: '# a',
      }),
    );
    const event = buildWidgetEvent({ params: { a: 1 }, forms: { b: 2 } });
    await expect(app.handleLambda(event)).resolves.toBe('orders 1 2');
    await expect(app.handleLambda({ ...event, describe: true })).resolves.toEqual({ markdown: '# a' });
  });
});

describe('a tumbling window', () => {
  const counter = (ended: [number, TumblingWindow][] = []) =>
    tumblingWindow().stream('clicks', {
      initial: () => ({ sum: 0 }),
      add: (_ctx, { sum }, record) => ({ sum: sum + Number(recordJson(record)) }),
      final: (_ctx, { sum }, window) => void ended.push([sum, window]),
    });

  it('keeps its state over batches, and ends with or without records', async () => {
    const ended: [number, TumblingWindow][] = [];
    const app = createApp({ log: false, surfaces: [counter(ended)] });
    const first = (await app.handleLambda(buildWindowEvent('clicks', { data: ['1', '2'] }))) as { state: object };
    expect(first).toEqual({ state: { sum: 3 } });
    const second = await app.handleLambda(buildWindowEvent('clicks', { data: ['4'], state: { sum: 3 }, final: true }));
    expect(second).toEqual({ state: { sum: 7 } });
    await app.handleLambda(buildWindowEvent('clicks', { state: { sum: 7 }, final: true }));
    const window = { start: '1970-01-01T00:00:00Z', end: '1970-01-01T00:02:00Z', shardId: 'shardId-000000000000' };
    expect(ended).toEqual([
      [7, { ...window, isTerminatedEarly: false }],
      [7, { ...window, isTerminatedEarly: false }],
    ]);
  });

  it('is served next to a handler of the same stream, which receives batches without a window', async () => {
    const seen: string[] = [];
    const app = createApp({ log: false, surfaces: [counter()] }).kinesis('clicks', () => void seen.push('record'));
    const event = buildWindowEvent('clicks', { data: ['1'] });
    await app.handleLambda(event);
    expect([app.explain(event).kind, detect(event), seen]).toEqual(['window', 'stream', []]);
    await app.handleLambda({ Records: event.Records });
    expect(seen).toEqual(['record']);
  });

  it('without the surface a batch with a window is rejected', async () => {
    const app = createApp({ log: false }).kinesis('clicks', () => undefined);
    await expect(app.handleLambda(buildWindowEvent('clicks', { data: ['1'] }))).rejects.toThrow(
      expect.failure('streams.window_unsupported'),
    );
  });

  it('a table has its own functions', async () => {
    const surface = tumblingWindow().tableStream('notes', {
      initial: () => ({ names: [] as string[] }),
      add: (_ctx, { names }, { eventName }) => ({ names: [...names, String(eventName)] }),
    });
    const app = createApp({ log: false, surfaces: [surface] });
    const arn = 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2026-01-01T00:00:00.000';
    const record = {
      eventID: 'e',
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventSourceARN: arn,
      dynamodb: {},
    };
    const { window } = buildWindowEvent('clicks');
    const event = { Records: [record], window, state: {}, shardId: 's', eventSourceARN: arn };
    await expect(app.handleLambda(event)).resolves.toEqual({ state: { names: ['INSERT'] } });
  });

  it.each<[string, unknown, string]>([
    ['no object', 5, 'the state must be an object'],
    ['nothing', undefined, 'the state must be an object'],
    ['a list', [1], 'the state must be an object'],
    ['more than 6 MB', { text: 'x'.repeat(6_291_557) }, 'more than 6 MB'],
    ['a BigInt', { n: 5n }, 'not a value that JSON can write'],
  ])('a state that is %s fails the batch', async (_what, state, message) => {
    const surface = tumblingWindow().stream('clicks', { initial: () => ({}) as never, add: () => state as never });
    await expect(surface.handleLambda(buildWindowEvent('clicks', { data: ['1'] }))).rejects.toThrow(
      expect.failure('triggers.invalid_answer', message),
    );
  });

  it('a failed record fails the batch, and the state is not answered', async () => {
    let ran = 0;
    const surface = tumblingWindow().stream('clicks', {
      initial: () => ({}),
      add: (_ctx, state) => {
        ran += 1;
        if (ran === 2) throw new Error('no');
        return state;
      },
    });
    const event = buildWindowEvent('clicks', { data: ['1', '2', '3'] });
    await expect(surface.handleLambda(event)).rejects.toThrow('no');
    expect(ran).toBe(2);
    await expect(surface.handleLambda(buildWindowEvent('other', { data: ['1'] }))).rejects.toMatchObject({
      code: 'triggers.no_handler',
    });
  });

  const functions = { initial: () => ({}), add: (_ctx: unknown, state: object) => state };
  it.each<[string, () => unknown, string]>([
    ['a blank name', () => tumblingWindow().stream(' ', functions), 'name of a stream is empty'],
    ['a stream twice', () => tumblingWindow().stream('a', functions).stream('a', functions), 'duplicate functions'],
    [
      'no initial state',
      () => tumblingWindow().stream('a', { add: functions.add } as never),
      'initial must be a function',
    ],
    [
      'a wrong final',
      () => tumblingWindow().stream('a', { ...functions, final: 5 as never }),
      'final must be a function',
    ],
  ])('rejects %s', (_what, make, message) => {
    expect(make).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
