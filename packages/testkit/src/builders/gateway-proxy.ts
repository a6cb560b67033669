import { type Checks, checkOptions, nonBlank, object, textMap } from '../internal/check.js';
import {
  decodePairs,
  HTTP_CHECKS,
  type HttpOptions,
  httpParts,
  last,
  listed,
  type Pairs,
  SOURCE_IP,
  splitQuery,
  withCookieHeader,
} from './http.js';
import { ACCOUNT, type Answered, EPOCH, type GatewayV1Result, gatewayTime, REGION } from './shape.js';

export interface GatewayProxyOptions extends HttpOptions {
  /** The path unless given. */
  readonly resource?: string;
  readonly authorizer?: Readonly<Record<string, unknown>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/** A REST API proxy event, payload version 1.0. */
export interface GatewayProxyEvent extends Answered<GatewayV1Result> {
  readonly resource: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders: Record<string, string[]>;
  readonly queryStringParameters: Record<string, string> | null;
  readonly multiValueQueryStringParameters: Record<string, string[]> | null;
  readonly pathParameters: Record<string, string> | null;
  readonly stageVariables: Record<string, string> | null;
  readonly requestContext: ReturnType<typeof requestContext>;
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
}

const CHECKS: Checks<GatewayProxyOptions> = {
  ...HTTP_CHECKS,
  resource: nonBlank,
  authorizer: object,
  pathParameters: textMap,
};

/**
 * A REST API proxy event: both header maps and both query maps, header names as the client wrote them.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildAPIGatewayProxyRequest(
  method: string,
  path: string,
  options: GatewayProxyOptions = {},
): GatewayProxyEvent {
  checkOptions(options, CHECKS);
  const parts = httpParts(method, path, options);
  const headers = withCookieHeader(parts);
  const query = decodePairs(splitQuery(parts.rawQuery));
  const resource = options.resource ?? parts.path;
  return {
    resource,
    path: parts.path,
    httpMethod: method,
    headers: last(headers),
    multiValueHeaders: listed(headers),
    queryStringParameters: query.length === 0 ? null : last(query),
    multiValueQueryStringParameters: query.length === 0 ? null : listed(query),
    pathParameters: options.pathParameters ? { ...options.pathParameters } : null,
    stageVariables: null,
    requestContext: requestContext(method, parts.path, resource, userAgentOf(headers), options),
    body: parts.body ?? null,
    isBase64Encoded: parts.isBase64Encoded,
  };
}

function userAgentOf(headers: Pairs): string | null {
  return headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? null;
}

function requestContext(
  httpMethod: string,
  path: string,
  resourcePath: string,
  userAgent: string | null,
  { authorizer, requestId = 'req-1', sourceIp = SOURCE_IP, stage = 'prod', time = EPOCH }: GatewayProxyOptions,
) {
  return {
    accountId: ACCOUNT,
    apiId: 'api1',
    authorizer: authorizer ? structuredClone(authorizer) : null,
    domainName: `api1.execute-api.${REGION}.amazonaws.com`,
    domainPrefix: 'api1',
    extendedRequestId: requestId,
    httpMethod,
    identity: { ...NO_IDENTITY, sourceIp, userAgent },
    path: `/${stage}${path}`,
    protocol: 'HTTP/1.1',
    requestId,
    requestTime: gatewayTime(time),
    requestTimeEpoch: time.getTime(),
    resourceId: 'resource1',
    resourcePath,
    stage,
  };
}

const NO_IDENTITY = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};
