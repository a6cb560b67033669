import { STREAM_ACCESS } from '@sallyport/http/internal';
import type { SecureApp } from '@sallyport/secure';
import type { JsonObject, ToolAnnotations } from '../protocol/types.js';
import { compileTool } from '../server/internal/compile.js';
import type { McpServer } from '../server/server.js';
import { serverDataIn } from './internal/data.js';
import { guardOf } from './internal/guard.js';
import { callRoute } from './internal/route-call.js';
import { addFiles } from './internal/route-files.js';
import { type CompiledRoute, toRouteSchemas } from './internal/route-schema.js';
import { operationIdOf, selectRoutes } from './internal/selection.js';
import {
  type RouteDescription,
  TOOLS_FROM_ROUTES_OPTIONS,
  type ToolRoute,
  type ToolsFromRoutesOptions,
} from './route-options.js';

/** A tool that {@link toolsFromRoutes} registered. */
export interface RouteTool {
  /** Name of the tool. */
  readonly tool: string;
  /** Method of the route. */
  readonly method: string;
  /** Pattern of the route. */
  readonly path: string;
}

/**
 * Registers routes of an application as tools of an MCP server. The routes must be registered before, with handlers of `bind`. A tool has the
 * posture of its route, its arguments are the parameters, the query and the body in one object, and its result is the response. Middlewares
 * and validation of the route run for each call.
 *
 * @returns the registered tools
 * @throws FrameworkError `app.invalid_configuration` for an invalid option, a selection without routes, or a selected route that cannot
 *   be a tool, with the reason; `mcp.invalid_registration` for a name that is already registered; `mcp.closed` after the first request
 *
 * @example
 * toolsFromRoutes(app, server, { include: ['GET /orders/*', 'POST /orders'] });
 * mountMcp(app, server, { posture: Authenticated('mcp') });
 */
export function toolsFromRoutes(
  app: SecureApp,
  server: McpServer,
  options: ToolsFromRoutesOptions,
): readonly RouteTool[] {
  const data = serverDataIn(server);
  const { include, name, describe } = TOOLS_FROM_ROUTES_OPTIONS.parse(options);
  const { http } = app[STREAM_ACCESS];
  const compiled = selectRoutes(app.routes(), http, include).map(({ record, registration }) => {
    const { method, path, tags = [] } = record;
    const about: ToolRoute = { method, path, operationId: operationIdOf(method, path), tags };
    const described = describe?.(about);
    const { description = `${method} ${path}`, ...shown }: RouteDescription =
      typeof described === 'string' ? { description: described } : (described ?? {});
    const schemas = toRouteSchemas(about, registration);
    const route: CompiledRoute = { ...schemas, record, registration };
    const tool = compileTool(
      name?.(about) ?? about.operationId,
      {
        ...(tags.length > 0 && { _meta: { tags: [...tags] } }),
        ...{ description, annotations: annotationsOf(method), ...shown, ...guardOf(record), input: schemas.input },
        ...(schemas.output && { output: schemas.output }),
      },
      (args: JsonObject, ctx) => callRoute(route, args, ctx),
      data.settings.argumentErrors,
    );
    // The route checks its input and its output.
    return { route, tool: { ...tool, checkInput: undefined, checkOutput: undefined } };
  });
  for (const { tool } of compiled) data.registry.addTool(tool);
  addFiles(
    server,
    data,
    http,
    compiled.map(({ route }) => route),
  );
  return compiled.map(({ tool, route: { record } }) =>
    Object.freeze({ tool: tool.name, method: record.method, path: record.path }),
  );
}

/** The hints that follow from a method (RFC 9110 sections 9.2.1 and 9.2.2). */
function annotationsOf(method: string): ToolAnnotations {
  if (method === 'GET') return { readOnlyHint: true };
  const isIdempotent = method === 'PUT' || method === 'DELETE';
  return { readOnlyHint: false, ...(method === 'DELETE' && { destructiveHint: true }), idempotentHint: isIdempotent };
}
