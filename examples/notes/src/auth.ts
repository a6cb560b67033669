import type { GroupedConnectionRegistry } from '@sallyport/connections';
import { firstPrincipal, type SecurePrincipalResolver } from '@sallyport/secure';
import { type ConnectionPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver, type KeyFetch } from '@sallyport/secure/jwt';

export interface AuthConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string;
  /** Fetches the issuer's keys; the platform's `fetch` by default. */
  readonly fetch?: KeyFetch;
}

/** Open WebSocket connections, who opened them, and what they watch. All instances share it. */
export type Connections = GroupedConnectionRegistry<ConnectionPrincipal>;

/** Callers show a JWT; over a WebSocket they show it once, at `$connect`. */
export function createPrincipalResolver(
  { issuer, audience, jwksUri, fetch }: AuthConfig,
  store: Connections,
): SecurePrincipalResolver {
  const jwt = jwtPrincipalResolver({ issuer, jwksUri, audience: [audience], ...(fetch ? { fetch } : {}) });
  return firstPrincipal(connectionPrincipal({ store, connect: jwt, ttlSeconds: 7200 }), jwt);
}
