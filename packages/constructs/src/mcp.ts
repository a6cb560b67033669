/** MCP servers: routes, sessions, secrets. */
export { McpServer, type McpServerProps } from './mcp/mcp-server.js';
export { Challenge, McpSessions } from './mcp/sessions.js';
