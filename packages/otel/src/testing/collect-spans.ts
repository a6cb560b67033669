import { isDeepStrictEqual } from 'node:util';
import type { SpanData } from '../encoding/traces.js';
import { noCounts, type SpanBatch, type SpanExporter } from '../export/exporter.js';

/** A finished span with its children, in the order in which they started. */
export interface SpanTree {
  /** The name of the span. */
  readonly name: string;
  /** The spans whose parent this span is, in the order in which they started. */
  readonly children: readonly SpanTree[];
}

/** Keeps finished spans, for tests. */
export interface SpanCollector extends SpanExporter {
  /** All finished spans; the root of an invocation is after its children. */
  readonly spans: readonly SpanData[];
  /** The spans as trees, one for each invocation. */
  tree(): readonly SpanTree[];
  /** Removes the spans so far. */
  clear(): void;
}

/**
 * An exporter that keeps finished spans.
 *
 * @param options `joinsPlatform`: `true` to behave like `udpExporter`; default `false`, like `otlpExporter`
 * @example
 * const spans = collectSpans();
 * const app = createApp({ observability: { span: tracing({ ratio: 1, exporter: spans }) } });
 * expect(spans.tree()).toEqual([{ name: 'GET /notes/{id}', children: [] }]);
 */
export function collectSpans({ joinsPlatform = false } = {}): SpanCollector {
  const counts = noCounts();
  const spans: SpanData[] = [];
  return {
    joinsPlatform,
    counts,
    spans,
    export(batch: SpanBatch) {
      spans.push(...batch.spans);
      counts.sentSpans += batch.spans.length;
      return undefined;
    },
    tree() {
      const ids = new Set(spans.map(({ spanId }) => spanId));
      const below = (parent: string | undefined): SpanTree[] =>
        spans
          .filter(({ parentSpanId = '' }) => (parent === undefined ? !ids.has(parentSpanId) : parentSpanId === parent))
          .sort((a, b) => a.startTimeUnixNano - b.startTimeUnixNano)
          .map(({ name, spanId }) => ({ name, children: below(spanId) }));
      return below(undefined);
    },
    clear: () => void spans.splice(0),
  };
}

/** The result of a matcher of Jest or Vitest. */
export interface MatchResult {
  /** True if the collector has the span. */
  readonly pass: boolean;
  /** The message of a failed assertion: the expected span, and the spans that were found. */
  message(): string;
}

/**
 * Matchers for `expect.extend`: `expect(spans).toHaveSpan('price the order', { 'order.lines': 3 })`. The span must have these attributes,
 * and can have others.
 */
export const spanMatchers = {
  toHaveSpan(collector: SpanCollector, name: string, attributes: Readonly<Record<string, unknown>> = {}): MatchResult {
    const named = collector.spans.filter((span) => span.name === name);
    const pass = named.some((span) =>
      Object.entries(attributes).every(([key, value]) => isDeepStrictEqual(span.attributes[key], value)),
    );
    const found =
      named.length > 0
        ? named.map((span) => JSON.stringify(span.attributes))
        : collector.spans.map((span) => span.name);
    return {
      pass,
      message: () => `span "${name}" with ${JSON.stringify(attributes)}: found ${found.join(', ') || 'no span'}`,
    };
  },
};
