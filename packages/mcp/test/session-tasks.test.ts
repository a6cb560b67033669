import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { Optional, SecureApp } from '@sallyport/secure';
import { createMcpServer, McpToolError, memoryMcpStore, mountMcp } from '../src/index.js';
import { type McpTaskEvent, mcpTasks, sessionTasks } from '../src/tasks.js';
import { type Loopback, serveApp } from './support/loopback.js';
import { SECRET } from './support/rig.js';

const started: { stop(): void }[] = [];
afterEach(() => {
  for (const one of started.splice(0)) one.stop();
});

/** A server whose task events are run by the same application, on request or at the time of the call. */
async function service({ isPatient = false, isEnabled = true } = {}) {
  const events: McpTaskEvent[] = [];
  const runs: Promise<unknown>[] = [];
  const store = memoryMcpStore();
  const start = (event: McpTaskEvent) => {
    events.push(event);
    if (!isPatient) runs.push(Promise.resolve().then(() => run()));
  };
  const create = () => {
    const server = createMcpServer({
      name: 'tested',
      version: '1',
      secret: SECRET,
      store,
      tasks: { start, pollIntervalMs: 100 },
    });
    server.tool(
      'report',
      { task: {}, input: { type: 'object', required: ['of'] }, scopes: ['run'] },
      async ({ of }, ctx) => {
        ctx.progress(1, 2, 'half');
        await new Promise((resolve) => setTimeout(resolve, of === 'slow' ? 2500 : 1));
        return { structured: { of } };
      },
    );
    server.tool('refuse', { task: { required: true } }, () => {
      throw new McpToolError('No.');
    });
    server.tool('ask', { task: {}, asks: ['elicitation'] }, async (_, ctx) => {
      await ctx.elicit({ message: 'Name?', requestedSchema: { type: 'object', properties: {} } });
      return 'never';
    });
    server.tool('plain', {}, () => 'plain');
    if (isEnabled) sessionTasks(server);
    const app = new SecureApp({
      ...{ log: false, surfaces: [mcpTasks(server)] },
      principalResolver: (ctx) => {
        const identity = ctx.header('x-user') ?? '';
        return identity === '' ? null : { identity, scopes: identity === 'eve' ? [] : ['run'] };
      },
    });
    mountMcp(app, server, { posture: Optional() });
    return app;
  };
  const run = async () => {
    const context = { awsRequestId: 'task', getRemainingTimeInMillis: () => 30_000 };
    for (const event of events.splice(0)) await create().handleLambda(event, context);
  };
  const loopback: Loopback = await serveApp(create());
  started.push(loopback);
  const connect = async (user = 'ada') => {
    const client = new Client({ name: 'official', version: '1' }, { capabilities: { elicitation: {} } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${loopback.endpoint}/mcp`), {
        requestInit: { headers: { 'x-user': user } },
      }) as never,
    );
    started.push({ stop: () => void client.close() });
    await client.listTools();
    return client;
  };
  return { connect, run, runs };
}

type Connected = Awaited<ReturnType<Awaited<ReturnType<typeof service>>['connect']>>;

/** Calls a tool as a task with the published client. */
async function streamOf(client: Connected, name: string, args: Record<string, unknown> = {}) {
  const messages: {
    type: string;
    task?: { taskId: string; status: string; statusMessage?: string };
    result?: unknown;
    error?: Error;
  }[] = [];
  const params = { name, arguments: args };
  for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
    task: { ttl: 60_000 },
  })) {
    messages.push(message as never);
  }
  return messages;
}

describe('tasks of the session era, with the published client', () => {
  it('are declared, and each tool reports its task support', async () => {
    const client = await (await service()).connect();
    expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, execution }) => [name, execution?.taskSupport])).toEqual([
      ['report', 'optional'],
      ['refuse', 'required'],
      ['ask', 'optional'],
      ['plain', undefined],
    ]);
  });

  it('are created, polled and answered', async () => {
    const client = await (await service()).connect();
    const messages = await streamOf(client, 'report', { of: 'x' });
    expect(messages[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working' } });
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: { structuredContent: { of: 'x' } } });
  });

  it('show their progress', async () => {
    const client = await (await service()).connect();
    const messages = await streamOf(client, 'report', { of: 'slow' });
    expect(messages.map(({ task }) => task?.statusMessage)).toContain('1 of 2: half');
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: { structuredContent: { of: 'slow' } } });
  });

  it('answer errors of the tool, wrong arguments and questions as the call would', async () => {
    const client = await (await service()).connect();
    expect((await streamOf(client, 'refuse')).at(-1)).toMatchObject({
      type: 'result',
      result: { isError: true, content: [{ text: 'No.' }] },
    });
    expect((await streamOf(client, 'report')).at(-1)).toMatchObject({
      type: 'result',
      result: { isError: true, content: [{ text: 'Invalid arguments: /of: required' }] },
    });
    expect((await streamOf(client, 'ask')).at(-1)?.type).toBe('error');
  });

  it('a result is waited for', async () => {
    const { connect, run } = await service({ isPatient: true });
    const client = await connect();
    const created = await client.request(
      { method: 'tools/call', params: { name: 'report', arguments: { of: 'x' }, task: {} } },
      CreateTaskResultSchema,
    );
    const waiting = client.experimental.tasks.getTaskResult(created.task.taskId, CallToolResultSchema);
    await run();
    expect(await waiting).toMatchObject({
      structuredContent: { of: 'x' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: created.task.taskId } },
    });
  });

  it('are listed for their owner, in pages, and cancelled once', async () => {
    const { connect, run } = await service({ isPatient: true });
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const ids: string[] = [];
    for (let at = 0; at < 21; at += 1) {
      const { task } = await ada.request(
        { method: 'tools/call', params: { name: 'report', arguments: { of: at }, task: {} } },
        CreateTaskResultSchema,
      );
      ids.push(task.taskId);
    }
    const first = await ada.experimental.tasks.listTasks();
    const second = await ada.experimental.tasks.listTasks(first.nextCursor);
    expect([first.tasks.length, second.tasks.length, second.nextCursor]).toEqual([20, 1, undefined]);
    expect(new Set([...first.tasks, ...second.tasks].map(({ taskId }) => taskId))).toEqual(new Set(ids));
    expect((await bob.experimental.tasks.listTasks()).tasks).toEqual([]);
    const [id = ''] = ids;
    await expect(bob.experimental.tasks.getTask(id)).rejects.toMatchObject({ code: -32602 });
    await expect(bob.experimental.tasks.cancelTask(id)).rejects.toMatchObject({ code: -32602 });
    expect(await ada.experimental.tasks.cancelTask(id)).toMatchObject({ taskId: id, status: 'cancelled' });
    await expect(ada.experimental.tasks.cancelTask(id)).rejects.toMatchObject({ code: -32602 });
    await expect(ada.experimental.tasks.getTaskResult(id, CallToolResultSchema)).rejects.toMatchObject({
      code: -32603,
    });
    await expect(ada.experimental.tasks.listTasks('elsewhere')).rejects.toMatchObject({ code: -32602 });
    await run();
    expect(await ada.experimental.tasks.getTask(id)).toMatchObject({ status: 'cancelled' });
    expect(await ada.experimental.tasks.getTask(ids[1] ?? '')).toMatchObject({ status: 'completed' });
  });

  it.each<[string, object, number]>([
    ['a tool that is never a task', { name: 'plain', task: {} }, -32601],
    ['a tool that is always a task, without one', { name: 'refuse' }, -32601],
    ['an unknown tool', { name: 'none', task: {} }, -32602],
  ])('are rejected for %s', async (_, params, code) => {
    const client = await (await service()).connect();
    await expect(
      client.request({ method: 'tools/call', params: params as never }, CreateTaskResultSchema),
    ).rejects.toMatchObject({ code });
  });

  it('need the scopes of the tool', async () => {
    const client = await (await service()).connect('eve');
    const params = { name: 'report', arguments: { of: 'x' }, task: {} };
    await expect(client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).rejects.toMatchObject({
      code: 403,
    });
  });

  it('do not exist without sessionTasks: a call runs as usual', async () => {
    const client = await (await service({ isEnabled: false })).connect();
    expect(client.getServerCapabilities()?.tasks).toBeUndefined();
    const params = { name: 'report', arguments: { of: 'x' }, task: {} };
    expect(await client.request({ method: 'tools/call', params }, CallToolResultSchema)).toMatchObject({
      structuredContent: { of: 'x' },
    });
    await expect(client.experimental.tasks.listTasks()).rejects.toThrow();
  });

  it('need the option tasks', () => {
    expect(() => sessionTasks(createMcpServer({ name: 'a', version: '1' }))).toThrow(
      expect.failure('app.invalid_configuration', 'option "tasks"'),
    );
  });
});
