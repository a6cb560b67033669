export { MCP_PATH } from './path.js';
