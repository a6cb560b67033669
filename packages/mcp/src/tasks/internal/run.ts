import type { Context, Logger, SecurePrincipal } from '@sallyport/core';
import { LAMBDA_MAX_TIMEOUT_MS, logFailure } from '@sallyport/core/internal';
import { checkScopes, type McpRequest, nowMs } from '../../http/internal/exchange.js';
import { METHOD_TABLE } from '../../methods/internal/table.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import { type Call, toResult } from '../../run/internal/call.js';
import { startRun } from '../../run/internal/handler-context.js';
import { unpackMemory } from '../../run/internal/record.js';
import type { Outcome, Run, RunScope } from '../../run/internal/run.js';
import { RpcError, tooLarge } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import { lastingCore, mayPass } from '../../store/internal/lasting.js';
import { keptBytes, TooLargeToStore } from '../../store/internal/row-text.js';
import { claimTask, type TaskDelivery } from './claim.js';
import { changeTask, markBegun, type Task } from './rows.js';
import { askingTask, failedTask, notifyOfTask } from './task.js';

/** Milliseconds between two checks for a cancellation of the task. */
const LOOK_EVERY_MS = 1000;

/** The request of a task. No client sends it; it has the caller of the task, and the invocation that runs the task. */
export class TaskRequest implements McpRequest {
  readonly method = 'POST';
  readonly bodyBytes = 0;
  readonly canStream = false;
  readonly context: Context;
  readonly clock: McpRequest['clock'];
  readonly deadline: number;
  readonly principal: SecurePrincipal | null;
  readonly tenantId: string;

  constructor(context: Context, clock: McpRequest['clock'], { principal, tenantId }: Task) {
    this.context = context;
    this.clock = clock;
    this.principal = principal;
    this.tenantId = tenantId;
    const { remainingMs } = context;
    this.deadline = nowMs(clock) + (remainingMs > 0 ? remainingMs : LAMBDA_MAX_TIMEOUT_MS);
  }

  header(): readonly string[] {
    return [];
  }

