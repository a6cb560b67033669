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
  registrationError,
  runDefine,
  scopedPattern,
  scopedUse,
} from '@sallyport/http/pipeline';
import { assertPosture, isPosture, type Posture } from './postures/posture.js';

/** Options of an HTTP route of the closed container. */
export interface SecureRouteOptions {
  /** States in the inventory that the route streams. Default `false`. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end as well, behind the same posture: `/notes` and `/notes/`. Default `false`. */
  readonly trailingSlash?: boolean;
  /** Middlewares of this route alone, inside those of the container and of its groups; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
}

/** Validators and defaults for {@link SecureRouteOptions}. */
export const SECURE_ROUTE_OPTIONS = defineOptions<SecureRouteOptions>()({
  streaming: boolean.default(false),
  trailingSlash: boolean.default(false),
  use: GROUP_KINDS.use,
});

/** Options of a group of routes of the closed container; they hold for every route and group inside. */
export interface SecureGroupOptions {
  /**
   * Who may call the routes that state no posture of their own, and those of groups inside that state none. Left out, it is the
   * posture of the group around this one; without any, every route has to state its own.
   */
  readonly posture?: Posture;
  /** Middlewares around the routes of the group, inside those of the container; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
  /** OpenAPI tags of the routes; a description that has tags of its own keeps those. Default none. */
  readonly tags?: readonly string[];
}

/** Validators and defaults for {@link SecureGroupOptions}. */
export const SECURE_GROUP_OPTIONS = defineOptions<SecureGroupOptions>()({
  ...GROUP_KINDS,
  posture: kind<Posture>('what Public(), Authenticated() and their like give', isPosture),
});

/** Behind the handler where no group has a posture: every registration states one. */
export type StatedPosture = [posture: Posture, options?: SecureRouteOptions, ...surplus: readonly never[]];

/** Behind the handler where a group has a posture: a registration may state one of its own, which then holds. */
export type GroupPosture =
  | [options?: SecureRouteOptions, ...surplus: readonly never[]]
  | [posture: Posture, options?: SecureRouteOptions, ...surplus: readonly never[]];

/** What a registration takes behind the handler. */
export type SecureRest = StatedPosture | GroupPosture;

declare const TAKES: unique symbol;

/** What of the closed container registers HTTP routes: the container itself, or a group of it. */
export interface SecureScope extends RouteScope {
  /** Holds where a registration states none. */
  readonly posture: Posture | undefined;
}

/**
 * Where HTTP routes of the closed container are registered: the container itself, or a group of it. Each registration has exactly
 * one posture: its own, or that of the nearest group that has one.
 *
 * @typeParam Rest what a registration takes behind the handler: whether a group has a posture
 * @typeParam Outer path parameters of the prefixes around
 */
export class SecureRoutes<Rest extends SecureRest = GroupPosture, Outer extends string = never> extends HttpVerbs<
  Rest,
  Outer
> {
  /** In the type only: routes that rely on a group's posture cannot be mounted if absent. */
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
      throw registrationError('route handler must be a function', `${place}: the posture stands behind the handler`);
    }
    const [posture, options] = this.#read(rest, place);
    // The open container takes a blank pattern for the root; here it could make the root public by mistake.
    if (typeof pattern === 'string' && pattern.trim() === '') {
      throw new FrameworkError('app.bad_request', `framework: invalid route pattern: ${method} (blank)`);
    }
    const { streaming, trailingSlash, use } = SECURE_ROUTE_OPTIONS.parse(options);
    this.#surface.register(method, path, handler as Handler, {
      posture,
      streaming,
      trailingSlash,
      use: scopedUse(this.#scope, use),
      tags: this.#scope.tags,
    });
    return this;
  }

  /** The posture that holds for a registration, and its options. */
  #read(rest: readonly unknown[], place: string): [Posture, SecureRouteOptions | undefined] {
    const { posture: inherited } = this.#scope;
    if (inherited !== undefined && (rest.length === 0 || isOptions(rest[0]))) {
      const [options, ...surplus] = rest as [SecureRouteOptions?, ...never[]];
      assertNoSurplus(surplus, 'handle(method, pattern, handler, posture, options)');
      return [inherited, options];
    }
    const [posture, options, ...surplus] = rest as [unknown, SecureRouteOptions?, ...never[]];
    assertNoSurplus(surplus, 'handle(method, pattern, handler, posture, options)');
    assertPosture(posture, place);
    return [posture, options];
  }

  /**
   * Registers HTTP routes that have a prefix, a posture, middlewares and tags in common. Groups nest.
   *
   * @param prefix static segments and parameters; `/` for none. The pattern `/` inside the group is the prefix itself
   * @param define registers the routes, at once; `defineRoutes` makes one in a file of its own
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

/** What registrations in a group take behind the handler: its options decide, else the group around it. */
export type RestOf<O extends SecureGroupOptions, Rest extends SecureRest> = O extends { readonly posture: Posture }
  ? GroupPosture
  : Rest;

/** True if a value is meant for options: a posture, forged ones too, has a kind. */
function isOptions(value: unknown): value is SecureRouteOptions {
  return typeof value === 'object' && value !== null && !isPosture(value) && !('kind' in value);
}

/**
 * A posture that is there but `undefined` is a mistake (a name that does not exist, a cycle of imports), and must not turn into the
 * posture of the group around.
 */
function assertStated(options: unknown, prefix: unknown): void {
  if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'posture')) return;
  assertPosture((options as SecureGroupOptions).posture, `group ${String(prefix)}`);
}

/**
 * A module of routes of the closed container, for `group` to mount: in a file of its own, with the types of a group that has a
 * posture. With `SecureRoutes<StatedPosture>` as the type of the parameter each route states its own.
 *
 * @typeParam Outer the path parameters of the prefixes that it will stand under, for routes that read them
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
