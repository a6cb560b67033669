import type { LambdaContext } from '@sallyport/core';
import { durable, durableExecutions } from '@sallyport/durable';
import { buildQueueEvent, createTestEnv, interleave, type TestEnv } from '@sallyport/testkit';
import { createDurableEngine, type DurableEngine } from '@sallyport/testkit/durable';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
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
  const arns = ['one', 'two'].map(
    (name) => engine.start({ functionArn: FUNCTION, name, payload: JSON.stringify(eventOf(name)) }).arn,
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

/** A container of one environment: each event is an execution, whose invocations and checkpoints are yield points. */
function buildApp(env: TestEnv, shared?: { last: string }) {
  const engines = new Map<string, DurableEngine>();
  const transport = {
    async checkpoint(request: { readonly DurableExecutionArn: string }) {
      await env.pause();
      return engines.get(request.DurableExecutionArn)?.checkpoint(request as never);
    },
    getExecutionState: (request: { readonly DurableExecutionArn: string }) =>
      engines.get(request.DurableExecutionArn)?.getExecutionState(request as never),
  };
  const app = env.app({ surfaces: [durableExecutions({ client: transport as never })] });
  app.queue(
    'orders',
    durable(async (ctx, { body }) => {
      if (shared) shared.last = body;
      const id = ctx.newId();
      await ctx.step('first', () => env.pause());
      ctx.log.info('first', { id, body: shared?.last ?? body });
      await ctx.wait('pause', { minutes: 5 });
      const name = await ctx.step('last', () => body);
      ctx.log.info('last', { id, name });
      if (body.endsWith('bad')) throw new Error(`broken ${body}`);
    }),
  );
  return {
    async handleLambda(event: unknown, { awsRequestId: marker = '' }: LambdaContext = {}) {
      const own: DurableEngine = createDurableEngine({
        clock: env.clock,
        ids: { newId: () => marker },
        async invoke({ event: envelope, invocation }) {
          await env.pause();
          const context = env.lambdaContext({ requestId: `${marker}-${invocation}` });
          return { answer: await app.handleLambda(JSON.parse(JSON.stringify(envelope)), context) };
        },
      });
      const { arn } = own.start({ functionArn: FUNCTION, name: marker, payload: JSON.stringify(event) });
      engines.set(arn, own);
      // The SDK suspends an invocation after 20 ms of real time.
      while (own.describe(arn).status === 'RUNNING') {
        await env.pause();
        if (own.pending().length > 0) own.skip();
      }
      return own.describe(arn).result;
    },
  };
}
const invocations = [eventOf, eventOf];

test('interleaved executions with batch lanes answer, log and measure as each does alone', async () => {
  await interleave((env) => buildApp(env), invocations, { rounds: 3 });
});

test('interleaved executions that share a variable are found', async () => {
  const shared = { last: '' };
  await expect(interleave((env) => buildApp(env, shared), invocations, { rounds: 3 })).rejects.toThrow(/of another/);
});
