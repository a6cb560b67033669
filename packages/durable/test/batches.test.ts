import { buildKinesisEvent, buildQueueEvent } from '@sallyport/testkit';
import { type Durable, durable } from '../src/index.js';
import { type App, type Ran, runExecution } from './run.js';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const reportOf = (ran: Ran) =>
  (JSON.parse(ran.result ?? '') as { batchItemFailures: { itemIdentifier: string }[] }).batchItemFailures.map(
    ({ itemIdentifier }) => itemIdentifier,
  );
const contexts = ({ operations }: Ran) => operations.filter(({ Type }) => Type === 'CONTEXT').map(({ Name }) => Name);

const SQS = 'arn:aws:sqs:eu-west-1:123456789012';

/** The event of a data stream. */
const clicks = (...bodies: string[]) =>
  buildKinesisEvent(
    'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks',
    bodies.map((data, index) => ({ data, eventID: `s-${index}` })),
  );

/** Works on a record, waits, and fails for one body. */
const clickHandler =
  (seen: string[], failing: string) =>
  async (ctx: Durable, { kinesis }: { readonly kinesis: { readonly data: string } }) => {
    const body = Buffer.from(kinesis.data, 'base64').toString();
    await ctx.step('work', () => void seen.push(body));
    await ctx.wait('pause', { seconds: 10 });
    if (body === failing) throw new Error('broken');
  };

/** A batch of a standard queue. */
const queue = (...bodies: string[]) =>
  buildQueueEvent(
    `${SQS}:orders`,
    bodies.map((body, index) => ({ body, messageId: `m-${index}` })),
  );
/** A batch of a FIFO queue; each record is `<group> <body>`. */
const fifo = (...records: string[]) =>
  buildQueueEvent(
    `${SQS}:orders.fifo`,
    records.map((record, index) => ({ body: record, messageId: `m-${index}`, groupId: record.split(' ')[0] ?? '' })),
  );

test('two records of step, wait and step need two invocations, and steps share checkpoint calls', async () => {
  const bodies: string[] = [];
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => {
          await ctx.step('first', () => void bodies.push(`first ${body}`));
          await ctx.wait('pause', { minutes: 10 });
          await ctx.step('last', () => void bodies.push(`last ${body}`));
        }),
      ),
    queue('a', 'b'),
  );
  expect([ran.status, reportOf(ran), ran.invocations, ran.checkpoints]).toEqual(['SUCCEEDED', [], 2, 4]);
  expect(bodies).toEqual(['first a', 'first b', 'last a', 'last b']);
  expect(contexts(ran)).toEqual(['queue 0 m-0', 'queue 1 m-1']);
  expect(ran.records.map(({ event }) => event)).toEqual(['event.completed', 'event.completed', 'batch.completed']);
  expect(ran.records.at(-1)).toMatchObject({ records: 2, failed: 0, duration_ms: 600_000 });
});

test.each<[string, string[], string[]]>([
  ['a partial report after waits', ['ok', 'fail', 'ok', 'fail'], ['m-1', 'm-3']],
  ['all failed', ['fail', 'fail'], ['m-0', 'm-1']],
  ['none', ['ok'], []],
])('%s is in record order, and each failure is one line', async (_name, bodies, expected) => {
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => {
          await ctx.wait('pause', { seconds: 5 });
          if (body === 'fail') throw new Error('broken');
        }),
      ),
    queue(...bodies),
  );
  expect([ran.status, reportOf(ran)]).toEqual(['SUCCEEDED', expected]);
  expect(ran.lines.filter(({ level }) => level === 'error').map(({ record_id }) => record_id)).toEqual(expected);
});

test('a failed record without an identifier fails the execution', async () => {
  const event = queue('fail', 'ok');
  const records = event.Records.map((record, index) => (index === 0 ? { ...record, messageId: '' } : record));
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (_ctx, { body }) => {
          if (body === 'fail') throw new Error('broken');
        }),
      ),
    { Records: records },
  );
  expect([ran.status, ran.error?.ErrorType]).toEqual(['FAILED', 'streams.missing_identifier']);
});

test('a record that awaits outside a step is not cut by the wait of its neighbour', async () => {
  const seen: string[] = [];
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => {
          if (body === 'waits') return ctx.wait('pause', { minutes: 1 });
          seen.push('begins');
          await new Promise((resolve) => setTimeout(resolve, 60));
          seen.push('goes on');
          await ctx.step('last', () => void seen.push('last'));
          return undefined;
        }),
      ),
    queue('waits', 'works'),
  );
  expect([reportOf(ran), ran.invocations]).toEqual([[], 2]);
  expect(seen).toEqual(['begins', 'goes on', 'last']);
});

