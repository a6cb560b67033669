import type { SecurePrincipalResolver } from '@sallyport/secure';
import { connectionPrincipal } from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { createConnections } from './connections.js';

/** API Gateway closes a connection after two hours. */
const CONNECTION_SECONDS = 7200;

/**
 * Authenticates callers: checks the token when a connection is opened, and keeps its principal for the messages. Until an issuer and an
 * audience are configured, all callers are rejected.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`; `JWT_JWKS_URI` if the keys have another address
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
  connections = createConnections(environment),
): SecurePrincipalResolver {
  const connect = tokenPrincipal(environment);
  return connectionPrincipal({ store: connections, connect, ttlSeconds: CONNECTION_SECONDS });
}

function tokenPrincipal(environment: Readonly<Record<string, string | undefined>>): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URI } = environment;
  if (!issuer || !audience) return () => null;
  const jwksUri = JWT_JWKS_URI || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  return jwtPrincipalResolver({ issuer, audience: [audience], jwksUri });
}
