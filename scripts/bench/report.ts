import type { WorkloadName } from './invoke.js';
import type { Outcome } from './measure.js';
import { FLOOR, FLOOR_AGAIN, OTHERS, type Peer } from './peers.js';
import { median, pairedRatio, spread } from './statistics.js';

export interface Row {
  readonly peer: Peer;
  readonly outcome: Outcome;
}

export interface WorkloadResult {
  readonly workload: WorkloadName;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** One workload as a table for the terminal. */
export function formatWorkload(workload: WorkloadName, rows: readonly Row[]): string {
  const floor = microsOf(rows, FLOOR);
  const fastest = fastestOf(rows);
  const lines = rows.flatMap(({ peer, outcome }) => {
    if (outcome.kind === 'absent') return [];
    if (outcome.kind === 'failed')
      return [`  ${peer.name.padEnd(26)}FAILED: ${outcome.problem.split('\n', 2).join(' ')}`];
    const { micros, bytes } = outcome;
    return [
      `  ${peer.name.padEnd(26)}${number(median(micros)).padStart(9)} µs` +
        `${percent(spread(micros)).padStart(7)}` +
        `${ratio(floor && pairedRatio(micros, floor)).padStart(9)}` +
        `${ratio(fastest && pairedRatio(micros, fastest)).padStart(9)}` +
        `${(bytes === null ? '?' : number(bytes / 1024)).padStart(9)}`,
    ];
  });
  const heads = `  ${'CPU a call'.padStart(38)}${'spread'.padStart(7)}${'/ bare'.padStart(9)}${'/ best'.padStart(9)}${'KiB'.padStart(9)}`;
  return [workload, heads, ...lines, ''].join('\n');
}

function microsOf(rows: readonly Row[], peer: Peer | undefined): readonly number[] | null {
  const outcome = rows.find((row) => row.peer === peer)?.outcome;
  return outcome?.kind === 'measured' ? outcome.micros : null;
}

/** The fastest framework other than ours. */
function fastestOf(rows: readonly Row[]): readonly number[] | null {
  const measured = OTHERS.flatMap((peer) => microsOf(rows, peer) ?? []).length;
  if (measured === 0) return null;
  return OTHERS.flatMap((peer) => {
    const micros = microsOf(rows, peer);
    return micros ? [micros] : [];
  }).reduce((best, micros) => (median(micros) < median(best) ? micros : best));
}

/** Ratios to bare, as a Markdown table with a row per workload and a column per peer. */
export function markdownTable(peers: readonly Peer[], results: readonly WorkloadResult[]): string {
  const columns = peers.filter((peer) => peer !== FLOOR && peer !== FLOOR_AGAIN);
  const lines = results.map(({ title, rows }) => {
    const floor = microsOf(rows, FLOOR);
    const again = microsOf(rows, FLOOR_AGAIN);
    const noise = floor && again ? ` ±${percent(Math.abs(pairedRatio(again, floor) - 1))}` : '';
    const cells = columns.map((peer) => {
      const outcome = rows.find((row) => row.peer === peer)?.outcome;
      if (outcome?.kind === 'failed') return 'failed';
      if (outcome?.kind !== 'measured') return '';
      const micros = `${number(median(outcome.micros))} µs`;
      // Workloads of Sallyport only have no floor to compare with.
      if (!floor) return micros;
      const quotient = ratio(pairedRatio(outcome.micros, floor));
      return OTHERS.includes(peer) ? quotient : `${quotient} = ${micros}`;
    });
    return `| ${[title, floor ? `${number(median(floor))} µs${noise}` : '', ...cells].join(' | ')} |`;
  });
  return [headOf(['workload', 'bare', ...columns.map(({ name }) => name)]), ...lines].join('\n');
}

/** KiB allocated per call, for one workload. */
export function allocationLine(rows: readonly Row[]): string {
  return rows
    .flatMap(({ peer, outcome }) =>
      outcome.kind === 'measured' && outcome.bytes !== null && peer !== FLOOR_AGAIN
        ? [`${peer.name} ${number(outcome.bytes / 1024)}`]
        : [],
    )
    .join(' · ');
}

export function headOf(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`;
}

/** A number with three significant digits. */
export function number(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function ratio(value: number | null): string {
  return value === null ? '' : number(value);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
