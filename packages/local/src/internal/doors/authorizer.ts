import type { HttpDoorKind } from '@sallyport/testkit/events';
import type { Config } from '../config/config.js';
import { ACCOUNT } from '../host/host.js';
import type { DoorRequest } from './request.js';

/** What a JWT or IAM authorizer of a door leaves in the request context; `{}` without one, and for callers that it cannot read. */
export function authorizerOf(
  kind: HttpDoorKind,
  request: DoorRequest,
  { authorizer }: Config,
): { authorizer?: Record<string, unknown> } {
  if (kind === 'load-balancer') return {};
  if (authorizer === 'iam') return { authorizer: iamOf(kind) };
  if (authorizer !== 'jwt') return {};
  const claims = claimsOf(request.headers);
  if (!claims) return {};
  if (kind === 'gateway-v1') return { authorizer: { claims } };
  const scope = typeof claims.scope === 'string' ? claims.scope.split(' ') : null;
  return { authorizer: { jwt: { claims, scopes: scope } } };
}

function iamOf(kind: HttpDoorKind): Record<string, unknown> {
  const caller = {
    accessKey: 'AKIALOCAL',
    accountId: ACCOUNT,
    callerId: 'AIDALOCAL',
    userArn: `arn:aws:iam::${ACCOUNT}:user/local`,
    userId: 'AIDALOCAL',
  };
  return kind === 'gateway-v1'
    ? caller
    : { iam: { ...caller, cognitoIdentity: null, principalOrgId: 'aws:PrincipalOrgID' } };
}

/** The claims of a bearer token. The page's own issuer has signed it, or the service checks it again itself. */
export function claimsOf(headers: DoorRequest['headers']): Record<string, unknown> | undefined {
  const header = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const payload = /^bearer [\w-]+\.([\w-]+)\.[\w-]+$/i.exec(header)?.[1];
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
