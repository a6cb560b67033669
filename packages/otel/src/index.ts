export type { ExportCounts, SpanBatch, SpanExporter } from './export/exporter.js';
export { type UdpExporterOptions, udpExporter } from './export/udp.js';
