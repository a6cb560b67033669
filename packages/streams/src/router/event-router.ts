import type { Invocation, LambdaContext, Surface, Target, TriggerKind } from '@sallyport/core';
import { HANDLER_FAILED, handlerName, logRefusal, refuseAgent, stringOf } from '@sallyport/core/internal';
import { assertNoSurplus } from '@sallyport/core/options';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { type BatchRouting, deliverBatch, deliverEvents, recordsOf } from '../batch/internal/deliver.js';
import { streamsError } from '../errors.js';
import { createObserver } from '../observability/internal/observer.js';
import { payloadMark } from '../payload/internal/mark.js';
import { EVENT_BUS, type EventBusEvent, type EventBusSelector } from '../sources/event-bus.js';
import { KINESIS, type StreamOptions, type StreamRecord } from '../sources/kinesis.js';
import { type BatchReport, QUEUE, type QueueOptions, type QueueRecord } from '../sources/queue.js';
import { isLooseRecord, parseSourceArn, type RecordKind, type RecordSource, readRecords } from '../sources/source.js';
import { TABLE_STREAM, type TableStreamRecord } from '../sources/table-stream.js';
import { TOPIC, type TopicRecord } from '../sources/topic.js';
import { type EventRouterOptions, parseEventRouterOptions } from './options.js';
import { assertHandler, EventHandlerRegistry, type HandlerMatch, type Trigger } from './registry.js';

/** The kinds whose events are lists of records. */
const RECORD_SOURCES: Readonly<Record<RecordKind, RecordSource>> = {
  queue: QUEUE,
  'table-stream': TABLE_STREAM,
  stream: KINESIS,
  topic: TOPIC,
};

/** A Lambda handler for one kind of event. It may be destructured from its router. Rejects agent invocations. */
export type Entrypoint<R> = (event: unknown, lambdaContext?: LambdaContext) => Promise<R>;

/** Serves queues, table streams, data streams, topics and event buses. Each registration returns the router. */
export interface EventRouter extends Surface {
  /**
   * Registers the handler of an SQS queue. It is called for each message; if it throws, the message is reported as failed.
   *
   * @param name of the queue, its ARN, or a name that `FRAMEWORK_EVENT_SOURCES` maps
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, options that do not fit, further
   *   arguments
   * @example
   * events.queue('orders', (ctx, message) => fulfil(recordJson(message)), { concurrency: 5 });
   */
  queue(name: string, handler: EventHandler<QueueRecord>, options?: QueueOptions): this;
  /**
   * Registers the handler of a DynamoDB table's stream. It is called for each change, one at a time.
   *
   * @param name of the table, the ARN of the table or its stream, or a name that `FRAMEWORK_EVENT_SOURCES` maps
   * @throws FrameworkError as `queue` does
   * @example
   * events.tableStream('notes', (ctx, change) => index(change.dynamodb?.NewImage));
   */
  tableStream(name: string, handler: EventHandler<TableStreamRecord>, options?: StreamOptions): this;
  /**
   * Registers the handler of a Kinesis data stream. It is called for each record, one at a time.
   *
   * @param name of the stream, its ARN or the ARN of a consumer, or a name that `FRAMEWORK_EVENT_SOURCES` maps
   * @throws FrameworkError as `queue` does
   * @example
   * events.kinesis('clicks', (ctx, record) => count(recordJson(record)), { onFailure: 'stop' });
   */
  kinesis(name: string, handler: EventHandler<StreamRecord>, options?: StreamOptions): this;
  /**
   * Registers the handler of an SNS topic. Its errors are thrown to Lambda, which repeats the invocation.
   *
   * @param name of the topic, its ARN, or a name that `FRAMEWORK_EVENT_SOURCES` maps
   * @throws FrameworkError as `queue` does
   * @example
   * events.topic('alerts', (ctx, { Sns }) => page(Sns.Subject, Sns.Message));
   */
  topic(name: string, handler: EventHandler<TopicRecord>): this;
  /**
   * Registers the handler of events of an event bus or a schedule. If several selectors match, the selector with more fields
   * wins, then the earlier. The handler's errors are thrown to Lambda, which repeats the invocation.
   *
   * @throws FrameworkError for a selector that is empty, wrong or registered already, a handler that is not a function, further
   *   arguments
   * @example
   * events.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (ctx, event) => book(event.detail));
   */
  eventBus(selector: EventBusSelector, handler: EventHandler<EventBusEvent>): this;
  /**
   * Wraps every record and event; the first registered is outermost.
   *
   * @throws FrameworkError for a value that is not a function
   */
  useEvents(middleware: EventMiddleware): this;
  /** The registrations, in order; frozen, fresh at each call. */
  triggers(): readonly Trigger[];
  /** The handlers that an event would reach. Runs no handler. */
  explainTarget(kind: TriggerKind, event: unknown): Target;
  /** Serves the messages of an SQS queue. */
  readonly serveQueueEvent: Entrypoint<BatchReport>;
  /** Serves the changes of a DynamoDB table. */
  readonly serveTableStream: Entrypoint<BatchReport>;
  /** Serves the records of a Kinesis data stream. */
  readonly serveStreamEvent: Entrypoint<BatchReport>;
  /** The same function as `serveStreamEvent`. */
  readonly serveKinesisEvent: Entrypoint<BatchReport>;
  /** Serves the notifications of an SNS topic; resolves to the results of their handlers. */
  readonly serveTopicEvent: Entrypoint<unknown[]>;
  /** Serves one event of an event bus; resolves to its handler's result, `null` for `undefined`. */
  readonly serveEventBus: Entrypoint<unknown>;
}

