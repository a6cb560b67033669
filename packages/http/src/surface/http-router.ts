import type {
  AuthHook,
  Clock,
  Environment,
  Handler,
  IdGenerator,
  Invocation,
  LambdaContext,
  Logger,
  Middleware,
  PolicyHook,
  RequestInput,
  Response,
  Surface,
  Target,
  TriggerKind,
} from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, func, kind } from '@sallyport/core/options';
import { serveDirect } from '../doors/direct.js';
import type { CorsStages } from '../pipeline/cors.js';
import type { HttpErrorFormat } from '../pipeline/error-body.js';
import { assembleKernel, type Kernel, type Limits, legacyTenant, ROUTER_KINDS } from '../pipeline/kernel.js';
import { authHookGate, type Observation } from '../pipeline/stages.js';
import { type RouteRecord, toRouteRecord } from '../routing/registration.js';
import { HttpSurface, type HttpSurfaceOptions } from './http-surface.js';

/** Options of a route of the open container. */
export interface RouteOptions {
  /** The auth hook must name a caller; without a hook the route answers 401. Default false. */
  readonly authRequired?: boolean;
  /** States in the inventory that the route streams. Default false. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end as well: `/notes` and `/notes/`. Default false. */
  readonly trailingSlash?: boolean;
}

/** What {@link RouteOptions} may be. */
export const ROUTE_OPTIONS = defineOptions<RouteOptions>()({
  authRequired: boolean,
  streaming: boolean,
  trailingSlash: boolean,
});

/**
 * Options of {@link createHttpRouter}: those of `createApp` that are about HTTP. `cors` and `observability` take what the
 * imported functions `cors()` and `observe()` make, so that a bundle holds their code only when they are used.
 */
export interface HttpRouterOptions {
  /** Tells the time and sets timers. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Makes request ids. Default: random. */
  readonly ids?: IdGenerator;
  /** Gets failures, and what `ctx.log` writes; `false` for silence. Default: JSON lines on standard output, see the README. */
  readonly log?: Logger | false;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  /** Cross-origin requests: `cors({ allowedOrigins: […] })`. Default: none. */
  readonly cors?: CorsStages;
  /** Limits on bodies, in bytes. Default: those of the front door. */
  readonly limits?: Limits;
  /** Told of every request: `observe({ log, metric, span })`. Default: nobody. */
  readonly observability?: Observation;
  /** Asked about every routed request before the gate; a decision with a code is the answer. */
  readonly policyHook?: PolicyHook;
  /** Names the caller of routes registered with `authRequired`. Without it these routes answer 401. */
  readonly authHook?: AuthHook;
  /** Shape of error bodies. Default `nested`. */
  readonly httpErrorFormat?: HttpErrorFormat;
  /** Literal path prefixes of whole segments; the longest that fits is removed once before routing. */
  readonly basePath?: string | readonly string[];
  /** Lets `HEAD` without a route of its own run `GET`'s. Default false. */
  readonly autoHead?: boolean;
}

/** What {@link HttpRouterOptions} may be. */
export const HTTP_ROUTER_OPTIONS = defineOptions<HttpRouterOptions>()({
  ...ROUTER_KINDS,
  cors: madeBy<CorsStages>('cors()', 'preflight'),
  observability: madeBy<Observation>('observe()', 'hooks'),
  authHook: func<AuthHook>(),
});

/** A value that one of our functions made, known by one of its members. */
function madeBy<T extends object>(name: string, member: keyof T & string) {
  return kind<T>(`what ${name} gives`, (value) => typeof value === 'object' && value !== null && member in value);
}

/** How a route is registered, for error texts. */
export const HANDLE_USAGE = 'handle(method, pattern, handler, options)';

/**
 * Registration of routes by method name, on top of `handle`.
 *
 * @typeParam Rest what a registration takes behind the handler: options, or a posture and options
 */
export abstract class HttpVerbs<Rest extends readonly unknown[]> {
  /**
   * Registers a route.
   *
   * @param method any HTTP method, in any case
   * @param pattern static segments, `{id}` or `:id` for one segment, `{rest+}` for one or more at the end
   * @throws FrameworkError `app.bad_request`: a handler that is not a function, a blank method, an invalid pattern, a method
   *   and pattern twice; where postures are wanted, an invalid one. `app.invalid_configuration`: unknown options, further arguments
   * @example
   * app.handle('PURGE', '/cache/{key}', (ctx) => purge(ctx.param('key')), { authRequired: true });
   */
  abstract handle(method: string, pattern: string, handler: Handler, ...rest: Rest): this;

