import { systemClock } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import {
  createAsyncEngine,
  createQueueEngine,
  createShardEngine,
  type EngineChange,
  type Outcome,
} from '../src/engines.js';
import { buildEventBusEvent } from '../src/index.js';

const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';
const STREAM = 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks';
const ok: Outcome = { answer: { batchItemFailures: [] } };
const failed: Outcome = { error: new Error('boom') };
const none = { done: 0, 'dead-letter': 0, discarded: 0, expired: 0 };

/** Invocations that end when the test resolves them. */
function gate() {
  const waiting: { ids: readonly string[]; end: (outcome: Outcome) => void }[] = [];
  return {
    waiting,
    invoke: ({ records }: { records: readonly { readonly id: string }[] }) =>
      new Promise<Outcome>((end) => {
        waiting.push({ ids: records.map(({ id }) => id), end });
      }),
  };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

describe('a queue engine', () => {
  it('delivers automatically, at most the limit at the same time, and lists its messages', async () => {
    const { waiting, invoke } = gate();
    const engine = createQueueEngine({ clock: new ManualClock(), arn: QUEUE, invoke, batchSize: 1, invocations: 2 });
    expect(engine.send([{ body: 'a' }, { body: 'b' }, { messageId: 'third', body: 'c' }])).toEqual([
      'msg-1',
      'msg-2',
      'third',
    ]);
    expect(engine.snapshot()).toMatchObject({ running: 2, ended: none });
    expect(
      engine
        .snapshot()
        .records.map(({ state }) => state)
        .sort(),
    ).toEqual(['in-flight', 'in-flight', 'waiting']);
    while (waiting.length > 0) {
      waiting.shift()?.end(ok);
      await turn();
    }
    await engine.settle();
    expect(engine.snapshot()).toEqual({ running: 0, records: [], ended: { ...none, done: 3 } });
  });

  describe('the receipt handle of a delivered message', () => {
    interface Received {
      readonly Records: readonly { readonly receiptHandle: string }[];
    }
    /** A queue whose function runs `during` with the handle, and fails. */
    const start = (during: (handle: string, engine: ReturnType<typeof createQueueEngine>) => void) => {
      const clock = new ManualClock();
      const deliveries: { readonly at: number; readonly handle: string }[] = [];
      const engine = createQueueEngine({
        clock,
        arn: QUEUE,
        invoke: async ({ event }) => {
          const handle = (event as Received).Records[0]?.receiptHandle ?? '';
          deliveries.push({ at: clock.monotonicMs(), handle });
          during(handle, engine);
          return failed;
        },
      });
      const begin = clock.monotonicMs();
      engine.send([{ body: 'a' }]);
      const advance = async (ms: number) => {
        await clock.advance(ms);
        await turn();
      };
      return { engine, advance, deliveries, times: () => deliveries.map(({ at }) => at - begin) };
    };

    it('changes the visibility during the invocation', async () => {
      const { advance, times } = start((handle, engine) => void engine.changeVisibility(handle, 1000));
      await advance(999);
      expect(times()).toEqual([0]);
      await advance(1);
      expect(times()).toEqual([0, 1000]);
    });

    it('changes the visibility of a hidden message, to a later and to an earlier time', async () => {
      const { engine, advance, deliveries, times } = start(() => {});
      await turn();
      expect(engine.changeVisibility(deliveries[0]?.handle ?? '', 60_000)).toBe(true);
      await advance(30_000);
      expect(times()).toEqual([0]);
      expect(engine.changeVisibility(deliveries[0]?.handle ?? '', 0)).toBe(true);
      await turn();
      expect(times()).toEqual([0, 30_000]);
      expect(engine.changeVisibility(deliveries[0]?.handle ?? '', 1)).toBe(false);
      expect(engine.changeVisibility('unknown', 1)).toBe(false);
    });

    it('deletes the message during the invocation, and while it is hidden', async () => {
      const during = start((handle, engine) => void engine.remove(handle));
      await turn();
      expect(during.engine.snapshot()).toMatchObject({ records: [], ended: { done: 1 } });

      const hidden = start(() => {});
      await turn();
      expect(hidden.engine.remove(hidden.deliveries[0]?.handle ?? '')).toBe(true);
      expect(hidden.engine.remove(hidden.deliveries[0]?.handle ?? '')).toBe(false);
      await hidden.advance(60_000);
      expect(hidden.times()).toEqual([0]);
      expect(hidden.engine.snapshot()).toMatchObject({ records: [], ended: { done: 1 } });
    });
  });

  it('reports every change, with the time until which a message is hidden', async () => {
    const clock = new ManualClock();
    const changes: EngineChange<unknown>[] = [];
    const outcomes = [failed, failed];
    const engine = createQueueEngine({
      clock,
      arn: QUEUE,
      maxReceiveCount: 2,
      invoke: async () => outcomes.shift() ?? ok,
      onChange: (change) => changes.push(change),
    });
    engine.send([{ messageId: 'm', body: 'a' }]);
    await turn();
    await clock.advance(30_000);
    await clock.advance(30_000);
    await engine.settle();
    expect(changes.map(({ at, state, deliveries, until }) => [at, state, deliveries, until])).toEqual([
      [0, 'waiting', 0, undefined],
      [0, 'in-flight', 1, undefined],
      [0, 'delayed', 1, 30_000],
      [30_000, 'waiting', 1, undefined],
      [30_000, 'in-flight', 2, undefined],
      [30_000, 'delayed', 2, 60_000],
      [60_000, 'dead-letter', 2, undefined],
    ]);
  });

  it('skips the wait of a message or of all on request', async () => {
    const clock = new ManualClock();
    const { waiting, invoke } = gate();
    const engine = createQueueEngine({ clock, arn: QUEUE, invoke });
    engine.send([
      { messageId: 'a', body: '' },
      { messageId: 'b', body: '' },
    ]);
    waiting.shift()?.end(failed);
    await turn();
    expect(clock.pendingTimers).toBe(1);
    engine.hurry('b');
    expect(waiting.map(({ ids }) => ids)).toEqual([['b']]);
    waiting.shift()?.end(ok);
    await turn();
    engine.hurry();
    expect(waiting.map(({ ids }) => ids)).toEqual([['a']]);
    waiting.shift()?.end(ok);
    await engine.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('collects messages for a batching window, which begins with the first and ends with a whole batch', async () => {
    const clock = new ManualClock();
    const { waiting, invoke } = gate();
    const options = { clock, arn: QUEUE, invoke, batchSize: 3, maximumBatchingWindowMs: 5_000, invocations: 2 };
    const engine = createQueueEngine(options);
    const send = (...ids: readonly string[]) => engine.send(ids.map((messageId) => ({ messageId, body: '' })));
    const delivered = () =>
      waiting.splice(0).map(({ ids, end }) => {
        end(ok);
        return [...ids].sort();
      });
    send('a');
    await clock.advance(3_000);
    send('b');
    await clock.advance(1_999);
    expect(delivered()).toEqual([]);
    await clock.advance(1);
    expect(delivered()).toEqual([['a', 'b']]);
    send('c', 'd', 'e', 'f');
    expect(delivered()).toMatchObject([{ length: 3 }]);
    await clock.advance(4_999);
    expect(delivered()).toEqual([]);
    engine.hurry();
    expect(delivered()).toMatchObject([{ length: 1 }]);
    await engine.settle();
    expect(clock.pendingTimers).toBe(0);
    send('g');
    engine.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('has a batching window of at most five minutes, and 0 for a FIFO queue', () => {
    const make = (arn: string, maximumBatchingWindowMs: number) => () =>
      createQueueEngine({ clock: new ManualClock(), arn, invoke: async () => ok, maximumBatchingWindowMs });
    expect(make(QUEUE, 300_001)).toThrow('maximumBatchingWindowMs');
    expect(make(`${QUEUE}.fifo`, 1)).toThrow('maximumBatchingWindowMs');
  });

  it('ends the wait of a FIFO group as a whole, in order', async () => {
    const { waiting, invoke } = gate();
    const engine = createQueueEngine({ clock: new ManualClock(), arn: `${QUEUE}.fifo`, invoke });
    engine.send(['a', 'b'].map((messageId) => ({ messageId, body: '', groupId: 'g' })));
    waiting.shift()?.end(failed);
    await turn();
    engine.hurry('b');
    expect(waiting.map(({ ids }) => ids)).toEqual([['a', 'b']]);
    engine.stop();
  });

  it('starts nothing after it was stopped, and settles after the running deliveries', async () => {
    const clock = new ManualClock();
    const { waiting, invoke } = gate();
    const engine = createQueueEngine({ clock, arn: QUEUE, invoke, batchSize: 1 });
    engine.send([{ body: '' }, { body: '' }]);
    engine.stop();
    let isSettled = false;
    const settled = engine.settle().then(() => {
      isSettled = true;
    });
    await turn();
    expect(isSettled).toBe(false);
    waiting.shift()?.end(failed);
    await settled;
    expect([waiting.length, clock.pendingTimers]).toEqual([0, 0]);
    expect(
      engine
        .snapshot()
        .records.map(({ state }) => state)
        .sort(),
    ).toEqual(['delayed', 'waiting']);
  });

  it('counts receptions, each with a separate receipt handle', async () => {
    const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    const seen: unknown[] = [];
    const engine = createQueueEngine({
      clock,
      arn: `${QUEUE}.fifo`,
      visibilityTimeoutMs: 0,
      invoke: async ({ event }) => {
        const { Records } = event as { Records: { receiptHandle: string; attributes: Record<string, string> }[] };
        seen.push(...Records.map(({ receiptHandle, attributes }) => ({ receiptHandle, ...attributes })));
        return seen.length < 2 ? failed : ok;
      },
    });
    engine.send([{ body: 'a', groupId: 'g' }]);
    await engine.settle();
    const attributes = {
      SentTimestamp: '1795255200000',
      SenderId: 'sender-1',
      ApproximateFirstReceiveTimestamp: '1795255200000',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'dedup-1',
      SequenceNumber: '00000000000000000001',
    };
    expect(seen).toEqual([
      { ...attributes, receiptHandle: 'receipt-1-1', ApproximateReceiveCount: '1' },
      { ...attributes, receiptHandle: 'receipt-1-2', ApproximateReceiveCount: '2' },
    ]);
  });

  it('keeps the order of FIFO messages over many groups, batches and failures', async () => {
    const groups = ['a', 'b', 'c', 'd', 'e'];
    const done: Record<string, string[]> = Object.fromEntries(groups.map((group) => [group, []]));
    let n = 0;
    const engine = createQueueEngine({
      clock: new ManualClock(),
      arn: `${QUEUE}.fifo`,
      visibilityTimeoutMs: 0,
      maxReceiveCount: 1000,
      batchSize: 3,
      invocations: 3,
      invoke: async ({ records }) => {
        await turn();
        const batchItemFailures: { itemIdentifier: string }[] = [];
        const broken = new Set<string>();
        for (const { id, lane } of records) {
          n += 1;
          if (broken.has(lane) || n % 7 === 0) {
            broken.add(lane);
            batchItemFailures.push({ itemIdentifier: id });
          } else done[lane.slice('group:'.length)]?.push(id);
        }
        return { answer: { batchItemFailures } };
      },
    });
    const ids = Array.from({ length: 200 }, (_, index) => ({ id: `m${index}`, groupId: groups[index % 5] as string }));
    engine.send(ids.map(({ id, groupId }) => ({ messageId: id, body: '', groupId })));
    await engine.settle();
    for (const group of groups) {
      expect(done[group]).toEqual(ids.filter(({ groupId }) => groupId === group).map(({ id }) => id));
    }
  });

  it('treats a rejection of `invoke` as an error of the function', async () => {
    const engine = createQueueEngine({
      clock: new ManualClock(),
      arn: QUEUE,
      visibilityTimeoutMs: 0,
      invoke: () => Promise.reject(new Error('no function')),
    });
    engine.send([{ body: '' }]);
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, 'dead-letter': 1 });
  });

  it('runs on the clock of the system', async () => {
    const outcomes = [failed];
    const engine = createQueueEngine({
      clock: systemClock,
      arn: QUEUE,
      visibilityTimeoutMs: 5,
      invoke: async () => outcomes.shift() ?? ok,
    });
    engine.send([{ body: '' }]);
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, done: 1 });
  });
});

describe('a shard engine', () => {
  it('delivers later records, one batch of a shard at a time, and shards concurrently', async () => {
    const { waiting, invoke } = gate();
    const engine = createShardEngine({ clock: new ManualClock(), arn: STREAM, invoke, shards: 2 });
    engine.send([
      { partitionKey: 'a', eventID: 'a1' },
      { partitionKey: 'b', eventID: 'b1' },
    ]);
    engine.send([{ partitionKey: 'a', eventID: 'a2' }]);
    expect(waiting.map(({ ids }) => ids.join()).sort()).toEqual(['a1', 'b1']);
    for (const { end } of waiting.splice(0)) end(ok);
    await turn();
    expect(waiting.map(({ ids }) => ids.join())).toEqual(['a2']);
    waiting[0]?.end(ok);
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, done: 3 });
  });

  it('waits a second before a retry, and this wait can be skipped', async () => {
    const clock = new ManualClock();
    const { waiting, invoke } = gate();
    const engine = createShardEngine({ clock, arn: STREAM, invoke });
    engine.send([{ eventID: 'a' }, { eventID: 'b' }]);
    waiting.shift()?.end(failed);
    await turn();
    expect(engine.snapshot().records.map(({ id, state, until }) => [id, state, until])).toEqual([
      ['a', 'delayed', 1000],
      ['b', 'delayed', 1000],
    ]);
    engine.hurry('b');
    expect(waiting.map(({ ids }) => ids)).toEqual([['a', 'b']]);
    expect(clock.pendingTimers).toBe(0);
    engine.stop();
  });

  it('drops what grew too old while it waited, and delivers the rest', async () => {
    const clock = new ManualClock();
    const { waiting, invoke } = gate();
    const engine = createShardEngine({ clock, arn: STREAM, invoke, maxRecordAgeMs: 1000 });
    engine.send([{ eventID: 'first' }]);
    engine.send([{ eventID: 'old' }]);
    await clock.advance(1500);
    engine.send([{ eventID: 'new' }]);
    waiting.shift()?.end(ok);
    await turn();
    expect(waiting.map(({ ids }) => ids)).toEqual([['new']]);
    waiting.shift()?.end(ok);
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, done: 2, expired: 1 });
  });
});

