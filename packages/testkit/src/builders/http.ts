import { asBuffer, FrameworkError, INVALID_CONFIGURATION, type OneOrMany } from '@sallyport/core';
import {
  anything,
  type Checks,
  checkArgument,
  content,
  date,
  flag,
  nonBlank,
  oneOrMany,
  text,
  textList,
} from '../internal/check.js';

/** What every HTTP builder takes. */
export interface HttpOptions {
  /** Decoded names and values; they follow a query that the path carries. */
  readonly query?: OneOrMany;
  /** Cookies among them go where the door has its cookies, before those of `cookies`. */
  readonly headers?: OneOrMany;
  /** Whole `name=value` pairs. */
  readonly cookies?: readonly string[];
  /** Bytes are sent as base64 by themselves. */
  readonly body?: string | Uint8Array;
  /** Sets the body, and `content-type` where no header of that name is given. */
  readonly json?: unknown;
  /** States that a text `body` is base64 already. */
  readonly isBase64?: boolean;
  /** The provider's own view of the client; `203.0.113.1` unless given. */
  readonly sourceIp?: string;
  readonly requestId?: string;
  readonly stage?: string;
  /** The epoch unless given. */
  readonly time?: Date;
}

export const HTTP_CHECKS: Checks<HttpOptions> = {
  query: oneOrMany,
  headers: oneOrMany,
  cookies: textList,
  body: content,
  json: anything,
  isBase64: flag,
  sourceIp: text,
  requestId: nonBlank,
  stage: nonBlank,
  time: date,
};

/** Names and values in the order given; a repeated name repeats. */
export type Pairs = readonly (readonly [name: string, value: string])[];

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
}

/** The client's address in events whose options name none; of the range for documentation (RFC 5737). */
export const SOURCE_IP = '203.0.113.1';

/** Reads the arguments that every HTTP builder takes; the options are checked by the caller. */
export function httpParts(method: string, path: string, options: HttpOptions): HttpParts {
  checkArgument('method', method, nonBlank);
  checkArgument('path', path, text);
  const question = path.indexOf('?');
  const ownQuery = question < 0 ? '' : path.slice(question + 1);
  const query = encodePairs(toPairs(options.query));
  return {
    method,
    path: question < 0 ? path : path.slice(0, question),
    rawQuery: ownQuery !== '' && query !== '' ? `${ownQuery}&${query}` : ownQuery + query,
    ...splitCookies(requestHeaders(options), options.cookies ?? []),
    ...bodyParts(options),
  };
}

/** Takes the cookies out of the headers; those of a header that came twice are one list. */
function splitCookies(headers: Pairs, cookies: readonly string[]): Pick<HttpParts, 'headers' | 'cookies'> {
  const isCookie = ([name]: Pairs[number]) => name.toLowerCase() === 'cookie';
  const sent = headers.filter(isCookie).flatMap(([, value]) => value.split(';'));
  return {
    headers: headers.filter((pair) => !isCookie(pair)),
    cookies: [...sent.map((pair) => pair.trim()).filter((pair) => pair !== ''), ...cookies],
  };
}

/** The headers with all cookies in one, as a client sends them. */
export function withCookieHeader({ headers, cookies }: Pick<HttpParts, 'headers' | 'cookies'>): Pairs {
  return cookies.length === 0 ? headers : [...headers, ['cookie', cookies.join('; ')]];
}

/**
 * The body as an event carries it.
 *
 * @throws FrameworkError when body and json are both given, or bytes are said not to be base64
 */
export function bodyParts(options: Pick<HttpOptions, 'body' | 'json' | 'isBase64'>): BodyParts {
  const { body, json, isBase64 } = options;
  if (json !== undefined) {
    if (body !== undefined || isBase64) throw contradiction('json', 'body');
    return { body: JSON.stringify(json), isBase64Encoded: false };
  }
  if (body instanceof Uint8Array) {
    if (isBase64 === false) throw contradiction('isBase64', 'body');
    return { body: asBuffer(body).toString('base64'), isBase64Encoded: true };
  }
  return { body, isBase64Encoded: isBase64 ?? false };
}

/** The headers in order, with a content type for `json` that came without one. */
export function requestHeaders(options: Pick<HttpOptions, 'headers' | 'json'>): Pairs {
  const headers = toPairs(options.headers);
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return options.json === undefined || typed ? headers : [...headers, ['content-type', 'application/json']];
}

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

export function decodePairs(pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [decodeQuery(name), decodeQuery(value)]);
}

export function lowerNames(pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [name.toLowerCase(), value]);
}

/** One value a name: repeated ones joined by a comma, as payload version 2.0 has them. */
export function joined(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(Object.entries(listed(pairs)).map(([name, values]) => [name, values.join(',')]));
}

/** One value a name: the last, as payload version 1.0 and load balancers have them. */
export function last(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs);
}

/** Every value of a name, in order. */
export function listed(pairs: Pairs): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value]);
  return Object.fromEntries(lists);
}

/** Decodes escapes; text with a malformed one stays. */
export function decodeEscapes(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function decodeQuery(encoded: string): string {
  return decodeEscapes(encoded.replaceAll('+', ' '));
}

function encodePairs(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

function contradiction(one: string, other: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: option "${one}" contradicts option "${other}"`);
}
