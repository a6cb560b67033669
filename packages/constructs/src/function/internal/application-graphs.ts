import { GraphWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { functionBehind } from '../../internal/targets.js';
import type { Inventory, InventorySeries } from '../../wiring/inventory.js';
import { PERIOD } from './watched.js';

/** A graph of one metric of an application. */
interface ApplicationGraph {
  readonly title: string;
  readonly record: string;
  readonly metric: string;
  readonly statistic: string;
}

const GRAPHS: readonly ApplicationGraph[] = [
  { title: 'Requests', record: 'framework.request', metric: 'RequestCount', statistic: 'Sum' },
  { title: 'Failed requests', record: 'framework.request', metric: 'RequestErrors', statistic: 'Sum' },
  { title: 'Latency of requests', record: 'framework.request', metric: 'RequestDuration', statistic: 'p99' },
  { title: 'Failed records', record: 'framework.event', metric: 'BatchFailures', statistic: 'Sum' },
  { title: 'Retried records', record: 'framework.event', metric: 'BatchRetries', statistic: 'Sum' },
  { title: 'Age of the oldest record', record: 'framework.event', metric: 'OldestRecordAge', statistic: 'Maximum' },
  { title: 'Cold starts', record: 'framework.start', metric: 'ColdStarts', statistic: 'Sum' },
];

/**
 * Graphs of the metrics that an application writes, with one line for each combination of dimension values; empty for an application that writes no
 * metrics. A search finds the values, which are not known at synth.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
 */
export function applicationGraphs(fn: IFunction, inventory: Inventory, width: number): readonly GraphWidget[] {
  const { namespace, service, series = [] } = inventory.deployment?.metrics ?? {};
  if (namespace === undefined) return [];
  const ownName = service ?? functionBehind(fn).functionName;
  return GRAPHS.flatMap(({ title, record, metric, statistic }) => {
    const sets = series.find((one) => one.record === record && isWritten(one, inventory))?.sets ?? [];
    // The set with most dimensions shows most.
    const set = sets.reduce<readonly string[]>((most, one) => (one.length > most.length ? one : most), []);
    if (!set.includes('service')) return [];
    const search = `{"${namespace}",${set.join(',')}} MetricName="${metric}" service="${ownName}"`;
    const expression = `SEARCH('${search}', '${statistic}', ${PERIOD.toSeconds()})`;
    return [new GraphWidget({ title, left: [new MathExpression({ expression, label: '', period: PERIOD })], width })];
  });
}

function isWritten({ record }: InventorySeries, { routes, triggers }: Inventory): boolean {
  if (record === 'framework.request') return routes.length > 0;
  return record !== 'framework.event' || triggers.length > 0;
}
