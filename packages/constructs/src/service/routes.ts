import {
  authorizationServerPathFor,
  MCP_PATH,
  normalizeMcpPath,
  OAUTH_AUTHORIZATION_SERVER_PATH,
  OAUTH_PROTECTED_RESOURCE_PATH,
  protectedResourcePathFor,
} from '@sallyport/mcp/routes';
import { isBelow } from '../http/internal/pattern.js';
import type { InventoryRoute } from '../wiring/inventory.js';

/**
 * Operations of the application for a function of `split`, as `app.routes()` lists them. All functions of a {@link Service} share its APIs.
 *
 * @example
 * split: { reports: { timeout: Duration.seconds(29), include: [Routes.under('/reports'), Routes.http('POST', '/exports')] } }
 */
export class Routes {
  /** One route, by its method and its pattern: `Routes.http('GET', '/reports/{id}')`. */
  static http(method: string, path: string): Routes {
    return new Routes(
      `Routes.http(${JSON.stringify(method)}, ${JSON.stringify(path)})`,
      (route) => route.surface === 'http' && route.method === method && route.path === path,
    );
  }

  /** The routes of a path and of all paths under it: `Routes.under('/reports')` includes `/reports/{id}`. */
  static under(path: string): Routes {
    return new Routes(
      `Routes.under(${JSON.stringify(path)})`,
      (route) => route.surface === 'http' && isBelow(route.path ?? '', path),
    );
  }

  /** An MCP server and its metadata documents. */
  static mcp(path: string = MCP_PATH): Routes {
    const endpoint = normalizeMcpPath(path);
    const paths: readonly (string | undefined)[] = [
      endpoint,
      protectedResourcePathFor(endpoint),
      authorizationServerPathFor(endpoint),
      OAUTH_PROTECTED_RESOURCE_PATH,
      OAUTH_AUTHORIZATION_SERVER_PATH,
    ];
    return new Routes(
      path === MCP_PATH ? 'Routes.mcp()' : `Routes.mcp(${JSON.stringify(path)})`,
      (route) => route.surface === 'http' && paths.includes(route.path),
    );
  }

  /** WebSocket routes, by their keys: `Routes.webSocket('$connect', 'typing')`. */
  static webSocket(...routeKeys: readonly string[]): Routes {
    return new Routes(
      `Routes.webSocket(${routeKeys.map((key) => JSON.stringify(key)).join(', ')})`,
      (route) => route.surface === 'websocket' && routeKeys.includes(route.webSocketRouteKey ?? ''),
    );
  }

  /** The call that creates it, for error messages. */
  readonly call: string;
  /** True for an operation that it includes. */
  readonly covers: (route: InventoryRoute) => boolean;

  private constructor(call: string, covers: (route: InventoryRoute) => boolean) {
    this.call = call;
    this.covers = covers;
  }
}

/** The call that includes only this operation. */
export function callFor({ surface, method, path, webSocketRouteKey }: InventoryRoute): string {
  if (surface === 'websocket') return Routes.webSocket(webSocketRouteKey ?? '').call;
  return Routes.http(method ?? '', path ?? '').call;
}
