import { type Context, contextKey, FrameworkError } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { createMemoryJobLedger, idempotentHandler, withLease } from '@sallyport/jobs';
import { createMemoryRateLimiter, fixedWindow, rateLimitMiddleware } from '@sallyport/ratelimit';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { type Durable, durable } from '../src/index.js';
import { type RunOptions, runExecution, STARTED } from './run.js';

const POST = buildAPIGatewayV2Request('POST', '/orders', { headers: { authorization: 'Bearer secret-token' } });
const MESSAGE = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{ messageId: 'm-1', body: '{}' }]);

/** Runs a durable route of a secure container. */
function runSecure(
  principalResolver: (ctx: object) => unknown,
  handler: (ctx: Durable & Context) => never,
  options: RunOptions = {},
) {
  return runExecution<SecureApp>(
    (app) =>
      app.post(
        '/orders',
        durable((ctx: Context & Durable) => handler(ctx)),
        Authenticated('orders:write'),
      ),
    POST,
    { ...options, create: (given) => new SecureApp({ ...given, principalResolver } as never) },
  );
}

const ADA = {
  identity: 'ada',
  scopes: ['orders:write'],
  tenantId: 't-1',
  claims: { email: 'ada@example.com', secret: 'x' },
};

test('the gate runs once: a token that expires while the execution waits still passes', async () => {
  let asked = 0;
  const seen: unknown[] = [];
  const ran = await runSecure(
    () => {
      asked += 1;
      if (asked > 1) throw new FrameworkError('app.unauthorized');
      return ADA;
    },
    (async (ctx: Durable & Context) => {
      seen.push(ctx.securePrincipal());
      await ctx.wait('pause', { hours: 5 });
      return json(200, { by: await ctx.step('who', () => 'ada') });
    }) as never,
    { claims: ['email'] },
  );
  expect([JSON.parse(ran.result ?? '').statusCode, asked]).toEqual([200, 1]);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]).toMatchObject({ identity: 'ada', tenantId: 't-1', claims: { email: 'ada@example.com' } });
  const recorded = ran.operations.slice(1).map(({ Name, StepDetails }) => [Name, StepDetails?.Result]);
  expect(recorded[0]?.[0]).toBe('framework caller');
  expect(JSON.stringify(recorded)).not.toMatch(/secret/);
});

test('a rejected caller ends the execution without an operation of the handler', async () => {
  const ran = await runSecure(
    () => null,
    () => {
      throw new Error('called');
    },
  );
  expect([JSON.parse(ran.result ?? '').statusCode, ran.operations.slice(1).map(({ Name }) => Name)]).toEqual([
    401,
    ['framework caller'],
  ]);
});

test.each<[string, object, boolean, number, number]>([
  ['ends with 401 if revalidate returns false after a long wait', { hours: 2 }, false, 401, 1],
  ['continues if revalidate returns true', { hours: 2 }, true, 200, 1],
  ['does not ask after a short wait', { minutes: 59 }, false, 200, 0],
])('an execution %s', async (_name, duration, answer, status, asks) => {
  const asked: unknown[] = [];
  const bodies: string[] = [];
  const ran = await runSecure(
    () => ADA,
    (async (ctx: Durable) => {
      // A handler that ignores the rejection cannot continue.
      await ctx.wait('pause', duration).catch(() => {});
      await ctx.step('last', () => void bodies.push('last'));
      await ctx.wait('again', { seconds: 1 });
      return json(200, {});
    }) as never,
    {
      revalidate: (caller) => {
        asked.push(caller.identity);
        return answer;
      },
    },
  );
  expect([JSON.parse(ran.result ?? '').statusCode, asked.length, bodies.length]).toEqual([
    status,
    asks,
    status === 200 ? 1 : 0,
  ]);
});

test('a rate limit counts an execution once', async () => {
  const limiter = createMemoryRateLimiter({ strategy: fixedWindow({ limit: 10, windowMs: 3_600_000 }) });
  let middlewares = 0;
  const ran = await runExecution((app) => {
    app.use(rateLimitMiddleware({ limiter, extractIdentifier: () => 'ada' }));
    app.use((ctx, next) => {
      middlewares += 1;
      return next(ctx);
    });
    app.post(
      '/orders',
      durable(async (ctx) => {
        await ctx.wait('pause', { seconds: 5 });
        return json(200, {});
      }),
    );
  }, POST);
  const answer = JSON.parse(ran.result ?? '') as { statusCode: number; headers: Record<string, string> };
  expect([answer.statusCode, ran.invocations, middlewares]).toEqual([200, 2, 2]);
  const { remaining } = await limiter.consume({ identifier: 'ada', resource: '/orders', operation: 'POST' });
  expect(remaining).toBe(8);
});

