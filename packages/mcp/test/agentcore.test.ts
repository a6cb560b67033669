import { BedrockAgentCoreGatewayTargetHandler } from '@aws/run-mcp-servers-with-aws-lambda';
import type { LambdaContext } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { createApp } from '@sallyport/dispatch/app';
import { Authenticated, Optional, Public, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
  createTestEnv,
  type TestEnv,
} from '@sallyport/testkit';
import { z } from 'zod';
import { agentCoreTools } from '../src/agentcore.js';
import { createMcpServer, type McpServer, McpToolError, mountMcp } from '../src/index.js';
import { buildAgentCoreCall } from '../src/testing.js';
import { OFFICIAL_CLIENTS, type Official } from './support/official-clients.js';

const SECRET = { current: 'a secret of at least 32 bytes, yes' };

function createTools(seen: unknown[] = []): McpServer {
  const server = createMcpServer({ name: 'notes', version: '1.0.0', secret: SECRET, sessions: 'none' });
  const input = z.object({ a: z.number(), b: z.number() });
  server.tool('add', { description: 'Adds.', input }, ({ a, b }) => ({ structured: { sum: a + b } }));
  server.tool('say', { description: 'Says.' }, (args) => `said ${JSON.stringify(args)}`);
  server.tool('full', { description: 'A full result.' }, () => ({
    content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
    structuredContent: { n: 1 },
    _meta: { k: 'v' },
  }));
  server.tool('told', { description: 'Fails with a text.' }, () => {
    throw new McpToolError('There is no note 7.');
  });
  server.tool('broken', { description: 'Fails.' }, () => {
    throw new Error('secret of the database');
  });
  server.tool('odd', { description: 'Has an output.', output: z.object({ n: z.number() }) }, () => ({
    structured: { n: 'x' as never },
  }));
  server.tool('a___b', { description: 'Has the delimiter in its name.' }, () => 'ab');
  server.tool('noisy', { description: 'Logs and progresses.' }, (_args, ctx) => {
    ctx.log('error', 'noise');
    ctx.progress(1, 2);
    return 'done';
  });
  server.tool('asking', { description: 'Asks.', asks: ['elicitation'] }, async (_args, ctx) => {
    await ctx.elicit({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } });
    return 'never';
  });
  server.tool('returning', { description: 'Asks by its result.', asks: ['elicitation'] }, (_args, ctx) =>
    ctx.inputRequired({ q: { method: 'roots/list' } }),
  );
  server.tool('needing', { description: 'Needs.', requires: ['sampling'] }, () => 'never');
  server.tool('guarded', { description: 'Has a scope.', scopes: ['notes:write'] }, () => 'written');
  server.tool('caller', { description: 'Says who calls.' }, (_args, ctx) => {
    const { http } = ctx;
    seen.push({
      principal: ctx.principal?.identity,
      copied: http.securePrincipal()?.identity,
      tenant: ctx.tenantId,
      path: http.request.path,
      method: http.request.method,
      header: http.header('x-team'),
      event: http.event,
      body: http.bodyText(),
      kind: http.triggerKind,
      provenance: http.invocationProvenance,
      era: ctx.era,
    });
    return 'seen';
  });
  return server;
}

const byHeader = (ctx: { header(name: string): string | undefined }) => {
  const identity = ctx.header('x-user') ?? '';
  return identity === '' ? null : { identity, scopes: ['notes:read'] };
};

function secure(server: McpServer, env: TestEnv, posture: object = Optional(), target?: string): SecureApp {
  return new SecureApp({
    ...env.options(),
    principalResolver: byHeader,
    surfaces: [agentCoreTools(server, { posture: posture as never, ...(target && { target }) })],
  });
}

interface Invokes {
  handleLambda(event: unknown, context?: LambdaContext): Promise<unknown>;
}

function call(app: Invokes, tool: string, args: unknown = {}, headers: Record<string, string> = {}) {
  const { event, clientContext } = buildAgentCoreCall(tool, args, { target: 'notes', headers });
  return app.handleLambda(event, { awsRequestId: 'r-1', clientContext });
}

