import { FrameworkError, type MultiMap, type TriggerKind } from '@sallyport/core';
import {
  append,
  asBuffer,
  createMap,
  type Door,
  type DoorTraits,
  decodeQueryPart,
  type EncodedBody,
  isText,
  type OutgoingResponse,
  type RequestSource,
  stringOf,
  toHeaderMap,
  toStringList,
} from '@sallyport/core/internal';
import type { HttpErrorCode } from '../../errors.js';

/** An HTTP front door, with the strings for `explain` and for the log. */
export interface HttpDoor extends Door {
  /** The name of the answer's form in `explain`. */
  readonly projection: string;
  /** A warning about an answer that is sent nevertheless; logged once by each container. */
  readonly warningOf?: (
    response: OutgoingResponse,
    event: unknown,
  ) => { readonly message: string; readonly event: string } | undefined;
}

/** Doors by the kind of event that comes through them. */
export type HttpDoors = Readonly<Record<string, HttpDoor>>;

/** A door that answers with one JSON document. Its size limit includes headers and escaping. */
export function bufferedDoor(maxAnswerBytes: number, write: Door['write']): DoorTraits {
  return {
    maxAnswerBytes,
    streams: 'collect',
    measure: (response, body, event) => Buffer.byteLength(JSON.stringify(write(response, body, event))),
  };
}

/** The value if it is an object, else an empty object. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : NOTHING;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** The body fields that all front doors share. */
export function bodyOf(
  event: Readonly<Record<string, unknown>>,
): Pick<RequestSource, 'rawBody' | 'isBase64' | 'invalidBody'> {
  const { body } = event;
  if (body === undefined || body === null) return NO_BODY;
  if (typeof body !== 'string') return INVALID_BODY;
  return { rawBody: body, isBase64: event.isBase64Encoded === true, invalidBody: undefined };
}

const NO_BODY = { rawBody: '', isBase64: false, invalidBody: undefined };
const INVALID_BODY = { rawBody: '', isBase64: false, invalidBody: 'invalid body' };

/** A header map as an event contains it. */
export type RawHeaders = Readonly<Record<string, unknown>>;

const NONE: readonly string[] = [];

/** The header maps of an event, or `undefined` when the field is not an object. */
export function rawHeaders(value: unknown): RawHeaders | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawHeaders) : undefined;
}

/** The values under a lower-case name in one map, as `toHeaderMap` would list them. */
export function lookupHeader(headers: RawHeaders | undefined, name: string): readonly string[] {
  if (headers === undefined) return NONE;
  let found: string | undefined;
  let more: string[] | undefined;
  for (const key in headers) {
    if (key !== name && (key.length < name.length || !isSpellingOf(key, name))) continue;
    if (!Object.hasOwn(headers, key)) continue;
    if (found === undefined) found = key;
    else if (more === undefined) more = [found, key];
    else more.push(key);
  }
  if (more !== undefined) return more.sort().flatMap((key) => toStringList(headers[key]));
  return found === undefined ? NONE : toStringList(headers[found]);
}

/** True if a key is this header's name in another case or with white space around it. The key is at least as long as the name. */
function isSpellingOf(key: string, name: string): boolean {
  if (key.length === name.length) return key.toLowerCase() === name;
  const isPadded = key.charCodeAt(0) <= 32 || key.charCodeAt(key.length - 1) <= 32 || key.charCodeAt(0) >= 160;
  return isPadded && key.trim().toLowerCase() === name;
}

/** The values of a header if a multi-value map takes precedence over a single-value map. */
export function lookupEither(
  multi: RawHeaders | undefined,
  single: RawHeaders | undefined,
  name: string,
): readonly string[] {
  const values = lookupHeader(multi, name);
  return values.length > 0 ? values : lookupHeader(single, name);
}

