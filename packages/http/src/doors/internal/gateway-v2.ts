import type { MultiMap, SourceProvenance } from '@sallyport/core';
import {
  createFastMap,
  type EncodedBody,
  LAMBDA_MAX_ANSWER_BYTES,
  type OutgoingResponse,
  providerProvenance,
  type RequestSource,
  stringOf,
  toHeaderMap,
} from '@sallyport/core/internal';
import {
  asIs,
  bufferedDoor,
  cutPrefix,
  escapeDecodedPath,
  firstText,
  type HttpDoor,
  lookupHeader,
  mapQuery,
  objectOf,
  parseQuery,
  type RawHeaders,
  rawHeaders,
} from './event.js';

type Event = Readonly<Record<string, unknown>>;

/**
 * The request in an event of payload format 2.0, which HTTP APIs and function URLs send. Fields are assigned in the
 * constructor and have no initialisers, because these would be one more function call for each request.
 */
class Payload2Source implements RequestSource {
  /** Text of the body; `''` if absent. */
  declare readonly rawBody: string;
  /** True if the body is base64. */
  declare readonly isBase64: boolean;
  /** The problem of a body that cannot be read. */
  declare readonly invalidBody: string | undefined;
  declare private readonly source: Event;
  declare private readonly headerMap: RawHeaders | undefined;
  declare private readonly provider: SourceProvenance['provider'];

  constructor(event: Event, provider: SourceProvenance['provider']) {
    const { body } = event;
    const isText = typeof body === 'string';
    this.rawBody = isText ? body : '';
    this.isBase64 = isText && event.isBase64Encoded === true;
    this.invalidBody = isText || body === undefined || body === null ? undefined : 'invalid body';
    this.source = event;
    this.headerMap = rawHeaders(event.headers);
    this.provider = provider;
  }

  /** All headers; the cookies of the event are the header `cookie`. */
  headers(): MultiMap {
    const map = toHeaderMap(this.headerMap);
    const list = this.#cookies();
    if (list.length > 0) map.cookie = [list.join('; ')];
    return map;
  }

  /** The values of one header. */
  header(name: string): readonly string[] {
    if (name === 'cookie') {
      const list = this.#cookies();
      if (list.length > 0) return [list.join('; ')];
    }
    return lookupHeader(this.headerMap, name);
  }

  /** The query, decoded; from the raw query string, if present. */
  query(): MultiMap {
    const { rawQueryString: raw, queryStringParameters } = this.source;
    return typeof raw === 'string' && raw !== '' ? parseQuery(raw) : mapQuery(undefined, queryStringParameters, asIs);
  }

  /** The values that cookies are read from. */
  cookieValues(): readonly string[] {
    const list = this.#cookies();
    return list.length > 0 ? list : lookupHeader(this.headerMap, 'cookie');
  }

  /** The address of the client, as reported by AWS. */
  provenance(): SourceProvenance {
    const { sourceIp } = objectOf(objectOf(this.source.requestContext).http);
    return providerProvenance(this.provider, sourceIp);
  }

  /**
   * The list in which AWS puts the cookies. It is the `cookie` header of the request: HTTP APIs drop the header from
   * `headers`, function URLs send both.
   */
  #cookies(): readonly string[] {
    const { cookies } = this.source;
    return Array.isArray(cookies) ? cookies.filter((value): value is string => typeof value === 'string') : NO_COOKIES;
  }
}

const NO_COOKIES: readonly string[] = [];

/** `{ statusCode, headers, cookies?, body, isBase64Encoded }`; repeated headers are joined with a comma. */
function writePayload2(
  { status, headers, cookies }: OutgoingResponse,
  { body, isBase64Encoded }: EncodedBody,
): Record<string, unknown> {
  const answer: Record<string, unknown> = { statusCode: status, headers: joinHeaders(headers), body, isBase64Encoded };
  if (cookies.length > 0) answer.cookies = cookies;
  return answer;
}

/** One value for each header. RFC 9110 section 5.3 allows the join for all headers except `set-cookie`, which is separate. */
export function joinHeaders(headers: MultiMap): Record<string, string> {
  const joined = createFastMap<string>();
  for (const name in headers) {
    const values = headers[name] as string[];
    if (values.length > 0) joined[name] = values.length === 1 ? (values[0] as string) : values.join(',');
  }
  return joined;
}

/** API Gateway HTTP API, payload format 2.0. AWS has already decoded `rawPath`. */
export const gatewayV2Door: HttpDoor = {
  projection: 'v2 response',
  traits: /* @__PURE__ */ bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, writePayload2),
  read(input) {
    const event = objectOf(input);
    const { stage, http: nested } = objectOf(event.requestContext);
    const { method, path: otherPath } = objectOf(nested);
    const { rawPath: given } = event;
    const rawPath = typeof given === 'string' && given.trim() !== '' ? given : stringOf(otherPath);
    // The path begins with the stage if the stage has a name.
    const isNamed = typeof stage === 'string' && stage !== '' && stage !== '$default';
    const path = isNamed ? (cutPrefix(rawPath, `/${stage}`) ?? rawPath) : rawPath;
    return {
      method: typeof method === 'string' ? method : '',
      path: escapeDecodedPath(path),
      rawPath,
      source: new Payload2Source(event, 'apigw-v2'),
    };
  },
  write: writePayload2,
};

/** Lambda function URL: payload format 2.0, with a path that is still encoded and without a stage. */
export const functionUrlDoor: HttpDoor = {
  projection: 'URL response',
  traits: /* @__PURE__ */ bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, writePayload2),
  read(input) {
    const event = objectOf(input);
    const http = objectOf(objectOf(event.requestContext).http);
    const rawPath = firstText(event.rawPath, http.path);
    return { method: stringOf(http.method), path: rawPath, rawPath, source: new Payload2Source(event, 'lambda-url') };
  },
  write: writePayload2,
};

/** The metadata before the body of a streamed answer: repeated headers joined, cookies as a list. */
export function functionUrlMetadata({ status, headers, cookies }: OutgoingResponse): Record<string, unknown> {
  return {
    statusCode: status,
    headers: joinHeaders(headers),
    ...(cookies.length > 0 ? { cookies: [...cookies] } : {}),
  };
}
