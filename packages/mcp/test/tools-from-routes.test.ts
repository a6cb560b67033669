import { FrameworkError, type Middleware } from '@sallyport/core';
import { binary, bind, json, min, noContent, redirect, required, sseEventStream, text } from '@sallyport/http';
import { Authenticated, AuthenticatedAnyOf, InternalOnly, Optional, Public, type SecureApp } from '@sallyport/secure';
import { z } from 'zod';
import { type ToolsFromRoutesOptions, toolsFromRoutes } from '../src/compose.js';
import { registerMcpFacade, URL_MODE_PUBLIC_BASE_URL } from '../src/facade.js';
import { createMcpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { appOf, ask, caller, callTool, toolNames } from './support/composed.js';
import { serveApp } from './support/loopback.js';
import { OFFICIAL_CLIENTS } from './support/official-clients.js';
import { type Line, logTo } from './support/rig.js';

const Order = z.object({ id: z.string(), total: z.number() });
const READ = caller('ada', 'orders:read');
const WRITE = caller('ada', 'orders:read orders:write');

function ordersOf(app: SecureApp): SecureApp {
  app.get(
    '/orders',
    bind(
      {
        query: z.object({
          limit: z.coerce.number().max(10).optional(),
          tag: z.union([z.string(), z.array(z.string())]).optional(),
        }),
        response: z.array(Order),
      },
      (_, { query }) => [{ id: JSON.stringify(query), total: 1 }],
    ),
    Authenticated('orders:read'),
  );
  app.get(
    '/orders/{id}',
    bind({ params: z.object({ id: z.string().min(2) }), response: Order }, (ctx, { params }) => {
      if (params.id === 'gone') throw new FrameworkError('app.not_found', 'no such order');
      if (params.id === 'busy')
        throw new FrameworkError('app.rate_limited', undefined, { headers: { 'retry-after': '3' } });
      if (params.id === 'crash') throw new Error('hunter2');
      return { id: `${params.id} of ${ctx.securePrincipal()?.identity} ${ctx.tenantId} ${ctx.authIdentity}`, total: 2 };
    }),
    Authenticated('orders:read'),
  );
  app.post(
    '/orders/{id}/lines',
    bind(
      {
        params: { id: { type: 'int', rules: [min(1)] } },
        query: { dry: { type: 'bool' } },
        body: z.object({ sku: z.string().min(1, 'sku must not be empty'), count: z.number() }),
        status: 201,
      },
      (_, input) => input,
    ),
    Authenticated('orders:write'),
  );
  app.delete(
    '/orders/{id}',
    bind({ params: { id: { type: 'string' } } }, () => noContent()),
    Authenticated('orders:write'),
  );
  app.get(
    '/health',
    bind({}, () => ({ ok: true })),
    Public(),
  );
  app.get('/plain', () => json(200, {}), Authenticated());
  return app;
}

function mounted(app: SecureApp, options: ToolsFromRoutesOptions): SecureApp {
  const server = createMcpServer({ name: 'orders', version: '1.0.0' });
  toolsFromRoutes(app, server, options);
  mountMcp(app, server, { posture: Optional() });
  return app;
}

const ALL = ['GET /orders/*', 'POST /orders/{id}/lines', 'DELETE /orders/{id}', 'GET /health'];

describe('the tools of routes', () => {
  it('have one flat object of arguments, the output of the route, and hints of the method', async () => {
    const app = mounted(ordersOf(appOf()), { include: ALL, describe: ({ method, path }) => `Does ${method} ${path}.` });
    const { json: listed } = await ask(app, 'tools/list', {}, WRITE);
    const tools = Object.fromEntries(listed.result.tools.map((tool: { name: string }) => [tool.name, tool]));
    expect(Object.keys(tools)).toEqual([
      'getOrders',
      'getOrdersId',
      'postOrdersIdLines',
      'deleteOrdersId',
      'getHealth',
    ]);
    expect(tools.postOrdersIdLines).toEqual({
      name: 'postOrdersIdLines',
      description: 'Does POST /orders/{id}/lines.',
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'integer', minimum: 1 },
          dry: { type: 'boolean' },
          sku: { type: 'string', minLength: 1 },
          count: { type: 'number' },
        },
        required: ['id', 'sku', 'count'],
      },
      annotations: { readOnlyHint: false, idempotentHint: false },
    });
    expect(tools.getOrdersId.outputSchema).toMatchObject({ type: 'object', required: ['id', 'total'] });
    expect(tools.getOrders.outputSchema).toMatchObject({
      type: 'object',
      properties: { result: { type: 'array', items: { required: ['id', 'total'] } } },
      required: ['result'],
    });
    expect(tools.getOrders.annotations).toEqual({ readOnlyHint: true });
    expect(tools.deleteOrdersId.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    });
  });

  it.each<[string, string, unknown, object]>([
    [
      'a path parameter',
      'getOrdersId',
      { id: 'o 7/8' },
      { structuredContent: { id: 'o 7/8 of ada acme ada', total: 2 } },
    ],
    [
      'arguments as JSON text',
      'getOrdersId',
      '{"id":"o7"}',
      { structuredContent: { id: 'o7 of ada acme ada', total: 2 } },
    ],
    [
      'a list',
      'getOrders',
      { limit: 3, tag: ['a', 'b'] },
      { structuredContent: { result: [{ id: '{"limit":3,"tag":["a","b"]}', total: 1 }] } },
    ],
    [
      'all parts',
      'postOrdersIdLines',
      { id: 7, dry: true, sku: 's', count: 2 },
      { structuredContent: { params: { id: 7 }, query: { dry: true }, body: { sku: 's', count: 2 } } },
    ],
    [
      'a response without content',
      'deleteOrdersId',
      { id: 'x' },
      { content: [{ type: 'text', text: 'Done (status 204).' }] },
    ],
    ['no arguments', 'getHealth', {}, { structuredContent: { ok: true } }],
  ])('answer with structured content: %s', async (_, tool, args, expected) => {
    expect(await callTool(mounted(ordersOf(appOf()), { include: ALL }), tool, args, WRITE)).toMatchObject(expected);
  });

  it.each<[string, string, object, string]>([
    [
      'a rule of the validator',
      'postOrdersIdLines',
      { id: 1, sku: '', count: 1 },
      'Invalid arguments: /sku: sku must not be empty',
    ],
    [
      'a rule of a field',
      'postOrdersIdLines',
      { id: 0, sku: 's', count: 1 },
      'Invalid arguments: /id: id must be >= 1',
    ],
    ['a missing parameter', 'getOrdersId', {}, 'Invalid arguments: /id: required'],
    ['an unknown argument', 'getOrdersId', { id: 'o7', extra: 1 }, 'Invalid arguments: /extra: unknown'],
    [
      'an object as a parameter',
      'getOrdersId',
      { id: {} },
      'Invalid arguments: /id: type string or number; /id: required',
    ],
    ['a path that leads elsewhere', 'getOrdersId', { id: '..' }, 'Invalid arguments: /id: not a segment of a path'],
    ['an empty parameter', 'getOrdersId', { id: '' }, 'Invalid arguments: /id: not a segment of a path'],
    ['an error of the route', 'getOrdersId', { id: 'gone' }, 'no such order (app.not_found)'],
    ['a limit', 'getOrdersId', { id: 'busy' }, 'rate limited (app.rate_limited; retry after 3 s)'],
    ['a crash', 'getOrdersId', { id: 'crash' }, 'Tool failed (request r-1)'],
  ])('answer with an error for the model: %s', async (_, tool, args, expected) => {
    const result = await callTool(mounted(ordersOf(appOf()), { include: ALL }), tool, args, WRITE);
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: expected }] });
  });

  it('does not change the prototype of a body', async () => {
    const app = appOf();
    app.post(
      '/raw',
      bind({ body: z.looseObject({}) }, (ctx) => text(200, ctx.bodyText())),
      Authenticated(),
    );
    const args = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
    const { content } = await callTool(mounted(app, { include: ['POST /raw'] }), 'postRaw', args, READ);
    expect(content).toEqual([{ type: 'text', text: '{"__proto__":{"admin":true},"constructor":1}' }]);
  });
});

