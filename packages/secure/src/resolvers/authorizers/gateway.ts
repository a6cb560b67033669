import type { Context, MaybePromise, SecurePrincipal } from '@sallyport/core';
import { ownOf } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { markAuthorizerReader, type SecurePrincipalResolver } from '../../principal.js';
import {
  contextMember,
  type Fields,
  malformed,
  objectOrAbsent,
  requireText,
  splitScope,
  textMembers,
} from './internal/read.js';

/**
 * Converts the context that a Lambda authorizer returned to a principal. Its members depend on the authorizer; return
 * `null` for a caller without a principal.
 */
export type MapAuthorizerContext = (context: Fields) => MaybePromise<SecurePrincipal | null | undefined>;

/**
 * The caller that an HTTP API's Lambda authorizer verified: `authorizer.lambda` of payload format 2.0.
 *
 * @throws FrameworkError `app.invalid_configuration` when `map` is not a function
 * @example lambdaAuthorizerV2Principal(({ user }) => ({ identity: String(user) }));
 */
export function lambdaAuthorizerV2Principal(map: MapAuthorizerContext): SecurePrincipalResolver {
  if (typeof map !== 'function') throw invalidOption('map', 'a function');
  const resolve: SecurePrincipalResolver = (ctx) => {
    if (ctx.triggerKind !== 'gateway-v2') return null;
    const context = objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'lambda'));
    return context ? map({ ...context }) : null;
  };
  return markAuthorizerReader(resolve, 'lambda');
}

/** Members of `authorizer` that API Gateway adds to the authorizer's own. */
const ADDED = ['principalId', 'integrationLatency'];

/**
 * The caller that the Lambda authorizer of a REST or WebSocket API verified: `authorizer` with `principalId`. API Gateway
 * sends the context of the `$connect` authorizer with every later message of the connection. Without `map` the identity is
 * `principalId`, the scopes are `scope` split at spaces, and the claims are the members that are strings, numbers or booleans.
 *
 * @throws FrameworkError `app.invalid_configuration` when `map` is not a function
 */
export function lambdaAuthorizerV1Principal(map?: MapAuthorizerContext): SecurePrincipalResolver {
  if (map !== undefined && typeof map !== 'function') throw invalidOption('map', 'a function');
  const resolve: SecurePrincipalResolver = (ctx) => {
    if (ctx.triggerKind !== 'gateway-v1' && ctx.triggerKind !== 'websocket') return null;
    const context = objectOrAbsent(contextMember(ctx, 'authorizer'));
    if (!context || ownOf(context, 'principalId') === undefined) return null;
    const identity = requireText(ownOf(context, 'principalId'));
    if (map) return map({ ...context });
    return { identity, scopes: splitScope(ownOf(context, 'scope')), claims: textMembers(context, ADDED) };
  };
  return markAuthorizerReader(resolve, 'lambda');
}

/**
 * The caller that an HTTP API's JWT authorizer verified: `authorizer.jwt` of payload format 2.0, `authorizer` itself of
 * format 1.0.
 */
export const jwtAuthorizerPrincipal: (ctx: Context) => SecurePrincipal | null = /* @__PURE__ */ markAuthorizerReader(
  readJwt,
  'jwt',
);

function readJwt(ctx: Context): SecurePrincipal | null {
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
  // The context of a Lambda authorizer is in the same member, but has no such `claims`.
  return ownOf(objectOrAbsent(authorizer), 'claims') === undefined ? undefined : authorizer;
}

function scopesOf(scopes: unknown, claims: Fields): readonly string[] {
  if (scopes === undefined || scopes === null) return splitScope(ownOf(claims, 'scope'));
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string')) throw malformed();
  return scopes as readonly string[];
}

/** The caller that a REST API's Cognito authorizer verified: `authorizer.claims`. */
export const cognitoAuthorizerPrincipal: (ctx: Context) => SecurePrincipal | null =
  /* @__PURE__ */ markAuthorizerReader(readCognito, 'cognito');

function readCognito(ctx: Context): SecurePrincipal | null {
  if (ctx.triggerKind !== 'gateway-v1') return null;
  const claims = objectOrAbsent(ownOf(objectOrAbsent(contextMember(ctx, 'authorizer')), 'claims'));
  if (!claims) return null;
  return {
    identity: requireText(ownOf(claims, 'sub')),
    scopes: splitScope(ownOf(claims, 'scope')),
    claims: textMembers(claims),
  };
}
