/** Tools for agents that use a gateway of Amazon Bedrock AgentCore, and interceptors of the gateway. */
export {
  type InterceptedRequest,
  type InterceptedResponse,
  type Interception,
  pass,
  type Rewrite,
  reject,
  rewrite,
} from './agentcore/interception.js';
export {
  type AgentCoreInterceptor,
  type AgentCoreInterceptorOptions,
  agentCoreInterceptor,
  type RequestInterceptor,
  type ResponseInterceptor,
} from './agentcore/interceptor.js';
export { type ToolDefinition, type ToolSchema, toToolSchema } from './agentcore/schema.js';
export { type AgentCoreTools, type AgentCoreToolsOptions, agentCoreTools } from './agentcore/tools.js';
