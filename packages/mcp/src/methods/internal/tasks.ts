import { isObject, lazily } from '@sallyport/core/internal';
import { nowMs } from '../../http/internal/transport.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { META, TASKS } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities } from '../../protocol/types.js';
import { missingCapabilityError } from '../../run/internal/answer.js';
import { invalidParams } from '../../server/errors.js';
import { loadSchemaCheck } from '../../server/internal/server-data.js';
import type { PendingQuestion, Task } from '../../tasks/internal/rows.js';
import { defineMethod, type MethodPlace, type MethodRequest, membersJson } from './method.js';

/** Only the stateless era has tasks. Their code is loaded with it. */
const loadStateless = lazily(() => import('../../stateless/internal/serve.js'));
type Part = Awaited<ReturnType<typeof loadStateless>>;

const hasTasks = ({ server }: MethodPlace) => server.settings.tasks !== undefined;
const COMMON = { eras: ['stateless'], isServed: hasTasks, named: 'taskId', load: loadStateless } as const;

/** @throws RpcError for a client without support for tasks, and for a task of another caller */
async function callersTask({ server, http, params }: MethodRequest, { findTask, takesTasks }: Part): Promise<Task> {
  const meta = own(params, '_meta');
  const capabilities = isObject(meta) ? own(meta, META.clientCapabilities) : undefined;
  if (!isObject(capabilities) || !takesTasks(capabilities as ClientCapabilities)) {
    throw missingCapabilityError({ extensions: { [TASKS]: {} } });
  }
  const task = await findTask(server, http, own(params, 'taskId'));
  if (!task) throw invalidParams('Unknown task');
  return task;
}

export const getTask = defineMethod<Part>({
  ...COMMON,
  name: 'tasks/get',
  async handle(request, part) {
    const task = await callersTask(request, part);
    return { result: { members: membersJson(part.detailOf(request.server, task)) } };
  },
});

export const cancelTask = defineMethod<Part>({
  ...COMMON,
  name: 'tasks/cancel',
  async handle(request, part) {
    const { server, http } = request;
    const { id } = await callersTask(request, part);
    const now = nowMs(http.clock);
    const cancelled = await part.changeTask(
      part.withLastingStore(server, http.clock, part.whileClientWaits(http)),
      id,
      (task) => (part.isOver(task) ? undefined : { ...task, state: 'cancelled', updated: now, pending: [] }),
    );
    if (cancelled?.changed) await part.notifyOfTask(server, cancelled.task, http.log);
    return { result: { members: '' } };
  },
});

/** Receives answers. The task continues after the last missing answer. */
export const updateTask = defineMethod<Part>({
  ...COMMON,
  name: 'tasks/update',
  async handle(request, part) {
    const { server, http, params } = request;
    const responses = own(params, 'inputResponses');
    if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
    const { id, pending } = await callersTask(request, part);
    const taken = await takeAnswers(pending, responses);
    const now = nowMs(http.clock);
    const updated = await part.changeTask(
      part.withLastingStore(server, http.clock, part.whileClientWaits(http)),
      id,
      (task) => withAnswers(task, taken, now),
    );
    if (updated?.changed && updated.task.state === 'queued') await part.startAnswered(server, http, updated.task);
    return { result: { members: '' } };
  },
});

/**
 * The valid answers. An answer without a question, or with another schema than its question, is left out; the question remains
 * open.
 */
async function takeAnswers(
  pending: readonly PendingQuestion[],
  responses: object,
): Promise<ReadonlyMap<string, unknown>> {
  const { checkAnswer } = await loadSchemaCheck();
  const taken = new Map<string, unknown>();
  for (const { key, request } of pending) {
    const raw = own(responses as Record<string, unknown>, key);
    if (raw !== undefined && checkAnswer(request, raw) !== undefined) taken.set(key, raw);
  }
  return taken;
}

function withAnswers(task: Task, taken: ReadonlyMap<string, unknown>, now: number): Task | undefined {
  const answered = task.pending.filter(({ key }) => taken.has(key));
  if (task.state !== 'input_required' || answered.length === 0) return undefined;
  const pending = task.pending.filter(({ key }) => !taken.has(key));
  const { memory, returned } = task;
  const answers = answered.map(({ key, digest }) => [key, { digest, value: taken.get(key) }] as const);
  const inputs = answered.map(({ key }) => [key, taken.get(key)] as const);
  return {
    ...task,
    ...{ pending, updated: now, state: pending.length > 0 ? 'input_required' : 'queued' },
    memory: { ...memory, ...(returned ? { i: [...(memory.i ?? []), ...inputs] } : { a: [...memory.a, ...answers] }) },
  };
}
