import { isPlainObject } from '@sallyport/core/internal';
import { boolean, defineOptions, list, string, text } from '@sallyport/core/options';
import { DOOR_PROFILES, type DoorFailure, type HttpDoorKind, isBinaryType, remapHeaders } from './door-profile.js';

/** The response that the client of an HTTP front door receives. */
export interface ClientAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Names as the function wrote them, or renamed as the front door does, in order; a name with several values is repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, decoded. */
  readonly body: Uint8Array;
  /** Reason why the front door rejected the function's answer; `undefined` if it was accepted. */
  readonly refused?: string;
}

/** Settings of {@link clientAnswer}. */
export interface ClientAnswerOptions {
  /** True if the target group of a load balancer has multi-value headers. Default: `false`. */
  readonly multiValue?: boolean;
  /** Media types that a REST API treats as binary; without a match its client receives base64 as text. Default: all. */
  readonly binaryMediaTypes?: readonly string[];
  /** The client's `accept` header, whose first type a REST API compares with `binaryMediaTypes`. Default: none. */
  readonly accept?: string;
}

const OPTIONS = defineOptions<ClientAnswerOptions>()({
  multiValue: boolean.default(false),
  binaryMediaTypes: list(text()).default(['*/*']),
  accept: string,
});

/**
 * Converts a function's answer to the response that the client of an HTTP front door receives. For an answer that the front door
 * rejects, the result is the front door's own error, with the reason in `refused`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * clientAnswer('gateway-v1', { body: 'x' }).refused; // 'the answer has no statusCode: return an object such as { statusCode: 200 }'
 */
export function clientAnswer(kind: HttpDoorKind, answer: unknown, options: ClientAnswerOptions = {}): ClientAnswer {
  const { multiValue, binaryMediaTypes, accept } = OPTIONS.parse(options);
  const door = DOOR_PROFILES[kind];
  const { maxAnswerBytes } = door;
  if (maxAnswerBytes !== undefined && Buffer.byteLength(JSON.stringify(answer) ?? '') > maxAnswerBytes)
    return refuse(kind, `the answer is larger than ${maxAnswerBytes} bytes of JSON`);
  if (!isPlainObject(answer) || !('statusCode' in answer)) {
    if (door.needsStatus) return refuse(kind, NO_STATUS);
    const json = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
    return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(json) };
  }
  const status = Number(answer.statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    return refuse(kind, `statusCode is ${shown(answer.statusCode)}, and must be a whole number from 100 to 599`);
  }
  const { body = '', isBase64Encoded = false } = answer;
  if (typeof body !== 'string' && body !== null) {
    return refuse(kind, `body is ${typeName(body)}, and must be a string: JSON.stringify it, or send bytes as base64`);
  }
  if (typeof isBase64Encoded !== 'boolean') {
    return refuse(kind, `isBase64Encoded is ${typeName(isBase64Encoded)}, and must be true or false`);
  }
  const headers = headersOf(kind, answer, multiValue);
  if (typeof headers === 'string') return refuse(kind, headers);
  const isDecoded = isBase64Encoded && (kind !== 'gateway-v1' || isBinaryType(accept, binaryMediaTypes));
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status,
    headers: remapHeaders(
      kind,
      isTyped || door.contentType === undefined ? headers : [...headers, ['content-type', door.contentType]],
    ),
    body: Buffer.from(body ?? '', isDecoded ? 'base64' : 'utf8'),
  };
}

/**
 * Builds the response that the client of an HTTP front door receives if the function has no answer.
 *
 * @example clientFailure('gateway-v1', 'timeout').status; // 504
 */
export function clientFailure(kind: HttpDoorKind, failure: DoorFailure): ClientAnswer {
  const [status, body] = DOOR_PROFILES[kind].failures[failure];
  const contentType = body.startsWith('{') ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
  return { status, headers: [['content-type', contentType]], body: Buffer.from(body) };
}

const NO_STATUS = 'the answer has no statusCode: return an object such as { statusCode: 200 }';

/** Short values as JSON, others by their type. Bodies and headers are not shown: they may hold secrets. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'undefined';
  return json.length <= 20 ? json : typeName(value);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return { string: 'a string', object: 'an object' }[typeof value as string] ?? `a ${typeof value}`;
}

function refuse(kind: HttpDoorKind, refused: string): ClientAnswer {
  return { ...clientFailure(kind, 'error'), refused };
}

type Headers = ClientAnswer['headers'];

/** Reads the headers as the front door does; a string is the reason why they are rejected. */
function headersOf(kind: HttpDoorKind, answer: Record<string, unknown>, multiValue: boolean): Headers | string {
  if (kind === 'load-balancer') {
    return multiValue ? listedHeaders(answer.multiValueHeaders) : plainHeaders(answer.headers);
  }
  const plain = plainHeaders(answer.headers);
  if (typeof plain === 'string') return plain;
  if (kind !== 'gateway-v1') {
    const { cookies = [] } = answer;
    if (!Array.isArray(cookies))
      return `cookies is ${typeName(cookies)}, and must be a list: one string for each cookie`;
    return [...plain, ...cookies.map((cookie): [string, string] => ['set-cookie', String(cookie)])];
  }
  const listed = listedHeaders(answer.multiValueHeaders);
  if (typeof listed === 'string') return listed;
  const names = new Set(listed.map(([name]) => name.toLowerCase()));
  return [...plain.filter(([name]) => !names.has(name.toLowerCase())), ...listed];
}

const isFlat = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function plainHeaders(headers: unknown = {}): Headers | string {
  if (headers === null) return [];
  if (!isPlainObject(headers)) return `headers is ${typeName(headers)}, and must be an object`;
  const pairs = Object.entries(headers);
  const [bad] = pairs.filter(([, value]) => !isFlat(value));
  if (bad) return `headers[${JSON.stringify(bad[0])}] is ${typeName(bad[1])}, and must be a string`;
  return pairs.map(([name, value]) => [name, String(value)]);
}

function listedHeaders(headers: unknown = {}): Headers | string {
  if (headers === null) return [];
  if (!isPlainObject(headers)) return `multiValueHeaders is ${typeName(headers)}, and must be an object`;
  const pairs = Object.entries(headers);
  const [bad] = pairs.filter(([, values]) => !Array.isArray(values) || !values.every(isFlat));
  if (bad) return `multiValueHeaders[${JSON.stringify(bad[0])}] must be a list of strings, even for a single value`;
  return pairs.flatMap(([name, values]) =>
    (values as unknown[]).map((value): [string, string] => [name, String(value)]),
  );
}
