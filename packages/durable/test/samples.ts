import {
  createRetryStrategy,
  createWaitStrategy,
  StepSemantics,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js';
import type { BuildDurable, RunDurableOptions } from '@sallyport/durable/testing';

/** A handler for AWS's SDK without the framework. */
export interface Sample {
  readonly title: string;
  readonly build: BuildDurable;
  readonly event: unknown;
  readonly result: unknown;
  readonly options?: RunDurableOptions;
}

const quick = createRetryStrategy({ maxAttempts: 3, initialDelay: { seconds: 2 } });

/** One handler for each operation of the SDK, as its documentation uses them. */
export const SAMPLES: readonly Sample[] = [
  {
    title: 'steps with a wait between them',
    build: () =>
      withDurableExecution(async ({ orderId }: { orderId: number }, ctx) => {
        const charge = await ctx.step('charge', async () => ({ charge: `ch-${orderId}`, at: Date.now() > 0 }));
        await ctx.wait('cool off', { minutes: 10 });
        const mail = await ctx.step('mail', async () => `sent ${charge.charge}`);
        return { charge, mail };
      }),
    event: { orderId: 7 },
    result: { charge: { charge: 'ch-7', at: true }, mail: 'sent ch-7' },
  },
  {
    title: 'an id that is made in a step',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) => {
        const id = await ctx.step('id', async () => crypto.randomUUID());
        await ctx.wait({ seconds: 30 });
        return (await ctx.step('use', async () => id)) === id;
      }),
    event: {},
    result: true,
  },
  {
    title: 'an approval by callback',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) => {
        const answer = await ctx.waitForCallback<string>('approval', async () => {}, { timeout: { hours: 24 } });
        return JSON.parse(answer).approved ? ctx.step('publish', async () => 'published') : 'rejected';
      }),
    event: {},
    result: 'published',
    options: { callbacks: { approval: { approved: true } } },
  },
  {
    title: 'a callback that fails',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) => {
        try {
          return await ctx.waitForCallback('approval', async () => {});
        } catch {
          return ctx.step('cancel', async () => 'cancelled');
        }
      }),
    event: {},
    result: 'cancelled',
    options: { callbacks: { approval: new Error('no') } },
  },
  {
    title: 'parallel branches',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) => {
        const both = await ctx.parallel('checks', [
          async (branch) => branch.step('stock', async () => 3),
          async (branch) => {
            await branch.wait('later', { seconds: 20 });
            return branch.step('price', async () => 5);
          },
        ]);
        return both.getResults();
      }),
    event: {},
    result: [3, 5],
  },
  {
    title: 'a map with limited concurrency',
    build: () =>
      withDurableExecution(async ({ items }: { items: number[] }, ctx) => {
        const all = await ctx.map('double', items, async (item, n) => item.step(`item ${n}`, async () => 2), {
          maxConcurrency: 2,
        });
        return all.getResults().length;
      }),
    event: { items: [1, 2, 3, 4] },
    result: 4,
  },
  {
    title: 'nested contexts',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) =>
        ctx.runInChildContext('outer', async (outer) => {
          const inner = await outer.runInChildContext('inner', async (deep) => deep.step('deep', async () => 1));
          await outer.wait('pause', { hours: 1 });
          return inner + (await outer.step('last', async () => 2));
        }),
      ),
    event: {},
    result: 3,
  },
  {
    title: 'a step that is retried',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) =>
        ctx
          .step(
            'unsteady',
            async () => {
              throw new Error('not yet');
            },
            { retryStrategy: quick },
          )
          .catch(() => ctx.step('give up', async () => 'gave up')),
      ),
    event: {},
    result: 'gave up',
  },
  {
    title: 'a condition that is polled',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) =>
        ctx.waitForCondition<number>('ready', async (state) => state + 1, {
          initialState: 0,
          waitStrategy: createWaitStrategy<number>({
            maxAttempts: 5,
            initialDelay: { seconds: 10 },
            shouldContinuePolling: (state) => state < 3,
          }),
        }),
      ),
    event: {},
    result: 3,
  },
  {
    title: 'another function',
    build: () => withDurableExecution(async (_: unknown, ctx) => ctx.invoke('price', 'arn:price', { sku: 'a' })),
    event: {},
    result: { cents: 100, sku: 'a' },
    options: { functions: { 'arn:price': (input) => ({ cents: 100, ...(input as object) }) } },
  },
  {
    title: 'a step that runs at most once',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) =>
        ctx.step('pay', async () => 'paid', { semantics: StepSemantics.AtMostOncePerRetry }),
      ),
    event: {},
    result: 'paid',
  },
  {
    title: 'steps that are awaited together',
    build: () =>
      withDurableExecution(async (_: unknown, ctx) => {
        const [a, b] = await ctx.promise.all('both', [ctx.step('a', async () => 1), ctx.step('b', async () => 2)]);
        return [a, b];
      }),
    event: {},
    result: [1, 2],
  },
];