/** The multi-value map, then each header of the single-value map that it lacks. */
export function mergeHeaders(multi: RawHeaders | undefined, single: RawHeaders | undefined): MultiMap {
  const map = toHeaderMap(multi);
  if (!single) return map;
  const rest = toHeaderMap(single);
  for (const name of Object.keys(rest)) if (!(name in map)) append(map, name, rest[name] ?? NONE);
  return map;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a decoded path may contain control characters.
const UNSAFE_IN_PATH = /[%?#\x00-\x20\x7f-\uffff]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const HAS_UNSAFE = /[%?#\x00-\x20\x7f-\uffff]/;

/** Escapes a path that AWS has decoded, so that decoding it later returns the same path. */
export function escapeDecodedPath(path: string): string {
  return HAS_UNSAFE.test(path) ? path.replace(UNSAFE_IN_PATH, (run) => encodeURIComponent(run.toWellFormed())) : path;
}

/** Removes the stage that a gateway puts in front of the path, once. */
export function cutStage(path: string, stage: unknown): string {
  if (typeof stage !== 'string' || stage === '' || stage === '$default') return path;
  return cutPrefix(path, `/${stage}`) ?? path;
}

/** Removes the first prefix that matches whole segments, once. The list is sorted: longest prefixes first. */
export function cutBasePath(path: string, prefixes: readonly string[]): string {
  for (const prefix of prefixes) {
    const rest = cutPrefix(path, prefix);
    if (rest !== undefined) return rest;
  }
  return path;
}

/** The path after a prefix of whole segments; `undefined` when the path does not begin with the prefix. */
export function cutPrefix(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  if (path.length === prefix.length) return '/';
  return path.charCodeAt(prefix.length) === 47 ? path.slice(prefix.length) : undefined;
}

/** The first of two values that is a string and not blank. */
export function firstText(first: unknown, second: unknown): string {
  const text = stringOf(first);
  return text.trim() === '' ? stringOf(second) : text;
}

/** Parses a query string: splits at `&` and at the first `=`, and decodes once. */
export function parseQuery(text: string): MultiMap {
  const query: MultiMap = createMap();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    append(query, decodeQueryPart(name), decodeQueryPart(equals < 0 ? '' : pair.slice(equals + 1)));
  }
  return query;
}

/** Reads the query maps of an event: the multi-value map, then the keys that only the single-value map has. */
export function mapQuery(multi: unknown, single: unknown, decode: (text: string) => string): MultiMap {
  const query: MultiMap = createMap();
  for (const source of [multi, single]) {
    if (typeof source !== 'object' || source === null) continue;
    const added: MultiMap = createMap();
    for (const key of Object.keys(source)) {
      const name = decode(key);
      if (name in query) continue;
      const values = toStringList((source as Record<string, unknown>)[key]).map(decode);
      if (values.length > 0) append(added, name, values);
    }
    Object.assign(query, added);
  }
  return query;
}

/** Returns values that AWS has already decoded, unchanged. */
export function asIs(text: string): string {
  return text;
}

/**
 * The error for an event that has the shape of a request but is not one; `undefined` for a request. Running a route for
 * such an event would have unintended effects.
 */
export function refusalOf(kind: TriggerKind, event: unknown): FrameworkError | undefined {
  const fields = objectOf(event);
  if ((fields.type === 'REQUEST' || fields.type === 'TOKEN') && isAuthorizerEvent(kind, fields)) {
    return refusal('http.authorizer_event', "an authorizer's event");
  }
  if (fields.actionGroup !== undefined && isText(fields.actionGroup) && isText(fields.messageVersion)) {
    return refusal('http.action_group_event', "an agent's action");
  }
  if (kind !== 'gateway-v1' || typeof fields.path === 'string') return undefined;
  if (typeof objectOf(fields.requestContext).path === 'string') return undefined;
  return refusal('http.event_without_path', 'an event without a path');
}

/**
 * Published samples of a WebSocket `$connect` have `type` and `methodArn` like an authorizer's event; they also have
 * `isBase64Encoded`, which an authorizer never receives
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html).
 */
function isAuthorizerEvent(kind: TriggerKind, fields: Readonly<Record<string, unknown>>): boolean {
  if (!Object.hasOwn(fields, 'type') || !(isText(fields.methodArn) || isText(fields.routeArn))) return false;
  return kind !== 'websocket' || !Object.hasOwn(fields, 'isBase64Encoded');
}

type RefusalCode = Extract<HttpErrorCode, `http.${string}`>;

function refusal(code: RefusalCode, what: string): FrameworkError {
  return new FrameworkError(code, `framework: ${what} is no request; serve it with a function of its own`);
}

const EMPTY_BODY: EncodedBody = { body: '', isBase64Encoded: false };

/** Encodes a body for all doors. It is sent as base64 if the response sets `isBase64`, or if its bytes are not UTF-8. */
export function encodeBody({ content, isBase64 }: OutgoingResponse): EncodedBody {
  if (content.length === 0) return EMPTY_BODY;
  if (typeof content === 'string') {
    if (!isBase64) return { body: content.isWellFormed() ? content : content.toWellFormed(), isBase64Encoded: false };
    return { body: Buffer.from(content, 'utf8').toString('base64'), isBase64Encoded: true };
  }
  const bytes = asBuffer(content);
  // Not imported: the import would slow every cold start, and most functions never send bytes.
  if (!isBase64 && process.getBuiltinModule('node:buffer').isUtf8(bytes)) {
    return { body: bytes.toString('utf8'), isBase64Encoded: false };
  }
  return { body: bytes.toString('base64'), isBase64Encoded: true };
}

/** The maximum number of bytes of one UTF-16 unit in JSON: `\u001f`, and `\ud800` of a lone surrogate. */
const MAX_ESCAPE = 6;
/** An upper bound for the field names, quotes and punctuation of any door's answer. */
const MAX_ENVELOPE = 512;
/**
 * An upper bound for all headers that a front door would send: a load balancer accepts 32 KB, and each byte could be escaped.
 * Headers are not measured if the body is smaller than the limit by this number of bytes.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const HEADER_ROOM = 256 * 1024;
/** Characters that JSON writes as `\u00xx`; it escapes no others with more than one byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about control characters
const LONG_ESCAPES = /[\u0000-\u0007\u000b\u000e-\u001f]/;

/**
 * The size of an answer that the service would reject as too large, in bytes; 0 when it accepts the answer. Estimates are sufficient for
 * nearly all answers. Only near the limit, the document is written and measured.
 */
export function bytesOverCap(
  { maxAnswerBytes, measure }: DoorTraits,
  response: OutgoingResponse,
  encoded: EncodedBody,
  event: unknown,
): number {
  if (!measure) return 0;
  const { body, isBase64Encoded } = encoded;
  const bodyBound = body.length * (isBase64Encoded ? 1 : MAX_ESCAPE);
  if (bodyBound + HEADER_ROOM <= maxAnswerBytes) return 0;
  const rest = MAX_ENVELOPE + headerBound(response);
  if (rest + bodyBound <= maxAnswerBytes) return 0;
  if (!isBase64Encoded && !LONG_ESCAPES.test(body) && rest + 2 * Buffer.byteLength(body) <= maxAnswerBytes) return 0;
  const bytes = measure(response, encoded, event);
  return bytes > maxAnswerBytes ? bytes : 0;
}

/** An upper bound for the bytes of headers and cookies, for any door. */
function headerBound({ headers, cookies }: OutgoingResponse): number {
  let units = 0;
  for (const name in headers) {
    units += name.length + 8;
    for (const value of headers[name] as string[]) units += value.length + 3;
  }
  for (const cookie of cookies) units += cookie.length + 'set-cookie'.length + 8;
  return units * MAX_ESCAPE;
}
