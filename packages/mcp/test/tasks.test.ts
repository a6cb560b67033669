import type { Logger } from '@sallyport/core';
import { createErrorNotifier, createLogger } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { Optional, SecureApp } from '@sallyport/secure';
import { connectMcp, type McpAnswerer, type McpTestClient } from '@sallyport/testkit/mcp';
import {
  createMcpServer,
  type McpServer,
  type McpServerOptions,
  McpToolError,
  memoryMcpStore,
  mountMcp,
} from '../src/index.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { counting } from './support/counting.js';
import { parseSse, Rig, readAll, SECRET, statelessHeaders, statelessMessage } from './support/rig.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const FORM = { type: 'object' as const, properties: { name: { type: 'string' } }, required: ['name'] };
const accept = (name: string) => ({ action: 'accept', content: { name } });

/** Three instances over one store; the test passes the task events to an instance. */
function service(
  register: (server: McpServer) => void,
  options: Partial<McpServerOptions> = {},
  log: Logger | false = false,
) {
  const store = counting(memoryMcpStore());
  const events: McpTaskEvent[] = [];
  const create = () => {
    const server = createMcpServer({
      ...{ name: 'tested', version: '1.0.0', secret: SECRET, store },
      tasks: { start: (event) => events.push(event) },
      ...options,
    });
    register(server);
    const app = new SecureApp({
      log,
      surfaces: [mcpTasks(server)],
      principalResolver: (ctx) => {
        const identity = ctx.header('x-user') ?? '';
        return identity === '' ? null : { identity, scopes: ['run'], tenantId: 'acme' };
      },
    });
    mountMcp(app, server, { posture: Optional() });
    return app;
  };
  const instances = [create(), create(), create()];
  const connect = (
    headers: Record<string, string> = { 'x-user': 'ada' },
    extensions: object = { [EXTENSION]: {} },
    answer?: McpAnswerer,
  ) =>
    connectMcp(instances, {
      ...(answer ? { answer } : {}),
      version: '2026-07-28',
      headers,
      capabilities: { elicitation: {}, extensions },
    });
  /** Runs all started tasks, each on a separate instance. */
  const run = async (again = events.splice(0)) => {
    for (const event of again) expect(await create().handleLambda(event, { awsRequestId: 'task-run' })).toBeNull();
  };
  return { connect, run, events, store, create };
}

const call = (client: McpTestClient, name: string, args: object = {}) =>
  client.request('tools/call', { name, arguments: args });
const get = (client: McpTestClient, taskId: unknown) => client.request('tasks/get', { taskId });

it('a call becomes a task that another function runs, and the caller polls its status', async () => {
  const seen: unknown[] = [];
  const { connect, run, events } = service((server) =>
    server.tool('report', { task: {}, input: { type: 'object', required: ['of'] } }, ({ of }, ctx) => {
      seen.push([ctx.principal?.identity, ctx.tenantId, ctx.requestId, ctx.era, ctx.http.requestId]);
      ctx.progress(1);
      ctx.log('info', 'heard by nobody');
      return `report of ${of}`;
    }),
  );
  const client = await connect();
  expect((client.server.capabilities as { extensions: object }).extensions).toEqual({ [EXTENSION]: {} });
  const task = await call(client, 'report', { of: 'may' });
  expect(task).toEqual({
    resultType: 'task',
    taskId: expect.stringMatching(/^[\w-]{32}$/),
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    lastUpdatedAt: task.createdAt,
    ttlMs: 3_600_000,
    pollIntervalMs: 1000,
    _meta: expect.anything(),
  });
  expect(await get(client, task.taskId)).toMatchObject({
    resultType: 'complete',
    taskId: task.taskId,
    status: 'working',
  });
  expect(seen).toEqual([]);
  expect(JSON.stringify(events)).not.toMatch(/may|ada|report/);
  await run();
  expect(await get(client, task.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'report of may' }] },
  });
  expect(seen).toEqual([['ada', 'acme', 2, 'stateless', 'task-run']]);
});

it('a run ends when the notification of its error line has been sent', async () => {
  const sent: string[] = [];
  const publish = async ({ subject }: { readonly subject: string }) => {
    await new Promise((resolve) => setImmediate(resolve));
    sent.push(subject);
  };
  const topicArn = 'arn:aws:sns:eu-west-1:123456789012:errors';
  const notifier = createErrorNotifier({ publish, topicArn, service: 'reports', timeoutMs: 30_000, environment: {} });
  const log = createLogger({ environment: {}, write: () => {}, sinks: [notifier] });
  const report = (server: McpServer) =>
    server.tool('report', { task: {} }, (_, ctx) => {
      ctx.http.log.error('no data', { error: new TypeError('no data') });
      return 'done';
    });
  const { connect, run } = service(report, {}, log);
  await call(await connect(), 'report');
  expect(sent).toEqual([]);
  await run();
  expect(sent).toEqual(['reports: TypeError']);
});

