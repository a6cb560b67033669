import type { LambdaContext } from '@sallyport/core';
import {
  assertCompletedOnce,
  assertNothingLost,
  assertOrdered,
  createTestEnv,
  eventBus,
  type LambdaApp,
  queue,
  type SimulationResult,
  simulate,
  stream,
  type TestEnv,
  topic,
} from '../src/index.js';

/** An app whose queue handler fails on the given bodies, for the given number of times. */
function queueApp(failures: Readonly<Record<string, number>>, name = 'orders') {
  return (env: TestEnv) => {
    const left = new Map(Object.entries(failures));
    return env.app().queue(name, async (_ctx, message) => {
      const { body } = message;
      const times = left.get(body) ?? 0;
      left.set(body, times - 1);
      if (times > 0) throw new Error(`no ${body}`);
    });
  };
}

/** The app with a replaced answer. */
function answering(build: (env: TestEnv) => LambdaApp, answer: (own: unknown) => unknown) {
  return (env: TestEnv): LambdaApp => {
    const app = build(env);
    return {
      handleLambda: async (event: unknown, context?: LambdaContext) => answer(await app.handleLambda(event, context)),
    };
  };
}

const bodies = (...list: string[]) => list.map((body) => ({ body, messageId: body }));
const ends = (result: SimulationResult) =>
  Object.fromEntries(
    Object.entries(result.records).map(([id, { deliveries, completions, end }]) => [
      id,
      `${deliveries}/${completions} ${end}`,
    ]),
  );
const kinds = (result: SimulationResult) => result.violations.map(({ kind }) => kind);

