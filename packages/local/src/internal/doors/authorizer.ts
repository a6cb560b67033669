import { type ClientAnswer, type Difference, type HttpDoorKind, toDifference } from '@sallyport/testkit/events';
import { AwsFault } from '../aws/wire.js';
import type { DeployedJwt } from '../deployed/deployed.js';
import { assertSigned, callerOf, type IamDoor } from './iam-authorizer.js';
import { decideByToken, type JwtDecision, type TokenRules } from './jwt-authorizer.js';
import { isPreflight, isPublic } from './public-routes.js';
import type { DoorHost, DoorRequest } from './request.js';

/** The decision of the JWT or IAM authorizer of a door. */
export type DoorDecision =
  | {
      readonly isAllowed: true;
      /** The values that it adds to the request context: `authorizer`, or the `identity` of a REST API with IAM. */
      readonly context: { readonly authorizer?: Record<string, unknown>; readonly identity?: Record<string, unknown> };
    }
  | {
      readonly isAllowed: false;
      /** For the developer only; AWS does not send it to the client. */
      readonly reason: string;
      readonly client: ClientAnswer;
    };

const UNCHECKED: DoorDecision = { isAllowed: true, context: {} };

/** The decision about a request, and what would differ on AWS. */
export interface Decided {
  readonly decision: DoorDecision;
  readonly refused: readonly Difference[];
}

/**
 * Applies the configured authorizer to a request, as AWS does; without a configured authorizer, the JWT authorizer of the deployed route. Preflights and
 * public routes of a service are not authorized: the constructs attach authorizers only to the other routes.
 *
 * @param deployed the JWT authorizer of the deployed route; `undefined` if absent
 */
export async function decide(
  host: DoorHost,
  kind: HttpDoorKind,
  request: DoorRequest,
  deployed?: DeployedJwt,
): Promise<Decided> {
  const { authorizer } = host.config;
  const isUnchecked = kind === 'load-balancer' || isPreflight(request);
  if (isUnchecked || (authorizer !== undefined && isPublic(host.inspection(), request)))
    return { decision: UNCHECKED, refused: [] };
  if (authorizer === 'iam')
    return { decision: decideBySignature(host, kind, request), refused: await refusal(host, kind, request, deployed) };
  const isByToken = authorizer === 'jwt' || (authorizer === undefined && deployed !== undefined);
  if (!isByToken || kind === 'function-url')
    return { decision: UNCHECKED, refused: await refusal(host, kind, request, deployed) };
  const decision = await decideByToken(kind, request.headers, tokenRules(host, deployed));
  return {
    decision: decision.isAllowed
      ? { isAllowed: true, context: { authorizer: decision.authorizer } }
      : tokenRefusal(decision),
    refused: decision.isAllowed ? [KEY] : [],
  };
}

const KEY = toDifference(
  'token.key',
  'the local issuer signs tokens with ES256: a JWT authorizer of API Gateway accepts only RSA keys, so the issuer of the deployed API must sign with RS256',
);

function tokenRules({ identity, config }: DoorHost, deployed?: DeployedJwt): TokenRules {
  const { authorizerScopes } = config;
  const scopes = authorizerScopes.length > 0 ? authorizerScopes : (deployed?.scopes ?? []);
  return { identity, scopes, ...(deployed && { audience: deployed.audience }) };
}

/** The JWT authorizer of the deployed route, if another authorizer is used locally. */
async function refusal(
  host: DoorHost,
  kind: HttpDoorKind,
  { headers }: DoorRequest,
  deployed: DeployedJwt | undefined,
): Promise<readonly Difference[]> {
  if (deployed === undefined || (kind !== 'gateway-v2' && kind !== 'gateway-v1')) return [];
  const decision = await decideByToken(kind, headers, tokenRules(host, deployed));
  if (decision.isAllowed) return [];
  const why = decision.reason === '' ? 'the request has no token' : decision.reason;
  const text = `the JWT authorizer of the deployed route would answer ${decision.status}: ${why}; send a token, as with sallyport send --as ada`;
  return [toDifference('token.refused', text)];
}

function decideBySignature(host: DoorHost, kind: IamDoor, request: DoorRequest): DoorDecision {
  try {
    assertSigned(kind, request, host.keys, host.clock.now().getTime());
  } catch (error) {
    if (!(error instanceof AwsFault)) throw error;
    return { isAllowed: false, reason: error.message, client: signatureRefusal(kind, error) };
  }
  const { userArn, userId, accessKey, accountId } = callerOf(host.keys);
  if (kind === 'gateway-v1')
    return { isAllowed: true, context: { identity: { accessKey, accountId, caller: userId, user: userId, userArn } } };
  const caller = { accessKey, accountId, callerId: userId, userArn, userId };
  const iam = { ...caller, cognitoIdentity: null, principalOrgId: 'aws:PrincipalOrgID' };
  return { isAllowed: true, context: { authorizer: { iam } } };
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-jwt.html */
function tokenRefusal({ status, reason }: Extract<JwtDecision, { isAllowed: false }>): DoorDecision {
  const challenge = reason === '' ? 'Bearer' : `Bearer scope="" error="invalid_token" error_description="${reason}"`;
  const message = status === 401 ? 'Unauthorized' : 'Forbidden';
  return {
    isAllowed: false,
    reason: reason === '' ? 'the request has no token' : reason,
    client: answer(status, { message }, status === 401 ? [['www-authenticate', challenge]] : []),
  };
}

/** Errors of signatures, as a REST API names them: https://repost.aws/knowledge-center/api-gateway-troubleshoot-403-forbidden */
const REST_ERRORS: Readonly<Record<string, readonly [type: string, message: string]>> = {
  MissingAuthenticationToken: ['MissingAuthenticationTokenException', 'Missing Authentication Token'],
  UnrecognizedClientException: [
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  ],
  RequestTimeTooSkewed: ['InvalidSignatureException', 'Signature expired'],
};

function signatureRefusal(kind: IamDoor, { code, message }: AwsFault): ClientAnswer {
  // A function URL writes the member with a capital letter.
  if (kind === 'function-url')
    return answer(403, { Message: 'Forbidden' }, [['x-amzn-errortype', 'AccessDeniedException']]);
  if (kind === 'gateway-v2') return answer(403, { message: 'Forbidden' }, []);
  const [type, text] = REST_ERRORS[code] ?? [code, message];
  return answer(403, { message: text }, [['x-amzn-errortype', type]]);
}

function answer(status: number, body: object, headers: readonly [string, string][]): ClientAnswer {
  return {
    status,
    headers: [['content-type', 'application/json'], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  };
}
