import type { AppSyncOptions, AppSyncSurface } from '@sallyport/appsync/internal';
import type {
  LambdaContext,
  Logger,
  Middleware,
  RequestInput,
  Response,
  Surface,
  SurfaceGate,
  Target,
  TriggerRecord,
} from '@sallyport/core';
import { HANDLER_FAILED, type LateSurface, logRefusal, noAdapter } from '@sallyport/core/internal';
import { assertNoSurplus } from '@sallyport/core/options';
import type { PipelineOptions } from '@sallyport/http';
import {
  createWebSocketSurface,
  type DescribePosture,
  HttpSurface,
  HttpVerbs,
  type Kernel,
  STREAM_ACCESS,
  type StreamAccess,
  serveDirect,
  toHttpOptions,
  USE_USAGE,
  type WebSocketSurface,
} from '@sallyport/http/internal';
import type {
  EventBusEvent,
  EventBusSelector,
  EventHandler,
  EventMiddleware,
  EventRouter,
  EventRouterOptions,
  QueueOptions,
  QueueRecord,
  StreamOptions,
  StreamRecord,
  TableStreamRecord,
  TopicRecord,
  Trigger,
} from '@sallyport/streams';
import { createEvents } from '#events';
import { createGraphql } from '#graphql';
import { attachSurfaces, parseSurfaces } from '#surfaces';
import {
  bindEntrypoints,
  type DeploymentFacts,
  type Dispatcher,
  type Inventory,
  kindOfInvocation,
  toDispatcher,
} from '../dispatcher.js';
import { createPlan, type DirectInvocations, type Plan, refusalOf } from '../internal/plan.js';
import type { EntrypointName } from '../rows.js';

/** The parts of a container. */
export interface AssemblyInit {
  /** Registrations, middlewares and the stages that HTTP, GraphQL and WebSocket share. */
  readonly kernel: Kernel;
  /** Options of the request pipeline, checked. */
  readonly pipeline: PipelineOptions;
  /** Options of event registrations, checked. */
  readonly events: EventRouterOptions;
  /** Options of GraphQL, checked. */
  readonly appSync: AppSyncOptions;
  /** True if GraphQL events may fall back to HTTP routes. */
  readonly httpFallback: boolean;
  /** The message of a masked event failure. */
  readonly failureText?: string;
  /** Describes a posture for `explain`; only for containers with postures. */
  readonly describePosture?: DescribePosture;
  /** True if WebSocket events are served; called for each event. While it is `false` they have no adapter. */
  readonly servesWebSocket?: () => boolean;
  /** Surfaces next to the container's own. */
  readonly surfaces?: readonly Surface[] | undefined;
  /** Default `serve`. */
  readonly directInvocations?: DirectInvocations | undefined;
  /** Passed to surfaces; only for containers with postures. */
  readonly gate?: SurfaceGate;
  /** Lists the operations, and writes their OpenAPI document; for tools on a developer's machine. */
  readonly inventory: Pick<Inventory, 'routes' | 'openapi'> & { readonly authorizers?: readonly string[] | undefined };
  /** The options as the application passed them. */
  readonly given: object;
}

/** All surfaces of one container, with their dispatcher. */
export interface Assembly {
  /** Registrations and middlewares of HTTP, GraphQL and WebSocket. */
  readonly kernel: Kernel;
  /** Registers HTTP routes. */
  readonly http: HttpSurface;
  /** Registers WebSocket routes. */
  readonly webSocket: LateSurface<WebSocketSurface>;
  /** Registers GraphQL fields. */
  readonly appSync: LateSurface<AppSyncSurface>;
  /** Registers queues, streams, topics and event buses. */
  readonly events: LateSurface<EventRouter>;
  /** Passes each event to the surface that serves its kind. */
  readonly dispatcher: Dispatcher;
  /** Entrypoints that serve one kind each. */
  readonly entrypoints: Entrypoints;
  /** The parts of the container that streaming handlers use. */
  readonly streamAccess: StreamAccess;
  /** Event registrations in order, then the registrations of the surfaces; frozen, a new list at each call. */
  readonly triggers: () => readonly (Trigger | TriggerRecord)[];
}

