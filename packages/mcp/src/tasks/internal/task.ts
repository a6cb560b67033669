import type { SecurePrincipal } from '@sallyport/core';
import { lazily, logFailure } from '@sallyport/core/pipeline';
import { type McpRequest, nowMs } from '../../http/internal/exchange.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC, TASKS } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, InputRequest, JsonObject, RequestId } from '../../protocol/types.js';
import type { Question } from '../../run/internal/ask.js';
import { type PackedMemory, packMemory, type RunMemory } from '../../run/internal/record.js';
import { RpcError } from '../../server/errors.js';
import { type Core, principalHash, storeOf } from '../../server/internal/core.js';
import { hashText, randomText } from '../../store/internal/crypto.js';
import { packText, unpackText } from '../../store/internal/row-text.js';
import { toTtl } from '../../store/store.js';
import type { McpTaskEvent, McpTasks } from '../options.js';

/** A question without an answer. */
export interface PendingQuestion {
  readonly key: string;
  readonly digest: string;
  readonly request: InputRequest;
}

/** The state of a task. `queued`: its event was sent. */
type TaskState = 'queued' | 'running' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The stored form of a task. */
export interface Task {
  readonly id: string;
  /** Hash of the caller: for other callers the task does not exist. */
  readonly owner: string;
  readonly state: TaskState;
  /** Epoch milliseconds. */
  readonly created: number;
  readonly updated: number;
  /** When a running task counts as lost. */
  readonly lease: number;
  readonly request: { readonly id: RequestId; readonly params: JsonObject };
  readonly principal: SecurePrincipal | null;
  readonly tenantId: string;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly memory: PackedMemory;
  readonly pending: readonly PendingQuestion[];
  /** Whether the handler returned its questions, and reads the answers itself. */
  readonly returned: boolean;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Whether a client declares support for tasks. */
export function takesTasks({ extensions }: ClientCapabilities): boolean {
  return typeof extensions?.[TASKS] === 'object' && extensions[TASKS] !== null;
}

/** The settings of a server whose tools become tasks. */
function settingsOf({ settings: { tasks } }: Core): Required<McpTasks> {
  if (!tasks) throw new Error('framework: mcp: no tasks');
  return { ttlMs: 3_600_000, pollIntervalMs: 1000, ...tasks };
}

/** The rows of servers that share a table are separate. */
function keyOf({ settings }: Core, id: string) {
  return { partition: `t#${hashText(JSON.stringify([settings.info.name, id]))}`, sort: 'task' };
}

interface Stored {
  readonly task: Task;
  readonly version: number;
}

async function read(core: Core, id: string): Promise<Stored | undefined> {
  const row = await storeOf(core).get(keyOf(core, id));
  const text = row && (await unpackText(core.settings.spill, row));
  return row && text !== undefined ? { task: JSON.parse(text) as Task, version: row.version } : undefined;
}

async function write(core: Core, task: Task, version: number): Promise<boolean> {
  const data = await packText(core.settings.spill, JSON.stringify(task));
  const ttl = toTtl(task.created + settingsOf(core).ttlMs);
  const row = { ...keyOf(core, task.id), version: version + 1, ttl, data, writer: randomText(12) };
  return storeOf(core).put(row, version === 0 ? 'absent' : { version });
}

const MAX_ATTEMPTS = 20;

/**
 * Changes a stored task. If another writer changes it at the same time, tries again with the new state.
 *
 * @param change returns the changed task, or nothing for no change
 * @returns the current task; `undefined` when there is none
 * @throws TooLargeToStore
 */
export async function changeTask(
  core: Core,
  id: string,
  change: (task: Task) => Task | undefined,
): Promise<{ readonly task: Task; readonly changed: boolean } | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const stored = await read(core, id);
    if (!stored) return undefined;
    const next = change(stored.task);
    if (!next) return { task: stored.task, changed: false };
    if (await write(core, next, stored.version)) return { task: next, changed: true };
  }
  throw new Error('framework: mcp: a task changes too often');
}

