import type { Environment, LambdaContext } from '../runtime/invocation.js';

/** The source of a request as reported by the provider. Forwarding headers are never used. */
export interface SourceProvenance {
  /** Canonical address, `''` when unknown or malformed. */
  readonly sourceIP: string;
  /** The service whose request context names the address. */
  readonly provider: 'apigw-v2' | 'lambda-url' | 'apigw-v1' | 'unknown';
  /** `provider_request_context` if the provider reports the address, else `unknown`. */
  readonly source: 'provider_request_context' | 'unknown';
  /** Only when the provider supplied an address that parses. */
  readonly valid: boolean;
}

const PROVIDERS: readonly unknown[] = ['apigw-v2', 'lambda-url', 'apigw-v1'];

/** The record for a request with an unknown source; a new copy. */
export function unknownProvenance(): SourceProvenance {
  return { sourceIP: '', provider: 'unknown', source: 'unknown', valid: false };
}

/** The record for an address that a provider's request context names. */
export function providerProvenance(provider: SourceProvenance['provider'], address: unknown): SourceProvenance {
  const sourceIP = canonicalIp(address);
  if (sourceIP === '' || provider === 'unknown') return unknownProvenance();
  return { sourceIP, provider, source: 'provider_request_context', valid: true };
}

/** Checks a given record; an inconsistent record becomes unknown. */
export function parseProvenance(input: unknown): SourceProvenance {
  if (typeof input !== 'object' || input === null) return unknownProvenance();
  const { provider, source, sourceIP } = input as Partial<SourceProvenance>;
  if (!PROVIDERS.includes(provider) || source !== 'provider_request_context') return unknownProvenance();
  return providerProvenance(provider as SourceProvenance['provider'], sourceIP);
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6_CHARACTERS = /^[\da-f:.]+$/i;
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * The canonical text of an IP address, or `''` if it is invalid: IPv4 without leading zeros, unchanged; IPv6 according to RFC 5952
 * (lower case, the longest run of zero groups compressed), a mapped IPv4 as `::ffff:a.b.c.d`. A zone id is rejected.
 */
export function canonicalIp(input: unknown): string {
  if (typeof input !== 'string') return '';
  const text = input.trim();
  if (IPV4.test(text)) return text;
  // A URL writes the IPv6 address of its host according to RFC 5952, except for mapped addresses (URL standard, section 3.5).
  const url = `http://[${text}]`;
  if (!IPV6_CHARACTERS.test(text) || !URL.canParse(url)) return '';
  const canonical = new URL(url).hostname.slice(1, -1);
  const [mapped, high = '', low = ''] = MAPPED.exec(canonical) ?? [];
  return mapped === undefined ? canonical : `::ffff:${dotted(high)}.${dotted(low)}`;
}

/** Two bytes of an IPv4 address from four hex digits. */
function dotted(hex: string): string {
  const value = Number.parseInt(hex, 16);
  return `${value >> 8}.${value & 255}`;
}

/** Version, trace id, parent id and flags, W3C Trace Context section 3.2. */
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

/** The first valid trace id of a list of `[parser, value]` sources; `''` if no source has a valid id. */
export function firstTraceId(traceparent: string, xray: string): string {
  return (traceparent === '' ? '' : parseTraceparent(traceparent)) || (xray === '' ? '' : parseXrayTraceHeader(xray));
}

/**
 * The invocation's own trace id, for events: from the Lambda context, else from the variable `_X_AMZN_TRACE_ID`. A
 * process has only one such variable, so it is not read when a process serves several invocations at the same time.
 */
export function invocationTraceId(lambdaContext: LambdaContext | undefined, environment: Environment): string {
  const own = lambdaContext?.xRayTraceId ?? lambdaContext?.traceId;
  const fromContext = typeof own === 'string' ? parseXrayTraceHeader(own) || parseXrayTraceHeader(`Root=${own}`) : '';
  if (fromContext !== '' || (environment.AWS_LAMBDA_MAX_CONCURRENCY ?? '') !== '') return fromContext;
  return parseXrayTraceHeader(environment._X_AMZN_TRACE_ID ?? '');
}

/**
 * The invocation's own trace id if its log lines have a different id, else `''`. A `traceparent` of a client is an id that
 * queues and buses do not pass on; the X-Ray id of the invocation is in the next message.
 */
export function otherTraceId(
  traceId: string,
  lambdaContext: LambdaContext | undefined,
  environment: Environment,
): string {
  const own = invocationTraceId(lambdaContext, environment);
  return own === traceId ? '' : own;
}

/** A `tracestate` as it may be sent on: not blank, at most 512 visible characters (W3C Trace Context section 3.3.1.1), or `''`. */
export function parseTracestate(value: string): string {
  const state = value.trim();
  return state.length <= 512 && /^[\x20-\x7e\t]+$/.test(state) && state.includes('=') ? state : '';
}

/**
 * The trace headers for a request to another service: the request's own `traceparent` with its `tracestate`, else its
 * `x-amzn-trace-id`; empty if neither is valid.
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