describe('a standard queue', () => {
  it('delivers a failed message again after the visibility timeout, and deletes the rest', async () => {
    const result = await simulate(queueApp({ b: 1 }), queue.standard('orders', bodies('a', 'b', 'c')));
    expect(ends(result)).toEqual({ a: '1/1 done', b: '2/1 done', c: '1/1 done' });
    expect(result.invocations.map(({ time }) => time)).toEqual([0, 30_000]);
    expect(result.violations).toEqual([]);
    assertNothingLost(result);
    assertCompletedOnce(result);
  });

  it('gives up on a message that was received too often', async () => {
    const result = await simulate(queueApp({ b: 9 }), queue.standard('orders', bodies('a', 'b')), {
      maxReceiveCount: 2,
    });
    expect(ends(result)).toEqual({ a: '1/1 done', b: '2/0 dead-letter' });
    expect(() => assertCompletedOnce(result)).toThrow(
      'record b completed 0 times\nrecord b: 2 deliveries, 0 completions, dead-letter',
    );
  });

  it('continues indefinitely without a dead-letter queue', async () => {
    const result = await simulate(queueApp({ b: 9999 }), queue.standard('orders', bodies('b')), { deadLetter: false });
    expect(ends(result)).toEqual({ b: '1000/0 stuck' });
    expect(kinds(result)).toEqual(['unsettled']);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['an empty list', { batchItemFailures: [] }],
    ['null for a list', { batchItemFailures: null }],
  ])('loses a message whose swallowed failure is answered by %s', async (_name, answer) => {
    const result = await simulate(
      answering(queueApp({ b: 1 }), () => answer),
      queue.standard('orders', bodies('a', 'b')),
    );
    expect(ends(result)).toEqual({ a: '1/1 done', b: '1/0 lost' });
    expect(kinds(result)).toEqual(['lost']);
    expect(() => assertNothingLost(result)).toThrow('record b was removed though its handler never completed');
  });

  it('reports an app without the options of the environment', async () => {
    const elsewhere = () =>
      createTestEnv()
        .app()
        .queue('orders', () => undefined);
    const result = await simulate(elsewhere, queue.standard('orders', bodies('a')));
    expect(result.violations).toEqual([
      {
        kind: 'lost',
        record: 'a',
        text:
          'record a was removed though its handler never completed: no invocation was recorded; ' +
          'create the app with env.options()',
      },
    ]);
  });

  it('does not lose a message that is reported though it completed', async () => {
    let first = true;
    const report = () => {
      const failures = first ? [{ itemIdentifier: 'a' }] : [];
      first = false;
      return { batchItemFailures: failures };
    };
    const result = await simulate(answering(queueApp({}), report), queue.standard('orders', bodies('a', 'b')));
    expect(ends(result)).toEqual({ a: '2/2 done', b: '1/1 done' });
    expect(result.violations).toEqual([]);
    expect(() => assertCompletedOnce(result)).toThrow('record a completed 2 times');
  });

  it.each<[string, unknown, string[]]>([
    ['an empty identifier', [{ itemIdentifier: '' }], ['missing-identifier']],
    ['null for an identifier', [{ itemIdentifier: null }], ['missing-identifier']],
    ['another key', [{ itemIdentifer: 'a' }], ['missing-identifier']],
    ['an unknown identifier', [{ itemIdentifier: 'zzz' }], ['unknown-identifier']],
    ['a list that is none', 'a', []],
  ])('retries the whole batch for %s', async (_name, batchItemFailures, found) => {
    let first = true;
    const report = (own: unknown) => {
      const answer = first ? { batchItemFailures } : own;
      first = false;
      return answer;
    };
    const result = await simulate(answering(queueApp({}), report), queue.standard('orders', bodies('a', 'b')));
    expect(ends(result)).toEqual({ a: '2/2 done', b: '2/2 done' });
    expect(kinds(result)).toEqual(found);
  });

  it('retries the whole batch if the function throws or times out', async () => {
    const throwing = (env: TestEnv): LambdaApp => {
      const app = queueApp({})(env);
      let calls = 0;
      return {
        handleLambda: async (event, context) => {
          calls += 1;
          if (calls === 1) throw new Error('boom');
          if (calls === 2) return new Promise(() => {});
          return app.handleLambda(event, context);
        },
      };
    };
    const result = await simulate(throwing, queue.standard('orders', bodies('a')), {
      timeoutMs: 5000,
      visibilityTimeoutMs: 6000,
    });
    expect(result.invocations.map(({ time, error }) => [time, error])).toEqual([
      [0, 'Error: boom'],
      [6000, 'timeout'],
      [12_000, undefined],
    ]);
    expect(ends(result)).toEqual({ a: '3/1 done' });
  });

  it('deletes everything when the mapping does not read the answer', async () => {
    const result = await simulate(queueApp({ b: 1 }), queue.standard('orders', bodies('a', 'b')), {
      reportBatchItemFailures: false,
    });
    expect(ends(result)).toEqual({ a: '1/1 done', b: '1/0 lost' });
  });

  it('delivers in the order of the seed, in batches, concurrently, and some twice', async () => {
    const source = queue.standard('orders', bodies('a', 'b', 'c', 'd', 'e', 'f'));
    const run = (seed: number) => simulate(queueApp({}), source, { seed, batchSize: 2, invocations: 2 });
    const order = async (seed: number) => (await run(seed)).invocations.map(({ records }) => records.join(''));
    expect(await order(1)).toEqual(await order(1));
    expect(await order(1)).not.toEqual(await order(2));
    const doubled = await simulate(queueApp({}), source, { duplicates: 3 });
    expect(Object.values(doubled.records).filter(({ deliveries }) => deliveries > 1).length).toBeGreaterThan(0);
    expect(doubled.violations).toEqual([]);
  });

  it('moves through time with a handler that waits', async () => {
    const slow = (env: TestEnv) =>
      env.app().queue('orders', () => new Promise<void>((resolve) => void env.clock.after(2000, resolve)));
    const result = await simulate(slow, queue.standard('orders', bodies('a', 'b')), { batchSize: 1 });
    expect(result.invocations.map(({ time }) => time)).toEqual([0, 2000]);
    expect(ends(result)).toEqual({ a: '1/1 done', b: '1/1 done' });
  });
});

