import { FrameworkError, type FullClock, type Logger } from '@sallyport/core';
import { logFailure, pause } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import { randomText } from '../../internal/crypto.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { changeTask, hasBegun, type Task, taskFacts } from './rows.js';
import { endLost, INTERRUPTED } from './task.js';

/** One delivery of the event of a task. */
export interface TaskDelivery {
  /** The task id, decrypted from the event. */
  readonly id: string;
  readonly clock: FullClock;
  /** The end of the invocation, in epoch milliseconds. */
  readonly deadline: number;
  readonly log: Logger;
  /** Creates the request of the claimed task. */
  toRequest(task: Task): McpRequest;
}

/** Milliseconds after the end of its invocation for which a task counts as running. */
const LEASE_MARGIN_MS = 5000;
/**
 * Milliseconds for the mark of a claim: longer than a call of the store with its time limit of 5 s, because the delivery that has
 * claimed the task may be marking it now.
 */
const MARK_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 500;

/** A task that this delivery has claimed. */
export type ClaimedTask = Task & { readonly claim: string };

/**
 * Claims a waiting task for one delivery of its event. Lambda may deliver an event twice at the same time, and delivers it again after a
 * failure (AWS Lambda Developer Guide, "How Lambda handles errors and retries with asynchronous invocation"); the handler runs once in both
 * cases. If the response to a claim is lost, its handler never begins, and another delivery claims the task. If the handler has begun
 * and its delivery is over, the handler is not called again, and the task fails.
 *
 * @returns the claimed task; `undefined` if no run is needed
 */
export async function claimTask(server: ServerData, delivery: TaskDelivery): Promise<ClaimedTask | undefined> {
  const { id, clock, deadline } = delivery;
  const claim = randomText(12);
  let abandoned: string | undefined;
  for (;;) {
    const mayClaim = ({ state, claim: holder }: Task) =>
      state === 'queued' || (state === 'running' && holder !== undefined && holder === abandoned);
    const now = nowMs(clock);
    const found = await changeTask(server, id, (task) =>
      mayClaim(task)
        ? { ...task, state: 'running', updated: now, lease: deadline + LEASE_MARGIN_MS, claim }
        : undefined,
    );
    if (found?.changed) return { ...found.task, claim };
    if (found?.task.state !== 'running') return undefined;
    if (await beginsSoon(server, found.task, delivery)) return endIfLost(server, found.task, delivery);
    abandoned = found.task.claim;
  }
}

/**
 * True if the handler of a claim has begun, or begins within some seconds.
 *
 * @throws FrameworkError `mcp.store` if the invocation ends before this is certain, so that Lambda delivers the event again
 */
async function beginsSoon(server: ServerData, task: Task, { clock, deadline }: TaskDelivery): Promise<boolean> {
  const until = nowMs(clock) + MARK_WITHIN_MS;
  for (;;) {
    if (await hasBegun(server, task)) return true;
    const now = nowMs(clock);
    if (now >= until) return false;
    if (now + LOOK_EVERY_MS >= deadline) {
      throw new FrameworkError('mcp.store', 'framework: mcp: the task is claimed, and its handler has not begun');
    }
    await pause(clock, LOOK_EVERY_MS, undefined);
  }
}

/** Fails a task if its handler had begun in a delivery that is over. Its result is lost. */
async function endIfLost(server: ServerData, task: Task, { clock, log }: TaskDelivery): Promise<undefined> {
  const now = nowMs(clock);
  const ended = await endLost(server, task, now);
  if (ended?.state === 'failed') logFailure(() => log, 'mcp.task_lost', INTERRUPTED, taskFacts(task));
}
