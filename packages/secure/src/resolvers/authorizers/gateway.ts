import { type Context, invalidOption, type MaybePromise, type SecurePrincipal } from '@sallyport/core';
import type { SecurePrincipalResolver } from '../../principal.js';
import {
  contextMember,
  type Fields,
  objectOrAbsent,
  ownOf,
  requireText,
  splitScope,
  textMembers,
} from './internal/read.js';

/** Makes a principal of what a Lambda authorizer gave as its context; the shape is the authorizer's own. */
export type MapAuthorizerContext = (context: Fields) => MaybePromise<SecurePrincipal | null | undefined>;

/** The caller whom an HTTP API's Lambda authorizer verified: `authorizer.lambda` of payload format 2.0. */
export function lambdaAuthorizerV2Principal(map: MapAuthorizerContext): SecurePrincipalResolver {
  if (typeof map !== 'function') throw invalidOption('map', 'a function');
  return (ctx) => {
    if (ctx.triggerKind !== 'gateway-v2') return null;
    const context = objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'lambda'));
    return context ? map({ ...context }) : null;
  };
}

/** Members of `authorizer` that API Gateway adds to the authorizer's own. */
const ADDED = ['principalId', 'integrationLatency'];

/**
 * The caller whom the Lambda authorizer of a REST or WebSocket API verified: `authorizer` with `principalId`. API Gateway
 * sends the context of the `$connect` authorizer with every later message of the connection.
 */
export function lambdaAuthorizerV1Principal(map?: MapAuthorizerContext): SecurePrincipalResolver {
  if (map !== undefined && typeof map !== 'function') throw invalidOption('map', 'a function');
  return (ctx: Context) => {
    if (ctx.triggerKind !== 'gateway-v1' && ctx.triggerKind !== 'websocket') return null;
    const context = objectOrAbsent(contextMember(ctx, 'authorizer'));
    if (!context || ownOf(context, 'principalId') === undefined) return null;
    const identity = requireText(ownOf(context, 'principalId'));
    if (map) return map({ ...context });
    return { identity, scopes: splitScope(ownOf(context, 'scope')), claims: textMembers(context, ADDED) };
  };
}