describe('a FIFO queue', () => {
  const grouped = (...ids: string[]) => ids.map((id) => ({ body: id, messageId: id, groupId: id.charAt(0) }));

  it('holds the group of a failing message only, in order', async () => {
    const result = await simulate(
      queueApp({ A1: 1 }, 'orders.fifo'),
      queue.fifo('orders', grouped('A1', 'B1', 'A2', 'B2')),
      { batchSize: 2 },
    );
    expect(result.invocations.map(({ time, records }) => [time, records.join()])).toEqual([
      [0, 'A1,B1'],
      [0, 'B2'],
      [30_000, 'A1,A2'],
    ]);
    expect(ends(result)).toEqual({ A1: '2/1 done', B1: '1/1 done', A2: '1/1 done', B2: '1/1 done' });
    assertOrdered(result);
  });

  it('continues with a group whose message went to the dead-letter queue', async () => {
    const result = await simulate(
      queueApp({ A1: 9 }, 'orders.fifo'),
      queue.fifo('orders.fifo', grouped('A1', 'A2', 'B1')),
      { batchSize: 1, maxReceiveCount: 2 },
    );
    expect(ends(result)).toEqual({ A1: '2/0 dead-letter', A2: '1/1 done', B1: '1/1 done' });
    assertOrdered(result);
  });

  it('reports an app that continues in a group after a failure', async () => {
    const careless = (env: TestEnv): LambdaApp => {
      const app = queueApp({ A1: 1 })(env);
      return {
        handleLambda: (event, context) =>
          app.handleLambda(JSON.parse(JSON.stringify(event).replaceAll('orders.fifo', 'orders')), context),
      };
    };
    const result = await simulate(careless, queue.fifo('orders', grouped('A1', 'A2')));
    expect(kinds(result)).toEqual(['out-of-order']);
    expect(() => assertOrdered(result)).toThrow('record A2 completed before A1');
  });

  it('accepts no batch of more than 10', async () => {
    await expect(simulate(queueApp({}), queue.fifo('orders', grouped('A1')), { batchSize: 11 })).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'option "batchSize"'),
    );
  });
});

/** An app whose stream handler fails on these sequence numbers, for the given number of times. */
function streamApp(
  failures: Readonly<Record<string, number>>,
  streamFailureIdentifier: 'eventID' | 'sequenceNumber' = 'sequenceNumber',
) {
  return (env: TestEnv) => {
    const left = new Map(Object.entries(failures));
    const fail = (sequenceNumber: string) => {
      const times = left.get(sequenceNumber) ?? 0;
      left.set(sequenceNumber, times - 1);
      if (times > 0) throw new Error(`no ${sequenceNumber}`);
    };
    const app = env.app({ streamFailureIdentifier });
    app.kinesis('clicks', async (_ctx, record) =>
      fail((record as { kinesis: { sequenceNumber: string } }).kinesis.sequenceNumber),
    );
    app.tableStream('notes', async (_ctx, record) =>
      fail((record as { dynamodb: { SequenceNumber: string } }).dynamodb.SequenceNumber),
    );
    return app;
  };
}

const numbers = (...list: string[]) =>
  list.map((sequenceNumber) => ({ sequenceNumber, eventID: sequenceNumber.padStart(3, '0') }));
const delivered = (result: SimulationResult) => result.invocations.map(({ records }) => records.map(Number).join());

