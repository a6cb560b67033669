import type { LambdaContext, Logger } from '@sallyport/core';
import { guardHook, markNeedsEventKey, type Scoped, sha256, trimmedText } from '@sallyport/core/internal';
import { defineOptions, func, invalidOption, oneOf } from '@sallyport/core/options';
import { StoredError } from '../error-envelope.js';
import { JOB_ERRORS } from '../errors.js';
import type { JobLedger } from '../ledger/ledger.js';
import type { IdempotencyRecord } from './record.js';
import { asStored, executionOf, inProgressError, runOnce, TIME_OPTIONS } from './run-idempotent.js';

/** The part of a handler's context that is used. Every event context of `@sallyport/streams` has it. */
export interface IdempotentContext {
  /** The kind of event, such as `queue`. */
  readonly triggerKind: string;
  /** The source of the event: the name of the queue, topic, stream or bus. */
  readonly source: { readonly name: string };
  /** The natural key of the event: equal for every delivery of it. */
  readonly eventKey?: string | undefined;
  /** Remaining milliseconds of the invocation; 0 if unknown. */
  readonly remainingMs: number;
  /** Aborts at the deadline of the invocation. */
  readonly signal?: AbortSignal | undefined;
  /** The Lambda context. */
  readonly lambdaContext: LambdaContext | undefined;
  /** Logs failures that cannot be thrown. */
  readonly log: Logger;
}

type AnyHandler = (ctx: never, event: never) => unknown;

/** Options of {@link idempotentHandler}. */
export interface IdempotentHandlerOptions<C = IdempotentContext, E = unknown> {
  /**
   * Returns the key of the event. Default: the natural key of its kind, `ctx.eventKey`, such as the id of a message. If a producer
   * sends the same event twice, each has another id. Required for kinds without a natural key.
   */
  readonly key?: (ctx: C, event: E) => string;
  /**
   * True if events that EventBridge replays from an archive are handled again, once for each replay. They have the id of the first
   * delivery, so by default (`ignore`) an event whose key is still stored is not handled again.
   */
  readonly replays?: 'ignore' | 'handle';
  /** Returns a string that must be equal for equal keys; its hash is stored. */
  readonly fingerprint?: (ctx: C, event: E) => string;
  /**
   * Milliseconds after which the key of a crashed owner is free again, 1,000 to 31,622,400,000 (366 days). While the handler runs,
   * the key is renewed at 30 % of this time. Default 50,000, at most the remaining time of the invocation plus one second. Required
   * in durable executions: the time limit of the execution, which is not renewed.
   */
  readonly inProgressMs?: number;
  /** Seconds for which the key of a handled event is stored, 1 to 3,155,760,000. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /** Called with context, event and record if an event was handled before. Its errors are ignored. */
  readonly onReplay?: (ctx: C, event: E, record: IdempotencyRecord) => void;
}

type Name = (ctx: never, event: never) => string;

/** The options for handlers of a kind: `key` is required where the context has no natural key. */
export type IdempotentHandlerOptionsFor<C, E> = IdempotentHandlerOptions<C, E> &
  ([C] extends [never]
    ? unknown
    : [C] extends [{ readonly eventKey: undefined }]
      ? Required<Pick<IdempotentHandlerOptions<C, E>, 'key'>>
      : unknown);

/** Validators and defaults for {@link IdempotentHandlerOptions}. */
export const IDEMPOTENT_HANDLER_OPTIONS = defineOptions<IdempotentHandlerOptions<never, never>>()({
  key: func<Name>(),
  fingerprint: func<Name>(),
  replays: oneOf('ignore', 'handle').default('ignore'),
  ...TIME_OPTIONS,
  onReplay: func<(ctx: never, event: never, record: IdempotencyRecord) => void>(),
});
const MAX_SCOPE_BYTES = 256;
const SCHEDULED = 'Scheduled Event';
/** Kinds for which Lambda expects a report of failures. The handler's result is not used. */
const BATCHES = ['queue', 'table-stream', 'stream'];

