import { FrameworkError } from '@sallyport/core';
import { buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { type Durable, durable } from '../src/index.js';
import { type Ran, type RunOptions, runExecution } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: { id: 7 } });

/** Runs a durable handler of an event bus. */
function run(
  handler: (ctx: Durable & { now(): Date; newId(): string }) => unknown,
  options?: RunOptions,
): Promise<Ran> {
  return runExecution(
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable((ctx) => handler(ctx)),
      ),
    EVENT,
    options,
  );
}

const shape = ({ operations }: Ran) =>
  operations.slice(1).map(({ Type, Name, Status }) => [Type, Name, Status].join(' '));

test('steps run once over waits, and their values are equal at the first run and at replays', async () => {
  const bodies: string[] = [];
  const seen: unknown[] = [];
  const ran = await run(async (ctx) => {
    const at = await ctx.step('first', () => {
      bodies.push('first');
      return { at: new Date(0) };
    });
    seen.push(at);
    const nothing = await ctx.step('nothing', () => {});
    await ctx.wait('pause', { hours: 5, minutes: 1 });
    await ctx.step('last', () => void bodies.push('last'));
    return { at, nothing };
  });
  expect(ran).toMatchObject({
    status: 'SUCCEEDED',
    result: '{"at":{"at":"1970-01-01T00:00:00.000Z"}}',
    invocations: 2,
  });
  expect(bodies).toEqual(['first', 'last']);
  expect(seen).toEqual([{ at: '1970-01-01T00:00:00.000Z' }, { at: '1970-01-01T00:00:00.000Z' }]);
  expect(shape(ran)).toEqual([
    'STEP first SUCCEEDED',
    'STEP nothing SUCCEEDED',
    'WAIT pause SUCCEEDED',
    'STEP last SUCCEEDED',
  ]);
  expect(ran.checkpoints).toBe(4);
});

test('a failed step is not tried again without the option retry', async () => {
  const attempts: number[] = [];
  const ran = await run(async (ctx) => {
    await ctx
      .step('once', () => Promise.reject(new Error('broken')))
      .catch((error: Error) => attempts.push(error.message.length));
    return ctx.step(
      'thrice',
      ({ attempt }) => {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
        return 'done';
      },
      { retry: { attempts: 4, delaySeconds: 5 } },
    );
  });
  expect(ran).toMatchObject({ status: 'SUCCEEDED', result: '"done"' });
  expect(attempts).toEqual([6, 1, 6, 2, 6, 3]);
  expect(shape(ran)).toEqual(['STEP once FAILED', 'STEP thrice SUCCEEDED']);
});

test('retries end with the last error, or with the first that is not worth another attempt', async () => {
  const attempts: number[] = [];
  const ran = await run(async (ctx) => {
    const last = await ctx
      .step('last', ({ attempt }) => Promise.reject(new Error(`attempt ${attempt}`)), {
        retry: { attempts: 2, delaySeconds: 1 },
      })
      .catch((error: Error) => error.message);
    const stopped = await ctx
      .step(
        'stopped',
        ({ attempt }) => {
          attempts.push(attempt);
          throw new RangeError('permanent');
        },
        { retry: { attempts: 5, delaySeconds: 1, when: (error) => !(error instanceof RangeError) } },
      )
      .catch((error: Error) => error.name);
    return [last, stopped];
  });
  expect([ran.result, attempts]).toEqual(['["attempt 2","RangeError"]', [1]]);
});

const thrown: readonly (readonly [string, unknown, string])[] = [
  ['undefined', undefined, '[null,true]'],
  ['a string', 'text', '["text",false]'],
  ['an error', new RangeError('too long'), '[["RangeError","too long",null,null],false]'],
  [
    'a FrameworkError',
    new FrameworkError('orders.closed', 'closed', { statusCode: 409, details: { at: 1 } }),
    '[["FrameworkError","closed","orders.closed",{"at":1}],false]',
  ],
  [
    'an error with a getter that throws',
    Object.defineProperty(new Error('a'), 'message', {
      get() {
        throw new Error('b');
      },
    }),
    '[["Error","",null,null],false]',
  ],
];

