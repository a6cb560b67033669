import { assertKnownOptions, type Context, type PrincipalKind, type SecurePrincipal } from '@sallyport/core';
import type { SecurePrincipalResolver } from '../principal.js';
import { contextMember, type Fields, objectOrAbsent, ownOf, requireText } from './read.js';
import { createKindOf, type InternalRolesOptions } from './roles.js';

/**
 * The caller whose signature AWS verified: `authorizer.iam` of an HTTP API or a function URL, `identity` of a REST API.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example iamPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function iamPrincipal(options: InternalRolesOptions = {}): SecurePrincipalResolver {
  assertKnownOptions(options, ['internalRoles']);
  const kindOf = createKindOf(options.internalRoles);
  return (ctx) => {
    const identity = identityOf(ctx);
    return identity ? toIamPrincipal(identity, kindOf) : null;
  };
}

function identityOf(ctx: Context): Fields | undefined {
  if (ctx.triggerKind === 'gateway-v1') return objectOrAbsent(contextMember(ctx, 'identity'));
  if (ctx.triggerKind !== 'gateway-v2' && ctx.triggerKind !== 'function-url') return undefined;
  return objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'iam'));
}

/** `null` for an identity without an ARN: a REST API fills the object in for callers of every kind. */
export function toIamPrincipal(identity: Fields, kindOf: (userArn: string) => PrincipalKind): SecurePrincipal | null {
  const arn = ownOf(identity, 'userArn');
  if (arn === undefined || arn === null) return null;
  const userArn = requireText(arn);
  return { identity: userArn, kind: kindOf(userArn), claims: claimsOf(identity) };
}

function claimsOf(identity: Fields): Record<string, unknown> {
  const cognito = objectOrAbsent(ownOf(identity, 'cognitoIdentity'));
  return {
    accountId: textOf(ownOf(identity, 'accountId')),
    callerId: textOf(ownOf(identity, 'callerId')) ?? textOf(ownOf(identity, 'caller')),
    cognitoIdentityId: textOf(ownOf(cognito ?? identity, cognito ? 'identityId' : 'cognitoIdentityId')),
    cognitoIdentityPoolId: textOf(ownOf(cognito ?? identity, cognito ? 'identityPoolId' : 'cognitoIdentityPoolId')),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
