import type { AppSyncBatchHandler, AppSyncOptions } from '@sallyport/appsync';
import { APPSYNC_OPTIONS } from '@sallyport/appsync/surface';
import { assertKnownOptions, type Handler, type Surface } from '@sallyport/core';
import { assertNoSurplus } from '@sallyport/core/pipeline';
import type { OpenPipelineOptions, RouteOptions, RouteRecord } from '@sallyport/http';
import {
  createOpenKernel,
  HANDLE_USAGE,
  OPEN_PIPELINE_OPTIONS,
  registerOpenRoute,
  toRouteRecord,
} from '@sallyport/http/pipeline';
import type { EventRouterOptions } from '@sallyport/streams';
import type { DirectInvocations } from '../dispatcher.js';
import { type Assembly, assemble, Container, pickOptions } from './container.js';

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
export class App extends Container<[options?: RouteOptions, ...surplus: readonly never[]]> {
  readonly #assembly: Assembly;

  /** @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option */
  constructor(options: AppOptions) {
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
    super(assembly);
    this.#assembly = assembly;
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

  /**
   * The same as `handle`, for applications that were written against it.
   *
   * @deprecated `handle` is as strict.
   */
  handleStrict(
    method: string,
    pattern: string,
    handler: Handler,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle(method, pattern, handler, options, ...surplus);
  }

  /**
   * The same as `get`, for applications that were written against it.
   *
   * @deprecated `get` is as strict.
   */
  getStrict(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.get(pattern, handler, options, ...surplus);
  }

  /**
   * Registers a route of a WebSocket API: `$connect`, `$disconnect`, `$default` or a route key of the API's own.
   *
   * @throws FrameworkError for a blank or repeated route key, a handler that is not a function, further arguments
   */
  webSocket(routeKey: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'webSocket(routeKey, handler); SecureApp takes postures');
    this.#assembly.webSocket.register(routeKey, handler);
    return this;
  }

  /**
   * Registers a GraphQL field. For a field that is not registered the HTTP routes are tried: `GET /<field>` for a query, `POST`
   * for a mutation.
   *
   * @throws FrameworkError `app.bad_request` for blank names, a pair twice, a handler that is not a function
   */
  appSyncField(parentType: string, field: string, handler: Handler, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'appSyncField(parentType, field, handler); SecureApp takes postures');
    this.#assembly.appSync.register(parentType, field, handler);
    return this;
  }

  /**
   * Registers a GraphQL field whose elements of one batch invoke are answered together, by one call of the handler.
   *
   * @throws FrameworkError `app.bad_request` for blank names, a pair twice, a handler that is not a function
   */
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

  /** HTTP, GraphQL and WebSocket operations in the order of registration; frozen, a new list at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#assembly.kernel.book.all.map(toRouteRecord));
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
