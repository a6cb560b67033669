import { type Context, contextKey, FrameworkError, type Middleware } from '@sallyport/core';
import { json } from '@sallyport/http';
import { createMemoryRateLimiter, fixedWindow, rateLimitMiddleware } from '@sallyport/ratelimit';
import type { EventMiddleware } from '@sallyport/streams';
import { buildAPIGatewayV2Request, buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { sweep } from '../src/testing.js';
import { type Ran, type RunOptions, runExecution } from './run.js';

const POST = buildAPIGatewayV2Request('POST', '/orders', {});
const EVENT = { source: 'shop', 'detail-type': 'a', detail: {}, id: 'a' };
const TWO_MESSAGES = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
  { messageId: 'm-1', body: '' },
  { messageId: 'm-2', body: '' },
]);

/** The handler of each test: a step, a wait, a step. It answers with what it read from its context. */
const work = async (
  ctx: Durable & Pick<Context, 'get'>,
  read: (ctx: Pick<Context, 'get'>) => unknown = () => 'done',
) => {
  const before = read(ctx);
  await ctx.step('first', () => 1);
  await ctx.wait('pause', { hours: 5 });
  return [before, read(ctx), await ctx.step('last', () => 'last')];
};

const runRoute = (use: readonly Middleware[], read?: (ctx: Pick<Context, 'get'>) => unknown, options?: RunOptions) =>
  runExecution(
    (app) => {
      for (const middleware of use) app.use(middleware);
      app.post(
        '/orders',
        durable(async (ctx) => json(200, await work(ctx, read))),
      );
    },
    POST,
    options,
  );

const answerOf = ({ result }: Ran) => JSON.parse(result ?? '') as { statusCode: number; body: string; headers: object };
const namesOf = ({ operations }: Ran) => operations.slice(1).map(({ Name }) => Name);
const warningsOf = ({ lines }: Ran) => lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
const DROPPED = 'framework: a middleware answered differently at a replay: its recorded outcome counts';

const OPEN_AT_START = () => {
  let calls = 0;
  const isOpen = () => {
    calls += 1;
    return calls === 1;
  };
  return { isOpen, count: () => calls };
};

test.each<[string, (isOpen: () => boolean) => Middleware]>([
  ['answers', (isOpen) => (ctx, next) => (isOpen() ? next(ctx) : json(503, {}))],
  [
    'throws',
    (isOpen) => async (ctx, next) => {
      if (!isOpen()) throw new FrameworkError('app.overloaded');
      return next(ctx);
    },
  ],
])('a middleware that %s at a replay does not end a running execution', async (_verb, make) => {
  const { isOpen, count } = OPEN_AT_START();
  const ran = await runRoute([make(isOpen)]);
  const { statusCode, body } = answerOf(ran);
  expect([statusCode, body, count(), ran.invocations]).toEqual([200, '["done","done","last"]', 2, 2]);
  // It costs no operation.
  expect(namesOf(ran)).toEqual(['first', 'pause', 'last']);
  expect(warningsOf(ran)).toContain(DROPPED);
});

test('a handler that throws after a middleware runs once in each invocation', async () => {
  let calls = 0;
  const ran = await runRoute([(ctx, next) => next(ctx)], () => {
    calls += 1;
    // After the wait: the third reading, of the second invocation.
    if (calls === 3) throw new FrameworkError('orders.closed', 'closed', { statusCode: 409 });
    return 'done';
  });
  expect([answerOf(ran).statusCode, calls, ran.invocations]).toEqual([409, 3, 2]);
  expect(warningsOf(ran)).not.toContain(DROPPED);
});

test.each<[string, NonNullable<RunOptions['replay']> | 'the middleware']>([
  ['replay: true', true],
  ['a list with the middleware', 'the middleware'],
])('with %s, the answer of a middleware counts at each replay', async (_title, replay) => {
  const { isOpen, count } = OPEN_AT_START();
  const flag: Middleware = (ctx, next) => {
    ctx.log.info('asked');
    return isOpen() ? next(ctx) : json(503, { closed: true });
  };
  const ran = await runRoute([flag], undefined, { replay: replay === 'the middleware' ? [flag] : replay });
  expect([answerOf(ran).statusCode, count(), namesOf(ran)]).toEqual([503, 2, ['first', 'pause']]);
  expect(ran.records).toEqual([expect.objectContaining({ event: 'request.completed', execution: 'run-1' })]);
});

