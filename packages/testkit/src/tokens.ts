// Tokens for tests, signed by a key that nobody else has.
export { createTokenIssuer, type TokenIssuer, type TokenIssuerOptions, type TokenOptions } from './tokens/issuer.js';
