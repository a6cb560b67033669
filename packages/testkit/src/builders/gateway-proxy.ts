import { defineOptions } from '@sallyport/core/options';
import { filled, type Given, object, textMap } from '../internal/kinds.js';
import {
  decodePairs,
  HTTP_KINDS,
  type HttpOptions,
  httpParts,
  last,
  listed,
  placedHeaders,
  SOURCE_IP,
  splitQuery,
} from './http.js';
import { ACCOUNT, type Answered, EPOCH, type GatewayV1Result, gatewayTime, REGION } from './shape.js';

/** Options of {@link buildAPIGatewayProxyRequest}. */
export interface GatewayProxyOptions extends HttpOptions {
  /** The resource's path pattern, `/notes/{id}`. Default: the path. */
  readonly resource?: string;
  /** Data of an authorizer in the request context. Default: `null`. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
  /** Values of the parameters of `resource`. Default: `null`. */
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/**
 * A REST API proxy event, payload version 1.0.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export interface GatewayProxyEvent extends Answered<GatewayV1Result> {
  /** The resource's path pattern. */
  readonly resource: string;
  /** The path as the client sent it, without the stage. */
  readonly path: string;
  /** HTTP method. */
  readonly httpMethod: string;
  /** Headers, names as the client wrote them; of several values the last. */
  readonly headers: Record<string, string>;
  /** Headers with all their values. */
  readonly multiValueHeaders: Record<string, string[]>;
  /** Query parameters, decoded; of several values the last. `null` for none. */
  readonly queryStringParameters: Record<string, string> | null;
  /** Query parameters with all their values, decoded. `null` for none. */
  readonly multiValueQueryStringParameters: Record<string, string[]> | null;
  /** Values of the parameters of `resource`; `null` for none. */
  readonly pathParameters: Record<string, string> | null;
  /** Variables of the stage; always `null`. */
  readonly stageVariables: Record<string, string> | null;
  /** Data of API Gateway about the request: ids, stage, times, caller. */
  readonly requestContext: ReturnType<typeof requestContext>;
  /** The body, base64 when `isBase64Encoded`; `null` for none. */
  readonly body: string | null;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

const OPTIONS = defineOptions<GatewayProxyOptions>()({
  ...HTTP_KINDS,
  resource: filled,
  authorizer: object(),
  pathParameters: textMap,
});

/**
 * Builds a REST API proxy event: both header maps and both query maps, header names as the client wrote them.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAPIGatewayProxyRequest(
  method: string,
  path: string,
  options: GatewayProxyOptions = {},
): GatewayProxyEvent {
  const given = OPTIONS.parse(options);
  const parts = httpParts(method, path, given);
  const headers = placedHeaders('gateway-v1', parts);
  const [, userAgent] = headers.find(([name]) => name.toLowerCase() === 'user-agent') ?? [];
  const query = decodePairs(splitQuery(parts.rawQuery));
  const resource = given.resource ?? parts.path;
  return {
    resource,
    path: parts.path,
    httpMethod: method,
    headers: last(headers),
    multiValueHeaders: listed(headers),
    queryStringParameters: query.length === 0 ? null : last(query),
    multiValueQueryStringParameters: query.length === 0 ? null : listed(query),
    pathParameters: given.pathParameters ? { ...given.pathParameters } : null,
    stageVariables: null,
    requestContext: requestContext(method, parts.path, resource, userAgent ?? null, given),
    body: parts.body ?? null,
    isBase64Encoded: parts.isBase64Encoded,
  };
}

function requestContext(
  httpMethod: string,
  path: string,
  resourcePath: string,
  userAgent: string | null,
  { authorizer, requestId = 'req-1', sourceIp = SOURCE_IP, stage = 'prod', time = EPOCH }: Given<GatewayProxyOptions>,
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
