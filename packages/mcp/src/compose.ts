/** Tools from the routes of an application, and servers that are composed of other servers. */
export type { RouteDescription, RouteTag, ToolRoute, ToolsFromRoutesOptions } from './compose/route-options.js';
export { type RouteTool, toolsFromRoutes } from './compose/routes.js';