test('a middleware can reject a request before the handler has recorded an operation', async () => {
  const ran = await runRoute([() => json(403, {})]);
  expect([answerOf(ran).statusCode, ran.invocations, namesOf(ran)]).toEqual([403, 1, []]);
  expect(ran.records).toEqual([expect.objectContaining({ event: 'request.completed', execution: 'run-1' })]);
});

const TYPED = contextKey<{ readonly plan: string }>('plan of the caller');

test('JSON values of a middleware come from the first invocation, even with typed keys', async () => {
  let calls = 0;
  const ran = await runRoute(
    [
      (ctx, next) => {
        calls += 1;
        ctx.set('flag', calls === 1);
        ctx.set(TYPED, { plan: `plan ${calls}` });
        if (calls > 1) ctx.set('new at the replay', true);
        return next(ctx);
      },
    ],
    (ctx) => [ctx.get('flag'), ctx.get(TYPED)?.plan, ctx.get('new at the replay') ?? null],
  );
  expect(answerOf(ran).body).toBe('[[true,"plan 1",null],[true,"plan 1",null],"last"]');
  expect(namesOf(ran)).toEqual(['framework middlewares', 'first', 'pause', 'last']);
});

test('a middleware that answers at a replay, before it sets its values, has those of the first invocation', async () => {
  const { isOpen } = OPEN_AT_START();
  const ran = await runRoute(
    [
      (ctx, next) => {
        if (!isOpen()) throw new FrameworkError('app.forbidden');
        ctx.set('user', { id: 'ada' });
        ctx.set(TYPED, { plan: 'gold' });
        return next(ctx);
      },
    ],
    (ctx) => [ctx.get('user'), ctx.get(TYPED)],
  );
  expect(answerOf(ran).body).toBe('[[{"id":"ada"},{"plan":"gold"}],[{"id":"ada"},{"plan":"gold"}],"last"]');
});

class Store {
  constructor(readonly name: string) {}
}

test.each<[string, unknown]>([
  ['a class instance', new Store('orders')],
  ['a function', () => 1],
  ['a date', new Date(0)],
  ['a value with a secret', { password: 'hunter2-secret' }],
  ['more than 128 KiB', 'a'.repeat(131_073)],
])('%s is not recorded: it comes from each invocation', async (_title, value) => {
  let calls = 0;
  const ran = await runRoute(
    [
      (ctx, next) => {
        calls += 1;
        ctx.set('live', value);
        return next(ctx);
      },
    ],
    (ctx) => ctx.get('live') === value,
  );
  expect([answerOf(ran).body, calls]).toEqual(['[true,true,"last"]', 2]);
  expect(JSON.stringify(ran.operations)).not.toMatch(/hunter2|aaaa/);
});

test.each<[string, unknown, unknown, unknown]>([
  ['a recorded value counts, even if the value of the replay is not JSON', 'first', new Store('replay'), 'first'],
  ['a value that was not recorded can be another one at a replay', new Store('first'), null, null],
  ['a value that was not recorded can be undefined at a replay', new Store('first'), undefined, 'nothing'],
  ['undefined is no value', undefined, 'replay', 'nothing'],
])('%s', async (_title, first, later, read) => {
  let calls = 0;
  const ran = await runRoute(
    [
      (ctx, next) => {
        calls += 1;
        ctx.set('value', calls === 1 ? first : later);
        return next(ctx);
      },
    ],
    (ctx) => (ctx.get('value') === undefined ? 'nothing' : ctx.get('value')),
  );
  expect(JSON.parse(answerOf(ran).body)).toEqual([read, read, 'last']);
});

test('a handler that reads a value which is not recorded, and which no middleware has set, is rejected', async () => {
  const { isOpen } = OPEN_AT_START();
  const ran = await runRoute(
    [
      (ctx, next) => {
        if (!isOpen()) throw new FrameworkError('app.forbidden');
        ctx.set('store', new Store('orders'));
        return next(ctx);
      },
    ],
    (ctx) => (ctx.get('store') as Store).name,
  );
  expect(answerOf(ran).statusCode).toBe(500);
  expect(JSON.stringify(ran.lines)).toContain('durable.diverged');
});

test('a middleware changes the answer of the invocation that ends the handler', async () => {
  const order: string[] = [];
  const ran = await runRoute([
    async (ctx, next) => {
      order.push('before');
      ctx.log.info('before');
      const answer = await next(ctx);
      order.push('after');
      ctx.log.info('after');
      return { ...answer, headers: { ...answer.headers, 'x-after': ['1'] } };
    },
  ]);
  expect(answerOf(ran).headers).toMatchObject({ 'x-after': '1' });
  expect(order).toEqual(['before', 'before', 'after']);
  expect(ran.lines.map(({ message }) => message)).toEqual(expect.arrayContaining(['before', 'after']));
  expect(ran.lines.filter(({ message }) => message === 'before')).toHaveLength(1);
});