describe('the posture of a route', () => {
  const postured = () => {
    const app = appOf();
    const handler = bind({}, (ctx) => ({ who: ctx.securePrincipal()?.identity ?? null }));
    app.get('/a', handler, Authenticated());
    app.get('/b', handler, Authenticated('x', 'y'));
    app.get('/c', handler, AuthenticatedAnyOf('x', 'y'));
    app.get('/d', handler, InternalOnly());
    app.get('/e', handler, Optional());
    app.get('/f', handler, Public());
    return mounted(app, { include: ['GET /*', 'GET /f'] });
  };
  it.each<[string, object, string, string]>([
    ['nobody', {}, 'getE getF', 'null null'],
    ['a caller', caller('ada'), 'getA getE getF', 'ada ada null'],
    ['a caller with one scope', caller('ada', 'x'), 'getA getC getE getF', 'ada ada ada null'],
    ['a caller with both scopes', caller('ada', 'x y'), 'getA getB getC getE getF', 'ada ada ada ada null'],
    ['an internal caller', caller('ada', '', { 'x-kind': 'internal' }), 'getA getD getE getF', 'ada ada ada null'],
  ])('determines what %s sees and may call', async (_, headers, names, whos) => {
    const app = postured();
    const listed = await toolNames(app, headers);
    expect(listed.join(' ')).toBe(names);
    const answers = [];
    for (const name of ['getA', 'getB', 'getC', 'getD', 'getE', 'getF']) {
      const result = await callTool(app, name, {}, headers);
      if (result.structuredContent) answers.push(String(result.structuredContent.who));
      else expect(listed).not.toContain(name);
    }
    expect(answers.join(' ')).toBe(whos);
  });

  it('is answered with 403 if a scope is missing', async () => {
    const { status, json: body } = await ask(
      postured(),
      'tools/call',
      { name: 'getB', arguments: {} },
      caller('ada', 'x'),
    );
    expect([status, body.error.code]).toEqual([403, 'app.forbidden']);
  });
});

