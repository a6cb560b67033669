import type { AppSyncBatchHandler } from '@sallyport/appsync';
import type { Handler } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';
import { assertNoSurplus } from '@sallyport/core/options';
import {
  type Assembly,
  assemble,
  Container,
  EVENT_KINDS,
  GRAPHQL_KINDS,
  pickOptions,
} from '@sallyport/dispatch/internal';
import { HTTP_ERROR_FORMAT_NESTED, type HttpErrorFormat, type PathNames, type RouteRecord } from '@sallyport/http';
import {
  addressOf,
  createKernel,
  PIPELINE_OPTION_KINDS,
  type Registration,
  withStatement,
} from '@sallyport/http/internal';
import type { OpenApiDocument } from '@sallyport/http/openapi';
import { describeOperations, generateDocument, toCanonicalJson } from '#openapi';
import { authorize, createGate } from './internal/gate.js';
import type { SecureOpenApiSpec } from './openapi/document.js';
import { type ParsedOptions, parseOptions, type SecureOptions } from './options.js';
import { describePosture } from './postures/internal/kinds.js';
import { assertPosture, type Posture, type PostureKind } from './postures/posture.js';
import { authorizersOf, createTenantOf } from './principal.js';
import { type RestOf, type SecureGroupOptions, SecureRoutes, type StatedPosture } from './routes.js';

/** One line of `app.routes()` of the closed container. */
export interface SecureRouteRecord extends Omit<RouteRecord, 'authRequired'> {
  /** The kind of posture of the operation. */
  readonly posture: PostureKind;
  /** The scopes of the posture, in normal form; absent if the posture has no scopes. */
  readonly scopes?: readonly string[];
}

/**
 * An application for every Lambda trigger. Each HTTP, GraphQL and WebSocket operation is registered with a posture, its access rule, which
 * is checked before any code of the application runs. Handlers of queues, streams, topics and event buses have no posture: IAM controls
 * their senders. Without the option `principalResolver`, only operations with `Public()` or `Optional()` are accessible.
 *
 * @throws FrameworkError `framework: invalid secure configuration: <option>`
 * @example
 * const app = new SecureApp({ principalResolver });
 * app.get('/health', () => json(200, { ok: true }), Public());
 * app.get('/notes/{id}', getNote, Authenticated('notes:read'));
 * export const handler = app.handleLambda;
 */
export class SecureApp extends Container<StatedPosture> {
  static {
    brandError(SecureApp, 'sallyport.SecureApp');
  }

  readonly #assembly: Assembly;
  readonly #routes: SecureRoutes<StatedPosture>;
  /** True if WebSocket events are served; true after a route is registered. */
  readonly #sockets: { isOpen: boolean };
  readonly #errorFormat: HttpErrorFormat;

  /** @throws FrameworkError `app.invalid_configuration` `framework: invalid secure configuration: <problem>` */
  constructor(options: SecureOptions = {}) {
    const parsed = parseOptions(options);
    const sockets = { isOpen: parsed.webSocketSupport === true };
    const assembly = assembleSecure(parsed, options, () => sockets.isOpen);
    super(assembly);
    this.#assembly = assembly;
    this.#routes = new SecureRoutes<StatedPosture>(assembly.http);
    this.#sockets = sockets;
    this.#errorFormat = parsed.httpErrorFormat ?? HTTP_ERROR_FORMAT_NESTED;
  }

