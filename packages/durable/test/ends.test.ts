import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { type EndsOptions, ends } from '../src/ends.js';
import { compensate, type Durable, durable } from '../src/index.js';
import { cancelExecution } from '../src/start.js';
import { startEngineApi } from './engine-api.js';
import { FUNCTION, type RunOptions, runExecution } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });
const ARN = `${FUNCTION}:$LATEST/durable-execution/run-1/`;

let engine: DurableEngine;
let api: Awaited<ReturnType<typeof startEngineApi>>;
beforeAll(async () => {
  api = await startEngineApi(() => engine);
});
afterEach(() => api.service.clear());
afterAll(() => api.stop());

const cancel = (arn = engine.list()[0]?.arn ?? ARN) => cancelExecution(arn, { client: api.client });
const codeOf = (call: Promise<unknown>) => call.catch((error: { code?: unknown }) => error.code);
const logOf = (ran: { operations: readonly { Name?: string | undefined; Status: string }[] }) =>
  ran.operations.slice(1).map(({ Name, Status }) => `${Name} ${Status}`);

const run = (handler: (ctx: Durable) => unknown, options: EndsOptions, { onStart, ...rest }: RunOptions = {}) =>
  runExecution(
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable((ctx) => handler(ctx), { use: [ends(options)] }),
      ),
    EVENT,
    {
      ...rest,
      onStart: (started) => {
        engine = started;
        onStart?.(started);
      },
    },
  );

/** Reserves, waits, mails; the reservation is undone if that fails. */
const order = (log: string[], pause: (ctx: Durable) => Promise<unknown>) => async (ctx: Durable) => {
  await ctx.step('reserve', () => void log.push('reserve'));
  compensate(ctx, 'reserve', () => void log.push('release'));
  await pause(ctx);
  await ctx.step('mail', () => void log.push('mail'));
};

const PAUSES: readonly (readonly [string, (ctx: Durable) => Promise<unknown>])[] = [
  ['a wait', (ctx) => ctx.wait('pause', { hours: 2 })],
  ['a callback', (ctx) => ctx.callback('answer', z.string(), { submit() {}, timeout: { days: 1 } })],
  [
    'a delay before the next attempt of a step',
    (ctx) =>
      ctx.step('flaky', () => Promise.reject(new Error('down')), {
        retry: { attempts: 9, delaySeconds: 7200, maxDelaySeconds: 7200 },
      }),
  ],
  ['an item of map', (ctx) => ctx.map('items', [1, 2], async (item, inner) => inner.wait('pause', { hours: item }))],
];

test.each(PAUSES)(
  'a cancelled execution ends at %s with its compensations, even if processes are killed',
  async (_name, pause) => {
    const plain: string[] = [];
    const cancelled = async (_engine: DurableEngine, invocation: number) => void (invocation === 1 && (await cancel()));
    const ran = await run(order(plain, pause), { cancellable: true }, { onSuspended: cancelled });
    expect([ran.status, ran.error?.ErrorType, plain]).toEqual(['FAILED', 'durable.cancelled', ['reserve', 'release']]);
    for (let kill = 1; kill <= ran.checkpoints; kill += 1) {
      const log: string[] = [];
      let asked = false;
      const again = await run(
        order(log, pause),
        { cancellable: true },
        {
          onCheckpoint: (checkpoint) => {
            if (checkpoint === kill) throw new Error('killed');
          },
          onSuspended: async () => {
            if (!asked) asked = (await codeOf(cancel())) !== 'durable.not_cancellable';
          },
        },
      );
      expect([again.status, again.error?.ErrorType]).toEqual(['FAILED', 'durable.cancelled']);
      expect(log).not.toContain('mail');
      expect(log.filter((entry) => entry === 'release').length).toBeGreaterThan(0);
    }
  },
);

test('the caller of a cancelled route receives 409 and the code', async () => {
  const ran = await runExecution<SecureApp>(
    (app) =>
      app.post(
        '/orders',
        durable(
          async (ctx) => {
            await ctx.wait('pause', { minutes: 2 });
            return json(200, {});
          },
          { use: [ends({ cancellable: true })] },
        ),
        Authenticated(),
      ),
    buildAPIGatewayV2Request('POST', '/orders'),
    {
      onStart: (started) => {
        engine = started;
      },
      onSuspended: (_engine, invocation) => (invocation === 1 ? cancel() : undefined),
      create: (given) =>
        new SecureApp({ ...given, principalResolver: () => ({ identity: 'ada', scopes: [] }) } as never),
    },
  );
  const { statusCode, body } = JSON.parse(ran.result ?? '');
  expect([statusCode, body]).toEqual([409, expect.stringContaining('durable.cancelled')]);
});

test('a cancellation before the first wait is rejected, and a later one finds an execution that is over', async () => {
  const seen: unknown[] = [];
  const ran = await run(
    async (ctx) => {
      await ctx.step('early', async () => void seen.push(await codeOf(cancel())));
      await ctx.wait('pause', { hours: 1 });
    },
    { cancellable: true },
    {
      onSuspended: async (_engine, invocation) => void (invocation === 1 && seen.push((await cancel()).outcome)),
    },
  );
  seen.push((await cancel()).outcome, await codeOf(cancel(`${ARN}7`)), await codeOf(cancel('')));
  expect(ran.status).toBe('FAILED');
  expect(seen).toEqual([
    'durable.not_cancellable',
    'requested',
    'ended',
    'durable.execution_gone',
    'durable.invalid_input',
  ]);
});