  /**
   * Registers a `GET` route; the arguments and errors are those of {@link handle}.
   *
   * @example
   * app.get('/notes/{id}', async (ctx) => json(200, await notes.get(ctx.param('id'))));
   */
  get(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('GET', pattern, handler, ...rest);
  }

  /**
   * Registers a `POST` route; the arguments and errors are those of {@link handle}.
   *
   * @example
   * app.post('/notes', async (ctx) => created(await notes.add(ctx.bodyJson())));
   */
  post(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('POST', pattern, handler, ...rest);
  }

  /** Registers a `PUT` route; the arguments and errors are those of {@link handle}. */
  put(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('PUT', pattern, handler, ...rest);
  }

  /** Registers a `PATCH` route; the arguments and errors are those of {@link handle}. */
  patch(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('PATCH', pattern, handler, ...rest);
  }

  /** Registers a `DELETE` route; the arguments and errors are those of {@link handle}. */
  delete(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('DELETE', pattern, handler, ...rest);
  }

  /** Registers an `HTTP_ROUTER_OPTIONS` route; the arguments and errors are those of {@link handle}. The option `cors` answers preflights before routing. */
  options(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('HTTP_ROUTER_OPTIONS', pattern, handler, ...rest);
  }

  /** Registers a `HEAD` route; the arguments and errors are those of {@link handle}. Without one, `autoHead` lets `HEAD` run the route of `GET`. */
  head(pattern: string, handler: Handler, ...rest: Rest): this {
    return this.handle('HEAD', pattern, handler, ...rest);
  }
}

/** What a registration of the open container takes behind the handler. */
export type OpenRest = [options?: RouteOptions, ...surplus: readonly never[]];

/** Registers an HTTP route of an open container. */
export function registerOpenRoute(
  surface: HttpSurface,
  method: string,
  pattern: string,
  handler: Handler,
  options: RouteOptions = {},
): void {
  surface.register(method, pattern, handler, ROUTE_OPTIONS.parse(options));
}

/** HTTP alone: routes, middlewares and the four front doors, as a surface for `createDispatcher`. */
export class HttpRouter extends HttpVerbs<OpenRest> implements Surface {
  /** The kinds of events that the router answers. */
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

  /**
   * The same as `handle`, for applications that were written against it.
   *
   * @deprecated `handle` is as strict.
   */
  handleStrict(method: string, pattern: string, handler: Handler, ...rest: OpenRest): this {
    return this.handle(method, pattern, handler, ...rest);
  }

  /**
   * The same as `get`, for applications that were written against it.
   *
   * @deprecated `get` is as strict.
   */
  getStrict(pattern: string, handler: Handler, ...rest: OpenRest): this {
    return this.get(pattern, handler, ...rest);
  }

  /**
   * Adds a middleware around every operation, also those registered before; the first added is outermost.
   *
   * @throws FrameworkError `app.bad_request` for anything but a function
   */
  use(middleware: Middleware, ...surplus: readonly never[]): this {
    assertNoSurplus(surplus, 'use(middleware)');
    this.#kernel.book.use(middleware);
    return this;
  }

  /** In the order of registration; frozen, fresh at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#kernel.book.all.map(toRouteRecord));
  }

  /** Answers an event; what a dispatcher calls. */
  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown> {
    return this.#surface.serve(kind, event, invocation);
  }

  /** What `serveRequest` runs a request on. */
  get surface(): HttpSurface {
    return this.#surface;
  }

  /** What would serve an event; what `explain` of a dispatcher calls. */
  explainTarget(kind: TriggerKind, event: unknown): Target {
    return this.#surface.explainTarget(kind, event);
  }
}

/**
 * HTTP alone, for a function that serves nothing else.
 *
 * @example
 * const http = createHttpRouter({ cors: cors({ allowedOrigins: ['https://app.example'] }) });
 * http.get('/health', () => json(200, { ok: true }));
 * export const handler = createDispatcher(http).handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong value
 */
export function createHttpRouter(options: HttpRouterOptions = {}): HttpRouter {
  const { observability, authHook, ...checked } = HTTP_ROUTER_OPTIONS.parse(options);
  const init = { gate: authHookGate(authHook), tenantOf: legacyTenant };
  return new HttpRouter(assembleKernel(checked, observability, init), checked);
}

/** Runs a request on a router without a front door. A stream in the answer is the caller's to read. */
export function serveRequest(
  http: HttpRouter,
  request: RequestInput,
  lambdaContext?: LambdaContext,
): Promise<Response> {
  return serveDirect(http.surface, request, lambdaContext);
}
