import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The transformer of AWS's exporter has the descriptors that `protobufjs` made of the published `.proto` files. */
const require = createRequire(import.meta.url);
const ofAws = createRequire(require.resolve('@aws/aws-distro-opentelemetry-exporter-xray-udp'));
const root = ofAws(join(dirname(ofAws.resolve('@opentelemetry/otlp-transformer')), 'generated/root.js'));
const request = root.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;

/** A metric as `protobufjs` decodes it: 64-bit integers and enumerations as strings. */
export interface DecodedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: {
    readonly aggregationTemporality: string;
    readonly isMonotonic: boolean;
    readonly dataPoints: readonly DecodedPoint[];
  };
  readonly histogram?: { readonly aggregationTemporality: string; readonly dataPoints: readonly DecodedPoint[] };
}

/** A point of a sum or of a histogram. */
export interface DecodedPoint {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
  readonly min?: number;
  readonly max?: number;
}

interface Decoded {
  readonly resourceMetrics: readonly {
    readonly resource: object;
    readonly scopeMetrics: readonly { readonly scope: object; readonly metrics: readonly DecodedMetric[] }[];
  }[];
}

/** Decodes a request with their descriptors. */
export function decodeMetrics(bytes: Uint8Array): Decoded {
  return request.toObject(request.decode(bytes), { longs: String, enums: String, bytes: String }) as Decoded;
}

/** All metrics of a request, by name. */
export function metricsIn(bytes: Uint8Array): Readonly<Record<string, DecodedMetric>> {
  const all = decodeMetrics(bytes).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  );
  return Object.fromEntries(all.map((metric) => [metric.name, metric]));
}
