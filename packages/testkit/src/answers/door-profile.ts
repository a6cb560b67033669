import { WEBSOCKET_MAX_MESSAGE_BYTES } from '@sallyport/core/internal';

/** AWS services that put HTTP in front of a function. */
export type HttpDoorKind = 'gateway-v2' | 'gateway-v1' | 'function-url' | 'load-balancer';

/** Reason why a function has no answer for its front door. */
export type DoorFailure =
  /** The function threw, was killed, or returned an answer that the front door rejects. */
  | 'error'
  /** The function exceeded the front door's timeout. */
  | 'timeout'
  /** All environments of the function are busy. */
  | 'throttled';

/** Facts about one front door. */
export interface DoorProfile {
  /** Names of headers in the event. */
  readonly headerNames: 'lower case' | 'as sent';
  /** The client's cookies in the event: in a list, in the header `cookie`, or in both. */
  readonly cookies: 'list' | 'header' | 'both';
  /** The path of the event: percent-decoded, or as the client sent it. */
  readonly path: 'decoded' | 'as sent';
  /** The format of a token's claims in the event: of a JWT authorizer, or of a Cognito authorizer; `undefined`: no such authorizer. */
  readonly claims: 'jwt' | 'cognito' | undefined;
  /** True if the door can send an answer while the function writes it. */
  readonly streams: boolean;
  /** Media types whose bodies are text in the event; other bodies are base64. `undefined`: `binaryMediaTypes` of the API apply. */
  readonly textTypes: RegExp | undefined;
  /** Maximum bytes of a request body. */
  readonly maxBodyBytes: number;
  /** Maximum bytes of all request headers; `undefined`: only the limit of the server. */
  readonly maxHeaderBytes: number | undefined;
  /** Maximum bytes of the function's answer as JSON; `undefined`: only Lambda's limit. */
  readonly maxAnswerBytes: number | undefined;
  /** Milliseconds that the door waits for the function; `undefined`: the function's timeout applies. */
  readonly waitsMs: number | undefined;
  /** Names of the headers that the door adds to a request. */
  readonly added: Readonly<Record<'for' | 'proto' | 'port' | 'trace', string>>;
  /** Headers of an answer that the client receives as `x-amzn-remapped-<name>`, in lower case. */
  readonly remapped: readonly string[];
  /** If `false`, an answer without `statusCode` is sent as the body. */
  readonly needsStatus: boolean;
  /** Content type of an answer without a content type. */
  readonly contentType: string | undefined;
  /** Status and body of the door's own answer to a failure of the function. */
  readonly failures: Readonly<Record<DoorFailure, readonly [status: number, body: string]>>;
}

const MIB = 1024 * 1024;
const LOWER = {
  for: 'x-forwarded-for',
  proto: 'x-forwarded-proto',
  port: 'x-forwarded-port',
  trace: 'x-amzn-trace-id',
};
const UPPER = {
  for: 'X-Forwarded-For',
  proto: 'X-Forwarded-Proto',
  port: 'X-Forwarded-Port',
  trace: 'X-Amzn-Trace-Id',
};
const REMAPPED = ['connection', 'content-length', 'date', 'server', 'www-authenticate'];
const TEXT = /^(?:text\/|application\/(?:json|xml|javascript)\s*(?:;|$))/i;
const INTERNAL_V2 = '{"message":"Internal Server Error"}';
const INTERNAL_V1 = '{"message": "Internal server error"}';
const page = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;

/**
 * The front doors.
 *
 * HTTP API: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html; which types are text was measured in
 * https://github.com/ministackorg/ministack/pull/766. The contract's fixtures `front-doors/` test each row and name its source.
 * REST API: https://docs.aws.amazon.com/apigateway/latest/developerguide/handle-errors-in-lambda-integration.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html (renamed headers),
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html.
 * Load balancer: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html,
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-request-tracing.html.
 * Function URL: https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html.
 */
