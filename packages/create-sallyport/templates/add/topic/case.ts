import { buildTopicEvent, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const message = (value: unknown) =>
  buildTopicEvent('arn:aws:sns:us-east-1:123456789012:__NAME__', [{ message: JSON.stringify(value) }]);

it('handles a message of __NAME__', async () => {
  const env = createTestEnv();
  await env.invoke(createService(env.options()), message({ id: '1' }));
  expect(env.records.logs.map((line) => line.message)).toContain('__HANDLER__ received');
});

it('rejects an invalid message, so that Lambda retries it', async () => {
  const env = createTestEnv();
  await expect(env.invoke(createService(env.options()), message({}))).rejects.toThrow();
});