type Entrypoint<R = unknown> = (event: unknown, lambdaContext?: LambdaContext) => Promise<R>;

/** The entrypoints of the fixed rows, one of them under a second name, and `serve` for requests that were built by hand. */
type Entrypoints = Pick<Container<readonly never[]>, EntrypointName | 'serveKinesisEvent' | 'serve'>;

/**
 * The base of both containers: one entrypoint for every trigger. `App` and `SecureApp` add methods with which HTTP, GraphQL and WebSocket
 * operations are registered.
 *
 * @typeParam Rest the arguments of a registration after the handler: options, or a posture and options
 */
export abstract class Container<Rest extends readonly unknown[]> extends HttpVerbs<Rest> {
  readonly #assembly: Assembly;
  /**
   * Serves every trigger: checks the Lambda context, detects the kind of the event, and returns the result that the trigger expects.
   * Bound, so it can be exported as the function's handler.
   *
   * Rejects with a FrameworkError `dispatch.not_an_object`, `dispatch.unknown_event` (logged once), `dispatch.no_adapter`,
   * `dispatch.direct_refused` or `dispatch.foreign_door`, or with the error of the surface.
   *
   * @example export const handler = app.handleLambda;
   */
  declare readonly handleLambda: Dispatcher['handleLambda'];
  /** Explains how an event is detected, and names the handler that would serve it. Runs no handler and never throws. Bound. */
  declare readonly explain: Dispatcher['explain'];
  /** Serves a request that was built by hand, without an event. Bound. */
  declare readonly serve: (request: RequestInput, lambdaContext?: LambdaContext) => Promise<Response>;
  /** Serves an event of an HTTP API, payload format 2.0, without checking its kind. Bound. */
  declare readonly serveGatewayV2: Entrypoint;
  /** Serves an event of a Lambda function URL, without checking its kind. Bound. */
  declare readonly serveLambdaFunctionURL: Entrypoint;
  /** Serves an event of a REST API, or of an HTTP API with payload format 1.0, without checking its kind. Bound. */
  declare readonly serveGatewayProxy: Entrypoint;
  /** Serves an event of an Application Load Balancer, without checking its kind. Bound. */
  declare readonly serveLoadBalancer: Entrypoint;
  /** Serves an event of a WebSocket API, without checking its kind. Bound. */
  declare readonly serveWebSocket: Entrypoint;
  /** Serves an event of an AppSync Lambda resolver, or a batch of them, without checking its kind. Bound. */
  declare readonly serveAppSync: Entrypoint;
  /** Serves a batch of SQS messages, without checking its kind. Resolves to the messages that failed. Bound. */
  declare readonly serveQueueEvent: EventRouter['serveQueueEvent'];
  /** Serves a batch of DynamoDB stream records, without checking its kind. Resolves to the records that failed. Bound. */
  declare readonly serveTableStream: EventRouter['serveTableStream'];
  /** Serves a batch of Kinesis records, without checking its kind. Resolves to the records that failed. Bound. */
  declare readonly serveStreamEvent: EventRouter['serveStreamEvent'];
  /** The same function as `serveStreamEvent`. */
  declare readonly serveKinesisEvent: EventRouter['serveKinesisEvent'];
  /** Serves an event of an SNS topic, without checking its kind. Resolves to the handlers' results in order. Bound. */
  declare readonly serveTopicEvent: EventRouter['serveTopicEvent'];
  /** Serves an event of EventBridge, without checking its kind. Resolves to the handler's result. Bound. */
  declare readonly serveEventBus: EventRouter['serveEventBus'];

  protected constructor(assembly: Assembly) {
    super();
    const { handleLambda, explain } = assembly.dispatcher;
    this.#assembly = assembly;
    Object.assign(this, { handleLambda, explain, ...assembly.entrypoints });
  }