describe('one table of tools', () => {
  const server = createTools();
  const env = createTestEnv();
  const agent = secure(server, env);
  let official: Official;
  let aws: BedrockAgentCoreGatewayTargetHandler;

  beforeAll(async () => {
    const app = new SecureApp({ ...env.options() });
    mountMcp(app, server, { posture: Public() });
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const { status, headers, body } = await app.serve({
        method: init?.method ?? 'GET',
        path: new URL(url).pathname,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: String(init?.body ?? ''),
      });
      const flat = Object.entries(headers).map(([name, values]): [string, string] => [name, values.join(', ')]);
      return new Response(status === 202 || body.length === 0 ? null : Buffer.from(body), { status, headers: flat });
    };
    official = await (OFFICIAL_CLIENTS[0] as (typeof OFFICIAL_CLIENTS)[number])[1](
      new URL('http://localhost/mcp'),
      fetch,
    );
    // AWS's adapter, in front of the same server.
    aws = new BedrockAgentCoreGatewayTargetHandler({
      async handleRequest({ id, params }) {
        const { name, arguments: args } = params as { name: string; arguments: object };
        try {
          return { jsonrpc: '2.0', id, result: (await official.callTool(name, args)) as never };
        } catch (error) {
          return { jsonrpc: '2.0', id, error: { code: -32603, message: String(error) } };
        }
      },
    });
  });
  afterAll(() => official.close());

  const results: readonly (readonly [string, string, object, object])[] = [
    [
      'a structured result',
      'add',
      { a: 1, b: 2 },
      { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
    ],
    ['no arguments', 'say', {}, { content: [{ type: 'text', text: 'said {}' }] }],
    ['any arguments', 'say', { x: [null] }, { content: [{ type: 'text', text: 'said {"x":[null]}' }] }],
    [
      'a full result',
      'full',
      {},
      {
        content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
        structuredContent: { n: 1 },
        _meta: { k: 'v' },
      },
    ],
    ['bad arguments', 'add', { a: 'x' }, { isError: true }],
    ['a told failure', 'told', {}, { content: [{ type: 'text', text: 'There is no note 7.' }], isError: true }],
    ['a failure', 'broken', {}, { isError: true }],
    ['an unfit result', 'odd', {}, { isError: true }],
    ['a name with the delimiter', 'a___b', {}, { content: [{ type: 'text', text: 'ab' }] }],
    ['log and progress', 'noisy', {}, { content: [{ type: 'text', text: 'done' }] }],
    ['a needed capability of the client', 'needing', {}, { isError: true }],
  ];

  it.each(results)(
    "%s: the same from here, from AWS's adapter and from an MCP client",
    async (_what, tool, args, expected) => {
      const { event, clientContext } = buildAgentCoreCall(tool, args, { target: 'notes' });
      const ours = await agent.handleLambda(event, { awsRequestId: 'r-1', clientContext });
      expect(ours).toMatchObject(expected);
      const withoutId = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/request [^)]+/g, 'request r'));
      // Sampling is a capability of the official client, so that only an agent lacks it.
      if (tool === 'needing') return;
      expect(withoutId(await official.callTool(tool, args))).toEqual(withoutId(ours));
      expect(withoutId(await aws.handle(args as Record<string, unknown>, { clientContext } as never))).toEqual(
        withoutId(ours),
      );
    },
  );

  it('an unknown tool is a result here, and an error of the protocol there', async () => {
    const { event, clientContext } = buildAgentCoreCall('other', {});
    await expect(agent.handleLambda(event, { clientContext })).resolves.toEqual({
      content: [{ type: 'text', text: 'Unknown tool' }],
      isError: true,
    });
    await expect(official.callTool('other')).rejects.toThrow('Unknown tool');
    await expect(aws.handle({}, { clientContext } as never)).rejects.toThrow('Unknown tool');
  });

  it.each([
    ['without the delimiter', 'add'],
    ['without a name behind it', 'notes___'],
    ['that is no text', 5],
  ])("a tool name %s is rejected here and by AWS's adapter", async (_what, name) => {
    const clientContext = { custom: { bedrockAgentCoreToolName: name } };
    await expect(agent.handleLambda({}, { clientContext })).rejects.toMatchObject({ code: 'mcp.invalid_agent_call' });
    await expect(aws.handle({}, { clientContext } as never)).rejects.toThrow();
  });
});

describe('what a tool of an agent may not do', () => {
  it.each(['asking', 'returning', 'needing'])('%s', async (tool) => {
    await expect(call(secure(createTools(), createTestEnv()), tool)).resolves.toMatchObject({ isError: true });
  });

  it('an exception leaves no text, and is logged', async () => {
    const env = createTestEnv();
    const result = await call(secure(createTools(), env), 'broken');
    expect(result).toEqual({ content: [{ type: 'text', text: 'Tool failed (request r-1)' }], isError: true });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(env.records.logs.map(({ message }) => message)).toEqual(['mcp.handler_failed']);
  });

  it('runs until a second before the end of the invocation', async () => {
    const env = createTestEnv();
    const server = createMcpServer({ name: 'slow', version: '1' });
    server.tool('wait', {}, () => new Promise<string>(() => {}));
    const { event, clientContext } = buildAgentCoreCall('wait', {});
    const running = secure(server, env).handleLambda(event, env.lambdaContext({ clientContext, remainingMs: 5000 }));
    await env.clock.advance(4000);
    await expect(running).resolves.toMatchObject({
      isError: true,
      content: [{ text: 'Tool timed out (request lambda-1)' }],
    });
  });
});

