/** Where an MCP server is mounted unless it is told otherwise. */
export const MCP_PATH = '/mcp';