  /** Exists only in the type: a streaming handler accepts this container. */
  declare readonly '~sallyport.streams/1': true;

  /** For streaming handlers. */
  get [STREAM_ACCESS](): StreamAccess {
    return this.#assembly.streamAccess;
  }

  /**
   * Registers a handler for the messages of an SQS queue, called once for each message. If it throws, only this message is retried.
   *
   * @param name the queue's name in its ARN; map generated names with the variable `FRAMEWORK_EVENT_SOURCES`
   * @param options `concurrency`: messages at a time, default 1; `failWhole`: fails the invocation if all messages failed, default false
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, invalid options, further arguments
   * @example app.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
   */
  queue(name: string, handler: EventHandler<QueueRecord>, options?: QueueOptions, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'queue(name, handler, options)');
    this.#assembly.events.register().queue(name, handler, options);
    return this;
  }

  /**
   * Registers a handler for the records of a DynamoDB stream, called once for each record. If it throws, AWS retries from this record.
   *
   * @param name the table's name
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, invalid options, further arguments
   * @example app.tableStream('users', (ctx, record) => reindex(record.dynamodb?.Keys));
   */
  tableStream(
    name: string,
    handler: EventHandler<TableStreamRecord>,
    options?: StreamOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'tableStream(name, handler, options)');
    this.#assembly.events.register().tableStream(name, handler, options);
    return this;
  }

  /**
   * Registers a handler for the records of a Kinesis data stream, called once for each record. If it throws, AWS retries from this record.
   *
   * @param name the stream's name
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, invalid options, further arguments
   * @example app.kinesis('clicks', (ctx, record) => count(record.kinesis.partitionKey), { onFailure: 'stop' });
   */
  kinesis(
    name: string,
    handler: EventHandler<StreamRecord>,
    options?: StreamOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'kinesis(name, handler, options)');
    this.#assembly.events.register().kinesis(name, handler, options);
    return this;
  }

  /**
   * Registers a handler for the notifications of an SNS topic. If it throws, the invocation fails, and Lambda retries it.
   *
   * @param name the topic's name
   * @throws FrameworkError for a blank or repeated name, a handler that is not a function, further arguments
   * @example app.topic('alerts', (ctx, record) => page(record.Sns.Message));
   */
  topic(name: string, handler: EventHandler<TopicRecord>, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'topic(name, handler)');
    this.#assembly.events.register().topic(name, handler);
    return this;
  }

  /**
   * Registers a handler for events of EventBridge. If it throws, the invocation fails, and Lambda retries it.
   *
   * @param selector selects events: by rule name, or by source and detail type
   * @throws FrameworkError for a selector that is blank or already registered, a handler that is not a function, further arguments
   * @example app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (ctx, event) => book(event.detail));
   */
  eventBus(selector: EventBusSelector, handler: EventHandler<EventBusEvent>, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'eventBus(selector, handler)');
    this.#assembly.events.register().eventBus(selector, handler);
    return this;
  }

  /**
   * Adds a middleware around every HTTP, GraphQL and WebSocket operation, even operations registered before; in `SecureApp` it runs
   * after the gate has accepted the caller. The first middleware is outermost.
   *
   * @throws FrameworkError for a middleware that is not a function, or further arguments
   * @example app.use(async (ctx, next) => { const answer = await next(); ctx.log.info('served'); return answer; });
   */
  use(middleware: Middleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, USE_USAGE);
    this.#assembly.kernel.book.use(middleware);
    return this;
  }

  /**
   * Adds a middleware around every record of a batch and every topic and bus event. The first middleware is outermost.
   *
   * @throws FrameworkError for a middleware that is not a function, or further arguments
   */
  useEvents(middleware: EventMiddleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'useEvents(middleware)');
    this.#assembly.events.register().useEvents(middleware);
    return this;
  }

  /** Event registrations in order, then those of the option `surfaces`; frozen, a new list at each call. */
  triggers(): readonly (Trigger | TriggerRecord)[] {
    return this.#assembly.triggers();
  }
}

