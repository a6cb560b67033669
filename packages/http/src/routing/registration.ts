import {
  type Context,
  FrameworkError,
  type Handler,
  type MaybePromise,
  type Middleware,
  type Next,
  type Response,
  type Route,
} from '@sallyport/core';
import {
  type ContextState,
  internalError,
  isOutgoingResponse,
  isPromise,
  type OutgoingResponse,
  stateOf,
  toResponse,
} from '@sallyport/core/internal';

/** A handler with its middlewares. */
export type Run = (ctx: Context) => MaybePromise<OutgoingResponse>;

/** The arguments of a registration. */
export interface RegistrationInit {
  /** Surface, method and pattern. */
  readonly route: Route;
  /** Names of the path parameters, in the order of the pattern. */
  readonly paramNames: readonly string[];
  /** Runs inside all middlewares. */
  readonly handler: Handler;
  /** Open container: the auth hook must identify the caller. */
  readonly authRequired?: boolean | undefined;
  /** Secure container: the data that its gate checks. */
  readonly posture?: unknown;
  /** True if the operation streams its answers. Only used in inventories and deployments. */
  readonly streaming?: boolean | undefined;
  /** Middlewares of this operation, inside the middlewares of the container; the first is outermost. */
  readonly use?: readonly Middleware[] | undefined;
  /** OpenAPI tags of its groups. */
  readonly tags?: readonly string[] | undefined;
}

/** One registered HTTP, GraphQL or WebSocket operation. */
export interface Registration extends Pick<RegistrationInit, 'route' | 'paramNames' | 'handler'> {
  /** Secure container: the data that its gate checks. */
  readonly posture: unknown;
  /** Open container: the auth hook must identify the caller. */
  readonly authRequired: boolean;
  /** True if the operation streams its answers. */
  readonly streaming: boolean;
  /** Middlewares of this operation. */
  readonly use: readonly Middleware[];
  /** OpenAPI tags of its groups. */
  readonly tags: readonly string[];
  /** Runs middlewares and handler. */
  readonly run: Run;
}

/**
 * The error for a rejected registration.
 *
 * @param place the name of the operation: `GET /notes/{id}`, `Query.note`, `$connect`
 */
export function registrationError(reason: string, place: string): FrameworkError {
  return new FrameworkError('app.bad_request', `framework: ${reason}: ${place}`);
}

/**
 * Rejects a handler that is not a function.
 *
 * @throws FrameworkError `app.bad_request` that names the operation
 */
export function assertRouteHandler(handler: unknown, place: string): asserts handler is Handler {
  if (typeof handler !== 'function') throw registrationError('route handler must be a function', place);
}

/**
 * Compares the path parameters that a handler of `bind` reads with the parameters of its pattern. If they differ, each request would be
 * rejected as the client's error, and a parameter without description would be missing in OpenAPI documents.
 *
 * @throws FrameworkError `app.bad_request` with the names of both
 */
export function assertBoundParams(handler: Handler, paramNames: readonly string[], place: string): void {
  const bound = boundNames((handler as { contract?: { params?: object } }).contract?.params);
  if (!bound || (bound.length === paramNames.length && bound.every((name) => paramNames.includes(name)))) return;
  const names = (list: readonly string[]) => list.join(', ') || 'none';
  const reason = `the names of bind({ params }) (${names(bound)}) must be those of the pattern (${names(paramNames)})`;
  throw registrationError(reason, place);
}

/** Names on the wire. For a validator they are known if it lists its members: `shape` of zod, `entries` of valibot. */
function boundNames(params: object | undefined): readonly string[] | undefined {
  if (!params) return undefined;
  if (!('~standard' in params)) {
    return Object.entries(params).map(([field, { name = field }]: [string, { name?: string }]) => name);
  }
  const { shape, entries } = params as { shape?: unknown; entries?: unknown };
  const members = shape ?? entries;
  return typeof members === 'object' && members !== null ? Object.keys(members) : undefined;
}

/** Describes for error messages how a middleware is added. */
export const USE_USAGE = 'use(middleware), or { use: [middleware] } of a route or group';

/** Middlewares of other frameworks, such as `(req, res, next)`, have more parameters. */
export function isMiddleware(value: unknown): value is Middleware {
  return typeof value === 'function' && value.length <= 2;
}

const TOO_MANY_PARAMETERS =
  'framework: middleware must be a function of (ctx, next), which returns an answer: return next(ctx)';

/** The operations of a container and the middlewares around each of them; shared by its surfaces. */
export class RegistrationBook {
  readonly #middlewares: Middleware[] = [];
  readonly #registrations: { -readonly [K in keyof Registration]: Registration[K] }[] = [];

