import { assertKnownOptions, type Handler, invalidOption } from '@sallyport/core';
import type { McpServer } from '../server/server.js';

/** Where an MCP server is mounted unless it is told otherwise. */
export const MCP_PATH = '/mcp';

/** What a closed container offers to mount on: `SecureApp`, and everything with its `handle`. */
export interface MountTarget<Posture> {
  /** Registers a handler for one method and one path pattern. `streaming`: the response may be a stream. */
  handle(
    method: string,
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: { readonly streaming?: boolean; readonly trailingSlash?: boolean },
  ): unknown;
}

/** Options of {@link mountMcp}; an unknown key is refused. */
export interface MountMcpOptions<Posture> {
  /** Default {@link MCP_PATH}. */
  readonly path?: string;
  /** Who may call; required. */
  readonly posture: Posture;
  /** Default: the server's own. */
  readonly allowedOrigins?: readonly string[];
}

const METHODS = ['POST', 'GET', 'DELETE'];

/**
 * Registers POST, GET and DELETE of an MCP server, with and without a slash at the end of its path.
 *
 * @throws FrameworkError without a posture, or for a path that is taken
 *
 * @example mountMcp(app, server, { posture: Authenticated('mcp') });
 */
export function mountMcp<Posture>(
  app: MountTarget<Posture>,
  server: McpServer,
  options: MountMcpOptions<Posture>,
): void {
  assertKnownOptions(options, ['path', 'posture', 'allowedOrigins']);
  const { path = MCP_PATH, posture, allowedOrigins } = options;
  assertPosture(posture);
  const handler = allowedOrigins === undefined ? server.handler : server.handlerFor({ allowedOrigins });
  // People paste the address of a server with a slash at the end, and REST APIs hand it on.
  const routing = { streaming: true, trailingSlash: true };
  for (const method of METHODS) app.handle(method, path, handler, posture, routing);
}

/** @throws FrameworkError for no posture at all; whether it is a valid one is the container's to say */
export function assertPosture(posture: unknown): void {
  if (typeof posture !== 'object' || posture === null) throw invalidOption('posture', 'a posture');
}
