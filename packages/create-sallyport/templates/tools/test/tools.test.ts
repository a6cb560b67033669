import { buildLambdaFunctionURLRequest, createTestEnv } from '@sallyport/testkit';
import { connectMcp } from '@sallyport/testkit/mcp';
import { afterEach, expect, it, vi } from 'vitest';
import { createService } from '../src/app.js';
import { handler } from '../src/lambda.js';

const env = createTestEnv();
const as = (...scopes: string[]) =>
  createService({ ...env.options(), principalResolver: () => ({ identity: 'ada', scopes }) });

afterEach(() => vi.unstubAllEnvs());

it.each(['2025-11-25', '2026-07-28'] as const)('serves assistants that speak %s', async (version) => {
  const client = await connectMcp(as('mcp', 'recipes:read'), { door: 'function-url', streaming: true, version });
  expect((await client.list('tools')).map(({ name }) => name)).toEqual(['find_recipe']);
  const found = await client.callTool('find_recipe', { dish: 'bread' });
  expect(found.structuredContent).toEqual({ dish: 'bread', needed: 'flour, water, salt, yeast' });
  const { contents } = await client.readResource('recipes://index');
  expect(contents).toMatchObject([{ text: 'bread, pancakes' }]);
  const failed = await client.callTool('find_recipe', { dish: 'soup' });
  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: 'There is no recipe for it. There are: bread, pancakes.' }],
  });
});

it('shows a caller only what the caller may use', async () => {
  const client = await connectMcp(as('mcp'), { door: 'function-url' });
  expect(await client.list('tools')).toEqual([]);
  await expect(client.callTool('find_recipe', { dish: 'bread' })).rejects.toMatchObject({ status: 403 });
});

it('streams its answers, and rejects all callers before an issuer is configured', async () => {
  const { status } = await env.invokeStreaming(handler, buildLambdaFunctionURLRequest('POST', '/mcp', { json: {} }));
  expect(status).toBe(401);
});

it('names the authorization server for clients', async () => {
  vi.stubEnv('JWT_ISSUER', 'https://issuer.example');
  vi.stubEnv('JWT_AUDIENCE', 'https://mcp.example/mcp');
  const app = createService({ ...env.options(), principalResolver: () => null });
  const refused = await env.invoke(app, buildLambdaFunctionURLRequest('POST', '/mcp', { json: {} }));
  const path = '/.well-known/oauth-protected-resource/mcp';
  expect([refused.statusCode, refused.headers?.['www-authenticate']]).toEqual([
    401,
    `Bearer resource_metadata="https://mcp.example${path}"`,
  ]);
  const described = await env.invoke(app, buildLambdaFunctionURLRequest('GET', path));
  expect(JSON.parse(described.body ?? '')).toMatchObject({
    resource: 'https://mcp.example/mcp',
    authorization_servers: ['https://issuer.example'],
    scopes_supported: ['mcp', 'recipes:read'],
  });
});
