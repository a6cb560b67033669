import {
  assertKnownOptions,
  type Context,
  invalidOption,
  type MaybePromise,
  type SecurePrincipal,
} from '@sallyport/core';
import type { SecurePrincipalResolver } from '../../principal.js';
import type { MapAuthorizerContext } from './gateway.js';
import { createToIamPrincipal, IAM_OPTIONS, type IamPrincipalOptions } from './iam.js';
import {
  eventMember,
  type Fields,
  malformed,
  objectOrAbsent,
  ownOf,
  requireText,
  splitScope,
} from './internal/read.js';

export interface AppSyncIdentityOptions extends IamPrincipalOptions {
  /** Makes a principal of a Lambda authorizer's `resolverContext`; without it such callers are nobody. */
  readonly map?: MapAuthorizerContext;
}

/**
 * The caller whom AppSync verified: a Cognito or OIDC user, an IAM caller, or whom a Lambda authorizer let in. An API key
 * names nobody.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function appSyncIdentityPrincipal(options: AppSyncIdentityOptions = {}): SecurePrincipalResolver {
  assertKnownOptions(options, [...IAM_OPTIONS, 'map']);
  const { map } = options;
  if (map !== undefined && typeof map !== 'function') throw invalidOption('map', 'a function');
  const toPrincipal = createToIamPrincipal(options);
  return (ctx: Context): MaybePromise<SecurePrincipal | null | undefined> => {
    if (ctx.triggerKind !== 'appsync') return null;
    const identity = objectOrAbsent(eventMember(ctx, 'identity'));
    if (!identity || Object.keys(identity).length === 0) return null;
    if (ownOf(identity, 'sub') !== undefined) return toUser(identity);
    if (ownOf(identity, 'userArn') !== undefined) return toPrincipal(identity);
    const context = objectOrAbsent(ownOf(identity, 'resolverContext'));
    if (!context) throw malformed();
    return map ? map({ ...context }) : null;
  };
}

function toUser(identity: Fields): SecurePrincipal {
  const claims = objectOrAbsent(ownOf(identity, 'claims')) ?? {};
  return {
    identity: requireText(ownOf(identity, 'sub')),
    scopes: splitScope(ownOf(claims, 'scope')),
    claims: { ...claims },
  };
}
