import type { AppSyncBatchHandler, AppSyncOptions } from '@sallyport/appsync';
import { APPSYNC_OPTIONS } from '@sallyport/appsync/surface';
import { assertKnownOptions, type Handler, type Middleware, type Surface, type TriggerRecord } from '@sallyport/core';
import { assertNoSurplus } from '@sallyport/core/pipeline';
import type { OpenPipelineOptions, RouteOptions, RouteRecord } from '@sallyport/http';
import {
  createOpenKernel,
  HANDLE_USAGE,
  HttpVerbs,
  OPEN_PIPELINE_OPTIONS,
  registerOpenRoute,
  STREAM_ACCESS,
  type StreamAccess,
  toRouteRecord,
} from '@sallyport/http/pipeline';
import type { EventRouter, EventRouterOptions, Trigger } from '@sallyport/streams';
import type { DirectInvocations, Dispatcher } from '../dispatcher.js';
import { type Assembly, assemble, type Entrypoints, pickOptions } from './container.js';

/** Options that only event registrations read. */
type EventOptions = Pick<
  EventRouterOptions,
  'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'
>;

/** Options of the seam that both containers have. */
export interface SurfaceOptions {
  /** Surfaces for triggers outside the fixed table, in the order in which their rows are tried; at most 32. */
  readonly surfaces?: readonly Surface[];
  /**
   * What becomes of direct invocations (a client context, or a Cognito identity, in the Lambda context) that no surface
   * accepts: `serve` them as if they came from a trigger, or `refuse` them. `serve` by default, `refuse` in `SecureApp`.
   */
  readonly directInvocations?: DirectInvocations;
}

/** Closed: an unknown key is refused at construction. */
export type AppOptions = OpenPipelineOptions & EventOptions & AppSyncOptions & SurfaceOptions;

/** Names of the options of `streams` that a container takes. */
export const EVENT_OPTIONS: readonly string[] = [
  'streamFailureIdentifier',
  'queueConcurrency',
  'deadlineMarginMs',
  'maskErrors',
  'clock',
  'ids',
  'environment',
  'observability',
  'log',
];

const KNOWN = [
  ...new Set([...OPEN_PIPELINE_OPTIONS, ...EVENT_OPTIONS, ...APPSYNC_OPTIONS, 'surfaces', 'directInvocations']),
];

/**
 * The open container: every trigger behind one entrypoint, and no posture asked for. It is the compatibility surface that
 * {@link createApp} makes.
 */
export class App extends HttpVerbs {
  readonly #assembly: Assembly;
  readonly handleLambda: Dispatcher['handleLambda'];
  readonly explain: Dispatcher['explain'];
  readonly serve: Entrypoints['serve'];
  readonly serveGatewayV2: Entrypoints['serveGatewayV2'];
  readonly serveLambdaFunctionURL: Entrypoints['serveLambdaFunctionURL'];
  readonly serveGatewayProxy: Entrypoints['serveGatewayProxy'];
  readonly serveLoadBalancer: Entrypoints['serveLoadBalancer'];
  readonly serveWebSocket: Entrypoints['serveWebSocket'];
  readonly serveAppSync: Entrypoints['serveAppSync'];
  readonly serveQueueEvent: EventRouter['serveQueueEvent'];
  readonly serveTableStream: EventRouter['serveTableStream'];
  readonly serveStreamEvent: EventRouter['serveStreamEvent'];
  readonly serveKinesisEvent: EventRouter['serveKinesisEvent'];
  readonly serveTopicEvent: EventRouter['serveTopicEvent'];
  readonly serveEventBus: EventRouter['serveEventBus'];

