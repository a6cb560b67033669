import type { LambdaContext, LogRecord } from '@sallyport/core';
import {
  assertCompletedOnce,
  assertNothingLost,
  assertOrdered,
  createTestEnv,
  type LambdaApp,
  responseFetch,
  type SimulationResult,
  simulate,
  type TestEnv,
  triggers,
} from '../src/index.js';

/** A hand-written function; `done` reports a record as the framework does. */
type Handle = (event: never, done: (id: string) => void, env: TestEnv) => unknown;

function handWritten(handle: Handle) {
  return (env: TestEnv): LambdaApp => ({
    handleLambda: async (event: unknown, context?: LambdaContext) => {
      const { observability } = env.options();
      const done = (id: string) => {
        const record = {
          event: 'event.completed',
          outcome: 'success',
          record_id: id,
          request_id: context?.awsRequestId,
        };
        observability.log?.(record as unknown as LogRecord);
      };
      return handle(event as never, done, env);
    },
  });
}

const ends = (result: SimulationResult) =>
  Object.fromEntries(
    Object.entries(result.records).map(([id, { deliveries, completions, end }]) => [
      id,
      `${deliveries}/${completions} ${end}`,
    ]),
  );
const kinds = ({ violations }: SimulationResult) => violations.map(({ kind, record }) => `${kind} ${record}`);
const times = ({ invocations }: SimulationResult) => invocations.map(({ time }) => time / 1000);

describe('asynchronous events', () => {
  const events = [{ n: 1 }, { n: 2 }];
  const failing = (most: number) => {
    let left = most;
    return handWritten(({ n }: { n: number }, done) => {
      if (n === 2 && left > 0) {
        left -= 1;
        throw new Error('no');
      }
      done('');
    });
  };

  it('are retried after one minute, and after two more', async () => {
    const result = await simulate(failing(2), triggers.asynchronous(events));
    expect(ends(result)).toEqual({ 'event-1': '1/1 done', 'event-2': '3/1 done' });
    expect(times(result)).toEqual([0, 0, 60, 180]);
    assertNothingLost(result);
  });

  it('go to the dead-letter queue after three failures', async () => {
    const result = await simulate(failing(9), triggers.asynchronous(events));
    expect(ends(result)).toEqual({ 'event-1': '1/1 done', 'event-2': '3/0 dead-letter' });
  });

  it('are delivered twice according to the seed, and a handler that is not idempotent is found', async () => {
    const all = Array.from({ length: 20 }, (_, n) => ({ n }));
    const run = (seed: number) =>
      simulate(
        handWritten((_event, done) => done('')),
        triggers.asynchronous(all),
        { duplicates: 3, seed },
      );
    const [one, again, other] = [await run(1), await run(1), await run(2)];
    const twice = (result: SimulationResult) =>
      Object.keys(result.records).filter((id) => result.records[id]?.deliveries === 2);
    expect(twice(one)).toHaveLength(3);
    expect(twice(again)).toEqual(twice(one));
    expect(twice(other)).not.toEqual(twice(one));
    expect(() => assertCompletedOnce(one)).toThrow('completed 2 times');
  });
});

