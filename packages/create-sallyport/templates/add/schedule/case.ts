import { buildScheduledEvent, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

it('runs by the rule __NAME__', async () => {
  const env = createTestEnv();
  await env.invoke(createService(env.options()), buildScheduledEvent({ rule: '__NAME__' }));
  expect(env.records.logs.map((line) => line.message)).toContain('__HANDLER__ ran');
});
