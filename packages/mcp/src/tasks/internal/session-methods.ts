import { fromJson, isObject, LAMBDA_MAX_TIMEOUT_MS, logFailure, membersOf, pause } from '@sallyport/core/internal';
import { checkScopes, type McpRequest, nowMs, principalHash } from '../../http/internal/transport.js';
import {
  type DefinedMethod,
  defineMethod,
  type MethodAnswer,
  type MethodPlace,
  type MethodRequest,
  type MethodTable,
  membersJson,
} from '../../methods/internal/method.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { RPC, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { invalidParams, RpcError } from '../../server/errors.js';
import type { Registry } from '../../server/internal/registry.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { toTheEnd, whileClientWaits, withLastingStore } from '../../store/internal/lasting.js';
import { addToOwner, changeTask, ownersTasks, settingsOf, type Task } from './rows.js';
import { createTask, findTask, isOver } from './task.js';

/** The only revision of the session era with tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks */
const VERSION = '2025-11-25';
/** The member of `_meta` that names the task of a message. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** Tasks in one page of a list. */
const PAGE = 20;
/** Milliseconds between two reads while a client waits for a result, and the most that it waits. */
const LOOK_EVERY_MS = 500;
const MAX_WAIT_MS = 25_000;
/** Milliseconds for the response at the end of an invocation. */
const MARGIN_MS = 2000;

/** The servers whose clients of the session era get tasks. All views of a server have its `info`. */
const ENABLED = new WeakSet<ServerData['settings']['info']>();
const CHANGED = new WeakSet<MethodTable>();
const LISTED = new WeakSet<Registry>();

/** Adds the methods of tasks to a table, once. They are served only by the given servers. */
export function addSessionTasks(methods: MethodTable, { settings }: ServerData): void {
  ENABLED.add(settings.info);
  if (CHANGED.has(methods)) return;
  CHANGED.add(methods);
  const table = methods as Map<string, DefinedMethod>;
  for (const name of ['tools/list', 'tools/call']) {
    const inner = table.get(name);
    const wrap = name === 'tools/list' ? listWithSupport : callOrTask;
    if (inner) table.set(name, { ...inner, answer: (request) => wrap(request, inner) });
  }
  for (const method of [getTask, cancelTask]) {
    const inner = table.get(method.name);
    if (!inner) continue;
    table.set(method.name, {
      ...inner,
      eras: ['session', 'stateless'],
      isServed: (place) => (place.session ? method.isServed(place) : inner.isServed(place)),
      answer: (request) => (request.era === 'session' ? method : inner).answer(request),
    });
  }
  table.set(listTasks.name, listTasks);
  table.set(getResult.name, getResult);
}

/** True for requests of sessions. Without a session, `initialize` asks for the capabilities; the other era has its own header. */
function hasSessionTasks({ server, session, http }: MethodPlace): boolean {
  if (!ENABLED.has(server.settings.info)) return false;
  if (session) return session.version === VERSION;
  return !http.header('mcp-protocol-version').some((value) => value.trim() === STATELESS_VERSION);
}

/** Lists tools with `execution.taskSupport`. */
function listWithSupport(request: MethodRequest, inner: DefinedMethod): Promise<MethodAnswer> {
  const { registry, settings } = request.server;
  if (ENABLED.has(settings.info) && !LISTED.has(registry)) {
    LISTED.add(registry);
    for (const [name, tool] of registry.tools) {
      if (!tool.task) continue;
      const execution = { taskSupport: tool.task.required ? 'required' : 'optional' };
      const listed = JSON.stringify({ ...membersOf(fromJson(tool.listed)), execution });
      registry.tools.set(name, { ...tool, listed });
    }
  }
  return inner.answer(request);
}

/** Creates a task if the client requests it; otherwise runs the call. */
async function callOrTask(request: MethodRequest, inner: DefinedMethod): Promise<MethodAnswer> {
  const made = await inner.answer(request);
  if (request.era !== 'session' || !request.session || !hasSessionTasks(request) || !('call' in made)) return made;
  const { server, http, params, id } = request;
  const { target } = made.call;
  const isWanted = isObject(own(params, 'task'));
  if (!isWanted && target.task?.required) throw notFound('This tool runs only as a task');
  if (!isWanted) return made;
  if (!target.task) throw notFound('This tool does not run as a task');
  checkScopes(http, target);
  const { task: _, ...rest } = params;
  const created = await createTask(withLastingStore(server, http.clock, toTheEnd(http)), {
    ...{ http, request: { id, params: rest }, era: 'session', memory: undefined },
    // The client answers no questions of a task.
    ...{ client: request.session.client, capabilities: {} },
  });
  if (created instanceof RpcError) throw created;
  const { taskId, status, createdAt, lastUpdatedAt } = created;
  try {
    await addToOwner(server, principalHash(http), String(taskId), Date.parse(String(createdAt)));
  } catch (error) {
    // The task runs; only the list of tasks does not contain it.
    logFailure(() => http.log, 'mcp.task_not_listed', error, target.facts);
  }
  return {
    result: { members: membersJson({ task: { taskId, status, createdAt, lastUpdatedAt, ...timesOf(server) } }) },
  };
}