describe('a stream', () => {
  it('is retried from the lowest reported sequence number, compared as a number', async () => {
    const source = stream.data('clicks', numbers('8', '9', '10', '11'));
    const result = await simulate(streamApp({ '9': 1, '10': 1 }), source, { unknownIdentifiers: 'batch-fails' });
    expect(delivered(result)).toEqual(['8,9,10,11', '9,10,11']);
    expect(ends(result)).toEqual({ '008': '1/1 done', '009': '2/1 done', '010': '2/1 done', '011': '2/2 done' });
    assertNothingLost(result);
  });

  it('orders a shard by number, for any given order', async () => {
    const result = await simulate(streamApp({}), stream.data('clicks', numbers('10', '9')), { batchSize: 1 });
    expect(delivered(result)).toEqual(['9', '10']);
  });

  it.each([
    ['data', stream.data('clicks', numbers('1', '2'))],
    ['table', stream.table('notes', numbers('1', '2'))],
  ])(
    'of %s records fails in both readings with the default identifier and passes with the other',
    async (_name, source) => {
      const wrong = await simulate(streamApp({ '2': 1 }, 'eventID'), source);
      expect([kinds(wrong)[0], kinds(wrong.ignoring as SimulationResult)[0]]).toEqual([
        'unknown-identifier',
        'unknown-identifier',
      ]);
      expect(() => assertNothingLost(wrong)).toThrow(
        `"002" is not a sequence number of the batch, the only identifier that AWS documents: set the option streamFailureIdentifier to 'sequenceNumber'`,
      );
      expect(ends(wrong.ignoring as SimulationResult)).toEqual({ '001': '1/1 done', '002': '1/0 lost' });
      const right = await simulate(streamApp({ '2': 1 }), source);
      expect([right.violations, right.ignoring?.violations]).toEqual([[], []]);
      assertNothingLost(right);
    },
  );

  it('starts a new count when the checkpoint moves, and gives up when it does not', async () => {
    const source = stream.data('clicks', numbers('1', '2', '3'));
    const result = await simulate(streamApp({ '1': 2, '2': 9 }), source, {
      maximumRetryAttempts: 2,
      unknownIdentifiers: 'ignored',
    });
    expect(delivered(result)).toEqual(['1,2,3', '1,2,3', '1,2,3', '2,3', '2,3', '2,3']);
    expect(ends(result)).toEqual({ '001': '3/1 done', '002': '6/0 dead-letter', '003': '6/6 dead-letter' });
  });

  it('continues with the shard after the failure destination received a batch, and loses the batch without a destination', async () => {
    const source = stream.data('clicks', numbers('1', '2'));
    const options = { batchSize: 1, maximumRetryAttempts: 0, unknownIdentifiers: 'ignored' } as const;
    expect(ends(await simulate(streamApp({ '1': 9 }), source, options))).toEqual({
      '001': '1/0 dead-letter',
      '002': '1/1 done',
    });
    const lost = await simulate(streamApp({ '1': 9 }), source, { ...options, onFailure: false });
    expect(ends(lost)).toEqual({ '001': '1/0 lost', '002': '1/1 done' });
    expect(kinds(lost)).toEqual(['lost']);
  });

  it('splits a batch that throws in halves, which costs no retry', async () => {
    const throwing = (env: TestEnv): LambdaApp => {
      const app = streamApp({})(env);
      return {
        handleLambda: async (event, context) => {
          if (JSON.stringify(event).includes('"003"')) throw new Error('poison');
          return app.handleLambda(event, context);
        },
      };
    };
    const source = stream.data('clicks', numbers('1', '2', '3', '4'));
    const result = await simulate(throwing, source, {
      bisect: true,
      maximumRetryAttempts: 1,
      unknownIdentifiers: 'batch-fails',
    });
    expect(delivered(result)).toEqual(['1,2,3,4', '1,2', '3,4', '3', '3', '4']);
    expect(ends(result)).toEqual({ '001': '2/1 done', '002': '2/1 done', '003': '4/0 dead-letter', '004': '3/1 done' });
  });

  it('drops records that are too old', async () => {
    const source = stream.data('clicks', numbers('1', '2'));
    const result = await simulate(streamApp({ '1': 99 }), source, {
      maximumRetryAttempts: 99,
      maxRecordAgeMs: 2500,
      unknownIdentifiers: 'ignored',
    });
    expect(ends(result)).toEqual({ '001': '3/0 expired', '002': '3/3 expired' });
  });

  it('keeps shards apart: a shard that retries does not delay the other', async () => {
    const records = ['1', '2', '3', '4'].map((sequenceNumber, index) => ({
      sequenceNumber,
      eventID: `00${sequenceNumber}`,
      partitionKey: index % 2 === 0 ? 'a' : 'b',
    }));
    const result = await simulate(streamApp({ '1': 1 }), stream.data('clicks', records), {
      shards: 2,
      unknownIdentifiers: 'ignored',
    });
    expect(delivered(result).sort()).toEqual(['1,3', '1,3', '2,4']);
  });

  it('is out of order if its handler continues after a failure, and in order if it stops', async () => {
    const run = (onFailure: 'continue' | 'stop') => {
      const build = (env: TestEnv) => {
        let failures = 1;
        return env.app({ streamFailureIdentifier: 'sequenceNumber' }).kinesis(
          'clicks',
          async (_ctx, { kinesis }) => {
            if (kinesis?.sequenceNumber === '1' && failures-- > 0) throw new Error('first');
          },
          { onFailure },
        );
      };
      return simulate(build, stream.data('clicks', numbers('1', '2')), { unknownIdentifiers: 'ignored' });
    };
    expect(kinds(await run('continue'))).toEqual(['out-of-order']);
    expect(kinds(await run('stop'))).toEqual([]);
  });

  it('treats an answer that is not read as a success', async () => {
    const result = await simulate(streamApp({ '1': 1 }), stream.data('clicks', numbers('1', '2')), {
      reportBatchItemFailures: false,
    });
    expect(ends(result)).toEqual({ '001': '1/0 lost', '002': '1/1 done' });
  });
});

