import type { Context, SecurePrincipal } from '@sallyport/core';
import { fromJson, isPassing, logFailure, membersOf } from '@sallyport/core/internal';
import { ContextRequest, checkScopes, type McpRequest, nowMs } from '../../http/internal/transport.js';
import { findCallAgain } from '../../methods/internal/method.js';
import { METHOD_TABLE } from '../../methods/internal/table.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import { toResult } from '../../run/internal/answer.js';
import type { Call } from '../../run/internal/call.js';
import { startRun } from '../../run/internal/handler-context.js';
import { unpackMemory } from '../../run/internal/record.js';
import { HandlerRun, LOOK_EVERY_MS, type Outcome, type RunScope } from '../../run/internal/run.js';
import { RpcError, tooLarge } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { withLastingStore } from '../../store/internal/lasting.js';
import { TooLargeToStore } from '../../store/internal/row-text.js';
import { claimTask, type TaskDelivery } from './claim.js';
import { changeTask, markBegun, type Task, taskFacts } from './rows.js';
import { askingTask, failedTask, notifyOfTask } from './task.js';

/** The request of a task. No client sends it; it has the caller of the task, and the invocation that runs the task. */
export class TaskRequest extends ContextRequest {
  declare private readonly task: Task;

  constructor(context: Context, clock: McpRequest['clock'], task: Task) {
    super(context, { clock, canStream: false });
    this.task = task;
  }

  override header(): readonly string[] {
    return [];
  }

  override get principal(): SecurePrincipal | null {
    return this.task.principal;
  }

  override get tenantId(): string {
    return this.task.tenantId;
  }
}

/**
 * Runs a waiting task once: if the same event is delivered again, the task is already running or over. The outcome is stored before
 * the promise resolves. If the store fails, the write is repeated until the end of the invocation.
 *
 * @throws the last error of the store, so that Lambda delivers the event again
 */
export async function runTask(given: ServerData, delivery: TaskDelivery): Promise<void> {
  const server = withLastingStore(given, delivery.clock, () => delivery.deadline);
  const task = await claimTask(server, delivery);
  if (!task) return;
  const http = delivery.toRequest(task);
  const marked = markedAsBegun(given, server, task);
  await marked.tried;
  try {
    const ended = await endOf(server, http, task);
    if (ended) await settle(server, http, task, ended);
  } finally {
    await marked.done;
  }
}

/**
 * Marks that the handler begins: tries it once before the handler runs, and repeats it while the handler runs. Only another delivery
 * reads the mark, so a failure does not stop the run.
 */
function markedAsBegun(given: ServerData, server: ServerData, task: Task & { readonly claim: string }) {
  const first = markBegun(given, task, task.claim);
  const tried = first.catch(() => {});
  return { tried, done: first.catch(() => markBegun(server, task, task.claim)).catch(() => {}) };
}

type End = (task: Task, now: number) => Task;

/**
 * Stores the end of a run, unless the task was cancelled meanwhile. If that is impossible, the task is lost, and one line is logged. The
 * task fails: here if the store still accepts a smaller row, else in a later delivery or poll.
 */
async function settle(server: ServerData, http: McpRequest, claimed: Task, end: End): Promise<void> {
  try {
    await storeEnd(server, http, claimed, end);
  } catch (error) {
    const isTooLarge = error instanceof TooLargeToStore;
    const why = isTooLarge ? tooLarge('result', error.bytes, server.maxKeptBytes) : error;
    logFailure(() => http.log, isTooLarge ? 'mcp.task_not_kept' : 'mcp.task_lost', why, taskFacts(claimed));
    if (isPassing(error)) throw error;
    const reported = isTooLarge ? tooLarge('result', error.bytes, server.maxKeptBytes) : internalError();
    await storeEnd(server, http, claimed, (running, now) => failedTask(running, reported, now));
  }
}

async function storeEnd(server: ServerData, { clock, log }: McpRequest, { id, claim }: Task, end: End): Promise<void> {
  const now = nowMs(clock);
  const isMine = (task: Task) => task.state === 'running' && task.claim === claim;
  const settled = await changeTask(server, id, (task) => (isMine(task) ? end(task, now) : undefined));
  if (settled?.changed) await notifyOfTask(server, settled.task, log);
}

