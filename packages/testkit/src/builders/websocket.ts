import { type Checks, checkOptions, date, nonBlank, object, oneOf, positive, text } from '../internal/check.js';
import {
  bodyParts,
  HTTP_CHECKS,
  type HttpOptions,
  last,
  listed,
  type Pairs,
  requestHeaders,
  SOURCE_IP,
  toPairs,
} from './http.js';
import { type Answered, EPOCH, type GatewayV1Result, gatewayTime, REGION } from './shape.js';

export type WebSocketEventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

export interface WebSocketOptions extends Omit<HttpOptions, 'cookies'> {
  /** `$default` unless given. */
  readonly routeKey?: string;
  /** `CONNECT` for `$connect`, `DISCONNECT` for `$disconnect`, else `MESSAGE`. */
  readonly eventType?: WebSocketEventType;
  /** `conn-1` unless given. */
  readonly connectionId?: string;
  readonly domainName?: string;
  readonly connectedAt?: Date;
  readonly authorizer?: Readonly<Record<string, unknown>>;
  /** Close code of the connection, in `DISCONNECT` events: 1001 unless given (RFC 6455 section 7.4.1: going away). */
  readonly disconnectStatusCode?: number;
  /** In `DISCONNECT` events; `''` unless given. */
  readonly disconnectReason?: string;
}

/** An event of a gateway's WebSocket API. */
export interface WebSocketEvent extends Answered<GatewayV1Result> {
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly queryStringParameters?: Record<string, string>;
  readonly multiValueQueryStringParameters?: Record<string, string[]>;
  readonly requestContext: ReturnType<typeof requestContext>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

const { cookies: _cookies, ...SHARED_CHECKS } = HTTP_CHECKS;
const CHECKS: Checks<WebSocketOptions> = {
  ...SHARED_CHECKS,
  routeKey: nonBlank,
  eventType: oneOf('CONNECT', 'MESSAGE', 'DISCONNECT'),
  connectionId: nonBlank,
  domainName: nonBlank,
  connectedAt: date,
  authorizer: object,
  disconnectStatusCode: positive,
  disconnectReason: text,
};

const EVENT_TYPES: Readonly<Record<string, WebSocketEventType>> = { $connect: 'CONNECT', $disconnect: 'DISCONNECT' };

/**
 * A WebSocket event.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildWebSocketEvent(options: WebSocketOptions = {}): WebSocketEvent {
  checkOptions(options, CHECKS);
  const headers = requestHeaders(options);
  const query = toPairs(options.query);
  const { body, isBase64Encoded } = bodyParts(options);
  return {
    ...(headers.length > 0 && { headers: last(headers), multiValueHeaders: listed(headers) }),
    ...(query.length > 0 && queryMaps(query)),
    requestContext: requestContext(options),
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

function queryMaps(query: Pairs) {
  return { queryStringParameters: last(query), multiValueQueryStringParameters: listed(query) };
}

function requestContext(options: WebSocketOptions) {
  const { routeKey = '$default', requestId = 'req-1', time = EPOCH, authorizer, sourceIp = SOURCE_IP } = options;
  const eventType = options.eventType ?? EVENT_TYPES[routeKey] ?? 'MESSAGE';
  return {
    routeKey,
    eventType,
    messageId: 'message-1',
    messageDirection: 'IN' as const,
    ...(authorizer && { authorizer: structuredClone(authorizer) }),
    ...(eventType === 'DISCONNECT' && {
      disconnectStatusCode: options.disconnectStatusCode ?? 1001,
      disconnectReason: options.disconnectReason ?? '',
    }),
    extendedRequestId: requestId,
    requestTime: gatewayTime(time),
    requestTimeEpoch: time.getTime(),
    stage: options.stage ?? 'dev',
    connectedAt: (options.connectedAt ?? EPOCH).getTime(),
    identity: { sourceIp },
    requestId,
    domainName: options.domainName ?? `api1.execute-api.${REGION}.amazonaws.com`,
    connectionId: options.connectionId ?? 'conn-1',
    apiId: 'api1',
  };
}
