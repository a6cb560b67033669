import type { FrameworkError, Handler, Middleware } from '@sallyport/core';
import { isPromise } from '@sallyport/core/internal';
import { assertNoSurplus, boolean, defineOptions, list, text } from '@sallyport/core/options';
import { hasCatchAll, type Pattern, parsePattern } from '../routing/internal/pattern.js';
import { registrationError } from '../routing/registration.js';
import type { HttpRouter } from './http-router.js';
import type { HttpSurface } from './http-surface.js';
import { HttpVerbs, MIDDLEWARE_LIST, type OpenRest, type PathNames, parseOpenRest } from './http-verbs.js';

/** The settings of the groups around a route. */
export interface RouteScope {
  /** The canonical prefix of every pattern; `''` for none. */
  readonly prefix: string;
  /** Middlewares, the outermost first. */
  readonly use: readonly Middleware[];
  /** OpenAPI tags, without repeats. */
  readonly tags: readonly string[];
}

/** The scope of routes outside all groups. */
export const ROOT_SCOPE: RouteScope = { prefix: '', use: [], tags: [] };

/** The call that registers a group, for error messages. */
export const GROUP_USAGE = 'group(prefix, options, define)';

/** The options that groups of all containers share. */
export const GROUP_KINDS = { use: MIDDLEWARE_LIST, tags: list(text()) };

/**
 * The scope of a group inside another.
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

function parsePrefix(prefix: string): string {
  let pattern: Pattern | undefined;
  try {
    if (prefix.trim() !== '' && !prefix.includes('?')) pattern = parsePattern(prefix);
  } catch {
    // Rejected below, with the message for prefixes.
  }
  if (!pattern || hasCatchAll(pattern)) {
    throw groupError(
      String(prefix),
      'a prefix is a path without catch-all, query and slash at the end; use / for no prefix',
    );
  }
  return pattern.canonical === '/' ? '' : pattern.canonical;
}

/** A route's pattern after the prefix of its groups; `/` is the prefix itself. */
export function scopedPattern({ prefix }: RouteScope, pattern: string): string {
  if (prefix === '' || typeof pattern !== 'string') return pattern;
  const path = pattern.trim().replace(/^\//, '');
  return path === '' ? prefix : `${prefix}/${path}`;
}

/** The middlewares of a route: the middlewares of its groups, then its own. */
export function scopedUse({ use }: RouteScope, own: readonly Middleware[] | undefined): readonly Middleware[] {
  return own === undefined ? use : [...use, ...own];
}

/**
 * Runs the function that registers the routes of a group.
 *
 * @throws FrameworkError `app.bad_request` for anything but a function, and for an asynchronous function: a Lambda function that
 * is frozen before it continues would miss routes
 */
export function runDefine<G>(define: (routes: G) => void, routes: G, prefix: string): void {
  if (typeof define !== 'function')
    throw groupError(prefix, 'the last argument is a function that registers its routes');
  const result: unknown = define(routes);
  if (!isPromise(result)) return;
  result.catch(() => {});
  throw groupError(prefix, 'register its routes without await');
}

function groupError(prefix: string, hint: string): FrameworkError {
  return registrationError('invalid group', `${prefix || '/'}: ${hint}`);
}

/** Options of a group of routes of the open container; they apply to every route and group inside. */
export interface GroupOptions {
  /** The auth hook must identify the caller, for routes without their own setting. Default: the setting of the outer group, else false. */
  readonly authRequired?: boolean;
  /** Middlewares around the routes of the group, inside the middlewares of the container; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
  /** OpenAPI tags of the routes, shown by `routes()`. Default none. */
  readonly tags?: readonly string[];
}

/** Validators and defaults for {@link GroupOptions}. */
export const GROUP_OPTIONS = defineOptions<GroupOptions>()({ ...GROUP_KINDS, authRequired: boolean });

interface OpenScope extends RouteScope {
  /** For routes without their own setting. */
  readonly authRequired: boolean;
}

/**
 * Registers routes of an open container: in the container itself, or in a group of it.
 *
 * @typeParam Outer path parameters of the enclosing prefixes
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
    ...rest: OpenRest
  ): this {
    const { authRequired = this.#scope.authRequired, streaming, trailingSlash, use, ...states } = parseOpenRest(rest);
    this.#surface.register(method, scopedPattern(this.#scope, pattern), handler as Handler, {
      authRequired,
      streaming,
      trailingSlash,
      use: scopedUse(this.#scope, use),
      tags: this.#scope.tags,
      states,
    });
    return this;
  }

  /**
   * Registers routes that have a prefix, middlewares and tags in common. Groups can be nested.
   *
   * @param prefix static segments and parameters; `/` for none. The pattern `/` inside the group is the prefix itself
   * @param define registers the routes, synchronously
   * @throws FrameworkError `app.bad_request`: an invalid prefix, a `define` that is not a function or asynchronous;
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
 * Registers routes of a router that have a prefix, middlewares and tags in common; the function form of `app.group`, so
 * that a bundle contains its code only if it is used. Create nested groups with `routes.group`.
 *
 * @param prefix static segments and parameters; `/` for none. The pattern `/` inside the group is the prefix itself
 * @param define registers the routes, synchronously
 * @throws FrameworkError as `app.group`
 * @example group(http, '/orders', { use: [audit] }, (orders) => orders.get('/{id}', getOrder));
 */
export function group<const P extends string>(
  router: HttpRouter,
  prefix: P,
  options: GroupOptions,
  define: (routes: RouteGroup<PathNames<P>>) => void,
  ...surplus: readonly never[]
): void {
  new RouteGroup(router.surface).group(prefix, options, define, ...surplus);
}

/**
 * Defines routes in a separate file; mount them with `group(prefix, options, routes)`. For `SecureApp` import `defineRoutes` from
 * `@sallyport/secure`.
 *
 * @typeParam Outer the path parameters of its prefixes, for routes that read them
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
