import { membersOf } from '@sallyport/core/internal';
import type { ClientAnswer, GatewayProxyEvent, GatewayV2Event, WebSocketEvent } from '@sallyport/testkit/events';
import { REGION, toArn } from '../aws/names.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** The doors that can have a Lambda authorizer. Function URLs and load balancers cannot. */
export type AuthorizedDoor = 'gateway-v2' | 'gateway-v1';

/** The result of a Lambda authorizer for a request. */
export type Authorization =
  | { readonly isAllowed: true; readonly authorizer: Readonly<Record<string, unknown>> }
  | { readonly isAllowed: false; readonly status: number; readonly message: string | null };

type Members = Readonly<Record<string, unknown>>;

const FAILED: Readonly<Record<AuthorizedDoor, Authorization>> = {
  'gateway-v2': { isAllowed: false, status: 500, message: 'Internal Server Error' },
  'gateway-v1': { isAllowed: false, status: 500, message: null },
};
const UNAUTHORIZED: Authorization = { isAllowed: false, status: 401, message: 'Unauthorized' };
const FORBIDDEN: Authorization = { isAllowed: false, status: 403, message: 'Forbidden' };
const NOT_ALLOWED = 'User is not authorized to access this resource';

/**
 * The event of a REQUEST authorizer: the event of the function without its body. The authorizer has no cache, so it requires no
 * identity source.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html
 */
export function authorizerEvent(event: GatewayProxyEvent | GatewayV2Event): Record<string, unknown> {
  const { body: _body, isBase64Encoded: _isBase64Encoded, requestContext, ...request } = event;
  const arn = arnOf(event);
  if ('httpMethod' in request) {
    const { authorizer: _authorizer, ...context } = requestContext as GatewayProxyEvent['requestContext'];
    return { type: 'REQUEST', methodArn: arn, ...request, requestContext: context };
  }
  const { authorization } = request.headers;
  const identitySource = authorization === undefined ? null : [authorization];
  return { type: 'REQUEST', routeArn: arn, identitySource, ...request, requestContext };
}

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>` of a request. */
export function arnOf({ requestContext, ...event }: GatewayProxyEvent | GatewayV2Event): string {
  const { accountId, apiId, stage } = requestContext;
  const [method, path] =
    'httpMethod' in event ? [event.httpMethod, event.path] : [httpOf(requestContext).method, event.rawPath];
  return `arn:aws:execute-api:${REGION}:${accountId}:${apiId}/${stage}/${method}${path}`;
}

const httpOf = (context: object) => (context as GatewayV2Event['requestContext']).http;

/**
 * The event of the authorizer of a WebSocket API, which runs only for `$connect`. Its response is evaluated as for a REST API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-lambda-auth.html
 */
export function connectAuthorizerEvent({ requestContext, ...event }: WebSocketEvent): ConnectAuthorizerEvent {
  const { body: _body, isBase64Encoded: _isBase64Encoded, ...request } = event;
  const methodArn = toArn('execute-api', `${requestContext.apiId}/${requestContext.stage}/$connect`);
  return { type: 'REQUEST', methodArn, ...request, stageVariables: {}, requestContext };
}

interface ConnectAuthorizerEvent extends Members {
  readonly methodArn: string;
}

/** The authorization in an authorizer's response, evaluated as API Gateway does. */
export function authorizationOf(kind: AuthorizedDoor, arn: string, outcome: InvokeOutcome): Authorization {
  if (!outcome.ok) {
    const isUnauthorized = outcome.reason === 'handler' && outcome.error.errorMessage === 'Unauthorized';
    return isUnauthorized ? UNAUTHORIZED : FAILED[kind];
  }
  const answer = membersOf(outcome.answer);
  if (kind === 'gateway-v1') return ofRestApi(arn, answer);
  const effect =
    typeof answer.isAuthorized === 'boolean' ? (answer.isAuthorized ? 'allow' : 'none') : effectOf(arn, answer);
  if (effect === 'malformed') return FAILED[kind];
  return effect === 'allow' ? { isAllowed: true, authorizer: { lambda: answer.context ?? null } } : FORBIDDEN;
}

/** A REST API accepts only a policy, and passes the values of its context as strings. */
function ofRestApi(arn: string, answer: Members): Authorization {
  const { principalId } = answer;
  const context = Object.entries(membersOf(answer.context));
  const effect = effectOf(arn, answer);
  const isFlat = context.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  if (effect === 'malformed' || typeof principalId !== 'string' || !isFlat) return FAILED['gateway-v1'];
  if (effect === 'deny') return { isAllowed: false, status: 403, message: `${NOT_ALLOWED} with an explicit deny` };
  if (effect === 'none') return { isAllowed: false, status: 403, message: NOT_ALLOWED };
  const texts = Object.fromEntries(context.map(([name, value]) => [name, String(value)]));
  return { isAllowed: true, authorizer: { ...texts, principalId, integrationLatency: 0 } };
}

/** The effect of the policy on the request; a statement that denies takes precedence. */
function effectOf(arn: string, { policyDocument }: Members): 'allow' | 'deny' | 'none' | 'malformed' {
  const { Statement } = membersOf(policyDocument);
  if (Statement === undefined) return 'malformed';
  const statements = [Statement].flat().map(membersOf);
  if (statements.some(({ Effect }) => Effect !== 'Allow' && Effect !== 'Deny')) return 'malformed';
  const matching = statements.filter(
    ({ Action, Resource }) => matches(Action, 'execute-api:Invoke', 'i') && matches(Resource, arn),
  );
  if (matching.some(({ Effect }) => Effect === 'Deny')) return 'deny';
  return matching.length > 0 ? 'allow' : 'none';
}

/** Patterns of IAM: `*` matches any string, `?` one character. */
function matches(patterns: unknown, text: string, flags = ''): boolean {
  return [patterns].flat().some((pattern) => {
    if (typeof pattern !== 'string') return false;
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\/-]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll(/\*+/g, '.*').replaceAll('?', '.')}$`, `s${flags}`).test(text);
  });
}

/** The response to the client of a rejected request. */
export function refusalOf({ status, message }: Extract<Authorization, { isAllowed: false }>): ClientAnswer {
  return { status, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify({ message })) };
}
