import { toXray } from './internal/remote.js';
import { activeSpan, type TraceSpan } from './internal/trace.js';

/** The span in which code runs. */
export interface CurrentSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** True if the trace is sent. */
  readonly isSampled: boolean;
}

/** The span in which this code runs; `undefined` outside an invocation, and without a tracer. */
export function currentSpan(): CurrentSpan | undefined {
  const span = activeSpan();
  return span && { traceId: span.traceId, spanId: span.spanId, isSampled: span.isSampled };
}

/**
 * The trace context of the current span as headers: `traceparent`, `tracestate`, `x-amzn-trace-id`, `baggage`. Empty outside an
 * invocation, and without a tracer.
 */
export function traceHeaders(): Record<string, string> {
  const span = activeSpan();
  return span ? headersOf(span) : {};
}

/** The headers of a span, in the formats of `OTEL_PROPAGATORS`. */
export function headersOf(span: TraceSpan): Record<string, string> {
  const { identity, settings } = span.trace;
  const headers: Record<string, string> = {};
  if (settings.propagators.includes('tracecontext')) {
    const { traceparent, tracestate } = span;
    headers.traceparent = traceparent;
    if (tracestate !== '') headers.tracestate = tracestate;
  }
  if (settings.propagators.includes('xray')) headers['x-amzn-trace-id'] = toXray(span);
  if (identity.baggage !== '') headers.baggage = identity.baggage;
  return headers;
}
