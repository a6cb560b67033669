import { firstPrincipal, type SecurePrincipalResolver } from '@sallyport/secure';
import { appSyncIdentityPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { createConnections } from './connections.js';

/** API Gateway closes a connection after two hours. */
const CONNECTION_SECONDS = 7200;

/**
 * Says who calls: by the token of the request, by the connection that a message came through, or as AppSync has verified. Until an
 * issuer and an audience are configured, nobody is let in.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`; `JWT_JWKS_URI` where the keys stand elsewhere
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
  connections = createConnections(environment),
): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URI } = environment;
  const ofConnection = (connect: SecurePrincipalResolver) =>
    connectionPrincipal({ store: connections, connect, ttlSeconds: CONNECTION_SECONDS });
  if (!issuer || !audience) return ofConnection(() => null);
  const jwksUri = JWT_JWKS_URI ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const ofToken = jwtPrincipalResolver({ issuer, audience: [audience], jwksUri });
  return firstPrincipal(ofConnection(ofToken), appSyncIdentityPrincipal(), ofToken);
}