test('an idempotent handler begins and completes its key once', async () => {
  const clock = new ManualClock(STARTED);
  const ledger = createMemoryJobLedger({ clock });
  const calls: string[] = [];
  const counted = new Proxy({} as typeof ledger, {
    get(_target, name) {
      const value: unknown = Reflect.get(ledger, name, ledger);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return (value as (...given: unknown[]) => unknown).apply(ledger, args);
      };
    },
  });
  const bodies: string[] = [];
  const deliver = () =>
    runExecution(
      (app) =>
        app.queue(
          'orders',
          idempotentHandler(
            counted,
            { inProgressMs: 3_600_000 },
            durable(async (ctx) => {
              await ctx.step('charge', () => void bodies.push('charge'));
              await ctx.wait('pause', { minutes: 10 });
            }),
          ),
        ),
      MESSAGE,
    );
  const first = await deliver();
  const second = await deliver();
  expect([first.result, second.result]).toEqual(['{"batchItemFailures":[]}', '{"batchItemFailures":[]}']);
  expect([bodies, calls]).toEqual([['charge'], ['beginIdempotency', 'completeIdempotency', 'beginIdempotency']]);
  expect(clock.pendingTimers).toBe(0);
});

test('a plain idempotent handler in a durable function needs no change', async () => {
  const ledger = createMemoryJobLedger({ clock: new ManualClock(STARTED) });
  let calls = 0;
  const deliver = () =>
    runExecution(
      (app) =>
        app.queue(
          'orders',
          idempotentHandler(ledger, {}, () => {
            calls += 1;
          }),
        ),
      MESSAGE,
    );
  expect([(await deliver()).result, (await deliver()).result, calls]).toEqual([
    '{"batchItemFailures":[]}',
    '{"batchItemFailures":[]}',
    1,
  ]);
});

test('a lease around a wait is rejected, and one inside a step is not', async () => {
  const ledger = createMemoryJobLedger({ clock: new ManualClock(STARTED) });
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx) => {
          const code = await withLease(ledger, { name: 'door' }, () => ctx.wait('inside', { seconds: 1 })).catch(
            (error: { code: string }) => error.code,
          );
          const held = await ctx.step('held', () => withLease(ledger, { name: 'door' }, async ({ token }) => token));
          await ctx.wait('after', { seconds: 1 });
          ctx.log.info('done', { code, held });
        }),
      ),
    MESSAGE,
  );
  expect(ran.lines).toEqual([expect.objectContaining({ message: 'done', code: 'durable.held' })]);
});

test('lines, metrics and spans of a handler are written once, and a hook that throws changes nothing', async () => {
  const metrics: string[] = [];
  const spans: string[] = [];
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx) => {
          ctx.log.info('begins');
          ctx.span('work', () => {});
          await ctx.step('first', (step) => step.log.info('in step'));
          ctx.log.info('before the wait');
          await ctx.wait('pause', { seconds: 5 });
          ctx.log.with({ more: 1 }).info('after the wait');
          await ctx.wait('pause again', { seconds: 5 });
          ctx.log.info('ends');
        }),
      ),
    MESSAGE,
    {
      container: {
        observability: {
          metric: ({ name }: { name: string }) => {
            metrics.push(name);
            throw new Error('hook');
          },
          log: () => {
            throw new Error('hook');
          },
          span: {
            start(_kind: string, name: string) {
              spans.push(`start ${name}`);
              return {
                set() {},
                error() {},
                end() {
                  spans.push(`end ${name}`);
                },
                run: (run: () => unknown) => run(),
              };
            },
          },
        },
      },
    },
  );
  expect(ran.invocations).toBe(3);
  expect(ran.lines.slice(0, 5).map(({ message }) => message)).toEqual([
    'begins',
    'in step',
    'before the wait',
    'after the wait',
    'ends',
  ]);
  expect(ran.lines.slice(0, 5).map(({ invocation_id: id }) => id)).toEqual(
    [1, 1, 1, 2, 3].map((count) => `invocation-${count}`),
  );
  expect(metrics).toEqual(['framework.event']);
  expect(spans.filter((span) => span.includes('work'))).toHaveLength(2);
});

test('two executions in one process do not meet', async () => {
  const KEY = contextKey<string>('who');
  const run = (who: string) =>
    runExecution(
      (app) =>
        app.eventBus(
          { source: who },
          durable(async (ctx) => {
            ctx.set(KEY, who);
            await ctx.step('first', () => who);
            await ctx.wait('pause', { seconds: 1 });
            return [ctx.get(KEY) ?? null, await ctx.step('last', () => who)];
          }),
        ),
      { source: who, 'detail-type': 'a', detail: {}, id: who },
    );
  const [a, b] = await Promise.all([run('a'), run('b')]);
  expect([a.result, b.result]).toEqual(['["a","a"]', '["b","b"]']);
});

test('a handler that fails at a replay, before it reaches its recorded operations, leaves an error line', async () => {
  let calls = 0;
  const ran = await runExecution(
    (app) =>
      app.post(
        '/orders',
        durable(async (ctx) => {
          calls += 1;
          if (calls > 1) throw new Error('only at the replay');
          await ctx.wait('pause', { seconds: 5 });
          return json(200, {});
        }),
      ),
    POST,
  );
  expect(JSON.parse(ran.result ?? '').statusCode).toBe(500);
  expect(ran.lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'framework: request failed', invocation_id: 'invocation-2' }),
  );
});
