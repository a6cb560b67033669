import { bind } from '@sallyport/http';
import { Authenticated, Optional, SecureApp } from '@sallyport/secure';
import { mountServer, type ToolSelection, toolsFromRoutes } from '../src/compose.js';
import { type FacadeConfig, type FacadeTools, registerMcpFacade, URL_MODE_PUBLIC_BASE_URL } from '../src/facade.js';
import { createMcpServer, type McpServer, type McpServerOptions, memoryMcpStore, mountMcp } from '../src/index.js';
import { appOf, ask, caller, callTool, toolNames } from './support/composed.js';
import { SECRET } from './support/rig.js';

const create = (options: Partial<McpServerOptions> = {}) => createMcpServer({ name: 'a', version: '1', ...options });

function notes(options: Partial<McpServerOptions> = {}): McpServer {
  const server = create(options);
  server.tool(
    'add',
    { input: { type: 'object', required: ['text'] }, scopes: ['notes'] },
    ({ text }) => `noted ${text}`,
  );
  server.tool('search', { _meta: { tags: ['reads'] } }, () => 'found');
  server.resource('notes://index', { name: 'index' }, () => 'all notes');
  server.resourceTemplate('notes://{id}', { name: 'note' }, ({ id }) => `note ${id}`);
  server.prompt('review', { args: { topic: { required: true } } }, ({ topic }) => `Review ${topic}.`);
  return server;
}

function served(server: McpServer): SecureApp {
  const app = appOf();
  mountMcp(app, server, { posture: Optional() });
  return app;
}

describe('a mounted server', () => {
  it('serves its tools and prompts under a prefix, next to tools with the same names', async () => {
    const server = create().tool('add', {}, () => 'own');
    mountServer(server, 'notes', notes());
    mountServer(
      server,
      'other',
      create().tool('add', {}, () => 'another'),
    );
    const app = served(server);
    const ada = caller('ada', 'notes');
    expect(await toolNames(app, ada)).toEqual(['add', 'notes_add', 'notes_search', 'other_add']);
    expect(await toolNames(app)).toEqual(['add', 'notes_search', 'other_add']);
    const texts = [];
    for (const name of ['add', 'notes_add', 'other_add']) {
      texts.push((await callTool(app, name, { text: 'x' }, ada)).content[0].text);
    }
    expect(texts).toEqual(['own', 'noted x', 'another']);
    expect((await callTool(app, 'notes_add', {}, ada)).content[0].text).toBe('Invalid arguments: /text: required');
    expect((await ask(app, 'tools/call', { name: 'notes_add', arguments: { text: 'x' } })).status).toBe(403);
    const prompt = await ask(app, 'prompts/get', { name: 'notes_review', arguments: { topic: 'x' } });
    expect(prompt.json.result.messages[0].content.text).toBe('Review x.');
    const read = await ask(app, 'resources/read', { uri: 'notes://7' });
    expect(read.json.result.contents[0].text).toBe('note 7');
  });

  it.each<[string, ToolSelection, readonly string[]]>([
    ['names', ['search'], ['notes_search']],
    ['beginnings of names', ['a*'], ['notes_add']],
    ['tags', [{ tag: 'reads' }], ['notes_search']],
  ])('has only the selected tools, by %s', async (_, tools, names) => {
    const server = create();
    mountServer(server, 'notes', notes(), { tools });
    expect(await toolNames(served(server), caller('ada', 'notes'))).toEqual(names);
  });

  it('can be mounted together with its mounted servers', async () => {
    const inner = create();
    mountServer(inner, 'notes', notes());
    const outer = create();
    mountServer(outer, 'team', inner);
    expect(await toolNames(served(outer))).toEqual(['team_notes_search']);
  });

  it('closes the registration of the other server', () => {
    const other = notes();
    mountServer(create(), 'notes', other);
    expect(() => other.tool('late', {}, () => 'x')).toThrow(expect.failure('mcp.closed', 'first request'));
  });

  it('names the called tool in records', async () => {
    const logged: object[] = [];
    const app = appOf({ observability: { log: (record) => logged.push(record) } });
    const server = create();
    mountServer(server, 'notes', notes());
    mountMcp(app, server, { posture: Optional() });
    await callTool(app, 'notes_search', {});
    expect(logged).toEqual([expect.objectContaining({ kind: 'tool', target: 'notes_search' })]);
  });

  const asking = () => create({ secret: SECRET }).tool('ask', { asks: ['elicitation'] }, () => 'x');
  it.each<[string, string, () => McpServer, object, string, string]>([
    [
      'the same name without a prefix',
      '',
      () => create().tool('add', {}, () => 'x'),
      {},
      'mcp.invalid_registration',
      'tool "add" is registered twice',
    ],
    [
      'the same URI',
      'x',
      () => create().resource('notes://index', { name: 'i' }, () => 'x'),
      {},
      'mcp.invalid_registration',
      'resource "notes://index" is registered twice',
    ],
    ['a tool that asks, without a secret', 'x', asking, {}, 'mcp.invalid_registration', 'needs the option "secret"'],
    [
      'hooks that would not run',
      'x',
      () => create({ onCall: async (_, next) => next() }),
      {},
      'app.invalid_configuration',
      '"onCall" and "listFilter"',
    ],
    [
      'a filter that would not run',
      'x',
      () => create({ listFilter: () => true }),
      {},
      'app.invalid_configuration',
      '"onCall" and "listFilter"',
    ],
    [
      'a selection of nothing',
      'x',
      () => create().tool('a', {}, () => 'x'),
      { tools: ['b'] },
      'app.invalid_configuration',
      'option "tools"',
    ],
    ['a prefix with blanks', 'a b', () => create(), {}, 'app.invalid_configuration', 'option "prefix"'],
    [
      'a name that is too long',
      'x'.repeat(60),
      () => create().tool('y'.repeat(100), {}, () => 'x'),
      {},
      'mcp.invalid_registration',
      'longer than 128',
    ],
    ['an unknown option', 'x', () => create(), { tool: [] }, 'app.invalid_configuration', 'option "tool"'],
    ['another object', 'x', () => ({}) as McpServer, {}, 'app.invalid_configuration', 'option "other"'],
  ])('is rejected with %s, and nothing is added', async (_, prefix, other, options, code, problem) => {
    const server = notes();
    expect(() => mountServer(server, prefix, other(), options)).toThrow(expect.failure(code, problem));
    expect(await toolNames(served(server), caller('ada', 'notes'))).toEqual(['add', 'search']);
  });
});

