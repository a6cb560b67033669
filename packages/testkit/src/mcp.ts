/** A client of MCP servers, in memory. Speaks HTTP through the front doors and needs nothing of `@sallyport/mcp`. */
export {
  connectMcp,
  type McpAnswerer,
  McpClientError,
  type McpClientOptions,
  type McpQuestion,
  type McpRequestOptions,
  McpTestClient,
  type McpToolResult,
} from './mcp/client.js';
export type { McpDoor } from './mcp/exchange.js';
