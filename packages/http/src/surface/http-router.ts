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
import { assertNoSurplus, defineOptions, func, kind } from '@sallyport/core/options';
import { serveDirect } from '../doors/direct.js';
import type { CorsStages } from '../pipeline/cors.js';
import type { HttpErrorFormat } from '../pipeline/error-body.js';
import type { HookStages } from '../pipeline/hooks.js';
import { assembleKernel, type Kernel, type Limits, legacyTenant, ROUTER_KINDS } from '../pipeline/kernel.js';
import { type NamedDoors, noDoors } from '../pipeline/named-doors.js';
import type { Observation } from '../pipeline/observation.js';
import { authHookGate } from '../pipeline/stages.js';
import { type RouteRecord, toRouteRecord, USE_USAGE } from '../routing/registration.js';
import { HttpSurface, type HttpSurfaceOptions } from './http-surface.js';
import { HttpVerbs, type OpenRest, type PathNames, parseOpenRest } from './http-verbs.js';

/**
 * Options of {@link createHttpRouter}: the HTTP options of `createApp`. `cors`, `observability`,
 * `hooks` and `doors` accept the results of the imported functions `cors()`, `observe()`, `hooks()` and `namedDoors()`, so that a bundle contains their
 * code only if they are used.
 */
export interface HttpRouterOptions {
  /** The source of time and timers. Default: the machine's clock. */
  readonly clock?: Clock;
  /** The generator of request ids. Default: random. */
  readonly ids?: IdGenerator;
  /** Receives failures and the lines of `ctx.log`; `false` to turn off logging. Default: JSON lines on standard output, see the README. */
  readonly log?: Logger | false;
  /** Environment variables instead of `process.env`. */
  readonly environment?: Environment;
  /** Cross-origin requests: `cors({ allowedOrigins: […] })`. Default: none. */
  readonly cors?: CorsStages;
  /** Limits on bodies, in bytes. Default: the limits of the front door. */
  readonly limits?: Limits;
  /** Hooks for records, metrics and spans: `observe({ log, metric, span })`. Default: none. */
  readonly observability?: Observation;
  /** Called for every routed request before the gate; a decision with a code becomes the answer. */
  readonly policyHook?: PolicyHook;
  /** Returns the identity of the caller for routes with `authRequired`. Without it these routes answer 401. */
  readonly authHook?: AuthHook;
  /** Shape of error bodies. Default `nested`. */
  readonly httpErrorFormat?: HttpErrorFormat;
  /** Hooks for error answers and for all answers: `hooks({ onError, notFound, onResponse })`. Default: none. */
  readonly hooks?: HookStages;
  /** Literal path prefixes of whole segments; the longest matching prefix is removed once before routing. */
  readonly basePath?: string | readonly string[];
  /**
   * The front doors of the function: `namedDoors({ qualifier: 'doors' })`. A request that did not come through one of them is rejected.
   * Default: none; without it, constructing the router fails if the variable `FRAMEWORK_DOORS` is set.
   */
  readonly doors?: NamedDoors;
  /** `HEAD` without its own route runs the route of `GET`. Default false. */
  readonly autoHead?: boolean;
}

/** Validators and defaults for {@link HttpRouterOptions}. */
export const HTTP_ROUTER_OPTIONS = defineOptions<HttpRouterOptions>()({
  ...ROUTER_KINDS,
  cors: madeBy<CorsStages>('cors()', 'preflight'),
  observability: madeBy<Observation>('observe()', 'hooks'),
  hooks: madeBy<HookStages>('hooks()', 'askOnError'),
  doors: madeBy<NamedDoors>('namedDoors()', 'toDoors'),
  authHook: func<AuthHook>(),
});

/** A value created by a function of this package, recognized by one of its members. */
function madeBy<T extends object>(name: string, member: keyof T & string) {
  return kind<T>(`the result of ${name}`, (value) => typeof value === 'object' && value !== null && member in value);
}

/** A router for HTTP with routes, middlewares and the four front doors. Pass it to `createDispatcher`. */
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

  override handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<PathNames<P>>,
    ...rest: OpenRest
  ): this {
    this.#surface.register(method, pattern, handler as Handler, parseOpenRest(rest));
    return this;
  }

  /**
   * The same as `handle`, for applications that already use it.
   *
   * @deprecated `handle` is as strict.
   */
  handleStrict(method: string, pattern: string, handler: Handler, ...rest: OpenRest): this {
    return this.handle(method, pattern, handler, ...rest);
  }

  /**
   * The same as `get`, for applications that already use it.
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
    assertNoSurplus(surplus, USE_USAGE);
    this.#kernel.book.use(middleware);
    return this;
  }

  /** All routes in the order of registration; a new frozen list at each call. */
  routes(): readonly RouteRecord[] {
    return Object.freeze(this.#kernel.book.all.map(toRouteRecord));
  }

  /** Answers an event; called by a dispatcher. @throws FrameworkError `dispatch.foreign_door` */
  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown> {
    this.#kernel.runtime.doors?.assert(kind, event, invocation.lambdaContext);
    return this.#surface.serve(kind, event, invocation);
  }

  /** The surface and kernel that `serveRequest` uses. */
  get surface(): HttpSurface {
    return this.#surface;
  }

  /** Describes the handler that would serve an event. Called by `explain` of a dispatcher. */
  explainTarget(kind: TriggerKind, event: unknown): Target {
    return this.#surface.explainTarget(kind, event);
  }
}

/**
 * Creates a router for a function that serves only HTTP, without postures. Pass it to `createDispatcher` to get a Lambda handler.
 *
 * @example
 * const http = createHttpRouter({ cors: cors({ allowedOrigins: ['https://app.example'] }) });
 * http.get('/health', () => json(200, { ok: true }));
 * export const handler = createDispatcher(http).handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong value
 */
export function createHttpRouter(options: HttpRouterOptions = {}): HttpRouter {
  const { observability, authHook, doors, ...checked } = HTTP_ROUTER_OPTIONS.parse(options);
  const init = { gate: authHookGate(authHook), tenantOf: legacyTenant, toDoors: doors?.toDoors ?? noDoors };
  return new HttpRouter(assembleKernel(checked, observability, init), checked);
}

/** Runs a request on a router without a front door. The caller must read a stream in the answer. */
export function serveRequest(
  http: HttpRouter,
  request: RequestInput,
  lambdaContext?: LambdaContext,
): Promise<Response> {
  return serveDirect(http.surface, request, lambdaContext);
}
