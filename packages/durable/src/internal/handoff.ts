import { DurableError } from '../errors.js';
import { eventIdentity } from './identity.js';
import type { LaneScope } from './lane-scope.js';

/** Returns the function that starts the own execution of a record; `undefined` if the record runs in this one. */
export function handOff(
  lane: LaneScope,
  context: object,
  event: unknown,
  delivery: 'inline' | 'handoff' | undefined,
): (() => Promise<void>) | undefined {
  const { run } = lane;
  const { start } = run.host;
  const name = eventIdentity(context);
  if (name !== undefined && name === run.name) return undefined;
  const functionArn = run.lambdaContext?.invokedFunctionArn;
  if (start && name !== undefined && functionArn !== undefined) {
    return () => started(start({ functionArn, name, event }));
  }
  if (delivery !== 'handoff') return undefined;
  const needs = 'the option "start" of durableExecutions, and an event with a natural key';
  return () => Promise.reject(new DurableError('durable.use_handoff', `delivery: 'handoff' needs ${needs}`));
}

/** A redelivered record has another count of deliveries, so its event differs: its execution exists. */
async function started(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if ((error as { readonly code?: unknown } | undefined)?.code !== 'durable.execution_conflict') throw error;
  }
}

/** Sources whose mapping waits for the execution of a batch. */
const MAPPED: readonly unknown[] = ['queue', 'table-stream', 'stream', 'kafka', 'mq', 'documentdb'];

/**
 * A mapping accepts executions of at most 15 minutes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/durable-invoking-esm.html
 */
const MAPPING_SECONDS = 900;

/** @throws DurableError `durable.use_handoff` for a wait that the mapping of the record does not permit */
export function assertMapping(lane: LaneScope, seconds: number, place: string): void {
  const { triggerKind } = lane.host as { readonly triggerKind?: unknown };
  if (!MAPPED.includes(triggerKind) || eventIdentity(lane.host) === lane.run.name) return;
  if (lane.passedSeconds + seconds <= MAPPING_SECONDS) return;
  const text = `${place}: a mapping waits at most 15 minutes for the execution of a batch`;
  throw new DurableError('durable.use_handoff', `${text}: start an execution for each record with delivery: 'handoff'`);
}