function internalError(): RpcError {
  return new RpcError(RPC.internalError, INTERNAL_ERROR);
}

async function endOf(server: ServerData, http: McpRequest, task: Task): Promise<End | undefined> {
  try {
    const call = await resolveCall(server, http, task);
    const run = startRun(new HandlerRun(scopeOf(server, http, task, call)), call);
    return await toEnd(call, http, await outcomeOf(run, http, (events) => showProgress(server, http, task, events)));
  } catch (error) {
    const known = error instanceof RpcError ? error : undefined;
    if (!known) logFailure(() => http.log, 'mcp.task_failed', error, taskFacts(task));
    return (running, now) => failedTask(running, known ?? internalError(), now);
  }
}

/** The registered call, if the caller of the task still has its scopes. */
async function resolveCall(server: ServerData, http: McpRequest, { request: { id, params } }: Task): Promise<Call> {
  const accepted = { json: true, sse: false };
  const place = { server, http, session: undefined, methods: METHOD_TABLE };
  const call = await findCallAgain('tools/call', { ...place, era: 'stateless', id, params, accepted });
  checkScopes(http, call.target);
  return call;
}

function scopeOf(server: ServerData, http: McpRequest, task: Task, { method, target }: Call): RunScope {
  const { client, capabilities, request, memory } = task;
  return {
    ...{ http, era: 'stateless', protocolVersion: STATELESS_VERSION, client, clientCapabilities: capabilities },
    ...{ requestId: request.id, meta: request.params._meta, sessionId: undefined, facts: { method, ...target.facts } },
    ...{ progressToken: task.era && task.id, asks: target.asks, asking: 'pause', canClose: false, keepsEvents: false },
    logLevel: () => undefined,
    maxKeptBytes: server.maxKeptBytes,
    isCancelled: async () => {
      const found = await changeTask(server, task.id, () => undefined);
      return found?.task.state !== 'running' || found.task.claim !== task.claim;
    },
    memory: unpackMemory(memory),
  };
}

/** The outcome of a run. While it waits, it checks at intervals whether the task was cancelled. */
async function outcomeOf(
  run: HandlerRun,
  { clock }: McpRequest,
  show: (events: readonly string[]) => Promise<void>,
): Promise<Outcome> {
  let shown = Promise.resolve();
  let stop = () => {};
  const look = () => {
    stop = clock.after(LOOK_EVERY_MS, () => {
      void run.checkCancelled();
      if (run.hasEvents) shown = shown.then(async () => show(await run.takeEvents()));
      if (!run.isOver) look();
    });
  };
  look();
  const outcome = await run.outcome;
  stop();
  await shown;
  return outcome;
}

/** Stores the last progress of a run, so that clients that poll the task see it. A failure is not reported: the next progress is stored. */
async function showProgress(
  server: ServerData,
  { clock }: McpRequest,
  { id, claim }: Task,
  events: readonly string[],
): Promise<void> {
  const last = events.map((json) => membersOf(fromJson(json))).findLast(({ method }) => method === PROGRESS);
  if (!last) return;
  const { progress, total, message } = membersOf(last.params);
  const share = total === undefined ? String(progress) : `${String(progress)} of ${String(total)}`;
  const statusMessage = typeof message === 'string' ? `${share}: ${message}` : share;
  const updated = nowMs(clock);
  const isMine = (task: Task) => task.state === 'running' && task.claim === claim;
  await changeTask(server, id, (task) => (isMine(task) ? { ...task, statusMessage, updated } : undefined)).catch(
    () => {},
  );
}

const PROGRESS = 'notifications/progress';

/** The task after a run; `undefined` if it was cancelled. */
async function toEnd(call: Call, http: McpRequest, outcome: Outcome): Promise<End | undefined> {
  if (outcome.kind === 'cancelled') return undefined;
  // A task has no stream that its handler could close: each pause has questions.
  if (outcome.kind === 'paused') return (task, now) => askingTask(task, outcome, now);
  const result = await toResult(call, 'stateless', outcome, http);
  if (result instanceof RpcError) return (task, now) => failedTask(task, result, now);
  const complete = { ...result, resultType: 'complete' };
  return (task, now) => ({ ...task, state: 'completed', updated: now, pending: [], result: complete });
}
