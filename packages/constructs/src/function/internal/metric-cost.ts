import type { Inventory, InventorySeries } from '../../wiring/inventory.js';

/**
 * The list price of a custom metric in us-east-1, in USD a month: the first 10,000 metrics of an account.
 *
 * @see https://aws.amazon.com/cloudwatch/pricing/
 */
const USD_A_MONTH = 0.3;

/** The custom metrics of a function: one for each combination of dimension values. */
export interface MetricCost {
  /** The metrics that the function writes if all its routes and sources are used. */
  readonly metrics: number;
  /** Further metrics of each version that runs, for alarms of a canary. */
  readonly ofVersion: number;
  /** The list price of both, for one version. */
  readonly usdAMonth: number;
}

/**
 * The custom metrics that `createEmfSink` of an application writes, at most. Without metrics that the application declares, calls of MCP servers and
 * rate limits: the inventory does not list them.
 *
 * @param doors the number of front doors, each of which is a kind of event
 */
export function metricCost(inventory: Inventory, doors: number): MetricCost | undefined {
  const series = inventory.deployment?.metrics?.series;
  if (series === undefined) return undefined;
  let metrics = 0;
  let ofVersion = 0;
  for (const one of series) {
    const count = COUNTS[one.record]?.(inventory, doors);
    if (count === undefined) continue;
    ofVersion += one.failures;
    metrics += one.failures * (one.sets.some((set) => set.join() === 'service') ? 0 : 1);
    for (const set of one.sets) metrics += one.metrics * count(set);
  }
  return { metrics, ofVersion, usdAMonth: Math.round((metrics + ofVersion) * USD_A_MONTH * 100) / 100 };
}

/** The number of combinations of the values of a dimension set. */
type CountOf = (set: readonly string[]) => number;

/** By kind of record; `undefined` if the application writes no such records. */
const COUNTS: Readonly<Record<string, (inventory: Inventory, doors: number) => CountOf | undefined>> = {
  'framework.request': ({ routes }, doors) => {
    if (routes.length === 0) return undefined;
    const surfaces = new Set(routes.map(({ surface }) => surface));
    const kinds = Math.max(doors, 1) - 1 + surfaces.size;
    // A request without a route has the route `(unmatched)`.
    return (set) => (set.includes('route') ? routes.length + 1 : 1) * (set.includes('trigger') ? kinds : 1);
  },
  'framework.event': ({ triggers }) => {
    if (triggers.length === 0) return undefined;
    const kinds = new Set(triggers.map(({ kind }) => kind)).size;
    return (set) => (set.includes('source') ? triggers.length : set.includes('trigger') ? kinds : 1);
  },
  'framework.start': () => () => 1,
};

/** One line for the output of the synthesis; `undefined` for an application that writes no metrics. */
export function costText(inventory: Inventory, doors: number): string | undefined {
  const cost = metricCost(inventory, doors);
  if (cost === undefined) return undefined;
  const details = ['service', 'kind', ...detailsOf(inventory.deployment?.metrics?.series ?? [])].join(', ');
  return (
    `Custom metrics by ${details}: at most ${cost.metrics}, and ${cost.ofVersion} for each running version, ` +
    `${cost.usdAMonth.toFixed(2)} USD a month (list price of us-east-1). Not included: declared metrics, MCP calls, rate limits.`
  );
}

/** The details that add dimensions to the default. */
function detailsOf(series: readonly InventorySeries[]): readonly string[] {
  const names = new Set(series.flatMap(({ sets }) => sets.flat()));
  return ['route', 'source'].filter((name) => names.has(name));
}