/** Builds the surfaces of a container. Those of WebSocket, GraphQL and events are created at their first registration or event. */
export function assemble(init: AssemblyInit): Assembly {
  const { kernel, pipeline, describePosture, failureText = HANDLER_FAILED } = init;
  const { log, doors } = kernel.runtime;
  const { authorizers, ...inventory } = init.inventory;
  const described = describePosture ? { describePosture } : {};
  const http = new HttpSurface(kernel, { ...toHttpOptions(pipeline), ...described });
  const webSocket = createWebSocketSurface(kernel, { ...pipeline, ...described });
  const appSync = createGraphql(kernel, { ...init.appSync, ...described, http: init.httpFallback ? http : undefined });
  const middlewares: EventMiddleware[] = [];
  const events = createEvents({ ...init.events, log }, failureText, middlewares);
  const sockets = init.servesWebSocket ? openWhen(webSocket.surface, init.servesWebSocket, log) : webSocket.surface;
  const surfaces = parseSurfaces(init.surfaces);
  const own = [http, sockets, appSync.surface, events.surface];
  const plan = createPlan([...own, ...surfaces], { log, refuseDirect: refusalOf(init.directInvocations), doors });
  attachSurfaces(surfaces, own, { ...init, failureText, middlewares }, http);
  const triggers = () =>
    Object.freeze(
      [events.surface, ...surfaces].flatMap<Trigger | TriggerRecord>((surface) => surface.triggers?.() ?? []),
    );
  const uses = () => [
    ...Object.entries(init.given).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    ...Object.entries({ events, graphql: appSync, websocket: webSocket }).flatMap(([name, { isRegistered }]) =>
      isRegistered() ? [name] : [],
    ),
  ];
  return {
    kernel,
    http,
    webSocket,
    appSync,
    events,
    dispatcher: toDispatcher(plan, {
      ...inventory,
      triggers,
      sends: (init.given as Pick<Inventory, 'sends'>).sends,
      socket: (init.given as Pick<Inventory, 'socket'>).socket,
      uses,
      deployment: {
        cors: pipeline.cors !== undefined,
        autoHead: pipeline.autoHead === true,
        authorizers,
        metrics: metricsOf(pipeline),
      },
    }),
    entrypoints: toEntrypoints(plan, http),
    streamAccess: { http, detect: (event, lambdaContext) => kindOfInvocation(plan, event, lambdaContext) },
    triggers,
  };
}

/** The key of a sink's namespace and service; shared by name with `createEmfSink` of `@sallyport/core`. */
const EMF = Symbol.for('sallyport.core.emf-sink/1');

function metricsOf({ observability }: AssemblyInit['pipeline']): DeploymentFacts['metrics'] {
  return (observability?.metric as { readonly [EMF]?: DeploymentFacts['metrics'] } | undefined)?.[EMF];
}

/** A surface whose kind has no adapter while `isOpen` returns `false`. */
function openWhen(surface: Surface, isOpen: () => boolean, log: Logger): Surface {
  return {
    serves: surface.serves,
    async serve(kind, event, invocation) {
      if (isOpen()) return surface.serve(kind, event, invocation);
      const error = noAdapter(kind);
      logRefusal(log, error, invocation.lambdaContext, kind);
      throw error;
    },
    explainTarget: (kind, event) => surface.explainTarget?.(kind, event) as Target,
  };
}

/** The unchanged options of one part of a container: the options that the part describes. */
export function pickOptions<T extends object>(options: T, kinds: object): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(kinds, name))) as Partial<T>;
}

function toEntrypoints(plan: Plan, http: HttpSurface): Entrypoints {
  const bound = bindEntrypoints(plan) as unknown as Pick<Entrypoints, EntrypointName>;
  return {
    ...bound,
    serveKinesisEvent: bound.serveStreamEvent,
    serve: (request, lambdaContext) => serveDirect(http, request, lambdaContext),
  };
}