describe('Kafka', () => {
  interface KafkaEvent {
    readonly records: Record<string, { offset: number; value: string }[]>;
  }
  const event = {
    eventSource: 'aws:kafka',
    records: {
      't-0': [9, 10, 11].map((offset) => ({ topic: 't', partition: 0, offset, value: `${offset}` })),
      't-1': [5, 6].map((offset) => ({ topic: 't', partition: 1, offset, value: `${offset}` })),
    },
  };
  type Report = (partition: string, offset: number) => unknown;
  const NAMED: Report = (partition, offset) => ({ itemIdentifier: { partition, offset } });
  /** Fails offset 10 of the first partition some times, and reports it. */
  const consumer = (report: Report, most = 1, swallow = false) => {
    let left = most;
    return handWritten(({ records }: KafkaEvent, done) => {
      const batchItemFailures: unknown[] = [];
      for (const [partition, list] of Object.entries(records)) {
        for (const { offset } of list) {
          if (partition === 't-0' && offset === 10 && left > 0) {
            left -= 1;
            if (!swallow) batchItemFailures.push(report(partition, offset));
            break;
          }
          done(`${partition}-${offset}`);
        }
      }
      return { batchItemFailures };
    });
  };

  it('delivers a partition again from the reported offset, and no other', async () => {
    const result = await simulate(consumer(NAMED), triggers.kafka(event));
    expect(result.invocations.map(({ records }) => records)).toEqual([
      ['t-0-9', 't-0-10', 't-0-11', 't-1-5', 't-1-6'],
      ['t-0-10', 't-0-11'],
    ]);
    expect(kinds(result)).toEqual([]);
    assertOrdered(result);
  });

  it('gives up a partition after its retries', async () => {
    const result = await simulate(consumer(NAMED, 9), triggers.kafka(event), { maximumRetryAttempts: 1 });
    expect(ends(result)).toMatchObject({
      't-0-9': '1/1 done',
      't-0-10': '2/0 dead-letter',
      't-0-11': '2/0 dead-letter',
    });
    expect(kinds(await simulate(consumer(NAMED, 9), triggers.kafka(event), { onFailure: false }))).toEqual([
      'lost t-0-10',
      'lost t-0-11',
    ]);
  });

  it.each<[string, Report, string]>([
    [
      'a flat identifier',
      (partition, offset) => ({ itemIdentifier: `${partition}:${offset}` }),
      'missing-identifier t-0-9',
    ],
    ['an unknown offset', (partition) => ({ itemIdentifier: { partition, offset: 99 } }), 'unknown-identifier t-0-9'],
    [
      'an unknown partition',
      (_partition, offset) => ({ itemIdentifier: { partition: 'x-0', offset } }),
      'unknown-identifier t-0-9',
    ],
  ])('finds %s, which retries all records', async (_what, report, violation) => {
    const result = await simulate(consumer(report), triggers.kafka(event));
    expect(kinds(result)).toEqual([violation]);
    expect(result.invocations.map(({ records }) => records.length)).toEqual([5, 5]);
    expect(() => assertNothingLost(result)).toThrow();
  });

  it('finds a consumer that swallows its failure', async () => {
    expect(kinds(await simulate(consumer(NAMED, 1, true), triggers.kafka(event)))).toEqual([
      'lost t-0-10',
      'lost t-0-11',
    ]);
  });

  it('delivers everything again after a throw, in batches of the given size', async () => {
    let first = true;
    const app = handWritten(({ records }: KafkaEvent, done) => {
      if (first) {
        first = false;
        throw new Error('no');
      }
      for (const [partition, list] of Object.entries(records))
        for (const { offset } of list) done(`${partition}-${offset}`);
    });
    const result = await simulate(app, triggers.kafka(event), { batchSize: 2 });
    expect(result.invocations.map(({ records }) => records.join(' '))).toEqual([
      't-0-9 t-0-10',
      't-1-5 t-1-6',
      't-0-9 t-0-10',
      't-0-11',
    ]);
    expect(kinds(result)).toEqual([]);
  });
});

describe('Firehose', () => {
  interface FirehoseEvent {
    readonly records: { recordId: string; data: string }[];
  }
  const event = { records: ['a', 'b', 'c'].map((recordId) => ({ recordId, data: '' })) };
  type Answer = (records: { recordId: string; result: string; data?: string }[]) => unknown;
  const transform = (answer: Answer) =>
    handWritten(({ records }: FirehoseEvent, done) => {
      for (const { recordId } of records) done(recordId);
      return { records: answer(records.map(({ recordId }) => ({ recordId, result: 'Ok' }))) };
    });

  it.each<[string, Answer, readonly string[], string]>([
    ['all', (list) => list, [], 'done done done'],
    ['a missing record', (list) => list.slice(1), ['missing-record a'], 'dead-letter done done'],
    ['a record twice', (list) => [...list, list[0]], ['answered-twice a'], 'done done done'],
    [
      'a foreign record',
      (list) => [...list, { recordId: 'x', result: 'Ok' }],
      ['unknown-identifier a'],
      'done done done',
    ],
    [
      'a failed and a dropped record',
      (list) => list.map((one, at) => ({ ...one, result: ['ProcessingFailed', 'Dropped', 'Ok'][at] })),
      [],
      'dead-letter done done',
    ],
  ])('reads an answer with %s', async (_what, answer, violations, expected) => {
    const result = await simulate(transform(answer), triggers.firehose(event));
    expect(kinds(result)).toEqual(violations);
    expect(
      Object.values(result.records)
        .map(({ end }) => end)
        .join(' '),
    ).toBe(expected);
  });

  it.each<[string, Answer]>([
    ['no list', () => 'x'],
    ['an answer of 7 MB', (list) => list.map((one) => ({ ...one, data: 'x'.repeat(2_400_000) }))],
  ])('invokes three more times after %s, then skips the batch', async (_what, answer) => {
    const result = await simulate(transform(answer), triggers.firehose(event));
    expect(result.invocations).toHaveLength(4);
    expect(Object.values(result.records).map(({ end }) => end)).toEqual(['dead-letter', 'dead-letter', 'dead-letter']);
  });
});

