import type { MultiMap, SourceProvenance } from '@sallyport/core';
import {
  createFastMap,
  type EncodedBody,
  LAMBDA_MAX_ANSWER_BYTES,
  type OutgoingResponse,
  providerProvenance,
  type RequestSource,
} from '@sallyport/core/internal';
import {
  asIs,
  bodyOf,
  bufferedDoor,
  cutStage,
  escapeDecodedPath,
  firstText,
  type HttpDoor,
  lookupEither,
  mapQuery,
  mergeHeaders,
  objectOf,
  type RawHeaders,
  rawHeaders,
} from './event.js';

type ProxyEvent = Readonly<Record<string, unknown>>;

/** The differences between doors with the proxy shape. */
export interface ProxyTraits {
  /** True if AWS has decoded the query maps. */
  readonly decodeQuery: (text: string) => string;
  /** The address of the client, if the event contains one. */
  readonly provenance: (event: ProxyEvent) => SourceProvenance;
}

/** The older event shape with single-value and multi-value maps. */
export class ProxySource implements RequestSource {
  /** Text of the body; `''` if absent. */
  readonly rawBody: string;
  /** True if the body is base64. */
  readonly isBase64: boolean;
  /** The problem of a body that cannot be read. */
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

  /** All headers; the multi-value map takes precedence. */
  headers(): MultiMap {
    return mergeHeaders(this.#multi, this.#single);
  }

  /** The values of one header. */
  header(name: string): readonly string[] {
    return lookupEither(this.#multi, this.#single, name);
  }

  /** The query, decoded. */
  query(): MultiMap {
    const event = this.#event;
    return mapQuery(event.multiValueQueryStringParameters, event.queryStringParameters, this.#traits.decodeQuery);
  }

  /** The values that cookies are read from. */
  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  /** The address of the client, if the event contains one. */
  provenance(): SourceProvenance {
    return this.#traits.provenance(this.#event);
  }
}

const TRAITS: ProxyTraits = {
  decodeQuery: asIs,
  provenance: (event) => providerProvenance('apigw-v1', objectOf(objectOf(event.requestContext).identity).sourceIp),
};

/** Single values in `headers`; headers with several values only in `multiValueHeaders`. The same for cookies. */
export function writeProxy(response: OutgoingResponse, body: EncodedBody): Record<string, unknown> {
  const headers = createFastMap<string>();
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
 * API Gateway REST proxy, and HTTP APIs with payload format 1.0. Only HTTP APIs send `version: "1.0"`; their path arrives
 * decoded and begins with a stage that has a name.
 */
export const gatewayV1Door: HttpDoor = {
  projection: 'v1 response',
  traits: /* @__PURE__ */ bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, writeProxy),
  read(input) {
    const event = objectOf(input);
    const context = objectOf(event.requestContext);
    const rawPath = firstText(event.path, context.path);
    return {
      method: firstText(event.httpMethod, context.httpMethod),
      path: event.version === '1.0' ? escapeDecodedPath(cutStage(rawPath, context.stage)) : rawPath,
      rawPath,
      source: new ProxySource(event, TRAITS),
    };
  },
  write: writeProxy,
};

/** The metadata before the body of an answer that a REST API streams: repeated headers and cookies in the multi-value map. */
export function gatewayRestMetadata(response: OutgoingResponse): Record<string, unknown> {
  const { status, headers, cookies } = response;
  const single = Object.create(null) as Record<string, string>;
  const multi = Object.create(null) as Record<string, string[]>;
  for (const name of Object.keys(headers)) {
    const values = headers[name] ?? [];
    if (values.length === 1) single[name] = values[0] as string;
    else if (values.length > 1) multi[name] = [...values];
  }
  if (cookies.length > 0) multi['set-cookie'] = [...cookies];
  return {
    statusCode: status,
    headers: single,
    ...(Object.keys(multi).length > 0 ? { multiValueHeaders: multi } : {}),
  };
}
