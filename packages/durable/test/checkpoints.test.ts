/** Calls of an execution to the service, compared with the same work with the SDK of AWS alone. */

import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { type BuildDurable, runDurable } from '../src/testing.js';

const TEN = Array.from({ length: 10 }, (_, index) => index);
const EVENT = { version: '0', id: 'event-1', source: 'shop', 'detail-type': 'order', detail: {} };

const withSdk =
  (work: (ctx: DurableContext) => Promise<unknown>): BuildDurable =>
  () =>
    withDurableExecution((_event: unknown, ctx) => work(ctx));
const withOurs =
  (work: (ctx: Durable) => Promise<unknown>): BuildDurable =>
  (env) =>
    env.app({ surfaces: [durableExecutions()] }).eventBus(
      { source: 'shop' },
      durable(async (ctx) => void (await work(ctx))),
    );

const ANYTHING = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

const WORK: Readonly<Record<string, readonly [sdk: BuildDurable, ours: BuildDurable]>> = {
  'ten steps': [
    withSdk(async (ctx) => {
      for (const index of TEN) await ctx.step(`step ${index}`, async () => index);
    }),
    withOurs(async (ctx) => {
      for (const index of TEN) await ctx.step(`step ${index}`, () => index);
    }),
  ],
  'a wait between two steps': [
    withSdk(async (ctx) => {
      await ctx.step('charge', async () => 1);
      await ctx.wait('pause', { minutes: 10 });
      await ctx.step('mail', async () => 2);
    }),
    withOurs(async (ctx) => {
      await ctx.step('charge', () => 1);
      await ctx.wait('pause', { minutes: 10 });
      await ctx.step('mail', () => 2);
    }),
  ],
  'ten steps side by side': [
    withSdk((ctx) => Promise.all(TEN.map((index) => ctx.step(`step ${index}`, async () => index)))),
    withOurs((ctx) => Promise.all(TEN.map((index) => ctx.step(`step ${index}`, () => index)))),
  ],
  'a map of ten items with a step each': [
    withSdk(async (ctx) => void (await ctx.map('mails', TEN, (item, index) => item.step('send', async () => index)))),
    withOurs((ctx) => ctx.map('mails', TEN, (index, item) => item.step('send', () => index))),
  ],
  'a callback': [
    withSdk((ctx) => ctx.waitForCallback('approval', async () => undefined, { timeout: { hours: 1 } })),
    withOurs((ctx) => ctx.callback('approval', ANYTHING, { submit: () => undefined, timeoutSeconds: 3600 })),
  ],
};

/** Calls that record operations, operations with the execution itself, and invocations. */
type Counts = readonly [calls: number, operations: number, invocations: number];

it.each<[keyof typeof WORK, { sdk: Counts; ours: Counts }]>([
  ['ten steps', { sdk: [10, 11, 1], ours: [10, 11, 1] }],
  ['a wait between two steps', { sdk: [3, 4, 2], ours: [3, 4, 2] }],
  ['ten steps side by side', { sdk: [1, 11, 1], ours: [1, 11, 1] }],
  ['a map of ten items with a step each', { sdk: [2, 22, 1], ours: [2, 21, 1] }],
  ['a callback', { sdk: [3, 4, 2], ours: [2, 3, 2] }],
])('%s needs no more calls, operations and invocations than with the SDK alone', async (name, expected) => {
  const count = async (build: BuildDurable | undefined) => {
    const run = await runDurable(build as BuildDurable, EVENT, { callbacks: { approval: true } });
    expect(run.status).toBe('SUCCEEDED');
    return [run.checkpoints, run.operations.length, run.invocations];
  };
  const [sdk, ours] = WORK[name] ?? [];
  expect({ sdk: await count(sdk), ours: await count(ours) }).toEqual(expected);
});
