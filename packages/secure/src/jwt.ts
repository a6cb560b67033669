/** Callers who prove themselves by a JSON Web Token (RFC 7519) in a bearer header. */
export { type CognitoPrincipalOptions, cognitoPrincipalResolver } from './resolvers/jwt/cognito.js';
export type { JwtClaims, JwtPrincipalOptions, JwtVerifierOptions, KeyFetch } from './resolvers/jwt/options.js';
export { jwtPrincipalResolver } from './resolvers/jwt/resolver.js';
export {
  createJwtVerifier,
  JwtError,
  type JwtErrorReason,
  type JwtVerifier,
  type VerifiedJwt,
} from './resolvers/jwt/verifier.js';