function notFound(message: string): RpcError {
  return new RpcError(RPC.methodNotFound, message);
}

function timesOf(server: ServerData): JsonObject {
  const { ttlMs, pollIntervalMs } = settingsOf(server);
  return { ttl: ttlMs, pollInterval: pollIntervalMs };
}

/** A task as clients of this era read it. */
function shownTask(server: ServerData, { id, state, created, updated, statusMessage, error }: Task): JsonObject {
  return {
    taskId: id,
    status: state === 'queued' || state === 'running' ? 'working' : state,
    statusMessage: error?.message ?? statusMessage,
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ...timesOf(server),
  };
}

/** @throws RpcError for a task that does not exist, or belongs to another caller */
async function callersTask({ server, http, params }: MethodRequest): Promise<Task> {
  const task = await findTask(server, http, own(params, 'taskId'));
  if (!task) throw invalidParams('Unknown task');
  return task;
}

const COMMON = { eras: ['session'], isServed: hasSessionTasks } as const;

const getTask = defineMethod({
  ...COMMON,
  name: 'tasks/get',
  async handle(request) {
    return { result: { members: membersJson(shownTask(request.server, await callersTask(request))) } };
  },
});

const cancelTask = defineMethod({
  ...COMMON,
  name: 'tasks/cancel',
  async handle(request) {
    const { server, http } = request;
    const { id } = await callersTask(request);
    const now = nowMs(http.clock);
    const cancelled = await changeTask(withLastingStore(server, http.clock, whileClientWaits(http)), id, (task) =>
      isOver(task) ? undefined : { ...task, state: 'cancelled', updated: now, pending: [] },
    );
    if (!cancelled?.changed) throw invalidParams('The task has ended');
    return { result: { members: membersJson(shownTask(server, cancelled.task)) } };
  },
});

/** Lists the tasks of the caller, the oldest first. */
const listTasks = defineMethod({
  ...COMMON,
  name: 'tasks/list',
  capability: () => ({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  async handle({ server, http, params }) {
    const cursor = own(params, 'cursor') ?? '';
    if (typeof cursor !== 'string' || !/^(?:|\d{15}#[\w-]{1,64})$/.test(cursor)) throw invalidParams('Invalid cursor');
    const { ids, next } = await ownersTasks(server, principalHash(http), cursor, PAGE);
    const found = await Promise.all(ids.map((id) => findTask(server, http, id)));
    const tasks = found.flatMap((task) => (task ? [shownTask(server, task)] : []));
    return { result: { members: membersJson({ tasks, nextCursor: next }) } };
  },
});

/** The result of a task. The request waits as long as the invocation allows. */
const getResult = defineMethod({
  ...COMMON,
  name: 'tasks/result',
  async handle(request) {
    const task = await endedTask(request);
    const { id, state, result, error } = task;
    if (error) throw new RpcError(error.code, error.message, error.data);
    if (state === 'cancelled' || !result) throw new RpcError(RPC.internalError, 'The task was cancelled');
    const { resultType: _, _meta, ...members } = result;
    const meta = { ...membersOf(_meta), [RELATED_TASK]: { taskId: id } };
    return { result: { members: membersJson({ ...members, _meta: meta }) } };
  },
});

/** @throws RpcError for a task that does not end in time: the client can send the request again */
async function endedTask(request: MethodRequest): Promise<Task> {
  const { http } = request;
  const until = waitLimit(http);
  for (;;) {
    const task = await callersTask(request);
    if (isOver(task)) return task;
    if (nowMs(http.clock) + LOOK_EVERY_MS > until) {
      throw new RpcError(RPC.internalError, 'The task is still running', { taskId: task.id, status: 'working' });
    }
    await pause(http.clock, LOOK_EVERY_MS, http.signal);
  }
}

function waitLimit({ clock, deadline }: Pick<McpRequest, 'clock' | 'deadline'>): number {
  const now = nowMs(clock);
  return Math.min(now + MAX_WAIT_MS, Math.min(deadline, now + LAMBDA_MAX_TIMEOUT_MS) - MARGIN_MS);
}