test('a lost answer of the cancellation is repeated by the client, and requests it once', async () => {
  const seen: unknown[] = [];
  const ran = await run(
    (ctx) => ctx.wait('pause', { hours: 1 }),
    { cancellable: true },
    {
      onSuspended: async (_engine, invocation) => {
        if (invocation > 1) return;
        api.service.inject({ kind: 'lost-answer' }, { operation: 'SendDurableExecutionCallbackSuccess', times: 1 });
        seen.push(await cancel());
      },
    },
  );
  expect([ran.error?.ErrorType, seen]).toEqual(['durable.cancelled', [{ outcome: 'requested' }]]);
});

test('an execution that was not made cancellable rejects the cancellation and continues', async () => {
  const seen: unknown[] = [];
  const ran = await run(
    (ctx) => ctx.wait('pause', { hours: 1 }),
    {},
    { onSuspended: async () => seen.push(await codeOf(cancel())) },
  );
  expect([ran.status, seen]).toEqual(['SUCCEEDED', ['durable.not_cancellable']]);
});

test('a cancellation while a step runs ends the next wait: the step is completed and recorded, and twice is once', async () => {
  const log: string[] = [];
  const ran = await run(
    async (ctx) => {
      await ctx.wait('first', { seconds: 5 });
      await ctx.step('long', async () => void log.push((await cancel()).outcome, (await cancel()).outcome));
      await ctx.wait('second', { seconds: 5 });
      log.push('not reached');
    },
    { cancellable: true },
  );
  expect([ran.error?.ErrorType, log]).toEqual(['durable.cancelled', ['requested', 'existing']]);
  expect(logOf(ran)).toEqual([
    'first SUCCEEDED',
    'framework cancel SUCCEEDED',
    'long SUCCEEDED',
    'second STARTED',
    'framework end SUCCEEDED',
  ]);
});

test('a handler can continue after a cancellation: steps run, and no further wait does', async () => {
  const ran = await run(
    async (ctx) => {
      const first = await codeOf(ctx.wait('pause', { hours: 1 }));
      const note = await ctx.step('note', () => 'noted');
      return [first, note, await codeOf(ctx.wait('again', { hours: 1 }))];
    },
    { cancellable: true },
    { onSuspended: (_engine, invocation) => (invocation === 1 ? cancel() : undefined) },
  );
  expect([ran.status, ran.result]).toEqual(['SUCCEEDED', '["durable.cancelled","noted","durable.cancelled"]']);
});

test.each(PAUSES)(
  'an execution that reaches its time limit at %s fails with its compensations',
  async (_name, pause) => {
    const log: string[] = [];
    const ran = await run(order(log, pause), { timeout: { minutes: 30 } });
    expect([ran.status, ran.error?.ErrorType, log]).toEqual(['FAILED', 'durable.timeout', ['reserve', 'release']]);
    expect(ran.endedAt?.toISOString()).toBe('2026-11-29T10:30:00.000Z');
  },
);

test('a handler that ends before its time limit, or runs outside an execution, is not rejected', async () => {
  const ran = await run((ctx) => ctx.wait('pause', { minutes: 5 }), { timeout: { minutes: 30 }, cancellable: true });
  expect([ran.status, ran.operations.length]).toEqual(['SUCCEEDED', 4]);
  const outside = durable((ctx: Durable) => ctx.step('a', () => 1), { use: [ends({ timeout: { minutes: 1 } })] });
  expect(await outside({} as Durable)).toBe(1);
});

test('code after a callback that was answered while the execution became cancellable is not lost', async () => {
  const ids: string[] = [];
  let late = 0;
  const handler = async (ctx: Durable) => {
    await ctx.callback('answer', z.string(), { submit: (given) => void ids.push(given), timeout: { days: 1 } });
    late += 1;
    await ctx.step('b', () => {});
    await new Promise((resolve) => setTimeout(resolve, 40));
    await ctx.step('c', () => {});
    return late;
  };
  const ran = await run(
    handler,
    { cancellable: true },
    {
      onCheckpoint: () => {
        const isStarted = engine.operations(engine.list()[0]?.arn ?? '').some(({ Name }) => Name === 'answer submit');
        for (const id of isStarted ? ids.splice(0) : []) engine.succeedCallback(id, '"yes"');
      },
    },
  );
  expect(ran.status).toBe('SUCCEEDED');
});

test.each<[string, object, string]>([
  ['an unknown option', { timeuot: { hours: 1 } }, 'timeuot'],
  ['a time limit of 0', { timeout: { seconds: 0 } }, 'timeout'],
  ['a time limit that is not a number', { timeout: { hours: Number.NaN } }, 'timeout'],
  ['a time limit of 400 days', { timeout: { days: 400 } }, 'timeout'],
  ['cancellable as text', { cancellable: 'yes' }, 'cancellable'],
])('%s is rejected when the handler is defined', (_name, options, named) => {
  expect(() => ends(options as never)).toThrow(named);
});

test.each<[string, object, string]>([
  ['both', { timeout: { seconds: 1 }, timeoutSeconds: 1 }, 'exclude'],
  ['none', {}, 'timeoutSeconds'],
  ['0 seconds', { timeout: { seconds: 0 } }, 'duration'],
])('a callback with %s of its time limits is rejected before anything is recorded', async (_name, options, named) => {
  const ran = await run((ctx) => ctx.callback('a', z.string(), { submit() {}, ...options }), {});
  expect([ran.error?.ErrorType, ran.operations.length]).toEqual(['durable.invalid_operation', 1]);
  expect(ran.error?.ErrorMessage).toContain(named);
});
