import type { Context, MaybePromise, PrincipalKind, SecurePrincipal } from '@sallyport/core';
import { ownOf } from '@sallyport/core/internal';
import { boolean, defineOptions, func, kind, list, type ParsedOptions } from '@sallyport/core/options';
import { markAuthorizerReader, type SecurePrincipalResolver } from '../../principal.js';
import type { MapAuthorizerContext } from './gateway.js';
import {
  contextMember,
  eventMember,
  type Fields,
  malformed,
  objectOrAbsent,
  requireText,
  splitScope,
  textMembers,
} from './internal/read.js';

/** The IAM roles of internal callers. */
export interface InternalRolesOptions {
  /**
   * Exact ARNs of roles, `arn:aws:iam::123456789012:role/service/billing`. A caller with a session of such a role is a principal
   * of kind `internal`. Default: none.
   */
  readonly internalRoles?: readonly string[];
}

/** Role names are unique in an account, regardless of their path, and session ARNs do not contain the path. */
const ROLE = /^arn:(aws[a-z-]*):iam::(\d{12}):role\/(?:[\x21-\x7e]+\/)?([\w+=,.@-]+)$/;
const SESSION = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]+)\/[^/]+$/;
/** Used for an ARN without a session; no role has this name. */
const NO_ROLE = '';

/** Options of {@link iamPrincipal}: the accepted callers with AWS credentials, and their kind. */
export interface IamPrincipalOptions extends InternalRolesOptions {
  /**
   * True if a guest of a Cognito identity pool (not signed in) is a principal: of kind `external` regardless of the
   * role, with the claim `guest: true`. Default `false`: a guest has no principal.
   */
  readonly allowGuests?: boolean;
}

/** The validator of the option `internalRoles`. */
const INTERNAL_ROLES = list(
  kind<string>('a role ARN', (value) => typeof value === 'string' && ROLE.test(value)),
  'a list of role ARNs',
);

const IAM_KINDS = {
  internalRoles: INTERNAL_ROLES,
  allowGuests: boolean.default(false),
};
/** Validators and defaults for {@link IamPrincipalOptions}. */
export const IAM_OPTIONS = defineOptions<IamPrincipalOptions>()(IAM_KINDS);

/**
 * The caller whose signature AWS verified: `authorizer.iam` of an HTTP API or a function URL, `identity` of a REST API and
 * of the `$connect` of a WebSocket API. A caller of a Cognito identity pool is identified by the identity id, any other by
 * the ARN.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 * @example iamPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function iamPrincipal(options: IamPrincipalOptions = {}): SecurePrincipalResolver {
  const toPrincipal = createToIamPrincipal(IAM_OPTIONS.parse(options));
  const resolve: SecurePrincipalResolver = (ctx) => {
    const identity = identityOf(ctx);
    return identity ? toPrincipal(identity) : null;
  };
  return markAuthorizerReader(resolve, 'iam');
}

function identityOf(ctx: Context): Fields | undefined {
  const { triggerKind } = ctx;
  if (triggerKind === 'gateway-v1' || triggerKind === 'websocket')
    return objectOrAbsent(contextMember(ctx, 'identity'));
  if (triggerKind !== 'gateway-v2' && triggerKind !== 'function-url') return undefined;
  return objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'iam'));
}

/**
 * Converts the IAM identity of an event to a principal. `null` for an identity without an ARN, because a REST API sends the
 * object for callers of every kind, and for a guest if guests are not allowed.
 */
