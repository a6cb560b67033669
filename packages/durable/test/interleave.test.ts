import { durable, durableExecutions } from '@sallyport/durable';
import { buildQueueEvent, createTestEnv } from '@sallyport/testkit';
import { createDurableEngine, type DurableEngine } from '@sallyport/testkit/durable';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const eventOf = (name: string) =>
  buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
    { messageId: `${name}-1`, body: `${name} good` },
    { messageId: `${name}-2`, body: `${name} bad` },
  ]);

test('two executions in one process, whose invocations overlap, do not meet', async () => {
  const env = createTestEnv({ now: Date.now() });
  const seen: [string | undefined, string, string][] = [];
  const app = env.app({
    surfaces: [
      durableExecutions({
        client: {
          checkpoint: (request: never) => engine.checkpoint(request),
          getExecutionState: (request: never) => engine.getExecutionState(request),
        },
      }),
    ],
  });
  app.queue(
    'orders',
    durable(async (ctx, { body }) => {
      const id = ctx.newId();
      await ctx.step('first', () => turns(body.length % 4));
      seen.push([ctx.execution?.name, body, id]);
      await ctx.wait('pause', { minutes: 5 });
      await ctx.step('last', () => turns(3));
      if (body.endsWith('bad')) throw new Error('broken');
    }),
  );
  let running = 0;
  let most = 0;
  const engine: DurableEngine = createDurableEngine({
    clock: env.clock,
    async invoke({ event }) {
      running += 1;
      most = Math.max(most, running);
      const answer = await app.handleLambda(JSON.parse(JSON.stringify(event)), env.lambdaContext());
      running -= 1;
      return { answer };
    },
  });
  const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
  const arns = ['one', 'two'].map(
    (name) => engine.start({ functionArn, name, payload: JSON.stringify(eventOf(name)) }).arn,
  );
  await engine.settle();
  engine.skip();
  const ends = await Promise.all(arns.map((arn) => engine.ended(arn)));
  expect(most).toBe(2);
  expect(ends.map(({ result }) => JSON.parse(result ?? ''))).toEqual([
    { batchItemFailures: [{ itemIdentifier: 'one-2' }] },
    { batchItemFailures: [{ itemIdentifier: 'two-2' }] },
  ]);
  // Both invocations of an execution see its name, its records and the same id; each record has its own.
  const each = new Set(seen.map((line) => line.join(' ')));
  expect(seen).toHaveLength(8);
  expect([...each].map((line) => line.split(' ').slice(0, 3).join(' ')).sort()).toEqual([
    'one one bad',
    'one one good',
    'two two bad',
    'two two good',
  ]);
  expect(new Set(seen.map(([, , id]) => id)).size).toBe(4);
});
