import type { Logger } from '@sallyport/core';
import { guardHook, lazily, logFailure } from '@sallyport/core/internal';
import { type McpRequest, nowMs, principalHash } from '../../http/internal/transport.js';
import { randomText } from '../../internal/crypto.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC, TASKS } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject } from '../../protocol/types.js';
import { NOTHING_RECORDED, packMemory, type RunMemory } from '../../run/internal/record.js';
import type { Paused } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { whileClientWaits, withLastingStore } from '../../store/internal/lasting.js';
import type { McpTaskEvent } from '../options.js';
import { addTask, changeTask, hasBegun, readTask, removeTask, settingsOf, type Task, taskFacts } from './rows.js';

/** True if a client declares support for tasks. */
export function takesTasks({ extensions }: ClientCapabilities): boolean {
  return typeof extensions?.[TASKS] === 'object' && extensions[TASKS] !== null;
}

/** True if a task has reached its final state. */
export function isOver({ state }: Task): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** The data of a new task. */
export interface NewTask {
  readonly http: McpRequest;
  readonly request: Task['request'];
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** `undefined` if the handler has not run yet. */
  readonly memory: RunMemory | undefined;
  /** Set for a task of the session era. */
  readonly era?: Task['era'];
}

/** Stores a task and starts it. The task is in the store before its id is returned. */
export async function createTask(server: ServerData, { http, memory, ...of }: NewTask): Promise<JsonObject | RpcError> {
  const now = nowMs(http.clock);
  const { principal, tenantId } = http;
  const task: Task = {
    ...{
      ...of,
      principal,
      tenantId,
      id: randomText(24),
      owner: principalHash(http),
      state: 'queued',
      created: now,
      updated: now,
    },
    ...{ lease: 0, memory: memory ? packMemory(memory) : NOTHING_RECORDED, pending: [], returned: false },
  };
  await addTask(server, task);
  try {
    await startTask(server, task);
  } catch (error) {
    logFailure(() => http.log, 'mcp.task_not_started', error, taskFacts(task));
    // If this fails, the task expires without being polled, because its id is not returned.
    await removeTask(server, task).catch(() => {});
    return new RpcError(RPC.internalError, INTERNAL_ERROR, { code: 'mcp.task_not_started' });
  }
  return { resultType: 'task', ...shownOf(server, task) };
}

/** The string that a task token is bound to. */
const BOUND = 'mcp.task';

/** Sends the event that runs a task. A duplicate event is harmless: only one of the two finds the task waiting. */
async function startTask(server: ServerData, { id }: Task): Promise<void> {
  const event: McpTaskEvent = { sallyport: 'mcp.task', token: await server.sealer.seal('task', id, BOUND) };
  await settingsOf(server).start(event);
}

/** Sends the event of a task whose answers are stored. If that fails, a later poll of the task sends it. */
export async function startAnswered(server: ServerData, http: McpRequest, task: Task): Promise<void> {
  try {
    await startTask(withLastingStore(server, http.clock, whileClientWaits(http)), task);
  } catch (error) {
    logFailure(() => http.log, 'mcp.task_not_started', error, taskFacts(task));
  }
}

/** The task id in an event's token; `undefined` if the task does not belong to this server. */
export function openToken(server: ServerData, token: string): Promise<string | undefined> {
  return server.sealer.open('task', token, BOUND);
}

/** The common members of all answers about a task. */
function shownOf(server: ServerData, { id, state, created, updated }: Task): JsonObject {
  const { ttlMs, pollIntervalMs } = settingsOf(server);
  return {
    taskId: id,
    status: state === 'queued' || state === 'running' ? 'working' : state,
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** The task with its result, its error, or its open questions. */
export function detailOf(server: ServerData, task: Task): JsonObject {
  const { result, error, pending, state } = task;
  return {
    ...shownOf(server, task),
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
    ...(state === 'input_required'
      ? { inputRequests: Object.fromEntries(pending.map(({ key, request }) => [key, request])) }
      : {}),
  };
}

/** Milliseconds to wait for the delivery of an event before another event is sent. Only one of them finds the task waiting. */
const LOST_AFTER_MS = 60_000;

/**
 * The caller's task. If its run was lost, the task fails; if its event was lost, another event is sent. If that fails, the answer is
 * the task unchanged, and the next poll tries again.
 */
export async function findTask(server: ServerData, http: McpRequest, id: unknown): Promise<Task | undefined> {
  if (typeof id !== 'string') return undefined;
  const task = await readTask(server, id);
  if (task?.owner !== principalHash(http)) return undefined;
  try {
    return await repairedTask(server, task, nowMs(http.clock));
  } catch (error) {
    logFailure(() => http.log, 'mcp.task_not_started', error, taskFacts(task));
    return task;
  }
}

async function repairedTask(server: ServerData, task: Task, now: number): Promise<Task> {
  const { state, lease, updated, claim } = task;
  const isClaimLost = state === 'running' && lease < now && !(await hasBegun(server, task));
  if (isClaimLost || (state === 'queued' && now - updated >= LOST_AFTER_MS)) {
    const isSame = (found: Task) => found.state === state && found.updated === updated && found.claim === claim;
    const again = await changeTask(server, task.id, (found) =>
      isSame(found) ? { ...found, state: 'queued', updated: now } : undefined,
    );
    if (again?.changed) await startTask(server, again.task);
    return again?.task ?? task;
  }
  if (state !== 'running' || lease >= now) return task;
  return (await endLost(server, task, now)) ?? task;
}

/** Fails a task whose run was lost after its handler had begun: the handler is not called again. */
export async function endLost(server: ServerData, { id, claim }: Task, now: number): Promise<Task | undefined> {
  const isLost = (found: Task) => found.state === 'running' && found.claim === claim && found.lease < now;
  const ended = await changeTask(server, id, (found) =>
    isLost(found) ? failedTask(found, INTERRUPTED, now) : undefined,
  );
  return ended?.task;
}

export const INTERRUPTED = new RpcError(RPC.internalError, 'Interrupted');

/** The task with an error of the protocol as its end. */
export function failedTask(task: Task, { code, message, data }: RpcError, now: number): Task {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { ...task, state: 'failed', updated: now, pending: [], error };
}

/** A task that waits for answers. */
export function askingTask(task: Task, { questions, returned, memory }: Paused, now: number): Task {
  const pending = questions.map(({ key, digest, request }) => ({ key, digest, request }));
  return { ...task, state: 'input_required', updated: now, pending, returned, memory: packMemory(memory) };
}

/** The feed of changes. */
const loadStreams = lazily(() => import('../../run/internal/streams.js'));

/**
 * Notifies listeners of a changed task, if the server has change notifications. The change is stored, so a failure is only logged:
 * a client that polls receives the change.
 */
export async function notifyOfTask(
  server: ServerData,
  { id, tenantId }: Pick<Task, 'id' | 'tenantId'>,
  log: Logger,
): Promise<void> {
  if (!server.settings.changes) return;
  try {
    const { publishChange } = await loadStreams();
    await publishChange(server, { task: id }, tenantId);
  } catch (error) {
    guardHook(() => log.warn('mcp.change_not_sent', { error }));
  }
}
