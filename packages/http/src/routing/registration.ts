import {
  type Context,
  FrameworkError,
  type Handler,
  type MaybePromise,
  type Middleware,
  type Route,
} from '@sallyport/core';
import { keepStated, type OutgoingResponse } from '@sallyport/core/internal';
import type { CheckedStatement } from './statement.js';

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
  /** Middlewares of this operation, inside the middlewares of the container; the first is outermost. */
  readonly use?: readonly Middleware[] | undefined;
  /** OpenAPI tags of its groups. */
  readonly tags?: readonly string[] | undefined;
  /** The facts for its callers. */
  readonly states?: CheckedStatement | undefined;
}

/** One registered HTTP, GraphQL or WebSocket operation. */
export interface Registration
  extends Pick<RegistrationInit, 'route' | 'paramNames' | 'handler' | 'posture' | 'states'> {
  /** Open container: the auth hook must identify the caller. */
  readonly authRequired: boolean;
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
  return withStatement(registration, {
    ...addressOf(registration),
    ...(registration.authRequired ? { authRequired: true } : {}),
    ...(registration.route.streaming ? { streaming: true } : {}),
    ...(registration.tags.length > 0 ? { tags: registration.tags } : {}),
  });
}

/** A frozen line of the inventory, with the handler and the facts for callers, from which tools write the contract. */
export function withStatement<T extends object>({ handler, states }: Registration, line: T): T {
  return Object.freeze(keepStated(line, { handler, ...states }));
}

/** The kind of a registration, as the inventory names it. */
export function addressOf({ route }: Pick<Registration, 'route'>): RouteRecord {
  const { surface, method, pattern } = route;
  if (surface === 'http') return { surface, method, path: pattern };
  if (surface === 'websocket') return { surface, method: '', path: '', webSocketRouteKey: pattern };
  const dot = pattern.indexOf('.');
  const field = pattern.slice(dot + 1);
  return { surface, method, path: `/${field}`, appSyncParentType: pattern.slice(0, dot), appSyncField: field };
}
