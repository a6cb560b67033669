import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';

const env = createTestEnv();
const as = (...scopes: string[]) =>
  createService({ ...env.options(), principalResolver: () => ({ identity: 'ada', scopes }) });

it.each([
  ['reads a note', 'notes:read', buildAPIGatewayV2Request('GET', '/notes/1'), 200],
  ['does not find what is not there', 'notes:read', buildAPIGatewayV2Request('GET', '/notes/9'), 404],
  ['writes a note', 'notes:write', buildAPIGatewayV2Request('PUT', '/notes/2', { json: { text: 'hi' } }), 200],
  ['rejects an empty note', 'notes:write', buildAPIGatewayV2Request('PUT', '/notes/2', { json: { text: '' } }), 422],
  ['lets nobody write who may only read', 'notes:read', buildAPIGatewayV2Request('PUT', '/notes/2', { json: {} }), 403],
])('%s', async (_name, scope, event, status) => {
  expect((await env.invoke(as(scope), event)).statusCode).toBe(status);
});
