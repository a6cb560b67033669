import type { Handler, Middleware } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, kind } from '@sallyport/core/options';
import {
  GROUP_KINDS,
  GROUP_USAGE,
  type HttpSurface,
  HttpVerbs,
  innerScope,
  type PathNames,
  ROOT_SCOPE,
  type RouteScope,
  type RouteStatement,
  registrationError,
  runDefine,
  STATEMENT_KINDS,
  scopedPattern,
  scopedUse,
} from '@sallyport/http/internal';
import { assertPosture, isPosture, type Posture } from './postures/posture.js';

/** Options of an HTTP route of the closed container. */
export interface SecureRouteOptions extends RouteStatement {
  /** States in the inventory that the route streams. Default `false`. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end too, with the same posture: `/notes` and `/notes/`. Default `false`. */
  readonly trailingSlash?: boolean;
  /** Middlewares of this route, inside the middlewares of the container and of its groups; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
}

/** Validators and defaults for {@link SecureRouteOptions}. */
export const SECURE_ROUTE_OPTIONS = defineOptions<SecureRouteOptions>()({
  streaming: boolean.default(false),
  trailingSlash: boolean.default(false),
  use: GROUP_KINDS.use,
  ...STATEMENT_KINDS,
});

/** The checked options of a route without options. */
let noOptions: ReturnType<typeof SECURE_ROUTE_OPTIONS.parse> | undefined;

function parseOptions(options: SecureRouteOptions | undefined) {
  if (options !== undefined) return SECURE_ROUTE_OPTIONS.parse(options);
  noOptions ??= Object.freeze(SECURE_ROUTE_OPTIONS.parse(undefined));
  return noOptions;
}

/** Options of a group of routes of the closed container; they apply to every route and group inside. */
export interface SecureGroupOptions {
  /**
   * The posture of routes without a posture, and of nested groups without a posture. If absent, it is the
   * posture of the enclosing group; without any, every route must have its own posture.
   */
  readonly posture?: Posture;
  /** Middlewares around the routes of the group, inside the middlewares of the container; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
  /** OpenAPI tags of the routes; tags in a route's description take precedence. Default none. */
  readonly tags?: readonly string[];
}

/** Validators and defaults for {@link SecureGroupOptions}. */
export const SECURE_GROUP_OPTIONS = defineOptions<SecureGroupOptions>()({
  ...GROUP_KINDS,
  posture: kind<Posture>('a posture, such as Public() or Authenticated()', isPosture),
});

/** The arguments after the handler if no group has a posture: every registration must have a posture. */
export type StatedPosture = [posture: Posture, options?: SecureRouteOptions, ...surplus: readonly never[]];

/** The arguments after the handler if a group has a posture: the posture of a registration is optional and takes precedence. */
export type GroupPosture =
  | [options?: SecureRouteOptions, ...surplus: readonly never[]]
  | [posture: Posture, options?: SecureRouteOptions, ...surplus: readonly never[]];

/** The arguments of a registration after the handler. */
export type SecureRest = StatedPosture | GroupPosture;

declare const TAKES: unique symbol;

/** The scope in which HTTP routes of the closed container are registered: the container, or a group of it. */
export interface SecureScope extends RouteScope {
  /** Applies to registrations without a posture. */
  readonly posture: Posture | undefined;
}

/**
 * Registers HTTP routes of the closed container: in the container itself, or in a group of it. Each registration has exactly
 * one posture: its own, or the posture of the nearest enclosing group.
 *
 * @typeParam Rest the arguments after the handler: they depend on the posture of the group
 * @typeParam Outer path parameters of the enclosing prefixes
 */
export class SecureRoutes<Rest extends SecureRest = GroupPosture, Outer extends string = never> extends HttpVerbs<
  Rest,
  Outer
> {
  /** In the type only: routes that rely on a group's posture cannot be mounted without a posture. */
  declare readonly [TAKES]: (...rest: Rest) => void;
  readonly #surface: HttpSurface;
  readonly #scope: SecureScope;

  constructor(surface: HttpSurface, scope: SecureScope = { ...ROOT_SCOPE, posture: undefined }) {
    super();
    this.#surface = surface;
    this.#scope = scope;
  }

  override handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<Outer | PathNames<P>>,
    ...rest: Rest
  ): this {
    const path = scopedPattern(this.#scope, pattern);
    const place = `${method} ${path}`;
    if (isPosture(handler)) {
      throw registrationError('route handler must be a function', `${place}: pass the posture after the handler`);
    }
    const { posture: inherited } = this.#scope;
    const isInherited = inherited !== undefined && (rest.length === 0 || isOptions(rest[0]));
    const at = isInherited ? 0 : 1;
    if (rest.length > at + 1) assertNoSurplus(rest.slice(at + 1), 'handle(method, pattern, handler, posture, options)');
    const posture: unknown = isInherited ? inherited : rest[0];
    assertPosture(posture, place);
    // The open container treats a blank pattern as the root; here it could make the root public by mistake.
    if (typeof pattern === 'string' && pattern.trim() === '') {
      throw new FrameworkError('app.bad_request', `framework: invalid route pattern: ${method} (blank)`);
    }
    const { streaming, trailingSlash, use, ...states } = parseOptions(rest[at] as SecureRouteOptions | undefined);
    this.#surface.register(method, path, handler as Handler, {
      posture,
      streaming,
      trailingSlash,
      use: scopedUse(this.#scope, use),
      tags: this.#scope.tags,
      states,
    });
    return this;
  }