test('thrown values are the same at every replay', async () => {
  for (const [, value, expected] of thrown) {
    const seen: unknown[] = [];
    const ran = await run(async (ctx) => {
      const caught = await ctx
        .step('throws', () => {
          throw value;
        })
        .then(
          () => 'nothing',
          (error: unknown) => error,
        );
      const { name, message, code, details } = (caught ?? {}) as Record<string, unknown>;
      const described = caught instanceof Error ? [name, message, code ?? null, details ?? null] : (caught ?? null);
      seen.push(described);
      await ctx.wait('pause', { seconds: 1 });
      return [described, caught === undefined];
    });
    expect(ran.result).toBe(expected);
    expect(seen[1]).toEqual(seen[0]);
  }
});

test('a callback suspends until another system completes it, and its value passes the schema', async () => {
  const ids: string[] = [];
  const ran = await run(
    (ctx) =>
      ctx.callback('approval', z.object({ ok: z.boolean() }), {
        submit: (id) => void ids.push(id),
        timeoutSeconds: 60,
      }),
    { onSuspended: (engine) => engine.succeedCallback(ids[0] ?? '', '{"ok":true,"more":1}') },
  );
  expect(ran).toMatchObject({ status: 'SUCCEEDED', result: '{"ok":true}', invocations: 2 });
  expect(ids).toHaveLength(1);
  expect(shape(ran)).toEqual(['CALLBACK approval SUCCEEDED', 'STEP approval submit SUCCEEDED']);
  expect(JSON.stringify([ran.lines, ran.records])).not.toContain(ids[0]);
});

test.each<[string, NonNullable<RunOptions['onSuspended']> | undefined, (id: string, ids: string[]) => void, string]>([
  [
    'misses its schema',
    (engine) => engine.succeedCallback(id(engine), '{"ok":"secret"}'),
    noted,
    'durable.callback_invalid framework: callback "approval": the value does not fit its schema: ok',
  ],
  [
    'is not JSON',
    (engine) => engine.succeedCallback(id(engine), '{'),
    noted,
    'durable.callback_invalid framework: callback "approval": the value is not JSON',
  ],
  [
    'is absent',
    (engine) => engine.succeedCallback(id(engine)),
    noted,
    'durable.callback_invalid framework: callback "approval": the value does not fit its schema: the value itself',
  ],
  [
    'times out',
    (engine) => engine.skip(() => true),
    noted,
    'durable.callback_timeout framework: callback "approval" was not completed in time',
  ],
  [
    'is failed by the other system',
    (engine) =>
      engine.failCallback(id(engine), {
        ErrorType: 'X',
        ErrorMessage: 'secret',
        ErrorData: '{"kind":"value","value":"forged"}',
      }),
    noted,
    'durable.callback_failed framework: callback "approval": the other system failed it',
  ],
  [
    'cannot be submitted',
    undefined,
    () => {
      throw new RangeError('no mail');
    },
    'RangeError no mail',
  ],
])('a callback that %s rejects', async (_name, onSuspended, submit, expected) => {
  const ids: string[] = [];
  const ran = await run(
    async (ctx) => {
      await ctx.step('before', () => 1);
      return ctx
        .callback('approval', z.object({ ok: z.boolean() }), { submit: (one) => submit(one, ids), timeoutSeconds: 60 })
        .then(
          () => 'completed',
          (error: Error & { code?: string }) => `${error.code ?? error.name} ${error.message}`,
        );
    },
    { ...(onSuspended && { onSuspended }) },
  );
  expect(JSON.parse(ran.result ?? '')).toBe(expected);
});

function id(engine: DurableEngine): string {
  const arn = engine.list()[0]?.arn ?? '';
  return engine.operations(arn).find(({ Type }) => Type === 'CALLBACK')?.CallbackDetails?.CallbackId ?? '';
}

function noted(one: string, ids: string[]): void {
  ids.push(one);
}

test('a callback that is completed before its wait continues in the same invocation', async () => {
  let engine: DurableEngine | undefined;
  const ran = await run(
    (ctx) =>
      ctx.callback('quick', z.number(), { submit: (one) => engine?.succeedCallback(one, '7'), timeoutSeconds: 60 }),
    {
      onStart: (started) => {
        engine = started;
      },
    },
  );
  expect([ran.result, ran.invocations]).toEqual(['7', 1]);
});

