/** A batch invoke of GraphQL in an execution: each element has its own operations. */
import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';
import { buildAppSyncEvent, type TestEnv } from '@sallyport/testkit';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { sweep } from '../src/testing.js';
import { type App, runExecution } from './run.js';

const field = (fieldName: string, id: string) =>
  buildAppSyncEvent({ parentTypeName: 'Query', fieldName, arguments: { id } });

const idOf = (ctx: Context) => (ctx.bodyJson() as { readonly id: string }).id;

/** Two durable elements of one field, and elements of a plain field and of a batch field. */
const EVENTS = [
  field('order', 'a'),
  field('order', 'b'),
  field('note', 'c'),
  field('author', 'd'),
  field('author', 'e'),
];

function register(app: App, calls: string[]): void {
  app.appSyncField(
    'Query',
    'order',
    durable(async (ctx: Context & Durable) => {
      const id = await ctx.step('charge', () => {
        calls.push(`charge ${idOf(ctx)}`);
        return idOf(ctx);
      });
      await ctx.wait('pause', { seconds: 5 });
      if (id === 'b') throw new Error('not today');
      return json(200, { id });
    }),
  );
  app.appSyncField('Query', 'note', (ctx) => {
    calls.push(`note ${idOf(ctx)}`);
    return json(200, null);
  });
  app.appSyncBatchField('Query', 'author', (items) => {
    calls.push(`authors ${items.map(({ arguments: { id } }) => id).join(' ')}`);
    return items.map(({ arguments: { id } }) => ({ name: id }));
  });
}

test('each element has its own operations, and an element that has ended does not run again', async () => {
  const calls: string[] = [];
  const ran = await runExecution((app) => register(app, calls), EVENTS);
  const answers = JSON.parse(ran.result ?? '[]') as { readonly error_message?: string }[];
  expect([ran.status, ran.invocations]).toEqual(['SUCCEEDED', 2]);
  expect(answers).toEqual([
    { id: 'a' },
    expect.objectContaining({ error_message: 'internal error' }),
    null,
    { name: 'd' },
    { name: 'e' },
  ]);
  expect(calls.toSorted()).toEqual(['authors d e', 'charge a', 'charge b', 'note c']);
  const completed = ran.records.filter(({ event }) => event === 'request.completed');
  expect(completed.map(({ duration_ms }) => duration_ms).toSorted()).toEqual([0, 0, 0, 5_000, 5_000]);
  expect(ran.operations.filter(({ Type }) => Type === 'CONTEXT').map(({ Name }) => Name)).toEqual([
    'element',
    'element 2',
    'element 3',
    'element 4',
    'element 5',
  ]);
});

test('the answer is equal after a kill at each checkpoint', async () => {
  const build = (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    register(app, []);
    return app;
  };
  const { kills, run } = await sweep(build, [field('order', 'a'), field('note', 'c'), field('author', 'd')]);
  expect([kills > 5, run.status]).toEqual([true, 'SUCCEEDED']);
});
