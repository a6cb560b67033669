/** For tests of stores. The root entry does not import it. */
export { type McpStoreCase, type McpStoreHarness, mcpStoreConformance } from './store/conformance.js';
