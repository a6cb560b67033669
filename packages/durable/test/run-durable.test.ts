import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { runDurable } from '@sallyport/durable/testing';

describe('runDurable', () => {
  test('runs a handler of the SDK to its end', async () => {
    const run = await runDurable(
      () =>
        withDurableExecution(async (input: { id: number }, ctx) => {
          const a = await ctx.step('a', async () => input.id);
          await ctx.wait('pause', { hours: 5 });
          const ok = await ctx.waitForCallback('approval', async () => {});
          return { a, ok, b: await ctx.step('b', async () => 2) };
        }),
      { id: 7 },
      { callbacks: { approval: 'yes' } },
    );
    expect(run).toMatchObject({ status: 'SUCCEEDED', result: { a: 7, ok: '"yes"', b: 2 }, invocations: 3 });
    expect(run.bodies.map(({ name, invocation }) => [name, invocation])).toEqual([
      ['a', 1],
      ['approval-submitter', 2],
      ['b', 3],
    ]);
  });
});
