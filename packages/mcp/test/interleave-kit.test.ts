import { createMcpServer, memoryMcpStore, mountMcp } from '@sallyport/mcp';
import { Authenticated, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayV2Request,
  createTestEnv,
  interleave,
  type MarkedEvent,
  type TestEnv,
} from '@sallyport/testkit';

async function buildApp(env: TestEnv) {
  const store = memoryMcpStore({ clock: env.clock });
  const server = createMcpServer({
    name: 'notes',
    version: '1.0.0',
    store,
    secret: { current: 'a key of at least 32 bytes, kept secret' },
  });
  server.tool('who', {}, async (args, ctx) => {
    ctx.log('info', `asked by ${ctx.principal?.identity}`);
    await env.pause();
    return `${ctx.principal?.identity} ${ctx.tenantId || ctx.principal?.identity} ${String(args.marker)}`;
  });
  const app = new SecureApp({
    ...env.options(),
    principalResolver: (ctx) => ({ kind: 'external', identity: ctx.header('x-user') ?? '', scopes: [], claims: {} }),
  });
  mountMcp(app, server, { posture: Authenticated() });
  return app;
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const message =
  (
    method: string,
    params: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): MarkedEvent =>
  (marker) =>
    buildAPIGatewayV2Request('POST', '/mcp', {
      headers: {
        'x-user': marker,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...headers,
      },
      json: {
        jsonrpc: '2.0',
        id: marker,
        method,
        params: JSON.parse(JSON.stringify({ ...params, _meta: meta }).replaceAll('@', marker)),
      },
    });
const call = message('tools/call', { name: 'who', arguments: { marker: '@' } }, { 'mcp-name': 'who' });
const list = message('tools/list', {});
const wrong = message('tools/call', { name: 'nobody', arguments: {} }, { 'mcp-name': 'nobody' });

it('a call is answered', async () => {
  const env = createTestEnv();
  const answer = (await env.invoke(await buildApp(env), call('ada'))) as { statusCode: number; body: string };
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('ada ada ada');
});

it('calls of many principals at the same time share nothing', async () => {
  // The engine loads its parts at their first use, and the test runner cannot load one module twice at the same time.
  for (const event of [call, list, wrong]) await interleave(buildApp, [event], { rounds: 1 });
  await expect(interleave(buildApp, [call, call, list, list, wrong, call])).resolves.toBeUndefined();
});
