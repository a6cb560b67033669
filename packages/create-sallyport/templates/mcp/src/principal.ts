import type { SecurePrincipalResolver } from '@sallyport/secure';
import type { SignIn } from './sign-in.js';

/** Says who calls: by a token for the MCP server. Until an issuer and an audience are configured, nobody is let in. */
export function createPrincipalResolver(signIn: SignIn | undefined): SecurePrincipalResolver {
  return signIn?.principalResolver ?? (() => null);
}