  override handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<PathNames<P>>,
    ...rest: StatedPosture
  ): this {
    this.#routes.handle(method, pattern, handler, ...rest);
    return this;
  }

  /**
   * Registers HTTP routes that have a prefix, a posture, middlewares and tags in common. Groups can be nested. Each registration has
   * exactly one posture: its own, or the posture of the nearest enclosing group.
   *
   * @param prefix static segments and parameters; `/` for none. The pattern `/` inside the group is the prefix itself
   * @param define registers the routes, synchronously; to define routes in a separate file, use `defineRoutes`
   * @throws FrameworkError `app.bad_request`: an invalid prefix or posture, a `define` that is not a function or asynchronous;
   *   `app.invalid_configuration`: unknown options, further arguments
   * @example
   * app.group('/orders', { posture: Authenticated('orders'), use: [audit] }, (orders) => {
   *   orders.get('/', listOrders);
   *   orders.delete('/{id}', removeOrder, Authenticated('orders:delete'));
   * });
   */
  group<const P extends string, const O extends SecureGroupOptions>(
    prefix: P,
    options: O & SecureGroupOptions,
    define: (routes: SecureRoutes<RestOf<O, StatedPosture>, PathNames<P>>) => void,
    ...surplus: readonly never[]
  ): this {
    this.#routes.group(prefix, options, define, ...surplus);
    return this;
  }

  /**
   * The same as `handle` without options, for applications that use the older name.
   *
   * @deprecated `handle` is as strict.
   */
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

  /**
   * The same as `get` without options, for applications that use the older name.
   *
   * @deprecated `get` is as strict.
   */
  getStrict(pattern: string, handler: Handler, posture: Posture, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'getStrict(pattern, handler, posture)');
    return this.get(pattern, handler, posture);
  }

  /**
   * Registers the handler of a GraphQL field of AWS AppSync. `ctx.asAppSync()` returns its arguments.
   *
   * @param parentType the exact name of the type that has the field: `Query`, `Mutation`, or a type of the schema
   * @param field the exact name of the field
   * @throws FrameworkError `app.bad_request` for an invalid posture, blank names, a duplicate pair, a handler that is not a function
   * @example app.appSyncField('Query', 'note', getNote, Authenticated('notes:read'));
   */
  appSyncField(
    parentType: string,
    field: string,
    handler: Handler,
    posture: Posture,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncField(parentType, field, handler, posture)');
    assertPosture(posture, `${parentType}.${field}`);
    this.#assembly.appSync.register().register(parentType, field, handler, posture);
    return this;
  }

  /**
   * Registers a GraphQL field whose elements of one batch invoke are answered together, by one call of the handler. The gate
   * checks each element separately.
   *
   * @throws FrameworkError as `appSyncField`
   */
  appSyncBatchField(
    parentType: string,
    field: string,
    handler: AppSyncBatchHandler,
    posture: Posture,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncBatchField(parentType, field, handler, posture)');
    assertPosture(posture, `${parentType}.${field}`);
    this.#assembly.appSync.register().registerBatch(parentType, field, handler, posture);
    return this;
  }

  /**
   * Registers a route of a WebSocket API: `$connect`, `$disconnect`, `$default` or a custom route key. The gate checks
   * every event separately, so messages also need a principal, not only `$connect`.
   *
   * @throws FrameworkError `app.bad_request` for an invalid posture, a blank or repeated key, a handler that is not a function
   * @example app.webSocket('$connect', () => json(200, {}), Authenticated());
   */
  webSocket(routeKey: string, handler: Handler, posture: Posture, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'webSocket(routeKey, handler, posture)');
    assertPosture(posture, `${routeKey}`);
    this.#assembly.webSocket.register().register(routeKey, handler, posture);
    this.#sockets.isOpen = true;
    return this;
  }

  /** HTTP, GraphQL and WebSocket operations with their postures in the order of registration; frozen, a new list at each call. */
  routes(): readonly SecureRouteRecord[] {
    return Object.freeze(this.#assembly.kernel.book.all.map(toSecureRouteRecord));
  }

  /**
   * The OpenAPI 3.1 document of the HTTP operations, each with its posture. The specification must describe exactly these operations;
   * inputs and outputs of bound handlers are from their contracts, and the error format is from the option `httpErrorFormat`.
   *
   * @throws FrameworkError `framework: secure openapi …`, or `framework: openapi …` for a description that cannot be written
   */
  generateOpenAPI(spec: SecureOpenApiSpec): OpenApiDocument {
    return generateDocument(spec, this.#assembly.kernel.book.all, this.#errorFormat);
  }

  /** The same document as compact JSON, with the keys of every object sorted by code point. */
  generateOpenAPIJSON(spec: SecureOpenApiSpec): string {
    return toCanonicalJson(this.generateOpenAPI(spec));
  }
}

function assembleSecure(options: ParsedOptions, given: SecureOptions, servesWebSocket: () => boolean): Assembly {
  const { principalResolver, challenge, trustTenantHeader = false, surfaces, directInvocations = 'refuse' } = options;
  const pipeline = pickOptions(options, PIPELINE_OPTION_KINDS) as object;
  const kernel = createKernel(pipeline, {
    gate: createGate(principalResolver, challenge),
    tenantOf: createTenantOf(trustTenantHeader),
  });
  return assemble({
    kernel,
    inventory: {
      authorizers: authorizersOf(principalResolver),
      routes: () => kernel.book.all.map(toSecureRouteRecord),
      openapi: () => describeOperations(kernel.book.all, options.httpErrorFormat ?? HTTP_ERROR_FORMAT_NESTED),
    },
    pipeline,
    events: pickOptions(options, EVENT_KINDS) as object,
    appSync: pickOptions(options, GRAPHQL_KINDS) as object,
    httpFallback: false,
    failureText: 'framework: event workload failed',
    describePosture,
    servesWebSocket,
    surfaces,
    directInvocations,
    given,
    gate: { assertPosture, authorize: (posture, ctx) => authorize({ posture }, ctx, principalResolver) },
  });
}

/** The line of a registration in the inventory; frozen. */
function toSecureRouteRecord(registration: Registration): SecureRouteRecord {
  const { kind, scopes } = registration.posture as Posture;
  return withStatement(registration, {
    ...addressOf(registration),
    posture: kind,
    ...(scopes.length > 0 ? { scopes: Object.freeze([...scopes]) } : {}),
    ...(registration.route.streaming ? { streaming: true } : {}),
    ...(registration.tags.length > 0 ? { tags: registration.tags } : {}),
  });
}
