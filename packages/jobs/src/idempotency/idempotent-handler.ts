import type { LambdaContext, Logger } from '@sallyport/core';
import { defineOptions, func, invalidOption } from '@sallyport/core/options';
import { guardHook, scheduledRun, sha256, trimmedText } from '@sallyport/core/pipeline';
import { StoredError } from '../error-envelope.js';
import type { JobLedger } from '../ledger/ledger.js';
import type { IdempotencyRecord } from './record.js';
import { asStored, executionOf, inProgressError, runOnce, TIME_OPTIONS } from './run-idempotent.js';

/** The part of a handler's context that is used. Every event context of `@sallyport/streams` has it. */
export interface IdempotentContext {
  /** The kind of event, such as `queue`. */
  readonly triggerKind: string;
  /** The source of the event: the name of the queue, topic, stream or bus. */
  readonly source: { readonly name: string };
  /** Milliseconds that the invocation has left; 0 when that is not known. */
  readonly remainingMs: number;
  /** The Lambda context. */
  readonly lambdaContext: LambdaContext | undefined;
  /** Gets failures that cannot be thrown. */
  readonly log: Logger;
}

type AnyHandler = (ctx: never, event: never) => unknown;

/** Options of {@link idempotentHandler}. */
export interface IdempotentHandlerOptions<C = IdempotentContext, E = unknown> {
  /**
   * Returns the key of the event. Default: the service's own id. When a producer sends the same event twice, that id is different
   * each time.
   */
  readonly key?: (ctx: C, event: E) => string;
  /** Returns text that must be the same for the same key; its hash is stored. */
  readonly fingerprint?: (ctx: C, event: E) => string;
  /**
   * Milliseconds after which the key of a crashed owner is free again, 1,000 to 31,622,400,000 (366 days). While the handler runs,
   * the key is renewed at 30 % of this time. Default 50,000, at most the remaining time of the invocation plus one second. Required
   * in durable executions: the time limit of the execution, which is not renewed.
   */
  readonly inProgressMs?: number;
  /** Seconds for which a handled event is remembered, 1 to 3,155,760,000. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /** Called with context, event and record when an event was handled before. Its errors are ignored. */
  readonly onReplay?: (ctx: C, event: E, record: IdempotencyRecord) => void;
}

type Name = (ctx: never, event: never) => string;

/** What {@link IdempotentHandlerOptions} may be. */
export const IDEMPOTENT_HANDLER_OPTIONS = defineOptions<IdempotentHandlerOptions<never, never>>()({
  key: func<Name>(),
  fingerprint: func<Name>(),
  ...TIME_OPTIONS,
  onReplay: func<(ctx: never, event: never, record: IdempotencyRecord) => void>(),
});
const MAX_SCOPE_BYTES = 256;
const SCHEDULED = 'Scheduled Event';
/** Kinds for which Lambda expects a report of failures. The handler's result is not used. */
const BATCHES = ['queue', 'table-stream', 'stream'];

/**
 * Wraps a handler of queue, topic, event-bus, scheduled or stream events, so that it runs once for each event. For an event that
 * is in progress on another instance it throws, so that the service delivers the event again.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example app.queue('orders', idempotentHandler(ledger, {}, fulfil));
 */
export function idempotentHandler<H extends AnyHandler>(
  ledger: JobLedger,
  options: IdempotentHandlerOptions<Parameters<H>[0], Parameters<H>[1]>,
  handler: H,
): H {
  IDEMPOTENT_HANDLER_OPTIONS.parse(options);
  if (typeof handler !== 'function') throw invalidOption('handler', 'a function');
  const wrapped = async (ctx: Parameters<H>[0], event: Parameters<H>[1]): Promise<unknown> =>
    handleOnce(ledger, options, ctx, event, async () => handler(ctx, event));
  Object.defineProperty(wrapped, 'name', { value: handler.name });
  return wrapped as AnyHandler as H;
}

async function handleOnce<C, E>(
  ledger: JobLedger,
  { key: ownKey, fingerprint, inProgressMs, resultTtlSeconds, onReplay }: IdempotentHandlerOptions<C, E>,
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
      ...(fingerprint && { fingerprint: sha256(String(fingerprint(given, event))) }),
      ...(executionId !== undefined && { executionId }),
    },
    inProgressMs,
    remainingMs: ctx.remainingMs,
    resultTtlSeconds,
    signal: undefined,
    log: ctx.log,
    run,
    keep: (result) => ({ result: BATCHES.includes(ctx.triggerKind) ? undefined : result }),
  });
  if (outcome.kind === 'in_progress') throw inProgressError(outcome.retryAfterMs);
  if (outcome.kind === 'ran') return BATCHES.includes(ctx.triggerKind) ? outcome.value : asStored(outcome.value);
  if (onReplay) guardHook(() => onReplay(given, event, outcome.record));
  return storedResult(ctx, outcome.record);
}

/** A handled event is not handled again, even if its result could not be stored. */
function storedResult({ log, triggerKind }: IdempotentContext, { error, result, resultOmitted }: IdempotencyRecord) {
  if (error) throw new StoredError(error);
  if (BATCHES.includes(triggerKind)) return undefined;
  if (resultOmitted) log.warn('event was handled before, its result is not stored');
  return result;
}

/** The parts of events that identify them. */
interface LooseEvent {
  readonly messageId?: unknown;
  readonly Sns?: { readonly MessageId?: unknown } | null;
  readonly eventID?: unknown;
  readonly id?: unknown;
  readonly source?: unknown;
  readonly 'detail-type'?: unknown;
  readonly detailType?: unknown;
  readonly detail?: unknown;
  readonly resources?: unknown;
}

/** The scope and key of an event. An empty key is rejected by the ledger. */
function eventIdentity(ctx: IdempotentContext, event: LooseEvent): { scope: string; key: string } {
  const { triggerKind: kind, source } = ctx;
  if (kind === 'queue') return named(`queue:${source.name}`, event?.messageId);
  if (kind === 'topic') return named(`topic:${source.name}`, event?.Sns?.MessageId);
  if (kind !== 'event-bus') return named(`${kind}:${source.name}`, event?.eventID);
  const detailType = trimmedText(event?.['detail-type']) || trimmedText(event?.detailType);
  if (detailType === SCHEDULED) {
    const { idempotencyKey } = scheduledRun(event, ctx.lambdaContext?.awsRequestId);
    return named(`schedule:${scheduleName(event)}`, idempotencyKey);
  }
  return named(`event-bus:${sourcePart(trimmedText(event?.source))}:${detailType}`, event?.id);
}

/** The colon separates source and detail type, so it is escaped in the source. */
function sourcePart(source: string): string {
  return source.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function named(scope: string, key: unknown): { scope: string; key: string } {
  const kind = scope.slice(0, scope.indexOf(':'));
  const short = Buffer.byteLength(scope) <= MAX_SCOPE_BYTES ? scope : `${kind}:sha256:${sha256(scope)}`;
  return { scope: short, key: trimmedText(key) };
}

/** The rule's or the schedule's name: the last part of its ARN. */
function scheduleName({ resources }: LooseEvent): string {
  const arn = Array.isArray(resources) ? trimmedText(resources[0]) : '';
  return arn.slice(arn.lastIndexOf('/') + 1);
}
