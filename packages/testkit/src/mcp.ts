/** An in-memory client of MCP servers. Speaks HTTP through the front doors and does not depend on `@sallyport/mcp`. */
export { connectMcp, McpClientError, McpTestClient, type McpToolResult } from './mcp/client.js';
export type { McpDoor } from './mcp/exchange.js';
export type { McpAnswerer, McpClientOptions, McpQuestion, McpRequestOptions } from './mcp/options.js';
