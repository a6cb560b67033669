/** Callers whom AWS has verified, or a connection has been opened for, as principal resolvers. */
export { type AppSyncIdentityOptions, appSyncIdentityPrincipal } from './authorizers/appsync-identity.js';
export { cognitoAuthorizerPrincipal } from './authorizers/cognito-authorizer.js';
export {
  type ConnectionPrincipal,
  type ConnectionPrincipalOptions,
  connectionPrincipal,
} from './authorizers/connection.js';
export { type IamPrincipalOptions, iamPrincipal } from './authorizers/iam.js';
export { jwtAuthorizerPrincipal } from './authorizers/jwt-authorizer.js';
export {
  lambdaAuthorizerV1Principal,
  lambdaAuthorizerV2Principal,
  type MapAuthorizerContext,
} from './authorizers/lambda-authorizer.js';
export type { InternalRolesOptions } from './authorizers/roles.js';