/**
 * Wraps a handler of any event of `@sallyport/streams` or `@sallyport/triggers`, so that it runs once for each event. For an event
 * that is in progress on another instance it throws, so that the service delivers the event again. A kind whose events have no
 * natural key, such as a direct invocation, requires the option `key`; without it, registering the handler fails.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example app.queue('orders', idempotentHandler(ledger, {}, fulfil));
 */
export function idempotentHandler<H extends AnyHandler>(
  ledger: JobLedger,
  options: IdempotentHandlerOptionsFor<Parameters<H>[0], Parameters<H>[1]>,
  handler: H,
): H {
  IDEMPOTENT_HANDLER_OPTIONS.parse(options);
  if (typeof handler !== 'function') throw invalidOption('handler', 'a function');
  const wrapped = async (ctx: Parameters<H>[0], event: Parameters<H>[1]): Promise<unknown> =>
    handleOnce(ledger, options, ctx, event, async () => handler(ctx, event));
  // With the mark of a durable handler.
  Object.defineProperty(Object.assign(wrapped, handler), 'name', { value: handler.name });
  if (options.key === undefined) markNeedsEventKey(wrapped);
  return wrapped as AnyHandler as H;
}

async function handleOnce<C, E>(
  ledger: JobLedger,
  { key: ownKey, replays, fingerprint, inProgressMs, resultTtlSeconds, onReplay }: IdempotentHandlerOptions<C, E>,
  given: C,
  event: E,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const ctx = given as IdempotentContext;
  const loose = event as LooseEvent;
  const key = ownKey ? ownKey(given, event) : naturalKey(ctx);
  const executionId = executionOf(ctx.lambdaContext, inProgressMs);
  const outcome = await runOnce<unknown>({
    ledger: (ctx.lambdaContext as Scoped | undefined)?.['sallyport.execution']?.ledgerOf(ledger) ?? ledger,
    begin: {
      scope: scopeOf(ctx, loose),
      key: replays === 'handle' ? `${key}${replayOf(loose)}` : key,
      ...(fingerprint && { fingerprint: sha256(String(fingerprint(given, event))) }),
      ...(executionId !== undefined && { executionId }),
    },
    inProgressMs,
    remainingMs: ctx.remainingMs,
    resultTtlSeconds,
    signal: ctx.signal,
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

/** @throws JobLedgerError `invalid_input` for an event without a key: the sender omitted the id */
function naturalKey({ eventKey, triggerKind }: IdempotentContext): string {
  if (eventKey !== undefined) return eventKey;
  throw JOB_ERRORS.invalid(`event of kind "${triggerKind}" has no natural key; pass the option "key"`);
}

/** The members of bus events that determine their scope. */
interface LooseEvent {
  readonly source?: unknown;
  readonly 'detail-type'?: unknown;
  readonly detailType?: unknown;
  readonly resources?: unknown;
  readonly 'replay-name'?: unknown;
}

/** The scope of an event: its kind and its source. Two kinds of a bus have separate scopes. */
function scopeOf({ triggerKind: kind, source }: IdempotentContext, event: LooseEvent): string {
  if (kind !== 'event-bus') return shortScope(`${kind}:${source.name}`);
  const detailType = trimmedText(event?.['detail-type']) || trimmedText(event?.detailType);
  if (detailType === SCHEDULED) return shortScope(`schedule:${scheduleName(event)}`);
  return shortScope(`event-bus:${sourcePart(trimmedText(event?.source))}:${detailType}`);
}

/**
 * EventBridge adds the member `replay-name` to a replayed event, which keeps its id
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-archive.html).
 */
function replayOf(event: LooseEvent): string {
  const name = trimmedText(event?.['replay-name']);
  return name === '' ? '' : `#replay:${name}`;
}

/** The colon separates source and detail type, so it is escaped in the source. */
function sourcePart(source: string): string {
  return source.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function shortScope(scope: string): string {
  const kind = scope.slice(0, scope.indexOf(':'));
  return Buffer.byteLength(scope) <= MAX_SCOPE_BYTES ? scope : `${kind}:sha256:${sha256(scope)}`;
}

/** The name of the rule or schedule: the last part of its ARN. */
function scheduleName({ resources }: LooseEvent): string {
  const arn = Array.isArray(resources) ? trimmedText(resources[0]) : '';
  return arn.slice(arn.lastIndexOf('/') + 1);
}