describe('the selection', () => {
  const include = (...entries: readonly unknown[]) => ({ include: entries as ToolsFromRoutesOptions['include'] });
  const tagged = () => {
    const app = appOf();
    app.group('/orders', { posture: Authenticated('orders:read'), tags: ['orders'] }, (orders) => {
      orders.get(
        '/',
        bind({}, () => ({})),
      );
      orders.post(
        '/',
        bind({ body: z.object({}) }, () => ({})),
      );
      orders.get(
        '/open',
        bind({}, () => ({})),
        Public(),
      );
    });
    app.get(
      '/orders-of-others',
      bind({}, () => ({})),
      Authenticated(),
    );
    app.get(
      '/files/{path+}',
      bind({ params: { path: { type: 'string' } } }, (_, { params }) => params),
      Authenticated(),
    );
    app.get(
      '/files/{id}',
      bind({ params: { id: { type: 'string' } } }, () => ({})),
      Authenticated(),
    );
    return app;
  };
  it.each<[string, readonly unknown[], string]>([
    ['a path and what is under it', ['GET /orders/*'], 'getOrders'],
    ['a tag', [{ tag: 'orders' }], 'getOrders'],
    ['one route, in any case and spacing', ['  post   /orders '], 'postOrders'],
    ['a public route by its name', ['GET /orders/open'], 'getOrdersOpen'],
    [
      'each route once, in order',
      ['GET /files/*', 'GET /orders', 'GET /*'],
      'getOrders getOrdersOfOthers getFilesPath getFilesId',
    ],
  ])('selects %s', (_, entries, names) => {
    const server = createMcpServer({ name: 'a', version: '1' });
    const tools = toolsFromRoutes(tagged(), server, include(...entries));
    expect(tools.map(({ tool }) => tool).join(' ')).toBe(names);
  });

  it.each<[string, readonly unknown[], string]>([
    ['nothing', [], 'option "include"'],
    ['an unsafe method by a pattern', ['POST /orders/*'], 'by their full names'],
    ['all methods', ['* /orders'], 'no route "* /orders"'],
    ['only public routes by a pattern', ['GET /orders/open/*'], 'Public()'],
    ['an unknown tag', [{ tag: 'order' }], 'the tag "order"'],
    ['an unknown route', ['GET /order'], 'did you mean "GET /orders"'],
    ['a pattern in the middle', ['GET /*/orders/*'], 'ends with /*'],
    ['another value', [7], 'each entry'],
  ])('rejects %s', (_, entries, problem) => {
    const server = createMcpServer({ name: 'a', version: '1' });
    expect(() => toolsFromRoutes(tagged(), server, include(...entries))).toThrow(
      expect.failure('app.invalid_configuration', problem),
    );
  });

  it('never selects the discovery routes of a facade, its MCP routes, or a HEAD route', () => {
    const app = tagged();
    const server = createMcpServer({ name: 'a', version: '1', store: memoryMcpStore() });
    app.head(
      '/orders',
      bind({}, () => ({})),
      Authenticated(),
    );
    registerMcpFacade(app, {
      ...{ issuerUrl: 'https://id.example', jwksUri: 'https://id.example/jwks', mcpHandler: server.handler },
      ...{ urlMode: URL_MODE_PUBLIC_BASE_URL, publicBaseUrl: 'https://mcp.example' },
      scopes: { namespace: ['a'], partner_namespace: ['a'], agent: ['a'], partner_agent: ['a'] },
    });
    mountMcp(app, server, { posture: Authenticated() });
    const tools = toolsFromRoutes(app, server, include('GET /*'));
    expect(tools.map(({ tool }) => tool)).toEqual(['getOrders', 'getOrdersOfOthers', 'getFilesPath', 'getFilesId']);
    for (const route of app.routes().filter(({ method }) => method === 'HEAD')) {
      expect(() => toolsFromRoutes(app, server, include(`HEAD ${route.path}`))).toThrow(
        expect.failure('app.invalid_configuration', 'a HEAD route cannot be a tool'),
      );
    }
  });

  it('finds a catch-all that another route hides for short paths', async () => {
    const result = await callTool(
      mounted(tagged(), { include: ['GET /files/*'] }),
      'getFilesPath',
      { path: 'a/b c' },
      READ,
    );
    expect(result.structuredContent).toEqual({ path: 'a/b c' });
  });

  it('rejects a name twice, and an unchanged server keeps its tools', () => {
    const server = createMcpServer({ name: 'a', version: '1' });
    const options = { ...include('GET /orders', 'GET /files/*'), name: () => 'same' };
    expect(() => toolsFromRoutes(tagged(), server, options)).toThrow(
      expect.failure('mcp.invalid_registration', 'tool "same" is registered twice'),
    );
  });
});

