import type {
  ContextKey,
  InvocationProvenance,
  LambdaContext,
  Logger,
  MaybePromise,
  MetricOptions,
  SpanAttributes,
  SpanScope,
  TriggerKind,
} from '@sallyport/core';
import { streamsError } from '../errors.js';
import type { EventSource } from '../sources/source.js';

/** The context of one record or event. Each record has a new context. Its members are computed at the first read. */
export interface EventContext {
  /** `queue`, `table-stream`, `stream`, `topic` or `event-bus`. */
  readonly triggerKind: TriggerKind;
  /** The queue, table, stream or topic that the record came from, or the source of the event. */
  readonly source: EventSource;
  /** The request id of the invocation, equal for all records of a batch; a generated id if Lambda sends no id. */
  readonly requestId: string;
  /** Message id, event id, notification id or `id` of the event; `''` if absent. */
  readonly recordId: string;
  /**
   * The natural key of the record or event: equal for every delivery by the service, and unique together with `triggerKind` and
   * `source`. `undefined` for a kind without natural keys, and if the sender left it out.
   */
  readonly eventKey: string | undefined;
  /** Number of deliveries of this message by the queue, 1 the first time; 0 if the service does not count deliveries. */
  readonly attempt: number;
  /** The place of the record in its batch, from 0, and the number of records in the batch. */
  readonly batch: { readonly index: number; readonly size: number };
  /** The trace id of the message, else of the invocation; `''` if absent. */
  readonly traceId: string;
  /** The tenant of the invocation, from the Lambda context; `''` if absent. */
  readonly tenantId: string;
  /** The remaining milliseconds of the invocation; 0 when unknown. */
  readonly remainingMs: number;
  /** The last moment at which a record starts: `deadlineMarginMs` before the invocation ends. `null` when unknown. */
  readonly deadline: Date | null;
  /** Aborts at the deadline, with a FrameworkError `app.timeout` as reason. */
  readonly signal: AbortSignal;
  /** Writes to the logger of the router, with request id, trace id, tenant, trigger and source in each line. */
  readonly log: Logger;
  /** The Lambda context, which is the second argument of the function; `undefined` if absent. */
  readonly lambdaContext: LambdaContext | undefined;
  /** The caller according to the Lambda context: `provider` or `direct`. An agent's event is never passed to a record handler. */
  readonly invocationProvenance: InvocationProvenance;
  /** Writes one value of a metric that `observability.metrics` declares. Other metrics are dropped, with one `warn`. */
  metric(name: string, value: number, options?: MetricOptions): void;
  /** Runs work inside a span that ends with it. Without the option `observability.span`, only calls the work. */
  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T;
  /** The time of the router's clock. */
  now(): Date;
  /** A new id of the router's id generator. */
  newId(): string;
  /** The value that a middleware or handler has set for this record; `undefined` if absent. */
  get<T>(key: ContextKey<T>): T | undefined;
  get(key: string): unknown;
  /** Sets a value for later middlewares and the handler of the same record. A key made by `contextKey` has a type. */
  set<T>(key: ContextKey<T>, value: NoInfer<T>): void;
  set(key: string, value: unknown): void;
}

/** The context of an event whose kind has no natural key. `idempotentHandler` of `@sallyport/jobs` requires the option `key` there. */
export interface KeylessEventContext extends EventContext {
  readonly eventKey: undefined;
}

/** Handles one record or event. The result is ignored for queues and streams, and is the answer for topics and event buses. */
export type EventHandler<E> = (ctx: EventContext, event: E) => MaybePromise<unknown>;

/**
 * Wraps each record or event. `next` has no arguments and may be called once. If the middleware returns without calling it, the
 * record counts as handled.
 */
export type EventMiddleware = (
  ctx: EventContext,
  event: unknown,
  next: () => Promise<unknown>,
) => MaybePromise<unknown>;

/** Calls the handler inside the middlewares, outermost first. Without middlewares, it calls only the handler. */
export function callWrapped(
  middlewares: readonly EventMiddleware[],
  index: number,
  handler: EventHandler<unknown>,
  ctx: EventContext,
  event: unknown,
): unknown {
  const middleware = middlewares[index];
  return middleware === undefined
    ? handler(ctx, event)
    : callMiddleware(middleware, ctx, event, async () => callWrapped(middlewares, index + 1, handler, ctx, event));
}

/**
 * If a middleware returns before its `next()` has settled, `next()` is still awaited, because it may fail. A second `next()`
 * fails the record even if the middleware ignores that error.
 */
async function callMiddleware(
  middleware: EventMiddleware,
  ctx: EventContext,
  event: unknown,
  inner: () => Promise<unknown>,
): Promise<unknown> {
  let pending: Promise<unknown> | undefined;
  let settled = false;
  let misuse: Promise<never> | undefined;
  const settle = () => {
    settled = true;
  };
  const result = await middleware(ctx, event, () => {
    if (pending !== undefined) {
      misuse = Promise.reject(streamsError('streams.next_called_twice', 'next() called twice'));
      misuse.catch(settle);
      return misuse;
    }
    pending = inner();
    pending.then(settle, settle);
    return pending;
  });
  if (!settled) await pending;
  await misuse;
  pending ??= Promise.resolve();
  return result;
}
