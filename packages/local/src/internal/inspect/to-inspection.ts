import type { Inspection, RouteView, TriggerView } from './inspection.js';

type Raw = Readonly<Record<string, unknown>>;

/** The description of a service that `gate.mjs` sends. */
export interface RawInspection {
  readonly isOurs: boolean;
  readonly streaming: boolean;
  readonly routes: readonly Raw[];
  readonly triggers: readonly Raw[];
}

/** The inspection before the function is loaded for the first time. */
export const NOTHING_KNOWN: Inspection = {
  isOurs: false,
  routes: [],
  triggers: [],
  mcp: [],
  streaming: false,
  explain: async () => null,
  openapi: async () => null,
  contract: async () => [],
};

/** Converts a service's description to the form that the run uses. */
export function toInspection(
  raw: RawInspection,
  questions: Pick<Inspection, 'explain' | 'openapi' | 'contract'>,
): Inspection {
  const routes = raw.routes.map(toRoute);
  const { isOurs, streaming } = raw;
  return { isOurs, streaming, routes, triggers: raw.triggers.map(toTrigger), mcp: mcpPaths(routes), ...questions };
}

function toRoute(raw: Raw): RouteView {
  const { surface, method = '', path = '', posture = null, scopes = [], streaming = false } = raw;
  const { appSyncParentType, appSyncField, webSocketRouteKey, action, payload } = raw;
  const common = {
    surface: String(surface),
    posture: posture as string | null,
    scopes: scopes as readonly string[],
    streaming: streaming === true,
  };
  if (surface === 'appsync') {
    const [parentType, field] = [String(appSyncParentType), String(appSyncField)];
    return { ...common, name: `${parentType}.${field}`, parentType, field };
  }
  if (surface === 'websocket') {
    const routeKey = String(webSocketRouteKey);
    return {
      ...common,
      name: routeKey,
      routeKey,
      ...(action !== undefined && { action: String(action) }),
      ...(payload !== undefined && { payload: payload as Raw }),
    };
  }
  return { ...common, name: `${method} ${path}`, method: String(method), pattern: String(path) };
}

function toTrigger({ kind, name = '', selector, options = {}, payload }: Raw): TriggerView {
  return {
    kind: String(kind),
    name: String(name),
    ...(selector ? { selector: selector as Readonly<Record<string, string>> } : {}),
    options: options as Readonly<Record<string, unknown>>,
    ...(payload !== undefined && { payload: payload as Raw }),
  };
}

/** An MCP server has POST, GET and DELETE on one path, and all of them stream. */
function mcpPaths(routes: readonly RouteView[]): readonly string[] {
  const streams = (method: string, pattern: string) =>
    routes.some((route) => route.streaming && route.method === method && route.pattern === pattern);
  const posts = routes.filter(({ method, streaming }) => method === 'POST' && streaming);
  return posts
    .map(({ pattern = '' }) => pattern)
    .filter((pattern) => streams('GET', pattern) && streams('DELETE', pattern));
}
