import { createMcpHandler, McpServer as OfficialServer } from '@modelcontextprotocol/server';
import { mountHandler } from '@sallyport/http/web';
import { Authenticated, Optional, Public, SecureApp, withBearer } from '@sallyport/secure';
import { createMcpServer, MCP_PATH, memoryMcpStore, mountMcp } from '../src/index.js';
import { toEvent } from './support/rig.js';

const server = () => createMcpServer({ name: 'a', version: '1' }).tool('t', {}, () => 'x');
const principalResolver = (ctx: { header(name: string): string | undefined }) => {
  const [, token] = (ctx.header('authorization') ?? '').split(' ');
  if (token === undefined) return null;
  const claims = { client_id: 'client-1', exp: 2_000_000_000 };
  return withBearer({ identity: 'ada', scopes: ['mcp'], tenantId: 't1', claims }, token);
};
const init = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const send = async (app: SecureApp, body: string, headers: Record<string, string> = {}, path = '/mcp') => {
  const event = { ...toEvent('POST', body, { headers }), rawPath: path };
  return (await app.serveLambdaFunctionURL(event)) as Answer;
};

describe('mountMcp', () => {
  it('registers three methods that stream, under the usual path', () => {
    const app = new SecureApp();
    mountMcp(app, server(), { posture: Authenticated('mcp') });
    expect(MCP_PATH).toBe('/mcp');
    expect(app.routes()).toEqual([
      { surface: 'http', method: 'POST', path: '/mcp', posture: 'authenticated', scopes: ['mcp'], streaming: true },
      { surface: 'http', method: 'GET', path: '/mcp', posture: 'authenticated', scopes: ['mcp'], streaming: true },
      { surface: 'http', method: 'DELETE', path: '/mcp', posture: 'authenticated', scopes: ['mcp'], streaming: true },
    ]);
  });

  it.each(['/mcp', '/mcp/', '/tools/red/mcp', '/tools/red/mcp/'])(
    'all three methods are reached at %s',
    async (path) => {
      const app = new SecureApp({ principalResolver });
      mountMcp(app, createMcpServer({ name: 'a', version: '1', store: memoryMcpStore() }), { posture: Optional() });
      const other = createMcpServer({ name: 'b', version: '1', store: memoryMcpStore() });
      mountMcp(app, other, { posture: Optional(), path: '/tools/{team}/mcp' });
      const statuses = [];
      const initialized = await send(app, init, {}, path);
      const headers = { 'mcp-session-id': initialized.headers['mcp-session-id'] ?? '' };
      statuses.push(initialized.statusCode);
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const event = { ...toEvent(method, '', { headers }), rawPath: path };
        statuses.push(((await app.serveLambdaFunctionURL(event)) as Answer).statusCode);
      }
      // No listener at a buffered door (405 of the engine), a session ended, and a method that is not mounted.
      expect(statuses).toEqual([200, 405, 200, 405]);
    },
  );

  it.each(['/mcp/', '/mcp'])('the gate also protects %s', async (path) => {
    const app = new SecureApp({ principalResolver });
    mountMcp(app, server(), { posture: Authenticated('other') });
    expect((await send(app, init, {}, path)).statusCode).toBe(401);
    expect((await send(app, init, { authorization: 'Bearer x' }, path)).statusCode).toBe(403);
  });

  it('rejects a second server on the same path', () => {
    const app = new SecureApp();
    mountMcp(app, server(), { posture: Public() });
    expect(() => mountMcp(app, server(), { posture: Public() })).toThrow(
      expect.failure('app.bad_request', 'duplicate route'),
    );
    expect(() => app.post('/mcp', server().handler, Public())).toThrow(
      expect.failure('app.bad_request', 'duplicate route'),
    );
  });

  it('needs a posture, and known options', () => {
    const app = new SecureApp();
    expect(() => mountMcp(app, server(), {} as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "posture"'),
    );
    expect(() => mountMcp(app, server(), { posture: {} as never })).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture'),
    );
    expect(() => mountMcp(app, server(), { posture: Public(), pth: '/x' } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "pth"'),
    );
    expect(app.routes()).toEqual([]);
  });

  it('the gate answers before the engine, in the error format of the gate', async () => {
    const app = new SecureApp({ principalResolver, challenge: 'Bearer' });
    mountMcp(app, server(), { posture: Authenticated('other') });
    const anonymous = await send(app, 'no json at all');
    expect([anonymous.statusCode, JSON.parse(anonymous.body).error.code]).toEqual([401, 'app.unauthorized']);
    const scopeless = await send(app, init, { authorization: 'Bearer x' });
    expect([scopeless.statusCode, JSON.parse(scopeless.body).error.code]).toEqual([403, 'app.forbidden']);
  });

  it('has separate origins, and a path of parameters that handlers see', async () => {
    const app = new SecureApp();
    const seen: string[] = [];
    const mounted = createMcpServer({ name: 'a', version: '1' }).tool('t', {}, (_, ctx) => {
      seen.push(ctx.http.param('team'));
      return '';
    });
    mountMcp(app, mounted, { path: '/{team}/mcp', posture: Optional(), allowedOrigins: ['https://claude.ai'] });
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } });
    expect((await send(app, call, { origin: 'https://claude.ai' }, '/red/mcp')).statusCode).toBe(200);
    expect((await send(app, call, { origin: 'https://evil.example' }, '/red/mcp')).statusCode).toBe(403);
    expect(seen).toEqual(['red']);
  });

  it('the plain handler uses the origins of the server', async () => {
    const app = new SecureApp();
    const { handler } = createMcpServer({ name: 'a', version: '1', allowedOrigins: ['https://claude.ai'] }).tool(
      't',
      {},
      () => '',
    );
    app.post('/mcp', handler, Public());
    expect((await send(app, init, { origin: 'https://claude.ai' })).statusCode).toBe(200);
    expect((await send(app, init, { origin: 'http://claude.ai' })).statusCode).toBe(403);
  });
});

it('mountHandler serves the official server package', async () => {
  const app = new SecureApp();
  const handler = createMcpHandler(() => new OfficialServer({ name: 'official', version: '1.0.0' }));
  mountHandler(app, '/sdk', handler, { posture: Public() });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
  const answer = await send(app, body, headers, '/sdk');
  expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('supportedVersions')]);
});