test('a record that awaits outside a step after a step is not cut by the retry of its neighbour', async () => {
  const seen: string[] = [];
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => {
          if (body === 'retries') {
            await ctx.step(
              'work',
              ({ attempt }) => {
                if (attempt < 2) throw new Error('not yet');
              },
              { retry: { attempts: 3, delaySeconds: 30 } },
            );
            return;
          }
          await ctx.step('first', () => turns(3));
          seen.push('begins');
          await new Promise((resolve) => setTimeout(resolve, 60));
          seen.push('goes on');
        }),
      ),
    queue('retries', 'works'),
  );
  expect([reportOf(ran), ran.invocations]).toEqual([[], 2]);
  expect(seen).toEqual(['begins', 'goes on']);
});

test('a plain handler is one step: it runs once, though its neighbour waits', async () => {
  let plain = 0;
  const both = (event: { Records: readonly object[] }, other: { Records: readonly object[] }) => ({
    Records: [...event.Records, ...other.Records],
  });
  const ran = await runExecution(
    (app) => {
      app.queue(
        'orders',
        durable(async (ctx: Durable) => ctx.wait('pause', { minutes: 14 })),
      );
      app.queue('mails', () => {
        plain += 1;
        return new Map();
      });
    },
    both(queue('a'), buildQueueEvent(`${SQS}:mails`, [{ body: 'b', messageId: 'm-9' }])),
  );
  expect([plain, reportOf(ran), ran.invocations]).toEqual([1, [], 2]);
  expect(ran.operations.slice(1).map(({ Type, Name }) => `${Type} ${Name}`)).toEqual([
    'CONTEXT queue 0 m-0',
    'STEP queue 1 m-9',
    'WAIT pause',
  ]);
});

test('two durable records next to two plain records need five calls and eleven operations', async () => {
  const ran = await runExecution(
    (app) => {
      app.queue(
        'orders',
        durable(async (ctx) => {
          await ctx.step('first', () => 1);
          await ctx.wait('pause', { seconds: 5 });
          await ctx.step('last', () => 2);
        }),
      );
      app.queue('mails', (_ctx, { body }) => {
        if (body === 'fail') throw new Error('broken');
      });
    },
    {
      Records: [
        ...queue('a', 'b').Records,
        ...buildQueueEvent(`${SQS}:mails`, [
          { body: 'ok', messageId: 'm-8' },
          { body: 'fail', messageId: 'm-9' },
        ]).Records,
      ],
    },
  );
  expect([reportOf(ran), ran.invocations, ran.operations.length]).toEqual([['m-9'], 2, 11]);
  expect(ran.checkpoints).toBeLessThanOrEqual(5);
});

test('FIFO groups run side by side, regardless of the first to end, and a failure holds back the rest of its group', async () => {
  const seen: string[] = [];
  let invocation = 0;
  const ran = await runExecution(
    (app) => {
      invocation += 1;
      const slow = invocation === 1 ? 'a' : 'b';
      app.queue(
        'orders.fifo',
        durable(async (ctx, { body }) => {
          await ctx.step('work', async () => {
            await turns(body.startsWith(slow) ? 20 : 1);
            seen.push(body);
          });
          await ctx.wait('pause', { seconds: 10 });
          if (body === 'a fail') throw new Error('broken');
        }),
      );
    },
    fifo('a 1', 'b 1', 'a fail', 'b 2', 'a 3', 'b 3'),
  );
  expect([ran.status, reportOf(ran)]).toEqual(['SUCCEEDED', ['m-2', 'm-4']]);
  expect(seen.filter((body) => body.startsWith('a'))).toEqual(['a 1', 'a fail']);
  expect(seen.filter((body) => body.startsWith('b'))).toEqual(['b 1', 'b 2', 'b 3']);
  expect(contexts(ran).filter((name) => name?.startsWith('group'))).toEqual(['group 0', 'group 1']);
});

test.each<[string, object | undefined, string[], string[]]>([
  ['continues after a failure', undefined, ['1', 'fail', '3'], ['s-1']],
  ['stops at a failure if its registration says so', { onFailure: 'stop' }, ['1', 'fail'], ['s-1', 's-2']],
])('a data stream runs its records in order, and %s', async (_name, options, expected, failed) => {
  const seen: string[] = [];
  const ran = await runExecution(
    (app) => app.kinesis('clicks', durable(clickHandler(seen, 'fail')), options),
    clicks('1', 'fail', '3'),
  );
  expect([ran.status, seen]).toEqual(['SUCCEEDED', expected]);
  expect(reportOf(ran)).toEqual(failed);
});

