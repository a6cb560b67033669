import { buildEventBusEvent, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const event = (detail: unknown) => buildEventBusEvent({ source: '__SOURCE__', detailType: '__DETAIL_TYPE__', detail });

it('handles an event __DETAIL_TYPE__ of __SOURCE__', async () => {
  const env = createTestEnv();
  await env.invoke(createService(env.options()), event({ id: '1' }));
  expect(env.records.logs.map((line) => line.message)).toContain('__HANDLER__ received');
});

it('rejects an invalid event, so that Lambda retries it', async () => {
  const env = createTestEnv();
  await expect(env.invoke(createService(env.options()), event({}))).rejects.toThrow();
});
