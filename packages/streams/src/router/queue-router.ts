/** Queues alone, for a function that serves nothing else. */
import {
  assertKnownOptions,
  assertTypes,
  type Clock,
  completeClock,
  type Environment,
  type IdGenerator,
  type Invocation,
  invalidOption,
  isLambda,
  type Logger,
  type Observability,
  randomIds,
  type Surface,
} from '@sallyport/core';
import { assertNoSurplus, parseLog, parseObservability, refuseAgent, reportHooks } from '@sallyport/core/pipeline';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { deliverBatch } from '../batch/internal/deliver.js';
import { observerOf } from '../observability/internal/observer.js';
import type { BatchReport, QueueRecord } from '../sources/event-types.js';
import { QUEUE } from '../sources/source.js';
import type { Entrypoint } from './event-router.js';
import type { Kernel } from './internal/kernel.js';
import { readPhysicalNames } from './internal/physical-names.js';
import { RecordRegistry } from './internal/registry.js';
import {
  assertHandler,
  parseRegistration,
  type QueueOptions,
  type RegistrationDefaults,
  type Trigger,
} from './registration.js';

/** Who watches the records; it brings its own code. */
export type QueueObserver = Pick<Kernel, 'observability' | 'observe'>;

/** Closed: an unknown key is refused. */
export interface QueueRouterOptions {
  /** Milliseconds before the end of the invocation from which no record starts; default 500. */
  readonly deadlineMarginMs?: number;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  /** Gets failures of records, and what `ctx.log` writes; `false` for silence. Default: JSON lines on standard output. */
  readonly log?: Logger | false;
  /** What {@link observeRecords} makes; without it there are no records of batches, only the lines of failures. */
  readonly observe?: QueueObserver;
}

const TYPES = { clock: 'object', ids: 'object', environment: 'object', observe: 'object' } as const;

/**
 * Records of batches to log, metric and span, and `ctx.metric`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 */
export function observeRecords(hooks: Observability = {}): QueueObserver {
  return { observability: parseObservability(hooks), observe: observerOf };
}

/** Serves queues. Behaves as the router of every kind does. */
export class QueueRouter implements Surface {
  readonly serves = ['queue'];
  readonly #registry = new RecordRegistry();
  readonly #middlewares: EventMiddleware[] = [];
  readonly #triggers: Trigger[] = [];
  readonly #kernel: Kernel;
  readonly #defaults: RegistrationDefaults;

  constructor(options: QueueRouterOptions) {
    this.#kernel = toKernel(options, this.#middlewares);
    this.#defaults = { physicalNames: readPhysicalNames(this.#kernel.environment), concurrency: 1 };
  }

  /**
   * @throws FrameworkError for a blank or repeated name, a handler that is no function, options that do not fit, further
   *   arguments
   */
  queue(
    name: string,
    handler: EventHandler<QueueRecord>,
    options: QueueOptions = {},
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'queue(name, handler, options)');
    const { place, registration } = parseRegistration('queue', QUEUE, name, handler, options, this.#defaults);
    this.#registry.addRecords('queue', QUEUE, place, registration);
    this.#triggers.push(Object.freeze({ kind: 'queue', name, ...options }));
    return this;
  }

  /** Wraps every record; the first registered is outermost. */
  useEvents(middleware: EventMiddleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'useEvents(middleware)');
    assertHandler(middleware, 'middleware');
    this.#middlewares.push(middleware);
    return this;
  }

  /** What is registered, in order; frozen, fresh at each call. */
  triggers(): readonly Trigger[] {
    return Object.freeze([...this.#triggers]);
  }

  serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<BatchReport> {
    return deliverBatch(this.#kernel, this.#registry, 'queue', event, lambdaContext);
  }

  /** A Lambda handler of its own. Rejects agent invocations. */
  readonly serveQueueEvent: Entrypoint<BatchReport> = async (event, lambdaContext) => {
    refuseAgent(lambdaContext);
    return this.serve('queue', event, { lambdaContext });
  };
}

/**
 * Makes a router for queues alone: half the code that `createEventRouter` brings.
 *
 * @throws FrameworkError `app.invalid_configuration` for an option or variable that does not hold
 * @example
 * const queues = createQueueRouter();
 * queues.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = createDispatcher(queues).handleLambda;
 */
export function createQueueRouter(options: QueueRouterOptions = {}): QueueRouter {
  return new QueueRouter(options);
}

function toKernel(options: QueueRouterOptions, middlewares: readonly EventMiddleware[]): Kernel {
  assertKnownOptions(options, [...Object.keys(TYPES), 'deadlineMarginMs', 'log']);
  assertTypes(options, TYPES);
  const { deadlineMarginMs = 500, environment = process.env, observe = { observability: {} } } = options;
  if (!(Number.isFinite(deadlineMarginMs) && deadlineMarginMs >= 0)) {
    throw invalidOption('deadlineMarginMs', 'a number of milliseconds');
  }
  const log = parseLog(options.log, environment);
  return {
    clock: completeClock(options.clock),
    ids: options.ids ?? randomIds,
    environment,
    log,
    marginMs: deadlineMarginMs,
    streamIdentifier: 'eventID',
    isLambda: isLambda(environment),
    maskErrors: false,
    failureText: '',
    middlewares,
    ...observe,
    observability: reportHooks(observe.observability, log),
  };
}
