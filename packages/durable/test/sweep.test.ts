import { StepSemantics, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { defineMetrics } from '@sallyport/core/observability';
import { durable, durableExecutions } from '@sallyport/durable';
import { type BuildDurable, sweep } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import { SAMPLES } from './samples.js';

const ONCE = { shouldRetry: false } as const;

/** Ten steps, with a retry, a wait, a callback and parallel steps among them. */
const tenSteps: BuildDurable = () =>
  withDurableExecution(async ({ id }: { id: number }, ctx) => {
    let sum = id;
    for (let n = 1; n <= 5; n += 1) sum += await ctx.step(`step ${n}`, async () => n);
    await ctx.wait('pause', { days: 3 });
    const approved = await ctx.waitForCallback<string>('approval', async () => {});
    const two = await ctx.parallel('both', [
      (branch) => branch.step('left', async () => 1),
      (branch) => branch.step('right', async () => 2),
    ]);
    return { sum, approved, two: two.getResults(), last: await ctx.step('last', async () => 'end') };
  });

describe('sweep', () => {
  test('kills an execution of ten steps at every point, and its result is unchanged', async () => {
    const { kills, repeated, interrupted, run } = await sweep(
      tenSteps,
      { id: 100 },
      { callbacks: { approval: 'yes' } },
    );
    expect(run.result).toEqual({ sum: 115, approved: '"yes"', two: [1, 2], last: 'end' });
    expect({ kills, repeated, interrupted }).toEqual({ kills: 32, repeated: 20, interrupted: 0 });
  });

  test('a kill repeats the spans of a batch and of its record once each', async () => {
    const build = (env: TestEnv) => {
      const app = env.app({ surfaces: [durableExecutions()] });
      app.queue(
        'orders',
        durable(async (ctx) => {
          await ctx.step('charge', () => 'charged');
          await ctx.step('mail', () => 'sent');
        }),
      );
      return app;
    };
    const event = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{ body: 'order 7' }]);
    const { kills, repeated } = await sweep(build, event);
    expect({ kills, repeated }).toEqual({ kills: 9, repeated: 4 });
  });

  interface Out {
    readonly log: { info(message: string, fields: object): void };
    metric(name: string, value: number): void;
    span<T>(name: string, run: () => T): T;
  }

  test.each([
    {
      what: 'line',
      text: 'the line "INFO charged" was written with',
      write: ({ log }: Out, n: number) => log.info('charged', { n }),
    },
    {
      what: 'metric',
      text: 'the metric "Charged" was written with',
      write: (out: Out, n: number) => out.metric('Charged', n),
    },
    {
      what: 'span',
      text: 'the span "charge 2" was written with',
      write: (out: Out, n: number) => out.span(`charge ${n}`, () => n),
    },
  ])('lists a $what that is written again with other fields', async ({ text, write }) => {
    let written = 0;
    const build = (env: TestEnv) => {
      const observability = { ...env.options().observability, metrics: defineMetrics({ Charged: {} }) };
      const app = env.app({ surfaces: [durableExecutions()], observability });
      app.queue(
        'orders',
        durable(async (ctx) => {
          written += 1;
          write(ctx as unknown as Out, written);
          await ctx.step('charge', () => 'charged');
        }),
      );
      return app;
    };
    const event = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{ body: 'order 7' }]);
    await expect(sweep(build, event)).rejects.toThrow(text);
  });

  test('lists the kills after which the result differs', async () => {
    let invocations = 0;
    const build: BuildDurable = () =>
      withDurableExecution(async (_: unknown, ctx) => {
        invocations += 1;
        const counted = invocations;
        await ctx.step('a', async () => 1);
        return counted;
      });
    await expect(sweep(build, {})).rejects.toThrow('the result is 3 instead of 1');
  });

  test('lists a step that should run at most once and runs twice', async () => {
    const build: BuildDurable = () =>
      withDurableExecution(async (_: unknown, ctx) => ctx.step('pay', async () => 1, { retryStrategy: () => ONCE }));
    await expect(sweep(build, {}, { atMostOnce: ['pay'] })).rejects.toThrow('step "pay" ran twice');
  });

  test('accepts that a step that runs at most once fails when a kill interrupts it', async () => {
    const build: BuildDurable = () =>
      withDurableExecution(async (_: unknown, ctx) =>
        ctx
          .step('pay', async () => 1, {
            semantics: StepSemantics.AtMostOncePerRetry,
            retryStrategy: () => ONCE,
          })
          .catch(() => 'interrupted'),
      );
    const { kills, repeated, interrupted } = await sweep(build, {}, { atMostOnce: ['pay'] });
    expect({ kills, repeated, interrupted }).toEqual({ kills: 6, repeated: 0, interrupted: 3 });
  });

  test('fails with the failure of its check, which receives each run', async () => {
    const seen: string[] = [];
    const check = (_: unknown, kill: string) => {
      seen.push(kill);
      if (seen.length === 2) throw new Error('two effects');
    };
    const build: BuildDurable = () => withDurableExecution(async (_: unknown, ctx) => ctx.step('a', async () => 1));
    await expect(sweep(build, {}, { check })).rejects.toThrow('two effects');
    expect(seen).toEqual(['killed before checkpoint 1 was stored', 'killed before checkpoint 1 was answered']);
  });

  test.each(SAMPLES)('finds the same result over every kill of $title', async ({ build, event, options, result }) => {
    const { run } = await sweep(build, event, { ...options, atMostOnce: ['pay'] });
    expect(run.result).toEqual(result);
  });
});
