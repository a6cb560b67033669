import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { durable, durableExecutions } from '@sallyport/durable';
import { runDurable } from '@sallyport/durable/testing';
import { buildQueueEvent, createTestEnv, type TestEnv } from '@sallyport/testkit';

const EVENT = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
  { messageId: 'm-1', body: 'first' },
  { messageId: 'm-2', body: 'second' },
]);
const bodies: string[] = [];

function build(env: TestEnv) {
  const app = env.app({ surfaces: [durableExecutions()] });
  app.queue(
    'orders',
    durable(async (ctx, { body }) => {
      await ctx.step('charge', () => void bodies.push(`charge ${body}`));
      await ctx.wait('cool off', { minutes: 12 });
      await ctx.step('mail', () => {
        bodies.push(`mail ${body}`);
        if (body === 'second') throw new Error('no address');
      });
    }),
  );
  return app;
}

describe("AWS's local runner", () => {
  beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
  afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

  test('runs handleLambda unchanged, with the same report and operations as runDurable', async () => {
    const env = createTestEnv();
    const runner = new LocalDurableTestRunner({ handlerFunction: build(env).handleLambda as never });
    const theirs = await runner.run({ payload: EVENT });
    expect(theirs.getStatus()).toBe('SUCCEEDED');
    expect(theirs.getResult()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });
    expect(bodies.splice(0)).toEqual(['charge first', 'charge second', 'mail first', 'mail second']);

    const ours = await runDurable(build, EVENT);
    expect(ours.result).toEqual(theirs.getResult());
    expect(ours.invocations).toBe(theirs.getInvocations().length);
    const names = theirs
      .getOperations()
      .map((operation) => [operation.getType(), operation.getName(), operation.getStatus()]);
    expect(ours.operations.slice(1).map(({ Type, Name, Status }) => [Type, Name, Status])).toEqual(names);
  });
});
