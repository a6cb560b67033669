import { type Fields, malformed, objectOrAbsent, ownOf, requireText } from './internal/read.js';

/** A caller who signs with credentials of a Cognito identity pool. */
export interface PoolCaller {
  /** What tells the callers of a pool apart; the session name in their ARN is the same for all of them. */
  readonly identityId: string;
  readonly identityPoolId: string | undefined;
  /** Whether the pool gave the credentials to somebody who did not sign in. */
  readonly isGuest: boolean;
}

/**
 * The identity-pool caller in what AWS says of an IAM caller; `undefined` for a caller of another kind.
 *
 * An HTTP API and a function URL have an object `cognitoIdentity` whose `amr` says `authenticated` or `unauthenticated`
 * (https://docs.aws.amazon.com/cognito/latest/developerguide/role-trust-and-permissions.html). A REST or WebSocket API has
 * `cognitoAuthenticationType`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html), AppSync
 * `cognitoIdentityAuthType` (https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html).
 *
 * @throws FrameworkError 401 when it is not clear whether the caller signed in
 */
export function poolCallerOf(identity: Fields): PoolCaller | undefined {
  const cognito = objectOrAbsent(ownOf(identity, 'cognitoIdentity'));
  const [id, pool, marks] = cognito
    ? [ownOf(cognito, 'identityId'), ownOf(cognito, 'identityPoolId'), ownOf(cognito, 'amr')]
    : [ownOf(identity, 'cognitoIdentityId'), ownOf(identity, 'cognitoIdentityPoolId'), markOf(identity)];
  const isPoolCaller = [id, pool, marks].some((value) => !isBlank(value));
  if (!isPoolCaller) return undefined;
  const isGuest = saysGuest(marks);
  return { identityId: requireText(id), identityPoolId: isBlank(pool) ? undefined : requireText(pool), isGuest };
}

/** The two names never stand together; if they do, both must say the same. */
function markOf(identity: Fields): unknown {
  const marks = ['cognitoAuthenticationType', 'cognitoIdentityAuthType']
    .map((name) => ownOf(identity, name))
    .filter((mark) => !isBlank(mark));
  return marks.length > 1 ? marks : marks[0];
}

/** Exactly one of the two marks must be there. @throws FrameworkError 401 */
function saysGuest(marks: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(marks) ? marks : [marks];
  const signedIn = list.includes('authenticated');
  const guest = list.includes('unauthenticated');
  if (signedIn === guest || list.some((mark) => typeof mark !== 'string')) throw malformed();
  return guest;
}

/** The gateways fill in members that have no value, with `null` or an empty text or list. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
