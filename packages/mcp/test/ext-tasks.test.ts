import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { Optional, SecureApp } from '@sallyport/secure';
import { createMcpServer, type McpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { SECRET, toEvent } from './support/rig.js';

const VERSION = '2026-07-28';
const INFO = { name: 'official', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const FORM = { type: 'object' as const, properties: { name: { type: 'string' } }, required: ['name'] };

function register(server: McpServer): void {
  server.tool('report', { task: {} }, async (_, ctx) => {
    await ctx.step('work', () => null);
    return 'reported';
  });
  server.tool('ask', { task: {}, asks: ['elicitation'] }, async (_, ctx) => {
    const { content } = await ctx.elicit<{ name: string }>({ message: 'Name?', requestedSchema: FORM }, 'name');
    return `Hello ${content?.name}`;
  });
  server.tool('endless', { task: {} }, async (_, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    return 'never';
  });
}

/** The official client over buffered instances, a fresh one for each request and each task. */
async function connect() {
  const store = memoryMcpStore();
  const running: Promise<unknown>[] = [];
  const instance = () => {
    const start = (event: McpTaskEvent) => {
      running.push(new Promise((resolve) => setImmediate(resolve)).then(() => instance().handleLambda(event)));
    };
    const server = createMcpServer({
      name: 'tested',
      version: '1',
      secret: SECRET,
      store,
      tasks: { start, pollIntervalMs: 100 },
    });
    register(server);
    const app = new SecureApp({ log: false, surfaces: [mcpTasks(server)] });
    mountMcp(app, server, { posture: Optional() });
    return app;
  };
  const send = async (init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const event = toEvent(init.method ?? 'GET', String(init.body ?? ''), { headers });
    const answer = (await instance().handleLambda(event)) as {
      statusCode: number;
      headers: Record<string, string>;
      body?: string;
    };
    const response = new Response(answer.body || null, { status: answer.statusCode, headers: answer.headers });
    // The package recognizes JSON by the prototypes of its realm; a test runner has several realms.
    return Object.assign(response, { json: async () => JSON.parse(answer.body ?? '') });
  };
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: VERSION } } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: (_, init) => send(init) }),
  );
  let id = 1000;
  const session = createTaskSessionFromClient(client, {
    endpointId: 'tested',
    v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: CAPABILITIES as never },
    rawDispatch: async (request) => {
      const { method, params = {} } = request as { method: string; params?: { name?: string; taskId?: string } };
      id += 1;
      const named = params.name ?? params.taskId;
      const response = await send({
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'mcp-protocol-version': VERSION, 'mcp-method': method },
          ...(named === undefined ? {} : { 'mcp-name': named }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      });
      const { result, error } = (await response.json()) as { result?: never; error?: never };
      return error ? { kind: 'error', error } : { kind: 'result', result: result as never };
    },
    onInputRequest: async () => ({ action: 'accept', content: { name: 'Ada' } }) as never,
  });
  return { session, settle: () => Promise.all(running) };
}

describe('the official client of the tasks extension', () => {
  it.each([
    ['report', 'reported'],
    ['ask', 'Hello Ada'],
  ])('calls %s, and gets its result', async (name, said) => {
    const { session, settle } = await connect();
    const execution = await session.callTool(name, {});
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: said }] });
    await settle();
    await session.close();
  });

  it('cancels a task that runs', async () => {
    const { session, settle } = await connect();
    const execution = await session.callTool('endless', {});
    expect(execution.kind).toBe('task');
    await execution.cancel();
    const { outcome } = await execution.settle();
    expect(outcome.status).toBe('cancelled');
    await settle();
    await session.close();
  });
});
