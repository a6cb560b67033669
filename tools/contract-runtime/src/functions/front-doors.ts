import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  clientAnswer,
  clientFailure,
  DOOR_PROFILES,
  type DoorFailure,
  doorDifferences,
  GRAPHQL_PROFILE,
  graphqlDifferences,
  type HttpDoorKind,
  isTextBody,
  STREAM_PROFILES,
  type StreamingDoorKind,
  streamDifferences,
  WEBSOCKET_PROFILE,
  webSocketDifferences,
} from '@sallyport/testkit/events';

type Pair = readonly [name: string, value: string];

/** One request of a client, and the settings of the front door. */
interface Request {
  readonly door: HttpDoorKind;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly Pair[];
  readonly body?: string | { readonly base64: string };
  readonly binary_media_types?: readonly string[];
  readonly multi_value?: boolean;
}

/** The event that a front door makes of a request, as the builders of the test kit write it. */
export function event(request: Request): object {
  const { door, method = 'GET', path = '/', headers = [], body = '', binary_media_types = [], multi_value } = request;
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64');
  const sent = { bytes, contentType: header('content-type'), contentEncoding: header('content-encoding') };
  const isText = isTextBody(door, sent, binary_media_types);
  const lists = new Map<string, string[]>();
  for (const [name, value] of headers) lists.set(name, [...(lists.get(name) ?? []), value]);
  const options = {
    headers: Object.fromEntries(lists),
    ...(bytes.length > 0 && { body: isText ? bytes.toString('utf8') : new Uint8Array(bytes) }),
  };
  if (door === 'gateway-v2') return buildAPIGatewayV2Request(method, path, options);
  if (door === 'gateway-v1') return buildAPIGatewayProxyRequest(method, path, options);
  if (door === 'function-url') return buildLambdaFunctionURLRequest(method, path, { routeKey: '$default', ...options });
  return buildLoadBalancerRequest(method, path, { ...options, multiValue: multi_value ?? false });
}

/** An answer of a function, or the reason of its failure. */
interface Answer extends Pick<Request, 'door' | 'binary_media_types' | 'multi_value'> {
  readonly answer?: unknown;
  readonly failure?: DoorFailure;
  readonly accept?: string;
}

/** The response that the client of a front door receives; `rejected` if the front door does not accept the answer. */
export function answer({ door, answer: given, failure, accept, binary_media_types = [], multi_value }: Answer): object {
  const { status, headers, body, refused } = failure
    ? clientFailure(door, failure)
    : clientAnswer(door, given, {
        binaryMediaTypes: binary_media_types,
        ...(accept !== undefined && { accept }),
        ...(multi_value !== undefined && { multiValue: multi_value }),
      });
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8');
  return {
    status,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
    body: Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') },
    ...(refused !== undefined && { rejected: true }),
  };
}

/** The topics of what would differ on AWS. */
export function differences({
  door,
  answer: given,
  accept,
  binary_media_types,
  multi_value,
}: Answer): readonly string[] {
  const options = {
    ...(binary_media_types && { binaryMediaTypes: binary_media_types }),
    ...(multi_value !== undefined && { multiValue: multi_value }),
  };
  return doorDifferences(door, { answer: given, accept }, options).map(({ topic }) => topic);
}

/** Topics of the differences of a streamed answer, a GraphQL field or a WebSocket message. */
export function apiDifferences(exchange: ApiExchange): readonly string[] {
  const found =
    exchange.door === 'graphql'
      ? graphqlDifferences({
          ...(exchange.event_bytes !== undefined && { eventBytes: exchange.event_bytes }),
          ...(exchange.answer_bytes !== undefined && { answerBytes: exchange.answer_bytes }),
          ...(exchange.duration_ms !== undefined && { durationMs: exchange.duration_ms }),
        })
      : exchange.door === 'websocket'
        ? webSocketDifferences({
            ...(exchange.answer_bytes !== undefined && { sentBytes: exchange.answer_bytes }),
            ...(exchange.duration_ms !== undefined && { durationMs: exchange.duration_ms }),
          })
        : streamDifferences(exchange.door, {
            prelude: exchange.prelude,
            ...(exchange.answer_bytes !== undefined && { bytes: exchange.answer_bytes }),
            ...(exchange.duration_ms !== undefined && { durationMs: exchange.duration_ms }),
          });
  return found.map(({ topic }) => topic);
}

/** One exchange that is not a buffered answer of an HTTP front door. */
interface ApiExchange {
  readonly door: 'graphql' | 'websocket' | StreamingDoorKind;
  readonly prelude?: unknown;
  readonly event_bytes?: number;
  readonly answer_bytes?: number;
  readonly duration_ms?: number;
}

/** The front door, and whether its answers are streamed. */
interface Limited {
  readonly door: HttpDoorKind | 'websocket' | 'graphql';
  readonly streamed?: boolean;
}

/** Limits of a front door in bytes and milliseconds, `null` if absent, and the headers that it adds. */
export function limits({ door, streamed = false }: Limited): object {
  if (door === 'websocket') {
    const { maxFrameBytes, maxMessageBytes, idleMs, lifeMs, waitsMs, maxAuthorizerBytes } = WEBSOCKET_PROFILE;
    return {
      frame_bytes: maxFrameBytes,
      message_bytes: maxMessageBytes,
      idle_ms: idleMs,
      life_ms: lifeMs,
      waits_ms: waitsMs,
      authorizer_bytes: maxAuthorizerBytes,
    };
  }
  if (door === 'graphql') {
    const { maxEventBytes, maxAnswerBytes, waitsMs } = GRAPHQL_PROFILE;
    return { event_bytes: maxEventBytes, answer_bytes: maxAnswerBytes, waits_ms: waitsMs };
  }
  if (streamed && (door === 'gateway-v1' || door === 'function-url')) {
    const { maxBytes, maxMs, idleMs, maxPreludeBytes, needsPrelude, members } = STREAM_PROFILES[door];
    return {
      answer_bytes: maxBytes,
      answer_ms: maxMs ?? null,
      idle_ms: idleMs ?? null,
      prelude_bytes: maxPreludeBytes ?? null,
      needs_prelude: needsPrelude,
      members,
    };
  }
  const { maxBodyBytes, maxHeaderBytes, maxAnswerBytes, waitsMs, streams, claims, added } = DOOR_PROFILES[door];
  return {
    body_bytes: maxBodyBytes,
    header_bytes: maxHeaderBytes ?? null,
    answer_bytes: maxAnswerBytes ?? null,
    waits_ms: waitsMs ?? null,
    streams,
    claims: claims ?? null,
    added: Object.values(added),
  };
}