describe('a route that cannot be a tool', () => {
  const id = z.object({ id: z.string() });
  it.each<[string, Parameters<SecureApp['get']>[1], string]>([
    ['has no schemas', () => json(200, {}), 'bind()'],
    [
      'has the same name in path and query',
      bind({ params: id, query: id }, () => ({})),
      '"id" is both in its path and in its query',
    ],
    [
      'has the same name in path and body',
      bind({ params: id, body: id }, () => ({})),
      '"id" is both in its path and in its body',
    ],
    ['has a list as its body', bind({ body: z.array(z.string()) }, () => ({})), 'its body is not an object'],
    [
      'has alternatives in its body, and parameters',
      bind({ params: id, body: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) }, () => ({})),
      'the keyword "anyOf"',
    ],
    [
      'requires a header',
      bind({ headers: { version: { type: 'string', name: 'x-version', rules: [required()] } } }, () => ({})),
      'the header "x-version"',
    ],
    ['requires a cookie', bind({ cookies: z.object({ sid: z.string() }) }, () => ({})), 'the cookie "sid"'],
    [
      'has a validator without JSON Schema',
      bind(
        { body: { '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) } } },
        () => ({}),
      ),
      'the validator of its body has no JSON Schema',
    ],
    [
      'has a validator that JSON Schema cannot express',
      bind({ body: z.object({ at: z.date() }) }, () => ({})),
      'the validator of its body cannot be written as JSON Schema',
    ],
  ])('%s: the reason is in the error at registration', (_, handler, problem) => {
    const app = appOf().post('/things/{id}', handler as never, Authenticated());
    const server = createMcpServer({ name: 'a', version: '1' });
    expect(() => toolsFromRoutes(app, server, { include: ['POST /things/{id}'] })).toThrow(
      expect.failure('app.invalid_configuration', problem),
    );
  });

  it('can have alternatives in its body without parameters, and a body that refers to itself', async () => {
    type Tree = { name: string; children: Tree[] };
    const Tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree);
      },
    });
    const app = appOf();
    app.post(
      '/trees',
      bind({ body: Tree }, (_, { body }) => body as object),
      Authenticated(),
    );
    app.post(
      '/either',
      bind({ body: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) }, (_, { body }) => body),
      Authenticated(),
    );
    mounted(app, { include: ['POST /trees', 'POST /either'] });
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
    expect((await callTool(app, 'postTrees', tree, READ)).structuredContent).toEqual(tree);
    expect((await callTool(app, 'postEither', { b: 'x' }, READ)).structuredContent).toEqual({ b: 'x' });
    const { json: listed } = await ask(app, 'tools/list', {}, READ);
    expect(JSON.stringify(listed.result.tools)).not.toContain('#/components');
  });
});