it('an event that is delivered twice, or after the end, runs nothing', async () => {
  let runs = 0;
  const { connect, run, events } = service((server) =>
    server.tool('t', { task: {} }, () => {
      runs += 1;
      return '';
    }),
  );
  const client = await connect();
  await call(client, 't');
  const again = [...events, ...events];
  await run();
  await run(again);
  expect(runs).toBe(1);
});

it.each([
  ['a text shown', () => Promise.reject(new McpToolError('No.')), { status: 'completed', result: { isError: true } }],
  ['an exception', () => Promise.reject(new Error('hunter2')), { status: 'completed', result: { isError: true } }],
  ['a result too large', () => Promise.resolve('x'.repeat(300_000)), { status: 'failed', error: { code: -32603 } }],
])('%s ends a task', async (_, handler, expected) => {
  const { connect, run } = service((server) => server.tool('t', { task: {} }, handler));
  const client = await connect();
  const { taskId } = await call(client, 't');
  await run();
  const task = await get(client, taskId);
  expect(task).toMatchObject(expected);
  expect(JSON.stringify(task)).not.toContain('hunter2');
});

it('a task with questions waits for its answers, accepts them separately, and runs each step once', async () => {
  const steps: string[] = [];
  const { connect, run, events } = service((server) =>
    server.tool('t', { task: {}, asks: ['elicitation'] }, async (_, ctx) => {
      await ctx.step('charge', () => {
        steps.push('charge');
        return null;
      });
      const [a, b] = await Promise.all([
        ctx.elicit<{ name: string }>({ message: 'A?', requestedSchema: FORM }, 'a'),
        ctx.elicit<{ name: string }>({ message: 'B?', requestedSchema: FORM }, 'b'),
      ]);
      return `${a.content?.name} ${b.content?.name}`;
    }),
  );
  const client = await connect();
  const { taskId } = await call(client, 't');
  await run();
  const update = (inputResponses: object) => client.request('tasks/update', { taskId, inputResponses });
  const waiting = await get(client, taskId);
  expect(waiting).toMatchObject({
    status: 'input_required',
    inputRequests: { a: { method: 'elicitation/create' }, b: {} },
  });
  expect(await update({ a: accept('Ada'), c: accept('x'), b: { action: 'accept', content: {} } })).toEqual({
    resultType: 'complete',
    _meta: expect.anything(),
  });
  expect(Object.keys((await get(client, taskId)).inputRequests as object)).toEqual(['b']);
  expect(events).toEqual([]);
  await update({ b: accept('Bob') });
  await update({ b: accept('Eve') });
  expect(await get(client, taskId)).toMatchObject({ status: 'working' });
  await run();
  expect(await get(client, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'Ada Bob' }] } });
  expect(steps).toEqual(['charge']);
});

it('a handler receives the answers to the questions that it returned', async () => {
  const { connect, run } = service((server) =>
    server.tool('t', { task: {}, asks: ['elicitation'] }, (_, ctx) => {
      const asked = { method: 'elicitation/create' as const, params: { message: 'Name?', requestedSchema: FORM } };
      const answer = ctx.inputs.name as { content: { name: string } } | undefined;
      return answer ? `Hello ${answer.content.name} ${ctx.state}` : ctx.inputRequired({ name: asked }, 'kept');
    }),
  );
  const client = await connect();
  const { taskId } = await call(client, 't');
  await run();
  await client.request('tasks/update', { taskId, inputResponses: { name: accept('Ada') } });
  await run();
  expect(await get(client, taskId)).toMatchObject({ result: { content: [{ text: 'Hello Ada kept' }] } });
});

it('a call sends a question first and becomes a task when its handler closes the stream', async () => {
  const { connect, run, events } = service((server) =>
    server.tool('t', { task: { required: true, at: 'closeStream' }, asks: ['elicitation'] }, async (_, ctx) => {
      const { content } = await ctx.elicit<{ name: string }>({ message: 'Name?', requestedSchema: FORM }, 'name');
      await ctx.closeStream();
      return `Hello ${content?.name}`;
    }),
  );
  const asked: unknown[] = [];
  const client = await connect(undefined, undefined, ({ params }) => {
    asked.push([[...events], params.message]);
    return accept('Ada');
  });
  const task = await call(client, 't');
  expect(asked).toEqual([[[], 'Name?']]);
  expect(task).toMatchObject({ resultType: 'task', status: 'working' });
  expect(task).not.toHaveProperty('requestState');
  await run();
  expect(await get(client, task.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'Hello Ada' }] },
  });
});

