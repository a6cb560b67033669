import { buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { z } from 'zod';
import type { Durable } from '../src/index.js';
import { completeCallback } from '../src/start.js';
import { startEngineApi } from './engine-api.js';
import { type RunOptions, runHandler } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });

let engine: DurableEngine;
let api: Awaited<ReturnType<typeof startEngineApi>>;
beforeAll(async () => {
  api = await startEngineApi(() => engine);
});
afterAll(() => api.stop());

const run = (handler: (ctx: Durable) => unknown, options: RunOptions = {}) =>
  runHandler(handler, EVENT, {
    ...options,
    onStart: (started) => {
      engine = started;
    },
  });

class Order {
  readonly #id = 7;
  get id(): number {
    return this.#id;
  }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    (value) => (value === undefined ? 'undefined' : JSON.stringify(value)),
    (error: { code?: unknown; name?: unknown }) => error.code ?? error.name,
  );

test.each<[string, (ctx: Durable) => Promise<unknown>, string, string[]]>([
  ['a wait of -1 second', (ctx) => ctx.wait('a', { seconds: -1 }), 'durable.invalid_operation', []],
  ['a wait of NaN days', (ctx) => ctx.wait('a', { days: Number.NaN }), 'durable.invalid_operation', []],
  ['a wait of 400 days', (ctx) => ctx.wait('a', { days: 400 }), 'durable.invalid_operation', []],
  ['a wait of half a second', (ctx) => ctx.wait('a', { seconds: 0.5 }), 'durable.invalid_operation', []],
  ['an instance of a class', (ctx) => ctx.step('a', () => new Order() as never), 'durable.not_json', ['a FAILED']],
  ['a stream', (ctx) => ctx.step('a', () => new ReadableStream() as never), 'durable.not_json', ['a FAILED']],
  ['undefined', (ctx) => ctx.step('a', () => undefined), 'undefined', ['a SUCCEEDED']],
  [
    'two operations of one name',
    async (ctx) => {
      await ctx.step('a', () => 1);
      return ctx.wait('a', { seconds: 1 });
    },
    'durable.duplicate_name',
    ['a SUCCEEDED'],
  ],
  [
    'a callback with the name of a step',
    async (ctx) => {
      await ctx.step('a', () => 1);
      return ctx.callback('a', z.string(), { submit() {}, timeoutSeconds: 60 });
    },
    'durable.duplicate_name',
    ['a SUCCEEDED'],
  ],
])('%s in an execution: the same answer at the first run and at a replay', async (_name, operation, code, recorded) => {
  const codes: unknown[] = [];
  const ran = await run(async (ctx) => {
    codes.push(await codeOf(operation(ctx)));
    await ctx.wait('pause', { seconds: 5 });
  });
  expect([ran.status, codes]).toEqual(['SUCCEEDED', [code, code]]);
  expect(ran.operations.slice(1, -1).map(({ Name, Status }) => `${Name} ${Status}`)).toEqual(recorded);
});

test('a callback is answered once: a second answer, a late one and one for no execution are gone, and no line has its id', async () => {
  const ids: string[] = [];
  const outcomes: unknown[] = [];
  const errors: unknown[] = [];
  const answer = (id: string, value: unknown = 'yes') =>
    completeCallback(id, value, { client: api.client }).then(
      ({ outcome }) => outcomes.push(outcome),
      (error: { code?: unknown }) => {
        errors.push(error);
        outcomes.push(error.code);
      },
    );
  const ran = await run(
    async (ctx) => {
      const early = await ctx.callback('early', z.string(), {
        async submit(id) {
          ids.push(id);
          await answer(id);
          await answer(id, 'no');
        },
        timeoutSeconds: 60,
      });
      const late = await codeOf(
        ctx.callback('late', z.string(), { submit: (id) => void ids.push(id), timeoutSeconds: 60 }),
      );
      return [early, late];
    },
    { onSuspended: (started) => started.skip(({ kind }) => kind === 'callback') },
  );
  await answer(ids[1] ?? '');
  await answer(ids[1] ?? '', 'a'.repeat(262_143));
  await run(async () => {});
  await answer(ids[0] ?? '');
  expect(ran.result).toBe('["yes","durable.callback_timeout"]');
  expect(outcomes).toEqual([
    'completed',
    'durable.callback_gone',
    'durable.callback_gone',
    'durable.too_large',
    'durable.callback_gone',
  ]);
  const text = JSON.stringify([ran.lines, ran.records, errors.map((error) => [String(error), (error as Error).stack])]);
  for (const id of ids) expect(text).not.toContain(id);
});
