import { type MultiMap, providerProvenance, type SourceProvenance } from '@sallyport/core';
import { createAnswerMap, type OutgoingResponse, type RequestSource, toHeaderMap } from '@sallyport/core/pipeline';
import type { EncodedBody } from '../pipeline/exchange.js';
import { bodyOf, bufferedDoor, type Door, type DoorRequest, LAMBDA_MAX_ANSWER_BYTES, objectOf } from './internal/event.js';
import { lookupHeader, type RawHeaders, rawHeaders } from './internal/header-lookup.js';
import { cutStage, escapeDecodedPath, firstText, textOf } from './internal/paths.js';
import { asIs, mapQuery, parseQuery } from './internal/query.js';

type HttpApiEvent = Readonly<Record<string, unknown>>;

/** The event of payload format 2.0, which gateway v2 and function URLs share. */
class HttpApiSource implements RequestSource {
  readonly rawBody: string;
  readonly isBase64: boolean;
  readonly invalidBody: string | undefined;
  readonly #event: HttpApiEvent;
  readonly #headers: RawHeaders | undefined;
  readonly #provider: SourceProvenance['provider'];

  constructor(event: HttpApiEvent, provider: SourceProvenance['provider']) {
    const body = bodyOf(event);
    this.rawBody = body.rawBody as string;
    this.isBase64 = body.isBase64;
    this.invalidBody = body.invalidBody;
    this.#event = event;
    this.#headers = rawHeaders(event.headers);
    this.#provider = provider;
  }

  headers(): MultiMap {
    const map = toHeaderMap(this.#headers);
    const list = this.#cookies();
    if (list.length > 0) map.cookie = [list.join('; ')];
    return map;
  }

  header(name: string): readonly string[] {
    if (name === 'cookie') {
      const list = this.#cookies();
      if (list.length > 0) return [list.join('; ')];
    }
    return lookupHeader(this.#headers, name);
  }

  query(): MultiMap {
    const raw = textOf(this.#event.rawQueryString);
    return raw === '' ? mapQuery(undefined, this.#event.queryStringParameters, asIs) : parseQuery(raw);
  }

  cookieValues(): readonly string[] {
    const list = this.#cookies();
    return list.length > 0 ? list : lookupHeader(this.#headers, 'cookie');
  }

  provenance(): SourceProvenance {
    return providerProvenance(this.#provider, httpOf(this.#event).sourceIp);
  }

  /**
   * The list in which AWS puts the cookies. It is the `cookie` header of the request: HTTP APIs drop the header from
   * `headers`, function URLs send both.
   */
  #cookies(): readonly string[] {
    const { cookies } = this.#event;
    return Array.isArray(cookies) ? cookies.filter((value): value is string => typeof value === 'string') : NO_COOKIES;
  }
}

const NO_COOKIES: readonly string[] = [];

function httpOf(event: HttpApiEvent): HttpApiEvent {
  return objectOf(objectOf(event.requestContext).http);
}

/** `{ statusCode, headers, cookies?, body, isBase64Encoded }`; repeated headers are joined with a comma. */
function write(response: OutgoingResponse, body: EncodedBody): Record<string, unknown> {
  const { status, cookies } = response;
  const answer: Record<string, unknown> = {
    statusCode: status,
    headers: joinHeaders(response.headers),
    body: body.body,
    isBase64Encoded: body.isBase64Encoded,
  };
  if (cookies.length > 0) answer.cookies = cookies;
  return answer;
}

/** One value a header (RFC 9110 section 5.3 allows the join for all but `set-cookie`, which is not here). */
export function joinHeaders(headers: MultiMap): Record<string, string> {
  const joined = createAnswerMap<string>();
  for (const name in headers) {
    const values = headers[name] as string[];
    if (values.length > 0) joined[name] = values.length === 1 ? (values[0] as string) : values.join(',');
  }
  return joined;
}

/** API Gateway HTTP API, payload format 2.0. AWS decodes `rawPath` before it gets here. */
export const gatewayV2Door: Door = {
  traits: bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, write),
  read(input): DoorRequest {
    const event = objectOf(input);
    const context = objectOf(event.requestContext);
    const http = objectOf(context.http);
    const rawPath = firstText(event.rawPath, http.path);
    const path = escapeDecodedPath(cutStage(rawPath, context.stage));
    return { method: textOf(http.method), path, rawPath, source: new HttpApiSource(event, 'apigw-v2') };
  },
  write,
};

/** Lambda function URL: the same shape, with a path that is still encoded. */
export const functionUrlDoor: Door = {
  traits: bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, write),
  read(input): DoorRequest {
    const event = objectOf(input);
    const http = httpOf(event);
    const rawPath = firstText(event.rawPath, http.path);
    return { method: textOf(http.method), path: rawPath, rawPath, source: new HttpApiSource(event, 'lambda-url') };
  },
  write,
};