  bodyText(): string {
    return '';
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  get requestId(): string {
    return this.context.requestId;
  }

  get log(): Logger {
    return this.context.log;
  }
}

/**
 * Runs a waiting task once: if the same event is delivered again, the task is already running or over. The outcome is stored before
 * the promise resolves. If the store fails, the write is repeated until the end of the invocation.
 *
 * @throws the last error of the store, so that Lambda delivers the event again
 */
export async function runTask(given: Core, delivery: TaskDelivery): Promise<void> {
  const core = lastingCore(given, delivery.clock, () => delivery.deadline);
  const task = await claimTask(core, delivery);
  if (!task) return;
  const http = delivery.toRequest(task);
  const marked = markedAsBegun(given, core, task);
  await marked.tried;
  try {
    const ended = await endOf(core, http, task);
    if (ended) await settle(core, http, task, ended);
  } finally {
    await marked.done;
  }
}

/**
 * Marks that the handler begins: tries it once before the handler runs, and repeats it while the handler runs. Only another delivery
 * reads the mark, so a failure does not stop the run.
 */
function markedAsBegun(given: Core, core: Core, task: Task & { readonly claim: string }) {
  const first = markBegun(given, task, task.claim);
  const tried = first.catch(() => {});
  return { tried, done: first.catch(() => markBegun(core, task, task.claim)).catch(() => {}) };
}

type End = (task: Task, now: number) => Task;

/**
 * Stores the end of a run, unless the task was cancelled meanwhile. If that is impossible, the task is lost, and one line is logged. The
 * task fails: here if the store still accepts a smaller row, else in a later delivery or poll.
 */
async function settle(core: Core, http: McpRequest, claimed: Task, end: End): Promise<void> {
  try {
    await storeEnd(core, http, claimed, end);
  } catch (error) {
    const isTooLarge = error instanceof TooLargeToStore;
    const why = isTooLarge ? tooLarge('result', error.bytes, keptBytes(core.settings.spill)) : error;
    logFailure(() => http.log, isTooLarge ? 'mcp.task_not_kept' : 'mcp.task_lost', why, {
      target: claimed.request.params.name,
    });
    if (mayPass(error)) throw error;
    const reported = isTooLarge ? tooLarge('result', error.bytes, keptBytes(core.settings.spill)) : internalError();
    await storeEnd(core, http, claimed, (running, now) => failedTask(running, reported, now));
  }
}

async function storeEnd(core: Core, { clock, log }: McpRequest, { id, claim }: Task, end: End): Promise<void> {
  const now = nowMs(clock);
  const isMine = (task: Task) => task.state === 'running' && task.claim === claim;
  const settled = await changeTask(core, id, (task) => (isMine(task) ? end(task, now) : undefined));
  if (settled?.changed) await notifyOfTask(core, settled.task, log);
}

function internalError(): RpcError {
  return new RpcError(RPC.internalError, INTERNAL_ERROR);
}

async function endOf(core: Core, http: McpRequest, task: Task): Promise<End | undefined> {
  try {
    const call = await resolveCall(core, http, task);
    const run = startRun(scopeOf(core, http, task, call), (ctx) => call.invoke(ctx));
    const outcome = await outcomeOf(run, http);
    return await toEnd(call, http, run, outcome);
  } catch (error) {
    const known = error instanceof RpcError ? error : undefined;
    if (!known) logFailure(() => http.log, 'mcp.task_failed', error, { target: task.request.params.name });
    return (running, now) => failedTask(running, known ?? internalError(), now);
  }
}

/** The registered call. The task may have been created by another deployment. */
async function resolveCall(core: Core, http: McpRequest, { request: { id, params } }: Task): Promise<Call> {
  const hookContext = () => {
    throw new Error('framework: mcp: a task has no hooks');
  };
  const accepted = { json: true, sse: false };
  const place = { core, http, session: undefined, methods: METHOD_TABLE };
  const answer = await METHOD_TABLE.get('tools/call')?.answer({
    ...place,
    ...{ era: 'stateless', id, params, accepted, hookContext },
  });
  if (!answer || !('call' in answer)) throw new RpcError(RPC.methodNotFound, 'Method not found');
  checkScopes(http, answer.call.target);
  return answer.call;
}

function scopeOf(core: Core, http: McpRequest, task: Task, { target }: Call): RunScope {
  const { client, capabilities, request, memory } = task;
  return {
    ...{ http, era: 'stateless', protocolVersion: STATELESS_VERSION, client, clientCapabilities: capabilities },
    ...{ requestId: request.id, meta: request.params._meta, sessionId: undefined, target: target.name },
    ...{ progressToken: undefined, asks: target.asks, asking: 'pause', canClose: false, keepsEvents: false },
    logLevel: () => undefined,
    maxKeptBytes: keptBytes(core.settings.spill),
    isCancelled: async () => {
      const found = await changeTask(core, task.id, () => undefined);
      return found?.task.state !== 'running' || found.task.claim !== task.claim;
    },
    memory: unpackMemory(memory),
  };
}

/** The outcome of a run. While it waits, it checks at intervals whether the task was cancelled. */
async function outcomeOf(run: Run, { clock }: McpRequest): Promise<Outcome> {
  let stop = () => {};
  const look = () => {
    stop = clock.after(LOOK_EVERY_MS, () => {
      void run.checkCancelled();
      if (!run.isOver) look();
    });
  };
  look();
  const outcome = await run.outcome;
  stop();
  return outcome;
}

/** The task after a run; `undefined` if it was cancelled. */
async function toEnd(call: Call, http: McpRequest, run: Run, outcome: Outcome): Promise<End | undefined> {
  if (outcome.kind === 'cancelled' || outcome.kind === 'closed') return undefined;
  if (outcome.kind === 'questions') {
    const { questions, returned } = outcome;
    const memory = run.remember(outcome);
    return (task, now) => askingTask(task, questions, returned, memory, now);
  }
  const result = await toResult(call, 'stateless', outcome, http);
  if (result instanceof RpcError) return (task, now) => failedTask(task, result, now);
  const complete = { ...result, resultType: 'complete' };
  return (task, now) => ({ ...task, state: 'completed', updated: now, pending: [], result: complete });
}
