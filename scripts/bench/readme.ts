import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { HERE } from './bundle.js';
import { type Cold, coldTable } from './cold.js';
import type { Peer } from './peers.js';
import { allocationLine, markdownTable, type WorkloadResult } from './report.js';

const END = '<!-- end -->';

export interface Measured {
  readonly peers: readonly Peer[];
  readonly rounds: number;
  readonly results: readonly WorkloadResult[];
  readonly cold: Cold | undefined;
}

/** Replaces the measured sections of the bench's README. */
export function writeReadme(measured: Measured): void {
  const { rounds, results, cold } = measured;
  writeSections(join(HERE, 'README.md'), 'npm run bench', {
    ...(results.length > 0 && { tables: formatTables(measured) }),
    ...(cold && { 'cold start': [machine(rounds), coldTable(cold)].join('\n\n') }),
  });
}

/** Replaces sections of a README, each between two comments, of which the first names the command that writes it. */
export function writeSections(file: string, command: string, sections: Readonly<Record<string, string>>): void {
  let text = readFileSync(file, 'utf8');
  for (const [name, content] of Object.entries(sections)) {
    const begin = `<!-- begin ${name}: written by ${command} -- --write-readme -->`;
    const start = text.indexOf(begin);
    const end = text.indexOf(END, start);
    if (start < 0 || end < 0) throw new Error(`${file} has no comments around ${name}`);
    text = `${text.slice(0, start + begin.length)}\n\n${content}\n\n${text.slice(end)}`;
  }
  writeFileSync(file, text);
}

/** The date and machine of the measurement. */
export function machine(rounds: number): string {
  const processors = `${cpus().length} × ${cpus()[0]?.model.trim()}`;
  return `${new Date().toISOString().slice(0, 10)}, ${processors}, Node ${process.versions.node}, ${rounds} rounds.`;
}

function formatTables(measured: Measured): string {
  const { peers, results, rounds } = measured;
  const counted = results.filter(({ workload }) => workload === 'get-v2' || workload === 'middleware-set');
  return [
    machine(rounds),
    '### CPU time, as ratio to `bare`',
    markdownTable(peers, results),
    ...(counted.length > 0 ? ['### KiB allocated'] : []),
    ...counted.map(({ title, rows }) => `${title}: ${allocationLine(rows)}`),
  ].join('\n\n');
}
