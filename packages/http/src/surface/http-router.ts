import {
  assertKnownOptions,
  assertTypes,
  FrameworkError,
  type Handler,
  type Invocation,
  invalidOption,
  type LambdaContext,
  type Middleware,
  type RequestInput,
  type Response,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import { assertNoSurplus, STAGE } from '@sallyport/core/pipeline';
import { serveDirect } from '../doors/direct.js';
import type { HttpErrorFormat } from '../pipeline/error-body.js';
import { type Feature, membersOf } from '../pipeline/feature.js';
import { HttpSurface, type HttpSurfaceOptions, type RouteOptions } from './http-surface.js';
import { HANDLE_USAGE, HttpVerbs } from './http-verbs.js';
import { assembleKernel, type Gate, type Kernel, legacyTenant, type RuntimeOptions } from '../pipeline/kernel.js';
import { type RouteRecord, toRouteRecord } from '../routing/route-record.js';
import { assertErrorFormat } from '../pipeline/options.js';

/** Closed: an unknown key is refused. */
export interface HttpRouterOptions extends RuntimeOptions {
  /** What the router does beside routing: `cors`, `limits`, `observe`, `policy`, `authorize`. They run in this order. */
  readonly features?: readonly Feature[];
  /** Default nested. */
  readonly httpErrorFormat?: HttpErrorFormat;
  /** Literal path prefixes of whole segments; the longest that fits is removed once before routing. */
  readonly basePath?: string | readonly string[];
  /** Lets `HEAD` without a route of its own run `GET`'s. Default false. */
  readonly autoHead?: boolean;
}

/** Registers an HTTP route of an open container. */
export function registerOpenRoute(
  surface: HttpSurface,
  method: string,
  pattern: string,
  handler: Handler,
  options: RouteOptions = {},
): void {
  assertKnownOptions(options, ['authRequired', 'streaming', 'trailingSlash']);
  surface.register(method, pattern, handler, options);
}

/** HTTP alone: routes, middlewares and the four front doors, as a surface for `createDispatcher`. */
export class HttpRouter extends HttpVerbs implements Surface {
  readonly serves: readonly TriggerKind[];
  readonly #kernel: Kernel;
  readonly #surface: HttpSurface;

  constructor(kernel: Kernel, options: HttpSurfaceOptions) {
    super();
    this.#kernel = kernel;
    this.#surface = new HttpSurface(kernel, options);
    this.serves = this.#surface.serves;
  }

  override handle(
    method: string,
    pattern: string,
    handler: Handler,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, HANDLE_USAGE);
    registerOpenRoute(this.#surface, method, pattern, handler, options);
    return this;
  }

  /** Adds a middleware around every operation; the first added is outermost. */
  use(middleware: Middleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'use(middleware)');
    this.#kernel.book.use(middleware);
    return this;
  }

  /** In the order of registration; frozen, fresh at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#kernel.book.all.map(toRouteRecord));
  }

  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown> {
    return this.#surface.serve(kind, event, invocation);
  }

  /** What `serveRequest` runs a request on. */
  get surface(): HttpSurface {
    return this.#surface;
  }

  explainTarget(kind: TriggerKind, event: unknown): Target {
    return this.#surface.explainTarget(kind, event);
  }
}

const TYPES = { clock: 'object', ids: 'object', environment: 'object', autoHead: 'boolean' } as const;

/**
 * HTTP alone, for a function that serves nothing else.
 *
 * @example
 * const http = createHttpRouter({ features: [cors({ allowedOrigins: ['https://app.example'] })] });
 * http.get('/health', () => json(200, { ok: true }));
 * export const handler = createDispatcher(http).handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option
 */
export function createHttpRouter({ features = [], ...options }: HttpRouterOptions = {}): HttpRouter {
  assertKnownOptions(options, [...Object.keys(TYPES), 'httpErrorFormat', 'basePath', 'log']);
  assertTypes(options, TYPES);
  assertErrorFormat(options.httpErrorFormat);
  if (!Array.isArray(features)) throw invalidOption('features', 'a list');
  const gate = membersOf(features, 'gate')[0] ?? closedGate;
  return new HttpRouter(assembleKernel(options, 'p2', features, { gate, tenantOf: legacyTenant }), options);
}

/** Without `authorize` nobody names a caller, so nobody passes. */
const closedGate: Gate = ({ registration, state }) => {
  if (!registration?.authRequired) return undefined;
  state.passed |= STAGE.auth;
  throw new FrameworkError('app.unauthorized');
};

/** Runs a request on a router without a front door. A stream in the answer is the caller's to read. */
export function serveRequest(
  http: HttpRouter,
  request: RequestInput,
  lambdaContext?: LambdaContext,
): Promise<Response> {
  return serveDirect(http.surface, request, lambdaContext);
}
