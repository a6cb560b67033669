import { defineOptions, oneOf } from '@sallyport/core/options';
import { anyText, date, filled, type Given, object, positive } from '../internal/kinds.js';
import { bodyParts, HTTP_KINDS, type HttpOptions, last, listed, requestHeaders, SOURCE_IP, toPairs } from './http.js';
import { type Answered, EPOCH, type GatewayV1Result, gatewayTime, REGION } from './shape.js';

/** Kinds of WebSocket events. */
export type WebSocketEventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

/** Options of {@link buildWebSocketEvent}. */
export interface WebSocketOptions extends Omit<HttpOptions, 'cookies'> {
  /** The route that matched: `$connect`, `$disconnect`, `$default` or a custom route. Default: `$default`. */
  readonly routeKey?: string;
  /** Kind of event. Default: `CONNECT` for `$connect`, `DISCONNECT` for `$disconnect`, else `MESSAGE`. */
  readonly eventType?: WebSocketEventType;
  /** The connection's id. Default: `conn-1`. */
  readonly connectionId?: string;
  /** The message's id. Default: `message-1`. */
  readonly messageId?: string;
  /** Host that the client called. Default: `api1.execute-api.us-east-1.amazonaws.com`. */
  readonly domainName?: string;
  /** Time at which the connection was opened. Default: the epoch. */
  readonly connectedAt?: Date;
  /** Data of an authorizer in the request context. Default: left out. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
  /** Close code of the connection, in `DISCONNECT` events. Default: 1001 (RFC 6455 section 7.4.1). */
  readonly disconnectStatusCode?: number;
  /** Reason of the close, in `DISCONNECT` events. Default: `''`. */
  readonly disconnectReason?: string;
}

/**
 * An event of a gateway's WebSocket API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
 */
export interface WebSocketEvent extends Answered<GatewayV1Result> {
  /** Headers; of several values the last. Absent without headers. */
  readonly headers?: Record<string, string>;
  /** Headers with all their values. Absent without headers. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** Query parameters; of several values the last. Absent without a query. */
  readonly queryStringParameters?: Record<string, string>;
  /** Query parameters with all their values. Absent without a query. */
  readonly multiValueQueryStringParameters?: Record<string, string[]>;
  /** Data of API Gateway about the connection and the event. */
  readonly requestContext: ReturnType<typeof requestContext>;
  /** The message, base64 when `isBase64Encoded`; absent for none. */
  readonly body?: string;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

const { cookies: _cookies, ...SHARED } = HTTP_KINDS;
const OPTIONS = defineOptions<WebSocketOptions>()({
  ...SHARED,
  routeKey: filled,
  eventType: oneOf('CONNECT', 'MESSAGE', 'DISCONNECT'),
  connectionId: filled,
  messageId: filled,
  domainName: filled,
  connectedAt: date,
  authorizer: object(),
  disconnectStatusCode: positive,
  disconnectReason: anyText,
});

const EVENT_TYPES: Readonly<Record<string, WebSocketEventType>> = { $connect: 'CONNECT', $disconnect: 'DISCONNECT' };

/**
 * Builds a WebSocket event.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildWebSocketEvent(options: WebSocketOptions = {}): WebSocketEvent {
  const given = OPTIONS.parse(options);
  const headers = requestHeaders(given);
  const query = toPairs(given.query);
  const { body, isBase64Encoded } = bodyParts(given);
  return {
    ...(headers.length > 0 && { headers: last(headers), multiValueHeaders: listed(headers) }),
    ...(query.length > 0 && { queryStringParameters: last(query), multiValueQueryStringParameters: listed(query) }),
    requestContext: requestContext(given),
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

function requestContext(options: Given<WebSocketOptions>) {
  const { routeKey = '$default', requestId = 'req-1', time = EPOCH, authorizer, sourceIp = SOURCE_IP } = options;
  const eventType = options.eventType ?? EVENT_TYPES[routeKey] ?? 'MESSAGE';
  return {
    routeKey,
    eventType,
    messageId: options.messageId ?? 'message-1',
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