describe('the option tools of a facade', () => {
  const ORIGIN = 'https://mcp.example';
  function facadeOf(tools: FacadeTools | undefined): SecureApp {
    const app = appOf();
    const server = notes({ sessions: 'durable', store: memoryMcpStore() });
    app.group('/orders', { posture: Authenticated('orders'), tags: ['orders'] }, (orders) => {
      orders.get(
        '/',
        bind({}, () => ({ orders: [] })),
      );
    });
    toolsFromRoutes(app, server, { include: [{ tag: 'orders' }] });
    registerMcpFacade(app, {
      ...{ issuerUrl: 'https://id.example', jwksUri: 'https://id.example/jwks', mcpHandler: server.handler },
      ...{ urlMode: URL_MODE_PUBLIC_BASE_URL, publicBaseUrl: ORIGIN },
      scopes: { namespace: ['a'], partner_namespace: ['a'], agent: ['a'], partner_agent: ['a'] },
      ...(tools && { server, tools }),
    });
    return app;
  }
  const ALL = caller('ada', 'notes orders');
  const at = (path: string) => ({ path });

  it('selects the tools of each endpoint and each caller; other tools do not exist', async () => {
    const app = facadeOf(({ clientNamespace }, { identity }) => {
      if (identity === 'root') return undefined;
      return clientNamespace === 'acme' ? ['add'] : [{ tag: 'orders' }, 'sea*'];
    });
    const root = caller('root', 'notes orders');
    expect(await toolNames(app, ALL, at('/acme/mcp'))).toEqual(['add']);
    expect(await toolNames(app, ALL, at('/globex/mcp'))).toEqual(['search', 'getOrders']);
    expect(await toolNames(app, root, at('/acme/mcp'))).toEqual(['add', 'search', 'getOrders']);
    expect(await callTool(app, 'search', {}, ALL, at('/globex/mcp'))).toMatchObject({ content: [{ text: 'found' }] });
    expect(await callTool(app, 'search', {}, ALL, at('/acme/mcp'))).toEqual({ code: -32602, message: 'Unknown tool' });
    const none = await ask(app, 'tools/list', {}, { ...ALL, 'x-user': '' }, at('/acme/mcp'));
    expect(none.status).toBe(401);
  });

  it('is all tools without the option', async () => {
    expect(await toolNames(facadeOf(undefined), ALL, at('/acme/mcp'))).toEqual(['add', 'search', 'getOrders']);
  });

  it('answers 500 for another value, which is a fault of the application', async () => {
    const { status } = await ask(facadeOf((() => 'add') as never), 'tools/list', {}, ALL, at('/acme/mcp'));
    expect(status).toBe(500);
  });

  it('needs the option server', () => {
    const server = notes();
    const config: FacadeConfig = {
      ...{ issuerUrl: 'https://id.example', jwksUri: 'https://id.example/jwks', mcpHandler: server.handler },
      ...{ urlMode: URL_MODE_PUBLIC_BASE_URL, publicBaseUrl: ORIGIN },
      scopes: { namespace: ['a'], partner_namespace: ['a'], agent: ['a'], partner_agent: ['a'] },
    };
    expect(() => registerMcpFacade(new SecureApp(), { ...config, tools: () => [] })).toThrow(
      expect.failure('app.invalid_configuration', 'options "server" and "tools"'),
    );
  });
});
