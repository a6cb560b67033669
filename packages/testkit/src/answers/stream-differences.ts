import { isPlainObject } from '@sallyport/core/internal';
import { type Difference, toDifference } from './differences.js';
import { doorDifferences } from './door-differences.js';

/** Front doors that send an answer while the function writes it. */
export type StreamingDoorKind = 'gateway-v1' | 'function-url';

/** Facts about the streamed answers of one front door. */
export interface StreamProfile {
  /** Maximum bytes of an answer. */
  readonly maxBytes: number;
  /** Maximum milliseconds of an answer; `undefined`: only the timeout of the function. */
  readonly maxMs: number | undefined;
  /** Maximum milliseconds between two parts of an answer; `undefined`: no limit. */
  readonly idleMs: number | undefined;
  /** Maximum bytes before the body: status and headers as JSON, and the delimiter. `undefined`: no limit. */
  readonly maxPreludeBytes: number | undefined;
  /** True if the door rejects an answer that does not begin with status and headers. */
  readonly needsPrelude: boolean;
  /** Members of the prelude that the door reads. */
  readonly members: readonly string[];
  /** AWS's documentation. */
  readonly source: string;
}

const MIB = 1024 * 1024;
const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html';

/**
 * Streamed answers of the front doors. Both have Lambda's limit of 200 MB:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html. Times of a REST API, for Regional endpoints:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html; its format:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html.
 */
export const STREAM_PROFILES: Readonly<Record<StreamingDoorKind, StreamProfile>> = {
  'gateway-v1': {
    maxBytes: 200 * MIB,
    maxMs: 900_000,
    idleMs: 300_000,
    maxPreludeBytes: 16_384,
    needsPrelude: true,
    members: ['statusCode', 'headers', 'multiValueHeaders', 'cookies'],
    source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html',
  },
  'function-url': {
    maxBytes: 200 * MIB,
    maxMs: undefined,
    idleMs: undefined,
    maxPreludeBytes: undefined,
    needsPrelude: false,
    members: ['statusCode', 'headers', 'cookies'],
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html',
  },
};

/** Lambda sends the first 6 MB without a limit, and then at most 2 MB a second. */
const UNCAPPED_BYTES = 6 * MIB;
const BYTES_PER_SECOND = 2 * MIB;

const NAMES: Readonly<Record<StreamingDoorKind, string>> = { 'gateway-v1': 'REST API', 'function-url': 'function URL' };
const DURATIONS = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html';

/** A streamed answer of a function. */
export interface StreamExchange {
  /** Status and headers, as the function wrote them; `undefined` if the answer begins with its body. */
  readonly prelude: unknown;
  /** Bytes before the body. Default: 0. */
  readonly preludeBytes?: number;
  /** Bytes of the body. Default: 0. */
  readonly bytes?: number;
  /** Milliseconds from the request to the end of the answer. Default: 0. */
  readonly durationMs?: number;
  /** Milliseconds of the longest pause between two parts of the answer. Default: 0. */
  readonly longestPauseMs?: number;
  /** The timeout of the function in milliseconds. Default: unknown. */
  readonly timeoutMs?: number;
}

/**
 * Compares a streamed answer with {@link STREAM_PROFILES}: its size and times, its status and its headers.
 *
 * @returns what would differ on AWS; empty if nothing would
 * @example
 * streamDifferences('gateway-v1', { prelude: undefined })[0]?.topic; // 'stream.prelude'
 */
export function streamDifferences(kind: StreamingDoorKind, exchange: StreamExchange): readonly Difference[] {
  const { prelude } = exchange;
  return [
    ...wrongPrelude(kind, exchange),
    ...ignoredMembers(kind, prelude),
    ...doorDifferences(kind, { answer: isPlainObject(prelude) ? { headers: prelude.headers } : undefined }),
    ...overLimit(kind, exchange),
    ...overTime(kind, exchange),
  ];
}

function wrongPrelude(kind: StreamingDoorKind, { prelude, preludeBytes = 0 }: StreamExchange): readonly Difference[] {
  const { needsPrelude, maxPreludeBytes = Number.POSITIVE_INFINITY, source } = STREAM_PROFILES[kind];
  const rejects = (why: string) => [
    toDifference('stream.prelude', `the ${NAMES[kind]} rejects the answer: ${why}`, source),
  ];
  if (prelude === undefined) {
    return needsPrelude
      ? rejects('it does not begin with status and headers; write them with awslambda.HttpResponseStream.from')
      : [];
  }
  if (!isPlainObject(prelude)) return rejects('its status and headers are not a JSON object');
  const { statusCode: status = 200 } = prelude;
  if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 599)
    return rejects(`statusCode is ${JSON.stringify(status)}, and must be a whole number from 100 to 599`);
  if (preludeBytes <= maxPreludeBytes) return [];
  return rejects(`status and headers have ${preludeBytes} bytes, and the limit is ${maxPreludeBytes}`);
}

function ignoredMembers(kind: StreamingDoorKind, prelude: unknown): readonly Difference[] {
  const { members, source } = STREAM_PROFILES[kind];
  if (!isPlainObject(prelude)) return [];
  return Object.keys(prelude).flatMap((name) =>
    members.includes(name)
      ? []
      : toDifference('answer.ignored', `the ${NAMES[kind]} ignores "${name}" of a streamed answer`, source),
  );
}

function overLimit(kind: StreamingDoorKind, { bytes = 0, timeoutMs }: StreamExchange): readonly Difference[] {
  const { maxBytes } = STREAM_PROFILES[kind];
  if (bytes > maxBytes) {
    const text = `Lambda cuts the answer off after ${maxBytes} bytes; it has ${bytes}`;
    return [toDifference('answer.limit', text, LAMBDA)];
  }
  const seconds = Math.max(0, bytes - UNCAPPED_BYTES) / BYTES_PER_SECOND;
  if (timeoutMs === undefined || seconds * 1000 <= timeoutMs) return [];
  const text = `Lambda sends 2 MB a second after the first 6 MB: ${bytes} bytes need ${seconds.toFixed(1)} seconds, and the timeout of the function is ${timeoutMs / 1000}`;
  return [toDifference('duration.function', text, LAMBDA)];
}

function overTime(
  kind: StreamingDoorKind,
  { durationMs = 0, longestPauseMs = 0 }: StreamExchange,
): readonly Difference[] {
  const { maxMs, idleMs } = STREAM_PROFILES[kind];
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const cuts = (why: string) => [
    toDifference('duration.door', `the ${NAMES[kind]} cuts the answer off ${why}`, DURATIONS),
  ];
  if (maxMs !== undefined && durationMs > maxMs)
    return cuts(`after ${maxMs / 1000} seconds; it needed ${seconds(durationMs)}`);
  if (idleMs !== undefined && longestPauseMs > idleMs)
    return cuts(`after a pause of ${idleMs / 1000} seconds; the longest one was ${seconds(longestPauseMs)}`);
  return [];
}
