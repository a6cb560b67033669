import type { Context, SecurePrincipal } from '@sallyport/core';
import { contextMember, objectOrAbsent, ownOf, requireText, splitScope, textMembers } from './internal/read.js';

/** The caller whom a REST API's Cognito authorizer verified: `authorizer.claims`. */
export function cognitoAuthorizerPrincipal(ctx: Context): SecurePrincipal | null {
  if (ctx.triggerKind !== 'gateway-v1') return null;
  const claims = objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'claims'));
  if (!claims) return null;
  return {
    identity: requireText(ownOf(claims, 'sub')),
    scopes: splitScope(ownOf(claims, 'scope')),
    claims: textMembers(claims),
  };
}
