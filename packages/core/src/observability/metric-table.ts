import type { MetricRecord, MetricUnit } from './hooks.js';

/** A detail that adds dimensions, and with them custom metrics: `by` of a sink. */
export type MetricDetail = 'route' | 'source' | 'tool' | 'policy';

/** One metric of the framework. */
export interface MetricRow {
  /** The name in CloudWatch, and of the instrument in OpenTelemetry. */
  readonly name: string;
  readonly unit: MetricUnit;
  /** The value in a record; `undefined` if absent. */
  readonly value: (record: MetricRecord) => number | undefined;
  /** True for metrics of failures: they also have the dimensions of alarms, `service` and `version`. */
  readonly alarmed?: true;
}

/** The metrics of one kind of record, and their dimensions. */
export interface MetricGroup {
  /** The name of the record. */
  readonly record: string;
  /** The tags that a dimension set may name, besides `service`. */
  readonly tags: readonly string[];
  /** The dimensions of each metric. */
  readonly dimensions: readonly string[];
  /** Further dimensions if `by` of the sink names the detail. */
  readonly by?: { readonly detail: MetricDetail; readonly dimensions: readonly string[] };
  /** Further members of the line, which are searchable. */
  readonly properties: readonly string[];
  /** The metrics. */
  readonly metrics: readonly MetricRow[];
}

const count = ({ value }: MetricRecord) => value;
const duration = ({ duration_ms: ms = 0 }: MetricRecord) => ms;
const flag = (is: (record: MetricRecord) => boolean) => (record: MetricRecord) => (is(record) ? record.value : 0);
const tagged = (name: string) => (record: MetricRecord) =>
  record.tags[name] === undefined ? undefined : Number(record.tags[name]);
const measured = (name: string) => (record: MetricRecord) => record.measures?.[name];
const status = ({ tags }: MetricRecord) => Number(tags.status);

/** All metrics of the framework: the table of `docs/observability.md` is generated from it. */
export const METRIC_GROUPS: readonly MetricGroup[] = [
  {
    record: 'framework.request',
    tags: ['trigger', 'method', 'route', 'status', 'error_code'],
    dimensions: ['service', 'trigger'],
    by: { detail: 'route', dimensions: ['service', 'method', 'route'] },
    properties: ['status', 'error_code', 'trigger', 'method', 'route'],
    metrics: [
      { name: 'RequestCount', unit: 'Count', value: count },
      { name: 'RequestDuration', unit: 'Milliseconds', value: duration },
      { name: 'RequestErrors', unit: 'Count', value: flag((record) => status(record) >= 500), alarmed: true },
      {
        name: 'RequestRejections',
        unit: 'Count',
        value: flag((record) => status(record) >= 400 && status(record) < 500),
      },
    ],
  },
  {
    record: 'framework.event',
    tags: ['trigger', 'source', 'outcome', 'error_code'],
    dimensions: ['service', 'trigger'],
    by: { detail: 'source', dimensions: ['service', 'trigger', 'source'] },
    properties: ['outcome', 'error_code', 'trigger', 'source'],
    metrics: [
      { name: 'EventCount', unit: 'Count', value: count },
      { name: 'EventDuration', unit: 'Milliseconds', value: duration },
      { name: 'EventErrors', unit: 'Count', value: flag(({ tags }) => tags.outcome === 'error') },
      { name: 'BatchRecords', unit: 'Count', value: tagged('records') },
      { name: 'BatchFailures', unit: 'Count', value: tagged('failed'), alarmed: true },
      { name: 'BatchRetries', unit: 'Count', value: measured('retries') },
      { name: 'OldestRecordAge', unit: 'Milliseconds', value: measured('oldest_record_ms') },
    ],
  },
  {
    record: 'framework.call',
    tags: ['kind', 'target', 'outcome'],
    dimensions: ['service', 'kind'],
    by: { detail: 'tool', dimensions: ['service', 'kind', 'target'] },
    properties: ['kind', 'target', 'outcome'],
    metrics: [
      { name: 'CallCount', unit: 'Count', value: count },
      { name: 'CallDuration', unit: 'Milliseconds', value: duration },
      { name: 'CallErrors', unit: 'Count', value: flag(({ tags }) => FAILED_CALLS.includes(tags.outcome ?? '')) },
    ],
  },
  {
    record: 'framework.limit',
    tags: ['policy', 'decision'],
    dimensions: ['service'],
    by: { detail: 'policy', dimensions: ['service', 'policy'] },
    properties: ['policy', 'decision'],
    metrics: [
      { name: 'LimitAllowed', unit: 'Count', value: flag(({ tags }) => tags.decision === 'allowed') },
      { name: 'LimitDenied', unit: 'Count', value: flag(({ tags }) => tags.decision === 'denied') },
      { name: 'LimitUnknown', unit: 'Count', value: flag(({ tags }) => tags.decision === 'unknown') },
    ],
  },
  {
    record: 'framework.execution',
    tags: ['outcome', 'error_code'],
    dimensions: ['service'],
    properties: ['outcome', 'error_code'],
    metrics: [{ name: 'ExecutionErrors', unit: 'Count', value: count, alarmed: true }],
  },
  {
    record: 'framework.trace',
    tags: [],
    dimensions: ['service'],
    properties: [],
    metrics: [
      { name: 'SpansDropped', unit: 'Count', value: count },
      { name: 'SpanExportFailures', unit: 'Count', value: measured('export_failures') },
    ],
  },
  {
    record: 'framework.start',
    tags: [],
    dimensions: ['service'],
    properties: [],
    metrics: [{ name: 'ColdStarts', unit: 'Count', value: count }],
  },
  {
    record: 'framework.folded',
    tags: [],
    dimensions: ['service'],
    properties: [],
    metrics: [{ name: 'FoldedValues', unit: 'Count', value: count }],
  },
];

