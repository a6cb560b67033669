import { assertNothingLost, createTestEnv, queue, simulate, stream, type TestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';
import { SCHEDULE } from './orders.cases.js';

const buildApp = (env: TestEnv) => createService(env.options());

it('retries a message that is not an order, and loses no message', async () => {
  const messages = [{ body: { id: '1', items: 2 } }, { body: 'no order' }, { body: { id: '2', items: 1 } }];
  const result = await simulate(buildApp, queue.standard('orders', messages));
  assertNothingLost(result);
  expect(Object.values(result.records).map(({ end }) => end)).toEqual(['done', 'dead-letter', 'done']);
});

it('moves on in a stream after a record that always fails', async () => {
  const records = [{ json: { page: '/' } }, { json: {} }, { json: { page: '/about' } }];
  assertNothingLost(await simulate(buildApp, stream.data('clicks', records)));
});

it('runs by the clock', async () => {
  const env = createTestEnv();
  await env.invoke(buildApp(env), SCHEDULE);
  expect(env.records.logs.map(({ message }) => message)).toContain('tidied up');
});
