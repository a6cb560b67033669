/** A client of MCP servers, in memory. Speaks HTTP through the front doors and needs nothing of `@sallyport/mcp`. */
export { connectMcp, McpClientError, McpTestClient, type McpToolResult } from './mcp/client.js';
export type { McpDoor } from './mcp/exchange.js';
export type { McpAnswerer, McpClientOptions, McpQuestion, McpRequestOptions } from './mcp/options.js';
