// Tokens for tests, signed by a key that exists only in the issuer.
export { createTokenIssuer, type TokenIssuer, type TokenIssuerOptions, type TokenOptions } from './tokens/issuer.js';