  constructor(options: AppOptions) {
    super();
    assertKnownOptions(options, KNOWN);
    const assembly = assemble({
      kernel: createOpenKernel(options),
      pipeline: pickOptions(options, OPEN_PIPELINE_OPTIONS),
      events: pickOptions(options, EVENT_OPTIONS),
      appSync: pickOptions(options, APPSYNC_OPTIONS),
      httpFallback: true,
      surfaces: options.surfaces,
      directInvocations: options.directInvocations,
    });
    const { entrypoints, dispatcher } = assembly;
    this.#assembly = assembly;
    this.handleLambda = dispatcher.handleLambda;
    this.explain = dispatcher.explain;
    this.serve = entrypoints.serve;
    this.serveGatewayV2 = entrypoints.serveGatewayV2;
    this.serveLambdaFunctionURL = entrypoints.serveLambdaFunctionURL;
    this.serveGatewayProxy = entrypoints.serveGatewayProxy;
    this.serveLoadBalancer = entrypoints.serveLoadBalancer;
    this.serveWebSocket = entrypoints.serveWebSocket;
    this.serveAppSync = entrypoints.serveAppSync;
    this.serveQueueEvent = entrypoints.serveQueueEvent;
    this.serveTableStream = entrypoints.serveTableStream;
    this.serveStreamEvent = entrypoints.serveStreamEvent;
    this.serveKinesisEvent = entrypoints.serveKinesisEvent;
    this.serveTopicEvent = entrypoints.serveTopicEvent;
    this.serveEventBus = entrypoints.serveEventBus;
  }

  /** For streaming handlers. */
  get [STREAM_ACCESS](): StreamAccess {
    return this.#assembly.streamAccess;
  }

  override handle(
    method: string,
    pattern: string,
    handler: Handler,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, HANDLE_USAGE);
    registerOpenRoute(this.#assembly.http, method, pattern, handler, options);
    return this;
  }

  /** A WebSocket route: `$connect`, `$disconnect`, `$default` or a key of the API's own. */
  webSocket(routeKey: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'webSocket(routeKey, handler); SecureApp takes postures');
    this.#assembly.webSocket.register(routeKey, handler);
    return this;
  }

  /** A GraphQL field; without one the HTTP routes are tried with the synthesized request. */
  appSyncField(parentType: string, field: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'appSyncField(parentType, field, handler); SecureApp takes postures');
    this.#assembly.appSync.register(parentType, field, handler);
    return this;
  }

  /** A GraphQL field whose elements of one batch invoke are answered together. */
  appSyncBatchField(
    parentType: string,
    field: string,
    handler: AppSyncBatchHandler,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncBatchField(parentType, field, handler); SecureApp takes postures');
    this.#assembly.appSync.registerBatch(parentType, field, handler);
    return this;
  }

  queue(...args: Parameters<EventRouter['queue']>): this {
    this.#assembly.events.queue(...args);
    return this;
  }

  tableStream(...args: Parameters<EventRouter['tableStream']>): this {
    this.#assembly.events.tableStream(...args);
    return this;
  }

  kinesis(...args: Parameters<EventRouter['kinesis']>): this {
    this.#assembly.events.kinesis(...args);
    return this;
  }

  topic(...args: Parameters<EventRouter['topic']>): this {
    this.#assembly.events.topic(...args);
    return this;
  }

  eventBus(...args: Parameters<EventRouter['eventBus']>): this {
    this.#assembly.events.eventBus(...args);
    return this;
  }

  /** Adds a middleware around every HTTP, GraphQL and WebSocket operation; the first added is outermost. */
  use(middleware: Middleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'use(middleware)');
    this.#assembly.kernel.book.use(middleware);
    return this;
  }

  /** Adds a middleware around every record and event. */
  useEvents(...args: Parameters<EventRouter['useEvents']>): this {
    this.#assembly.events.useEvents(...args);
    return this;
  }

  /** HTTP, GraphQL and WebSocket operations in the order of registration; frozen, fresh at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#assembly.kernel.book.all.map(toRouteRecord));
  }

  /** Event registrations in order, then those of the option `surfaces`; frozen, fresh at each call. */
  triggers(): readonly (Trigger | TriggerRecord)[] {
    return this.#assembly.triggers();
  }
}

/**
 * Makes the open container, in which no operation says who may call it.
 *
 * @deprecated The compatibility surface for applications that were written against it; it stays. Use `SecureApp` of
 *   `@sallyport/secure` for whatever is reached from outside, and `createEventRouter` of `@sallyport/streams` for queues,
 *   streams, topics and event buses alone.
 * @example
 * const app = createApp();
 * app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }));
 * app.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = app.handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option
 */
export function createApp(options: AppOptions = {}): App {
  return new App(options);
}
