import { FrameworkError, type Handler, type Middleware } from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, func, list, text } from '@sallyport/core/options';
import { parsePattern } from '../routing/internal/pattern.js';
import type { PathNames } from '../routing/path-names.js';
import { isPromise } from '../routing/registration.js';
import type { HttpSurface } from './http-surface.js';
import { HttpVerbs } from './http-verbs.js';

/** What the groups around a route have fixed for it. */
export interface RouteScope {
  /** Canonical, in front of every pattern; `''` for none. */
  readonly prefix: string;
  /** Middlewares, the outermost first. */
  readonly use: readonly Middleware[];
  /** OpenAPI tags, without repeats. */
  readonly tags: readonly string[];
}

/** The scope of routes outside of all groups. */
export const ROOT_SCOPE: RouteScope = { prefix: '', use: [], tags: [] };

/** How a route and a group are registered, for error texts. */
const HANDLE_USAGE = 'handle(method, pattern, handler, options)';
export const GROUP_USAGE = 'group(prefix, options, define)';

const MIDDLEWARE_LIST = list(func<Middleware>());

/** What the options may be that groups of all containers share. */
export const GROUP_KINDS = { use: MIDDLEWARE_LIST, tags: list(text()) };

/**
 * The scope of a group inside of another.
 *
 * @throws FrameworkError `app.bad_request` for a prefix that is blank, not a pattern, or has a catch-all or a query
 */
export function innerScope(
  outer: RouteScope,
  prefix: string,
  {
    use = [],
    tags = [],
  }: { readonly use?: readonly Middleware[] | undefined; readonly tags?: readonly string[] | undefined },
): RouteScope {
  return {
    prefix: outer.prefix + parsePrefix(prefix),
    use: [...outer.use, ...use],
    tags: [...new Set([...outer.tags, ...tags])],
  };
}

function parsePrefix(prefix: unknown): string {
  const refuse = (hint: string, cause?: unknown) =>
    new FrameworkError('app.bad_request', `framework: invalid group prefix: ${String(prefix)}: ${hint}`, { cause });
  if (typeof prefix !== 'string' || prefix.trim() === '') throw refuse("use a path, '/' for none");
  if (prefix.includes('?')) throw refuse('a path has no query');
  let pattern: ReturnType<typeof parsePattern>;
  try {
    pattern = parsePattern(prefix);
  } catch (cause) {
    throw refuse('segments are text, {name} or :name, without a slash at the end', cause);
  }
  if (pattern.segments.at(-1)?.kind === 'rest') throw refuse('nothing can follow a catch-all');
  return pattern.canonical === '/' ? '' : pattern.canonical;
}

