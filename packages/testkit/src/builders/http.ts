import { FrameworkError, type OneOrMany } from '@sallyport/core';
import { asBuffer, decodeEscapes } from '@sallyport/core/internal';
import { boolean, defineOptions, INVALID_CONFIGURATION } from '@sallyport/core/options';
import { DOOR_PROFILES, type HttpDoorKind } from '../answers/door-profile.js';
import { anyText, anything, content, date, filled, type Given, oneOrMany, textList } from '../internal/kinds.js';

/** Options of every builder of an HTTP event. */
export interface HttpOptions {
  /** Query parameters, decoded; they follow the parameters of the path. Default: none. */
  readonly query?: OneOrMany;
  /** Headers. A `cookie` header is placed as the front door places cookies, before the values of `cookies`. Default: none. */
  readonly headers?: OneOrMany;
  /** Cookies, each a whole `name=value` pair. Default: none. */
  readonly cookies?: readonly string[];
  /** The body: text, or bytes, which are sent as base64. Default: no body. Not together with `json`. */
  readonly body?: string | Uint8Array;
  /** A value whose JSON text is the body. Sets `content-type: application/json` if this header is not given. */
  readonly json?: unknown;
  /** True if a string `body` is base64 already. Default: `false` for text, `true` for bytes. */
  readonly isBase64?: boolean;
  /** The client's address as the provider saw it. Default: `203.0.113.1`. */
  readonly sourceIp?: string;
  /** The provider's request id. Default: `req-1`. */
  readonly requestId?: string;
  /** The stage. Default: `$default` for gateway v2 and function URLs, `prod` for gateway v1, `dev` for WebSocket events. */
  readonly stage?: string;
  /** Arrival time of the request. Default: the epoch. */
  readonly time?: Date;
}

/** Validators of {@link HttpOptions}, for the options of each builder. */
export const HTTP_KINDS = {
  query: oneOrMany,
  headers: oneOrMany,
  cookies: textList,
  body: content,
  json: anything,
  isBase64: boolean,
  sourceIp: anyText,
  requestId: filled,
  stage: filled,
  time: date,
} as const;

const ARGUMENTS = defineOptions<{ method: string; path: string }>()({
  method: filled.required(),
  path: anyText.required(),
});

/** Names and values in the order given; a repeated name repeats. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** The body as an event contains it. */
export interface BodyParts {
  readonly body: string | undefined;
  readonly isBase64Encoded: boolean;
}

/** A request as its client sends it. */
export interface HttpParts extends BodyParts {
  readonly method: string;
  /** Without the query, still encoded. */
  readonly path: string;
  /** Still encoded. */
  readonly rawQuery: string;
  /** Without cookies. */
  readonly headers: Pairs;
  /** Whole `name=value` pairs. */
  readonly cookies: readonly string[];
  /** The name of the cookie header as the client wrote it. */
  readonly cookieName: string;
}

type Sent = Given<Pick<HttpOptions, 'query' | 'headers' | 'cookies' | 'body' | 'json' | 'isBase64'>>;

/** The client's address in events whose options name none; of the range for documentation (RFC 5737). */
export const SOURCE_IP = '203.0.113.1';

