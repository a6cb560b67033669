/** Sign-in for an MCP server with any identity provider: registration, consent, tokens and the metadata documents. */
export {
  type CognitoAuthorizationOptions,
  type CognitoUserPool,
  cognitoAuthorization,
} from './authorization/cognito.js';
export {
  type AuthorizationDocuments,
  type AuthorizationDocumentsOptions,
  authorizationDocuments,
} from './authorization/documents.js';
export type { McpAuthorization } from './authorization/internal/authorization.js';
export { type OidcAuthorizationOptions, oidcAuthorization } from './authorization/oidc.js';
export type { AuthorizationOptions, ProviderFetch } from './authorization/options.js';
