import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const env = createTestEnv();

it.each([
  ['answers who may call it', ['__SCOPE__'], '__EXAMPLE_PATH__', 200],
  ['rejects an invalid query', ['__SCOPE__'], '__EXAMPLE_PATH__?limit=0', 422],
  ['rejects a caller without the scope', [], '__EXAMPLE_PATH__', 403],
])('__METHOD__ __PATH__ %s', async (_name, scopes, path, status) => {
  const app = createService({ ...env.options(), principalResolver: () => ({ identity: 'ada', scopes }) });
  expect((await env.invoke(app, buildAPIGatewayV2Request('__METHOD__', path))).statusCode).toBe(status);
});
