import type { ServerResponse } from 'node:http';
import { McpServer as Sdk1Server } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as Sdk2Server } from '@modelcontextprotocol/server';
import { ManualClock } from '@sallyport/core/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { z } from 'zod';
import { type ProxyServerOptions, proxyServer } from '../src/compose.js';
import { createMcpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { appOf, ask, caller, callTool, toolNames } from './support/composed.js';
import { type Loopback, serveApp, serveFetch, startLoopback } from './support/loopback.js';
import { type Line, logTo } from './support/rig.js';

const ADA = caller('ada', 'crm', { authorization: 'Bearer the-token-of-ada' });
const started: Loopback[] = [];
const keep = async (starting: Promise<Loopback>) => {
  const loopback = await starting;
  started.push(loopback);
  return loopback;
};
afterEach(() => {
  for (const loopback of started.splice(0)) loopback.stop();
});

/** Our own server as the remote one. */
async function own(seen: (string | undefined)[] = []) {
  const server = createMcpServer({ name: 'crm', version: '1', sessions: 'none' });
  server.tool(
    'search',
    { description: 'Searches.', input: z.object({ text: z.string() }), output: z.object({ found: z.string() }) },
    ({ text }) => ({ structured: { found: text } }),
  );
  server.tool('slowly', {}, (_, ctx) => {
    for (const at of [1, 2]) ctx.progress(at, 2, `part ${at}`);
    return 'done';
  });
  server.tool('delete', {}, () => 'deleted');
  const app = new SecureApp({
    principalResolver: (ctx) => {
      seen.push(ctx.header('authorization'));
      return { identity: 'proxy', scopes: [] };
    },
    log: false,
  });
  mountMcp(app, server, { posture: Authenticated() });
  return keep(serveApp(app));
}

/** The published server of the second major version. */
const sdk2 = () =>
  keep(
    serveFetch((request) => {
      const handler = createMcpHandler(() => {
        const server = new Sdk2Server({ name: 'crm', version: '1' });
        server.registerTool(
          'search',
          { description: 'Searches.', inputSchema: z.object({ text: z.string() }) },
          async ({ text }, ctx) => {
            void ctx;
            return { content: [{ type: 'text', text: `found ${text}` }], structuredContent: { found: text } };
          },
        );
        return server;
      });
      return handler.fetch(request);
    }),
  );

/** The published server of the first major version, with sessions. */
async function sdk1(ids: string[] = []) {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const create = async () => {
    const server = new Sdk1Server({ name: 'crm', version: '1' });
    server.registerTool(
      'search',
      { description: 'Searches.', inputSchema: { text: z.string() } },
      async ({ text }, extra) => {
        const token = extra._meta?.progressToken;
        if (token !== undefined) {
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress: 1, total: 1, message: 'half' },
          });
        }
        return { content: [{ type: 'text', text: `found ${text}` }], structuredContent: { found: text } };
      },
    );
    server.registerTool('ask', {}, async () => {
      const { action } = await server.server.elicitInput({
        message: 'Name?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return { content: [{ type: 'text', text: action }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `s-${ids.length + 1}`,
      onsessioninitialized: (id) => {
        ids.push(id);
        transports.set(id, transport);
      },
    });
    await server.connect(transport as never);
    return transport;
  };
  const loopback = await startLoopback(async (request, body, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '');
    const message = body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined;
    const known = transports.get(id);
    if (!known && id !== '') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: message?.id ?? null,
          error: { code: -32001, message: 'Session not found' },
        }),
      );
      return;
    }
    await (known ?? (await create())).handleRequest(request, response, message);
  });
  started.push(loopback);
  return { ...loopback, forget: () => transports.clear() };
}

/** A server of ours that proxies a remote one. */
async function proxied(
  { endpoint }: Pick<Loopback, 'endpoint'>,
  options: Partial<ProxyServerOptions> = {},
  lines: Line[] = [],
  clock?: ManualClock,
) {
  const server = createMcpServer({ name: 'front', version: '1', ...(clock && { clock }) });
  await proxyServer(server, 'crm', { url: `${endpoint}/mcp`, tools: ['search'], ...options });
  const app = appOf({ log: logTo(lines) });
  mountMcp(app, server, { posture: Authenticated() });
  return app;
}

const DEFINITIONS = [{ name: 'search', inputSchema: { type: 'object' } }];
const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });

