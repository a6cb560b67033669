/** Callers who prove themselves by a JSON Web Token (RFC 7519) in a bearer header. */
export { type CognitoPrincipalOptions, cognitoPrincipalResolver } from './jwt/cognito.js';
export type { JwtClaims, JwtPrincipalOptions, JwtVerifierOptions, KeyFetch } from './jwt/options.js';
export { jwtPrincipalResolver } from './jwt/resolver.js';
export {
  createJwtVerifier,
  JwtError,
  type JwtErrorReason,
  type JwtVerifier,
  type VerifiedJwt,
} from './jwt/verifier.js';
