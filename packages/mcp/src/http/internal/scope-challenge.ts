import { type ContextKey, contextKey } from '@sallyport/core';

/**
 * Set by a bearer guard with the option `scopeChallenge`: returns the header `www-authenticate` of a 403 for the scopes that a call
 * requires.
 */
export const SCOPE_CHALLENGE: ContextKey<(scopes: readonly string[]) => string> = contextKey('mcp.scope_challenge');
