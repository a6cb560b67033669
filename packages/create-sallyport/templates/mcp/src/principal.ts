import type { SecurePrincipalResolver } from '@sallyport/secure';
import type { SignIn } from './sign-in.js';

/** Authenticates callers by a token for the MCP server. Until an issuer and an audience are configured, all callers are rejected. */
export function createPrincipalResolver(signIn: SignIn | undefined): SecurePrincipalResolver {
  return signIn?.principalResolver ?? (() => null);
}
