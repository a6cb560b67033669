import type { AppSyncBatchHandler } from '@sallyport/appsync';
import { assertKnownOptions, FrameworkError, type Handler, type Middleware, type TriggerRecord } from '@sallyport/core';
import { assertNoSurplus } from '@sallyport/core/pipeline';
import type { Dispatcher } from '@sallyport/dispatch';
import { type Assembly, assemble, type Entrypoints, pickOptions } from '@sallyport/dispatch/assembly';
import type { RouteRecord } from '@sallyport/http';
import { type OpenApiDocument, toCanonicalJson } from '@sallyport/http/openapi';
import { addressOf, createKernel, type Registration, STREAM_ACCESS, type StreamAccess } from '@sallyport/http/pipeline';
import type { EventRouter, Trigger } from '@sallyport/streams';
import { authorize, createGate } from './gate.js';
import { buildSecureDocument, type SecureOpenApiSpec } from './openapi/document.js';
import { OPTION_NAMES, type ParsedOptions, parseOptions, type SecureOptions } from './options.js';
import { describePosture } from './postures/internal/kinds.js';
import { assertPosture, type Posture, type PostureKind } from './postures/posture.js';
import { createTenantOf } from './principal.js';

/** Options of an HTTP route of the closed container. */
export interface SecureRouteOptions {
  /** States in the inventory that the route streams. Default `false`. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end as well, behind the same posture: `/notes` and `/notes/`. Default `false`. */
  readonly trailingSlash?: boolean;
}

/** One line of `app.routes()` of the closed container. */
export interface SecureRouteRecord extends Omit<RouteRecord, 'authRequired'> {
  readonly posture: PostureKind;
  /** In normal form; absent when there are none. */
  readonly scopes?: readonly string[];
}

/**
 * The closed container: every HTTP, GraphQL and WebSocket operation states who may call it, and a gate asks before anything
 * of the application's runs. Queue, stream, topic and event-bus registrations take no posture: the mapping's IAM is their
 * door.
 *
 * @throws FrameworkError `framework: invalid secure configuration: <option>`
 * @example
 * const app = new SecureApp({ principalResolver });
 * app.get('/health', () => json(200, { ok: true }), Public());
 * app.get('/notes/{id}', getNote, Authenticated('notes:read'));
 * export const handler = app.handleLambda;
 */
export class SecureApp {
  readonly #assembly: Assembly;
  #hasSocketRoutes: boolean;
  /** Bound: `export const handler = app.handleLambda` works. */
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

  constructor(options: SecureOptions = {}) {
    const parsed = parseOptions(options);
    this.#hasSocketRoutes = parsed.webSocketSupport ?? false;
    const assembly = assembleSecure(parsed, () => this.#hasSocketRoutes);
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

  /**
   * Registers an HTTP operation.
   *
   * @throws FrameworkError `app.bad_request`: an invalid posture, a handler that is no function, a blank method, an invalid
   *   pattern, a method and pattern twice, further arguments
   */
  handle(
    method: string,
    pattern: string,
    handler: Handler,
    posture: Posture,
    options: SecureRouteOptions = {},
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'handle(method, pattern, handler, posture, options)');
    assertPosture(posture, `${method} ${pattern}`);
    assertKnownOptions(options, ['streaming', 'trailingSlash']);
    const { streaming = false, trailingSlash = false } = options;
    // The open container takes a blank pattern for the root; here it could make the root public by mistake.
    if (typeof pattern === 'string' && pattern.trim() === '') {
      throw new FrameworkError('app.bad_request', `framework: invalid route pattern: ${method} (blank)`);
    }
    this.#assembly.http.register(method, pattern, handler, { posture, streaming, trailingSlash });
    return this;
  }

  get(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('GET', pattern, handler, posture, options, ...surplus);
  }

  post(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('POST', pattern, handler, posture, options, ...surplus);
  }

  put(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('PUT', pattern, handler, posture, options, ...surplus);
  }

  patch(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('PATCH', pattern, handler, posture, options, ...surplus);
  }

  delete(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('DELETE', pattern, handler, posture, options, ...surplus);
  }

  options(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('OPTIONS', pattern, handler, posture, options, ...surplus);
  }

  head(
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: SecureRouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle('HEAD', pattern, handler, posture, options, ...surplus);
  }

  /** @deprecated `handle` is as strict. */
  handleStrict(
    method: string,
    pattern: string,
    handler: Handler,
    posture: Posture,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'handleStrict(method, pattern, handler, posture)');
    return this.handle(method, pattern, handler, posture);
  }

