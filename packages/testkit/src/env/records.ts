import type {
  FullClock,
  Logger,
  LogRecord,
  MetricRecord,
  Observability,
  Span,
  SpanAttributes,
  SpanKind,
} from '@sallyport/core';
import { createLogger, type LogLine } from '@sallyport/core/observability';

/** A span that the framework started. */
export interface CapturedSpan {
  /** For a request, an event, or work in `ctx.span`. */
  readonly kind: SpanKind;
  /** Name of the span. */
  readonly name: string;
  /** Its attributes, including attributes that were set later. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Name of the span around it; `''` for none. */
  readonly parent: string;
  /** The reported error; `undefined` if absent. */
  readonly error: unknown;
  /** True if it has ended. */
  readonly ended: boolean;
}

/** Output of the hooks and the logger of an environment, in order. The lists grow as containers run. */
export interface Records {
  /** Records of the `log` hook, and parsed lines of the logger. */
  readonly logs: readonly (LogRecord | LogLine)[];
  /** Records of the `metric` hook. */
  readonly metrics: readonly MetricRecord[];
  /** Spans, in the order in which they started. */
  readonly spans: readonly CapturedSpan[];
  /** Empties the three lists. */
  clear(): void;
}

/** Records, and the logger and hooks that fill them. */
export interface Recording {
  readonly records: Records;
  readonly log: Logger;
  readonly observability: { readonly [K in 'log' | 'metric' | 'span']: NonNullable<Observability[K]> };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The real logger and hooks, whose output is kept. */
export function createRecording(clock: FullClock): Recording {
  const logs: (LogRecord | LogLine)[] = [];
  const metrics: MetricRecord[] = [];
  const spans: CapturedSpan[] = [];
  return {
    records: {
      logs,
      metrics,
      spans,
      clear() {
        for (const list of [logs, metrics, spans]) list.length = 0;
      },
    },
    log: createLogger({
      level: 'debug',
      clock,
      environment: {},
      write: (line) => void logs.push(JSON.parse(line) as LogLine),
    }),
    observability: {
      log: (record) => void logs.push(record),
      metric: (record) => void metrics.push(record),
      span: { start: (kind, name, attributes, parent) => startSpan(spans, kind, name, attributes, parent) },
    },
  };
}

/** The names of captured spans, by the span object that the framework received. */
const NAMES = new WeakMap<Span, string>();

function startSpan(
  spans: CapturedSpan[],
  kind: CapturedSpan['kind'],
  name: string,
  attributes: SpanAttributes,
  parent: Span | undefined,
): Span {
  const captured: Writable<CapturedSpan> = {
    kind,
    name,
    attributes: { ...attributes },
    parent: (parent && NAMES.get(parent)) ?? '',
    error: undefined,
    ended: false,
  };
  spans.push(captured);
  const span: Span = {
    set(more) {
      captured.attributes = { ...captured.attributes, ...more };
    },
    error(error) {
      captured.error = error;
    },
    end() {
      captured.ended = true;
    },
    run: (run) => run(),
  };
  NAMES.set(span, name);
  return span;
}
