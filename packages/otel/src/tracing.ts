import type { Logger, Request, SpanAttributes, SpanHook, SpanOrigin } from '@sallyport/core';
import { createDefaultLogger, trimmedText } from '@sallyport/core/internal';
import { defineOptions, func, number, text, withMethods } from '@sallyport/core/options';
import type { Resource } from './encoding/traces.js';
import { type ExportCounts, noCounts, type SpanExporter } from './export/exporter.js';
import { udpExporter } from './export/udp.js';
import { Deadlines } from './spans/internal/deadlines.js';
import { createSampler } from './spans/internal/sampler.js';
import type { TraceSettings } from './spans/internal/settings.js';
import { activeSpan, startTrace, TraceSpan } from './spans/internal/trace.js';

/** Options of {@link tracing}. An unknown key is rejected. */
export interface TracingOptions {
  /** The name of the service. Default: the variable `OTEL_SERVICE_NAME`, else the name of the function. */
  readonly service?: string;
  /** The receiver of the spans: `udpExporter()`, `otlpExporter()`. Default: `udpExporter()` if `AWS_XRAY_DAEMON_ADDRESS` is set, else nowhere. */
  readonly exporter?: SpanExporter;
  /**
   * The part of the traces without a trusted parent that is sent, 0 to 1. Default: the variable `OTEL_TRACES_SAMPLER_ARG`; else the first
   * five traces of each second in each environment, and one in ten of the others.
   */
  readonly ratio?: number;
  /**
   * Trusts the `traceparent` of a request: the trace of the caller continues, and its decision about sampling counts. Callers whom
   * the gate accepted as internal are always trusted. Default: no other caller.
   */
  readonly trustParent?: (request: Request) => boolean;
  /** Further attributes of the root of each invocation, for example from a header of the request. */
  readonly attributes?: (origin: SpanOrigin) => SpanAttributes;
  /** Receives one `warn` if spans are lost. Default: the logger of a container without the option `log`. */
  readonly log?: Logger;
}

/** Validators and defaults for {@link TracingOptions}. */
export const TRACING_OPTIONS = /* @__PURE__ */ defineOptions<TracingOptions>()({
  service: text(),
  exporter: withMethods<SpanExporter>('export'),
  ratio: number(0, 1),
  trustParent: func<(request: Request) => boolean>(),
  attributes: func<(origin: SpanOrigin) => SpanAttributes>(),
  log: withMethods<Logger>('warn'),
});

/** Spans that a tracer has sent and lost since its construction. */
export interface TraceCounts extends ExportCounts {
  /** Spans that ended after their invocation. */
  readonly lateSpans: number;
}

/** The option `observability.span` of a container, with the numbers of sent and lost spans. */
export interface Tracer extends SpanHook {
  /** The totals so far; a new object. */
  readonly counts: TraceCounts;
}

/**
 * Traces of every invocation, as the option `observability.span`. Spans are sent when the root of an invocation ends, before its answer
 * is returned.
 *
 * @throws FrameworkError `app.invalid_configuration` for an invalid option or an invalid `AWS_XRAY_DAEMON_ADDRESS`
 * @example
 * const app = new SecureApp({ principalResolver, observability: { span: tracing({ service: 'orders' }) } });
 */
export function tracing(options: TracingOptions = {}): Tracer {
  const { service, exporter: given, ratio, trustParent, attributes, log } = TRACING_OPTIONS.parse(options);
  const { env } = process;
  const exporter = given ?? (env.AWS_XRAY_DAEMON_ADDRESS ? udpExporter() : undefined);
  const logger = log ?? createDefaultLogger(env);
  let initMs: number | undefined = performance.now();
  let lateSpans = 0;
  let isWarned = false;
  let reported = { dropped: 0, failures: 0 };
  const settings: TraceSettings = {
    exporter,
    resource: resourceOf(service),
    propagators: (env.OTEL_PROPAGATORS ?? 'tracecontext,xray').split(',').map(trimmedText),
    trusts: (origin) => {
      const { request } = origin.invocation();
      return request !== undefined && trustParent?.(request) === true;
    },
    samples: createSampler(ratio ?? env.OTEL_TRACES_SAMPLER_ARG),
    attributesOf: attributes,
    deadlines: new Deadlines(),
    isShared: Boolean(env.AWS_LAMBDA_MAX_CONCURRENCY),
    takeInit() {
      const ms = initMs;
      initMs = undefined;
      return ms;
    },
    countLate() {
      lateSpans += 1;
    },
  };
  return {
    get counts() {
      return { ...(exporter?.counts ?? noCounts()), lateSpans };
    },
    start(kind, name, attributes, parent, links, origin) {
      const start = { kind, name, attributes, links, origin };
      if (parent instanceof TraceSpan) return innermost(parent, kind).child(start);
      const droppedSpans = exporter?.counts.droppedSpans ?? 0;
      if (droppedSpans + lateSpans > 0 && !isWarned) {
        isWarned = true;
        const { rejectedSpans, failedExports } = exporter?.counts ?? {};
        logger.warn('otel.spans_lost', {
          dropped_spans: droppedSpans,
          rejected_spans: rejectedSpans,
          failed_exports: failedExports,
          late_spans: lateSpans,
        });
      }
      return startTrace(settings, start);
    },
    losses() {
      const { droppedSpans = 0, failedExports = 0 } = exporter?.counts ?? {};
      const now = { dropped: droppedSpans + lateSpans, failures: failedExports };
      const value = now.dropped - reported.dropped;
      const failures = now.failures - reported.failures;
      if (value === 0 && failures === 0) return undefined;
      reported = now;
      return { name: 'framework.trace', value, tags: {}, measures: { export_failures: failures } };
    },
  };
}

/** The parent of a span of `ctx.span`: the span in which it is called, if it is part of the same invocation. */
function innermost(parent: TraceSpan, kind: string): TraceSpan {
  const current = kind === 'framework.span' ? activeSpan() : undefined;
  return current?.trace === parent.trace ? current : parent;
}

function resourceOf(service: string | undefined): Resource {
  const { env } = process;
  const named: Record<string, string | undefined> = {
    'service.name': service ?? (env.OTEL_SERVICE_NAME || env.AWS_LAMBDA_FUNCTION_NAME || 'unknown_service'),
    'telemetry.sdk.name': 'sallyport',
    'telemetry.sdk.language': 'nodejs',
    ...(env.AWS_LAMBDA_FUNCTION_NAME && { 'cloud.provider': 'aws', 'cloud.platform': 'aws_lambda' }),
    'cloud.region': env.AWS_REGION,
    'faas.name': env.AWS_LAMBDA_FUNCTION_NAME,
    'faas.version': env.AWS_LAMBDA_FUNCTION_VERSION,
  };
  return {
    attributes: Object.fromEntries(Object.entries(named).flatMap(([key, value]) => (value ? [[key, value]] : []))),
  };
}