test('the option concurrency of a registration limits its lanes, and ten run without it', async () => {
  const most = async (options?: { concurrency: number }) => {
    let running = 0;
    let highest = 0;
    await runExecution(
      (app) =>
        app.queue(
          'orders',
          async () => {
            running += 1;
            highest = Math.max(highest, running);
            await turns(2);
            running -= 1;
          },
          options,
        ),
      queue(...'abcdefghijklm'),
    );
    return highest;
  };
  expect([await most(), await most({ concurrency: 3 })]).toEqual([10, 3]);
});

describe('a batch with more records than maxRecords', () => {
  const names = Array.from({ length: 7 }, (_, index) => `${'abcdefg'[index]}`);
  const register = (bodies: string[]) => (app: App) =>
    app.queue(
      'orders',
      durable(async (ctx, { body }) => {
        await ctx.step('first', () => void bodies.push(`${body} 1`), { retry: { attempts: 2, delaySeconds: 1 } });
        await ctx.wait('pause', { minutes: body < 'd' ? 1 : 2 });
        await ctx.map('mails', [1], (item, inner) => inner.step('mail', () => item));
        await ctx.step('second', () => void bodies.push(`${body} 2`));
        if (body === 'b' || body === 'g') throw new Error('broken');
      }),
    );

  test('is split into parts: each step runs once, the report is in record order, and a record has no operation', async () => {
    const bodies: string[] = [];
    const ran = await runExecution(register(bodies), queue(...names), { maxRecords: 3 });
    expect(reportOf(ran)).toEqual(['m-1', 'm-6']);
    expect([...bodies].sort()).toEqual(names.flatMap((name) => [`${name} 1`, `${name} 2`]));
    const contexts = ran.operations.filter(({ Type, Name = '' }) => Type === 'CONTEXT' && !Name.includes('/'));
    expect(contexts.map(({ Name }) => Name)).toEqual(['records 0', 'records 3', 'records 6']);
    // The execution and three parts; for each record two steps, a wait, an item of map and its step.
    expect(ran.operations).toHaveLength(4 + 7 * 5);
  });

  test.each([1, 3, 6, 9, 12])('ends with the same report after a kill at checkpoint %s', async (kill) => {
    const bodies: string[] = [];
    const onCheckpoint = (count: number) => {
      if (count === kill) throw new Error('killed');
    };
    const ran = await runExecution(register(bodies), queue(...names), { maxRecords: 3, onCheckpoint });
    expect(reportOf(ran)).toEqual(['m-1', 'm-6']);
    expect(new Set(bodies)).toEqual(new Set(names.flatMap((name) => [`${name} 1`, `${name} 2`])));
  });

  test('keeps the keys of steps, which do not depend on the place of a record', async () => {
    const keysOf = async (maxRecords: number, ...bodies: string[]) => {
      const keys: string[] = [];
      const { Records } = queue('x', 'a', ...bodies);
      const app = (target: App) =>
        target.queue(
          'orders',
          durable(async (ctx) => void (await ctx.step('first', (step) => void keys.push(step.idempotencyKey)))),
        );
      await runExecution(app, { Records: Records.slice(1) }, { maxRecords });
      return keys[0];
    };
    expect(await keysOf(1, 'b')).toBe(await keysOf(100, 'b'));
  });

  test('of a stream stops at the failure, even if an earlier part is recorded', async () => {
    const seen: string[] = [];
    const ran = await runExecution(
      (app) => app.kinesis('clicks', durable(clickHandler(seen, '3')), { onFailure: 'stop' }),
      clicks('1', '2', '3', '4', '5'),
      { maxRecords: 2 },
    );
    expect(seen).toEqual(['1', '2', '3']);
    expect(reportOf(ran)).toHaveLength(3);
  });

  test('of a FIFO queue keeps its groups', async () => {
    const seen: string[] = [];
    const event = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders.fifo', [
      { messageId: 'm-0', body: 'a1', groupId: 'a' },
      { messageId: 'm-1', body: 'b1', groupId: 'b' },
      { messageId: 'm-2', body: 'a2', groupId: 'a' },
      { messageId: 'm-3', body: 'b2', groupId: 'b' },
    ]);
    const ran = await runExecution(
      (app) =>
        app.queue(
          'orders.fifo',
          durable(async (ctx, { body }) => {
            await ctx.wait('pause', { seconds: 1 });
            await ctx.step('work', () => void seen.push(body));
            if (body === 'a1') throw new Error('broken');
          }),
        ),
      event,
      { maxRecords: 2 },
    );
    expect(seen).toEqual(['a1', 'b1', 'b2']);
    expect(reportOf(ran)).toEqual(['m-0', 'm-2']);
  });
});

