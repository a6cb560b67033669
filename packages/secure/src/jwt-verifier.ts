/** Verification of JSON Web Tokens for other packages, without a principal resolver. */
export { JwtError, type JwtErrorReason, type JwtVerifier, type VerifiedJwt } from './resolvers/jwt/jwt-error.js';
export {
  type JwtClaims,
  type JwtKey,
  type JwtKeySet,
  type JwtVerifierOptions,
  type KeyFetch,
  VERIFIER_KINDS as JWT_VERIFIER_KINDS,
} from './resolvers/jwt/options.js';
export { createJwtVerifier } from './resolvers/jwt/verifier.js';