/**
 * Creates a router for SQS queues, DynamoDB and Kinesis streams, SNS topics and EventBridge events. Pass it to `createDispatcher` to get a
 * Lambda handler for all of them; its `serve…` functions serve one kind each.
 *
 * @param failureText message of the error that replaces a handler's error with `maskErrors`; containers pass their own
 * @param middlewares the list that `useEvents` extends; a container shares the list with its other surfaces
 * @throws FrameworkError `app.invalid_configuration` for an invalid option or variable
 * @example
 * const events = createEventRouter();
 * events.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = createDispatcher(events).handleLambda;
 */
export function createEventRouter(
  options: EventRouterOptions = {},
  failureText = HANDLER_FAILED,
  middlewares: EventMiddleware[] = [],
): EventRouter {
  return prepareEventRouter(options, failureText, middlewares)();
}

/**
 * Checks options and variables of a router that is created later; for containers.
 *
 * @throws FrameworkError as `createEventRouter`
 */
export function prepareEventRouter(
  options: EventRouterOptions,
  failureText: string,
  middlewares: EventMiddleware[],
): () => EventRouter {
  const parsed = parseEventRouterOptions(options, failureText, middlewares);
  return () => new Router(parsed, middlewares);
}

class Router implements EventRouter {
  readonly serves = ['queue', 'table-stream', 'stream', 'topic', 'event-bus'] as const;
  readonly serveQueueEvent = this.#entrypoint<BatchReport>('queue');
  readonly serveTableStream = this.#entrypoint<BatchReport>('table-stream');
  readonly serveStreamEvent = this.#entrypoint<BatchReport>('stream');
  readonly serveKinesisEvent = this.serveStreamEvent;
  readonly serveTopicEvent = this.#entrypoint<unknown[]>('topic');
  readonly serveEventBus = this.#entrypoint<unknown>('event-bus');

  readonly #middlewares: EventMiddleware[];
  readonly #triggers: Trigger[] = [];
  readonly #handlers: EventHandlerRegistry;
  readonly #routing: BatchRouting;

  constructor(
    { settings, queueConcurrency }: ReturnType<typeof parseEventRouterOptions>,
    middlewares: EventMiddleware[],
  ) {
    this.#middlewares = middlewares;
    this.#handlers = new EventHandlerRegistry(settings.physicalNames, queueConcurrency);
    this.#routing = { settings, handlers: this.#handlers, createObserver };
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
    const copy = this.#handlers.addSelector(EVENT_BUS, selector, handler);
    this.#triggers.push(Object.freeze({ kind: 'event-bus', selector: copy, ...payloadMark(handler) }));
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
    if (kind === 'event-bus') return this.#serveBus(event, lambdaContext);
    if (kind === 'topic') return this.#serveTopic(event, lambdaContext);
    return deliverBatch(this.#routing, RECORD_SOURCES[kind as RecordKind], event, lambdaContext);
  }

  explainTarget(kind: TriggerKind, event: unknown): Target {
    return kind === 'event-bus' ? this.#explainEvent(event) : this.#explainRecords(kind as RecordKind, event);
  }

  #register(kind: RecordKind, name: string, handler: EventHandler<never>, options?: object): this {
    this.#handlers.add(RECORD_SOURCES[kind], name, handler, options);
    this.#triggers.push(Object.freeze({ kind, name, ...options, ...payloadMark(handler) }) as Trigger);
    return this;
  }

  async #serveTopic(event: unknown, lambdaContext: LambdaContext | undefined): Promise<unknown> {
    const records = recordsOf(this.#routing.settings, TOPIC, event, lambdaContext);
    return deliverEvents(this.#routing, TOPIC, records, lambdaContext);
  }

  async #serveBus(event: unknown, lambdaContext: LambdaContext | undefined): Promise<unknown> {
    if (!isLooseRecord(event)) {
      const error = streamsError('streams.invalid_event', 'event must be an object');
      logRefusal(this.#routing.settings.log, error, lambdaContext, EVENT_BUS.kind);
      throw error;
    }
    return (await deliverEvents(this.#routing, EVENT_BUS, [event], lambdaContext))[0];
  }

  /** Applies the rule for invocations, then the kind, regardless of the event's shape. */
  #entrypoint<R>(kind: TriggerKind): Entrypoint<R> {
    return async (event, lambdaContext) => {
      refuseAgent(lambdaContext, this.#routing.settings.log);
      return (await this.serve(kind, event, { lambdaContext })) as R;
    };
  }

  #explainRecords(kind: RecordKind, event: unknown): Target {
    const records = readRecords(event) ?? [];
    const source = RECORD_SOURCES[kind];
    const matches = this.#handlers.find(source, records);
    const sources = new Map<string, { name: string; records: number; handler: string | null }>();
    records.forEach((record, index) => {
      const match = matches[index];
      const name = match?.source.name ?? parseSourceArn(source, stringOf(source.arnOf(record)))?.name ?? '';
      const counted = sources.get(name) ?? { name, records: 0, handler: nameOf(match) };
      counted.records += 1;
      sources.set(name, counted);
    });
    const match = matches.includes(undefined) ? undefined : matches[0];
    return { sources: [...sources.values()], ...outcomeOf(match), projection: source.answer };
  }

  #explainEvent(event: unknown): Target {
    const [match] = isLooseRecord(event) ? this.#handlers.find(EVENT_BUS, [event]) : [];
    return { ...(match && { route: match.entry.name }), ...outcomeOf(match), projection: EVENT_BUS.answer };
  }
}

function outcomeOf(match: HandlerMatch | undefined): Pick<Target, 'handler' | 'posture' | 'outcome'> {
  return { handler: nameOf(match), posture: null, outcome: match ? 'handled' : 'no_handler' };
}

function nameOf(match: HandlerMatch | undefined): string | null {
  return match ? handlerName(match.entry.handler) : null;
}
