/** Metrics over HTTP, for collectors and vendors. */

export type { OtlpOptions, OtlpProtocol } from './export/sender.js';
export { type OtlpMetricsOptions, otlpMetrics } from './metrics/otlp-metrics.js';
