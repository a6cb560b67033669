import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { HERE } from './bundle.js';
import { type ColdRow, coldTable } from './cold.js';
import { growthTable, writePlots } from './growth/main.js';
import type { Growth } from './growth/protocol.js';
import type { Peer } from './peers.js';
import { allocationLine, markdownTable, type WorkloadResult } from './report.js';

const WRITTEN = 'written by npm run bench -- --write-readme -->';
const END = '<!-- end -->';

export interface Measured {
  readonly peers: readonly Peer[];
  readonly rounds: number;
  readonly results: readonly WorkloadResult[];
  readonly cold: readonly ColdRow[];
  readonly growth: Growth | undefined;
}

/** Replaces the measured sections of the README; each is between two comments. */
export function writeReadme(measured: Measured): void {
  const file = join(HERE, 'README.md');
  let text = readFileSync(file, 'utf8');
  if (measured.results.length > 0) text = replaceSection(text, 'tables', formatTables(measured));
  const { cold, growth } = measured;
  if (cold.length > 0) text = replaceSection(text, 'cold start', [machine(measured), coldTable(cold)].join('\n\n'));
  if (growth) {
    const parts = [machine(measured), growthTable(growth), writePlots(growth)];
    text = replaceSection(text, 'growth', parts.join('\n\n'));
  }
  writeFileSync(file, text);
}

/** Replaces the content between the comments of one section. */
function replaceSection(text: string, name: string, content: string): string {
  const begin = `<!-- begin ${name}: ${WRITTEN}`;
  const start = text.indexOf(begin);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`README.md has no comments around ${name}`);
  return `${text.slice(0, start + begin.length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** The date and machine of the measurement. */
function machine({ rounds }: Measured): string {
  const processors = `${cpus().length} × ${cpus()[0]?.model.trim()}`;
  return `${new Date().toISOString().slice(0, 10)}, ${processors}, Node ${process.versions.node}, ${rounds} rounds.`;
}

function formatTables(measured: Measured): string {
  const { peers, results } = measured;
  const counted = results.filter(({ workload }) => workload === 'get-v2' || workload === 'middleware-set');
  return [
    machine(measured),
    '### CPU time, as ratio to `bare`',
    markdownTable(peers, results),
    ...(counted.length > 0 ? ['### KiB allocated'] : []),
    ...counted.map(({ title, rows }) => `${title}: ${allocationLine(rows)}`),
  ].join('\n\n');
}
