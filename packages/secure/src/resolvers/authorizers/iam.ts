import { assertKnownOptions, type Context, invalidOption, type SecurePrincipal } from '@sallyport/core';
import type { SecurePrincipalResolver } from '../../principal.js';
import { type PoolCaller, poolCallerOf } from './identity-pool.js';
import { contextMember, type Fields, objectOrAbsent, ownOf, requireText } from './internal/read.js';
import { createKindOf, type InternalRolesOptions } from './roles.js';

/** Which callers with AWS credentials are principals, and of which kind. */
export interface IamPrincipalOptions extends InternalRolesOptions {
  /**
   * Whether a guest of a Cognito identity pool, somebody who did not sign in, is a principal: of kind `external` whatever the
   * role, with the claim `guest: true`. Default `false`: a guest is nobody.
   */
  readonly allowGuests?: boolean;
}

/** Names of {@link IamPrincipalOptions}. */
export const IAM_OPTIONS: readonly string[] = ['internalRoles', 'allowGuests'];

/**
 * The caller whose signature AWS verified: `authorizer.iam` of an HTTP API or a function URL, `identity` of a REST API and
 * of the `$connect` of a WebSocket API. A caller of a Cognito identity pool is identified by the identity id, any other by
 * the ARN.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example iamPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function iamPrincipal(options: IamPrincipalOptions = {}): SecurePrincipalResolver {
  assertKnownOptions(options, IAM_OPTIONS);
  const toPrincipal = createToIamPrincipal(options);
  return (ctx) => {
    const identity = identityOf(ctx);
    return identity ? toPrincipal(identity) : null;
  };
}

function identityOf(ctx: Context): Fields | undefined {
  const { triggerKind } = ctx;
  if (triggerKind === 'gateway-v1' || triggerKind === 'websocket')
    return objectOrAbsent(contextMember(ctx, 'identity'));
  if (triggerKind !== 'gateway-v2' && triggerKind !== 'function-url') return undefined;
  return objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'iam'));
}

/**
 * What makes a principal of what AWS says of an IAM caller; `null` for an identity without an ARN, because a REST API fills
 * the object in for callers of every kind, and for a guest who is not allowed.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function createToIamPrincipal({
  internalRoles,
  allowGuests = false,
}: IamPrincipalOptions): (identity: Fields) => SecurePrincipal | null {
  if (typeof allowGuests !== 'boolean') throw invalidOption('allowGuests', 'true or false');
  const kindOf = createKindOf(internalRoles);
  return (identity) => {
    const pool = poolCallerOf(identity);
    const arn = ownOf(identity, 'userArn');
    if (!pool && (arn === undefined || arn === null)) return null;
    if (pool?.isGuest && !allowGuests) return null;
    const userArn = requireText(arn);
    return {
      identity: pool?.identityId ?? userArn,
      kind: pool?.isGuest ? 'external' : kindOf(userArn),
      claims: claimsOf(identity, userArn, pool),
    };
  };
}

function claimsOf(identity: Fields, userArn: string, pool: PoolCaller | undefined): Record<string, unknown> {
  return {
    userArn,
    accountId: textOf(ownOf(identity, 'accountId')),
    callerId: textOf(ownOf(identity, 'callerId')) ?? textOf(ownOf(identity, 'caller')),
    ...(pool && { cognitoIdentityId: pool.identityId, cognitoIdentityPoolId: pool.identityPoolId }),
    ...(pool?.isGuest && { guest: true }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
