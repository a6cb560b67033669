/** Callers whom AWS has verified, or a connection has been opened for, as principal resolvers. */
export { type AppSyncIdentityOptions, appSyncIdentityPrincipal } from './resolvers/authorizers/appsync-identity.js';
export { cognitoAuthorizerPrincipal } from './resolvers/authorizers/cognito-authorizer.js';
export {
  type ConnectionPrincipal,
  type ConnectionPrincipalOptions,
  connectionPrincipal,
} from './resolvers/authorizers/connection.js';
export {
  lambdaAuthorizerV1Principal,
  lambdaAuthorizerV2Principal,
  type MapAuthorizerContext,
} from './resolvers/authorizers/gateway.js';
export { type IamPrincipalOptions, iamPrincipal } from './resolvers/authorizers/iam.js';
export { jwtAuthorizerPrincipal } from './resolvers/authorizers/jwt-authorizer.js';
export type { InternalRolesOptions } from './resolvers/authorizers/roles.js';
