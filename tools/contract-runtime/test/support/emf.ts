import type { JsonObject } from '@sallyport/contract';
import { createEmfSink, type EmfSinkOptions } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { validate } from '../../src/validate.js';

const UNITS = [
  ...['Seconds', 'Microseconds', 'Milliseconds', 'Percent', 'Count', 'Count/Second', 'None'],
  ...[
    'Bytes',
    'Kilobytes',
    'Megabytes',
    'Gigabytes',
    'Terabytes',
    'Bits',
    'Kilobits',
    'Megabits',
    'Gigabits',
    'Terabits',
  ].flatMap((unit) => [unit, `${unit}/Second`]),
];
const NAME = { type: 'string', minLength: 1, maxLength: 255 };

/**
 * The embedded metric format, written from the sentences of its specification:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html.
 * Units: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html.
 */
const EMF_SCHEMA: JsonObject = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      additionalProperties: false,
      properties: {
        Timestamp: { type: 'integer', minimum: 0 },
        CloudWatchMetrics: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            additionalProperties: false,
            properties: {
              Namespace: NAME,
              Dimensions: {
                type: 'array',
                minItems: 1,
                uniqueItems: true,
                items: { type: 'array', maxItems: 30, uniqueItems: true, items: NAME },
              },
              Metrics: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: {
                  type: 'object',
                  required: ['Name'],
                  additionalProperties: false,
                  properties: { Name: NAME, Unit: { enum: UNITS }, StorageResolution: { enum: [1, 60] } },
                },
              },
            },
          },
        },
      },
    },
  },
};

/** The members of a metric, and of a dimension: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html. */
const METRIC_TARGET: JsonObject = {
  anyOf: [{ type: 'number' }, { type: 'array', minItems: 1, maxItems: 100, items: { type: 'number' } }],
};
const DIMENSION_TARGET: JsonObject = {
  type: 'string',
  maxLength: 1024,
  pattern: '^[\\x20-\\x7e]*[\\x21-\\x7e][\\x20-\\x7e]*$',
};
/** The limit of one event of CloudWatch Logs, which was raised from this value in 2025. */
const MAX_BYTES = 262_118;

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

/** One data point, as CloudWatch extracts it: namespace, name, dimensions, value. */
export interface Extracted {
  readonly metric: string;
  readonly unit: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

/** The reasons why CloudWatch rejects a line; empty for a valid line. */
export function faultsOf(text: string): readonly string[] {
  const line = JSON.parse(text) as Record<string, unknown> & {
    readonly _aws: { readonly CloudWatchMetrics: Directive[] };
  };
  const faults = [...validate(EMF_SCHEMA, line as JsonObject)];
  if (faults.length > 0) return faults;
  if (Buffer.byteLength(text) > MAX_BYTES) faults.push('too long');
  const seen = new Set<string>();
  for (const { Namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
    for (const name of Dimensions.flat())
      faults.push(...validate(DIMENSION_TARGET, (line[name] ?? null) as never).map((fault) => `${name}: ${fault}`));
    for (const { Name } of Metrics) {
      faults.push(...validate(METRIC_TARGET, (line[Name] ?? null) as never).map((fault) => `${Name}: ${fault}`));
      for (const set of Dimensions) {
        const key = JSON.stringify([Namespace, Name, set]);
        if (seen.has(key)) faults.push(`${key}: counted twice`);
        seen.add(key);
      }
    }
  }
  return faults;
}

/** The data points of a line. */
export function extract(text: string): readonly Extracted[] {
  const line = JSON.parse(text) as Record<string, unknown> & {
    readonly _aws: { readonly CloudWatchMetrics: Directive[] };
  };
  return line._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((set) =>
      Metrics.map(({ Name, Unit }) => ({
        metric: Name,
        unit: Unit,
        dimensions: Object.fromEntries(set.map((name) => [name, String(line[name])])),
        values: [line[Name]].flat() as number[],
      })),
    ),
  );
}

export const ALL_DETAILS = ['route', 'source', 'tool', 'policy'] as const;

/** Sinks with the default dimensions, with all details, and with the option `dimensions`. */
export const SINKS: readonly EmfSinkOptions[] = [
  {},
  { by: ALL_DETAILS, version: '7' },
  { dimensions: [['service'], ['service', 'method', 'status'], ['source', 'outcome', 'error_code']], version: '7' },
];

/** A sink on Lambda, and the lines that it writes. */
export function newSink(options: EmfSinkOptions) {
  const lines: string[] = [];
  const sink = createEmfSink({
    service: 'shop',
    environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' },
    clock: new ManualClock(1_700_000_000_000),
    write: (line) => lines.push(line),
    ...options,
  });
  return { sink, lines };
}
