import { assertNothingLost, simulate, stream, type TestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const buildApp = (env: TestEnv) => createService(env.options());

it('handles the records of __NAME__, and moves on after an invalid one', async () => {
  const records = [{ json: { id: '1' } }, { json: {} }, { json: { id: '2' } }];
  const result = await simulate(buildApp, stream.data('__NAME__', records));
  assertNothingLost(result);
  expect(Object.values(result.records).map(({ end }) => end)).toContain('done');
});