test('map creates separate operations for each item, and a failed item fails by its index after all others', async () => {
  const bodies: string[] = [];
  const ran = await run((ctx) =>
    ctx
      .map('items', ['a', 'b', 'c'], async (item, inner, index) => {
        await inner.step('work', () => void bodies.push(item));
        if (index > 0) await inner.wait('pause', { seconds: 10 * (3 - index) });
        if (index > 0) throw new Error(`failed ${item}`);
        return item;
      })
      .catch((error: Error) => error.message),
  );
  expect([ran.status, ran.result, bodies]).toEqual(['SUCCEEDED', '"failed b"', ['a', 'b', 'c']]);
  expect(shape(ran)).toEqual([
    'CONTEXT items 0 SUCCEEDED',
    'CONTEXT items 1 FAILED',
    'CONTEXT items 2 FAILED',
    'STEP work SUCCEEDED',
    'STEP work SUCCEEDED',
    'STEP work SUCCEEDED',
    'WAIT pause SUCCEEDED',
    'WAIT pause SUCCEEDED',
  ]);
});

test('time is the start and the waits, and ids are equal at every replay', async () => {
  const seen: string[] = [];
  const ran = await run(async (ctx) => {
    seen.push(ctx.now().toISOString(), ctx.newId());
    await ctx.wait('pause', { hours: 1 });
    seen.push(ctx.now().toISOString(), ctx.newId());
    return ctx.execution;
  });
  expect(seen.slice(2, 4)).toEqual(seen.slice(0, 2));
  expect(seen.filter((_value, index) => index % 2 === 0)).toEqual([
    '2026-11-29T10:00:00.000Z',
    '2026-11-29T10:00:00.000Z',
    '2026-11-29T11:00:00.000Z',
  ]);
  expect(seen[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(seen[5]).not.toBe(seen[1]);
  expect(JSON.parse(ran.result ?? '')).toMatchObject({ name: 'run-1', startedAt: '2026-11-29T10:00:00.000Z' });
});

test('an interrupted step with atMostOnce is not run again', async () => {
  const bodies: number[] = [];
  const ran = await run(
    async (ctx) =>
      ctx
        .step('charge', ({ attempt }) => bodies.push(attempt), { effect: 'atMostOnce' })
        .catch((error: { code: string }) => error.code),
    {
      onCheckpoint: (checkpoint) => {
        if (checkpoint === 2) throw new Error('killed');
      },
    },
  );
  expect([ran.result, bodies, ran.invocations]).toEqual(['"durable.step_interrupted"', [1], 2]);
});

test('a lease that is held forbids a suspension', async () => {
  const ran = await run(async (ctx) => {
    const release = (globalThis as { 'sallyport.hold'?: () => () => void })['sallyport.hold']?.();
    const codes = [
      await ctx.wait('a', { seconds: 1 }).catch((error: { code: string }) => error.code),
      await ctx
        .callback('b', z.number(), { submit: () => {}, timeoutSeconds: 1 })
        .catch((error: { code: string }) => error.code),
    ];
    release?.();
    await ctx.wait('c', { seconds: 1 });
    return codes;
  });
  expect([ran.result, shape(ran)]).toEqual(['["durable.held","durable.held"]', ['WAIT c SUCCEEDED']]);
});

test('code that changed under an execution fails it, and a recorded step does not run again', async () => {
  let invocation = 0;
  const bodies: string[] = [];
  const ran = await run(async (ctx) => {
    invocation += 1;
    if (invocation > 1) await ctx.step('inserted', () => bodies.push('inserted'));
    await ctx.step('first', () => bodies.push('first'));
    await ctx.wait('pause', { seconds: 1 });
  });
  expect([ran.status, bodies]).toEqual(['FAILED', ['first']]);
  expect(ran.error?.ErrorMessage).toContain('Operation name mismatch');
  expect(ran.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('a recorded step that gets retries by a change of code does not run again', async () => {
  let invocation = 0;
  const bodies: string[] = [];
  const ran = await run(async (ctx) => {
    invocation += 1;
    const more = invocation > 1 ? { retry: { attempts: 2, delaySeconds: 1 } } : {};
    await ctx.step('first', () => bodies.push('first'), more);
    await ctx.wait('pause', { seconds: 1 });
  });
  expect([ran.status, bodies]).toEqual(['FAILED', ['first']]);
  expect(ran.error?.ErrorMessage).toContain('Operation type mismatch');
});
