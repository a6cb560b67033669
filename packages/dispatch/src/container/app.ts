import type { AppSyncBatchHandler } from '@sallyport/appsync';
import type { AppSyncOptions } from '@sallyport/appsync/internal';
import type { Handler } from '@sallyport/core';
import { assertNoSurplus, defineOptions } from '@sallyport/core/options';
import type { GroupOptions, OpenPipelineOptions, RouteRecord } from '@sallyport/http';
import {
  createOpenKernel,
  OPEN_PIPELINE_OPTION_KINDS,
  type OpenRest,
  type PathNames,
  RouteGroup,
  toRouteRecord,
} from '@sallyport/http/internal';
import type { EventRouterOptions } from '@sallyport/streams';
import { EVENT_KINDS } from '#events';
import { GRAPHQL_KINDS } from '#graphql';
import { type Assembly, assemble, Container, pickOptions } from './container.js';
import { CONTAINER_KINDS, type SurfaceOptions } from './options.js';

/** Options that only event registrations read. */
export type EventOptions = Pick<
  EventRouterOptions,
  'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'
>;

/** Options of `createApp`. An unknown key is rejected at construction. */
export type AppOptions = OpenPipelineOptions & EventOptions & AppSyncOptions & SurfaceOptions;

/** Validators and defaults for {@link AppOptions}. */
export const APP_OPTIONS = defineOptions<AppOptions>()({
  ...CONTAINER_KINDS,
  authHook: OPEN_PIPELINE_OPTION_KINDS.authHook,
});

/**
 * The open container: one entrypoint for every trigger, without postures. It is kept for compatibility, and
 * {@link createApp} creates it.
 */
export class App extends Container<OpenRest> {
  readonly #assembly: Assembly;
  readonly #routes: RouteGroup;

  /** @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option */
  constructor(options: AppOptions) {
    const parsed = APP_OPTIONS.parse(options) as AppOptions;
    const pipeline = pickOptions(parsed, OPEN_PIPELINE_OPTION_KINDS);
    const kernel = createOpenKernel(pipeline);
    const assembly = assemble({
      kernel,
      inventory: { routes: () => kernel.book.all.map(toRouteRecord), openapi: () => null },
      pipeline,
      events: pickOptions(parsed, EVENT_KINDS),
      appSync: pickOptions(parsed, GRAPHQL_KINDS),
      httpFallback: true,
      surfaces: parsed.surfaces,
      directInvocations: parsed.directInvocations,
      given: options,
    });
    super(assembly);
    this.#assembly = assembly;
    this.#routes = new RouteGroup(assembly.http);
  }

  override handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<PathNames<P>>,
    ...rest: OpenRest
  ): this {
    this.#routes.handle(method, pattern, handler, ...rest);
    return this;
  }

  /**
   * Registers HTTP routes that have a prefix, middlewares and tags in common. Groups can be nested.
   *
   * @param prefix static segments and parameters; `/` for none. The pattern `/` inside the group is the prefix itself
   * @param define registers the routes, synchronously; to define routes in a separate file, use `defineRoutes` of `@sallyport/http`
   * @throws FrameworkError `app.bad_request`: an invalid prefix, a `define` that is not a function or asynchronous;
   *   `app.invalid_configuration`: unknown options, further arguments
   * @example app.group('/orders', { use: [audit] }, (orders) => orders.get('/{id}', getOrder));
   */
  group<const P extends string>(
    prefix: P,
    options: GroupOptions,
    define: (routes: RouteGroup<PathNames<P>>) => void,
    ...surplus: readonly never[]
  ): this {
    this.#routes.group(prefix, options, define, ...surplus);
    return this;
  }

  /**
   * The same as `handle`, for applications that use the older name.
   *
   * @deprecated `handle` is as strict.
   */
  handleStrict(method: string, pattern: string, handler: Handler, ...rest: OpenRest): this {
    return this.handle(method, pattern, handler, ...rest);
  }

  /**
   * The same as `get`, for applications that use the older name.
   *
   * @deprecated `get` is as strict.
   */
  getStrict(pattern: string, handler: Handler, ...rest: OpenRest): this {
    return this.get(pattern, handler, ...rest);
  }

  /**
   * Registers a route of a WebSocket API: `$connect`, `$disconnect`, `$default` or a custom route key.
   *
   * @throws FrameworkError for a blank or repeated route key, a handler that is not a function, further arguments
   */
  webSocket(routeKey: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'webSocket(routeKey, handler); postures are for SecureApp');
    this.#assembly.webSocket.register().register(routeKey, handler);
    return this;
  }

  /**
   * Registers a GraphQL field. For a field that is not registered the HTTP routes are tried: `GET /<field>` for a query, `POST`
   * for a mutation.
   *
   * @throws FrameworkError `app.bad_request` for blank names, a duplicate pair, a handler that is not a function
   */
  appSyncField(parentType: string, field: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'appSyncField(parentType, field, handler); postures are for SecureApp');
    this.#assembly.appSync.register().register(parentType, field, handler);
    return this;
  }

  /**
   * Registers a GraphQL field whose elements of one batch invoke are answered together, by one call of the handler.
   *
   * @throws FrameworkError `app.bad_request` for blank names, a duplicate pair, a handler that is not a function
   */
  appSyncBatchField(
    parentType: string,
    field: string,
    handler: AppSyncBatchHandler,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, 'appSyncBatchField(parentType, field, handler); postures are for SecureApp');
    this.#assembly.appSync.register().registerBatch(parentType, field, handler);
    return this;
  }

  /** HTTP, GraphQL and WebSocket operations in the order of registration; frozen, a new list at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#assembly.kernel.book.all.map(toRouteRecord));
  }
}

/**
 * Creates an application whose operations have no posture (access rule), so any caller can reach them.
 *
 * @deprecated Removed in release 0.4, not before 2027-07-01. Use `SecureApp` of
 *   `@sallyport/secure` for operations that external callers can reach, and `createEventRouter` of `@sallyport/streams` for queues,
 *   streams, topics and event buses only.
 * @example
 * const app = createApp();
 * app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }));
 * app.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = app.handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 */
export function createApp(options: AppOptions = {}): App {
  return new App(options);
}