describe('an asynchronous engine', () => {
  const events = (...ids: string[]) => ids.map((id) => ({ id, event: buildEventBusEvent({ id }) }));

  it('delivers again after one minute and after two, then gives up', async () => {
    const clock = new ManualClock();
    const times: number[] = [];
    const engine = createAsyncEngine({
      clock,
      invoke: async () => {
        times.push(clock.monotonicMs());
        return failed;
      },
    });
    engine.send(events('a'));
    await clock.advance(200_000);
    await engine.settle();
    expect(times).toEqual([0, 60_000, 180_000]);
    expect(engine.snapshot().ended).toEqual({ ...none, 'dead-letter': 1 });
  });

  it.each<[string, object, string]>([
    ['without a destination', { onFailure: false, maximumRetryAttempts: 0 }, 'discarded'],
    ['that grew too old', { maximumEventAgeMs: 60_000 }, 'expired'],
  ])('lets go of an event %s', async (_name, options, end) => {
    const clock = new ManualClock();
    const engine = createAsyncEngine({ clock, invoke: async () => failed, ...options });
    engine.send(events('a'));
    await clock.advance(200_000);
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, [end]: 1 });
  });

  it('does not read the answer', async () => {
    const engine = createAsyncEngine({
      clock: new ManualClock(),
      invoke: async () => ({ answer: { statusCode: 500 } }),
    });
    engine.send(events('a', 'b'));
    await engine.settle();
    expect(engine.snapshot().ended).toEqual({ ...none, done: 2 });
  });
});

describe('the options of an engine', () => {
  const clock = new ManualClock();
  const invoke = async () => ok;
  it.each<[string, () => unknown, string]>([
    ['no clock', () => createQueueEngine({ arn: QUEUE, invoke } as never), 'option "clock"'],
    ['no function', () => createShardEngine({ arn: STREAM, clock } as never), 'option "invoke"'],
    ['a blank ARN', () => createQueueEngine({ arn: ' ', clock, invoke }), 'option "arn"'],
    [
      'a FIFO batch of 11',
      () => createQueueEngine({ arn: `${QUEUE}.fifo`, clock, invoke, batchSize: 11 }),
      'option "batchSize"',
    ],
    [
      'three retries',
      () => createAsyncEngine({ clock, invoke, maximumRetryAttempts: 3 }),
      'option "maximumRetryAttempts"',
    ],
    ['an unknown one', () => createAsyncEngine({ clock, invoke, batchSize: 1 } as never), 'unknown option "batchSize"'],
    [
      'a record of another kind',
      () => createQueueEngine({ clock, invoke, arn: QUEUE }).send([{ data: 'a' } as never]),
      'unknown option "records[0].data"',
    ],
  ])('reject %s', (_name, run, message) => {
    expect(run).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
