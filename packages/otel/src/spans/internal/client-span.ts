import type { SpanAttributes } from '@sallyport/core';
import { SPAN_KIND } from '../../encoding/traces.js';
import { activeSpan, type TraceSpan } from './trace.js';

/** A span of kind client below the current span; `undefined` outside an invocation, and without a tracer. */
export function startClientSpan(name: string, attributes: SpanAttributes): TraceSpan | undefined {
  return activeSpan()?.child({ kind: 'framework.span', name, attributes, spanKind: SPAN_KIND.client });
}

/** The class of a failure as `error.type`: its name, or its code. Text of the failure is never exported. */
export function errorType(error: unknown): string {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return [code, name].find((text): text is string => typeof text === 'string' && text !== '') ?? '_OTHER';
}
