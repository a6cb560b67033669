// Bearer tokens

// An authorization server
export { type AuthorizeResponseOptions, createAuthorizeResponse } from './oauth/authorize.js';
export {
  type BearerGuard,
  type BearerOptions,
  bearerClaims,
  bearerToken,
  createBearerGuard,
  requireBearerTokenMiddleware,
} from './oauth/bearer.js';
export {
  type ClientMetadataLoader,
  type ClientMetadataLoaderOptions,
  createClientMetadataLoader,
  type DocumentClient,
  isClientMetadataURL,
} from './oauth/client-metadata.js';
export {
  type AuthorizationCode,
  type AuthorizationCodeStore,
  type AuthorizationCodeStoreOptions,
  createAuthorizationCodeStore,
  type RedeemedCode,
} from './oauth/codes.js';
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
export { OAuthError, type OAuthErrorName } from './oauth/oauth-error.js';
export { createPkceVerifier, isPkceChallenge, isPkceVerifier, pkceChallenge, verifyPkce } from './oauth/pkce.js';
export {
  createOpaqueToken,
  createRefreshTokenStore,
  type Grant,
  type RefreshTokenStore,
  type RefreshTokenStoreOptions,
  type Rotation,
  type RotationRefusal,
} from './oauth/refresh-tokens.js';
export {
  CLAUDE_REGISTRATION_POLICY,
  type ClientMetadata,
  type ClientRegistrationPolicy,
  type ClientSecret,
  createRegistrationHandler,
  type RegisteredClient,
  type RegistrationHandlerOptions,
  validateClientRegistration,
} from './oauth/registration.js';
export { hashBearerToken, type StaticBearerOptions, staticBearerValidator } from './oauth/static-validator.js';
export {
  type ClientCredentials,
  createTokenHandler,
  type IssuedAccessToken,
  type TokenHandlerOptions,
} from './oauth/token-handler.js';
export {
  type BearerClaims,
  BearerError,
  type BearerErrorReason,
  BearerUnavailable,
  type MatchedRoute,
  type Validator,
} from './oauth/validator.js';