function createToIamPrincipal({
  internalRoles = [],
  allowGuests,
}: ParsedOptions<typeof IAM_KINDS>): (identity: Fields) => SecurePrincipal | null {
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

/** Returns `internal` if the ARN of a caller is a session of one of these roles. */
function createKindOf(internalRoles: readonly string[]): (userArn: string) => PrincipalKind {
  const roles = new Set(internalRoles.map((arn) => ROLE.exec(arn)?.slice(1).join('/')));
  return (userArn) => (roles.has(SESSION.exec(userArn)?.slice(1).join('/') ?? NO_ROLE) ? 'internal' : 'external');
}

function claimsOf(identity: Fields, userArn: string, pool: PoolCaller | undefined): Record<string, unknown> {
  return {
    userArn,
    accountId: nonEmpty(ownOf(identity, 'accountId')),
    callerId: nonEmpty(ownOf(identity, 'callerId')) ?? nonEmpty(ownOf(identity, 'caller')),
    ...(pool && { cognitoIdentityId: pool.identityId, cognitoIdentityPoolId: pool.identityPoolId }),
    ...(pool?.isGuest && { guest: true }),
  };
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Options of {@link appSyncIdentityPrincipal}: the accepted callers of a GraphQL or an Event API. */
export interface AppSyncIdentityOptions extends IamPrincipalOptions {
  /** Converts a Lambda authorizer's `resolverContext`, or `handlerContext` of an Event API, to a principal. Without it such callers have no principal. */
  readonly map?: MapAuthorizerContext;
}

/** Resolvers of GraphQL APIs, and channels of Event APIs. */
const APPSYNC_TRIGGERS: readonly string[] = ['appsync', 'appsync-events'];

/** Validators and defaults for {@link AppSyncIdentityOptions}. */
export const APPSYNC_OPTIONS = defineOptions<AppSyncIdentityOptions>()({
  ...IAM_KINDS,
  map: func<MapAuthorizerContext>(),
});

/**
 * The caller that AppSync verified: a Cognito or OIDC user, an IAM caller, or a caller that a Lambda authorizer accepted. A
 * caller with an API key has no principal.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 * @example appSyncIdentityPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function appSyncIdentityPrincipal(options: AppSyncIdentityOptions = {}): SecurePrincipalResolver {
  const { map, ...iam } = APPSYNC_OPTIONS.parse(options);
  const toPrincipal = createToIamPrincipal(iam);
  return (ctx: Context): MaybePromise<SecurePrincipal | null | undefined> => {
    if (!APPSYNC_TRIGGERS.includes(ctx.triggerKind)) return null;
    const identity = objectOrAbsent(eventMember(ctx, 'identity'));
    if (!identity || Object.keys(identity).length === 0) return null;
    if (ownOf(identity, 'sub') !== undefined) return toUser(identity);
    if (ownOf(identity, 'userArn') !== undefined) return toPrincipal(identity);
    const context = objectOrAbsent(ownOf(identity, 'resolverContext') ?? ownOf(identity, 'handlerContext'));
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

/** A caller who signs with credentials of a Cognito identity pool. */
interface PoolCaller {
  /** The identity id, which differs between the callers of a pool; the session name in their ARN is the same for all of them. */
  readonly identityId: string;
  readonly identityPoolId: string | undefined;
  /** True if the caller is a guest, who did not sign in. */
  readonly isGuest: boolean;
}

/**
 * The identity-pool caller of an IAM identity; `undefined` for other callers.
 *
 * An HTTP API and a function URL have an object `cognitoIdentity` whose `amr` contains `authenticated` or `unauthenticated`
 * (https://docs.aws.amazon.com/cognito/latest/developerguide/role-trust-and-permissions.html). A REST or WebSocket API has
 * `cognitoAuthenticationType`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html), AppSync
 * `cognitoIdentityAuthType` (https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html).
 *
 * @throws FrameworkError 401 when it is not clear whether the caller signed in
 */
function poolCallerOf(identity: Fields): PoolCaller | undefined {
  const cognito = objectOrAbsent(ownOf(identity, 'cognitoIdentity'));
  const [id, pool, marks] = cognito
    ? [ownOf(cognito, 'identityId'), ownOf(cognito, 'identityPoolId'), ownOf(cognito, 'amr')]
    : [ownOf(identity, 'cognitoIdentityId'), ownOf(identity, 'cognitoIdentityPoolId'), markOf(identity)];
  const isPoolCaller = [id, pool, marks].some((value) => !isEmpty(value));
  if (!isPoolCaller) return undefined;
  const isGuest = saysGuest(marks);
  return { identityId: requireText(id), identityPoolId: isEmpty(pool) ? undefined : requireText(pool), isGuest };
}

/** The two members are never used together; if they are, they must be equal. */
function markOf(identity: Fields): unknown {
  const marks = ['cognitoAuthenticationType', 'cognitoIdentityAuthType']
    .map((name) => ownOf(identity, name))
    .filter((mark) => !isEmpty(mark));
  return marks.length > 1 ? marks : marks[0];
}

/** Exactly one of the two marks is required. @throws FrameworkError 401 */
function saysGuest(marks: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(marks) ? marks : [marks];
  const signedIn = list.includes('authenticated');
  const guest = list.includes('unauthenticated');
  if (signedIn === guest || list.some((mark) => typeof mark !== 'string')) throw malformed();
  return guest;
}

/** Gateways set members without a value to `null`, an empty string or an empty list. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Validators and defaults for the options of {@link latticeIdentityPrincipal}. */
export const LATTICE_OPTIONS = defineOptions<InternalRolesOptions>()({ internalRoles: INTERNAL_ROLES });

/**
 * The caller whose signature VPC Lattice verified: `requestContext.identity` of the event's version 2, and only with the type `AWS_IAM`.
 * Without an auth policy of that type, and with version 1, no caller is a principal: their data would be from plain
 * headers.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 * @example latticeIdentityPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function latticeIdentityPrincipal(options: InternalRolesOptions = {}): SecurePrincipalResolver {
  const kindOf = createKindOf(LATTICE_OPTIONS.parse(options).internalRoles ?? []);
  return (ctx) => {
    if (ctx.triggerKind !== 'lattice') return null;
    const identity = objectOrAbsent(contextMember(ctx, 'identity'));
    if (!identity || ownOf(identity, 'type') !== 'AWS_IAM') return null;
    const principal = requireText(ownOf(identity, 'principal'));
    return { identity: principal, kind: kindOf(principal), claims: textMembers(identity, ['type', 'principal']) };
  };
}