describe.each<[string, object, (event: never) => string[]]>([
  [
    'ActiveMQ',
    { eventSource: 'aws:mq', messages: ['a', 'b', 'c'].map((messageID) => ({ messageID })) },
    ({ messages }: { messages: { messageID: string }[] }) => messages.map(({ messageID }) => messageID),
  ],
  [
    'RabbitMQ',
    {
      eventSource: 'aws:rmq',
      rmqMessagesByQueue: {
        'q::/': ['a', 'b'].map((messageId) => ({ basicProperties: { messageId } })),
        'r::/': [{ basicProperties: { messageId: 'c' } }],
      },
    },
    ({ rmqMessagesByQueue }: { rmqMessagesByQueue: Record<string, { basicProperties: { messageId: string } }[]> }) =>
      Object.values(rmqMessagesByQueue)
        .flat()
        .map(({ basicProperties }) => basicProperties.messageId),
  ],
  [
    'DocumentDB',
    { eventSource: 'aws:docdb', events: ['a', 'b', 'c'].map((_data) => ({ event: { _id: { _data } } })) },
    ({ events }: { events: { event: { _id: { _data: string } } }[] }) => events.map(({ event }) => event._id._data),
  ],
])('%s', (_name, event, idsOf) => {
  const consumer = (poison: string, most: number) => {
    let left = most;
    return handWritten((batch, done) => {
      for (const id of idsOf(batch)) {
        if (id === poison && left > 0) {
          left -= 1;
          throw new Error('no');
        }
        done(id);
      }
    });
  };

  it('delivers a batch again before all others', async () => {
    const result = await simulate(consumer('b', 2), triggers.blocking(event), { batchSize: 2 });
    expect(result.invocations.map(({ records }) => records.join(''))).toEqual(['ab', 'ab', 'ab', 'c']);
    expect(ends(result)).toEqual({ a: '3/3 done', b: '3/1 done', c: '1/1 done' });
  });

  it('finds a message that blocks the source', async () => {
    const result = await simulate(consumer('b', 10_000), triggers.blocking(event), { batchSize: 2 });
    expect(kinds(result)).toEqual(['unsettled a']);
    expect(ends(result).c).toBe('0/0 stuck');
  });
});

describe('a batch job', () => {
  interface BatchEvent {
    readonly tasks: { taskId: string; s3Key: string }[];
  }
  const events = ['a', 'b'].map((s3Key) => ({ invocationSchemaVersion: '1.0', tasks: [{ taskId: 'task-1', s3Key }] }));
  type Answer = (taskId: string, s3Key: string) => readonly object[];
  const worker = (answer: Answer) =>
    handWritten(({ tasks }: BatchEvent, done) => {
      const [task] = tasks;
      const { taskId = '', s3Key = '' } = task ?? {};
      const results = answer(taskId, s3Key);
      if (JSON.stringify(results).includes('Succeeded')) done(taskId);
      return { treatMissingKeysAs: 'PermanentFailure', results };
    });
  const code = (taskId: string, resultCode: string) => ({ taskId, resultCode });

  it.each<[string, Answer, readonly string[], object]>([
    ['done', (id) => [code(id, 'Succeeded')], [], { 'task-1': '1/1 done', 'task-2': '1/1 done' }],
    [
      'failed for now',
      (id, key) => [code(id, key === 'a' ? 'TemporaryFailure' : 'Succeeded')],
      [],
      { 'task-1': '4/0 dead-letter', 'task-2': '1/1 done' },
    ],
    [
      'failed for good',
      (id, key) => [code(id, key === 'a' ? 'PermanentFailure' : 'Succeeded')],
      [],
      { 'task-1': '1/0 dead-letter' },
    ],
    [
      'missing',
      (id, key) => (key === 'a' ? [] : [code(id, 'Succeeded')]),
      ['missing-record task-1'],
      { 'task-1': '1/0 dead-letter' },
    ],
    [
      'twice',
      (id) => [code(id, 'Succeeded'), code(id, 'Succeeded')],
      ['answered-twice task-1', 'answered-twice task-2'],
      {},
    ],
  ])('whose tasks are %s', async (_what, answer, violations, expected) => {
    const result = await simulate(worker(answer), triggers.batchJob(events));
    expect(kinds(result)).toEqual(violations);
    expect(ends(result)).toMatchObject(expected);
  });
});