  /** @deprecated `get` is as strict. */
  getStrict(pattern: string, handler: Handler, posture: Posture, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'getStrict(pattern, handler, posture)');
    return this.get(pattern, handler, posture);
  }

  /** A GraphQL field, matched by exactly this parent type and field; HTTP routes are never tried. */
  appSyncField(
    parentType: string,
    field: string,
    handler: Handler,
    posture: Posture,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncField(parentType, field, handler, posture)');
    assertPosture(posture, `${parentType}.${field}`);
    this.#assembly.appSync.register(parentType, field, handler, posture);
    return this;
  }

  /** A GraphQL field whose elements of one batch invoke are answered together; each is gated by itself. */
  appSyncBatchField(
    parentType: string,
    field: string,
    handler: AppSyncBatchHandler,
    posture: Posture,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncBatchField(parentType, field, handler, posture)');
    assertPosture(posture, `${parentType}.${field}`);
    this.#assembly.appSync.registerBatch(parentType, field, handler, posture);
    return this;
  }

  /** A WebSocket route: `$connect`, `$disconnect`, `$default` or a key of the API's own. Every event is gated by itself. */
  webSocket(routeKey: string, handler: Handler, posture: Posture, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'webSocket(routeKey, handler, posture)');
    assertPosture(posture, `${routeKey}`);
    this.#assembly.webSocket.register(routeKey, handler, posture);
    this.#hasSocketRoutes = true;
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

  /** Adds a middleware around every HTTP, GraphQL and WebSocket operation, inside the gate; the first added is outermost. */
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

  /** HTTP, GraphQL and WebSocket operations with their postures in the order of registration; frozen, fresh at each call. */
  routes(): readonly SecureRouteRecord[] {
    return Object.freeze(this.#assembly.kernel.book.all.map(toSecureRouteRecord));
  }

  /** Event registrations in order, then those of the option `surfaces`; frozen, fresh at each call. */
  triggers(): readonly (Trigger | TriggerRecord)[] {
    return this.#assembly.triggers();
  }

  /**
   * The OpenAPI 3.1 document of the HTTP operations, each with its posture. Every one must be described, and no other;
   * what a bound handler takes and gives is read from its contract.
   *
   * @throws FrameworkError `framework: secure openapi …`, or `framework: openapi …` for a description that cannot be written
   */
  generateOpenAPI(spec: SecureOpenApiSpec): OpenApiDocument {
    return buildSecureDocument(spec, this.#assembly.kernel.book.all);
  }

  /** The same as compact JSON, the keys of every object in the order of their code points. */
  generateOpenAPIJSON(spec: SecureOpenApiSpec): string {
    return toCanonicalJson(this.generateOpenAPI(spec));
  }
}

function assembleSecure(options: ParsedOptions, servesWebSocket: () => boolean): Assembly {
  const { principalResolver, challenge, trustTenantHeader = false, surfaces, directInvocations = 'refuse' } = options;
  const pipeline = pickOptions(options, OPTION_NAMES.pipeline) as object;
  return assemble({
    kernel: createKernel(pipeline, {
      gate: createGate(principalResolver, challenge),
      tenantOf: createTenantOf(trustTenantHeader),
    }),
    pipeline,
    events: pickOptions(options, OPTION_NAMES.events) as object,
    appSync: pickOptions(options, OPTION_NAMES.appSync) as object,
    httpFallback: false,
    failureText: 'framework: event workload failed',
    describePosture,
    servesWebSocket,
    surfaces,
    directInvocations,
    gate: { assertPosture, authorize: (posture, ctx) => authorize({ posture }, ctx, principalResolver) },
  });
}

/** The inventory's line of a registration; frozen. */
function toSecureRouteRecord(registration: Registration): SecureRouteRecord {
  const { kind, scopes } = registration.posture as Posture;
  return Object.freeze({
    ...addressOf(registration),
    posture: kind,
    ...(scopes.length > 0 ? { scopes: Object.freeze([...scopes]) } : {}),
    ...(registration.streaming ? { streaming: true } : {}),
  });
}
