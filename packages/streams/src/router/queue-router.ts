import type { Clock, Environment, IdGenerator, Invocation, Logger, Observability, Surface } from '@sallyport/core';
import { parseObservability, refuseAgent } from '@sallyport/core/internal';
import { assertNoSurplus, defineOptions, kind } from '@sallyport/core/options';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { type BatchRouting, deliverBatch } from '../batch/internal/deliver.js';
import { type CreateObserver, createObserver } from '../observability/internal/observer.js';
import { payloadMark } from '../payload/internal/mark.js';
import { type BatchReport, QUEUE, type QueueOptions, type QueueRecord } from '../sources/queue.js';
import type { Entrypoint } from './event-router.js';
import { COMMON_OPTIONS } from './internal/common-options.js';
import { toSettings } from './internal/settings.js';
import { assertHandler, HandlerRegistry, type Trigger } from './registry.js';

/** The result of `observeRecords`: the hooks, together with the code that calls them. */
export interface RecordObservability {
  /** The hooks. */
  readonly hooks: Observability;
  /** Creates the observer of one batch. */
  readonly createObserver: CreateObserver;
}

/** Options of `createQueueRouter`: the options of `createEventRouter` that apply to queues. An unknown key is rejected. */
export interface QueueRouterOptions {
  /** Concurrent messages of one standard queue, unless its registration sets `concurrency`: a whole number; default 1. */
  readonly queueConcurrency?: number;
  /** Milliseconds before the end of the invocation from which no message starts; default 500. */
  readonly deadlineMarginMs?: number;
  /** The clock. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Generates ids. Default: random ids. */
  readonly ids?: IdGenerator;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  /** Receives failures of messages and the output of `ctx.log`; pass `false` to disable logging. Default: JSON lines on standard output. */
  readonly log?: Logger | false;
  /**
   * The hooks, as a result of {@link observeRecords}. The code that calls them is loaded with that import, so that a bundle
   * without it is small. Default: none, only the lines of failures.
   */
  readonly observability?: RecordObservability;
}

/** Validators and defaults for {@link QueueRouterOptions}. */
export const QUEUE_ROUTER_OPTIONS = defineOptions<QueueRouterOptions>()({
  ...COMMON_OPTIONS,
  observability: kind<RecordObservability>(
    'a result of observeRecords()',
    (value) => typeof (value as Partial<RecordObservability> | null)?.createObserver === 'function',
  ),
});

/**
 * The option `observability` of a queue router: log records, metrics and spans of every message and batch, and `ctx.metric`.
 *
 * @param hooks the option `observability` of `createEventRouter`
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 * @example
 * createQueueRouter({ observability: observeRecords({ log: (record) => console.log(JSON.stringify(record)) }) });
 */
export function observeRecords(hooks: Observability = {}): RecordObservability {
  return { hooks: parseObservability(hooks), createObserver };
}

/** Serves queues, with the same rules as the event router. */
export class QueueRouter implements Surface {
  /** `queue`, the only kind that it serves. */
  readonly serves = ['queue'];
  readonly #middlewares: EventMiddleware[] = [];
  readonly #triggers: Trigger[] = [];
  readonly #handlers: HandlerRegistry;
  readonly #routing: BatchRouting;

  /** @throws FrameworkError `app.invalid_configuration` for an invalid option or variable */
  constructor(given: QueueRouterOptions = {}) {
    const options = QUEUE_ROUTER_OPTIONS.parse(given);
    const settings = toSettings(options, options.observability?.hooks ?? {}, {
      streamIdentifier: 'eventID',
      maskErrors: false,
      failureText: '',
      middlewares: this.#middlewares,
    });
    this.#handlers = new HandlerRegistry(settings.physicalNames, options.queueConcurrency);
    this.#routing = { settings, handlers: this.#handlers, createObserver: options.observability?.createObserver };
  }

  /**
   * Registers the handler of a queue.
   *
   * @param name of the queue, its ARN, or a name that `FRAMEWORK_EVENT_SOURCES` maps
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, options that do not fit, further
   *   arguments
   */
  queue(
    name: string,
    handler: EventHandler<QueueRecord>,
    options: QueueOptions = {},
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'queue(name, handler, options)');
    this.#handlers.add(QUEUE, name, handler, options);
    this.#triggers.push(Object.freeze({ kind: 'queue', name, ...options, ...payloadMark(handler) }));
    return this;
  }

  /**
   * Wraps every message; the first registered is outermost.
   *
   * @throws FrameworkError for a value that is not a function
   */
  useEvents(middleware: EventMiddleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'useEvents(middleware)');
    assertHandler(middleware, 'middleware');
    this.#middlewares.push(middleware);
    return this;
  }

  /** The registrations, in order; frozen, fresh at each call. */
  triggers(): readonly Trigger[] {
    return Object.freeze([...this.#triggers]);
  }

  /** Serves one event: for dispatchers and containers, which have already detected the kind. */
  serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<BatchReport> {
    return deliverBatch(this.#routing, QUEUE, event, lambdaContext);
  }

  /** A Lambda handler for queue events. Rejects agent invocations. */
  readonly serveQueueEvent: Entrypoint<BatchReport> = async (event, lambdaContext) => {
    refuseAgent(lambdaContext, this.#routing.settings.log);
    return this.serve('queue', event, { lambdaContext });
  };
}

/**
 * Makes a router only for queues, with half the code of `createEventRouter`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an invalid option or variable
 * @example
 * const queues = createQueueRouter();
 * queues.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = createDispatcher(queues).handleLambda;
 */
export function createQueueRouter(options: QueueRouterOptions = {}): QueueRouter {
  return new QueueRouter(options);
}