test('a batch of 100 records with 10 steps needs fewer than 3,000 operations, and reports its failures', async () => {
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => {
          for (let step = 1; step <= 10; step += 1) await ctx.step(`step ${step}`, () => step);
          if (body === '50') throw new Error('broken');
        }),
      ),
    queue(...Array.from({ length: 100 }, (_, index) => `${index}`)),
  );
  expect(reportOf(ran)).toEqual(['m-50']);
  expect(ran.operations).toHaveLength(1 + 100 + 1_000);
});

test('after a suspension no timer of the delivery writes a line', async () => {
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx) => ctx.wait('pause', { minutes: 10 })),
      ),
    queue('a', 'b'),
    { remainingMs: 3_000, onSuspended: (_engine, _invocation, clock) => clock.advance(4_000) },
  );
  expect(ran.lines).toEqual([]);
  expect(ran.records.map(({ event, failed }) => [event, failed])).toEqual([
    ['event.completed', undefined],
    ['event.completed', undefined],
    ['batch.completed', 0],
  ]);
});

test('each message of a standard queue starts its own execution if it can, named by its event, and a redelivery starts none', async () => {
  const started: { name: string; event: object }[] = [];
  const bodies: string[] = [];
  const options = {
    async start(input: { name: string; event: unknown }) {
      if (started.some(({ name }) => name === input.name))
        throw Object.assign(new Error('used'), { code: 'durable.execution_conflict' });
      started.push(input as (typeof started)[0]);
    },
  };
  const register = (app: App) =>
    app.queue(
      'orders',
      durable(async (ctx, { body }) => {
        await ctx.wait('pause', { days: 3 });
        await ctx.step('work', () => void bodies.push(body));
      }),
    );
  const batch = await runExecution(register, queue('a', 'b'), options);
  expect([reportOf(batch), batch.invocations, bodies, started.length]).toEqual([[], 1, [], 2]);
  expect(reportOf(await runExecution(register, queue('a'), options))).toEqual([]);
  expect(started).toHaveLength(2);
  const [first] = started;
  const own = await runExecution(register, first?.event ?? {}, { ...options, name: first?.name });
  expect([reportOf(own), own.invocations, bodies, started.length]).toEqual([[], 2, ['a'], 2]);
});

test.each<[string, Parameters<typeof durable>[1], (ctx: Durable) => Promise<unknown>]>([
  ['a wait longer than its mapping permits', {}, (ctx) => ctx.wait('pause', { minutes: 16 })],
  [
    'two waits that are together longer',
    {},
    async (ctx) => {
      await ctx.wait('a', { minutes: 10 });
      await ctx.wait('b', { minutes: 6 });
    },
  ],
  [
    'a callback longer than its mapping permits',
    {},
    (ctx) => ctx.callback('a', {} as never, { submit() {}, timeoutSeconds: 901 }),
  ],
  ['a handoff that cannot start executions', { delivery: 'handoff' }, async () => {}],
])('%s rejects its record', async (_name, options, handler) => {
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable((ctx) => handler(ctx), options),
      ),
    queue('a'),
  );
  expect(reportOf(ran)).toEqual(['m-0']);
  expect(ran.lines[0]).toMatchObject({ error: { code: 'durable.use_handoff' } });
});

test('keys and ids of a record are equal when AWS delivers it again at another place of a batch', async () => {
  const seen: string[] = [];
  const deliver = (event: object) =>
    runExecution(
      (app) =>
        app.queue(
          'orders',
          durable(async (ctx, { body }) => {
            const id = ctx.newId();
            await ctx.step('charge', (step) => void seen.push(`${body} ${id} ${step.idempotencyKey}`));
          }),
        ),
      event,
    );
  const [first, second] = queue('a', 'b').Records;
  await deliver({ Records: [first, second] });
  await deliver({ Records: [second] });
  expect(seen[2]).toBe(seen[1]);
  expect(seen[1]?.slice(2)).not.toBe(seen[0]?.slice(2));
});
