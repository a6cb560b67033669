import type { SpanAttributes, SpanOrigin } from '@sallyport/core';
import type { Resource } from '../../encoding/traces.js';
import type { SpanExporter } from '../../export/exporter.js';
import type { Deadlines } from './deadlines.js';
import type { RemoteSpan } from './remote.js';

/** Settings that all traces of one tracer share. */
export interface TraceSettings {
  readonly exporter: SpanExporter | undefined;
  readonly resource: Resource;
  /** The formats of a trace context that are read and sent, in order: `tracecontext`, `xray`, `baggage`. */
  readonly propagators: readonly string[];
  /** True for a process that serves several invocations at the same time: `_X_AMZN_TRACE_ID` is not the one of an invocation. */
  readonly isShared: boolean;
  readonly trusts: (origin: SpanOrigin) => boolean;
  /** The decision for a trace without a trusted parent. */
  readonly samples: (traceId: string) => boolean;
  readonly attributesOf: ((origin: SpanOrigin) => SpanAttributes) | undefined;
  readonly deadlines: Deadlines;
  /** Milliseconds of INIT for the first trace; `undefined` afterwards. */
  readonly takeInit: () => number | undefined;
  /** Counts spans that ended after their trace. */
  readonly countLate: () => void;
}

/** The identity of a trace, decided when it is first needed. */
export interface Identity {
  readonly traceId: string;
  readonly parent: RemoteSpan | undefined;
  readonly isSampled: boolean;
  /** The trace in which the request began if it differs; `''` otherwise. */
  readonly remoteTraceId: string;
  /** The sender that is not the parent. */
  readonly linked: RemoteSpan | undefined;
  /** The `tracestate` of a trusted parent. */
  readonly state: string;
  /** The `baggage` of a trusted parent; `''` if absent or over 8 KiB. */
  readonly baggage: string;
}