  /**
   * Registers HTTP routes that have a prefix, a posture, middlewares and tags in common. Groups can be nested.
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
    define: (routes: SecureRoutes<RestOf<O, Rest>, Outer | PathNames<P>>) => void,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, GROUP_USAGE);
    assertStated(options, prefix);
    const { posture = this.#scope.posture, ...common } = SECURE_GROUP_OPTIONS.parse(options);
    const scope = { ...innerScope(this.#scope, prefix, common), posture };
    runDefine(define, new SecureRoutes<RestOf<O, Rest>, Outer | PathNames<P>>(this.#surface, scope), scope.prefix);
    return this;
  }
}

/** The arguments after the handler in a group: determined by its options, else by the enclosing group. */
export type RestOf<O extends SecureGroupOptions, Rest extends SecureRest> = O extends { readonly posture: Posture }
  ? GroupPosture
  : Rest;

/** True if a value is an options object: any posture, even a forged one, has a kind. */
function isOptions(value: unknown): value is SecureRouteOptions {
  return typeof value === 'object' && value !== null && !isPosture(value) && !('kind' in value);
}

/**
 * A member `posture` with the value `undefined` is a mistake (a name that does not exist, a cycle of imports), and must not become the
 * posture of the enclosing group.
 */
function assertStated(options: unknown, prefix: unknown): void {
  if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'posture')) return;
  assertPosture((options as SecureGroupOptions).posture, `group ${String(prefix)}`);
}

/**
 * Defines routes of `SecureApp` in a separate file; mount them with `app.group(prefix, { posture }, routes)`. Routes without a posture have
 * the posture of the group. With `SecureRoutes<StatedPosture>` as the type of the parameter, each route must have its own posture.
 *
 * @typeParam Outer the path parameters of the enclosing prefixes, for routes that read them
 * @example
 * export const orders = defineRoutes((routes) => {
 *   routes.get('/', listOrders).get('/{id}', getOrder);
 * });
 * // app.group('/orders', { posture: Authenticated('orders') }, orders);
 */
export function defineRoutes<Rest extends SecureRest = GroupPosture, Outer extends string = never>(
  define: (routes: SecureRoutes<Rest, Outer>) => void,
): (routes: SecureRoutes<Rest, Outer>) => void {
  return define;
}
