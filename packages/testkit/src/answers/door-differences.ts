import { isPlainObject } from '@sallyport/core/internal';
import { boolean, defineOptions, list, oneOf, text } from '@sallyport/core/options';
import { type Difference, toDifference } from './differences.js';
import { DOOR_PROFILES, type HttpDoorKind, isBinaryType } from './door-profile.js';

/** One request to an HTTP front door, and the answer of the function. */
export interface DoorExchange {
  /** The body as the client sent it. */
  readonly body?: Uint8Array;
  /** The client's `content-type`. */
  readonly contentType?: string | undefined;
  /** The client's `accept`. */
  readonly accept?: string | undefined;
  /** The answer of the function; `undefined` if it failed or streamed. */
  readonly answer?: unknown;
  /** Milliseconds that the function needed. */
  readonly durationMs?: number;
}

/** Settings of {@link doorDifferences}. */
export interface DoorDifferenceOptions {
  /** Media types that the REST API treats as binary; default: unknown, and API Gateway has an empty list. */
  readonly binaryMediaTypes?: readonly string[];
  /** True if the target group of a load balancer has multi-value headers. Default: `false`. */
  readonly multiValue?: boolean;
  /** All front doors of the function. Default: this one. */
  readonly doors?: readonly HttpDoorKind[];
}

const OPTIONS = defineOptions<DoorDifferenceOptions>()({
  binaryMediaTypes: list(text()),
  multiValue: boolean.default(false),
  doors: list<HttpDoorKind>(oneOf('gateway-v2', 'gateway-v1', 'function-url', 'load-balancer')),
});

const NAMES: Readonly<Record<HttpDoorKind, string>> = {
  'gateway-v2': 'HTTP API',
  'gateway-v1': 'REST API',
  'function-url': 'function URL',
  'load-balancer': 'load balancer',
};

/**
 * Compares one exchange with the facts of the front doors.
 *
 * @returns what would differ on AWS; empty if nothing would
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const answer = { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } };
 * doorDifferences('gateway-v1', { answer })[0]?.topic; // 'header.renamed'
 */
export function doorDifferences(
  kind: HttpDoorKind,
  exchange: DoorExchange,
  options: DoorDifferenceOptions = {},
): readonly Difference[] {
  const { doors = [kind], binaryMediaTypes, multiValue } = OPTIONS.parse(options);
  return [
    ...(kind === 'gateway-v1' ? brokenBytes(exchange, binaryMediaTypes) : []),
    ...renamedHeaders(kind, exchange.answer),
    ...ignoredMembers(kind, exchange.answer, multiValue),
    ...doors.flatMap((door) => [...overLimit(door, kind, exchange.answer), ...overWait(door, exchange.durationMs)]),
  ];
}

/** A REST API replaces bytes that are not UTF-8, and sends base64 unchanged, unless the type is one of its binary media types. */
function brokenBytes(exchange: DoorExchange, stated: readonly string[] | undefined): readonly Difference[] {
  const { body = new Uint8Array(), contentType, accept, answer } = exchange;
  const types = stated ?? [];
  const found: Difference[] = [];
  const bytes = Buffer.from(body);
  if (!isBinaryType(contentType, types) && !Buffer.from(bytes.toString('utf8')).equals(bytes)) {
    found.push(
      toDifference('body.binary', `the function would receive a broken body; ${binaryRemedy(contentType, stated)}`),
    );
  }
  if (isPlainObject(answer) && answer.isBase64Encoded === true && !isBinaryType(accept, types)) {
    found.push(
      toDifference(
        'body.binary',
        `the client would receive base64 text instead of bytes; ${binaryRemedy(accept, stated)}`,
      ),
    );
  }
  return found;
}

function binaryRemedy(type: string | undefined, stated: readonly string[] | undefined): string {
  const cause =
    stated === undefined ? 'no setting states binaryMediaTypes' : `binaryMediaTypes are ${JSON.stringify(stated)}`;
  const [first = ''] = (type ?? '').split(/[,;]/);
  return `${cause}: add ${first.trim() === '' ? '*/*' : `${first.trim()} or */*`}`;
}

function renamedHeaders(kind: HttpDoorKind, answer: unknown): readonly Difference[] {
  const { remapped } = DOOR_PROFILES[kind];
  return headerNamesOf(answer).flatMap((name) =>
    remapped.includes(name.toLowerCase())
      ? toDifference(
          'header.renamed',
          `the ${NAMES[kind]} sends the header ${name} to the client as x-amzn-remapped-${name.toLowerCase()}: clients must not rely on its name, or the function needs an HTTP API or a load balancer`,
        )
      : [],
  );
}

function headerNamesOf(answer: unknown): readonly string[] {
  if (!isPlainObject(answer)) return [];
  const { headers, multiValueHeaders } = answer;
  return [...new Set([headers, multiValueHeaders].flatMap((one) => (isPlainObject(one) ? Object.keys(one) : [])))];
}

/** Members of an answer that are meant for another front door. */
function ignoredMembers(kind: HttpDoorKind, answer: unknown, multiValue: boolean): readonly Difference[] {
  if (!isPlainObject(answer) || !('statusCode' in answer)) return [];
  const isRead: Readonly<Record<string, boolean>> = {
    cookies: kind === 'gateway-v2' || kind === 'function-url',
    multiValueHeaders: kind === 'gateway-v1' || (kind === 'load-balancer' && multiValue),
    headers: kind !== 'load-balancer' || !multiValue,
  };
  const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return Object.entries(isRead).flatMap(([member, read]) =>
    read || !isFilled(answer[member])
      ? []
      : toDifference(
          'answer.ignored',
          `the ${NAMES[kind]} ignores "${member}" of the answer${multiValueHint(kind, multiValue)}`,
        ),
  );
}

function multiValueHint(kind: HttpDoorKind, multiValue: boolean): string {
  if (kind !== 'load-balancer') return '';
  return `: its target group has multi-value headers turned ${multiValue ? 'on' : 'off'}`;
}

/** The door of the request rejects such an answer itself. */
function overLimit(door: HttpDoorKind, kind: HttpDoorKind, answer: unknown): readonly Difference[] {
  const { maxAnswerBytes } = DOOR_PROFILES[door];
  if (door === kind || maxAnswerBytes === undefined || answer === undefined) return [];
  const bytes = Buffer.byteLength(JSON.stringify(answer) ?? '');
  if (bytes <= maxAnswerBytes) return [];
  const text = `the ${NAMES[door]} rejects this answer with 502: it has ${bytes} bytes of JSON, and the limit is ${maxAnswerBytes}`;
  return [toDifference('answer.limit', text)];
}

function overWait(door: HttpDoorKind, durationMs = 0): readonly Difference[] {
  const { waitsMs, failures } = DOOR_PROFILES[door];
  if (waitsMs === undefined || durationMs <= waitsMs) return [];
  const text = `the ${NAMES[door]} waits ${waitsMs / 1000} seconds and answers ${failures.timeout[0]}; the function needed ${(durationMs / 1000).toFixed(1)}, and runs on`;
  return [toDifference('duration.door', text)];
}
