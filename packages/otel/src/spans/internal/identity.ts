import type { SpanOrigin } from '@sallyport/core';
import { beginningOf, fromXray, type RemoteSpan, readRemote } from './remote.js';
import type { Identity, TraceSettings } from './settings.js';

const MAX_BAGGAGE = 8192;

const POOL_BYTES = 2048;
let pool = '';
let used = 0;
let isSnapshot: boolean | undefined;

/**
 * Random hexadecimal digits. They are read from the system for several spans together, except where a snapshot could contain them:
 * environments that are restored from one snapshot would have the same ids.
 */
export function randomHex(bytes: 8 | 16): string {
  isSnapshot ??= process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'snap-start';
  if (isSnapshot || pool.length < used + bytes * 2) {
    pool = Buffer.from(crypto.getRandomValues(new Uint8Array(isSnapshot ? bytes : POOL_BYTES))).toString('hex');
    used = 0;
  }
  used += bytes * 2;
  return pool.slice(used - bytes * 2, used);
}

/**
 * Determines which trace an invocation belongs to. The platform's segment is the parent with an exporter for X-Ray, and where the propagators
 * name it first. A client's trace is the parent only if the client is trusted, else it is a link.
 */
export function decideIdentity(origin: SpanOrigin | undefined, settings: TraceSettings): Identity {
  const sender = origin && readRemote(origin);
  const platform = platformOf(origin, settings.isShared);
  const isTrusted = sender !== undefined && origin !== undefined && trusts(origin, settings);
  const first = settings.exporter?.joinsPlatform ? 'xray' : settings.propagators[0];
  const trusted = isTrusted ? sender : undefined;
  const parent = first === 'xray' ? (platform ?? trusted) : (trusted ?? platform);
  const traceId = parent?.traceId ?? randomHex(16);
  const beginning = beginningOf(sender);
  return {
    traceId,
    // X-Ray records no segment for a trace that it does not sample: there is no such parent.
    parent: parent?.spanId && (parent === sender || parent.sampled) ? parent : undefined,
    isSampled: decisionOf(parent, parent === platform, settings) ?? settings.samples(traceId),
    remoteTraceId: beginning === traceId ? '' : beginning,
    linked: sender && sender.traceId !== traceId ? sender : undefined,
    state: parent === sender ? (sender?.state ?? '') : '',
    baggage: isTrusted ? baggageOf(origin?.carrier('baggage') ?? '') : '',
  };
}

/** Lambda sets `Sampled=0` for every function without active tracing, so without X-Ray this is not a decision. */
function decisionOf(
  parent: RemoteSpan | undefined,
  isPlatform: boolean,
  { exporter }: TraceSettings,
): boolean | undefined {
  return isPlatform && !exporter?.joinsPlatform && parent?.sampled === false ? undefined : parent?.sampled;
}

function trusts(origin: SpanOrigin, { trusts }: TraceSettings): boolean {
  if (origin.invocation().principal?.kind === 'internal') return true;
  try {
    return trusts(origin);
  } catch {
    return false;
  }
}

function baggageOf(value: string): string {
  return value.length <= MAX_BAGGAGE && /^[\x20-\x7e]*$/.test(value) ? value : '';
}

/** The segment of Lambda: from the context, else from the variable of the one invocation that the process serves. */
function platformOf(origin: SpanOrigin | undefined, isShared: boolean): RemoteSpan | undefined {
  const { xRayTraceId, traceId } = origin?.invocation().lambdaContext ?? {};
  const own = xRayTraceId ?? traceId;
  const given = typeof own === 'string' ? (fromXray(own) ?? fromXray(`Root=${own}`)) : undefined;
  return given ?? (isShared ? undefined : fromXray(process.env._X_AMZN_TRACE_ID ?? ''));
}
