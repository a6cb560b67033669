import type { Resource, Scope, SpanData } from '../encoding/traces.js';

/** The finished spans of one invocation, its root last, with the function that made them. */
export interface SpanBatch {
  /** The function that made the spans. */
  readonly resource: Resource;
  /** The instrumentation that made the spans. */
  readonly scope: Scope;
  /** The spans, the root last. */
  readonly spans: readonly SpanData[];
}

/** Running totals of an exporter since its construction. UDP has no answer: sent means that the system accepted the datagram. */
export interface ExportCounts {
  /** Spans that were sent. */
  sentSpans: number;
  /** Bytes that were sent: of datagrams, or of bodies before compression. */
  sentBytes: number;
  /** Spans that were not sent, or that the receiver rejected. */
  droppedSpans: number;
  /** The part of `droppedSpans` that a receiver rejected although it accepted their request (OTLP `partialSuccess`); default 0. */
  rejectedSpans?: number;
  /** Requests or datagrams that failed; default 0. */
  failedExports?: number;
  /** Attributes that were removed because a span was too large. */
  cutAttributes: number;
}

/** Sends the spans of invocations; `udpExporter`, `otlpExporter` and `collectSpans` create one. */
export interface SpanExporter {
  /** True if the segment of the platform is the parent of an invocation's root, so that one trace has all segments. */
  readonly joinsPlatform: boolean;
  /** The totals so far. */
  readonly counts: Readonly<ExportCounts>;
  /** Milliseconds that the answer waits for the promise of `export`. */
  readonly waitMs?: number;
  /** Called when an invocation starts. */
  begin?(): void;
  /** Called when the root of an invocation has ended. Must not throw; the promise never rejects. */
  export(batch: SpanBatch): Promise<unknown> | undefined;
}

/** Totals that start at zero. */
export function noCounts(): ExportCounts {
  return { sentSpans: 0, sentBytes: 0, droppedSpans: 0, rejectedSpans: 0, failedExports: 0, cutAttributes: 0 };
}
