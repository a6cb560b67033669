import type { Environment } from '../runtime/environment.js';
import type { LambdaContext } from '../runtime/surface.js';

/** Version, trace id, parent id and flags, as W3C Trace Context section 3.2 lays them out. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/i;
const XRAY_ROOT = /(?:^|;)\s*Root=(1-[0-9a-f]{8}-([0-9a-f]{24}))\s*(?:;|$)/i;
const ZEROS = /^0+$/;

/** The trace id of a `traceparent` value in lower case, or `''` when the value is not valid. */
export function parseTraceparent(value: string): string {
  const match = TRACEPARENT.exec(value.trim());
  if (!match) return '';
  const [, version = '', traceId = '', parentId = '', rest] = match;
  if (version.toLowerCase() === 'ff' || (version === '00' && rest !== undefined)) return '';
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? '' : traceId.toLowerCase();
}

/** The `Root=` of an X-Ray trace header with its case kept, or `''`. */
export function parseXrayTraceHeader(value: string): string {
  const match = XRAY_ROOT.exec(value);
  return match && !ZEROS.test(match[2] ?? '') ? (match[1] ?? '') : '';
}

/** The first valid trace id of a list of `[parser, value]` sources; nothing is invented. */
export function firstTraceId(traceparent: string, xray: string): string {
  return (traceparent === '' ? '' : parseTraceparent(traceparent)) || (xray === '' ? '' : parseXrayTraceHeader(xray));
}

/**
 * The trace id of the invocation itself, for events: the Lambda context's, else that of the variable `_X_AMZN_TRACE_ID`. The
 * variable is one a process, so it is not read where a process serves several invocations at once.
 */
export function invocationTraceId(lambdaContext: LambdaContext | undefined, environment: Environment): string {
  const own = lambdaContext?.xRayTraceId ?? lambdaContext?.traceId;
  const fromContext = typeof own === 'string' ? parseXrayTraceHeader(own) || parseXrayTraceHeader(`Root=${own}`) : '';
  if (fromContext !== '' || (environment.AWS_LAMBDA_MAX_CONCURRENCY ?? '') !== '') return fromContext;
  return parseXrayTraceHeader(environment._X_AMZN_TRACE_ID ?? '');
}

/** A `tracestate` as it may be sent on: not blank, at most 512 visible characters (W3C Trace Context section 3.3.1.1), or `''`. */
export function parseTracestate(value: string): string {
  const state = value.trim();
  return state.length <= 512 && /^[\x20-\x7e\t]+$/.test(state) && state.includes('=') ? state : '';
}

/**
 * The trace headers for a call onward: the request's own `traceparent` with its `tracestate`, else its `x-amzn-trace-id`;
 * none when neither is valid.
 */
export function onwardTraceHeaders(header: (name: string) => string): Record<string, string> {
  const traceparent = header('traceparent').trim();
  if (traceparent !== '' && parseTraceparent(traceparent) !== '') {
    const tracestate = parseTracestate(header('tracestate'));
    return tracestate === '' ? { traceparent } : { traceparent, tracestate };
  }
  const xray = header('x-amzn-trace-id').trim();
  return xray !== '' && parseXrayTraceHeader(xray) !== '' ? { 'x-amzn-trace-id': xray } : {};
}
