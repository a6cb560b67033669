/** Spans over HTTP, for collectors and vendors. */

export { type OtlpExporterOptions, otlpExporter } from './export/otlp.js';
export type { OtlpOptions, OtlpProtocol } from './export/sender.js';