describe('a call', () => {
  it('is one request in every record: one trace, one request.completed', async () => {
    const logged: object[] = [];
    const metrics: object[] = [];
    const lines: Line[] = [];
    const app = appOf({
      observability: { log: (one) => logged.push(one), metric: (one) => metrics.push(one) },
      log: logTo(lines),
    });
    app.get(
      '/orders/{id}',
      bind({ params: { id: { type: 'string' } } }, (ctx) => {
        ctx.log.info('read');
        return { trace: ctx.traceId, request: ctx.requestId, path: ctx.request.path };
      }),
      Authenticated(),
    );
    mounted(app, { include: ['GET /orders/{id}'] });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await callTool(app, 'getOrdersId', { id: 'a b' }, { ...READ, traceparent });
    expect(result.structuredContent).toEqual({
      trace: '0af7651916cd43dd8448eb211c80319c',
      request: 'r-1',
      path: '/orders/a%20b',
    });
    expect(logged).toEqual([
      expect.objectContaining({
        event: 'request.completed',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        method: 'POST',
        route: '/mcp',
        rpc_method: 'tools/call',
        kind: 'tool',
        target: 'getOrdersId',
        called_route: 'GET /orders/{id}',
      }),
    ]);
    expect(metrics.map((one) => (one as { readonly name: string }).name)).toEqual([
      'framework.call',
      'framework.request',
    ]);
    expect(lines).toEqual([
      expect.objectContaining({
        message: 'read',
        route: '/orders/{id}',
        request_id: 'r-1',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
      }),
    ]);
  });

  it('passes the middlewares of its route, with the headers of the caller and the key of the client', async () => {
    const seen: object[] = [];
    const watch: Middleware = async (ctx, next) => {
      seen.push({
        route: `${ctx.route?.method} ${ctx.route?.pattern}`,
        key: ctx.headerAll('idempotency-key'),
        type: ctx.headerAll('content-type'),
        own: Object.keys(ctx.request.headers).filter((name) => name.startsWith('mcp-') || name === 'accept'),
        language: ctx.header('accept-language'),
      });
      return next(ctx);
    };
    const app = appOf();
    app.post(
      '/orders',
      bind({ body: z.object({ sku: z.string() }) }, (_, { body }) => body),
      Authenticated(),
      { use: [watch] },
    );
    mounted(app, { include: ['POST /orders'] });
    const more = { meta: { 'idempotency-key': 'k-1' } };
    await callTool(app, 'postOrders', { sku: 's' }, { ...READ, 'accept-language': 'de' }, more);
    expect(seen).toEqual([
      { route: 'POST /orders', key: ['k-1'], type: ['application/json'], own: [], language: 'de' },
    ]);
  });

  it.each<[string, () => ReturnType<Parameters<SecureApp['get']>[1]>, object, number]>([
    [
      'events',
      () => sseEventStream([{ data: 'one' }, { data: { two: 2 } }]),
      { content: [{ type: 'text', text: 'one\n{"two":2}' }] },
      2,
    ],
    [
      'lines',
      () =>
        new Response(ReadableStream.from([Buffer.from('{"a":1}\n{"a"'), Buffer.from(':2}\r\n')]), {
          headers: { 'content-type': 'application/x-ndjson' },
        }),
      { content: [{ type: 'text', text: '{"a":1}\n{"a":2}' }] },
      2,
    ],
    ['a web response', () => Response.json({ a: 1 }), { structuredContent: { a: 1 } }, 0],
  ])('reports the progress of a route that streams: %s', async (_, answer, expected, events) => {
    const app = appOf().get('/stream', bind({}, answer as never), Authenticated(), { streaming: true });
    mounted(app, { include: ['GET /stream'] });
    const params = { name: 'getStream', arguments: {} };
    const asked = await ask(app, 'tools/call', params, READ, { meta: { progressToken: 'p' } });
    expect(asked.json.result).toMatchObject(expected);
    const progress = asked.events.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params: { progress: at } }) => at)).toEqual(
      Array.from({ length: events }, (_, at) => at + 1),
    );
  });

  it('links to a file, which the client reads through the same gate', async () => {
    const app = appOf();
    const bytes = Buffer.from('89504e47', 'hex');
    app.get(
      '/files/{id}',
      bind({ params: { id: { type: 'string' } }, query: { size: { type: 'int' } } }, (_, { params, query }) =>
        params.id === 'none'
          ? json(404, {})
          : binary(200, query.size ? bytes.subarray(0, query.size) : bytes, 'image/png'),
      ),
      Authenticated('files'),
    );
    app.get(
      '/signed',
      bind({}, () => redirect('https://bucket.example/a/report.pdf?sig=1')),
      Authenticated('files'),
    );
    app.post(
      '/render',
      bind({ body: z.object({}) }, () => binary(200, bytes, 'image/png')),
      Authenticated('files'),
    );
    app.get(
      '/orders',
      bind({}, () => ({})),
      Authenticated('orders'),
    );
    mounted(app, { include: ['GET /files/*', 'GET /signed', 'POST /render'] });
    const files = caller('ada', 'files');
    const uri = 'route:///files/a%20b?size=2';
    expect((await callTool(app, 'getFilesId', { id: 'a b', size: 2 }, files)).content).toEqual([
      { type: 'resource_link', uri, name: 'a b', mimeType: 'image/png', size: 2 },
    ]);
    expect((await callTool(app, 'getSigned', {}, files)).content).toEqual([
      { type: 'resource_link', uri: 'https://bucket.example/a/report.pdf?sig=1', name: 'report.pdf' },
    ]);
    expect((await callTool(app, 'postRender', {}, files)).content).toEqual([
      { type: 'resource', resource: { uri: 'route:///render', mimeType: 'image/png', blob: 'iVBORw==' } },
    ]);
    const read = async (wanted: string, headers: object) =>
      (await ask(app, 'resources/read', { uri: wanted }, headers)).json;
    expect((await read(uri, files)).result.contents).toEqual([{ uri, mimeType: 'image/png', blob: 'iVA=' }]);
    for (const [wanted, headers] of [
      [uri, caller('eve', 'orders')],
      [uri, {}],
      ['route:///files/none', files],
      ['route:///orders', caller('ada', 'orders')],
      ['route:///files/../orders', files],
    ] as const)
      expect((await read(wanted, headers)).error).toMatchObject({ code: -32602 });
  });

  it('stops reading a stream that is longer than an answer can be', async () => {
    let isClosed = false;
    const endless = {
      *[Symbol.iterator]() {
        try {
          for (;;) yield Buffer.alloc(1_000_000, 'x\n');
        } finally {
          isClosed = true;
        }
      },
    };
    const app = appOf().get(
      '/endless',
      bind({}, () => Object.assign(text(200, ''), { bodyStream: endless })),
      Authenticated(),
    );
    expect(await callTool(mounted(app, { include: ['GET /endless'] }), 'getEndless', {}, READ)).toMatchObject({
      isError: true,
    });
    expect(isClosed).toBe(true);
  });
});

