import { assertNothingLost, queue, simulate, type TestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const buildApp = (env: TestEnv) => createService(env.options());

it('handles a message of __NAME__, and moves an invalid one to the dead-letter queue', async () => {
  const messages = [{ body: { id: '1' } }, { body: 'invalid' }];
  const result = await simulate(buildApp, queue.__QUEUE__('__NAME__', messages));
  assertNothingLost(result);
  expect(Object.values(result.records).map(({ end }) => end)).toEqual(['done', 'dead-letter']);
});
