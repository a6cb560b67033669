import { Optional, SecureApp } from '@sallyport/secure';
import { createTestEnv } from '@sallyport/testkit';
import { connectMcp, McpClientError, type McpClientOptions, type McpDoor } from '@sallyport/testkit/mcp';
import { createMcpServer, type McpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { SECRET } from './support/rig.js';

const FORM = { type: 'object' as const, properties: { day: { type: 'string' } } };

function register(server: McpServer): void {
  server.tool('add', { input: { type: 'object', required: ['a', 'b'] } }, ({ a, b }) => ({
    structured: { sum: Number(a) + Number(b) },
  }));
  server.tool('count', {}, (_, ctx) => {
    for (const at of [1, 2, 3, 4]) ctx.progress(at, 4);
    ctx.log('info', 'counted');
    return 'counted';
  });
  server.tool('close', {}, async (_, ctx) => {
    ctx.progress(1);
    await ctx.closeStream();
    ctx.progress(2);
    return 'closed';
  });
  server.tool('book', { asks: ['elicitation', 'roots'] }, async (_, ctx) => {
    const day = await ctx.elicit({ message: 'Which day?', requestedSchema: FORM }, 'day');
    const sure = await ctx.elicit({ message: `Sure about ${day.content?.day}?`, requestedSchema: FORM }, 'sure');
    return `${day.content?.day} ${sure.action} ${(await ctx.roots()).length}`;
  });
  server.tool('whoami', {}, (_, ctx) => ctx.principal?.identity ?? 'nobody');
  server.resource('notes://index', { name: 'index' }, () => 'all notes');
  server.resourceTemplate('notes://{id}', { name: 'note' }, ({ id }) => `note ${id}`);
  server.prompt('greet', { args: { name: { required: true } } }, ({ name }) => `Greet ${name}.`);
}

/** Three processes over one store. */
function instances(count = 3) {
  const store = memoryMcpStore();
  return Array.from({ length: count }, () => {
    const app = new SecureApp({
      log: false,
      principalResolver: (ctx) => {
        const [identity] = [ctx.header('x-user')];
        return identity ? { identity, scopes: [] } : null;
      },
    });
    const server = createMcpServer({ name: 'tested', version: '1.0.0', secret: SECRET, store, pageSize: 2 });
    register(server);
    mountMcp(app, server, { posture: Optional() });
    return app;
  });
}

const answer: McpClientOptions['answer'] = ({ method, params }) => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] };
  return { action: 'accept', content: { day: params.message === 'Which day?' ? 'monday' : 'yes' } };
};

const doors: readonly McpDoor[] = ['gateway-v2', 'function-url', 'gateway-v1', 'load-balancer'];
const every = doors.flatMap((door) =>
  (['2025-11-25', '2026-07-28'] as const).flatMap((version) =>
    // No load balancer streams, and no HTTP API.
    [false, ...(door === 'function-url' || door === 'gateway-v1' ? [true] : [])].map((streaming) => ({
      door,
      version,
      streaming,
    })),
  ),
);

describe.each(every)('a client of $version at $door, streaming $streaming', (options) => {
  it('connects, lists, calls, reads and gets, on any instance', async () => {
    const client = await connectMcp(instances(), { ...options, headers: { 'x-user': 'ada' } });
    expect(client.server).toMatchObject({ capabilities: { tools: {} } });
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['add', 'count', 'close', 'book', 'whoami']);
    expect((await client.callTool('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.callTool('whoami')).content[0]?.text).toBe('ada');
    expect((await client.callTool('add', {})).isError).toBe(true);
    expect(await client.readResource('notes://7')).toMatchObject({ contents: [{ text: 'note 7' }] });
    expect(await client.list('resourceTemplates')).toHaveLength(1);
    expect(await client.getPrompt('greet', { name: 'Ada' })).toMatchObject({ messages: [{ role: 'user' }] });
    await expect(client.callTool('nope')).rejects.toMatchObject({ name: 'McpClientError', code: -32602 });
    await client.close();
  });

  it('answers questions, and hears of progress', async () => {
    const asked: string[] = [];
    const client = await connectMcp(instances(), {
      ...options,
      answer: (question) => {
        asked.push(question.method);
        return answer(question);
      },
    });
    expect((await client.callTool('book')).content[0]?.text).toBe('monday accept 1');
    expect(asked).toEqual(['elicitation/create', 'elicitation/create', 'roots/list']);
    const progress: unknown[] = [];
    await client.callTool('count', {}, { onProgress: (params) => progress.push(params.progress) });
    expect(progress).toEqual([1, 2, 3, 4]);
  });
});

describe('a client of sessions', () => {
  it.each([[false], [true]])('reconnects for the rest when its connection is lost, streaming %p', async (streaming) => {
    const client = await connectMcp(instances(), { door: 'function-url', streaming });
    const seen: unknown[] = [];
    const options = { onProgress: (params: { readonly progress?: unknown }) => seen.push(params.progress) };
    const result = await client.callTool('count', {}, { ...options, cutAfter: 2 });
    expect([result.content[0]?.text, seen]).toEqual(['counted', [1, 2, 3, 4]]);
  });

  it('reconnects to a stream that the server has closed', async () => {
    const env = createTestEnv();
    const client = await connectMcp(instances(), { env });
    const seen: unknown[] = [];
    const result = await client.callTool('close', {}, { onProgress: (params) => seen.push(params.progress) });
    expect([result.content[0]?.text, seen]).toEqual(['closed', [1, 2]]);
    expect(env.clock.now().getTime()).toBeGreaterThan(0);
  });

  it('receives the other notifications', async () => {
    const client = await connectMcp(instances());
    const seen: unknown[] = [];
    await client.callTool('count', {}, { onNotification: (method, params) => seen.push([method, params.data]) });
    expect(seen).toEqual([['notifications/message', 'counted']]);
  });

  it('answers a question with an error when it has no answer', async () => {
    const client = await connectMcp(instances(), { capabilities: { elicitation: {}, roots: {} } });
    const { isError, content } = await client.callTool('book');
    expect([isError, content[0]?.text]).toEqual([true, 'The client gave no valid answer to elicitation/create.']);
  });

  it('ends its session', async () => {
    const client = await connectMcp(instances());
    expect(client.sessionId).not.toBe('');
    await client.close();
    await expect(client.list('tools')).rejects.toMatchObject({ status: 404, code: -32001 });
  });
});

it('a wrong option is rejected, and an answer that is not a message is an error', async () => {
  await expect(connectMcp(instances(), { dor: 'gateway-v2' } as never)).rejects.toThrow(
    expect.failure('app.invalid_configuration', 'unknown option "dor"'),
  );
  await expect(connectMcp(instances(), { path: '/nowhere' })).rejects.toBeInstanceOf(McpClientError);
});
