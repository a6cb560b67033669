import { context, type Link, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { SpanHook, SpanLink, Span as SpanOfHook } from '@sallyport/core';

const KINDS: Readonly<Record<string, SpanKind>> = {
  'framework.request': SpanKind.SERVER,
  'framework.event': SpanKind.CONSUMER,
  'framework.span': SpanKind.INTERNAL,
};

/**
 * Spans of the framework as spans of an OpenTelemetry SDK or of AWS's layer, as the option `observability.span`. They are children of the
 * span that is current when they start, and are current themselves while their work runs, so that instrumented libraries nest under them.
 * The SDK samples, and exports.
 *
 * @example createApp({ observability: { span: fromTracer(trace.getTracer('orders')) } });
 */
export function fromTracer(tracer: Tracer): SpanHook {
  return {
    start(kind, name, attributes, parent, links = []) {
      const active = context.active();
      const outer =
        kind === 'framework.span' && trace.getSpan(active) ? undefined : (parent as BridgedSpan | undefined);
      const options = {
        kind: KINDS[kind] ?? SpanKind.INTERNAL,
        attributes: { ...attributes },
        links: links.flatMap(toLink),
      };
      const within = outer ? trace.setSpan(active, outer.span) : active;
      return new BridgedSpan(tracer.startSpan(name, options, within));
    },
  };
}

class BridgedSpan implements SpanOfHook {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get spanId(): string {
    return this.span.spanContext().spanId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  get tracestate(): string {
    return this.span.spanContext().traceState?.serialize() ?? '';
  }

  set(attributes: Readonly<Record<string, string | number | boolean>>): void {
    this.span.setAttributes({ ...attributes });
  }

  error(error: unknown): void {
    const { code = 'app.internal' } = (error ?? {}) as { readonly code?: string };
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    this.span.setAttribute('error.type', code);
  }

  end(): void {
    this.span.end();
  }

  run<T>(run: () => T): T {
    return context.with(trace.setSpan(context.active(), this.span), run);
  }
}

/** A link of OpenTelemetry names a span. */
function toLink({ traceId, spanId }: SpanLink): Link[] {
  return spanId ? [{ context: { traceId, spanId, traceFlags: 0, isRemote: true } }] : [];
}
