import type { SpanOrigin } from '@sallyport/core';
import { parseTraceparent, parseTracestate, parseXrayTraceHeader } from '@sallyport/core/internal';

/** A span of another process, as a carrier names it. */
export interface RemoteSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits; `''` if the carrier names only the trace. */
  readonly spanId: string;
  /** The decision of the sender; `undefined` if absent. */
  readonly sampled: boolean | undefined;
  /** The `tracestate`; `''` if absent. */
  readonly state: string;
}

/** The sender by W3C Trace Context, else by the header of X-Ray; `undefined` if neither is valid. */
export function readRemote(origin: SpanOrigin): RemoteSpan | undefined {
  const traceparent = origin.carrier('traceparent');
  return (
    (traceparent === '' ? undefined : fromTraceparent(traceparent, origin.carrier('tracestate'))) ??
    fromXray(origin.carrier('x-amzn-trace-id'))
  );
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export function fromTraceparent(value: string, tracestate: string): RemoteSpan | undefined {
  const text = value.trim().toLowerCase();
  const traceId = parseTraceparent(text);
  if (traceId === '') return undefined;
  const sampled = (Number.parseInt(text.slice(53, 55), 16) & 1) === 1;
  return { traceId, spanId: text.slice(36, 52), sampled, state: parseTracestate(tracestate) };
}

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
export function fromXray(header: string): RemoteSpan | undefined {
  if (header === '') return undefined;
  const root = parseXrayTraceHeader(header);
  if (root === '') return undefined;
  const parent = memberOf(header, 'Parent=').toLowerCase();
  const sampled = memberOf(header, 'Sampled=');
  return {
    traceId: (root.slice(2, 10) + root.slice(11)).toLowerCase(),
    spanId: /^(?!0+$)[0-9a-f]{16}$/.test(parent) ? parent : '',
    sampled: sampled === '1' || (sampled === '0' ? false : undefined),
    state: '',
  };
}

function memberOf(header: string, name: string): string {
  const at = header.indexOf(name);
  const end = header.indexOf(';', at);
  return at < 0 ? '' : header.slice(at + name.length, end < 0 ? undefined : end).trim();
}

/** A span as the carriers of a request or message name it. */
export interface OnwardSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export function toTraceparent({ traceId, spanId, isSampled }: OnwardSpan): string {
  return `00-${traceId}-${spanId}-0${Number(isSampled)}`;
}

export function toXray({ traceId, spanId, isSampled }: OnwardSpan): string {
  return `Root=1-${traceId.slice(0, 8)}-${traceId.slice(8)};Parent=${spanId};Sampled=${Number(isSampled)}`;
}

/**
 * The member of `tracestate` that names the trace in which a request began, if its spans are in a different trace. It continues over every queue,
 * so that all log lines have one id in common.
 */
const ORIGIN = /(?:^|,)\s*sallyport=([0-9a-f]{32})\s*(?:,|$)/;

/** The trace in which a request began: by its `tracestate`, else the trace of the sender; `''` without a sender. */
export function beginningOf(remote: RemoteSpan | undefined): string {
  if (!remote) return '';
  return (remote.state === '' ? undefined : ORIGIN.exec(remote.state)?.[1]) ?? remote.traceId;
}

/** A `tracestate` with the first trace at its front; `''` if both are empty. */
export function toTracestate(state: string, beginning: string): string {
  const others = state.replace(ORIGIN, ',').replace(/^,|,$/g, '');
  return [beginning && `sallyport=${beginning}`, others]
    .filter((part) => part !== '')
    .join(',')
    .slice(0, 512);
}
