import type { Middleware } from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, kind } from '@sallyport/core/options';
import { isMiddleware } from '../routing/registration.js';

/** A list of middlewares, of a route or of a group. */
export const MIDDLEWARE_LIST = kind<readonly Middleware[]>(
  'a list of functions of (ctx, next)',
  (value) => Array.isArray(value) && value.every(isMiddleware),
);

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

/** What a registration of the open container takes behind the handler. */
export type OpenRest = [options?: RouteOptions, ...surplus: readonly never[]];

/** The options of a route, checked. */
export function parseOpenRest([options, ...surplus]: OpenRest) {
  assertNoSurplus(surplus, 'handle(method, pattern, handler, options)');
  return ROUTE_OPTIONS.parse(options);
}
