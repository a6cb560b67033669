import {
  type Attributes,
  attributes,
  each,
  encode,
  fixed32,
  hex,
  type Kind,
  type Output,
  string,
  time,
  unsigned,
} from './protobuf.js';

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
// trace/v1/trace.proto, common/v1/common.proto and resource/v1/resource.proto. Members are written from the last to the first. These messages are
// functions and not tables, which are three times slower: a span is encoded within the time of an invocation.

/** A message whose members a function writes. */
function written<T>(write: (out: Output, value: T) => void): Kind<T> {
  return (out, field, value) => {
    const before = out.length;
    write(out, value);
    out.close(field, out.length - before);
  };
}

/** `InstrumentationScope`. */
export const SCOPE = /* @__PURE__ */ written<Scope>((out, { name, version }) => {
  string(out, 2, version);
  string(out, 1, name);
});

/** `Resource`. */
export const RESOURCE = /* @__PURE__ */ written<Resource>((out, resource) => attributes(out, 1, resource.attributes));

const EVENT = /* @__PURE__ */ written<EventData>((out, event) => {
  attributes(out, 3, event.attributes);
  string(out, 2, event.name);
  time(out, 1, event.timeUnixNano);
});

const LINK = /* @__PURE__ */ written<LinkData>((out, { traceId, spanId, traceState, flags }) => {
  fixed32(out, 6, flags);
  string(out, 3, traceState);
  hex(out, 2, spanId);
  hex(out, 1, traceId);
});

const STATUS = /* @__PURE__ */ written<SpanData['status']>((out, { message, code }) => {
  unsigned(out, 3, code);
  string(out, 2, message);
});

/** `Span`. */
const SPAN = /* @__PURE__ */ written<SpanData>((out, span) => {
  fixed32(out, 16, span.flags);
  STATUS(out, 15, span.status);
  unsigned(out, 14, span.droppedLinksCount);
  each(out, 13, span.links, LINK);
  unsigned(out, 12, span.droppedEventsCount);
  each(out, 11, span.events, EVENT);
  unsigned(out, 10, span.droppedAttributesCount);
  attributes(out, 9, span.attributes);
  time(out, 8, span.endTimeUnixNano);
  time(out, 7, span.startTimeUnixNano);
  unsigned(out, 6, span.kind);
  string(out, 5, span.name);
  hex(out, 4, span.parentSpanId);
  string(out, 3, span.traceState);
  hex(out, 2, span.spanId);
  hex(out, 1, span.traceId);
});

const SCOPE_SPANS = /* @__PURE__ */ written<ScopeSpans>((out, { scope, spans, schemaUrl }) => {
  string(out, 3, schemaUrl);
  each(out, 2, spans, SPAN);
  SCOPE(out, 1, scope);
});

const RESOURCE_SPANS = /* @__PURE__ */ written<ResourceSpans>((out, { resource, scopeSpans, schemaUrl }) => {
  string(out, 3, schemaUrl);
  each(out, 2, scopeSpans, SCOPE_SPANS);
  const bytes = resourceBytes(resource);
  out.take(bytes.length).set(bytes, out.at);
});

let lastResource: Resource | undefined;
let lastBytes: Uint8Array = new Uint8Array();

/** The function is the same in every request: its bytes are kept. */
function resourceBytes(resource: Resource): Uint8Array {
  if (resource !== lastResource) {
    lastBytes = encode((out) => RESOURCE(out, 1, resource), undefined);
    lastResource = resource;
  }
  return lastBytes;
}

/** `ExportTraceServiceRequest`. */
export const TRACES: Kind<TracesData> = (out, _field, { resourceSpans }) => {
  each(out, 1, resourceSpans, RESOURCE_SPANS);
};

/** The version of the semantic conventions whose names the spans have. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

/** A request with all spans of one scope. */
export function toTraces(resource: Resource, scope: Scope, spans: readonly SpanData[]): TracesData {
  return {
    resourceSpans: [{ resource, scopeSpans: [{ scope, spans, schemaUrl: SCHEMA_URL }], schemaUrl: SCHEMA_URL }],
  };
}
