import type { Middleware } from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, kind } from '@sallyport/core/options';

/** A list of middlewares, of a route or of a group. */
export const MIDDLEWARE_LIST = kind<readonly Middleware[]>(
  'a list of functions',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'function'),
);

/** Options of a route of the open container. */
export interface RouteOptions {
  /** The auth hook must name a caller; without a hook the route answers 401. Default: that of the group, else false. */
  readonly authRequired?: boolean;
  /** Marks the route as streaming in `routes()`. Default false. */
  readonly streaming?: boolean;
  /** Also serves the path with a trailing slash: `/notes` and `/notes/`. Default false. */
  readonly trailingSlash?: boolean;
  /** Middlewares of this route, inside those of the router and of its groups; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
}

/** What {@link RouteOptions} may be. */
export const ROUTE_OPTIONS = defineOptions<RouteOptions>()({
  authRequired: boolean,
  streaming: boolean,
  trailingSlash: boolean,
  use: MIDDLEWARE_LIST,
});

/** The arguments of a registration in the open container after the handler. */
export type OpenRest = [options?: RouteOptions, ...surplus: readonly never[]];

/** The options of a route, checked. */
export function parseOpenRest([options, ...surplus]: OpenRest) {
  assertNoSurplus(surplus, 'handle(method, pattern, handler, options)');
  return ROUTE_OPTIONS.parse(options);
}