/** The outcomes of calls that count as errors: also a result with `isError`. */
const FAILED_CALLS = ['tool_error', 'timeout', 'failed'];

/** The group of a record; `undefined` for a metric of the application. */
export function groupOf(record: string): MetricGroup | undefined {
  return METRIC_GROUPS.find((group) => group.record === record);
}

/** One value of a metric, and if it counts failures. */
export interface GroupPoint {
  readonly name: string;
  readonly unit: MetricUnit;
  readonly value: number;
  readonly alarmed?: true | undefined;
}

/** The values of a record of the framework. */
export function pointsOf(record: MetricRecord, { metrics }: MetricGroup): readonly GroupPoint[] {
  return metrics.flatMap(({ name, unit, value, alarmed }) => {
    const number = value(record);
    return number !== undefined && Number.isFinite(number) ? [{ name, unit, value: number, alarmed }] : [];
  });
}

/**
 * The environments that start while an invocation waits; others are started before.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
const COLD: readonly (string | undefined)[] = ['on-demand', 'snap-start'];

/** True if the first invocation of this environment waited for its start. */
export function isColdStart({
  AWS_LAMBDA_INITIALIZATION_TYPE: type,
}: Readonly<Record<string, string | undefined>>): boolean {
  return COLD.includes(type);
}

/** The record of a cold start. */
export const COLD_START: MetricRecord = { name: 'framework.start', value: 1, tags: {} };

/** The first values of each dimension. */
export class BoundedValues {
  readonly #most: number;
  readonly #known = new Map<string, Set<string>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value, or `other` if the limit of this dimension is reached and the value is new. */
  fold(dimension: string, value: string): string {
    const known = this.#known.get(dimension) ?? new Set();
    this.#known.set(dimension, known);
    if (value === '' || known.has(value)) return value;
    if (known.size >= this.#most) return 'other';
    known.add(value);
    return value;
  }
}