describe('a published client', () => {
  it.each(OFFICIAL_CLIENTS)('%s lists and calls the tools, and accepts their results', async (_, connect) => {
    const app = ordersOf(appOf());
    const server = createMcpServer({ name: 'orders', version: '1.0.0', store: memoryMcpStore() });
    toolsFromRoutes(app, server, { include: ALL });
    mountMcp(app, server, { posture: Authenticated() });
    const loopback = await serveApp(app);
    const withCaller = (input: string | URL, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(WRITE)) headers.set(name, value);
      return fetch(input, { ...init, headers });
    };
    try {
      const official = await connect(new URL(`${loopback.endpoint}/mcp`), withCaller);
      // The clients check structured content with the listed schemas.
      expect((await official.listTools()).tools).toHaveLength(5);
      expect(await official.callTool('getOrders', { limit: 3 })).toMatchObject({
        structuredContent: { result: [{ id: '{"limit":3}', total: 1 }] },
      });
      expect(await official.callTool('getOrdersId', { id: 'o7' })).toMatchObject({ structuredContent: { total: 2 } });
      expect(await official.callTool('getOrdersId', { id: 'x' })).toMatchObject({ isError: true });
      expect(await official.callTool('deleteOrdersId', { id: 'o7' })).not.toHaveProperty('isError');
      await official.close();
    } finally {
      loopback.stop();
    }
  });
});