/** Reads the arguments that all HTTP builders accept. */
export function httpParts(method: string, path: string, options: Sent): HttpParts {
  ARGUMENTS.parse({ method, path });
  const question = path.indexOf('?');
  const ownQuery = question < 0 ? '' : path.slice(question + 1);
  const query = toPairs(options.query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  // Cookies are removed from the headers; those of a repeated header form one list.
  const isCookie = ([name]: Pairs[number]) => name.toLowerCase() === 'cookie';
  const headers = requestHeaders(options);
  const cookieHeaders = headers.filter(isCookie);
  const sent = cookieHeaders.flatMap(([, value]) => value.split(';'));
  return {
    method,
    path: question < 0 ? path : path.slice(0, question),
    rawQuery: ownQuery !== '' && query !== '' ? `${ownQuery}&${query}` : ownQuery + query,
    headers: headers.filter((pair) => !isCookie(pair)),
    cookies: [...sent.map((pair) => pair.trim()).filter((pair) => pair !== ''), ...(options.cookies ?? [])],
    cookieName: cookieHeaders[0]?.[0] ?? 'cookie',
    ...bodyParts(options),
  };
}

/** The headers with all cookies in one, as a client sends them. */
function withCookieHeader({
  headers,
  cookies,
  cookieName,
}: Pick<HttpParts, 'headers' | 'cookies' | 'cookieName'>): Pairs {
  return cookies.length === 0 ? headers : [...headers, [cookieName, cookies.join('; ')]];
}

/** The headers as the event of a front door contains them. */
export function placedHeaders(kind: HttpDoorKind, parts: HttpParts): Pairs {
  const { cookies, headerNames } = DOOR_PROFILES[kind];
  const headers = cookies === 'list' ? parts.headers : withCookieHeader(parts);
  return headerNames === 'lower case' ? lowerNames(headers) : headers;
}

/** The path as the event of a front door contains it. */
export function placedPath(kind: HttpDoorKind, path: string): string {
  return DOOR_PROFILES[kind].path === 'decoded' ? decodeEscapes(path) : path;
}

/**
 * The body as an event contains it.
 *
 * @throws FrameworkError if body and json are both given, or if `isBase64` is false for bytes
 */
export function bodyParts({ body, json, isBase64 }: Pick<Sent, 'body' | 'json' | 'isBase64'>): BodyParts {
  if (json !== undefined) {
    if (body !== undefined || isBase64)
      throw invalidOptions('options "json" and "body" exclude each other: pass one of them');
    return { body: JSON.stringify(json), isBase64Encoded: false };
  }
  if (body instanceof Uint8Array) {
    if (isBase64 === false) throw invalidOptions('option "isBase64" must be true or left out if "body" is bytes');
    return { body: asBuffer(body).toString('base64'), isBase64Encoded: true };
  }
  return { body, isBase64Encoded: isBase64 ?? false };
}

/** The headers in order; adds a content type for `json` if the headers have no content type. */
export function requestHeaders(options: Pick<Sent, 'headers' | 'json'>): Pairs {
  const headers = toPairs(options.headers);
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return options.json === undefined || typed ? headers : [...headers, ['content-type', 'application/json']];
}

/** The entries of a map; a name with several values is repeated. */
export function toPairs(map: OneOrMany | undefined): Pairs {
  return Object.entries(map ?? {}).flatMap(([name, values]) =>
    (typeof values === 'string' ? [values] : values).map((value): [string, string] => [name, value]),
  );
}

/** Splits a query at `&` and the first `=`, undecoded. */
export function splitQuery(rawQuery: string): Pairs {
  if (rawQuery === '') return [];
  return rawQuery.split('&').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
}

/** Decodes names and values of a query: `+` is a blank. */
export function decodePairs(pairs: Pairs): Pairs {
  const decode = (encoded: string) => decodeEscapes(encoded.replaceAll('+', ' '));
  return pairs.map(([name, value]) => [decode(name), decode(value)]);
}

/** Names in lower case. */
function lowerNames(pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [name.toLowerCase(), value]);
}

/** One value for each name: repeated values are joined by a comma, as in payload version 2.0. */
export function joined(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(Object.entries(listed(pairs)).map(([name, values]) => [name, values.join(',')]));
}

/** One value for each name: the last value, as in payload version 1.0 and load balancer events. */
export function last(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs);
}

/** Every value of a name, in order. */
export function listed<T>(pairs: readonly (readonly [string, T])[]): Record<string, T[]> {
  const lists = new Map<string, T[]>();
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value]);
  return Object.fromEntries(lists);
}

function invalidOptions(text: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: ${text}`);
}