  /** Builds the chain here once, and again only when a middleware is added. */
  register(init: RegistrationInit): Registration {
    const use = toFrozenList(init.use);
    const registration = {
      route: Object.freeze({ ...init.route }),
      paramNames: init.paramNames,
      handler: init.handler,
      authRequired: init.authRequired ?? false,
      posture: init.posture,
      streaming: init.streaming ?? false,
      use,
      tags: toFrozenList(init.tags),
      run: composeChain([...this.#middlewares, ...use], init.handler),
    };
    this.#registrations.push(registration);
    return registration;
  }

  /**
   * Adds a middleware inside the existing ones, around every operation, also those registered before.
   *
   * @throws FrameworkError `app.bad_request` when it is not a function
   */
  use(middleware: Middleware): void {
    if (typeof middleware !== 'function') {
      throw new FrameworkError('app.bad_request', 'framework: middleware must be a function');
    }
    if (!isMiddleware(middleware)) throw new FrameworkError('app.bad_request', TOO_MANY_PARAMETERS);
    this.#middlewares.push(middleware);
    for (const registration of this.#registrations) {
      registration.run = composeChain([...this.#middlewares, ...registration.use], registration.handler);
    }
  }

  /** In the order of registration. */
  get all(): readonly Registration[] {
    return this.#registrations;
  }
}

const NOTHING: readonly never[] = Object.freeze([]);

/** A frozen copy. Most operations have no separate middlewares and tags; they share one list. */
function toFrozenList<T>(given: readonly T[] = NOTHING): readonly T[] {
  return given.length === 0 ? NOTHING : Object.freeze([...given]);
}

/**
 * Composes middlewares and handler into one function, the first middleware outermost. The state of the invocation stores the
 * current step, so that a second `next()` is detected. Each call of a middleware receives its own `next`: a shared one could not
 * distinguish two invocations that are at the same step.
 */
function composeChain(middlewares: readonly Middleware[], handler: Handler): Run {
  let run: Run = (ctx) => {
    const result = handler(ctx);
    return isOutgoingResponse(result) ? result : settle(result);
  };
  for (let index = middlewares.length - 1; index >= 0; index -= 1) {
    run = wrap(middlewares[index] as Middleware, index, run);
  }
  return run;
}

function wrap(middleware: Middleware, index: number, inner: Run): Run {
  const enter = (own: ContextState, ctx: Context): Promise<Response> => {
    try {
      if (ctx === undefined) throw internalError('next() was called without the context; return next(ctx)');
      if (stateOf(ctx) !== own) throw internalError('next() was given the context of another invocation');
      if (own.depth !== index) throw internalError('a middleware called next() more than once');
      own.depth = index + 1;
      return Promise.resolve(inner(ctx));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return (ctx: Context) => {
    const own = stateOf(ctx);
    const next: Next = (given) => enter(own, given);
    return settle(middleware(ctx, next));
  };
}

function settle(result: unknown): OutgoingResponse | Promise<OutgoingResponse> {
  return isPromise(result) ? result.then(toResponse) : toResponse(result);
}

/** One line of `app.routes()`. */
export interface RouteRecord {
  /** The surface that serves the operation. */
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** HTTP method in upper case; `''` on websocket. */
  readonly method: string;
  /** Canonical pattern; `/{fieldName}` on appsync; `''` on websocket. */
  readonly path: string;
  /** Open container: true if the auth hook must identify the caller. */
  readonly authRequired?: boolean;
  /** True if the route streams. */
  readonly streaming?: boolean;
  /** OpenAPI tags of the groups around the route; absent if there are no tags. */
  readonly tags?: readonly string[];
  /** GraphQL parent type; appsync only. */
  readonly appSyncParentType?: string;
  /** GraphQL field; appsync only. */
  readonly appSyncField?: string;
  /** Route key; websocket only. */
  readonly webSocketRouteKey?: string;
}

/** The line of a registration in the inventory; frozen. */
export function toRouteRecord(registration: Registration): RouteRecord {
  return Object.freeze({
    ...addressOf(registration),
    ...(registration.authRequired ? { authRequired: true } : {}),
    ...(registration.streaming ? { streaming: true } : {}),
    ...(registration.tags.length > 0 ? { tags: registration.tags } : {}),
  });
}

/** The kind of a registration, as the inventory names it. */
export function addressOf({ route }: Registration): RouteRecord {
  const { surface, method, pattern } = route;
  if (surface === 'http') return { surface, method, path: pattern };
  if (surface === 'websocket') return { surface, method: '', path: '', webSocketRouteKey: pattern };
  const dot = pattern.indexOf('.');
  const field = pattern.slice(dot + 1);
  return { surface, method, path: `/${field}`, appSyncParentType: pattern.slice(0, dot), appSyncField: field };
}
