import type { Context, SecurePrincipal } from '@sallyport/core';
import {
  contextMember,
  type Fields,
  malformed,
  objectOrAbsent,
  ownOf,
  requireText,
  splitScope,
  textMembers,
} from './internal/read.js';

/**
 * The caller whom an HTTP API's JWT authorizer verified: `authorizer.jwt` of payload format 2.0, `authorizer` itself of
 * format 1.0.
 */
export function jwtAuthorizerPrincipal(ctx: Context): SecurePrincipal | null {
  const place = placeOf(ctx);
  const jwt = objectOrAbsent(place);
  if (!jwt) return null;
  const claims = objectOrAbsent(ownOf(jwt, 'claims'));
  if (!claims) throw malformed();
  return {
    identity: requireText(ownOf(claims, 'sub')),
    scopes: scopesOf(ownOf(jwt, 'scopes'), claims),
    claims: textMembers(claims),
  };
}

function placeOf(ctx: Context): unknown {
  const authorizer = contextMember(ctx, 'authorizer');
  if (ctx.triggerKind === 'gateway-v2') return ownOf(objectOrAbsent(authorizer), 'jwt');
  if (ctx.triggerKind !== 'gateway-v1' || ownOf(ctx.event, 'version') !== '1.0') return undefined;
  // A Lambda authorizer's context stands in the same place.
  return ownOf(objectOrAbsent(authorizer), 'claims') === undefined ? undefined : authorizer;
}

function scopesOf(scopes: unknown, claims: Fields): readonly string[] {
  if (scopes === undefined || scopes === null) return splitScope(ownOf(claims, 'scope'));
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string')) throw malformed();
  return scopes as readonly string[];
}