export const DOOR_PROFILES: Readonly<Record<HttpDoorKind, DoorProfile>> = {
  'gateway-v2': {
    headerNames: 'lower case',
    cookies: 'list',
    path: 'decoded',
    claims: 'jwt',
    streams: false,
    textTypes: TEXT,
    maxBodyBytes: 10 * MIB,
    maxHeaderBytes: 10_240,
    maxAnswerBytes: undefined,
    waitsMs: 30_000,
    added: LOWER,
    remapped: [],
    needsStatus: false,
    contentType: 'text/plain;charset=UTF-8',
    failures: {
      error: [500, INTERNAL_V2],
      timeout: [503, '{"message":"Service Unavailable"}'],
      throttled: [503, '{"message":"Service Unavailable"}'],
    },
  },
  'gateway-v1': {
    headerNames: 'as sent',
    cookies: 'header',
    path: 'as sent',
    claims: 'cognito',
    streams: true,
    textTypes: undefined,
    maxBodyBytes: 10 * MIB,
    maxHeaderBytes: 10_240,
    maxAnswerBytes: undefined,
    waitsMs: 29_000,
    added: UPPER,
    remapped: REMAPPED,
    needsStatus: true,
    contentType: 'application/json',
    failures: {
      error: [502, INTERNAL_V1],
      timeout: [504, '{"message": "Endpoint request timed out"}'],
      throttled: [503, '{"message": "Service Unavailable"}'],
    },
  },
  'function-url': {
    headerNames: 'lower case',
    cookies: 'both',
    path: 'as sent',
    claims: undefined,
    streams: true,
    textTypes: TEXT,
    maxBodyBytes: 6 * MIB,
    maxHeaderBytes: undefined,
    maxAnswerBytes: undefined,
    waitsMs: undefined,
    added: LOWER,
    remapped: REMAPPED,
    needsStatus: false,
    contentType: 'application/json',
    failures: {
      error: [502, 'Internal Server Error'],
      timeout: [502, 'Internal Server Error'],
      throttled: [429, '{"Reason":"ConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}'],
    },
  },
  'load-balancer': {
    headerNames: 'lower case',
    cookies: 'header',
    path: 'as sent',
    claims: undefined,
    streams: false,
    textTypes: TEXT,
    maxBodyBytes: MIB,
    maxHeaderBytes: undefined,
    maxAnswerBytes: MIB,
    waitsMs: undefined,
    added: LOWER,
    remapped: [],
    needsStatus: true,
    contentType: undefined,
    failures: {
      error: [502, page('502 Bad Gateway')],
      timeout: [502, page('502 Bad Gateway')],
      throttled: [502, page('502 Bad Gateway')],
    },
  },
};

/** Facts about a WebSocket API: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html */
export const WEBSOCKET_PROFILE = {
  /** Maximum bytes of one frame of a client. */
  maxFrameBytes: 32 * 1024,
  /** Maximum bytes of a message, in all its frames. */
  maxMessageBytes: WEBSOCKET_MAX_MESSAGE_BYTES,
  /** Maximum bytes of the answer of a Lambda authorizer. */
  maxAuthorizerBytes: 8192,
  /** Milliseconds that the API waits for the function. */
  waitsMs: 29_000,
  /** A connection without a message ends after this many milliseconds. */
  idleMs: 600_000,
  /** A connection ends after this many milliseconds. */
  lifeMs: 7_200_000,
} as const;

/** A request body, and the headers that determine its form in the event. */
export interface SentBody {
  /** The body as the client sent it. */
  readonly bytes: Uint8Array;
  /** The header `content-type`. */
  readonly contentType: string | undefined;
  /** The header `content-encoding`. */
  readonly contentEncoding: string | undefined;
}

/**
 * True if a front door passes a body on as text; other bodies are base64 in the event. A REST API uses only its binary media types: it replaces bytes that are not UTF-8.
 */
export function isTextBody(kind: HttpDoorKind, sent: SentBody, binaryMediaTypes: readonly string[]): boolean {
  const { textTypes } = DOOR_PROFILES[kind];
  if (textTypes === undefined) return !isBinaryType(sent.contentType, binaryMediaTypes);
  if (sent.contentEncoding !== undefined || !textTypes.test(sent.contentType ?? '')) return false;
  const bytes = Buffer.from(sent.bytes);
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

/**
 * True if a REST API treats a media type as binary. API Gateway compares the whole type; the only wildcard is `*` `/` `*`.
 *
 * @param type value of `content-type`, or of `accept`, whose first type counts
 */
export function isBinaryType(type: string | undefined, binaryMediaTypes: readonly string[]): boolean {
  if (binaryMediaTypes.includes('*/*')) return true;
  const [first = ''] = (type ?? '').split(/[,;]/);
  return binaryMediaTypes.includes(first.trim().toLowerCase());
}

/** The headers of an answer as the client receives them: REST APIs and function URLs rename some. */
export function remapHeaders(
  kind: HttpDoorKind,
  headers: readonly (readonly [name: string, value: string])[],
): readonly (readonly [name: string, value: string])[] {
  const { remapped } = DOOR_PROFILES[kind];
  return headers.map(([name, value]) => [
    remapped.includes(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name,
    value,
  ]);
}