describe('a proxied server', () => {
  it.each<[string, () => Promise<Loopback>]>([
    ['of this package', own],
    ['of the published package 2', sdk2],
    ['of the published package 1, with sessions', sdk1],
  ])('%s answers calls under a prefix', async (_, start) => {
    const app = await proxied(await start());
    expect(await toolNames(app, ADA)).toEqual(['crm_search']);
    const listed = await ask(app, 'tools/list', {}, ADA);
    expect(listed.json.result.tools[0]).toMatchObject({
      description: 'Searches.',
      inputSchema: { properties: { text: { type: 'string' } } },
    });
    expect(await callTool(app, 'crm_search', { text: 'x' }, ADA)).toMatchObject({ structuredContent: { found: 'x' } });
    const wrong = await callTool(app, 'crm_search', {}, ADA);
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.content[0].text).toMatch(/text/);
  });

  it('receives the token of this server, and never that of the caller', async () => {
    const seen: (string | undefined)[] = [];
    const remote = await own(seen);
    let count = 0;
    const app = await proxied(remote, {
      headers: async () => {
        count += 1;
        return { authorization: `Bearer own-${count}` };
      },
    });
    await callTool(app, 'crm_search', { text: 'x' }, ADA);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(seen).toEqual(seen.map((_, index) => `Bearer own-${index + 1}`));
  });

  it('has only the allowed tools, for callers with the scopes', async () => {
    const remote = await own();
    const app = await proxied(remote, { tools: ['s*'], scopes: ['crm'] });
    expect(await toolNames(app, ADA)).toEqual(['crm_search', 'crm_slowly']);
    expect(await toolNames(app, caller('eve'))).toEqual([]);
    expect((await ask(app, 'tools/call', { name: 'crm_search', arguments: {} }, caller('eve'))).status).toBe(403);
    expect(await callTool(app, 'crm_delete', {}, ADA)).toEqual({ code: -32602, message: 'Unknown tool' });
  });

  it.each<[string, () => Promise<Loopback>, string, number[]]>([
    ['of this package', own, 'slowly', [1, 2]],
    ['of the published package 1', sdk1, 'search', [1]],
  ])('%s reports progress', async (_, start, tool, expected) => {
    const app = await proxied(await start(), { tools: [tool] });
    const params = { name: `crm_${tool}`, arguments: { text: 'x' } };
    const { events } = await ask(app, 'tools/call', params, ADA, { meta: { progressToken: 'p' } });
    const progress = events.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params: { progress: at } }) => at)).toEqual(expected);
    expect(progress.every(({ params: { progressToken } }) => progressToken === 'p')).toBe(true);
  });

  it('has one session for each caller, and a new one if the remote server has lost it', async () => {
    const ids: string[] = [];
    const remote = await sdk1(ids);
    const app = await proxied(remote);
    const call = (headers: object) => callTool(app, 'crm_search', { text: 'x' }, headers);
    for (const headers of [ADA, ADA, caller('bob'), caller('bob')]) await call(headers);
    expect(ids).toHaveLength(3); // The list of tools, ada, and bob.
    remote.forget();
    expect(await call(ADA)).toMatchObject({ structuredContent: { found: 'x' } });
    expect(ids).toHaveLength(4);
  });

  it('that is down gets no requests in a pause, and is tried again after it', async () => {
    let requests = 0;
    let isDown = true;
    const healthy = await own();
    const remote = await keep(
      startLoopback(async ({ headers }, body, response) => {
        requests += 1;
        if (isDown) return response.writeHead(503).end('hunter2');
        const { 'content-length': _, host: __, connection: ___, ...sent } = headers as Record<string, string>;
        const answer = await fetch(`${healthy.endpoint}/mcp`, { method: 'POST', headers: sent, body });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        return response.end(await answer.text());
      }),
    );
    const lines: Line[] = [];
    const clock = new ManualClock(1_700_000_000_000);
    const app = await proxied(remote, { definitions: DEFINITIONS }, lines, clock);
    const call = () => callTool(app, 'crm_search', { text: 'x' }, ADA);
    const down = failed('The server of this tool is not available.');
    for (let at = 0; at < 5; at += 1) expect(await call()).toMatchObject(down);
    expect(requests).toBe(1);
    await clock.advance(1000);
    expect(await call()).toMatchObject(down);
    expect(requests).toBe(2);
    isDown = false;
    await clock.advance(1000);
    expect(await call()).toMatchObject(down);
    await clock.advance(1000);
    expect(await call()).toMatchObject({ structuredContent: { found: 'x' } });
    expect(lines[0]).toMatchObject({ message: 'mcp.proxy_failed', tool: 'search', failure: 'unavailable' });
    expect(JSON.stringify(lines)).not.toMatch(/127\.0\.0\.1|hunter2/);
  });

  /** A server that answers every request alike, once the era is known. */
  const answering = (answer: (response: ServerResponse, id: unknown) => void, methods: string[] = []) =>
    keep(
      startLoopback((_, body, response) => {
        const { id, method } = JSON.parse(body.toString('utf8'));
        methods.push(method ?? 'answer');
        const send = (result: object) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result }));
        };
        if (method === 'server/discover') send({ error: { code: -32601, message: 'Method not found' } });
        else if (method === 'initialize') send({ result: { protocolVersion: '2025-11-25' } });
        else if (id === undefined || method === undefined) response.writeHead(202).end();
        else answer(response, id);
      }),
    );
  const json = (response: ServerResponse, text: string) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);

  it.each<[string, (response: ServerResponse, id: unknown) => void, string]>([
    ['does not answer', () => {}, 'The server of this tool did not answer in time.'],
    [
      'answers slowly, byte by byte',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write(': \n'), 20);
        response.on('close', () => clearInterval(timer));
      },
      'The server of this tool did not answer in time.',
    ],
    [
      'answers with 10 MB',
      (response, id) =>
        json(
          response,
          JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(10_000_000) }] } }),
        ),
      'The answer of this tool is too large.',
    ],
    [
      'streams 10 MB',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${'x'.repeat(10_000_000)}\n\n`);
      },
      'The answer of this tool is too large.',
    ],
    [
      'answers with HTML',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hunter2</h1>'),
      'The server of this tool gave an invalid answer.',
    ],
    [
      'answers with broken JSON',
      (response) => json(response, '{"jsonrpc'),
      'The server of this tool gave an invalid answer.',
    ],
    [
      'answers another request',
      (response) => json(response, '{"jsonrpc":"2.0","id":"other","result":{"content":[]}}'),
      'The server of this tool gave an invalid answer.',
    ],
    [
      'answers without content',
      (response, id) => json(response, JSON.stringify({ jsonrpc: '2.0', id, result: {} })),
      'The server of this tool gave an invalid answer.',
    ],
    [
      'redirects',
      (response) => response.writeHead(307, { location: 'https://evil.example/' }).end(),
      'The server of this tool gave an invalid answer.',
    ],
    [
      'rejects the token',
      (response) => response.writeHead(401).end('hunter2'),
      'The server of this tool does not accept requests of this server.',
    ],
    [
      'fails with an internal error',
      (response, id) =>
        json(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'hunter2' } })),
      'The tool failed.',
    ],
    [
      'rejects the arguments',
      (response, id) =>
        json(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no\nsuch thing' } })),
      'The server of this tool rejected the call: no such thing',
    ],
    [
      'ends its stream without an answer',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
      'The server of this tool gave an invalid answer.',
    ],
    ['breaks the connection', (response) => response.destroy(), 'The server of this tool is not available.'],
  ])('that %s leads to a result with isError', async (_, answer, expected) => {
    const app = await proxied(await answering(answer), {
      definitions: DEFINITIONS,
      timeoutMs: expected.includes('in time') ? 300 : 20_000,
    });
    const result = await callTool(app, 'crm_search', {}, ADA);
    expect(result).toMatchObject(failed(expected));
  });

  it('that sends an elicitation request receives a rejection, and its result is passed on', async () => {
    const methods: string[] = [];
    const remote = await answering((response, id) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}\n\n');
      const timer = setInterval(() => {
        if (!methods.includes('answer')) return;
        clearInterval(timer);
        response.end(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'without you' }] } })}\n\n`,
        );
      }, 5);
    }, methods);
    const app = await proxied(remote, { definitions: DEFINITIONS });
    expect(await callTool(app, 'crm_search', {}, ADA)).toMatchObject({ content: [{ text: 'without you' }] });
    expect(methods.at(-1)).toBe('answer');
  });

  it('of the published package cannot elicit input', async () => {
    const app = await proxied(await sdk1(), { tools: ['ask'] });
    expect(await callTool(app, 'crm_ask', {}, ADA)).toMatchObject({ isError: true });
  });

  it('that requires input in the stateless era leads to a result with isError', async () => {
    const remote = await keep(
      startLoopback((_, body, response) => {
        const { id, method } = JSON.parse(body.toString('utf8'));
        const result =
          method === 'server/discover'
            ? { supportedVersions: ['2026-07-28'] }
            : { resultType: 'input_required', inputRequests: {} };
        json(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
      }),
    );
    const app = await proxied(remote, { definitions: DEFINITIONS });
    expect(await callTool(app, 'crm_search', {}, ADA)).toMatchObject(
      failed('This tool needs an answer from the user, which is not possible here.'),
    );
  });

  it('that calls back in a circle is stopped after four proxies', async () => {
    const app = appOf();
    const loopback = await keep(serveApp(app));
    const server = createMcpServer({ name: 'front', version: '1' });
    let calls = 0;
    server.tool('counted', {}, () => {
      calls += 1;
      return 'x';
    });
    await proxyServer(server, 'a', {
      ...{ url: `${loopback.endpoint}/mcp`, headers: { 'x-user': 'proxy' }, tools: ['a_search', 'counted'] },
      definitions: [
        { name: 'a_search', inputSchema: { type: 'object' } },
        { name: 'counted', inputSchema: { type: 'object' } },
      ],
    });
    server.tool('loop', {}, () => 'x');
    mountMcp(app, server, { posture: Authenticated() });
    expect(await callTool(app, 'a_counted', {}, ADA)).toMatchObject({ content: [{ text: 'x' }] });
    expect(calls).toBe(1);
    for (const hops of ['4', '999', 'none']) {
      const result = await callTool(app, 'a_counted', {}, { ...ADA, 'mcp-proxy-hops': hops });
      expect(result).toMatchObject(failed('The servers of this tool call each other in a circle.'));
    }
    expect(calls).toBe(1);
  });

  it('that is this server itself ends', async () => {
    let requests = 0;
    const app = new SecureApp({
      principalResolver: () => {
        requests += 1;
        return { identity: 'x', scopes: [] };
      },
      log: false,
    });
    const loopback = await keep(serveApp(app));
    const server = createMcpServer({ name: 'front', version: '1', store: memoryMcpStore() });
    await proxyServer(server, '', {
      ...{
        url: `${loopback.endpoint}/mcp`,
        tools: ['echo'],
        definitions: [{ name: 'echo', inputSchema: { type: 'object' } }],
      },
    });
    mountMcp(app, server, { posture: Authenticated() });
    expect(await callTool(app, 'echo', {})).toMatchObject(
      failed('The servers of this tool call each other in a circle.'),
    );
    expect(requests).toBeLessThan(12);
  });
});

