/** The option `cors` of a container behind which browsers call an MCP server. */
export interface McpCors {
  /** The origins of the pages. */
  readonly allowedOrigins: readonly string[];
  /** What pages may read of an answer. */
  readonly exposeHeaders: readonly string[];
  /** Seconds for which a browser keeps the answer to a preflight. */
  readonly maxAgeSeconds: number;
}

/** Headers of answers that clients read. */
const EXPOSED = ['mcp-session-id', 'www-authenticate'];

/**
 * The option `cors` for a container with an MCP server that pages of these origins call. It holds for the whole container. The server
 * itself must allow the same origins: `allowedOrigins` of `createMcpServer` or `mountMcp`.
 *
 * @example
 * const origins = ['https://inspector.example'];
 * const app = new SecureApp({ cors: mcpCors(origins) });
 * mountMcp(app, server, { posture: Authenticated(), allowedOrigins: origins });
 */
export function mcpCors(origins: readonly string[]): McpCors {
  return { allowedOrigins: [...origins], exposeHeaders: EXPOSED, maxAgeSeconds: 600 };
}
