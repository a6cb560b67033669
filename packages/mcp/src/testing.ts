/** For tests of stores. Never reachable from the root entry. */
export { type McpStoreCase, type McpStoreHarness, mcpStoreConformance } from './store/conformance.js';
