export type { Attributes, AttributeValue } from './encoding/protobuf.js';
export type { EventData, LinkData, Resource, Scope, SpanData } from './encoding/traces.js';
export type { ExportCounts, SpanBatch, SpanExporter } from './export/exporter.js';
export { type UdpExporterOptions, udpExporter } from './export/udp.js';
export { type FetchContext, tracedFetch } from './fetch/traced-fetch.js';
export { type CurrentSpan, currentSpan, traceHeaders } from './spans/context.js';
export { withTrace } from './spans/with-trace.js';
export { type TraceCounts, type Tracer, type TracingOptions, tracing } from './tracing.js';
