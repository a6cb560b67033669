import { firstPrincipal, type SecurePrincipalResolver } from '@sallyport/secure';
import { appSyncIdentityPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { createConnections } from './connections.js';

/** API Gateway closes a connection after two hours. */
const CONNECTION_SECONDS = 7200;

/**
 * Authenticates callers: by the token of the request, by the connection of a message, or by the identity that AppSync has verified. Until an
 * issuer and an audience are configured, all callers are rejected.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`; `JWT_JWKS_URI` if the keys have another address
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
  connections = createConnections(environment),
): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URI } = environment;
  const ofConnection = (connect: SecurePrincipalResolver) =>
    connectionPrincipal({ store: connections, connect, ttlSeconds: CONNECTION_SECONDS });
  if (!issuer || !audience) return ofConnection(() => null);
  const jwksUri = JWT_JWKS_URI || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const ofToken = jwtPrincipalResolver({ issuer, audience: [audience], jwksUri });
  return firstPrincipal(ofConnection(ofToken), appSyncIdentityPrincipal(), ofToken);
}
