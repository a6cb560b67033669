import type { Invocation, LambdaContext, Surface, Target, TriggerKind } from '@sallyport/core';
import { assertNoSurplus, refuseAgent } from '@sallyport/core/pipeline';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { deliverBatch, deliverEvents, recordsOf } from '../batch/internal/deliver.js';
import { streamsError, windowUnsupported } from '../errors.js';
import { observerOf } from '../observability/internal/observer.js';
import { type EventBusSelector, parseSelector } from '../sources/event-bus.js';
import type {
  BatchReport,
  EventBusEvent,
  QueueRecord,
  StreamRecord,
  TableStreamRecord,
  TopicRecord,
} from '../sources/event-types.js';
import { isObject } from '../sources/internal/loose-record.js';
import { type BatchKind, RECORD_SOURCES, type RecordKind } from '../sources/source.js';
import { explainEvent, explainRecords } from './internal/explain.js';
import type { Kernel } from './internal/kernel.js';
import { readPhysicalNames } from './internal/physical-names.js';
import { Registry } from './internal/registry.js';
import { type EventRouterOptions, parseOptions } from './options.js';
import {
  assertHandler,
  parseRegistration,
  type QueueOptions,
  type RegistrationDefaults,
  type StreamOptions,
  type Trigger,
} from './registration.js';

/** A direct entrypoint: a Lambda handler for one kind of event. Bound; it may be destructured. Rejects agent invocations. */
export type Entrypoint<R> = (event: unknown, lambdaContext?: LambdaContext) => Promise<R>;

/** Serves queues, table streams, data streams, topics and event buses. Each registration returns the router. */
export interface EventRouter extends Surface {
  /**
   * @throws FrameworkError for a blank or repeated name, a handler that is no function, options that do not fit, further
   *   arguments
   */
  queue(name: string, handler: EventHandler<QueueRecord>, options?: QueueOptions): this;
  tableStream(name: string, handler: EventHandler<TableStreamRecord>, options?: StreamOptions): this;
  kinesis(name: string, handler: EventHandler<StreamRecord>, options?: StreamOptions): this;
  topic(name: string, handler: EventHandler<TopicRecord>): this;
  eventBus(selector: EventBusSelector, handler: EventHandler<EventBusEvent>): this;
  /** Wraps every record and event; the first registered is outermost. */
  useEvents(middleware: EventMiddleware): this;
  /** What is registered, in order; frozen, fresh at each call. */
  triggers(): readonly Trigger[];
  explainTarget(kind: TriggerKind, event: unknown): Target;
  readonly serveQueueEvent: Entrypoint<BatchReport>;
  readonly serveTableStream: Entrypoint<BatchReport>;
  readonly serveStreamEvent: Entrypoint<BatchReport>;
  /** The same function as `serveStreamEvent`. */
  readonly serveKinesisEvent: Entrypoint<BatchReport>;
  readonly serveTopicEvent: Entrypoint<unknown[]>;
  readonly serveEventBus: Entrypoint<unknown>;
}

/**
 * Makes a router for events that are no requests.
 *
 * @param failureText what is thrown in a handler's place where its own error may not be; containers have their own
 * @throws FrameworkError `app.invalid_configuration` for an option or variable that does not hold
 * @example
 * const events = createEventRouter();
 * events.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = createDispatcher(events).handleLambda;
 */
export function createEventRouter(options: EventRouterOptions = {}, failureText?: string): EventRouter {
  return new Router(options, failureText);
}

class Router implements EventRouter {
  readonly serves = ['queue', 'table-stream', 'stream', 'topic', 'event-bus'] as const;
  readonly serveQueueEvent = this.#entrypoint<BatchReport>('queue');
  readonly serveTableStream = this.#entrypoint<BatchReport>('table-stream');
  readonly serveStreamEvent = this.#entrypoint<BatchReport>('stream');
  readonly serveKinesisEvent = this.serveStreamEvent;
  readonly serveTopicEvent = this.#entrypoint<unknown[]>('topic');
  readonly serveEventBus = this.#entrypoint<unknown>('event-bus');

