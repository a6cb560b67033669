import { defineOptions, func, kind } from '@sallyport/core/options';
import type { Icon, JsonObject, ToolAnnotations } from '../protocol/types.js';

/** A route as {@link ToolsFromRoutesOptions.name} and {@link ToolsFromRoutesOptions.describe} receive it. */
export interface ToolRoute {
  /** In upper case. */
  readonly method: string;
  /** The canonical pattern: `/orders/{id}`. */
  readonly path: string;
  /** The id of the operation in the inventory: `getOrdersId`. It is the default name of the tool. */
  readonly operationId: string;
  /** OpenAPI tags of the groups around the route. */
  readonly tags: readonly string[];
}

/** The description of a tool for the client's model. */
export interface RouteDescription {
  /** Display name. */
  readonly title?: string;
  /** Description for the client's model. Default: method and path. */
  readonly description?: string;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Hints for the client. Default: from the method; `GET` only reads, `DELETE` destroys, `PUT` and `DELETE` may be repeated. */
  readonly annotations?: ToolAnnotations;
  /** Data for programs, by name. */
  readonly _meta?: JsonObject;
}

/** Selects all `GET` routes of the groups with this OpenAPI tag, except `Public()` routes. */
export interface RouteTag {
  /** The tag. */
  readonly tag: string;
}

/** Options of {@link toolsFromRoutes}; an unknown key is rejected. */
export interface ToolsFromRoutesOptions {
  /**
   * Routes that become tools: `GET /orders/{id}` selects one route, `GET /orders/*` all `GET` routes at and under a path, and
   * `{ tag }` all `GET` routes with a tag. Methods other than `GET` and `Public()` routes must be selected by their full names. Required.
   */
  readonly include: readonly (string | RouteTag)[];
  /** Returns the name of a tool. Default: the id of the operation. */
  readonly name?: (route: ToolRoute) => string;
  /** Returns the description of a tool, or its description with further members. Default: method and path. */
  readonly describe?: (route: ToolRoute) => string | RouteDescription;
}

/** Validators and defaults for {@link ToolsFromRoutesOptions}. */
export const TOOLS_FROM_ROUTES_OPTIONS = /* @__PURE__ */ defineOptions<ToolsFromRoutesOptions>()({
  include: /* @__PURE__ */ kind<readonly (string | RouteTag)[]>(
    'a non-empty list of routes ("GET /orders/{id}", "GET /orders/*") and tags ({ tag })',
    (value) => Array.isArray(value) && value.length > 0,
  ).required(),
  name: /* @__PURE__ */ func<NonNullable<ToolsFromRoutesOptions['name']>>(),
  describe: /* @__PURE__ */ func<NonNullable<ToolsFromRoutesOptions['describe']>>(),
});
