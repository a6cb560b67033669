import { decodeEscapes } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { filled, type Given, object, textMap } from '../internal/kinds.js';
import {
  decodePairs,
  HTTP_KINDS,
  type HttpOptions,
  type HttpParts,
  httpParts,
  joined,
  placedHeaders,
  placedPath,
  SOURCE_IP,
  splitQuery,
} from './http.js';
import { ACCOUNT, type Answered, EPOCH, type GatewayV2Result, gatewayTime, REGION } from './shape.js';

/** Options of {@link buildAPIGatewayV2Request}. */
export interface GatewayV2Options extends HttpOptions {
  /** The route that matched, `GET /notes/{id}`. Default: `$default`. */
  readonly routeKey?: string;
  /** Data of an authorizer in the request context: `{ jwt }`, `{ iam }` or `{ lambda }`. Default: left out. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
  /** Values of the parameters of the route. Default: left out. */
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/** Options of {@link buildLambdaFunctionURLRequest}. */
export interface FunctionUrlOptions extends HttpOptions {
  /** The member `routeKey` at the top of the event. AWS itself sends `$default`. Default: left out. */
  readonly routeKey?: string;
  /** Data about the caller's signature in the request context: `{ iam }`. Default: left out. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
  /** Values of path parameters, which AWS does not send to function URLs. Default: left out. */
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/** Payload version 2.0, except for the top-level `routeKey`. */
export interface PayloadV2 {
  /** Payload version, `2.0`. */
  readonly version: string;
  /** The path: decoded and after its stage from an HTTP API, as the client sent it from a function URL. */
  readonly rawPath: string;
  /** The query as the client sent it, without `?`; `''` for none. */
  readonly rawQueryString: string;
  /** Cookies, each a whole `name=value` pair; absent without cookies. */
  readonly cookies?: string[];
  /** Headers by their lower-case names; several values are joined by a comma. */
  readonly headers: Record<string, string>;
  /** Query parameters, decoded; several values are joined by a comma. Absent without a query. */
  readonly queryStringParameters?: Record<string, string>;
  /** Values of the parameters of the route; absent for none. */
  readonly pathParameters?: Record<string, string>;
  /** Data of AWS about the request: ids, stage, times, caller. */
  readonly requestContext: RequestContextV2;
  /** The body, base64 when `isBase64Encoded`; absent for none. */
  readonly body?: string;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

/** Data of AWS about a request in payload version 2.0. */
export interface RequestContextV2 {
  /** Account number, 12 digits. */
  readonly accountId: string;
  /** Id of the API or of the function URL. */
  readonly apiId: string;
  /** Data of an authorizer; absent if there was no authorizer. */
  readonly authorizer?: Record<string, unknown>;
  /** Host that the client called. */
  readonly domainName: string;
  /** First label of `domainName`. */
  readonly domainPrefix: string;
  /** The request line, the client's address, and its `user-agent` (`''` for none). `path` is decoded. */
  readonly http: {
    readonly method: string;
    readonly path: string;
    readonly protocol: string;
    readonly sourceIp: string;
    readonly userAgent: string;
  };
  /** The request's id. */
  readonly requestId: string;
  /** The route that matched. */
  readonly routeKey: string;
  /** The stage. */
  readonly stage: string;
  /** Arrival time of the request, `01/Jan/1970:00:00:00 +0000`. */
  readonly time: string;
  /** The same in milliseconds since the epoch. */
  readonly timeEpoch: number;
}

/**
 * An HTTP API event, payload version 2.0.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export interface GatewayV2Event extends PayloadV2, Answered<GatewayV2Result> {
  /** The route that matched. */
  readonly routeKey: string;
}

/**
 * A Lambda function URL event.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export interface FunctionUrlEvent extends PayloadV2, Answered<GatewayV2Result> {
  /** `$default` from AWS; absent unless it was given. */
  readonly routeKey?: string;
}

const OPTIONS = defineOptions<GatewayV2Options>()({
  ...HTTP_KINDS,
  routeKey: filled,
  authorizer: object(),
  pathParameters: textMap,
});

/** Differences between the two senders of payload version 2.0. */
interface Sender {
  readonly apiId: string;
  readonly domainName: string;
  readonly kind: 'gateway-v2' | 'function-url';
}

const GATEWAY: Sender = {
  apiId: 'api1',
  domainName: `api1.execute-api.${REGION}.amazonaws.com`,
  kind: 'gateway-v2',
};
const FUNCTION_URL: Sender = {
  apiId: 'url1',
  domainName: `url1.lambda-url.${REGION}.on.aws`,
  kind: 'function-url',
};

/**
 * Builds an HTTP API event as API Gateway makes it of a client's request: header names in lower case, cookies in a list and not
 * in the headers, the path decoded, and a stage other than `$default` in front of it.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAPIGatewayV2Request(method: string, path: string, options: GatewayV2Options = {}): GatewayV2Event {
  const given = OPTIONS.parse(options);
  const { routeKey = '$default', stage = '$default' } = given;
  const parts = httpParts(method, path, given);
  const prefix = stage === '$default' ? '' : `/${stage}`;
  const staged = { ...parts, path: prefix + parts.path };
  return { version: '2.0', routeKey, ...httpEvent(staged, { ...given, routeKey }, GATEWAY) };
}

/**
 * Builds a function URL event: header names in lower case, cookies in a list and in the headers, `rawPath` as the client sent it
 * and `requestContext.http.path` decoded. Without `routeKey` its shape alone distinguishes it from an HTTP API; with
 * `routeKey: '$default'` it is exactly the event that AWS sends, which is recognized by its domain.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildLambdaFunctionURLRequest(
  method: string,
  path: string,
  options: FunctionUrlOptions = {},
): FunctionUrlEvent {
  const given = OPTIONS.parse(options);
  const { routeKey } = given;
  const event = httpEvent(httpParts(method, path, given), given, FUNCTION_URL);
  return { version: '2.0', ...(routeKey !== undefined && { routeKey }), ...event };
}

function httpEvent(parts: HttpParts, options: Given<GatewayV2Options>, sender: Sender): Omit<PayloadV2, 'version'> {
  const { path, cookies, rawQuery, body, isBase64Encoded } = parts;
  const { pathParameters } = options;
  const headers = joined(placedHeaders(sender.kind, parts));
  return {
    // `requestContext.http.path` is decoded for both senders.
    rawPath: placedPath(sender.kind, path),
    rawQueryString: rawQuery,
    ...(cookies.length > 0 && { cookies: [...cookies] }),
    headers,
    ...(rawQuery !== '' && { queryStringParameters: joined(decodePairs(splitQuery(rawQuery))) }),
    ...(pathParameters && { pathParameters: { ...pathParameters } }),
    requestContext: requestContext(parts.method, decodeEscapes(path), headers['user-agent'] ?? '', options, sender),
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

function requestContext(
  method: string,
  path: string,
  userAgent: string,
  options: Given<GatewayV2Options>,
  { apiId, domainName }: Sender,
): RequestContextV2 {
  const { authorizer, sourceIp = SOURCE_IP, time = EPOCH } = options;
  return {
    accountId: ACCOUNT,
    apiId,
    ...(authorizer && { authorizer: structuredClone(authorizer) }),
    domainName,
    domainPrefix: apiId,
    http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent },
    requestId: options.requestId ?? 'req-1',
    routeKey: options.routeKey ?? '$default',
    stage: options.stage ?? '$default',
    time: gatewayTime(time),
    timeEpoch: time.getTime(),
  };
}