  readonly #middlewares: EventMiddleware[] = [];
  readonly #registry = new Registry();
  readonly #triggers: Trigger[] = [];
  readonly #kernel: Kernel;
  readonly #defaults: RegistrationDefaults;

  constructor(options: EventRouterOptions, failureText = 'framework: event handler failed') {
    this.#kernel = { ...parseOptions(options, failureText, this.#middlewares), observe: observerOf };
    const { environment } = this.#kernel;
    this.#defaults = { physicalNames: readPhysicalNames(environment), concurrency: options.queueConcurrency ?? 1 };
  }

  queue(name: string, handler: EventHandler<QueueRecord>, options?: QueueOptions, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'queue(name, handler, options)');
    return this.#register('queue', name, handler, options);
  }

  tableStream(
    name: string,
    handler: EventHandler<TableStreamRecord>,
    options?: StreamOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'tableStream(name, handler, options)');
    return this.#register('table-stream', name, handler, options);
  }

  kinesis(
    name: string,
    handler: EventHandler<StreamRecord>,
    options?: StreamOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'kinesis(name, handler, options)');
    return this.#register('stream', name, handler, options);
  }

  topic(name: string, handler: EventHandler<TopicRecord>, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'topic(name, handler)');
    return this.#register('topic', name, handler);
  }

  eventBus(selector: EventBusSelector, handler: EventHandler<EventBusEvent>, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'eventBus(selector, handler)');
    const copy = parseSelector(selector);
    assertHandler(handler);
    this.#registry.addSelector(copy, handler as EventHandler<unknown>);
    this.#triggers.push(Object.freeze({ kind: 'event-bus', selector: copy }));
    return this;
  }

  useEvents(middleware: EventMiddleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'useEvents(middleware)');
    assertHandler(middleware, 'middleware');
    this.#middlewares.push(middleware);
    return this;
  }

  triggers(): readonly Trigger[] {
    return Object.freeze([...this.#triggers]);
  }

  serve(kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    if (kind === 'queue') return deliverBatch(this.#kernel, this.#registry, 'queue', event, lambdaContext);
    if (kind === 'table-stream' || kind === 'stream') {
      return this.#serveStream(kind as BatchKind, event, lambdaContext);
    }
    return kind === 'topic' ? this.#serveTopic(event, lambdaContext) : this.#serveBus(event, lambdaContext);
  }

  explainTarget(kind: TriggerKind, event: unknown): Target {
    if (kind === 'event-bus') return explainEvent(this.#registry, event);
    return explainRecords(this.#registry, kind as RecordKind, event);
  }

  #register(
    kind: RecordKind,
    name: string,
    handler: EventHandler<never>,
    options: QueueOptions & StreamOptions = {},
  ): this {
    const { place, registration } = parseRegistration(
      kind,
      RECORD_SOURCES[kind],
      name,
      handler,
      options,
      this.#defaults,
    );
    this.#registry.addRecords(kind, RECORD_SOURCES[kind], place, registration);
    this.#triggers.push(Object.freeze({ kind, name, ...options }) as Trigger);
    return this;
  }

  async #serveTopic(event: unknown, lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return deliverEvents(this.#kernel, this.#registry, 'topic', recordsOf(event), lambdaContext);
  }

  async #serveBus(event: unknown, lambdaContext: LambdaContext | undefined): Promise<unknown> {
    if (!isObject(event)) throw streamsError('streams.invalid_event', 'event must be an object');
    return (await deliverEvents(this.#kernel, this.#registry, 'event-bus', [event], lambdaContext))[0];
  }

  /** The rule for invocations, then the kind, whatever the event looks like. */
  #entrypoint<R>(kind: TriggerKind): Entrypoint<R> {
    return async (event, lambdaContext) => {
      refuseAgent(lambdaContext);
      return (await this.serve(kind, event, { lambdaContext })) as R;
    };
  }

  #serveStream(kind: BatchKind, event: unknown, lambdaContext: LambdaContext | undefined): Promise<BatchReport> {
    if (isObject(event) && Object.hasOwn(event, 'window')) return Promise.reject(windowUnsupported());
    return deliverBatch(this.#kernel, this.#registry, kind, event, lambdaContext);
  }
}
