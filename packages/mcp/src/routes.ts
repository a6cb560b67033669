// Endpoints: kinds, parsing and building
export {
  ENDPOINT_KINDS,
  type EndpointKind,
  type McpEndpoint,
  mcpPathFor,
  parseMcpPath,
} from './routes/endpoint.js';
// Paths: constants, normal form and what is derived of a resource path
export {
  authorizationServerPathFor,
  authorizationServerSuffixPathFor,
  authorizePathFor,
  MCP_PATH,
  MCP_ROUTE_CONTRACT_VERSION,
  normalizeMcpPath,
  OAUTH_AUTHORIZATION_SERVER_MCP_PATH,
  OAUTH_AUTHORIZATION_SERVER_PATH,
  OAUTH_PROTECTED_RESOURCE_MCP_PATH,
  OAUTH_PROTECTED_RESOURCE_PATH,
  PARAM_AGENT_ID,
  PARAM_CLIENT_NAMESPACE,
  PARAM_PARTNER_ID,
  protectedResourcePathFor,
  resourcePathFromProtectedResourcePath,
  tokenPathFor,
} from './routes/paths.js';
// Templates of the supported routes
export {
  type EndpointTemplate,
  type OAuthDiscoveryTemplate,
  type OAuthFacadeTemplate,
  supportedEndpointTemplates,
  supportedOAuthDiscoveryTemplates,
  supportedOAuthFacadeTemplates,
} from './routes/templates.js';
