// Bearer tokens
export {
  type BearerGuard,
  type BearerOptions,
  bearerClaims,
  bearerToken,
  createBearerGuard,
  requireBearerTokenMiddleware,
} from './oauth/bearer.js';
// Metadata documents
export {
  createMetadataHandler,
  type McpDiscoveryOptions,
  type MetadataHandlerOptions,
  mcpDiscovery,
} from './oauth/discovery.js';
export { type JwtBearerOptions, jwtBearerValidator } from './oauth/jwt-validator.js';
export {
  type AuthorizationServerMetadata,
  type AuthorizationServerOptions,
  createAuthorizationServerMetadata,
  createProtectedResourceMetadata,
  type ProtectedResourceMetadata,
  type ProtectedResourceOptions,
  protectedResourceMetadataURL,
} from './oauth/metadata.js';
export { hashBearerToken, type StaticBearerOptions, staticBearerValidator } from './oauth/static-validator.js';
export {
  type BearerClaims,
  BearerError,
  type BearerErrorReason,
  BearerUnavailable,
  type MatchedRoute,
  type Validator,
} from './oauth/validator.js';
