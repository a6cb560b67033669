/** Verification of JSON Web Tokens for other packages: this entry does not load `jose` before the first token. */
export { JwtError, type JwtErrorReason, type JwtVerifier, type VerifiedJwt } from './resolvers/jwt/jwt-error.js';
export { lazyJwtVerifier } from './resolvers/jwt/lazy-verifier.js';
export {
  type JwtClaims,
  type JwtVerifierOptions,
  type KeyFetch,
  VERIFIER_KINDS as JWT_VERIFIER_KINDS,
} from './resolvers/jwt/options.js';
