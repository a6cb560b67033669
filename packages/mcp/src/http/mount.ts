import { defineOptions, kind, list, text, withMethods } from '@sallyport/core/options';
import type { MountTarget } from '@sallyport/http/web';
import { MCP_PATH } from '../routes/paths.js';
import type { McpServer } from '../server/server.js';

/** The metadata documents of a server; created by `mcpDiscovery` of `@sallyport/mcp/oauth`. */
export interface McpDiscovery {
  /** Registers the public documents of the server at this path. */
  mount(app: MountTarget<object>, path: string): void;
}

/** Options of {@link mountMcp}; an unknown key is rejected. */
export interface MountMcpOptions<Posture> {
  /** Path of the routes. Default {@link MCP_PATH}. */
  readonly path?: string;
  /** Posture of the routes; required. */
  readonly posture: Posture;
  /** Origins of browsers that may call. Default: `allowedOrigins` of the server. */
  readonly allowedOrigins?: readonly string[];
  /** Metadata documents that show clients where to sign in. Default none. */
  readonly discovery?: McpDiscovery;
}

const METHODS = ['POST', 'GET', 'DELETE'];

/** Validators and defaults for {@link MountMcpOptions}. */
export const MOUNT_MCP_OPTIONS = defineOptions<MountMcpOptions<object>>()({
  path: text('a path').default(MCP_PATH),
  // The container checks the posture.
  posture: kind<object>(
    'a posture: Authenticated(), InternalOnly(), Optional() or Public()',
    (value) => typeof value === 'object' && value !== null,
  ).required(),
  allowedOrigins: list<string>(
    kind('an origin', (value) => typeof value === 'string'),
    'a list of origins',
  ),
  discovery: withMethods<McpDiscovery>('mount'),
});

/**
 * Registers POST, GET and DELETE of an MCP server, with and without a slash at the end of its path.
 *
 * @throws FrameworkError without a posture, or for a path that is already registered
 *
 * @example mountMcp(app, server, { posture: Authenticated('mcp') });
 */
export function mountMcp<Posture>(
  app: MountTarget<Posture>,
  server: McpServer,
  options: MountMcpOptions<Posture>,
): void {
  const { path, posture, allowedOrigins, discovery } = MOUNT_MCP_OPTIONS.parse(options as MountMcpOptions<object>);
  const handler = allowedOrigins === undefined ? server.handler : server.handlerFor({ allowedOrigins });
  // Users paste server URLs with a slash at the end, and REST APIs do not remove it.
  const routing = { streaming: true, trailingSlash: true };
  for (const method of METHODS) app.handle(method, path, handler, posture as Posture, routing);
  discovery?.mount(app as MountTarget<unknown> as MountTarget<object>, path);
}

/** The option `cors` of a container whose MCP server is called by browsers. */
export interface McpCors {
  /** The origins of the pages. */
  readonly allowedOrigins: readonly string[];
  /** The headers of an answer that pages may read. */
  readonly exposeHeaders: readonly string[];
  /** Seconds for which a browser keeps the answer to a preflight. */
  readonly maxAgeSeconds: number;
}

/** Headers of answers that clients read. */
const EXPOSED = ['mcp-session-id', 'www-authenticate'];

/**
 * Creates the option `cors` for a container whose MCP server is called by pages of these origins. It applies to the whole
 * container. The server must allow the same origins: `allowedOrigins` of `createMcpServer` or `mountMcp`.
 *
 * @example
 * const origins = ['https://inspector.example'];
 * const app = new SecureApp({ cors: mcpCors(origins) });
 * mountMcp(app, server, { posture: Authenticated(), allowedOrigins: origins });
 */
export function mcpCors(origins: readonly string[]): McpCors {
  return { allowedOrigins: [...origins], exposeHeaders: EXPOSED, maxAgeSeconds: 600 };
}
