import { isLambda } from '@sallyport/core';
import { type DurableMark, sha256 } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { StartRecord } from '../types.js';
import type { ExecutionRun } from './execution.js';
import { eventIdentity } from './identity.js';
import type { LaneScope } from './lane-scope.js';
import { eventOfRecord } from './record-event.js';
import type { Starter } from './transport.js';

/** Sources whose records have no order: each record starts a separate execution by default. */
const FREE: readonly string[] = ['queue', 'topic', 'event-bus', 's3', 'alarm'];

/** One record of a batch. */
export interface BatchRecord {
  readonly context: object;
  readonly kind: string;
  /** True if it holds back later records. */
  readonly isOrdered: boolean;
  readonly index: number;
  /** The number of records in the batch. */
  readonly count: number;
}

/** Returns the function that starts the separate execution of a record; `undefined` if the record runs in this one. */
export function handOff(
  { run }: LaneScope,
  { context, kind, isOrdered, index, count }: BatchRecord,
  { delivery }: DurableMark,
): (() => Promise<void>) | undefined {
  const isFree = FREE.includes(kind) && !isOrdered;
  if (delivery === 'inline' || (delivery === undefined && !isFree)) return undefined;
  const starter = starterOf(run);
  if (delivery === undefined && starter?.isDefault !== true) return undefined;
  const name = recordExecutionName(run.arn, eventIdentity(context));
  if (name !== undefined && isNamed(run, name)) return undefined;
  const functionArn = ownArn(run);
  const event = eventOfRecord(run.input, index, count);
  if (starter && name !== undefined && functionArn !== undefined && event !== undefined) {
    return () => started(starter.start({ functionArn, name, event }));
  }
  if (delivery === undefined) return undefined;
  const needs = 'a function on Lambda or the option "start" of durableExecutions, and a record with a natural key';
  return () => Promise.reject(new DurableError('durable.use_handoff', `delivery: 'handoff' needs ${needs}`));
}

function starterOf({ host, starter }: ExecutionRun): Starter | undefined {
  if (host.start) return { start: host.start, isDefault: true };
  if (starter) return starter;
  return isLambda(host.environment) ? { start: startOnLambda, isDefault: true } : undefined;
}

/** Starts an execution by the Lambda API, with the deadline of `@sallyport/durable/start`. */
const startOnLambda: StartRecord = async (input) => {
  const { beginExecution } = await import('../start/start-execution.js');
  return beginExecution(input);
};

/** The function with a qualifier: Lambda starts no execution without a qualifier. */
function ownArn({ lambdaContext, host: { environment } }: ExecutionRun): string | undefined {
  const arn = lambdaContext?.invokedFunctionArn;
  if (arn === undefined || arn.split(':').length > UNQUALIFIED_PARTS) return arn;
  return `${arn}:${environment.AWS_LAMBDA_FUNCTION_VERSION || '$LATEST'}`;
}

/** `arn:aws:lambda:eu-west-1:123456789012:function:orders` */
const UNQUALIFIED_PARTS = 7;
/** Leaves room for a suffix: names have at most 64 characters. */
const NAME_DIGITS = 48;

/**
 * The name of the execution of a record, equal for every delivery of its event to this function. Names are unique within an account and region, so the
 * function is part of it: another function that receives the same event has other executions.
 *
 * @param arn the ARN of an execution of the function
 * @see https://docs.aws.amazon.com/lambda/latest/dg/durable-execution-idempotency.html
 */
export function recordExecutionName(arn: string, identity: string | undefined): string | undefined {
  if (identity === undefined) return undefined;
  const functionArn = arn.split(':').slice(0, UNQUALIFIED_PARTS).join(':');
  return sha256(JSON.stringify([functionArn, identity])).slice(0, NAME_DIGITS);
}

/** True for the execution of a record, and for a restart of it, whose name has a suffix. */
function isNamed(run: ExecutionRun, name: string): boolean {
  return run.name === name || run.name.startsWith(`${name}-`);
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
export function assertMapping({ host, run, passedSeconds }: LaneScope, seconds: number, place: string): void {
  const { triggerKind } = host as { readonly triggerKind?: unknown };
  if (!MAPPED.includes(triggerKind) || passedSeconds + seconds <= MAPPING_SECONDS) return;
  const name = recordExecutionName(run.arn, eventIdentity(host));
  if (name !== undefined && isNamed(run, name)) return;
  const text = `${place}: a mapping waits at most 15 minutes for the execution of a batch`;
  throw new DurableError('durable.use_handoff', `${text}: start an execution for each record with delivery: 'handoff'`);
}
