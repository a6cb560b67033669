import type { MetricUnit } from '@sallyport/core';
import { DELTA, type HistogramPoint, type MetricData, type NumberPoint } from '../../encoding/internal/metrics.js';

/** One value, with its attributes. */
export interface Measured {
  readonly name: string;
  readonly unit: MetricUnit;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The default bounds of histograms.
 *
 * @see https://opentelemetry.io/docs/specs/otel/metrics/sdk/#explicit-bucket-histogram-aggregation
 */
const BOUNDS = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];

/** Units as UCUM writes them (https://opentelemetry.io/docs/specs/semconv/general/metrics/#instrument-units); others are kept. */
const UNITS: Readonly<Partial<Record<MetricUnit, string>>> = {
  None: '',
  Count: '1',
  Milliseconds: 'ms',
  Microseconds: 'us',
  Seconds: 's',
  Percent: '%',
  Bytes: 'By',
  Bits: 'bit',
};

/** The sums of counts and the histograms of other units, with delta temporality: the values of one invocation. */
export function aggregate(values: readonly Measured[], startMs: number, endMs: number): readonly MetricData[] {
  const interval = { startTimeUnixNano: startMs, timeUnixNano: endMs };
  return [...groupBy(values, ({ name, unit }) => `${name} ${unit}`).values()].map((ofMetric) => {
    const [{ name, unit }] = ofMetric as [Measured];
    const metric = { name, unit: UNITS[unit] ?? unit };
    const streams = [...groupBy(ofMetric, ({ attributes }) => JSON.stringify(attributes)).values()].map((stream) => ({
      attributes: (stream[0] as Measured).attributes,
      numbers: stream.map(({ value }) => value),
    }));
    if (unit !== 'Count') {
      const dataPoints = streams.map((one): HistogramPoint => ({ ...interval, ...histogramOf(one) }));
      return { ...metric, histogram: { dataPoints, aggregationTemporality: DELTA } };
    }
    const dataPoints = streams.map(
      ({ attributes, numbers }): NumberPoint => ({ ...interval, attributes, asDouble: sumOf(numbers) }),
    );
    // A sum with a negative value is not monotonic.
    const isMonotonic = ofMetric.every(({ value }) => value >= 0);
    return { ...metric, sum: { dataPoints, aggregationTemporality: DELTA, isMonotonic } };
  });
}

function histogramOf({
  attributes,
  numbers,
}: {
  readonly attributes: Measured['attributes'];
  readonly numbers: readonly number[];
}) {
  const bucketCounts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  for (const value of numbers) {
    const above = BOUNDS.findIndex((bound) => value <= bound);
    const index = above < 0 ? BOUNDS.length : above;
    bucketCounts[index] = (bucketCounts[index] ?? 0) + 1;
  }
  return {
    attributes,
    count: numbers.length,
    sum: sumOf(numbers),
    bucketCounts,
    explicitBounds: BOUNDS,
    min: numbers.reduce((least, value) => Math.min(least, value)),
    max: numbers.reduce((most, value) => Math.max(most, value)),
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0);

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
