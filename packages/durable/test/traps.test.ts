/** Traps 10 and 13 of executions that no other file has. */

import { buildQueueEvent } from '@sallyport/testkit';
import { durable } from '../src/index.js';
import { type App, runExecution } from './run.js';

const queue = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
  { messageId: 'm-0' },
  { messageId: 'm-1' },
]);

test.each([
  ['all records', ['m-0', 'm-1'], ['m-0', 'm-1']],
  ['no record', [], []],
])('a report after waits names %s that failed', async (_name, failing, expected) => {
  const ran = await runExecution(
    (app: App) =>
      app.queue(
        'orders',
        durable(async (ctx, { messageId }) => {
          await ctx.wait('pause', { minutes: 1 });
          if (failing.includes(messageId)) throw new Error('broken');
        }),
      ),
    queue,
  );
  expect(JSON.parse(ran.result ?? '')).toEqual({
    batchItemFailures: expected.map((itemIdentifier) => ({ itemIdentifier })),
  });
});

test('a step inside a step is rejected in an execution, and only the outer step is recorded', async () => {
  const ran = await runExecution(
    (app: App) =>
      app.queue(
        'orders',
        durable(async (ctx) => void (await ctx.step('outer', () => ctx.step('inner', () => 1)))),
      ),
    queue,
  );
  expect(ran.lines.map(({ error }) => (error as { code: string }).code)).toEqual([
    'durable.nested_step',
    'durable.nested_step',
  ]);
  expect(ran.operations.filter(({ Name }) => Name === 'inner')).toEqual([]);
});
