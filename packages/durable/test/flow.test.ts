import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildEventBusEvent } from '@sallyport/testkit';
import { compensate, type Durable, durable, race, version } from '../src/index.js';
import { type RunOptions, runExecution, runHandler } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });

const run = (handler: (ctx: Durable) => unknown, options?: RunOptions) => runHandler(handler, EVENT, options);

const later = (value: string) => new Promise<string>((resolve) => setTimeout(resolve, 30, value));

test('the winner of a race is recorded: a replay has the same, though both branches are recorded then', async () => {
  const winners: unknown[] = [];
  const ran = await run(async (ctx) => {
    const { winner, value } = await race(ctx, 'first', {
      slow: () => ctx.step('slow', () => later('a')),
      fast: () => ctx.step('fast', () => 'b'),
    });
    winners.push(winner);
    await ctx.step('after', () => later('c'));
    await ctx.wait('pause', { seconds: 5 });
    return [winner, value];
  });
  expect([ran.result, winners]).toEqual(['["fast","b"]', ['fast', 'fast']]);
});

test('a wait limits a callback in a race, and the branch that fails first fails the race', async () => {
  const late = await run(async (ctx) => {
    const { winner } = await race(ctx, 'decision', {
      approved: () =>
        ctx.callback(
          'approval',
          { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } },
          { submit() {}, timeoutSeconds: 86_400 },
        ),
      late: () => ctx.wait('an hour', { hours: 1 }),
    });
    return winner;
  });
  expect(late.result).toBe('"late"');
  const failed = await run((ctx) =>
    race(ctx, 'first', {
      bad: () => ctx.step('bad', () => Promise.reject(new Error('broken'))),
      slow: () => ctx.step('slow', () => later('a')),
    }),
  );
  expect([failed.status, failed.error?.ErrorMessage]).toEqual(['FAILED', 'broken']);
});

test.each<[string, boolean, string]>([
  ['that had passed the place before the marker existed has the old code', true, '["old",1]'],
  ['that begins with the marker has the new code at every replay', false, '["new",2]'],
])('an execution %s', async (_name, deployed, expected) => {
  let invocation = 0;
  const ran = await run(async (ctx) => {
    invocation += 1;
    const has = !deployed || invocation > 1;
    const found = has ? await version(ctx, 'mails', { from: 1, to: 2 }) : 1;
    await ctx.step('mail', () => found);
    await ctx.wait('pause', { seconds: 5 });
    return [found === 2 ? 'new' : 'old', found];
  });
  expect([ran.status, ran.result, ran.invocations]).toEqual(['SUCCEEDED', expected, 2]);
});

test('after a failure, registered functions undo steps once, the last one first, and a failing one stops nothing', async () => {
  const undone: string[] = [];
  const handler = async (ctx: Durable) => {
    await ctx.step('reserve', () => 1);
    compensate(ctx, 'reserve', () => void undone.push('reserve'));
    await ctx.step('charge', () => 1);
    compensate(ctx, 'charge', () => {
      undone.push('charge');
      throw new Error('cannot undo');
    });
    if (ctx.execution) await ctx.wait('pause', { seconds: 5 });
    throw new Error('broken');
  };
  const ran = await run(handler);
  expect([ran.status, ran.error?.ErrorMessage, undone]).toEqual(['FAILED', 'broken', ['charge', 'reserve']]);
  expect(ran.lines.filter(({ message }) => message === 'framework: compensation failed')).toHaveLength(1);
  undone.length = 0;
  await expect(durable((ctx: Durable) => handler(ctx))({} as Durable)).rejects.toThrow('broken');
  expect(undone).toEqual(['charge', 'reserve']);
});

test('a caller who is rejected after a wait ends the execution with its compensations', async () => {
  const undone: string[] = [];
  const ran = await runExecution<SecureApp>(
    (app) =>
      app.post(
        '/orders',
        durable(async (ctx) => {
          compensate(ctx, 'reserve', () => void undone.push('reserve'));
          await ctx.wait('pause', { hours: 2 });
          return json(200, {});
        }),
        Authenticated(),
      ),
    buildAPIGatewayV2Request('POST', '/orders'),
    {
      revalidate: () => false,
      create: (given) =>
        new SecureApp({ ...given, principalResolver: () => ({ identity: 'ada', scopes: [] }) } as never),
    },
  );
  expect([JSON.parse(ran.result ?? '').statusCode, undone]).toEqual([401, ['reserve']]);
});

test.each<[string, unknown, unknown, string]>([
  ['equal', { id: 7, at: 'a' }, { at: 'a', id: 7 }, '"done"'],
  ['different', { id: 7 }, { id: 8 }, '"durable.diverged"'],
  ['new', undefined, { id: 8 }, '"done"'],
])('the input of a step is compared with the recorded one: %s', async (_name, before, after, expected) => {
  let invocation = 0;
  const ran = await run(async (ctx) => {
    invocation += 1;
    const input = invocation === 1 ? before : after;
    const value = await ctx
      .step('work', () => 'done', input === undefined ? {} : { input })
      .catch((error: { code: string }) => error.code);
    await ctx.wait('pause', { seconds: 5 });
    return value;
  });
  expect(ran.result).toBe(expected);
});

test('a step with an input accepts a function without a result', async () => {
  const ran = await run(async (ctx) => {
    const value = await ctx.step('work', () => {}, { input: 1 });
    await ctx.wait('pause', { seconds: 5 });
    return [value === undefined];
  });
  expect(ran.result).toBe('[true]');
});

test('an execution with 2,900 operations rejects the next one', async () => {
  let rejected = 0;
  let code = '';
  const ran = await run(async (ctx) => {
    const steps = Array.from({ length: 2_902 }, (_item, index) =>
      ctx
        .step(`step ${index}`, () => {})
        .catch((error: { code: string }) => {
          rejected += 1;
          code = error.code;
        }),
    );
    await Promise.all(steps);
  });
  expect([ran.status, rejected, code, ran.operations.length]).toEqual([
    'SUCCEEDED',
    3,
    'durable.too_many_operations',
    2_900,
  ]);
});

test('a kill at every checkpoint repeats a step only between its effect and its record', async () => {
  const handler = (bodies: string[]) => async (ctx: Durable) => {
    await ctx.step('first', () => void bodies.push('first'));
    await ctx.wait('pause', { seconds: 5 });
    await ctx.step('last', () => void bodies.push('last'), { effect: 'atMostOnce' }).catch(() => {});
    return 'done';
  };
  const plain: string[] = [];
  const { checkpoints } = await run(handler(plain));
  for (let kill = 1; kill <= checkpoints; kill += 1) {
    const bodies: string[] = [];
    const ran = await run(handler(bodies), {
      onCheckpoint: (checkpoint) => {
        if (checkpoint === kill) throw new Error('killed');
      },
    });
    expect([ran.status, ran.result]).toEqual(['SUCCEEDED', '"done"']);
    expect(bodies.filter((body) => body === 'last').length).toBeLessThanOrEqual(1);
    expect(bodies.filter((body) => body === 'first').length).toBeLessThanOrEqual(2);
  }
  expect(checkpoints).toBeGreaterThan(3);
});
