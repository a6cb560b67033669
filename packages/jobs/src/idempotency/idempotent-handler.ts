import { assertKnownOptions, invalidOption, type LambdaContext, type Logger } from '@sallyport/core';
import { sha256 } from '../internal/keys.js';
import type { IdempotencyRecord, JobLedger } from '../ledger/ledger.js';
import { StoredError } from '../stored-error.js';
import { eventIdentity, type LooseEvent } from './internal/event-identity.js';
import { executionOf, inProgressError, inProgressWithin, runOnce } from './internal/run-once.js';

/** What is read of a handler's context: any event context of `@sallyport/streams` will do. */
export interface IdempotentContext {
  readonly triggerKind: string;
  readonly source: { readonly name: string };
  readonly remainingMs: number;
  readonly lambdaContext: LambdaContext | undefined;
  readonly log: Logger;
}

type AnyHandler = (ctx: never, event: never) => unknown;

export interface IdempotentHandlerOptions<C = IdempotentContext, E = unknown> {
  /** Instead of the service's own id, where producers send one thing twice under new ids. */
  readonly key?: (ctx: C, event: E) => string;
  /** Text that must be the same whenever the key is; hashed. */
  readonly fingerprint?: (ctx: C, event: E) => string;
  /** How long a silent owner blocks the key; what is left of the invocation and a second. Required in durable executions. */
  readonly inProgressMs?: number;
  /** How long an event counts as handled; 86,400. */
  readonly resultTtlSeconds?: number;
}

const OPTIONS = ['key', 'fingerprint', 'inProgressMs', 'resultTtlSeconds'];
/** Kinds that are answered with a report of failures: what a handler returns is of no use. */
const BATCHES = ['queue', 'table-stream', 'stream'];

/**
 * A handler of queue, topic, event-bus, scheduled or stream events that runs once for each. An event that is in progress
 * elsewhere throws, so that the service delivers it again.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example app.queue('orders', idempotentHandler(ledger, {}, fulfil));
 */
export function idempotentHandler<H extends AnyHandler>(
  ledger: JobLedger,
  options: IdempotentHandlerOptions<Parameters<H>[0], Parameters<H>[1]>,
  handler: H,
): H {
  assertKnownOptions(options, OPTIONS);
  for (const name of ['key', 'fingerprint'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') throw invalidOption(name, 'a function');
  }
  if (typeof handler !== 'function') throw invalidOption('handler', 'a function');
  const wrapped = async (ctx: Parameters<H>[0], event: Parameters<H>[1]): Promise<unknown> =>
    handleOnce(ledger, options, ctx, event, async () => handler(ctx, event));
  Object.defineProperty(wrapped, 'name', { value: handler.name });
  return wrapped as AnyHandler as H;
}

async function handleOnce<C, E>(
  ledger: JobLedger,
  { key: ownKey, fingerprint, inProgressMs, resultTtlSeconds }: IdempotentHandlerOptions<C, E>,
  given: C,
  event: E,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const ctx = given as IdempotentContext;
  const identity = eventIdentity(ctx, event as LooseEvent);
  const executionId = executionOf(ctx.lambdaContext, inProgressMs);
  const outcome = await runOnce<unknown>({
    ledger,
    begin: {
      scope: identity.scope,
      key: ownKey ? ownKey(given, event) : identity.key,
      inProgressMs: inProgressMs ?? inProgressWithin(ctx.remainingMs),
      ...(fingerprint && { fingerprint: sha256(String(fingerprint(given, event))) }),
      ...(executionId !== undefined && { executionId }),
    },
    resultTtlSeconds,
    signal: undefined,
    log: ctx.log,
    run,
    keep: (result) => ({ result: BATCHES.includes(ctx.triggerKind) ? undefined : result }),
  });
  if (outcome.kind === 'in_progress') throw inProgressError(outcome.retryAfterMs);
  return outcome.kind === 'ran' ? outcome.value : storedResult(ctx, outcome.record);
}

/** An event that was handled is handled, whether or not its result could be kept. */
function storedResult({ log, triggerKind }: IdempotentContext, { error, result, resultOmitted }: IdempotencyRecord) {
  if (error) throw new StoredError(error);
  if (BATCHES.includes(triggerKind)) return undefined;
  if (resultOmitted) log.warn('event was handled before, its result is not stored');
  return result;
}
