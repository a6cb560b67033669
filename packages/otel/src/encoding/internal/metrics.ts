import {
  type Attributes,
  attributes,
  bool,
  double,
  doubles,
  integer64,
  integers64,
  string,
  time,
  unsigned,
} from '../protobuf.js';
import { message, repeated } from '../tables.js';
import { RESOURCE, type Resource, SCHEMA_URL, SCOPE, type Scope } from '../traces.js';

/** The value of `AggregationTemporality` for values since the last request. */
export const DELTA = 1;

/** The interval and the attributes of a point; times are milliseconds since 1970. */
interface Point {
  readonly attributes: Attributes;
  readonly startTimeUnixNano: number;
  readonly timeUnixNano: number;
}

/** `NumberDataPoint`. */
export interface NumberPoint extends Point {
  readonly asDouble: number;
}

/** `HistogramDataPoint`. */
export interface HistogramPoint extends Point {
  readonly count: number;
  readonly sum: number;
  /** One more than the bounds. */
  readonly bucketCounts: readonly number[];
  readonly explicitBounds: readonly number[];
  readonly min: number;
  readonly max: number;
}

/** `Metric`: a sum or a histogram. */
export interface MetricData {
  readonly name: string;
  /** As in UCUM: `ms`, `1`. */
  readonly unit: string;
  readonly sum?:
    | {
        readonly dataPoints: readonly NumberPoint[];
        readonly aggregationTemporality: number;
        readonly isMonotonic: boolean;
      }
    | undefined;
  readonly histogram?:
    | { readonly dataPoints: readonly HistogramPoint[]; readonly aggregationTemporality: number }
    | undefined;
}

interface ScopeMetrics {
  readonly scope: Scope;
  readonly metrics: readonly MetricData[];
}

interface ResourceMetrics {
  readonly resource: Resource;
  readonly scopeMetrics: readonly ScopeMetrics[];
  readonly schemaUrl: string;
}

/** `ExportMetricsServiceRequest`. */
export interface MetricsData {
  readonly resourceMetrics: readonly ResourceMetrics[];
}

// The numbers come from https://github.com/open-telemetry/opentelemetry-proto/tree/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto.

const NUMBER_POINT = /* @__PURE__ */ message<NumberPoint>({
  startTimeUnixNano: [2, time],
  timeUnixNano: [3, time],
  asDouble: [4, double],
  attributes: [7, attributes],
});

const HISTOGRAM_POINT = /* @__PURE__ */ message<HistogramPoint>({
  startTimeUnixNano: [2, time],
  timeUnixNano: [3, time],
  count: [4, integer64],
  sum: [5, double],
  bucketCounts: [6, integers64],
  explicitBounds: [7, doubles],
  attributes: [9, attributes],
  min: [11, double],
  max: [12, double],
});

const METRIC = /* @__PURE__ */ message<MetricData>({
  name: [1, string],
  unit: [3, string],
  sum: [
    7,
    message({ dataPoints: [1, repeated(NUMBER_POINT)], aggregationTemporality: [2, unsigned], isMonotonic: [3, bool] }),
  ],
  histogram: [9, message({ dataPoints: [1, repeated(HISTOGRAM_POINT)], aggregationTemporality: [2, unsigned] })],
});

/** `ExportMetricsServiceRequest`. */
export const METRICS = /* @__PURE__ */ message<MetricsData>({
  resourceMetrics: [
    1,
    repeated(
      message<ResourceMetrics>({
        resource: [1, RESOURCE],
        scopeMetrics: [2, repeated(message<ScopeMetrics>({ scope: [1, SCOPE], metrics: [2, repeated(METRIC)] }))],
        schemaUrl: [3, string],
      }),
    ),
  ],
});

/** A request with the metrics of one scope. */
export function toMetrics(resource: Resource, scope: Scope, metrics: readonly MetricData[]): MetricsData {
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }], schemaUrl: SCHEMA_URL }] };
}