/** A route's pattern behind the prefix of its groups; `/` is the prefix itself. */
export function scopedPattern({ prefix }: RouteScope, pattern: string): string {
  if (prefix === '' || typeof pattern !== 'string') return pattern;
  const path = pattern.trim().replace(/^\//, '');
  return path === '' ? prefix : `${prefix}/${path}`;
}

/**
 * Runs the function that registers the routes of a group.
 *
 * @throws FrameworkError `app.bad_request` for anything but a function, and for one that is asynchronous: a function that is
 *   frozen before it has gone on would miss routes
 */
export function runDefine<G>(define: (routes: G) => void, routes: G, prefix: string): void {
  const place = `group ${prefix === '' ? '/' : prefix}`;
  if (typeof define !== 'function') {
    throw new FrameworkError('app.bad_request', `framework: ${place} takes a function that registers its routes`);
  }
  const result: unknown = define(routes);
  if (!isPromise(result)) return;
  result.catch(() => {});
  throw new FrameworkError('app.bad_request', `framework: ${place}: register its routes without await`);
}

/** Options of a route of the open container. */
export interface RouteOptions {
  /** The auth hook must name a caller; without a hook the route answers 401. Default: what the group says, else false. */
  readonly authRequired?: boolean;
  /** States in the inventory that the route streams. Default false. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end as well: `/notes` and `/notes/`. Default false. */
  readonly trailingSlash?: boolean;
  /** Middlewares of this route alone, inside those of the router and of its groups; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
}

/** What {@link RouteOptions} may be. */
export const ROUTE_OPTIONS = defineOptions<RouteOptions>()({
  authRequired: boolean,
  streaming: boolean,
  trailingSlash: boolean,
  use: MIDDLEWARE_LIST,
});

/** Options of a group of routes of the open container; they hold for every route and group inside. */
export interface GroupOptions extends Pick<RouteOptions, 'authRequired'> {
  /** Middlewares around the routes of the group, inside those of the container; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
  /** OpenAPI tags of the routes, shown by `routes()`. Default none. */
  readonly tags?: readonly string[];
}

const GROUP_OPTIONS = defineOptions<GroupOptions>()({ ...GROUP_KINDS, authRequired: boolean });

/** What a registration of the open container takes behind the handler. */
export type OpenRest = [options?: RouteOptions, ...surplus: readonly never[]];

interface OpenScope extends RouteScope {
  /** Of routes that do not say it themselves. */
  readonly authRequired: boolean;
}

/**
 * Where routes of an open container are registered: the container itself, or a group of it.
 *
 * @typeParam Outer path parameters of the prefixes around
 */
export class RouteGroup<Outer extends string = never> extends HttpVerbs<OpenRest, Outer> {
  readonly #surface: HttpSurface;
  readonly #scope: OpenScope;

  constructor(surface: HttpSurface, scope: OpenScope = { ...ROOT_SCOPE, authRequired: false }) {
    super();
    this.#surface = surface;
    this.#scope = scope;
  }

  override handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<Outer | PathNames<P>>,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, HANDLE_USAGE);
    const { use = [], authRequired = this.#scope.authRequired, ...own } = ROUTE_OPTIONS.parse(options);
    this.#surface.register(method, scopedPattern(this.#scope, pattern), handler as Handler, {
      ...own,
      authRequired,
      use: [...this.#scope.use, ...use],
      tags: this.#scope.tags,
    });
    return this;
  }

  /**
   * Registers routes that have a prefix, middlewares and tags in common. Groups nest.
   *
   * @param prefix static segments and parameters; `/` for none. The pattern `/` inside of the group is the prefix itself
   * @param define registers the routes, at once
   * @throws FrameworkError `app.bad_request`: an invalid prefix, a `define` that is no function or asynchronous;
   *   `app.invalid_configuration`: unknown options, further arguments
   * @example
   * app.group('/orders', { use: [audit] }, (orders) => {
   *   orders.get('/', listOrders).get('/{id}', getOrder, { use: [cacheFor(60)] });
   * });
   */
  group<const P extends string>(
    prefix: P,
    options: GroupOptions,
    define: (routes: RouteGroup<Outer | PathNames<P>>) => void,
    ...surplus: readonly never[]
  ): this {
    assertNoSurplus(surplus, GROUP_USAGE);
    const { authRequired = this.#scope.authRequired, ...common } = GROUP_OPTIONS.parse(options);
    const scope = { ...innerScope(this.#scope, prefix, common), authRequired };
    runDefine(define, new RouteGroup<Outer | PathNames<P>>(this.#surface, scope), scope.prefix);
    return this;
  }
}

/**
 * A module of routes, for `group` to mount: in a file of its own, with the types of a group. `@sallyport/secure` has one for
 * `SecureApp`.
 *
 * @example
 * export const orders = defineRoutes((routes) => {
 *   routes.get('/', listOrders).get('/{id}', getOrder);
 * });
 * // app.group('/orders', { tags: ['orders'] }, orders);
 */
export function defineRoutes<Outer extends string = never>(
  define: (routes: RouteGroup<Outer>) => void,
): (routes: RouteGroup<Outer>) => void {
  return define;
}
