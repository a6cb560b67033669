import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRIC_GROUPS } from '../../packages/core/src/observability/metric-table.js';
import { createEmfSink } from '../../packages/core/src/observability.js';
import { ROOT } from '../check/command.js';
import { checkMetricTable, renderMetricTable } from './metric-table.js';

const page = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');

interface Directive {
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

/** Each metric of the table: its unit, and its dimension sets with `by`. */
function readTable(): ReadonlyMap<string, { readonly unit: string; readonly sets: readonly string[] }> {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (Count|Milliseconds) \| [^|]+ \| ([^|]+) \| ([^|]*) \|$/gm)];
  return new Map(
    rows.map(([, name = '', unit = '', sets = '', by = '']) => {
      const texts = [...sets.split('; '), by.replace(/^`\w+`: /, '')].filter((text) => text.trim() !== '');
      const names = texts.map((text) =>
        [...(text.split(': 0.30')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, one]) => one).join(),
      );
      return [name, { unit, sets: names.sort() }] as const;
    }),
  );
}

it('the page has the generated table, with every metric', () => {
  expect(checkMetricTable(page)).toEqual([]);
  expect(renderMetricTable(page)).toBe(page);
});

it('the table has the names, units and dimensions of the lines that the sink writes', () => {
  const lines: string[] = [];
  const sink = createEmfSink({
    service: 's',
    version: '7',
    by: ['route', 'source', 'tool', 'policy'],
    environment: {},
    write: (line) => lines.push(line),
  });
  for (const { record } of METRIC_GROUPS)
    sink({
      name: record,
      value: 1,
      tags: { records: '1', failed: '0', status: '200' },
      measures: { retries: 0, oldest_record_ms: 0, export_failures: 0 },
    });
  const written = new Map<string, { unit: string; sets: string[] }>();
  for (const text of lines) {
    const { _aws } = JSON.parse(text) as { readonly _aws: { readonly CloudWatchMetrics: readonly Directive[] } };
    for (const { Dimensions, Metrics } of _aws.CloudWatchMetrics)
      for (const { Name, Unit } of Metrics) {
        const sets = [...(written.get(Name)?.sets ?? []), ...Dimensions.map((set) => set.join())];
        written.set(Name, { unit: Unit, sets: sets.sort() });
      }
  }
  expect(written.size).toBe(22);
  expect(readTable()).toEqual(written);
});