it('a task that is cancelled remains cancelled, whether it runs or not, and its signal aborts', async () => {
  let aborted = false;
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const { connect, run } = service((server) =>
    server.tool('t', { task: {} }, async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true;
      });
      started();
      for (let turn = 0; !aborted; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        ctx.progress(turn);
        await ctx.step(`look ${turn}`, () => null);
      }
      return 'too late';
    }),
  );
  const client = await connect();
  const first = await call(client, 't');
  const cancel = (taskId: unknown) => client.request('tasks/cancel', { taskId });
  const going = run();
  await running;
  expect(await cancel(first.taskId)).toEqual({ resultType: 'complete', _meta: expect.anything() });
  expect(await get(client, first.taskId)).toMatchObject({ status: 'cancelled' });
  await going;
  expect(aborted).toBe(true);
  await cancel(first.taskId);
  expect(await get(client, first.taskId)).toMatchObject({ status: 'cancelled' });
  const second = await call(client, 't');
  await cancel(second.taskId);
  await run();
  expect(await get(client, second.taskId)).toMatchObject({ status: 'cancelled' });
});

it('a listener receives changes only of the tasks of its caller', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  const events: McpTaskEvent[] = [];
  const rig = new Rig({
    clock,
    streaming: true,
    remainingMs: 10_000,
    server: { changes: true, tasks: { start: (event) => events.push(event) } },
    register: (server) => server.tool('t', { task: {} }, () => 'done'),
  });
  const capabilities = { extensions: { [EXTENSION]: {} } };
  const make = async (user: string) => {
    const answer = await rig.stateless('tools/call', { name: 't' }, { user, capabilities, streaming: false });
    return answer.json.result.taskId as string;
  };
  const [mine, foreign] = [await make('ada'), await make('bob')];
  const params = { notifications: { taskIds: [mine, foreign, 'unknown'] } };
  const message = statelessMessage(5, 'subscriptions/listen', params, capabilities);
  const headers = statelessHeaders('subscriptions/listen', params);
  const opened = await rig.open('POST', JSON.stringify(message), { headers, user: 'ada' });
  const reading = readAll(opened.body);
  const app = new SecureApp({ log: false, clock, surfaces: [mcpTasks(rig.server())] });
  for (const event of events) await app.handleLambda(event);
  for (let second = 0; second < 10; second += 1) await clock.advance(1000);
  const told = parseSse(await reading).map(({ data }) => data);
  expect(told[0].params.notifications).toEqual({ taskIds: [mine] });
  expect(told.filter(({ method }) => method === 'notifications/tasks').map(({ params: one }) => one)).toEqual([
    expect.objectContaining({
      taskId: mine,
      status: 'completed',
      result: expect.objectContaining({ resultType: 'complete' }),
    }),
  ]);
});

it('a run that is lost fails its task, and an event that is lost is sent again', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  const events: McpTaskEvent[] = [];
  let runs = 0;
  const rig = new Rig({
    clock,
    server: { tasks: { start: (event) => events.push(event) } },
    register: (server) =>
      server.tool('t', { task: {} }, () => {
        runs += 1;
        return new Promise<never>(() => {});
      }),
  });
  const capabilities = { extensions: { [EXTENSION]: {} } };
  const { taskId } = (await rig.stateless('tools/call', { name: 't' }, { capabilities })).json.result;
  const get = async () => {
    const headers = { 'mcp-name': taskId };
    return (await rig.stateless('tasks/get', { taskId }, { capabilities, headers })).json.result;
  };
  events.length = 0;
  await clock.advance(59_000);
  expect([(await get()).status, events.length]).toEqual(['working', 0]);
  await clock.advance(1000);
  expect([(await get()).status, events.length]).toEqual(['working', 1]);
  const app = new SecureApp({ log: false, clock, surfaces: [mcpTasks(rig.server())] });
  // The function is killed in the middle of its work, and never continues.
  void app.handleLambda(events[0], { getRemainingTimeInMillis: () => 900_000 });
  for (let turn = 0; turn < 50 && runs === 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([(await get()).status, runs]).toEqual(['working', 1]);
  clock.set(new Date(clock.now().getTime() + 906_000));
  expect(await get()).toMatchObject({ status: 'failed', error: { code: -32603, message: 'Interrupted' } });
  expect(runs).toBe(1);
});

