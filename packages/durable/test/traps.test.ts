/** Traps 3, 4, 8, 9, 10 and 13 of executions. */

import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { FrameworkError } from '@sallyport/core';
import { buildQueueEvent, buildTopicEvent } from '@sallyport/testkit';
import type { DurableEngine, DurableEnvelope } from '@sallyport/testkit/durable';
import { type Durable, durable, race } from '../src/index.js';
import { type App, runExecution, runHandler } from './run.js';

const SQS = 'arn:aws:sqs:eu-west-1:123456789012';
const EVENT = { source: 'shop', 'detail-type': 'Ordered', detail: {}, id: 'event-1' };
const queue = buildQueueEvent(`${SQS}:orders`, [{ messageId: 'm-0' }, { messageId: 'm-1' }]);

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('records of FIFO groups keep their positions if the first records end in another order at the replay', async () => {
  const ends: string[] = [];
  let invocation = 0;
  const ran = await runExecution(
    (app: App) => {
      invocation += 1;
      app.queue(
        'orders.fifo',
        durable(async (ctx, { body }) => {
          // The first record of group a ends after the first record of group b; their ends are recorded.
          await ctx.step('work', () => turns(body === 'a 1' ? 30 : 1));
          if (body.endsWith('2')) await ctx.wait('pause', { seconds: 10 });
          ends.push(`${invocation}: ${body}`);
        }),
      );
    },
    buildQueueEvent(
      `${SQS}:orders.fifo`,
      ['a 1', 'b 1', 'a 2', 'b 2'].map((body, index) => ({ body, messageId: `m-${index}`, groupId: body.slice(0, 1) })),
    ),
  );
  expect([ran.status, ran.result, ran.invocations]).toEqual(['SUCCEEDED', '{"batchItemFailures":[]}', 2]);
  expect(ends).toEqual(['1: b 1', '1: a 1', '2: a 2', '2: b 2']);
});

/** Members of an error that throw when they are read. */
const hostile = (error: object, ...names: string[]) => {
  for (const name of names) {
    Object.defineProperty(error, name, {
      get() {
        throw new Error('getter');
      },
    });
  }
  return error;
};
const everyTrap = new Proxy({}, { get: () => (globalThis as { missing?: () => void }).missing?.() });

test.each<[string, () => unknown, unknown]>([
  ['undefined', () => undefined, null],
  [
    'a FrameworkError',
    () =>
      new FrameworkError('orders.closed', 'closed', {
        statusCode: 409,
        details: { at: 1 },
        headers: { 'retry-after': '5' },
      }),
    ['FrameworkError', 'closed', 'orders.closed', 409, { at: 1 }, { 'retry-after': '5' }],
  ],
  [
    'an error with getters that throw',
    () => hostile(new Error('a'), 'stack', 'message', 'name', 'code'),
    ['Error', ''],
  ],
  ['an object with a getter that throws', () => hostile({}, 'message', 'code', 'toJSON'), ['Error', '']],
  ['a proxy', () => everyTrap, {}],
])('a thrown value is equal at the first run and at each replay: %s', async (_name, toThrow, expected) => {
  const seen: string[] = [];
  const describe = (thrown: unknown) => {
    if (!(thrown instanceof Error)) return thrown ?? null;
    const { name, message, code, statusCode, details, headers } = thrown as unknown as Record<string, unknown>;
    return code === undefined ? [name, message] : [name, message, code, statusCode, details, headers];
  };
  const thrown = () => {
    throw toThrow();
  };
  const caught = (work: Promise<unknown>) => work.then(() => 'nothing was thrown', describe);
  const ran = await runHandler(async (ctx: Durable) => {
    const found = [
      await caught(ctx.step('once', thrown)),
      await caught(ctx.step('twice', thrown, { retry: { attempts: 2, delaySeconds: 1 } })),
      await caught(ctx.map('items', [1], async () => thrown())),
    ];
    seen.push(JSON.stringify(found));
    await ctx.wait('pause', { seconds: 5 });
    await ctx.wait('pause again', { seconds: 5 });
    return found;
  }, EVENT);
  expect(JSON.parse(ran.result ?? '')).toEqual([expected, expected, expected]);
  expect(seen).toEqual([seen[0], seen[0], seen[0]]);
});

test('a step that returns undefined returns undefined at each replay, and does not run again', async () => {
  const seen: unknown[] = [];
  let bodies = 0;
  const ran = await runHandler(async (ctx) => {
    seen.push(
      await ctx.step('nothing', () => {
        bodies += 1;
      }),
    );
    await ctx.wait('pause', { seconds: 5 });
    await ctx.wait('pause again', { seconds: 5 });
  }, EVENT);
  expect([ran.status, seen, bodies]).toEqual(['SUCCEEDED', [undefined, undefined, undefined], 1]);
});

