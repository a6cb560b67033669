import type { SecurePrincipalResolver } from '@sallyport/secure';
import { appSyncIdentityPrincipal } from '@sallyport/secure/authorizers';

/**
 * Authenticates callers by the identity that AppSync has verified. Until an issuer and an audience are configured, all callers are rejected.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`: the issuer and audience of tokens that AppSync accepts
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = environment;
  return issuer && audience ? appSyncIdentityPrincipal() : () => null;
}