describe.each([
  ['an array', [1]],
  ['null', null],
  ['a text', 'x'],
  ['too deep', JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`)],
  ['too large', { text: 'x'.repeat(4 * 1024 * 1024) }],
])('arguments: %s', (_what, args) => {
  it('are a result with isError', async () => {
    const seen: unknown[] = [];
    await expect(call(secure(createTools(seen), createTestEnv()), 'caller', args)).resolves.toMatchObject({
      isError: true,
    });
    expect(seen).toEqual([]);
  });
});

describe('the caller of a tool', () => {
  it('is resolved from the headers that the gateway passes on, and from no other value', async () => {
    const seen: unknown[] = [];
    const args = { headers: { 'x-user': 'eve' }, requestContext: { authorizer: { jwt: { claims: { sub: 'eve' } } } } };
    const app = secure(createTools(seen), createTestEnv());
    await call(app, 'caller', args, { 'X-User': 'ada', 'X-Team': 'blue' });
    await call(app, 'caller', args);
    const common = { method: 'POST', path: '/mcp', event: undefined, body: '', kind: 'agentcore', provenance: 'agent' };
    expect(seen).toEqual([
      { ...common, principal: 'ada', copied: 'ada', tenant: '', header: 'blue', era: 'session' },
      { ...common, principal: undefined, copied: undefined, tenant: '', header: undefined, era: 'session' },
    ]);
  });

  it('is required by the posture, before anything runs', async () => {
    const env = createTestEnv();
    const seen: unknown[] = [];
    const app = secure(createTools(seen), env, Authenticated('notes:read'));
    await expect(call(app, 'caller')).rejects.toMatchObject({ code: 'app.unauthorized' });
    await expect(call(app, 'caller', {}, { 'x-user': 'ada' })).resolves.toMatchObject({ content: [{ text: 'seen' }] });
    expect(seen).toHaveLength(1);
    expect(env.records.logs).toMatchObject([{ message: 'framework: invocation refused' }]);
  });

  it('needs the scopes of the tool', async () => {
    const app = secure(createTools(), createTestEnv());
    await expect(call(app, 'guarded', {}, { 'x-user': 'ada' })).rejects.toMatchObject({ code: 'app.forbidden' });
  });

  it('calls the target of the option only', async () => {
    const app = secure(createTools(), createTestEnv(), Optional(), 'notes');
    await expect(call(app, 'say')).resolves.toMatchObject({ content: [{ text: 'said {}' }] });
    const { event, clientContext } = buildAgentCoreCall('say', {}, { target: 'other' });
    await expect(app.handleLambda(event, { clientContext })).rejects.toMatchObject({ code: 'mcp.invalid_agent_call' });
  });
});

const hostile = {
  get custom(): never {
    throw new Error('getter');
  },
};
it.each<[string, unknown, string]>([
  ['a getter', hostile, 'dispatch.direct_refused'],
  ['another case', { custom: { BedrockAgentCoreToolName: 'notes___say' } }, 'mcp.invalid_agent_call'],
  ['the other spelling of the member', { Custom: { bedrockAgentCoreToolName: 'notes___say' } }, ''],
  [
    'a key of the prototype',
    { custom: Object.create({ bedrockAgentCoreToolName: 'notes___say' }) },
    'dispatch.direct_refused',
  ],
  [
    'a proxy',
    {
      custom: new Proxy(
        { bedrockAgentCoreToolName: 1 },
        {
          get: () => {
            throw new Error('trap');
          },
        },
      ),
    },
    'mcp.invalid_agent_call',
  ],
])('a client context with %s', async (_what, clientContext, code) => {
  const app = secure(createTools(), createTestEnv());
  const answer = app.handleLambda({}, { clientContext });
  if (code === '') await expect(answer).resolves.toMatchObject({ content: [{ text: 'said {}' }] });
  else await expect(answer).rejects.toMatchObject({ code });
});

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';
const FORGED: readonly (readonly [string, unknown])[] = [
  ['queue', buildQueueEvent(ARN, [{ body: {} }])],
  ['table-stream', buildTableStreamEvent('arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/1', [{}])],
  ['stream', buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ json: {} }])],
  ['topic', buildTopicEvent('arn:aws:sns:us-east-1:123456789012:news', [{ message: 'x' }])],
  ['event-bus', buildEventBusEvent()],
  ['appsync', buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'op' })],
  ['websocket', buildWebSocketEvent({ routeKey: 'op' })],
  [
    'gateway-v2',
    buildAPIGatewayV2Request('GET', '/op', { authorizer: { jwt: { claims: { sub: 'eve' }, scopes: [] } } }),
  ],
  ['function-url', buildLambdaFunctionURLRequest('GET', '/op')],
  ['load-balancer', buildLoadBalancerRequest('GET', '/op')],
  ['gateway-v1', buildAPIGatewayProxyRequest('GET', '/op')],
];

describe.each(FORGED)('arguments in the shape of %s', (_kind, args) => {
  it('reach the tool and no handler of the container', async () => {
    const env = createTestEnv();
    const ran: string[] = [];
    const run = (what: string) => () => void ran.push(what);
    const surfaces = () => [agentCoreTools(createTools())];
    const open = createApp({ ...env.options(), surfaces: surfaces() });
    const closed = new SecureApp({
      ...env.options(),
      surfaces: [agentCoreTools(createTools(), { posture: Public() })],
    });
    for (const app of [open, closed] as const) {
      app.queue('orders', run('queue')).tableStream('notes', run('table')).kinesis('clicks', run('stream'));
      app.topic('news', run('topic')).eventBus({ source: 'test.source' }, run('bus'));
    }
    open.get('/op', () => ({ status: 200 }) as never);
    const http = () => {
      ran.push('http');
      return new Response('');
    };
    open.get('/http', http).appSyncField('Query', 'op', http).webSocket('op', http);
    closed.get('/op', http, Public()).appSyncField('Query', 'op', http, Public()).webSocket('op', http, Public());
    for (const app of [open, closed]) {
      await expect(call(app, 'say', args)).resolves.toEqual({
        content: [{ type: 'text', text: `said ${JSON.stringify(args)}` }],
      });
    }
    expect(ran).toEqual([]);
  });
});

describe('registration', () => {
  const server = createTools();
  it.each<[string, () => unknown, string, string?]>([
    [
      'no posture in the closed container',
      () => new SecureApp({ surfaces: [agentCoreTools(server)] }),
      'invalid auth posture: agentCoreTools',
      'app.bad_request',
    ],
    [
      'a posture in the open one',
      () => createApp({ log: false, surfaces: [agentCoreTools(server, { posture: Public() })] }),
      'option "posture"',
    ],
    ['another server', () => agentCoreTools({} as McpServer), 'option "server"'],
    ['an unknown option', () => agentCoreTools(server, { path: '/' } as never), 'path'],
    ['a target with an underscore', () => agentCoreTools(server, { target: 'a_b' }), 'option "target"'],
    [
      'two surfaces for agents',
      () => createApp({ log: false, surfaces: [agentCoreTools(server), agentCoreTools(server)] }),
      'two surfaces accept agent invocations',
      'dispatch.duplicate_surface',
    ],
  ])('%s is rejected', (_what, make, text, code = 'app.invalid_configuration') => {
    expect(make).toThrow(expect.failure(code, text));
  });

  it('must be in a container', async () => {
    await expect(agentCoreTools(server).serve('agentcore', {}, { lambdaContext: undefined })).rejects.toThrow(
      'the option "surfaces" of a container',
    );
  });

  it('accepts no trigger event', async () => {
    const app = secure(server, createTestEnv());
    await expect(app.handleLambda({ a: 1 })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
    await expect(app.handleLambda({ a: 1 }, { clientContext: {} })).rejects.toMatchObject({
      code: 'dispatch.direct_refused',
    });
    expect(app.explain({}, { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___say' } } })).toMatchObject({
      kind: 'agentcore',
      target: { posture: 'optional', projection: 'MCP tool result' },
    });
  });

  it('is in the inventory, tool by tool', () => {
    const small = createMcpServer({ name: 'small', version: '1' });
    small.tool('add', { description: 'Adds.', input: z.object({ a: z.number().describe('one') }) }, () => 'x');
    expect(secure(small, createTestEnv(), Optional(), 'notes').triggers()).toEqual([
      {
        kind: 'agentcore',
        name: 'add',
        options: {
          target: 'notes',
          description: 'Adds.',
          inputSchema: {
            type: 'object',
            properties: { a: { type: 'number', description: 'one' } },
            required: ['a'],
          },
        },
      },
    ]);
  });
});

it('the manual clock is the clock of the container', async () => {
  const clock = new ManualClock(new Date('2026-01-02T00:00:00Z'));
  const server = createMcpServer({ name: 'time', version: '1' });
  server.tool('now', {}, (_args, ctx) => ctx.http.now().toISOString());
  const app = createApp({ log: false, clock, surfaces: [agentCoreTools(server)] });
  await expect(call(app, 'now')).resolves.toMatchObject({ content: [{ text: '2026-01-02T00:00:00.000Z' }] });
});
