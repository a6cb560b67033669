import type { Registration } from './registration.js';

/** One line of `app.routes()`. */
export interface RouteRecord {
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** `''` on websocket. */
  readonly method: string;
  /** Canonical pattern; `/{fieldName}` on appsync; `''` on websocket. */
  readonly path: string;
  /** Open container: whether the auth hook must name a caller. */
  readonly authRequired?: boolean;
  /** Whether the route streams. */
  readonly streaming?: boolean;
  readonly appSyncParentType?: string;
  readonly appSyncField?: string;
  readonly webSocketRouteKey?: string;
}

/** The inventory's line of a registration; frozen. */
export function toRouteRecord(registration: Registration): RouteRecord {
  return Object.freeze({
    ...addressOf(registration),
    ...(registration.authRequired ? { authRequired: true } : {}),
    ...(registration.streaming ? { streaming: true } : {}),
  });
}

/** Where an operation is reached, in the inventory's words. */
export function addressOf({ route }: Registration): RouteRecord {
  const { surface, method, pattern } = route;
  if (surface === 'http') return { surface, method, path: pattern };
  if (surface === 'websocket') return { surface, method: '', path: '', webSocketRouteKey: pattern };
  const dot = pattern.indexOf('.');
  const field = pattern.slice(dot + 1);
  return { surface, method, path: `/${field}`, appSyncParentType: pattern.slice(0, dot), appSyncField: field };
}