/** Whether a task will not change any more. */
export function isOver({ state }: Task): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** The data of a new task. */
export interface NewTask {
  readonly http: McpRequest;
  readonly request: Task['request'];
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly memory: RunMemory;
}

/** Stores a task and starts it. The task is in the store before its id is returned. */
export async function createTask(core: Core, { http, memory, ...of }: NewTask): Promise<JsonObject | RpcError> {
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
    ...{ lease: 0, memory: packMemory(memory), pending: [], returned: false },
  };
  await write(core, task, 0);
  try {
    await startTask(core, task);
  } catch (error) {
    logFailure(() => http.log, 'mcp.task_not_started', error, {});
    await storeOf(core).take(keyOf(core, task.id));
    return new RpcError(RPC.internalError, INTERNAL_ERROR);
  }
  return { resultType: 'task', ...shownOf(core, task) };
}

/** The text that a token of a task is bound to. */
const BOUND = 'mcp.task';

/** Sends the event that runs a task. */
export async function startTask(core: Core, { id }: Task): Promise<void> {
  const event: McpTaskEvent = { sallyport: 'mcp.task', token: await core.sealer.seal('task', id, BOUND) };
  await settingsOf(core).start(event);
}

/** The id of an event's task; `undefined` when the task does not belong to this server. */
export function openToken(core: Core, token: string): Promise<string | undefined> {
  return core.sealer.open('task', token, BOUND);
}

/** The members of every answer about a task. */
function shownOf(core: Core, { id, state, created, updated }: Task): JsonObject {
  const { ttlMs, pollIntervalMs } = settingsOf(core);
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
export function detailOf(core: Core, task: Task): JsonObject {
  const { result, error, pending, state } = task;
  return {
    ...shownOf(core, task),
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
    ...(state === 'input_required'
      ? { inputRequests: Object.fromEntries(pending.map(({ key, request }) => [key, request])) }
      : {}),
  };
}

/** How long to wait for an event's delivery before another event is sent. Only one of them finds the task waiting. */
const LOST_AFTER_MS = 60_000;

/** The caller's task. If its run was lost, it is ended; if its event was lost, it is started again. */
export async function findTask(core: Core, http: McpRequest, id: unknown): Promise<Task | undefined> {
  if (typeof id !== 'string') return undefined;
  const stored = await read(core, id);
  if (stored?.task.owner !== principalHash(http)) return undefined;
  const now = nowMs(http.clock);
  const { task } = stored;
  if (task.state === 'running' && task.lease < now) {
    const lost = await changeTask(core, id, (found) =>
      found.state === 'running' && found.lease < now ? failedTask(found, INTERRUPTED, now) : undefined,
    );
    return lost?.task;
  }
  if (task.state !== 'queued' || now - task.updated < LOST_AFTER_MS) return task;
  const { changed = false } = (await changeTask(core, id, (found) => requeued(found, task.updated, now))) ?? {};
  if (changed) await startTask(core, task);
  return task;
}

function requeued(task: Task, seen: number, now: number): Task | undefined {
  return task.state === 'queued' && task.updated === seen ? { ...task, updated: now } : undefined;
}

const INTERRUPTED = new RpcError(RPC.internalError, 'Interrupted');

/** A task that ended with an error of the protocol. */
export function failedTask(task: Task, { code, message, data }: RpcError, now: number): Task {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { ...task, state: 'failed', updated: now, pending: [], error };
}

/** A task that waits for answers. */
export function askingTask(
  task: Task,
  questions: readonly Question[],
  returned: boolean,
  memory: RunMemory,
  now: number,
): Task {
  const pending = questions.map(({ key, digest, request }) => ({ key, digest, request }));
  return { ...task, state: 'input_required', updated: now, pending, returned, memory: packMemory(memory) };
}

/** The feed of changes. */
const loadLive = lazily(() => import('../../run/internal/live.js'));

/** Notifies listeners of a changed task, if the server has change notifications. */
export async function tellOfTask(core: Core, { id, tenantId }: Pick<Task, 'id' | 'tenantId'>): Promise<void> {
  if (!core.settings.changes) return;
  const { publishChange } = await loadLive();
  await publishChange(core, { task: id }, tenantId);
}
