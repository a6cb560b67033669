/** For tests of stores, and events of agent gateways. The root entry does not import it. */
export {
  type AgentCoreCall,
  type AgentCoreCallOptions,
  buildAgentCoreCall,
  buildInterceptorEvent,
  type InterceptorEventOptions,
} from './agentcore/builders.js';
export { type McpStoreCase, type McpStoreHarness, mcpStoreConformance } from './store/conformance.js';
