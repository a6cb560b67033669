import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { ManualClock } from '@sallyport/core/testing';
import { createDurableEngine, type DurableEngine } from '@sallyport/testkit/durable';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
const context = {
  awsRequestId: 'r-1',
  getRemainingTimeInMillis: () => 60_000,
} as never;

describe('the engine under the SDK', () => {
  test('runs steps once over a wait', async () => {
    const clock = new ManualClock(Date.now());
    const bodies: string[] = [];
    const engine: DurableEngine = createDurableEngine({
      clock,
      invoke: async ({ event }) => {
        const handler = withDurableExecution(
          async (input: { id: number }, ctx) => {
            const a = await ctx.step('a', async () => bodies.push('a'));
            await ctx.wait('pause', { hours: 5 });
            return { id: input.id, a, b: await ctx.step('b', async () => bodies.push('b')) };
          },
          { durableExecutionClient: engine as never },
        );
        return { answer: await handler(JSON.parse(JSON.stringify(event)), context) };
      },
    });
    const { arn } = engine.start({ functionArn: FUNCTION, payload: '{"id":7}' });
    await engine.settle();
    expect(engine.pending()).toMatchObject([{ kind: 'wait', name: 'pause' }]);
    engine.skip();
    expect(await engine.ended(arn)).toMatchObject({
      status: 'SUCCEEDED',
      result: '{"id":7,"a":1,"b":2}',
      invocations: 2,
    });
    expect(bodies).toEqual(['a', 'b']);
  });
});
