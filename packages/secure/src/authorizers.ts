/** Principal resolvers for callers that AWS has verified, or that opened a WebSocket connection. */
export {
  type ConnectionPrincipal,
  type ConnectionPrincipalOptions,
  connectionPrincipal,
} from './resolvers/authorizers/connection.js';
export {
  cognitoAuthorizerPrincipal,
  jwtAuthorizerPrincipal,
  lambdaAuthorizerV1Principal,
  lambdaAuthorizerV2Principal,
  type MapAuthorizerContext,
} from './resolvers/authorizers/gateway.js';
export {
  type AppSyncIdentityOptions,
  appSyncIdentityPrincipal,
  type IamPrincipalOptions,
  type InternalRolesOptions,
  iamPrincipal,
  latticeIdentityPrincipal,
} from './resolvers/authorizers/identities.js';
