import type { JsonObject, McpItem, Registration } from '@sallyport/contract';
import type { MountTarget } from '@sallyport/http/web';
import type { McpServer } from '@sallyport/mcp';
import { camelOptions, renameKeys, toCamel } from './casing.js';
import { promptHandler, resourceHandler, toolHandler } from './handlers/mcp.js';
import { makePosture } from './postures.js';
import type { World } from './world.js';

/** Makes the MCP server of a registration, and mounts it at its pattern. */
export async function mountServer(target: object, registration: Registration, world: World): Promise<void> {
  const { mountMcp } = await import('@sallyport/mcp');
  const { pattern, posture, allowed_origins } = registration;
  const server = await makeServer(registration, world);
  mountMcp(target as MountTarget<unknown>, server, {
    ...(pattern !== undefined && { path: pattern }),
    posture: posture && (await makePosture(posture)),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
  });
}

/** The MCP server of a registration. */
export async function makeServer(registration: Registration, world: World): Promise<McpServer> {
  const { createMcpServer } = await import('@sallyport/mcp');
  const { options = {}, tools = [], prompts = [], resources = [] } = registration;
  const server = createMcpServer(await serverOptions(options, world));
  for (const tool of tools) addTool(server, tool, world);
  for (const { name, handler, options: own } of prompts)
    server.prompt(name, camelOptions(own ?? {}), promptHandler(handler));
  for (const { name, handler, options: own } of resources)
    server.resource(name, { name, ...camelOptions(own ?? {}) }, resourceHandler(handler));
  return server;
}

function addTool(server: McpServer, { name, options, handler }: McpItem, world: World): void {
  server.tool(name, camelOptions(options ?? {}), toolHandler(handler, world));
}

type ServerOptions = Parameters<typeof import('@sallyport/mcp').createMcpServer>[0];

/** `store: true` is the memory store on the manual clock; `secret` is the current one. */
async function serverOptions(options: JsonObject, world: World): Promise<ServerOptions> {
  const { store, secret, cache, ...rest } = options;
  const { clock } = world.env;
  const { memoryMcpStore } = await import('@sallyport/mcp');
  return {
    ...camelOptions(rest),
    clock,
    ...(store === true && { store: memoryMcpStore({ clock }) }),
    ...(secret !== undefined && { secret: { current: String(secret) } }),
    ...(cache !== undefined && { cache: renameKeys(cache, toCamel) }),
  } as unknown as ServerOptions;
}
