import type { SecurePrincipalResolver } from '@sallyport/secure';
import { appSyncIdentityPrincipal } from '@sallyport/secure/authorizers';

/**
 * Says who calls: whom AppSync has verified. Until an issuer and an audience are configured, nobody is let in.
 *
 * @param environment `JWT_ISSUER` (an https address), `JWT_AUDIENCE`: what AppSync accepts tokens of
 */
export function createPrincipalResolver(
  environment: Readonly<Record<string, string | undefined>>,
): SecurePrincipalResolver {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = environment;
  return issuer && audience ? appSyncIdentityPrincipal() : () => null;
}
