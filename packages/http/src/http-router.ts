import {
  assertKnownOptions,
  type Handler,
  type Invocation,
  type LambdaContext,
  type Middleware,
  type RequestInput,
  type Response,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import { HttpSurface, type RouteOptions } from './http-surface.js';
import { HttpVerbs } from './http-verbs.js';
import { createKernel, type Kernel, legacyTenant } from './kernel.js';
import { type RouteRecord, toRouteRecord } from './route-record.js';
import { assertPipelineOptions, type OpenPipelineOptions, PIPELINE_OPTIONS } from './settings.js';
import { authHookGate } from './stages/auth-hook.js';

/** Names of {@link OpenPipelineOptions}. */
export const OPEN_PIPELINE_OPTIONS: readonly string[] = [...PIPELINE_OPTIONS, 'authHook'];

/** The kernel of an open container, from options whose names were checked. */
export function createOpenKernel(options: OpenPipelineOptions): Kernel {
  assertPipelineOptions(options);
  return createKernel(options, { gate: authHookGate(options.authHook), tenantOf: legacyTenant });
}

/** Registers an HTTP route of an open container. */
export function registerOpenRoute(
  surface: HttpSurface,
  method: string,
  pattern: string,
  handler: Handler,
  options: RouteOptions = {},
): void {
  assertKnownOptions(options, ['authRequired', 'streaming']);
  surface.register(method, pattern, handler, options);
}

/** HTTP alone: routes, middlewares and the four front doors, as a surface for `createDispatcher`. */
export class HttpRouter extends HttpVerbs implements Surface {
  readonly serves: readonly TriggerKind[];
  readonly #kernel: Kernel;
  readonly #surface: HttpSurface;

  constructor(options: OpenPipelineOptions) {
    super();
    this.#kernel = createOpenKernel(options);
    this.#surface = new HttpSurface(this.#kernel, options);
    this.serves = this.#surface.serves;
  }

  override handle(method: string, pattern: string, handler: Handler, options?: RouteOptions): this {
    registerOpenRoute(this.#surface, method, pattern, handler, options);
    return this;
  }

  /** Adds a middleware around every operation; the first added is outermost. */
  use(middleware: Middleware): this {
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

  /** Runs a request without a front door. A stream in the answer is the caller's to read. */
  serveRequest(request: RequestInput, lambdaContext?: LambdaContext): Promise<Response> {
    return this.#surface.serveRequest(request, lambdaContext);
  }

  explainTarget(kind: TriggerKind, event: unknown): Target {
    return this.#surface.explainTarget(kind, event);
  }
}

/**
 * HTTP alone, for a function that serves nothing else.
 *
 * @example
 * const http = createHttpRouter();
 * http.get('/health', () => json(200, { ok: true }));
 * export const handler = createDispatcher(http).handleLambda;
 * @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option
 */
export function createHttpRouter(options: OpenPipelineOptions = {}): HttpRouter {
  assertKnownOptions(options, OPEN_PIPELINE_OPTIONS);
  return new HttpRouter(options);
}
