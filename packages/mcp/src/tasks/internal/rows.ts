import type { SecurePrincipal } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import { randomText } from '../../internal/crypto.js';
import type { ClientCapabilities, Implementation, InputRequest, JsonObject, RequestId } from '../../protocol/types.js';
import type { PackedMemory } from '../../run/internal/record.js';
import { type ServerData, storeOf } from '../../server/internal/server-data.js';
import { dropText, packText, readText } from '../../store/internal/row-text.js';
import { encodeRow, type Row, toTtl } from '../../store/store.js';
import type { McpTasks } from '../options.js';

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
  /** Epoch milliseconds after which a running task counts as lost. */
  readonly lease: number;
  /** The delivery that claimed a running task. Only its run may store the end. */
  readonly claim?: string;
  readonly request: { readonly id: RequestId; readonly params: JsonObject };
  readonly principal: SecurePrincipal | null;
  readonly tenantId: string;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly memory: PackedMemory;
  readonly pending: readonly PendingQuestion[];
  /** True if the handler returned its questions and reads the answers itself. */
  readonly returned: boolean;
  /** Set for a task of the session era, which shows its progress as a message. */
  readonly era?: 'session' | undefined;
  readonly statusMessage?: string;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Names the call of a task in log records. */
export function taskFacts({ request }: Task): Readonly<Record<string, unknown>> {
  return { method: 'tools/call', kind: 'tool', target: request.params.name };
}

/** The settings of a server whose tools become tasks. */
export function settingsOf({ settings: { tasks } }: ServerData): Required<McpTasks> {
  if (!tasks) throw new Error('framework: mcp: no tasks');
  return { ttlMs: 3_600_000, pollIntervalMs: 1000, ...tasks };
}

/** The rows of servers that share a table are separate. */
function partitionOf({ settings }: ServerData, id: string): string {
  return `t#${sha256Url(JSON.stringify([settings.info.name, id]))}`;
}

function keyOf(server: ServerData, id: string) {
  return { partition: partitionOf(server, id), sort: 'task' };
}

function ttlOf(server: ServerData, task: Task): number {
  return toTtl(task.created + settingsOf(server).ttlMs);
}

interface Stored {
  readonly task: Task;
  readonly row: Row;
}

async function read(server: ServerData, id: string): Promise<Stored | undefined> {
  const found = await readText(storeOf(server), server.settings.spill, keyOf(server, id));
  return found && { task: JSON.parse(found.text) as Task, row: found.row };
}

/** Stores a task. If this replaces a row, the spilled part of that row is deleted afterwards. */
async function write(server: ServerData, task: Task, replaced: Row | undefined): Promise<boolean> {
  const { spill } = server.settings;
  const data = await packText(spill, JSON.stringify(task));
  const version = (replaced?.version ?? 0) + 1;
  const row = { ...keyOf(server, task.id), version, ttl: ttlOf(server, task), data, writer: randomText(12) };
  const isStored = await storeOf(server).put(row, replaced ? { version: replaced.version } : 'absent');
  await dropText(spill, isStored ? replaced?.data : data);
  return isStored;
}

/** The task with this id, of any caller. */
export async function readTask(server: ServerData, id: string): Promise<Task | undefined> {
  return (await read(server, id))?.task;
}

/** Stores a new task. */
export async function addTask(server: ServerData, task: Task): Promise<void> {
  await write(server, task, undefined);
}

/** Deletes a task whose event could not be sent. */
export async function removeTask(server: ServerData, { id }: Task): Promise<void> {
  const removed = await storeOf(server).take(keyOf(server, id));
  await dropText(server.settings.spill, removed?.data);
}

const MAX_ATTEMPTS = 20;

/**
 * Changes a stored task. If another writer changes it at the same time, tries again with the new state.
 *
 * @param change returns the changed task, or nothing for no change
 * @returns the current task; `undefined` if absent
 * @throws TooLargeToStore
 */
export async function changeTask(
  server: ServerData,
  id: string,
  change: (task: Task) => Task | undefined,
): Promise<{ readonly task: Task; readonly changed: boolean } | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const stored = await read(server, id);
    if (!stored) return undefined;
    const next = change(stored.task);
    if (!next) return { task: stored.task, changed: false };
    if (await write(server, next, stored.row)) return { task: next, changed: true };
  }
  throw new Error('framework: mcp: a task changes too often');
}

/**
 * Stores that the handler of a claimed task is about to run. If the response to a claim is lost, the claim has no such mark and its
 * handler never runs, so another delivery of the event may claim the task.
 */
export async function markBegun(server: ServerData, task: Task, claim: string): Promise<void> {
  await storeOf(server).put({
    ...begunKey(server, task, claim),
    version: 1,
    ttl: ttlOf(server, task),
    data: encodeRow(1),
  });
}

/** True if the handler of this claim has begun. Claims of earlier releases have no mark, and count as begun. */
export async function hasBegun(server: ServerData, task: Task): Promise<boolean> {
  const { claim } = task;
  return claim === undefined || (await storeOf(server).get(begunKey(server, task, claim))) !== undefined;
}

function begunKey(server: ServerData, { id }: Task, claim: string) {
  return { partition: partitionOf(server, id), sort: `begun#${claim}` };
}

function ownerPartition({ settings }: ServerData, owner: string): string {
  return `to#${sha256Url(JSON.stringify([settings.info.name, owner]))}`;
}

/** Adds a task to the list of its owner. */
export async function addToOwner(server: ServerData, owner: string, id: string, created: number): Promise<void> {
  const partition = ownerPartition(server, owner);
  const sort = `${String(created).padStart(15, '0')}#${id}`;
  const ttl = toTtl(created + settingsOf(server).ttlMs);
  await storeOf(server).put({ partition, sort, version: 1, ttl, data: encodeRow(1) });
}

/** Ids of the tasks of an owner after a place, the oldest first, and the place of the next page. */
export async function ownersTasks(server: ServerData, owner: string, after: string, limit: number) {
  const rows = await storeOf(server).list(ownerPartition(server, owner), after, limit);
  const ids = rows.map(({ sort }) => sort.slice(sort.indexOf('#') + 1));
  return { ids, next: rows.length === limit ? rows.at(-1)?.sort : undefined };
}
