import type { SecurePrincipalResolver } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';

/**
 * Authenticates callers. Until an issuer and an audience are configured, all callers are rejected.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`; `JWT_JWKS_URI` if the keys have another address
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URI } = environment;
  if (!issuer || !audience) return () => null;
  const jwksUri = JWT_JWKS_URI || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  return jwtPrincipalResolver({ issuer, audience: [audience], jwksUri });
}
