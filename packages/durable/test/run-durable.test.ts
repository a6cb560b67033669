import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { type BuildDurable, fakeDurableService, type RunDurableOptions, runDurable } from '@sallyport/durable/testing';

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

  const waiting = () =>
    withDurableExecution(async (_: unknown, ctx) => ctx.waitForCallback('approval', async () => {}));

  test.each<[string, BuildDurable, RunDurableOptions, string]>([
    ['a callback that nothing answers', waiting, {}, 'nothing answers its callbacks "approval"'],
    [
      'too many invocations',
      () => withDurableExecution(async (_: unknown, ctx) => ctx.wait({ seconds: 1 })),
      { maxInvocations: 1 },
      'it needs more than 1 invocations',
    ],
    ['a build that returns nothing callable', () => ({}) as never, { maxInvocations: 2 }, 'more than 2 invocations'],
  ])('fails for %s', async (_, build, options, message) => {
    await expect(runDurable(build, {}, options)).rejects.toThrow(message);
  });

  test('lets a test move the clock and answer callbacks itself', async () => {
    const { service, env } = fakeDurableService(waiting);
    const { arn } = service.start({ functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f', payload: '{}' });
    await service.settle();
    await env.clock.advance(60_000);
    const [, , callback] = service.operations(arn);
    service.succeedCallback(callback?.CallbackDetails?.CallbackId ?? '', '"yes"');
    expect(await service.ended(arn)).toMatchObject({ status: 'SUCCEEDED', result: JSON.stringify('"yes"') });
  });
});