describe('the registration of a proxy', () => {
  const OPTIONS = { url: 'https://crm.example/mcp', tools: ['search'], definitions: DEFINITIONS };
  it.each<[string, object, string, string]>([
    ['without tools', { tools: undefined }, 'app.invalid_configuration', 'option "tools"'],
    ['with a tool that does not exist', { tools: ['delete'] }, 'app.invalid_configuration', 'no tool "delete"'],
    ['with a pattern of nothing', { tools: ['x*'] }, 'app.invalid_configuration', 'no such tool'],
    ['with a URL without TLS', { url: 'http://crm.example/mcp' }, 'app.invalid_configuration', 'option "url"'],
    [
      'with credentials in the URL',
      { url: 'https://a:b@crm.example/mcp' },
      'app.invalid_configuration',
      'option "url"',
    ],
    ['with a header that is not text', { headers: { a: 1 } }, 'app.invalid_configuration', 'option "headers"'],
    ['with an unknown option', { token: 'x' }, 'app.invalid_configuration', 'option "token"'],
    [
      'with a schema that is not an object',
      { definitions: [{ name: 'search', inputSchema: { type: 'array' } }] },
      'mcp.invalid_registration',
      'root type "object"',
    ],
    [
      'of a server that is down',
      { url: 'http://127.0.0.1:1/mcp', definitions: undefined },
      'mcp.proxy_unavailable',
      'did not return its tools',
    ],
  ])('is rejected %s', async (_, options, code, problem) => {
    const server = createMcpServer({ name: 'a', version: '1' });
    await expect(proxyServer(server, 'crm', { ...OPTIONS, ...options } as ProxyServerOptions)).rejects.toEqual(
      expect.failure(code, problem),
    );
  });
});
