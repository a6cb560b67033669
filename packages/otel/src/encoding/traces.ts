import { type Attributes, attributes, fixed32, hex, message, repeated, string, time, unsigned } from './protobuf.js';

/** The values of `Span.SpanKind`. */
export const SPAN_KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** The value of `Status.StatusCode` of a failed span. */
export const STATUS_ERROR = 2;

/** An event of a span. */
export interface EventData {
  /** Milliseconds since 1970. */
  readonly timeUnixNano: number;
  /** The name of the event. */
  readonly name: string;
  /** The attributes of the event. */
  readonly attributes: Attributes;
}

/** A link to a span of another trace. */
export interface LinkData {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The `tracestate` of the other trace; `undefined` if absent. */
  readonly traceState?: string | undefined;
  /** The trace flags, and bit 8: the link has this information. */
  readonly flags: number;
}

/** A finished span, with the names of `Span` in opentelemetry-proto; times are milliseconds since 1970. */
export interface SpanData {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The `tracestate` of the caller; `undefined` if absent. */
  readonly traceState?: string | undefined;
  /** 16 hexadecimal digits; `undefined` for a root. */
  readonly parentSpanId?: string | undefined;
  /** The name by the conventions: `GET /notes/{id}`. */
  readonly name: string;
  /** A value of {@link SPAN_KIND}. */
  readonly kind: number;
  /** The start, in milliseconds since 1970. */
  readonly startTimeUnixNano: number;
  /** The end, in milliseconds since 1970. */
  readonly endTimeUnixNano: number;
  /** The attributes of the span. */
  readonly attributes: Attributes;
  /** Attributes that were left out. */
  readonly droppedAttributesCount: number;
  /** The events, in the order in which they were added. */
  readonly events: readonly EventData[];
  /** Events that were left out. */
  readonly droppedEventsCount: number;
  /** The links to other traces. */
  readonly links: readonly LinkData[];
  /** Links that were left out. */
  readonly droppedLinksCount: number;
  /** Code 0 unless the span failed. */
  readonly status: { readonly message?: string | undefined; readonly code: number };
  /** The trace flags; bits 8 and 9 show if the parent is in another process. */
  readonly flags: number;
}

/** The instrumentation that made the spans. */
export interface Scope {
  /** The name of a package: `@sallyport/otel`. */
  readonly name: string;
  /** The version of the package; `undefined` if unknown. */
  readonly version?: string | undefined;
}

/** The function that made the spans. */
export interface Resource {
  /** Attributes such as `service.name` and `faas.name`. */
  readonly attributes: Attributes;
}

interface ScopeSpans {
  readonly scope: Scope;
  readonly spans: readonly SpanData[];
  readonly schemaUrl: string;
}

interface ResourceSpans {
  readonly resource: Resource;
  readonly scopeSpans: readonly ScopeSpans[];
  readonly schemaUrl: string;
}

/** `ExportTraceServiceRequest`. */
export interface TracesData {
  readonly resourceSpans: readonly ResourceSpans[];
}

// The numbers come from https://github.com/open-telemetry/opentelemetry-proto/tree/v1.9.0/opentelemetry/proto:
// trace/v1/trace.proto, common/v1/common.proto and resource/v1/resource.proto.

/** `InstrumentationScope`. */
export const SCOPE = /* @__PURE__ */ message<Scope>({ name: [1, string], version: [2, string] });

/** `Resource`. */
export const RESOURCE = /* @__PURE__ */ message<Resource>({ attributes: [1, attributes] });

/** `Span`. */
const SPAN = /* @__PURE__ */ message<SpanData>({
  traceId: [1, hex],
  spanId: [2, hex],
  traceState: [3, string],
  parentSpanId: [4, hex],
  name: [5, string],
  kind: [6, unsigned],
  startTimeUnixNano: [7, time],
  endTimeUnixNano: [8, time],
  attributes: [9, attributes],
  droppedAttributesCount: [10, unsigned],
  events: [
    11,
    repeated(message<EventData>({ timeUnixNano: [1, time], name: [2, string], attributes: [3, attributes] })),
  ],
  droppedEventsCount: [12, unsigned],
  links: [
    13,
    repeated(message<LinkData>({ traceId: [1, hex], spanId: [2, hex], traceState: [3, string], flags: [6, fixed32] })),
  ],
  droppedLinksCount: [14, unsigned],
  status: [15, message<SpanData['status']>({ message: [2, string], code: [3, unsigned] })],
  flags: [16, fixed32],
});

/** `ExportTraceServiceRequest`. */
export const TRACES = /* @__PURE__ */ message<TracesData>({
  resourceSpans: [
    1,
    repeated(
      message<ResourceSpans>({
        resource: [1, RESOURCE],
        scopeSpans: [
          2,
          repeated(message<ScopeSpans>({ scope: [1, SCOPE], spans: [2, repeated(SPAN)], schemaUrl: [3, string] })),
        ],
        schemaUrl: [3, string],
      }),
    ),
  ],
});

/** The version of the semantic conventions whose names the spans have. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

/** A request with all spans of one scope. */
export function toTraces(resource: Resource, scope: Scope, spans: readonly SpanData[]): TracesData {
  return {
    resourceSpans: [{ resource, scopeSpans: [{ scope, spans, schemaUrl: SCHEMA_URL }], schemaUrl: SCHEMA_URL }],
  };
}