test('an inner middleware that answers at a replay is ignored too, and a rate limit adds no second operation', async () => {
  const limiter = createMemoryRateLimiter({ strategy: fixedWindow({ limit: 10, windowMs: 3_600_000 }) });
  const { isOpen } = OPEN_AT_START();
  const ran = await runRoute([
    rateLimitMiddleware({ limiter, extractIdentifier: () => 'ada' }),
    (ctx, next) => (isOpen() ? next(ctx) : json(503, {})),
  ]);
  expect([answerOf(ran).statusCode, namesOf(ran)]).toEqual([200, ['framework limit', 'first', 'pause', 'last']]);
});

test.each<[string, true | undefined, unknown]>([
  ['does not end a running execution', undefined, ['done', 'done', 'last']],
  ['with replay: true ends it', true, null],
])('a middleware of events that returns without next at a replay %s', async (_title, replay, result) => {
  const { isOpen } = OPEN_AT_START();
  const gate: EventMiddleware = (_ctx, _event, next) => (isOpen() ? next() : undefined);
  const ran = await runExecution(
    (app) => {
      app.useEvents(gate);
      app.eventBus(
        { source: 'shop' },
        durable((ctx) => work(ctx)),
      );
    },
    EVENT,
    replay === undefined ? {} : { replay },
  );
  expect(JSON.parse(ran.result ?? 'null')).toEqual(result);
});

test('each record of a batch has the values that its middleware has set in the first invocation', async () => {
  let calls = 0;
  const seen: unknown[] = [];
  const ran = await runExecution((app) => {
    app.useEvents((ctx, _event, next) => {
      calls += 1;
      ctx.set('count', calls);
      return next();
    });
    app.queue(
      'orders',
      durable(async (ctx) => {
        await ctx.wait('pause', { minutes: 10 });
        seen.push([ctx.recordId, ctx.get('count')]);
      }),
    );
  }, TWO_MESSAGES);
  expect([ran.result, seen, calls]).toEqual([
    '{"batchItemFailures":[]}',
    [
      ['m-1', 1],
      ['m-2', 2],
    ],
    4,
  ]);
});

test('a middleware around a handler that is not durable runs once, with the handler', async () => {
  let calls = 0;
  const ran = await runExecution(
    (app) => {
      app.useEvents((ctx, _event, next) => {
        calls += 1;
        ctx.set('count', calls);
        return next();
      });
      app
        .queue('orders', () => {})
        .queue(
          'mails',
          durable(async (ctx) => ctx.wait('pause', { minutes: 10 })),
        );
    },
    {
      Records: [
        ...TWO_MESSAGES.Records,
        ...buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:mails', [{ messageId: 'm-3', body: '' }]).Records,
      ],
    },
  );
  expect([ran.result, ran.invocations, calls]).toEqual(['{"batchItemFailures":[]}', 2, 4]);
});

test('a kill before the first operation of the handler keeps the recorded values', async () => {
  let calls = 0;
  let isKilled = false;
  const ran = await runRoute(
    [
      (ctx, next) => {
        calls += 1;
        ctx.set('count', calls);
        return next(ctx);
      },
    ],
    (ctx) => ctx.get('count'),
    {
      onCheckpoint: (checkpoint) => {
        if (checkpoint !== 3 || isKilled) return;
        isKilled = true;
        throw new Error('killed');
      },
    },
  );
  expect([isKilled, answerOf(ran).body]).toEqual([true, '[1,1,"last"]']);
});

test('killed at every point, an execution has the values of one invocation', async () => {
  let calls = 0;
  const build = (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    app.useEvents((ctx, _event, next) => {
      calls += 1;
      ctx.set('count', calls % 2 === 1 ? 'odd' : 'even');
      return next();
    });
    app.eventBus(
      { source: 'shop' },
      durable(async (ctx) => {
        const before = ctx.get('count');
        const first = await ctx.step('first', () => before as string);
        await ctx.wait('pause', { minutes: 1 });
        return first === ctx.get('count');
      }),
    );
    return app;
  };
  const { kills, run } = await sweep(build, EVENT);
  expect([kills > 5, run.result]).toEqual([true, true]);
});

test.each<[string, unknown]>([
  ['false', false],
  ['a list of other values', [1]],
])('the option replay rejects %s', (_title, replay) => {
  expect(() => durableExecutions({ replay: replay as never })).toThrow(
    expect.failure('app.invalid_configuration', 'option "replay"'),
  );
});
