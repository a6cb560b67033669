/** Callers with a JSON Web Token (RFC 7519) in a bearer header. */
export { JwtError, type JwtErrorReason, type JwtVerifier, type VerifiedJwt } from './resolvers/jwt/jwt-error.js';
export type {
  JwtClaims,
  JwtKey,
  JwtKeySet,
  JwtPrincipalOptions,
  JwtVerifierOptions,
  KeyFetch,
} from './resolvers/jwt/options.js';
export {
  type CognitoPrincipalOptions,
  cognitoPrincipalResolver,
  jwtPrincipalResolver,
} from './resolvers/jwt/resolver.js';
export { createJwtVerifier } from './resolvers/jwt/verifier.js';