describe('a rotation', () => {
  const event = { SecretId: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:db', ClientRequestToken: 'v1' };
  const rotator = (run: (step: string, times: number) => void) => {
    const times = new Map<string, number>();
    return handWritten(({ Step }: { Step: string }, done) => {
      const before = times.get(Step) ?? 0;
      times.set(Step, before + 1);
      run(Step, before);
      done('v1');
    });
  };

  it('repeats each step, in order', async () => {
    const result = await simulate(
      rotator(() => {}),
      triggers.rotation(event),
    );
    expect(result.invocations.map(({ records }) => records[0])).toEqual([
      ...['createSecret', 'createSecret', 'setSecret', 'setSecret'],
      ...['testSecret', 'testSecret', 'finishSecret', 'finishSecret'],
    ]);
    expect(kinds(result)).toEqual([]);
  });

  it('finds a step that cannot be repeated', async () => {
    const once = rotator((step, times) => {
      if (step === 'createSecret' && times > 0) throw new Error('ResourceExistsException');
    });
    const result = await simulate(once, triggers.rotation(event));
    expect(ends(result)).toMatchObject({ createSecret: '4/1 dead-letter', setSecret: '0/0 stuck' });
    expect(() => assertNothingLost(result)).toThrow('records are left');
  });

  it('tries a step again that failed once', async () => {
    const result = await simulate(
      rotator((step, times) => {
        if (step === 'setSecret' && times === 0) throw new Error('no');
      }),
      triggers.rotation(event),
      { repeats: 1 },
    );
    expect(ends(result)).toMatchObject({ setSecret: '2/1 done', finishSecret: '1/1 done' });
  });
});

describe('a custom resource', () => {
  interface Request {
    readonly ResponseURL: string;
    readonly RequestType: string;
    readonly PhysicalResourceId?: string;
  }
  const events = ['Create', 'Update', 'Delete'].map((RequestType) => ({ RequestType, LogicalResourceId: 'Zone' }));
  const put = (env: TestEnv, { ResponseURL }: Request, Status: string) =>
    responseFetch(env)(ResponseURL, { method: 'PUT', body: JSON.stringify({ Status, PhysicalResourceId: 'zone-1' }) });
  const resource = (answer: (event: Request, env: TestEnv) => Promise<unknown>) =>
    handWritten(async (event: Request, _done, env) => void (await answer(event, env)));

  it('is answered once, and its id is returned', async () => {
    const ids: unknown[] = [];
    const app = resource(async (event, env) => {
      ids.push(event.PhysicalResourceId);
      await put(env, event, 'SUCCESS');
    });
    const result = await simulate(app, triggers.customResource(events));
    expect(ids).toEqual([undefined, 'zone-1', 'zone-1']);
    expect(kinds(result)).toEqual([]);
    expect(Object.values(result.records).map(({ end }) => end)).toEqual(['done', 'done', 'done']);
  });

  it('that reports FAILED has answered', async () => {
    const result = await simulate(
      resource((event, env) => put(env, event, 'FAILED')),
      triggers.customResource(events),
    );
    expect(kinds(result)).toEqual([]);
    expect(result.records['request-1']?.end).toBe('dead-letter');
  });

  it('that answers before it fails answers twice', async () => {
    let first = true;
    const app = resource(async (event, env) => {
      await put(env, event, 'SUCCESS');
      if (!first) return;
      first = false;
      throw new Error('no');
    });
    const result = await simulate(app, triggers.customResource(events));
    expect(kinds(result)).toEqual(['answered-twice request-1']);
    expect(() => assertNothingLost(result)).toThrow('request-1 was answered twice: send one answer for each request');
  });

  it.each<[string, (event: Request, env: TestEnv) => Promise<unknown>, object]>([
    ['forgets its answer', async () => {}, {}],
    ['always throws', async () => Promise.reject(new Error('no')), {}],
    ['never ends', () => new Promise(() => {}), {}],
    ['does not try again where its answer is refused', (event, env) => put(env, event, 'SUCCESS'), { refuse: 1 }],
  ])('that %s never answers', async (_what, answer, options) => {
    const result = await simulate(resource(answer), triggers.customResource(events.slice(0, 1)), options);
    expect(kinds(result)).toEqual(['never-answered request-1']);
    expect(result.records['request-1']?.end).toBe('lost');
  });

  it('waits for a slow response URL', async () => {
    const result = await simulate(
      resource((event, env) => put(env, event, 'SUCCESS')),
      triggers.customResource(events),
      { delayMs: 3000 },
    );
    expect(times(result)).toEqual([0, 3, 6]);
    expect(kinds(result)).toEqual([]);
  });

  it('requires the environment of its simulation', () => {
    expect(() => responseFetch(createTestEnv())).toThrow('responseFetch needs');
  });
});

it.each<[string, () => unknown]>([
  ['no events', () => triggers.asynchronous([])],
  ['no event', () => triggers.kafka(undefined as never)],
  [
    'an unknown option',
    () =>
      simulate(
        handWritten(() => {}),
        triggers.firehose({ records: [] }),
        { seed: 1 } as never,
      ),
  ],
])('%s is rejected', async (_what, make) => {
  await expect(async () => make()).rejects.toMatchObject({ code: 'app.invalid_configuration' });
});
