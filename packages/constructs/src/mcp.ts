/** MCP servers: routes, sessions, secrets. */
export {
  type AgentCoreMappingProps,
  AgentCoreTarget,
  type AgentCoreTargetProps,
  type AgentCoreTool,
} from './mcp/agent-core-target.js';
export { McpServer, type McpServerProps } from './mcp/mcp-server.js';
export { Challenge, McpSessions } from './mcp/sessions.js';