test('a plain handler next to a durable handler that waits for days runs once', async () => {
  let plain = 0;
  const ran = await runExecution(
    (app: App) => {
      app.topic(
        'orders',
        durable(async (ctx: Durable) => ctx.wait('pause', { days: 3 }), { delivery: 'inline' }),
      );
      app.topic('mails', () => {
        plain += 1;
      });
    },
    {
      Records: ['orders', 'mails'].flatMap(
        (topic) => buildTopicEvent(`arn:aws:sns:eu-west-1:123456789012:${topic}`, [{ messageId: topic }]).Records,
      ),
    },
  );
  expect([ran.status, ran.invocations, plain]).toEqual(['SUCCEEDED', 2, 1]);
  expect(Number(ran.endedAt) - ran.startedAt.getTime()).toBe(3 * 86_400_000);
});

test.each<[string, (envelope: DurableEnvelope) => object]>([
  ['as AWS sends them', (envelope) => structuredClone(envelope)],
  [
    "without UpdatedOperationIds, as AWS's local runner sends them",
    ({ UpdatedOperationIds: _, ...envelope }) => structuredClone(envelope),
  ],
])('a history of 3,000 operations in pages is read to its end, with events %s', async (_name, envelope) => {
  const bodies: string[] = [];
  const names = Array.from({ length: 2_999 }, (_, index) => `step ${index}`);
  let engine: DurableEngine | undefined;
  // AWS's SDK alone writes the history, because this package stops at 2,900 operations. Then the process is killed.
  const writeHistory = (event: DurableEnvelope) =>
    new Promise((_resolve, reject) => {
      const transport = {
        checkpoint: (request: never) => engine?.checkpoint(request),
        getExecutionState: (request: never) => engine?.getExecutionState(request),
      };
      const write = withDurableExecution(
        async (_input: unknown, ctx) => {
          await Promise.all(names.map((name) => ctx.step(name, async () => name)));
          reject(new Error('killed'));
          await new Promise(() => {});
        },
        { durableExecutionClient: transport as never },
      );
      write(event as never, { getRemainingTimeInMillis: () => 60_000 } as never).catch(reject);
    });
  const ran = await runHandler(
    async (ctx) => {
      const read = await Promise.all(names.map((name) => ctx.step(name, () => bodies.push(name))));
      const code = await ctx.step('one more', () => bodies.push('one more')).catch((error) => error.code);
      return [read.filter((value, index) => String(value) === `step ${index}`).length, code];
    },
    EVENT,
    {
      envelope,
      onStart: (started) => {
        engine = started;
      },
      serve: (event, invocation) => (invocation === 1 ? writeHistory(event) : undefined),
    },
  );
  expect([ran.result, bodies, ran.operations.length]).toEqual(['[2999,"durable.too_many_operations"]', [], 3_000]);
});

test.each([
  ['all records', ['m-0', 'm-1'], ['m-0', 'm-1']],
  ['no record', [], []],
])('a report after waits names %s that failed', async (_name, failing, expected) => {
  const ran = await runExecution(
    (app: App) =>
      app.queue(
        'orders',
        durable(async (ctx, { messageId }) => {
          await ctx.wait('pause', { minutes: 1 });
          if (failing.includes(messageId)) throw new Error('broken');
        }),
      ),
    queue,
  );
  expect(JSON.parse(ran.result ?? '')).toEqual({
    batchItemFailures: expected.map((itemIdentifier) => ({ itemIdentifier })),
  });
});

test('a step inside a step is rejected in an execution, and only the outer step is recorded', async () => {
  const ran = await runExecution(
    (app: App) =>
      app.queue(
        'orders',
        durable(async (ctx) => void (await ctx.step('outer', () => ctx.step('inner', () => 1)))),
      ),
    queue,
  );
  expect(ran.lines.map(({ error }) => (error as { code: string }).code)).toEqual([
    'durable.nested_step',
    'durable.nested_step',
  ]);
  expect(ran.operations.filter(({ Name }) => Name === 'inner')).toEqual([]);
});

test('the winner of Promise.race can be another at a replay and the one of race cannot; each step runs once', async () => {
  const seen: unknown[] = [];
  const bodies: string[] = [];
  const ran = await runHandler(async (ctx) => {
    void ctx.step('never awaited', () => void bodies.push('never awaited'));
    const branches = {
      slow: () => ctx.step('slow', () => turns(30).then(() => bodies.push('slow'))),
      fast: () => ctx.step('fast', () => bodies.push('fast')),
    };
    const { winner } = await race(ctx, 'recorded', branches);
    const first = await Promise.race([
      ctx.step('slower', () => turns(30).then(() => 'slower')),
      ctx.step('faster', () => 'faster'),
    ]);
    seen.push([winner, first]);
    await ctx.wait('pause', { seconds: 5 });
  }, EVENT);
  expect([ran.status, bodies]).toEqual(['SUCCEEDED', ['never awaited', 'fast', 'slow']]);
  expect(seen).toEqual([
    ['fast', 'faster'],
    ['fast', 'slower'],
  ]);
});
