import { type ContextKey, contextKey } from '@sallyport/core';

/**
 * Under it a bearer guard that challenges for scopes leaves how: given the scopes that a call needs, the value of the header
 * `www-authenticate` of its 403.
 */
export const SCOPE_CHALLENGE: ContextKey<(scopes: readonly string[]) => string> = contextKey('mcp.scope_challenge');
