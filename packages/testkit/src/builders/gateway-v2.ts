import { type Checks, checkOptions, nonBlank, object, textMap } from '../internal/check.js';
import {
  decodeEscapes,
  decodePairs,
  HTTP_CHECKS,
  type HttpOptions,
  type HttpParts,
  httpParts,
  joined,
  lowerNames,
  type Pairs,
  SOURCE_IP,
  splitQuery,
  withCookieHeader,
} from './http.js';
import { ACCOUNT, type Answered, EPOCH, type GatewayV2Result, gatewayTime, REGION } from './shape.js';

export interface GatewayV2Options extends HttpOptions {
  /** `$default` unless given. */
  readonly routeKey?: string;
  /** What an authorizer leaves in the request context: `{ jwt }`, `{ iam }` or `{ lambda }`. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

export interface FunctionUrlOptions extends HttpOptions {
  /** Left out unless given; AWS itself sends `$default`. */
  readonly routeKey?: string;
  readonly authorizer?: Readonly<Record<string, unknown>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/** Payload version 2.0, but for the top-level `routeKey`. */
interface HttpEvent {
  readonly version: string;
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly cookies?: string[];
  readonly headers: Record<string, string>;
  readonly queryStringParameters?: Record<string, string>;
  readonly pathParameters?: Record<string, string>;
  readonly requestContext: HttpRequestContext;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

interface HttpRequestContext {
  readonly accountId: string;
  readonly apiId: string;
  readonly authorizer?: Record<string, unknown>;
  readonly domainName: string;
  readonly domainPrefix: string;
  readonly http: {
    readonly method: string;
    readonly path: string;
    readonly protocol: string;
    readonly sourceIp: string;
    readonly userAgent: string;
  };
  readonly requestId: string;
  readonly routeKey: string;
  readonly stage: string;
  readonly time: string;
  readonly timeEpoch: number;
}

/** An HTTP API event, payload version 2.0. */
export interface GatewayV2Event extends HttpEvent, Answered<GatewayV2Result> {
  readonly routeKey: string;
}

/** A Lambda function URL event. */
export interface FunctionUrlEvent extends HttpEvent, Answered<GatewayV2Result> {
  readonly routeKey?: string;
}

const CHECKS: Checks<GatewayV2Options> = {
  ...HTTP_CHECKS,
  routeKey: nonBlank,
  authorizer: object,
  pathParameters: textMap,
};

/** What tells the two senders of payload version 2.0 apart. */
interface Sender {
  readonly apiId: string;
  readonly domainName: string;
  /** `rawPath` of a path as the client sent it. `requestContext.http.path` is decoded by both. */
  readonly rawPath: (path: string) => string;
  /** Both put cookies into a list; only function URLs leave the header where it was. */
  readonly headers: (parts: HttpParts) => Pairs;
}

const GATEWAY: Sender = {
  apiId: 'api1',
  domainName: `api1.execute-api.${REGION}.amazonaws.com`,
  rawPath: decodeEscapes,
  headers: (parts) => parts.headers,
};
const FUNCTION_URL: Sender = {
  apiId: 'url1',
  domainName: `url1.lambda-url.${REGION}.on.aws`,
  rawPath: (path) => path,
  headers: withCookieHeader,
};

/**
 * An HTTP API event as API Gateway makes it of a client's request: header names in lower case, cookies in a list and not
 * in the headers, the path decoded, and a stage other than `$default` in front of it.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildAPIGatewayV2Request(method: string, path: string, options: GatewayV2Options = {}): GatewayV2Event {
  checkOptions(options, CHECKS);
  const { routeKey = '$default', stage = '$default' } = options;
  const parts = httpParts(method, path, options);
  const prefix = stage === '$default' ? '' : `/${stage}`;
  const staged = { ...parts, path: prefix + parts.path };
  return { version: '2.0', routeKey, ...httpEvent(staged, { ...options, routeKey }, GATEWAY) };
}

/**
 * A function URL event: header names in lower case, cookies in a list and in the headers, `rawPath` as the client sent it
 * and `requestContext.http.path` decoded. Without `routeKey` it has the shape that tells it from an HTTP API by that alone; with
 * `routeKey: '$default'` it is the event exactly as AWS sends it, told by its domain.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildLambdaFunctionURLRequest(
  method: string,
  path: string,
  options: FunctionUrlOptions = {},
): FunctionUrlEvent {
  checkOptions(options, CHECKS);
  const { routeKey } = options;
  const event = httpEvent(httpParts(method, path, options), options, FUNCTION_URL);
  return { version: '2.0', ...(routeKey !== undefined && { routeKey }), ...event };
}

function httpEvent(parts: HttpParts, options: GatewayV2Options, sender: Sender): Omit<HttpEvent, 'version'> {
  const { path, cookies, rawQuery, body, isBase64Encoded } = parts;
  const { pathParameters } = options;
  const headers = joined(lowerNames(sender.headers(parts)));
  return {
    rawPath: sender.rawPath(path),
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
  options: GatewayV2Options,
  { apiId, domainName }: Sender,
): HttpRequestContext {
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