describe('a topic, an event bus and a schedule', () => {
  /** An app that fails on these record ids, for the given number of times. */
  function asyncApp(failures: Readonly<Record<string, number>>) {
    return (env: TestEnv) => {
      const left = new Map(Object.entries(failures));
      const work = (id: string) => {
        const times = left.get(id) ?? 0;
        left.set(id, times - 1);
        if (times > 0) throw new Error(`no ${id}`);
      };
      const app = env.app();
      app.topic('news', (_ctx, record) => work(record.Sns?.MessageId ?? ''));
      app.eventBus({ source: 'test.source' }, (_ctx, event) => work(event.id ?? ''));
      app.eventBus({ source: 'aws.scheduler' }, (_ctx, event) => work(event.id ?? ''));
      return app;
    };
  }

  it('deliver each message alone, and a failed one again after one minute and after two', async () => {
    const result = await simulate(
      asyncApp({ 'sns-2': 2 }),
      topic.messages('news', [{ message: 'a' }, { message: 'b' }]),
    );
    expect(result.invocations.map(({ time, records, error }) => [time, records.join(), error])).toEqual([
      [0, 'sns-1', undefined],
      [0, 'sns-2', expect.stringContaining('Error')],
      [60_000, 'sns-2', expect.stringContaining('Error')],
      [180_000, 'sns-2', undefined],
    ]);
    expect(ends(result)).toEqual({ 'sns-1': '1/1 done', 'sns-2': '3/1 done' });
    assertCompletedOnce(result);
  });

  it('give up after three deliveries', async () => {
    const result = await simulate(asyncApp({ 'evt-1': 9 }), eventBus.events([{}, { id: 'own' }]));
    expect(ends(result)).toEqual({ 'evt-1': '3/0 dead-letter', own: '1/1 done' });
    assertNothingLost(result);
  });

  it('run by the clock', async () => {
    const result = await simulate(
      asyncApp({ 'evt-2': 1 }),
      eventBus.schedule('nightly', { everyMs: 300_000, times: 3 }),
    );
    expect(result.invocations.map(({ time, records }) => [time, records.join()])).toEqual([
      [300_000, 'evt-1'],
      [600_000, 'evt-2'],
      [660_000, 'evt-2'],
      [900_000, 'evt-3'],
    ]);
    assertCompletedOnce(result);
  });

  it('show an app that answers without having worked', async () => {
    const swallowing = (env: TestEnv): LambdaApp => ({ handleLambda: async () => env.pause() });
    const result = await simulate(swallowing, topic.messages('news', [{ message: 'a' }]));
    expect(kinds(result)).toEqual(['lost']);
  });
});

describe('a simulation', () => {
  it.each<[string, () => unknown, string]>([
    [
      'an unknown option',
      () => simulate(queueApp({}), queue.standard('orders', bodies('a')), { batchsize: 1 } as object),
      'unknown option "batchsize"',
    ],
    ['no messages', () => queue.standard('orders', []), 'option "records"'],
    ['no events', () => eventBus.events([]), 'option "records"'],
    ['a schedule that never runs', () => eventBus.schedule('nightly', { everyMs: 1, times: 0 }), 'option "times"'],
    ['a blank name', () => stream.data(' ', numbers('1')), 'option "name"'],
  ])('rejects %s', async (_name, run, message) => {
    await expect((async () => run())()).rejects.toThrow(expect.failure('app.invalid_configuration', message));
  });
});
