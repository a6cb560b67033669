/** Tools from the routes of an application, and servers that are composed of other servers. */
export { type MountServerOptions, mountServer } from './compose/mount-server.js';
export { type ProxyServerOptions, proxyServer } from './compose/proxy-server.js';
export type { RouteDescription, RouteTag, ToolRoute, ToolsFromRoutesOptions } from './compose/route-options.js';
export { type RouteTool, toolsFromRoutes } from './compose/routes.js';
export type { ToolSelection } from './compose/tool-selection.js';
