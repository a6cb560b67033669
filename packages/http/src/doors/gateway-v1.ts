import { type MultiMap, providerProvenance, type SourceProvenance, unknownProvenance } from '@sallyport/core';
import { createAnswerMap, decodeQueryPart, type OutgoingResponse, type RequestSource } from '@sallyport/core/pipeline';
import type { EncodedBody } from '../pipeline/exchange.js';
import {
  bodyOf,
  bufferedDoor,
  type Door,
  type DoorRequest,
  LAMBDA_MAX_ANSWER_BYTES,
  LOAD_BALANCER_MAX_ANSWER_BYTES,
  objectOf,
  WEBSOCKET_MAX_MESSAGE_BYTES,
} from './internal/event.js';
import { lookupEither, mergeHeaders, type RawHeaders, rawHeaders } from './internal/header-lookup.js';
import { joinHeaders } from './gateway-v2.js';
import { cutStage, escapeDecodedPath, firstText, textOf } from './internal/paths.js';
import { asIs, mapQuery } from './internal/query.js';
import { statusDescription } from './internal/status-description.js';

type ProxyEvent = Readonly<Record<string, unknown>>;

/** What tells the doors of the proxy shape apart. */
interface ProxyTraits {
  /** Whether AWS has decoded the query maps. */
  readonly decodeQuery: (text: string) => string;
  readonly provenance: (event: ProxyEvent) => SourceProvenance;
}

/** The older event shape with single-value and multi-value maps. */
class ProxySource implements RequestSource {
  readonly rawBody: string;
  readonly isBase64: boolean;
  readonly invalidBody: string | undefined;
  readonly #event: ProxyEvent;
  readonly #single: RawHeaders | undefined;
  readonly #multi: RawHeaders | undefined;
  readonly #traits: ProxyTraits;

  constructor(event: ProxyEvent, traits: ProxyTraits) {
    const body = bodyOf(event);
    this.rawBody = body.rawBody as string;
    this.isBase64 = body.isBase64;
    this.invalidBody = body.invalidBody;
    this.#event = event;
    this.#single = rawHeaders(event.headers);
    this.#multi = rawHeaders(event.multiValueHeaders);
    this.#traits = traits;
  }

  headers(): MultiMap {
    return mergeHeaders(this.#multi, this.#single);
  }

  header(name: string): readonly string[] {
    return lookupEither(this.#multi, this.#single, name);
  }

  query(): MultiMap {
    const event = this.#event;
    return mapQuery(event.multiValueQueryStringParameters, event.queryStringParameters, this.#traits.decodeQuery);
  }

  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  provenance(): SourceProvenance {
    return this.#traits.provenance(this.#event);
  }
}

const GATEWAY_V1: ProxyTraits = {
  decodeQuery: asIs,
  provenance: (event) => providerProvenance('apigw-v1', objectOf(objectOf(event.requestContext).identity).sourceIp),
};
const LOAD_BALANCER: ProxyTraits = { decodeQuery: decodeQueryPart, provenance: unknownProvenance };
const WEBSOCKET: ProxyTraits = { decodeQuery: asIs, provenance: unknownProvenance };

/** Values once in `headers`; what has more, in `multiValueHeaders` only. Cookies likewise. */
function writeProxy(response: OutgoingResponse, body: EncodedBody): Record<string, unknown> {
  const headers = createAnswerMap<string>();
  let multi: MultiMap | undefined;
  const put = (name: string, values: readonly string[]) => {
    if (values.length === 1) headers[name] = values[0] as string;
    else if (values.length > 1) {
      multi ??= Object.create(null) as MultiMap;
      multi[name] = [...values];
    }
  };
  for (const name in response.headers) put(name, response.headers[name] as string[]);
  put('set-cookie', response.cookies);
  const answer: Record<string, unknown> = {
    statusCode: response.status,
    headers,
    body: body.body,
    isBase64Encoded: body.isBase64Encoded,
  };
  if (multi) answer.multiValueHeaders = multi;
  return answer;
}

/**
 * API Gateway REST proxy, and HTTP APIs with payload format 1.0. Only the latter send `version: "1.0"`; their path arrives
 * decoded and begins with a stage that has a name.
 */
export const gatewayV1Door: Door = {
  traits: bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, writeProxy),
  read(input): DoorRequest {
    const event = objectOf(input);
    const context = objectOf(event.requestContext);
    const rawPath = firstText(event.path, context.path);
    return {
      method: firstText(event.httpMethod, context.httpMethod),
      path: event.version === '1.0' ? escapeDecodedPath(cutStage(rawPath, context.stage)) : rawPath,
      rawPath,
      source: new ProxySource(event, GATEWAY_V1),
    };
  },
  write: writeProxy,
};

/** API Gateway WebSocket API; the answer of `$connect` decides whether the connection stands. */
export const webSocketDoor: Door = {
  traits: {
    maxAnswerBytes: WEBSOCKET_MAX_MESSAGE_BYTES,
    streams: 'refuse',
    measure: (_response, { body }) => Buffer.byteLength(body),
  },
  read(input): DoorRequest {
    const event = objectOf(input);
    const rawPath = firstText(event.path, '/');
    return { method: textOf(event.httpMethod), path: rawPath, rawPath, source: new ProxySource(event, WEBSOCKET) };
  },
  write: writeProxy,
};

/** Application load balancer. The event tells which of the two header modes the target group is in. */
export const loadBalancerDoor: Door = {
  traits: bufferedDoor(LOAD_BALANCER_MAX_ANSWER_BYTES, writeLoadBalancer),
  read(input): DoorRequest {
    const event = objectOf(input);
    const rawPath = textOf(event.path);
    const source = new ProxySource(event, LOAD_BALANCER);
    return { method: textOf(event.httpMethod), path: rawPath, rawPath, source };
  },
  write: writeLoadBalancer,
};

function writeLoadBalancer(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown> {
  const answer: Record<string, unknown> = {
    statusCode: response.status,
    statusDescription: statusDescription(response.status),
    body: body.body,
    isBase64Encoded: body.isBase64Encoded,
  };
  if (isMultiValue(event)) answer.multiValueHeaders = listHeaders(response);
  else answer.headers = singleHeaders(response);
  return answer;
}

/** Whether a load balancer event is of the multi-value mode; the answer must be of the same. */
export function isMultiValue(event: unknown): boolean {
  return rawHeaders(objectOf(event).multiValueHeaders) !== undefined;
}

function listHeaders({ headers, cookies }: OutgoingResponse): MultiMap {
  const lists = Object.assign(Object.create(null) as MultiMap, headers);
  if (cookies.length > 0) lists['set-cookie'] = cookies;
  return lists;
}

/** More cookies than one go under other spellings of the name: header names ignore case, object keys do not. */
function singleHeaders({ headers, cookies }: OutgoingResponse): Record<string, string> {
  const single = joinHeaders(headers);
  for (const [index, cookie] of cookies.entries()) single[spelling('set-cookie', index)] = cookie;
  return single;
}

/** The `index`-th way to write a name: the bits of the number say which letters are capital. */
function spelling(name: string, index: number): string {
  let bit = 1;
  return name.replace(/[a-z]/g, (letter) => {
    const capital = (index & bit) !== 0;
    bit *= 2;
    return capital ? letter.toUpperCase() : letter;
  });
}
