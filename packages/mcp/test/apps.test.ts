import { Optional, SecureApp } from '@sallyport/secure';
import { createMcpServer, type McpServer, mcpCors, mountMcp } from '../src/index.js';
import { Rig, toEvent } from './support/rig.js';

const MEDIA = 'text/html;profile=mcp-app';
const PAGE = '<!doctype html><title>Board</title>';
const UI = { csp: { connectDomains: ['https://api.example'] }, permissions: { camera: {} }, prefersBorder: true };

function register(server: McpServer): void {
  server.app('ui://notes/board', { name: 'board', title: 'Board', ...UI }, PAGE);
  server.app('ui://notes/mine', { name: 'mine', scopes: ['notes:read'] }, (ctx) => `<p>${ctx.principal?.identity}</p>`);
  server.tool('show', { app: { uri: 'ui://notes/board', visibility: ['model'] }, _meta: { own: 1 } }, () => ({
    structured: { notes: [] },
  }));
}

describe('an app', () => {
  const rig = new Rig({ register });
  const ask = async (method: string, params: object = {}) => {
    const session = (await (await rig.connect({ user: 'ada' })).request(method, params)).json;
    const stateless = (await rig.stateless(method, params, { user: 'ada' })).json;
    return [session.result, stateless.result];
  };

  it('is declared in both eras, and only if it is configured', async () => {
    const declared = { 'io.modelcontextprotocol/ui': { mimeTypes: [MEDIA] } };
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const say = async (one: Rig) => {
      const session = await one.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
      const stateless = await one.stateless('server/discover');
      return [session.json.result.capabilities.extensions, stateless.json.result.capabilities.extensions];
    };
    expect(await say(rig)).toEqual([declared, declared]);
    expect(await say(new Rig())).toEqual([undefined, undefined]);
  });

  it('is listed with what it may reach, and read with it', async () => {
    for (const { resources } of await ask('resources/list')) {
      expect(resources[0]).toEqual({
        uri: 'ui://notes/board',
        name: 'board',
        title: 'Board',
        mimeType: MEDIA,
        _meta: { ui: UI },
      });
    }
    for (const { contents } of await ask('resources/read', { uri: 'ui://notes/board' })) {
      expect(contents).toEqual([{ uri: 'ui://notes/board', mimeType: MEDIA, text: PAGE, _meta: { ui: UI } }]);
    }
    for (const { contents } of await ask('resources/read', { uri: 'ui://notes/mine' }))
      expect(contents[0].text).toBe('<p>ada</p>');
    expect((await rig.stateless('resources/read', { uri: 'ui://notes/mine' })).status).toBe(403);
  });

  it('is named by its tool', async () => {
    for (const { tools } of await ask('tools/list')) {
      expect(tools[0]._meta).toEqual({
        own: 1,
        ui: { resourceUri: 'ui://notes/board', visibility: ['model'] },
        'ui/resourceUri': 'ui://notes/board',
      });
    }
  });

  it.each<[string, (server: McpServer) => unknown, string]>([
    [
      'a directive in an origin',
      (s) => s.app('ui://a', { name: 'a', csp: { connectDomains: ['https://a.example; script-src *'] } }, ''),
      'option "csp.connectDomains[0]"',
    ],
    [
      'a keyword for an origin',
      (s) => s.app('ui://a', { name: 'a', csp: { resourceDomains: ['https://a.example', "'unsafe-eval'"] } }, ''),
      'option "csp.resourceDomains[1]"',
    ],
    [
      'an unknown feature',
      (s) => s.app('ui://a', { name: 'a', permissions: { 'clipboard-write': {} } as never }, ''),
      'unknown option "permissions.clipboard-write"',
    ],
  ])('is rejected with %s', (_, define, named) => {
    expect(() => define(createMcpServer({ name: 'a', version: '1' }))).toThrow(
      expect.failure('mcp.invalid_registration', named),
    );
  });

  it('can be kept from a tool that no app shows', async () => {
    const rig = new Rig({ register: (server) => server.tool('t', { app: { visibility: ['model'] } }, () => '') });
    const { result } = (await rig.stateless('tools/list')).json;
    expect(result.tools[0]._meta).toEqual({ ui: { visibility: ['model'] } });
  });

  it.each(['https://*.example.com', 'wss://live.example.com', 'https://api.example.com:8443', 'blob:'])(
    'may use the origin %s',
    (origin) => {
      const server = createMcpServer({ name: 'a', version: '1' });
      expect(() => server.app('ui://a', { name: 'a', csp: { connectDomains: [origin] } }, '')).not.toThrow();
    },
  );

  it.each<[string, (server: McpServer) => unknown, string]>([
    [
      'another scheme',
      (s) => s.app('https://a.example', { name: 'a' }, ''),
      'app "https://a.example" must have a URI that begins with ui://',
    ],
    ['no page', (s) => s.app('ui://a', { name: 'a' }, 5 as never), 'app "ui://a" has no page'],
    [
      'an unknown option',
      (s) => s.app('ui://a', { name: 'a', csp: { scripts: [] } as never }, ''),
      'app "ui://a": unknown option "csp.scripts"',
    ],
    ['a tool with another URI', (s) => s.tool('t', { app: { uri: 'a://b' } }, () => ''), 'tool "t": option "app.uri"'],
  ])('with %s is rejected', (_, define, message) => {
    expect(() => define(createMcpServer({ name: 'a', version: '1' }))).toThrow(
      expect.failure('mcp.invalid_registration', `mcp: ${message}`),
    );
  });
});

describe('a browser', () => {
  const origin = 'https://inspector.example';
  const app = new SecureApp({ cors: mcpCors([origin]), log: false });
  const server = createMcpServer({ name: 'a', version: '1', secret: { current: 'k'.repeat(32) } });
  mountMcp(app, server, { posture: Optional(), allowedOrigins: [origin] });
  const send = async (method: string, headers: Record<string, string>, body = '') =>
    (await app.serveLambdaFunctionURL(toEvent(method, body, { headers }), {})) as {
      statusCode: number;
      headers: Record<string, string>;
    };

  it.each(['content-type', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id', 'authorization', 'mcp-method'])(
    'may send %s',
    async (header) => {
      const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': header };
      const { statusCode, headers } = await send('OPTIONS', asked);
      expect(statusCode).toBe(204);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-headers']).toBe(header);
      expect(headers['access-control-allow-methods']).toBe('POST');
    },
  );

  it('may read the id of its session', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const { headers } = await send(
      'POST',
      { origin },
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    );
    expect(headers['mcp-session-id']).toBeDefined();
    expect(headers['access-control-expose-headers']).toMatch(/mcp-session-id/);
  });

  it('of another origin may do nothing', async () => {
    const { headers } = await send('OPTIONS', {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await send('POST', { origin: 'https://evil.example' }, '{}')).statusCode).toBe(403);
  });
});
