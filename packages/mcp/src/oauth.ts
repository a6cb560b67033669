// Metadata documents
export {
  createMetadataHandler,
  type McpDiscoveryOptions,
  type MetadataHandlerOptions,
  mcpDiscovery,
} from './oauth/discovery.js';
export {
  type AuthorizationServerMetadata,
  type AuthorizationServerOptions,
  createAuthorizationServerMetadata,
  createProtectedResourceMetadata,
  type ProtectedResourceMetadata,
  type ProtectedResourceOptions,
  protectedResourceMetadataURL,
} from './oauth/metadata.js';