describe("a task is the caller's alone", () => {
  const made = async () => {
    const { connect, run } = service((server) => server.tool('t', { task: {} }, () => 'secret'));
    const client = await connect();
    const { taskId } = await call(client, 't');
    await run();
    return { connect, taskId };
  };

  it.each([
    ['tasks/get', {}],
    ['tasks/cancel', {}],
    ['tasks/update', { inputResponses: {} }],
  ])('%s of another caller, and of an unknown id, is -32602', async (method, params) => {
    const { connect, taskId } = await made();
    const bob = await connect({ 'x-user': 'bob' });
    const nobody = await connect({});
    const ada = await connect();
    for (const client of [bob, nobody]) {
      await expect(client.request(method, { taskId, ...params })).rejects.toMatchObject({ code: -32602 });
    }
    await expect(ada.request(method, { taskId: 'x'.repeat(32), ...params })).rejects.toMatchObject({ code: -32602 });
    await expect(ada.request(method, { taskId, ...params })).resolves.toMatchObject({ resultType: 'complete' });
  });

  it('an event with a foreign seal runs nothing', async () => {
    const { create, run, connect, events } = service((server) => server.tool('t', { task: {} }, () => ''));
    const foreign = service((server) => server.tool('t', { task: {} }, () => ''), {
      secret: { current: 'z'.repeat(32) },
    });
    await call(await foreign.connect(), 't');
    const client = await connect();
    const { taskId } = await call(client, 't');
    events.length = 0;
    await run([...foreign.events, { sallyport: 'mcp.task', token: String(taskId) }]);
    expect(await get(client, taskId)).toMatchObject({ status: 'working' });
    await expect(create().handleLambda({ sallyport: 'mcp.task' })).rejects.toThrow(
      expect.failure('dispatch.unknown_event'),
    );
  });
});

it('a client that does not support tasks receives a result, or the missing capability', async () => {
  const { connect, events } = service((server) => {
    server.tool('optional', { task: {} }, () => 'at once');
    server.tool('required', { task: { required: true } }, () => 'never');
  });
  const client = await connect(undefined, {});
  expect(await call(client, 'optional')).toMatchObject({ resultType: 'complete', content: [{ text: 'at once' }] });
  const lacks = { code: -32021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } };
  await expect(call(client, 'required')).rejects.toMatchObject(lacks);
  await expect(get(client, 'any')).rejects.toMatchObject(lacks);
  expect(events).toEqual([]);
});

it('arguments that do not fit, and scopes that are missing, make no task', async () => {
  const { connect, events } = service((server) => {
    server.tool('typed', { task: {}, input: { type: 'object', required: ['a'] } }, () => '');
    server.tool('guarded', { task: {}, scopes: ['admin'] }, () => '');
  });
  const client = await connect();
  expect(await call(client, 'typed')).toMatchObject({ resultType: 'complete', isError: true });
  await expect(call(client, 'guarded')).rejects.toMatchObject({ status: 403 });
  expect(events).toEqual([]);
});

it('a task that cannot be started is not created', async () => {
  const { connect, store } = service((server) => server.tool('t', { task: {} }, () => ''), {
    tasks: {
      start: () => {
        throw new Error('Lambda is away');
      },
    },
  });
  await expect(call(await connect(), 't')).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
  expect(store.counts).toMatchObject({ put: 1, take: 1 });
});

it.each([
  [{ tasks: {} }, 'option "tasks.start"'],
  [{ tasks: { start: () => {}, ttlMs: 5 } }, 'option "tasks.ttlMs"'],
  [{ tasks: { start: () => {} }, store: undefined }, 'option "tasks"'],
])('%j is rejected', (options, message) => {
  expect(() =>
    createMcpServer({ name: 'a', version: '1', store: memoryMcpStore(), secret: SECRET, ...options } as never),
  ).toThrow(expect.failure('app.invalid_configuration', message));
});

it('a tool that becomes a task needs a server with tasks, and so does the surface', () => {
  const server = createMcpServer({ name: 'a', version: '1' });
  expect(() => server.tool('t', { task: {} }, () => '')).toThrow(
    expect.failure('mcp.invalid_registration', 'tool "t"', 'option "tasks"'),
  );
  expect(() => mcpTasks(server)).toThrow(expect.failure('app.invalid_configuration', 'option "tasks"'));
});
